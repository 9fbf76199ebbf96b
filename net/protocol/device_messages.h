// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/keys.h"

#include <optional>

/// Requests are closed (an unknown key is refused), answers are open (unknown keys are ignored, so that a newer server can say more).
namespace sunloco::protocol {

/// POST /v1/devices, signed with the key that it enrols. Repeating it is harmless.
struct EnrolRequest {
    PublicKey publicKey;
    std::optional<std::string> invite;
    std::optional<std::string> name;       ///< shown to the operator
    std::string software;                  ///< "sunloco/0.1.0 linux-x86_64"
    bool operator==(const EnrolRequest&) const = default;
    static core::Result<EnrolRequest> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

enum class Trust { Invited, Anonymous };
std::string_view name(Trust trust);

/// 201 new, 200 known already.
struct EnrolAnswer {
    std::string deviceId;
    Trust trust = Trust::Anonymous;
    bool operator==(const EnrolAnswer&) const = default;
    static core::Result<EnrolAnswer> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

}  // namespace sunloco::protocol
