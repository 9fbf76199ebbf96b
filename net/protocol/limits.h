// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

/// Every cap of wire protocol v1 in one place. A decoder checks these before it looks at a value (README, "Limits").
namespace sunloco::protocol {

inline constexpr std::size_t kKiB = 1024;
inline constexpr std::size_t kMiB = 1024 * kKiB;

// Files of signed metadata: bytes of the whole envelope file.
inline constexpr std::size_t kMaxRootBytes = 64 * kKiB;
inline constexpr std::size_t kMaxTimestampBytes = 16 * kKiB;
inline constexpr std::size_t kMaxRoundsBytes = 1 * kMiB;
inline constexpr std::size_t kMaxTargetsBytes = 4 * kMiB;
inline constexpr std::size_t kMaxReceiptBytes = 8 * kKiB;
inline constexpr std::size_t kMaxSignatures = 16;        ///< in one envelope
inline constexpr std::size_t kMaxKeys = 64;              ///< in a root
inline constexpr std::size_t kMaxJsonDepth = 16;

// JSON bodies of requests and answers.
inline constexpr std::size_t kMaxSmallMessageBytes = 16 * kKiB;   ///< every request but the creation of a contribution
inline constexpr std::size_t kMaxContributionBytes = 4 * kMiB;    ///< POST /v1/contributions
inline constexpr std::size_t kMaxAnswerBytes = 4 * kMiB;          ///< any JSON answer
inline constexpr std::size_t kMaxProblemBytes = 64 * kKiB;

// Objects and parts.
inline constexpr std::int64_t kMaxPartBytes = 8 * static_cast<std::int64_t>(kMiB);
inline constexpr std::int64_t kMaxParts = 16'384;                 ///< of one contribution
inline constexpr std::int64_t kMaxShards = 20'000;
inline constexpr std::int64_t kMaxHeldOutShards = 1'000;
inline constexpr std::int64_t kMaxUpdates = 3'500;                ///< named in one rounds file, so that they fit its size
inline constexpr std::int64_t kMaxObjectBytes = std::int64_t{1} << 40;
inline constexpr std::int64_t kMaxTokenizerBytes = 64 * static_cast<std::int64_t>(kMiB);

// Numbers. Everything but a seed (all 64 bits) fits a double exactly (2^53), so that any JSON library reads it right.
inline constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;  ///< tokens, examples, elements, global steps
inline constexpr std::int64_t kMaxRound = 1'000'000'000;
inline constexpr std::int64_t kMaxSteps = 1'000'000'000;
inline constexpr std::int64_t kMaxVersion = 1'000'000'000;        ///< of a metadata file
inline constexpr std::int64_t kMaxUtcMs = 253'402'300'799'999;    ///< the end of the year 9999
inline constexpr double kMaxMagnitude = 1e30;                     ///< losses, norms, rates

// Texts.
inline constexpr std::size_t kMaxNameLength = 64;                 ///< [a-z0-9_.-]{1,64}
inline constexpr std::size_t kMaxTitleBytes = 100;                ///< names shown to people
inline constexpr std::size_t kMaxDescriptionBytes = 4'000;
inline constexpr std::size_t kMaxUrlBytes = 300;
inline constexpr std::size_t kMaxLinkBytes = 600;
inline constexpr std::size_t kMaxInviteBytes = 64;
inline constexpr std::size_t kMaxBearerBytes = 256;
inline constexpr std::size_t kMaxHeaderBytes = 1'024;             ///< of a header that a decoder here reads
inline constexpr std::size_t kMaxIdempotencyKeyBytes = 64;
inline constexpr std::size_t kMaxHistoryRows = 10'000;
inline constexpr std::size_t kMaxOwnContributions = 10'000;

// Signatures of requests (RFC 9421 profile).
inline constexpr std::int64_t kMaxClockSkewSeconds = 300;         ///< |server clock - created|
inline constexpr std::int64_t kMaxSignatureLifeSeconds = 600;     ///< expires - created
inline constexpr std::int64_t kSignatureLifeSeconds = 300;        ///< what our client asks for
inline constexpr std::size_t kMinNonceBytes = 16;
inline constexpr std::size_t kMaxNonceBytes = 64;

// Answers to the server's own promises.
inline constexpr std::int64_t kBearerLifeSeconds = 900;

}  // namespace sunloco::protocol
