// SPDX-License-Identifier: Apache-2.0
#include "app/agent/data_folder.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>

using namespace sunloco;
using namespace sunloco::agent;
namespace fs = std::filesystem;

class TestDataFolder : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void oneAtATime();
    void freedWhenTheProcessDies();
    void moved();
    void notAFolder();
    void usedBytes();

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_path;
};

void TestDataFolder::init() {
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
    m_path = fs::path(m_dir->path().toStdString()) / "a" / "data";
}

void TestDataFolder::oneAtATime() {
    {
        const auto first = DataFolder::take(m_path);
        QVERIFY2(first.has_value(), first ? "" : first.error().text().c_str());
        QVERIFY(first->path() == m_path);
        struct stat info {};
        QVERIFY(::stat(m_path.c_str(), &info) == 0);
        QCOMPARE(info.st_mode & 07777u, 0700u);
        const auto second = DataFolder::take(m_path);
        QVERIFY(!second.has_value());
        QCOMPARE(second.error().code, core::ErrorCode::Busy);
        QVERIFY2(second.error().text().find("(process " + std::to_string(::getpid()) + ")") != std::string::npos, second.error().text().c_str());
        QVERIFY(second.error().text().find(m_path.string()) != std::string::npos);
        QVERIFY(DataFolder::take(m_path.parent_path() / "other").has_value());   // another folder is free
    }
    QVERIFY(DataFolder::take(m_path).has_value());
}

void TestDataFolder::freedWhenTheProcessDies() {
    QProcess child;
    child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--hold"), QString::fromStdString(m_path.string())});
    QVERIFY(child.waitForReadyRead(20'000));
    QCOMPARE(child.readAllStandardOutput().trimmed(), QByteArray("held"));
    const auto busy = DataFolder::take(m_path);
    QVERIFY(!busy.has_value());
    QCOMPARE(busy.error().code, core::ErrorCode::Busy);
    QVERIFY2(busy.error().text().find("(process " + std::to_string(child.processId()) + ")") != std::string::npos, busy.error().text().c_str());
    ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
    QVERIFY(child.waitForFinished());
    const auto taken = DataFolder::take(m_path);
    QVERIFY(taken.has_value());
    // Its own number stands there now, not the longer or older one.
    const auto again = DataFolder::take(m_path);
    QVERIFY(again.error().text().find("(process " + std::to_string(::getpid()) + ")") != std::string::npos);
}

void TestDataFolder::moved() {
    auto first = DataFolder::take(m_path);
    {
        const DataFolder second(std::move(*first));
        QVERIFY(!DataFolder::take(m_path).has_value());   // moving does not let go
    }
    QVERIFY(DataFolder::take(m_path).has_value());
}

void TestDataFolder::notAFolder() {
    fs::create_directories(m_path.parent_path());
    std::ofstream(m_path) << "a file";
    QVERIFY(!DataFolder::take(m_path).has_value());
    fs::remove(m_path);
    const fs::path elsewhere = m_path.parent_path() / "elsewhere";
    fs::create_directories(elsewhere);
    fs::create_directory_symlink(elsewhere, m_path);
    QVERIFY(!DataFolder::take(m_path).has_value());
    QVERIFY(fs::is_empty(elsewhere));
    // The lock file itself is no link either: it would be written through.
    fs::remove(m_path);
    fs::create_directories(m_path);
    std::ofstream(elsewhere / "precious") << "precious";
    fs::create_symlink(elsewhere / "precious", m_path / "agent.lock");
    QVERIFY(!DataFolder::take(m_path).has_value());
    QCOMPARE(fs::file_size(elsewhere / "precious"), std::uintmax_t{8});
}

void TestDataFolder::usedBytes() {
    QCOMPARE(DataFolder::usedBytes(m_path), std::int64_t{0});   // not there
    fs::create_directories(m_path / "x" / "y");
    std::ofstream(m_path / "one") << std::string(1'000, 'a');
    std::ofstream(m_path / "x" / "y" / "two") << std::string(234, 'b');
    QCOMPARE(DataFolder::usedBytes(m_path), std::int64_t{1'234});
    fs::create_directory_symlink(m_path, m_path / "x" / "loop");   // neither counted twice nor followed forever
    QCOMPARE(DataFolder::usedBytes(m_path), std::int64_t{1'234});
    fs::create_symlink(m_path / "nowhere", m_path / "dangling");
    QCOMPARE(DataFolder::usedBytes(m_path), std::int64_t{1'234});
}

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--hold") {
        const auto held = DataFolder::take(argv[2]);
        std::puts(held ? "held" : "refused");
        std::fflush(stdout);
        ::alarm(60);   // should the parent die first
        ::pause();
        return 0;
    }
    QCoreApplication app(argc, argv);
    TestDataFolder test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_data_folder.moc"
