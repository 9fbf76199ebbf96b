// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"

#include <string>
#include <string_view>

namespace sunloco::server {

/// Short-lived tokens for the parts of one contribution: "<expires>.<HMAC-SHA-256 over contribution, device and expiry>". They need no table,
/// so every process with the same secret can check them. Immutable, any thread.
class BearerTokens {
public:
    explicit BearerTokens(std::string secret) : m_secret(std::move(secret)) {}
    [[nodiscard]] std::string issue(std::string_view contribution, std::string_view device, core::UtcMs expires) const;
    enum class Check { Good, Expired, Invalid };
    [[nodiscard]] Check check(std::string_view token, std::string_view contribution, std::string_view device, core::UtcMs now) const;

private:
    std::string m_secret;
};

}  // namespace sunloco::server
