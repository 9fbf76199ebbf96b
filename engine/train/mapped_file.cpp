// SPDX-License-Identifier: Apache-2.0
#include "engine/train/mapped_file.h"

#include "engine/core/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace sunloco::train {

core::Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return core::fileError(errno, "open", path);
    struct stat info {};
    if (fstat(file, &info) != 0) {
        const int error = errno;
        close(file);
        return core::fileError(error, "look at", path);
    }
    const auto size = static_cast<std::size_t>(info.st_size);
    if (!S_ISREG(info.st_mode) || size == 0) {
        close(file);
        return core::Error{core::ErrorCode::InvalidData, "is empty or no regular file", path.string()};
    }
    void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    const int error = errno;
    close(file);
    if (memory == MAP_FAILED) return core::fileError(error, "map", path);
    return MappedFile(core::ByteView{static_cast<const std::uint8_t*>(memory), size});
}

MappedFile::~MappedFile() {
    if (!m_bytes.empty()) munmap(const_cast<std::uint8_t*>(m_bytes.data()), m_bytes.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

}  // namespace sunloco::train
