// SPDX-License-Identifier: Apache-2.0
#include "engine/core/files.h"
#include "engine/core/sha256.h"

#include <QtTest>

#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sunloco::core;
namespace fs = std::filesystem;

namespace {
/// Lets the n-th step fail.
class FailStep final : public FaultPolicy {
public:
    explicit FailStep(int n) : m_left(n) {}
    Result<void> before(std::string_view step) override {
        ++m_asked;
        if (m_left-- != 0) { return {}; }
        m_failed = std::string(step);
        return Error{ErrorCode::DiskFull, "Injected", m_failed};
    }
    [[nodiscard]] bool failed() const { return !m_failed.empty(); }
    [[nodiscard]] int asked() const { return m_asked; }

private:
    int m_left;
    int m_asked = 0;
    std::string m_failed;
};

/// No file of this process grows beyond `bytes` while it lives: a real failing write, as on a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &m_old);
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, m_old.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &m_old); }
    Q_DISABLE_COPY_MOVE(FileSizeLimit)

private:
    rlimit m_old{};
};

std::size_t entries(const fs::path& folder) { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator())); }
std::string content(const fs::path& path) { return readTextFile(path, 1 << 20).value(); }
}  // namespace

class TestFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_path = fs::path(m_dir->path().toStdString()) / "a file";
    }
    void atomicWriteSurvivesAFaultAtEachStep();
    void atomicWriteOnAFullDisk();
    void atomicWriteSetsTheMode();
    void appendSurvivesAFaultAtEachStep();
    void appendDropsATornTail();
    void appendOnAFullDisk();
    void readLimits();
    void errorsHaveTheirCodes();
    void privateDirectories();
    void hashOfAFile();

private:
    fs::path folder() const { return m_path.parent_path(); }
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_path;
};

void TestFiles::atomicWriteSurvivesAFaultAtEachStep() {
    QVERIFY(writeFileAtomically(m_path, asBytes("old")));
    int faults = 0;
    for (int step = 0;; ++step) {
        FailStep policy(step);
        const auto written = writeFileAtomically(m_path, asBytes("new and longer"), &policy);
        if (!policy.failed()) {
            QVERIFY(written);
            break;
        }
        ++faults;
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::DiskFull);
        QCOMPARE(content(m_path), std::string("old"));
        QCOMPARE(entries(folder()), std::size_t{1});
    }
    QCOMPARE(faults, 3);   // write, sync, rename
    QCOMPARE(content(m_path), std::string("new and longer"));
    QCOMPARE(entries(folder()), std::size_t{1});
}

void TestFiles::atomicWriteOnAFullDisk() {
    QVERIFY(writeFileAtomically(m_path, asBytes("old")));
    {
        const FileSizeLimit limit(10'000);
        const auto written = writeFileAtomically(m_path, Bytes(100'000, 'x'));
        QVERIFY(!written);
        QVERIFY(written.error().context.find("a file") != std::string::npos);
    }
    QCOMPARE(content(m_path), std::string("old"));
    QCOMPARE(entries(folder()), std::size_t{1});
}

void TestFiles::atomicWriteSetsTheMode() {
    QVERIFY(writeFileAtomically(m_path, asBytes("key"), nullptr, 0600));
    struct stat info {};
    QCOMPARE(::stat(m_path.c_str(), &info), 0);
    QCOMPARE(info.st_mode & 0777u, 0600u);
}

void TestFiles::appendSurvivesAFaultAtEachStep() {
    QVERIFY(appendToFile(m_path, 0, asBytes("one\n")));
    int faults = 0;
    for (int step = 0;; ++step) {
        FailStep policy(step);
        const auto appended = appendToFile(m_path, 4, asBytes("two\n"), &policy);
        if (!policy.failed()) {
            QVERIFY(appended);
            break;
        }
        ++faults;
        QVERIFY(!appended);
        QCOMPARE(content(m_path), std::string("one\n"));
    }
    QCOMPARE(faults, 2);   // append, sync
    QCOMPARE(content(m_path), std::string("one\ntwo\n"));
}

void TestFiles::appendDropsATornTail() {
    QVERIFY(writeFileAtomically(m_path, asBytes("one\ntw")));
    QVERIFY(appendToFile(m_path, 4, asBytes("2\n")));
    QCOMPARE(content(m_path), std::string("one\n2\n"));
}

void TestFiles::appendOnAFullDisk() {
    QVERIFY(appendToFile(m_path, 0, asBytes("one\n")));
    {
        const FileSizeLimit limit(1000);
        QVERIFY(!appendToFile(m_path, 4, Bytes(5000, 'x')));
    }
    QCOMPARE(content(m_path), std::string("one\n"));
}

void TestFiles::readLimits() {
    QVERIFY(writeFileAtomically(m_path, asBytes("12345")));
    QVERIFY(readFile(m_path, 5));
    const auto tooLarge = readFile(m_path, 4);
    QCOMPARE(tooLarge.error().code, ErrorCode::LimitExceeded);
    FailStep policy(0);
    QVERIFY(!readFile(m_path, 5, &policy));
}

void TestFiles::errorsHaveTheirCodes() {
    QCOMPARE(readFile(folder() / "nothing", 5).error().code, ErrorCode::NotFound);
    QCOMPARE(readFile(folder(), 1 << 20).error().code, ErrorCode::InvalidArgument);
    QCOMPARE(fileError(ENOSPC, "write", m_path).code, ErrorCode::DiskFull);
    QCOMPARE(fileError(EACCES, "write", m_path).code, ErrorCode::PermissionDenied);
    QVERIFY(!writeFileAtomically(folder() / "no folder" / "file", asBytes("x")));
    QVERIFY(freeDiskBytes(folder()).value() > 0);
    QVERIFY(!freeDiskBytes(folder() / "nothing"));
}

void TestFiles::privateDirectories() {
    const fs::path made = folder() / "deep" / "private";
    QVERIFY(ensurePrivateDirectory(made));
    struct stat info {};
    QCOMPARE(::stat(made.c_str(), &info), 0);
    QCOMPARE(info.st_mode & 0777u, 0700u);
    ::chmod(made.c_str(), 0755);
    QVERIFY(ensurePrivateDirectory(made));
    QCOMPARE(::stat(made.c_str(), &info), 0);
    QCOMPARE(info.st_mode & 0777u, 0700u);
    fs::create_symlink(made, folder() / "link");
    QCOMPARE(ensurePrivateDirectory(folder() / "link").error().code, ErrorCode::InvalidArgument);
    QVERIFY(writeFileAtomically(m_path, asBytes("x")));
    QCOMPARE(ensurePrivateDirectory(m_path).error().code, ErrorCode::InvalidArgument);
}

void TestFiles::hashOfAFile() {
    const Bytes large(600'000, 7);
    QVERIFY(writeFileAtomically(m_path, large));
    QCOMPARE(sha256File(m_path)->hex(), sha256(large).hex());
    QCOMPARE(sha256File(folder() / "nothing").error().code, ErrorCode::NotFound);
}

QTEST_GUILESS_MAIN(TestFiles)
#include "tst_files.moc"
