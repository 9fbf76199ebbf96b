// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

#include <array>
#include <filesystem>
#include <memory>

namespace sunloco::core {

/// A SHA-256 value (FIPS 180-4).
struct Digest {
    std::array<std::uint8_t, 32> bytes{};
    [[nodiscard]] std::string hex() const { return toHex(bytes); }
    bool operator==(const Digest&) const = default;
    auto operator<=>(const Digest&) const = default;
};

/// Reads 64 lower-case hexadecimal digits.
Result<Digest> parseDigest(std::string_view hex);

/// Streaming SHA-256 (OpenSSL, uses the processor's instructions).
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;
    void update(ByteView bytes);
    /// Ends this hash; the object starts anew afterwards.
    Digest finish();

private:
    struct Context;
    std::unique_ptr<Context> m_context;
};

Digest sha256(ByteView bytes);
Result<Digest> sha256File(const std::filesystem::path& path);

}  // namespace sunloco::core
