// SPDX-License-Identifier: Apache-2.0
#include "net/server/bearer.h"

#include "net/protocol/keys.h"
#include "net/protocol/names.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <charconv>

namespace sunloco::server {

std::string BearerTokens::issue(std::string_view contribution, std::string_view device, core::UtcMs expires) const {
    const std::string text = "bearer\n" + std::string(contribution) + "\n" + std::string(device) + "\n" + std::to_string(expires);
    std::array<unsigned char, 32> mac{};
    unsigned int size = 0;
    HMAC(EVP_sha256(), m_secret.data(), static_cast<int>(m_secret.size()), reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &size);
    return std::to_string(expires) + "." + protocol::toBase64Url(mac);
}

BearerTokens::Check BearerTokens::check(std::string_view token, std::string_view contribution, std::string_view device, core::UtcMs now) const {
    const auto dot = token.find('.');
    if (dot == std::string_view::npos) { return Check::Invalid; }
    core::UtcMs expires = 0;
    const auto [end, failed] = std::from_chars(token.data(), token.data() + dot, expires);
    if (failed != std::errc() || end != token.data() + dot) { return Check::Invalid; }
    if (!protocol::equalSecrets(token, issue(contribution, device, expires))) { return Check::Invalid; }
    return expires > now ? Check::Good : Check::Expired;
}

}  // namespace sunloco::server
