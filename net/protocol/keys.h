// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/sha256.h"

#include <array>
#include <memory>

/// Ed25519 (RFC 8032) by libsodium, which refuses non-canonical signatures and keys of small order.
namespace sunloco::protocol {

struct PublicKey {
    std::array<std::uint8_t, 32> bytes{};
    bool operator==(const PublicKey&) const = default;
    auto operator<=>(const PublicKey&) const = default;
};

using Signature = std::array<std::uint8_t, 64>;

std::string toBase64(const PublicKey& key);
core::Result<PublicKey> parsePublicKey(std::string_view base64);

/// Hex SHA-256 of the raw public key; names a key in metadata and envelopes.
std::string keyId(const PublicKey& key);
/// base32(BLAKE2b-160(public key)), 32 characters; names a device.
std::string deviceId(const PublicKey& key);

bool verify(const PublicKey& key, core::ByteView message, core::ByteView signature);

/// A private key. Its memory is guarded, kept out of swap where the system allows, and wiped at the end. Moves, never copies.
class KeyPair {
public:
    static core::Result<KeyPair> generate();
    /// 32 bytes of seed; the caller wipes its own copy (`wipe`).
    static core::Result<KeyPair> fromSeed(core::ByteView seed);
    ~KeyPair();
    KeyPair(KeyPair&&) noexcept;
    KeyPair& operator=(KeyPair&&) noexcept;

    [[nodiscard]] const PublicKey& publicKey() const { return m_public; }
    [[nodiscard]] Signature sign(core::ByteView message) const;
    /// The 32 bytes to store in a keychain or a 0600 file; the caller wipes them.
    [[nodiscard]] core::Bytes exportSeed() const;

private:
    struct Secret;
    KeyPair();
    std::unique_ptr<Secret> m_secret;
    PublicKey m_public;
};

/// Overwrites a secret in a way that the compiler cannot drop.
void wipe(std::span<std::uint8_t> secret);
void wipe(std::string& secret);
/// Compares secrets (bearer tokens) without telling by its time where they differ.
bool equalSecrets(std::string_view a, std::string_view b);

/// From the system's random generator.
core::Bytes randomBytes(std::size_t count);
/// 128 random bits as 26 characters [a-z2-7]: ids of leases and contributions, nonces, idempotency keys.
std::string randomId();
/// 256 random bits as 52 characters: bearer tokens, invite codes.
std::string randomToken();

}  // namespace sunloco::protocol
