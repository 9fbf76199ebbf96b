// SPDX-License-Identifier: Apache-2.0
// Where the agent and sunloco-ctl meet: both must come to the same place from whatever spelling of the data folder.
#include "net/ipc/socket_path.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace sunloco::ipc;
namespace fs = std::filesystem;

class TstSocketPath : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    [[nodiscard]] fs::path root() const { return fs::canonical(m_folder.path().toStdString()); }
    [[nodiscard]] fs::path deep() const { return root() / std::string(60, 'a') / std::string(60, 'b'); }

private Q_SLOTS:
    void cleanup() {
        for (const char* name : {"XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}) { qunsetenv(name); }
    }

    void besideTheData() { QVERIFY(socketPath(root() / "data") == (root() / "data" / "agent.sock").string()); }

    void spellingsOfOneFolder() {
        fs::create_directories(root() / "data");
        fs::create_directory_symlink(root() / "data", root() / "link");
        const std::string wanted = (root() / "data" / "agent.sock").string();
        for (const fs::path& spelling : {root() / "data", root() / "data" / "", root() / "." / "data", root() / "data" / ".." / "data", root() / "link"}) {
            QVERIFY2(socketPath(spelling) == wanted, spelling.c_str());
        }
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(QString::fromStdString(root().string())));
        const std::string relative = socketPath("data");
        QVERIFY(QDir::setCurrent(before));
        QVERIFY2(relative == wanted, relative.c_str());
    }

    void longPathsGoToTheRuntimeFolder() {
        qputenv("XDG_RUNTIME_DIR", m_folder.path().toUtf8());
        const std::string path = socketPath(deep());
        QVERIFY(path.size() <= 100);
        QVERIFY2(fs::path(path).parent_path() == fs::path(m_folder.path().toStdString()), path.c_str());
        QVERIFY(path.starts_with(m_folder.path().toStdString() + "/sunloco-"));
        QVERIFY(path.ends_with(".sock"));
        // The same for both sides, another one for another folder.
        QVERIFY(socketPath(deep() / "." ) == path);
        QVERIFY(socketPath(deep() / "c") != path);
    }

    void longPathsWithoutARuntimeFolder() {
        const std::string wanted = "/tmp/sunloco-" + std::to_string(::geteuid()) + "/";
        for (const QByteArray& runtime : {QByteArray(), QByteArray("relative/folder"), QByteArray("/" + QByteArray(120, 'r'))}) {
            qputenv("XDG_RUNTIME_DIR", runtime);
            const std::string path = socketPath(deep());
            QVERIFY2(path.starts_with(wanted), path.c_str());
            QVERIFY(path.size() <= 100);
        }
        qunsetenv("XDG_RUNTIME_DIR");
        QVERIFY(socketPath(deep()).starts_with(wanted));
    }

    void theLongestThatStaysBesideTheData() {
        const std::string tail = "/agent.sock";
        const std::string base = root().string() + "/";
        QVERIFY(base.size() + tail.size() < 100);
        const std::string longest = base + std::string(100 - base.size() - tail.size(), 'x');
        QVERIFY(socketPath(longest) == longest + tail);
        QVERIFY(socketPath(longest + "x") != longest + "x" + tail);
        QVERIFY(socketPath(longest + "x").size() <= 100);
    }

    void foldersOfThePerson() {
        qputenv("XDG_DATA_HOME", "/somewhere/data");
        qputenv("XDG_CONFIG_HOME", "/somewhere/config");
        QVERIFY(defaultDataDir() == "/somewhere/data/sunloco");
        QVERIFY(defaultConfigDir() == "/somewhere/config/sunloco");
        // The specification says that relative ones are to be ignored.
        qputenv("XDG_DATA_HOME", "data");
        qputenv("XDG_CONFIG_HOME", "");
        const fs::path home = qgetenv("HOME").toStdString();
        QVERIFY(defaultDataDir() == home / ".local/share/sunloco");
        QVERIFY(defaultConfigDir() == home / ".config/sunloco");
    }
};

QTEST_GUILESS_MAIN(TstSocketPath)
#include "tst_socket_path.moc"
