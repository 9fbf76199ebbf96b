// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

#include <filesystem>

namespace sunloco::train {

/// A file's bytes, mapped for reading.
class MappedFile {
public:
    MappedFile() = default;  ///< nothing
    static core::Result<MappedFile> open(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    [[nodiscard]] core::ByteView bytes() const { return m_bytes; }

private:
    explicit MappedFile(core::ByteView bytes) : m_bytes(bytes) {}
    core::ByteView m_bytes;
};

}  // namespace sunloco::train
