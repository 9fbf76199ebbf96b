// SPDX-License-Identifier: Apache-2.0
#include "net/server/file_blob_store.h"

#include "engine/core/files.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace sunloco::server {

namespace fs = std::filesystem;
using core::Digest;
using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

/// A file descriptor that closes itself.
class Fd {
public:
    explicit Fd(int fd) : m_fd(fd) {}
    ~Fd() {
        if (m_fd >= 0) { ::close(m_fd); }
    }
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    [[nodiscard]] int get() const { return m_fd; }
    int release() { return std::exchange(m_fd, -1); }

private:
    int m_fd;
};

class FileBlobWriter final : public BlobWriter {
public:
    FileBlobWriter(int fd, fs::path temporary, fs::path folder, core::FaultPolicy* faults)
        : m_fd(fd), m_temporary(std::move(temporary)), m_folder(std::move(folder)), m_faults(faults) {}
    ~FileBlobWriter() override {
        if (!m_done) { ::unlink(m_temporary.c_str()); }
    }

    Result<void> write(core::ByteView bytes) override {
        if (const auto fault = core::checkFault(m_faults, "file.write"); !fault) { return fault.error(); }
        m_hash.update(bytes);
        std::size_t sent = 0;
        while (sent < bytes.size()) {
            const auto n = ::write(m_fd.get(), bytes.data() + sent, bytes.size() - sent);
            if (n < 0) {
                if (errno == EINTR) { continue; }
                return core::fileError(errno, "writing an object", m_temporary);
            }
            sent += static_cast<std::size_t>(n);
        }
        m_written += bytes.size();
        return {};
    }

    [[nodiscard]] std::uint64_t written() const override { return m_written; }

    Result<void> finish(const Digest& expected) override {
        if (m_hash.finish() != expected) { return Error{ErrorCode::HashMismatch, "the bytes do not have the digest that was announced", expected.hex()}; }
        if (const auto fault = core::checkFault(m_faults, "file.sync"); !fault) { return fault.error(); }
        if (::fsync(m_fd.get()) != 0) { return core::fileError(errno, "flushing an object", m_temporary); }
        ::close(m_fd.release());
        const fs::path target = m_folder / expected.hex().substr(0, 2) / expected.hex();
        std::error_code ec;
        const bool newFolder = fs::create_directory(target.parent_path(), ec);
        if (const auto fault = core::checkFault(m_faults, "file.rename"); !fault) { return fault.error(); }
        if (::rename(m_temporary.c_str(), target.c_str()) != 0) { return core::fileError(errno, "naming an object", target); }
        m_done = true;
        if (const auto synced = core::syncPath(target.parent_path()); !synced) { return synced; }
        return newFolder ? core::syncPath(m_folder) : Result<void>{};
    }

private:
    Fd m_fd;
    fs::path m_temporary;
    fs::path m_folder;
    core::FaultPolicy* m_faults;
    core::Sha256 m_hash;
    std::uint64_t m_written = 0;
    bool m_done = false;
};

}  // namespace

Result<core::Bytes> BlobStore::load(const Digest& name, std::uint64_t maxBytes) const {
    const auto bytes = size(name);
    if (!bytes) { return bytes.error(); }
    if (*bytes > maxBytes) { return Error{ErrorCode::LimitExceeded, "the object has " + std::to_string(*bytes) + " bytes, more than it may", name.hex()}; }
    auto content = read(name, 0, *bytes);
    if (content && core::sha256(*content) != name) {
        return Error{ErrorCode::HashMismatch, "a stored object no longer has the bytes of its name; the disk may be damaged", name.hex()};
    }
    return content;
}

Result<std::unique_ptr<FileBlobStore>> FileBlobStore::open(fs::path folder, core::FaultPolicy* faults) {
    std::error_code ec;
    fs::create_directories(folder / "tmp", ec);
    if (ec) { return core::fileError(ec.value(), "creating the folder of the objects", folder); }
    return std::unique_ptr<FileBlobStore>(new FileBlobStore(std::move(folder), faults));
}

void FileBlobStore::dropUnfinished() {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(m_folder / "tmp", ec)) {
        std::error_code ignored;
        fs::remove(entry.path(), ignored);
    }
}

fs::path FileBlobStore::pathOf(const Digest& name) const {
    const std::string hex = name.hex();
    return m_folder / hex.substr(0, 2) / hex;
}

Result<std::unique_ptr<BlobWriter>> FileBlobStore::beginWrite() {
    if (const auto fault = core::checkFault(m_faults, "file.open"); !fault) { return fault.error(); }
    std::string name = (m_folder / "tmp" / "XXXXXX").string();
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) { return core::fileError(errno, "creating an object", m_folder / "tmp"); }
    ::fchmod(fd, 0644);
    return std::unique_ptr<BlobWriter>(new FileBlobWriter(fd, name, m_folder, m_faults));
}

Result<Digest> FileBlobStore::put(core::ByteView bytes) {
    const Digest name = core::sha256(bytes);
    if (const auto there = size(name); there && *there == bytes.size()) { return name; }
    auto writer = beginWrite();
    if (!writer) { return writer.error(); }
    if (const auto done = (*writer)->write(bytes); !done) { return done.error(); }
    if (const auto done = (*writer)->finish(name); !done) { return done.error(); }
    return name;
}

Result<std::uint64_t> FileBlobStore::size(const Digest& name) const {
    struct stat info {};
    if (::stat(pathOf(name).c_str(), &info) != 0) { return core::fileError(errno, "looking for an object", pathOf(name)); }
    return static_cast<std::uint64_t>(info.st_size);
}

Result<core::Bytes> FileBlobStore::read(const Digest& name, std::uint64_t offset, std::uint64_t count) const {
    if (const auto fault = core::checkFault(m_faults, "file.read"); !fault) { return fault.error(); }
    const fs::path path = pathOf(name);
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (fd.get() < 0) { return core::fileError(errno, "opening an object", path); }
    core::Bytes out(count);
    std::size_t have = 0;
    while (have < count) {
        const auto n = ::pread(fd.get(), out.data() + have, count - have, static_cast<off_t>(offset + have));
        if (n < 0) {
            if (errno == EINTR) { continue; }
            return core::fileError(errno, "reading an object", path);
        }
        if (n == 0) { return Error{ErrorCode::InvalidData, "the object is shorter than it should be", path.string()}; }
        have += static_cast<std::size_t>(n);
    }
    return out;
}

Result<void> FileBlobStore::remove(const Digest& name) {
    if (::unlink(pathOf(name).c_str()) != 0 && errno != ENOENT) { return core::fileError(errno, "removing an object", pathOf(name)); }
    return {};
}

Result<std::pair<Digest, std::uint64_t>> FileBlobStore::adoptFile(const fs::path& file) {
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) { return core::fileError(errno, "opening a file", file); }
    const auto name = core::sha256File(file);
    if (!name) { return name.error(); }
    auto writer = beginWrite();
    if (!writer) { return writer.error(); }
    core::Bytes buffer(1 << 20);
    for (;;) {
        const auto n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n < 0) {
            if (errno == EINTR) { continue; }
            return core::fileError(errno, "reading a file", file);
        }
        if (n == 0) { break; }
        if (const auto done = (*writer)->write(core::ByteView(buffer).first(static_cast<std::size_t>(n))); !done) { return done.error(); }
    }
    const std::uint64_t bytes = (*writer)->written();
    if (const auto done = (*writer)->finish(*name); !done) { return done.error(); }
    return std::pair{*name, bytes};
}

}  // namespace sunloco::server
