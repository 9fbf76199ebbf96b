// SPDX-License-Identifier: Apache-2.0
#include "engine/train/sandbox.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#define SUNLOCO_HAS_LANDLOCK 1
#endif
#if SUNLOCO_HAS_SECCOMP
#include <seccomp.h>
#endif

namespace sunloco::train {

namespace fs = std::filesystem;

JobFiles filesOf(const fs::path& folder, const core::Job& job) {
    JobFiles files;
    const auto absolute = [&folder](const std::string& path) { return folder / fs::path(path); };
    files.readable.push_back(absolute(job.basePath));
    for (const core::ShardFile& shard : job.shards) files.readable.push_back(absolute(shard.path));
    if (!job.innerStateIn.empty()) files.readable.push_back(absolute(job.innerStateIn));
    files.writable.push_back(folder);
    if (!job.innerStateOut.empty()) files.writable.push_back(absolute(job.innerStateOut).parent_path());
    return files;
}

namespace {

std::string refusal(const char* what, int error) { return std::string(what) + ": " + std::strerror(error); }

#if SUNLOCO_HAS_LANDLOCK
constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kRun = LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                 LANDLOCK_ACCESS_FS_MAKE_DIR;
constexpr std::uint64_t kOther = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                 LANDLOCK_ACCESS_FS_MAKE_SYM;
// Of version 3; the headers of older distributions lack its name.
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14;
constexpr std::uint64_t kOnFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_EXECUTE | kTruncate;

int landlockVersion() {
    const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? static_cast<int>(version) : 0;
}

bool allow(int rules, const fs::path& path, std::uint64_t access) {
    const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (file < 0) return errno == ENOENT;  // what is not there needs no rule
    struct stat info {};
    if (fstat(file, &info) == 0 && !S_ISDIR(info.st_mode)) access &= kOnFiles;
    landlock_path_beneath_attr beneath{};
    beneath.allowed_access = access;
    beneath.parent_fd = file;
    const bool done = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
    close(file);
    return done;
}
#else
int landlockVersion() { return 0; }
#endif

#if SUNLOCO_HAS_SECCOMP
/// Calls that a worker never needs. A deny list: the library's own calls differ between systems.
constexpr int kDenied[] = {SCMP_SYS(socket),  SCMP_SYS(socketpair), SCMP_SYS(connect),  SCMP_SYS(bind),   SCMP_SYS(listen),           SCMP_SYS(accept),
                           SCMP_SYS(accept4), SCMP_SYS(execve),     SCMP_SYS(execveat), SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
                           SCMP_SYS(mount),   SCMP_SYS(umount2),    SCMP_SYS(keyctl),   SCMP_SYS(add_key), SCMP_SYS(request_key),     SCMP_SYS(bpf),
                           SCMP_SYS(io_uring_setup), SCMP_SYS(userfaultfd)};
#endif

}  // namespace

std::vector<std::string> confineProcess() {
    std::vector<std::string> missing;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) missing.push_back(refusal("the kernel does not let this process give up new privileges", errno));
#if SUNLOCO_HAS_SECCOMP
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (filter == nullptr) {
        missing.push_back("the seccomp filter could not be made");
        return missing;
    }
    int result = 0;
    for (const int call : kDenied)
        if (result == 0) result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
    if (result == 0) result = seccomp_load(filter);
    seccomp_release(filter);
    if (result != 0) missing.push_back(refusal("seccomp is not available, so the worker is not kept from sockets and programs", -result));
#else
    missing.push_back("built without libseccomp, so the worker is not kept from sockets and programs");
#endif
    return missing;
}

std::vector<std::string> confineThread(const JobFiles& files) {
    std::vector<std::string> missing;
#if SUNLOCO_HAS_LANDLOCK
    const int version = landlockVersion();
    if (version == 0) {
        missing.push_back("this kernel has no Landlock, so the worker is not kept from files beyond its job");
        return missing;
    }
    const std::uint64_t truncate = version >= 3 ? kTruncate : 0;
    landlock_ruleset_attr attributes{};
    attributes.handled_access_fs = kRead | kRun | kWrite | kOther | truncate;
    const int rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
    if (rules < 0) {
        missing.push_back(refusal("Landlock refused its rules", errno));
        return missing;
    }
    bool complete = true;
    for (const char* path : {"/usr", "/lib", "/lib64", "/etc/ld.so.cache"}) complete = allow(rules, path, kRead | kRun) && complete;
    for (const char* path : {"/proc", "/sys", "/dev"}) complete = allow(rules, path, kRead) && complete;
    for (const fs::path& path : files.readable) complete = allow(rules, path, kRead) && complete;
    for (const fs::path& path : files.writable) complete = allow(rules, path, kRead | kWrite | truncate) && complete;
    if (!complete) missing.push_back(refusal("Landlock refused a rule", errno));
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (complete && syscall(SYS_landlock_restrict_self, rules, 0) != 0) missing.push_back(refusal("Landlock could not be switched on", errno));
    close(rules);
#else
    static_cast<void>(files);
    missing.push_back("built without Landlock, so the worker is not kept from files beyond its job");
#endif
    return missing;
}

SandboxReport sandboxSupport() {
    SandboxReport report;
#if SUNLOCO_HAS_SECCOMP
    report.seccomp = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
#endif
    report.landlockVersion = landlockVersion();
    return report;
}

}  // namespace sunloco::train
