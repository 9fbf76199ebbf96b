// SPDX-License-Identifier: Apache-2.0
#include "app/rules/proxy_address.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace sunloco::rules {
namespace {

constexpr std::array<std::string_view, 4> kSchemes{"http", "https", "socks5", "socks5h"};

core::Error bad(std::string_view address, std::string_view why) {
    return {core::ErrorCode::InvalidArgument,
            "a proxy is \"system\", \"none\" or an address such as http://proxy.home:3128 (http, https, socks5 or socks5h), given was \"" + std::string(address.substr(0, 100)) + "\": " +
                std::string(why),
            "network.proxy"};
}

bool isHostCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_'; }
bool isIpv6Character(char c) { return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == ':' || c == '.'; }

/// Takes the host from the front of `rest`; false when there is none.
bool takeHost(std::string_view& rest) {
    if (rest.starts_with('[')) {
        const auto end = rest.find(']');
        if (end == std::string_view::npos || end == 1 || !std::all_of(rest.begin() + 1, rest.begin() + static_cast<std::ptrdiff_t>(end), isIpv6Character)) return false;
        rest.remove_prefix(end + 1);
        return true;
    }
    const auto end = static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), isHostCharacter) - rest.begin());
    rest.remove_prefix(end);
    return end > 0 && end <= 253;
}

}  // namespace

core::Result<void> checkProxyAddress(std::string_view address) {
    const auto colon = address.find("://");
    if (colon == std::string_view::npos || std::find(kSchemes.begin(), kSchemes.end(), address.substr(0, colon)) == kSchemes.end()) return bad(address, "the kind of proxy is missing in front");
    if (address.find('@') != std::string_view::npos) {
        return core::Error{core::ErrorCode::InvalidArgument,
                           "a name and password do not belong into the settings, where they could be read; choose \"system\" and put them into the environment's https_proxy", "network.proxy"};
    }
    std::string_view rest = address.substr(colon + 3);
    if (rest.ends_with('/')) rest.remove_suffix(1);
    if (!takeHost(rest)) return bad(address, "the host is missing or has a character that no host has");
    if (!rest.starts_with(':')) return bad(address, "the port is missing");
    rest.remove_prefix(1);
    std::uint32_t port = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
    if (error != std::errc{} || end != rest.data() + rest.size() || port < 1 || port > 65535) return bad(address, "the port is a number from 1 to 65535");
    return {};
}

}  // namespace sunloco::rules
