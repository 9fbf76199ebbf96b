// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/limits.h"
#include "net/protocol/names.h"
#include "net/protocol/signatures.h"

#include <algorithm>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

namespace {

/// Reads structured fields (RFC 8941) as far as Signature-Input needs them, in their canonical spelling only (no optional spaces),
/// because the exact text is part of what was signed.
class Cursor {
public:
    explicit Cursor(std::string_view text) : m_rest(text) {}
    [[nodiscard]] bool atEnd() const { return m_rest.empty(); }
    [[nodiscard]] std::string_view rest() const { return m_rest; }
    bool take(char c) {
        if (m_rest.empty() || m_rest.front() != c) { return false; }
        m_rest.remove_prefix(1);
        return true;
    }
    /// key = ( lcalpha / "*" ) *( lcalpha / DIGIT / "_" / "-" / "." / "*" )
    std::optional<std::string> key() {
        const auto lead = [](char c) { return (c >= 'a' && c <= 'z') || c == '*'; };
        const auto follow = [&](char c) { return lead(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.'; };
        if (m_rest.empty() || !lead(m_rest.front())) { return {}; }
        return span(follow, kMaxNameLength);
    }
    /// A quoted string of printable ASCII without escapes.
    std::optional<std::string> quoted() {
        if (!take('"')) { return {}; }
        auto text = span([](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }, kMaxHeaderBytes);
        return take('"') ? std::optional(text) : std::nullopt;
    }
    /// At most 15 digits, as RFC 8941 has it; no sign, since times here are not negative.
    std::optional<std::int64_t> integer() {
        const std::string text = span([](char c) { return c >= '0' && c <= '9'; }, 15);
        if (text.empty() || (text.size() > 1 && text.front() == '0')) { return {}; }
        return std::stoll(text);
    }

private:
    template <typename Allowed>
    std::string span(Allowed allowed, std::size_t most) {
        std::size_t n = 0;
        while (n < m_rest.size() && n < most && allowed(m_rest[n])) { ++n; }
        std::string out(m_rest.substr(0, n));
        m_rest.remove_prefix(n);
        return out;
    }
    std::string_view m_rest;
};

Error badInput(std::string_view what) {
    return Error{ErrorCode::InvalidData, "The header Signature-Input " + std::string(what), {}};
}

core::Result<void> readParameter(Cursor& cursor, SignatureInput& input) {
    const auto key = cursor.key();
    if (!key || !cursor.take('=')) { return badInput("has a malformed parameter"); }
    const auto setNumber = [&](std::optional<std::int64_t>& field) -> core::Result<void> {
        if (field) { return badInput("has a parameter twice"); }
        field = cursor.integer();
        if (!field) { return badInput("has a time that is no whole number"); }
        return {};
    };
    const auto setText = [&](std::optional<std::string>& field) -> core::Result<void> {
        if (field) { return badInput("has a parameter twice"); }
        field = cursor.quoted();
        if (!field) { return badInput("has a parameter that is no quoted text"); }
        return {};
    };
    if (*key == "created") { return setNumber(input.created); }
    if (*key == "expires") { return setNumber(input.expires); }
    if (*key == "nonce") { return setText(input.nonce); }
    if (*key == "keyid") { return setText(input.keyid); }
    if (*key == "alg") { return setText(input.alg); }
    if (*key == "tag") { return setText(input.tag); }
    return badInput("has the unknown parameter \"" + *key + "\"");
}

}  // namespace

core::Result<SignatureInput> SignatureInput::parse(std::string_view header) {
    if (header.size() > kMaxHeaderBytes) { return Error{ErrorCode::LimitExceeded, "The header Signature-Input is too long", {}}; }
    Cursor cursor(header);
    SignatureInput input;
    const auto label = cursor.key();
    if (!label || !cursor.take('=')) { return badInput("does not begin with a label"); }
    input.label = *label;
    input.params = cursor.rest();
    if (!cursor.take('(')) { return badInput("has no list of components"); }
    while (!cursor.take(')')) {
        if (!input.components.empty() && !cursor.take(' ')) { return badInput("has a malformed list of components"); }
        const auto component = cursor.quoted();
        if (!component || component->empty()) { return badInput("has a malformed component"); }
        if (std::find(input.components.begin(), input.components.end(), *component) != input.components.end()) { return badInput("names a component twice"); }
        input.components.push_back(*component);
    }
    while (!cursor.atEnd()) {
        if (!cursor.take(';')) { return badInput("has something after its parameters"); }
        if (auto read = readParameter(cursor, input); !read) { return read.error(); }
    }
    return input;
}

core::Result<core::Bytes> parseSignatureHeader(std::string_view header, std::string_view label) {
    const Error bad{ErrorCode::InvalidData, "The header Signature must read " + std::string(label) + "=:<base64>:", {}};
    const std::string start = std::string(label) + "=:";
    if (header.size() > kMaxHeaderBytes || header.substr(0, start.size()) != start || header.size() <= start.size() || header.back() != ':') { return bad; }
    auto bytes = core::fromBase64(header.substr(start.size(), header.size() - start.size() - 1));
    if (!bytes) { return bad; }
    return std::move(*bytes);
}

}  // namespace sunloco::protocol
