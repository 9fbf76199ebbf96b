// SPDX-License-Identifier: Apache-2.0
#include "engine/core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sunloco::core {

namespace fs = std::filesystem;

namespace {
/// Owns a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    ~Descriptor() {
        if (m_fd >= 0) { ::close(m_fd); }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return m_fd; }
    /// Closes now and reports what close() says: on some file systems a full disk shows only here.
    int close() {
        const int rc = ::close(m_fd);
        m_fd = -1;
        return rc;
    }

private:
    int m_fd;
};

fs::path folderOf(const fs::path& path) {
    const fs::path parent = path.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}
}  // namespace

Error fileError(int errnoValue, std::string_view doing, const fs::path& path) {
    ErrorCode code = ErrorCode::Io;
    if (errnoValue == ENOSPC || errnoValue == EDQUOT) { code = ErrorCode::DiskFull; }
    if (errnoValue == ENOENT || errnoValue == ENOTDIR) { code = ErrorCode::NotFound; }
    if (errnoValue == EACCES || errnoValue == EPERM || errnoValue == EROFS) { code = ErrorCode::PermissionDenied; }
    if (errnoValue == EEXIST) { code = ErrorCode::AlreadyExists; }
    return Error{code, "Cannot " + std::string(doing) + ": " + std::strerror(errnoValue), path.string()};
}

Result<Bytes> readFile(const fs::path& path, std::uint64_t maxBytes, FaultPolicy* faults) {
    if (auto ok = checkFault(faults, "file.read"); !ok) { return ok.error(); }
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) { return fileError(errno, "open the file", path); }
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) { return fileError(errno, "read the file", path); }
    if (S_ISDIR(info.st_mode)) { return Error{ErrorCode::InvalidArgument, "A file was expected, this is a folder", path.string()}; }
    if (static_cast<std::uint64_t>(info.st_size) > maxBytes) {
        return Error{ErrorCode::LimitExceeded, "The file has " + std::to_string(info.st_size) + " bytes, at most " + std::to_string(maxBytes) + " are allowed", path.string()};
    }
    Bytes out(static_cast<std::size_t>(info.st_size));
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t n = ::read(file.get(), out.data() + done, out.size() - done);
        if (n < 0 && errno == EINTR) { continue; }
        if (n < 0) { return fileError(errno, "read the file", path); }
        if (n == 0) { break; }
        done += static_cast<std::size_t>(n);
    }
    out.resize(done);
    return out;
}

Result<std::string> readTextFile(const fs::path& path, std::uint64_t maxBytes, FaultPolicy* faults) {
    Result<Bytes> bytes = readFile(path, maxBytes, faults);
    if (!bytes) { return std::move(bytes).error(); }
    return toText(*bytes);
}

Result<void> syncPath(const fs::path& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) { return fileError(errno, "open for syncing", path); }
    if (::fsync(file.get()) != 0) { return fileError(errno, "flush to disk", path); }
    return {};
}

Result<void> publishFile(const fs::path& from, const fs::path& to, FaultPolicy* faults) {
    if (auto ok = checkFault(faults, "file.sync"); !ok) { return ok; }
    if (auto ok = syncPath(from); !ok) { return ok; }
    if (auto ok = checkFault(faults, "file.rename"); !ok) { return ok; }
    if (::rename(from.c_str(), to.c_str()) != 0) { return fileError(errno, "rename the file into place", to); }
    return syncPath(folderOf(to));
}

Result<void> writeFileAtomically(const fs::path& path, ByteView bytes, FaultPolicy* faults, unsigned mode) {
    return writeFileAtomically(path, std::span<const ByteView>(&bytes, 1), faults, mode);
}

Result<void> writeFileAtomically(const fs::path& path, std::span<const ByteView> pieces, FaultPolicy* faults, unsigned mode) {
    if (auto ok = checkFault(faults, "file.write"); !ok) { return ok; }
    std::string temporary = path.string() + ".XXXXXX";
    Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.get() < 0) { return fileError(errno, "create a file", path); }
    const auto fail = [&](int error, std::string_view doing) -> Result<void> {
        ::unlink(temporary.c_str());
        return fileError(error, doing, path);
    };
    if (::fchmod(file.get(), static_cast<mode_t>(mode)) != 0) { return fail(errno, "set the file's mode"); }
    for (const ByteView bytes : pieces) {
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t n = ::write(file.get(), bytes.data() + done, bytes.size() - done);
            if (n < 0 && errno == EINTR) { continue; }
            if (n < 0) { return fail(errno, "write the file"); }
            done += static_cast<std::size_t>(n);
        }
    }
    if (auto ok = checkFault(faults, "file.sync"); !ok) {
        ::unlink(temporary.c_str());
        return ok;
    }
    if (::fsync(file.get()) != 0) { return fail(errno, "flush the file to disk"); }
    if (file.close() != 0) { return fail(errno, "close the file"); }
    if (auto ok = checkFault(faults, "file.rename"); !ok) {
        ::unlink(temporary.c_str());
        return ok;
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) { return fail(errno, "rename the file into place"); }
    return syncPath(folderOf(path));
}

Result<void> appendToFile(const fs::path& path, std::uint64_t at, ByteView bytes, FaultPolicy* faults) {
    if (auto ok = checkFault(faults, "file.append"); !ok) { return ok; }
    const bool isNew = ::access(path.c_str(), F_OK) != 0;
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (file.get() < 0) { return fileError(errno, "open the file for appending", path); }
    const auto start = static_cast<off_t>(at);
    const auto cutBack = [&](Error error) -> Result<void> {
        // A failure here leaves a torn tail, which the next append drops.
        if (::ftruncate(file.get(), start) != 0) { error.message += "; its torn end could not be removed"; }
        return error;
    };
    if (::ftruncate(file.get(), start) != 0) { return fileError(errno, "cut the file to its good part", path); }
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t n = ::pwrite(file.get(), bytes.data() + done, bytes.size() - done, start + static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) { continue; }
        if (n < 0) { return cutBack(fileError(errno, "append to the file", path)); }
        done += static_cast<std::size_t>(n);
    }
    if (auto ok = checkFault(faults, "file.sync"); !ok) { return cutBack(ok.error()); }
    if (::fsync(file.get()) != 0) { return cutBack(fileError(errno, "flush the file to disk", path)); }
    return isNew ? syncPath(folderOf(path)) : Result<void>{};
}

Result<void> ensurePrivateDirectory(const fs::path& path) {
    std::error_code ec;
    fs::create_directories(folderOf(path), ec);
    if (ec) { return fileError(ec.value(), "create the folder", folderOf(path)); }
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) { return fileError(errno, "create the folder", path); }
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) { return fileError(errno, "look at the folder", path); }
    if (!S_ISDIR(info.st_mode)) { return Error{ErrorCode::InvalidArgument, "A folder was expected; this is a file or a link. Choose another place", path.string()}; }
    if (info.st_uid != ::geteuid()) {
        return Error{ErrorCode::PermissionDenied, "The folder belongs to another user. Choose a folder of your own", path.string()};
    }
    if ((info.st_mode & 077) != 0 && ::chmod(path.c_str(), 0700) != 0) { return fileError(errno, "make the folder private", path); }
    return {};
}

Result<std::uint64_t> freeDiskBytes(const fs::path& path) {
    struct statvfs info {};
    if (::statvfs(path.c_str(), &info) != 0) { return fileError(errno, "ask for free disk space", path); }
    return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace sunloco::core
