// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/link.h"

#include "net/protocol/limits.h"
#include "net/protocol/names.h"

#include <algorithm>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

namespace {

constexpr std::string_view kScheme = "https://";
constexpr std::string_view kAdvice = " Copy the whole link again from the project's page or from its operator.";

Error refuse(std::string message) {
    message += kAdvice;
    return Error{ErrorCode::InvalidArgument, std::move(message), "project link"};
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) { return {}; }
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// What of a link may be repeated in an error: short, and no control characters.
std::string shown(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 60)) { out.push_back(c > ' ' && c < 0x7f ? c : '?'); }
    return text.size() > 60 ? out + "..." : out;
}

bool isHostName(std::string_view host) {
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
    return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), allowed) && host.front() != '-' && host.front() != '.' &&
           host.find("..") == std::string_view::npos;
}

bool isIpv6(std::string_view host) {
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.'; };
    return host.size() >= 2 && host.size() <= 45 && std::all_of(host.begin(), host.end(), allowed) && std::count(host.begin(), host.end(), ':') >= 2;
}

core::Result<void> readAuthority(std::string_view text, ProjectLink& link) {
    if (text.find('@') != std::string_view::npos) { return refuse("The link has a user name in it, which project links never have."); }
    std::string_view port;
    bool hasPort = false;
    const std::string all = lower(text);
    std::string_view rest = all;
    if (!rest.empty() && rest.front() == '[') {
        const auto end = rest.find(']');
        if (end == std::string_view::npos || !isIpv6(rest.substr(1, end - 1))) { return refuse("The server address \"" + shown(text) + "\" in the link is not right."); }
        link.host = rest.substr(1, end - 1);
        rest.remove_prefix(end + 1);
        hasPort = !rest.empty();
        if (hasPort && rest.front() != ':') { return refuse("The server address \"" + shown(text) + "\" in the link is not right."); }
        port = hasPort ? rest.substr(1) : rest;
    } else {
        const auto colon = rest.find(':');
        hasPort = colon != std::string_view::npos;
        link.host = rest.substr(0, colon);
        port = hasPort ? rest.substr(colon + 1) : std::string_view();
        if (!isHostName(link.host)) { return refuse("The server address \"" + shown(text) + "\" in the link is not right."); }
    }
    if (!hasPort) { return {}; }
    const bool digits = !port.empty() && port.size() <= 5 && std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
    const int number = digits ? std::stoi(std::string(port)) : 0;
    if (number < 1 || number > 65'535) { return refuse("The port \"" + shown(port) + "\" in the link is not a number from 1 to 65535."); }
    link.port = static_cast<std::uint16_t>(number);
    return {};
}

core::Result<void> readFragment(std::string_view fragment, ProjectLink& link) {
    bool hasRoot = false;
    while (!fragment.empty()) {
        const auto end = fragment.find('&');
        const std::string_view item = fragment.substr(0, end);
        fragment = end == std::string_view::npos ? std::string_view() : fragment.substr(end + 1);
        const auto equals = item.find('=');
        const std::string_view key = item.substr(0, equals);
        const std::string_view value = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
        if (key == "root" && !hasRoot) {
            const auto digest = core::parseDigest(lower(value));
            if (!digest) {
                return refuse("The project's fingerprint (\"root=\") in the link must have 64 hexadecimal digits; here it has " + std::to_string(value.size()) + " characters" +
                              (value.size() == 64 ? ", and not all of them are digits or a to f." : "."));
            }
            link.root = *digest;
            hasRoot = true;
        } else if (key == "pin" && !link.pin) {
            const auto bytes = fromBase64Url(value);
            if (!bytes || bytes->size() != 32) { return refuse("The fingerprint of the server's key (\"pin=\") in the link is cut or changed."); }
            core::Digest pin;
            std::copy(bytes->begin(), bytes->end(), pin.bytes.begin());
            link.pin = pin;
        } else if (key == "root" || key == "pin") {
            return refuse("The link has \"" + std::string(key) + "=\" twice.");
        } else {
            return refuse("The link has a part \"" + shown(item) + "\" that this version does not know.");
        }
    }
    if (!hasRoot) { return refuse("The link lacks the project's fingerprint (\"#root=...\"), so it would not be safe to join."); }
    return {};
}

}  // namespace

std::string ProjectLink::authority() const {
    const std::string name = host.find(':') != std::string::npos ? "[" + host + "]" : host;
    return port == 443 ? name : name + ":" + std::to_string(port);
}

std::string ProjectLink::origin() const { return std::string(kScheme) + authority(); }

core::Result<ProjectLink> parseLink(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) { return refuse("The project link is empty."); }
    if (text.size() > kMaxLinkBytes) { return refuse("The text is too long for a project link (" + std::to_string(text.size()) + " characters)."); }
    if (std::any_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c >= 0x7f; })) {
        return refuse("The link has a space, a line break or a special character in it.");
    }
    if (lower(text.substr(0, 7)) == "http://") { return refuse("The link begins with http://, which is not encrypted; a project link begins with https://."); }
    if (lower(text.substr(0, kScheme.size())) != kScheme) { return refuse("\"" + shown(text) + "\" is not a project link: it does not begin with https://."); }
    text.remove_prefix(kScheme.size());

    const auto hash = text.find('#');
    const std::string_view fragment = hash == std::string_view::npos ? std::string_view() : text.substr(hash + 1);
    const std::string_view address = text.substr(0, hash);
    const auto slash = address.find_first_of("/?");
    const std::string_view path = slash == std::string_view::npos ? std::string_view("/") : address.substr(slash);
    ProjectLink link;
    if (auto read = readAuthority(address.substr(0, slash), link); !read) { return read.error(); }
    if (path != "/") { return refuse("The link has \"" + shown(path) + "\" after the server's address, where only \"/\" may stand."); }
    if (auto read = readFragment(fragment, link); !read) { return read.error(); }
    return link;
}

std::string formatLink(const ProjectLink& link) {
    std::string out = link.origin() + "/#root=" + link.root.hex();
    if (link.pin) { out += "&pin=" + toBase64Url(link.pin->bytes); }
    return out;
}

}  // namespace sunloco::protocol
