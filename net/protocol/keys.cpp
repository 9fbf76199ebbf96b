// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/keys.h"

#include <sodium.h>

#include <algorithm>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

static_assert(crypto_sign_PUBLICKEYBYTES == 32 && crypto_sign_BYTES == 64 && crypto_sign_SEEDBYTES == 32);

std::string toBase64(const PublicKey& key) { return core::toBase64(key.bytes); }

core::Result<PublicKey> parsePublicKey(std::string_view base64) {
    const auto bytes = core::fromBase64(base64);
    if (!bytes || bytes->size() != 32) { return Error{ErrorCode::InvalidData, "A public key must be 32 bytes in base64", {}}; }
    PublicKey key;
    std::copy(bytes->begin(), bytes->end(), key.bytes.begin());
    return key;
}

std::string keyId(const PublicKey& key) { return core::sha256(key.bytes).hex(); }

std::string deviceId(const PublicKey& key) {
    std::array<std::uint8_t, 20> hash{};
    crypto_generichash(hash.data(), hash.size(), key.bytes.data(), key.bytes.size(), nullptr, 0);
    return core::toBase32(hash);
}

bool verify(const PublicKey& key, core::ByteView message, core::ByteView signature) {
    return signature.size() == crypto_sign_BYTES && crypto_sign_verify_detached(signature.data(), message.data(), message.size(), key.bytes.data()) == 0;
}

/// libsodium's secret key (seed and public key) in guarded memory.
struct KeyPair::Secret {
    Secret() : bytes(static_cast<std::uint8_t*>(sodium_malloc(crypto_sign_SECRETKEYBYTES))) {}
    ~Secret() { sodium_free(bytes); }
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    std::uint8_t* bytes;
};

KeyPair::KeyPair() = default;
KeyPair::~KeyPair() = default;
KeyPair::KeyPair(KeyPair&&) noexcept = default;
KeyPair& KeyPair::operator=(KeyPair&&) noexcept = default;

core::Result<KeyPair> KeyPair::generate() {
    core::Bytes seed = randomBytes(crypto_sign_SEEDBYTES);
    auto pair = fromSeed(seed);
    wipe(seed);
    return pair;
}

core::Result<KeyPair> KeyPair::fromSeed(core::ByteView seed) {
    if (seed.size() != crypto_sign_SEEDBYTES) {
        return Error{ErrorCode::InvalidData, "A private key must have 32 bytes, this one has " + std::to_string(seed.size()), {}};
    }
    if (sodium_init() < 0) { return Error{ErrorCode::Internal, "The crypto library (libsodium) could not start: the system gives no random numbers", {}}; }
    KeyPair pair;
    pair.m_secret = std::make_unique<Secret>();
    if (pair.m_secret->bytes == nullptr) { return Error{ErrorCode::OutOfMemory, "No protected memory for a private key", {}}; }
    crypto_sign_seed_keypair(pair.m_public.bytes.data(), pair.m_secret->bytes, seed.data());
    return pair;
}

Signature KeyPair::sign(core::ByteView message) const {
    Signature signature{};
    crypto_sign_detached(signature.data(), nullptr, message.data(), message.size(), m_secret->bytes);
    return signature;
}

core::Bytes KeyPair::exportSeed() const {
    core::Bytes seed(crypto_sign_SEEDBYTES);
    crypto_sign_ed25519_sk_to_seed(seed.data(), m_secret->bytes);
    return seed;
}

void wipe(std::span<std::uint8_t> secret) { sodium_memzero(secret.data(), secret.size()); }
void wipe(std::string& secret) { sodium_memzero(secret.data(), secret.size()); }

bool equalSecrets(std::string_view a, std::string_view b) { return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0; }

core::Bytes randomBytes(std::size_t count) {
    core::Bytes bytes(count);
    randombytes_buf(bytes.data(), count);
    return bytes;
}

std::string randomId() { return core::toBase32(randomBytes(16)); }
std::string randomToken() { return core::toBase32(randomBytes(32)); }

}  // namespace sunloco::protocol
