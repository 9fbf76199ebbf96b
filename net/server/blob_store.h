// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/sha256.h"

#include <filesystem>
#include <memory>

namespace sunloco::server {

/// An object being written. Without `finish` nothing stays behind.
class BlobWriter {
public:
    virtual ~BlobWriter() = default;
    virtual core::Result<void> write(core::ByteView bytes) = 0;
    [[nodiscard]] virtual std::uint64_t written() const = 0;
    /// Keeps the object when its content has this digest (HashMismatch otherwise). When it returns, the object survives a power loss.
    virtual core::Result<void> finish(const core::Digest& expected) = 0;
};

/// Immutable objects, each named by its SHA-256. The one implementation now is a folder; an S3 bucket fits the same interface.
/// All methods may be called from any thread.
class BlobStore {
public:
    virtual ~BlobStore() = default;
    virtual core::Result<std::unique_ptr<BlobWriter>> beginWrite() = 0;
    /// Stores bytes that are in memory; returns their name.
    virtual core::Result<core::Digest> put(core::ByteView bytes) = 0;
    /// Size in bytes, or NotFound.
    virtual core::Result<std::uint64_t> size(const core::Digest& name) const = 0;
    /// Reads [offset, offset + count) into memory; short objects are an error.
    virtual core::Result<core::Bytes> read(const core::Digest& name, std::uint64_t offset, std::uint64_t count) const = 0;
    virtual core::Result<void> remove(const core::Digest& name) = 0;

    /// The whole object, checked against its name.
    core::Result<core::Bytes> load(const core::Digest& name, std::uint64_t maxBytes) const;
};

}  // namespace sunloco::server
