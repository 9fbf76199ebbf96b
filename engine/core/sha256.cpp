// SPDX-License-Identifier: Apache-2.0
#include "engine/core/sha256.h"

#include <openssl/evp.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

namespace sunloco::core {

Result<Digest> parseDigest(std::string_view hex) {
    Result<Bytes> bytes = fromHex(hex);
    if (!bytes || bytes->size() != 32) {
        return Error{ErrorCode::InvalidData, "A SHA-256 value must be 64 lower-case hexadecimal digits", std::string(hex.substr(0, 80))};
    }
    Digest out;
    std::copy(bytes->begin(), bytes->end(), out.bytes.begin());
    return out;
}

struct Sha256::Context {
    EVP_MD_CTX* ctx = EVP_MD_CTX_new();
    Context() {
        if (ctx == nullptr) { throw std::bad_alloc(); }
        EVP_DigestInit_ex(ctx, EVP_sha256(), nullptr);
    }
    ~Context() { EVP_MD_CTX_free(ctx); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
};

Sha256::Sha256() : m_context(std::make_unique<Context>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(ByteView bytes) {
    EVP_DigestUpdate(m_context->ctx, bytes.data(), bytes.size());
}

Digest Sha256::finish() {
    Digest out;
    EVP_DigestFinal_ex(m_context->ctx, out.bytes.data(), nullptr);
    EVP_DigestInit_ex(m_context->ctx, EVP_sha256(), nullptr);
    return out;
}

Digest sha256(ByteView bytes) {
    Sha256 hash;
    hash.update(bytes);
    return hash.finish();
}

Result<Digest> sha256File(const std::filesystem::path& path) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
    if (!file) {
        return Error{errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io, std::string("Cannot open a file to check its hash: ") + std::strerror(errno), path.string()};
    }
    Sha256 hash;
    std::vector<std::uint8_t> buffer(1 << 18);
    while (true) {
        const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file.get());
        hash.update({buffer.data(), n});
        if (n < buffer.size()) { break; }
    }
    if (std::ferror(file.get()) != 0) {
        return Error{ErrorCode::Io, std::string("Cannot read a file to check its hash: ") + std::strerror(errno), path.string()};
    }
    return hash.finish();
}

}  // namespace sunloco::core
