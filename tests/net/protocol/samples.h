// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/messages.h"
#include "net/protocol/metadata.h"

/// One valid value of every message and metadata file; the golden files in tests/data/protocol hold the same values, written by a second
/// implementation (make_golden.py there).
namespace sunloco::protocol::samples {

inline constexpr core::UtcMs kNow = 1'790'000'000'000;
inline constexpr core::UtcMs kDay = 86'400'000;

/// Seeds of the golden files: 32 times this byte.
enum class Who : std::uint8_t { Root = 1, Root2 = 2, Targets = 3, Rounds = 4, Timestamp = 5, Device = 6, Stranger = 99 };
KeyPair keyOf(Who who);
/// Stands for the hash of a file.
core::Digest hashOf(std::string_view word);

Root root();
Targets targets();
Rounds rounds();
Timestamp timestamp();
/// The four files, signed by the right keys.
std::string rootFile(const Root& value);
std::string targetsFile(const Targets& value);
std::string roundsFile(const Rounds& value);
std::string timestampFile(const Timestamp& value);
/// A timestamp (version 41 unless given) that names these files.
Timestamp timestampFor(std::string_view targetsFile, std::int64_t targetsVersion, std::string_view roundsFile, std::int64_t roundsVersion);

EnrolRequest enrolRequest();
EnrolAnswer enrolAnswer();
LeaseRequest leaseRequest();
Lease lease();
HeartbeatRequest heartbeatRequest();
HeartbeatAnswer heartbeatAnswer();
ReleaseRequest releaseRequest();
ContributionRequest contributionRequest();
ContributionCreated contributionCreated();
BearerAnswer bearerAnswer();
ContributionStatus contributionStatus();
ContributionStatus contributionStatusRejected();
CommitAnswer commitAnswer();
ReceiptPayload receipt();
OwnContributions ownContributions();
StatusAnswer status();
Problem problem();

/// Bytes of a golden file; empty when it is not there.
std::string golden(std::string_view file);

}  // namespace sunloco::protocol::samples
