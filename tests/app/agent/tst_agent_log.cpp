// SPDX-License-Identifier: Apache-2.0
#include "app/agent/agent_log.h"

#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

using namespace sunloco::agent;
namespace fs = std::filesystem;

namespace {

QStringList linesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts) : QStringList();
}

}  // namespace

class TestAgentLog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void oneEntryOneLine();
    void recentIsTheEnd();
    void keepsSoManyLines();
    void tailOfTheRunBefore();
    void tailBeginsWithAWholeLine();
    void rotates();
    void noPlaceToWrite();

private:
    [[nodiscard]] std::unique_ptr<AgentLog> open() const { return std::make_unique<AgentLog>(m_path.toStdString(), AgentLog::Stderr::Off, nullptr); }
    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_path;
};

void TestAgentLog::init() {
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
    m_path = m_dir->filePath(QStringLiteral("agent.log"));
}

void TestAgentLog::oneEntryOneLine() {
    const auto log = open();
    QSignalSpy spy(log.get(), &AgentLog::line);
    log->add(QStringLiteral("first"));
    log->add(QStringLiteral("Größe 5 µs\nsecond line"));
    QCOMPARE(log->recent(10).size(), 2);
    const QStringList lines = linesOf(m_path);
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines[0], log->recent(10)[0]);
    QVERIFY(lines[1].endsWith(QStringLiteral("Größe 5 µs second line")));
    static const QRegularExpression stamp(QStringLiteral("^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d first$"));
    QVERIFY2(stamp.match(lines[0]).hasMatch(), qPrintable(lines[0]));
    QCOMPARE(spy.size(), 2);
    QCOMPARE(spy[1][0].toString(), lines[1]);
    struct stat info {};
    QVERIFY(::stat(m_path.toUtf8().constData(), &info) == 0);
    QCOMPARE(info.st_mode & 0777u, 0600u);   // paths and project names are nobody else's business
}

void TestAgentLog::recentIsTheEnd() {
    const auto log = open();
    for (int i = 0; i < 10; ++i) log->add(QString::number(i));
    const auto last = log->recent(3);
    QCOMPARE(last.size(), 3);
    QVERIFY(last[0].endsWith(QStringLiteral(" 7")) && last[2].endsWith(QStringLiteral(" 9")));
    QVERIFY(log->recent(0).isEmpty());
    QVERIFY(log->recent(-5).isEmpty());
    QCOMPARE(log->recent(1'000'000).size(), 10);
}

void TestAgentLog::keepsSoManyLines() {
    const auto log = open();
    const int count = static_cast<int>(AgentLog::kKeptLines) + 50;
    for (int i = 0; i < count; ++i) log->add(QString::number(i));
    const auto all = log->recent(count);
    QCOMPARE(all.size(), static_cast<qsizetype>(AgentLog::kKeptLines));
    QVERIFY(all.last().endsWith(QStringLiteral(" %1").arg(count - 1)));
    QVERIFY(all.first().endsWith(QStringLiteral(" 50")));
    QCOMPARE(linesOf(m_path).size(), count);   // the file has them all
}

void TestAgentLog::tailOfTheRunBefore() {
    {
        const auto log = open();
        log->add(QStringLiteral("yesterday"));
    }
    const auto log = open();
    QCOMPARE(log->recent(10).size(), 1);
    QVERIFY(log->recent(10)[0].endsWith(QStringLiteral("yesterday")));
    log->add(QStringLiteral("today"));
    QCOMPARE(log->recent(10).size(), 2);
    QCOMPARE(linesOf(m_path).size(), 2);   // read, not written again
    QCOMPARE(linesOf(m_path)[1], log->recent(1)[0]);
}

/// More than is read back: the cut must not show as half a line, nor as half a letter.
void TestAgentLog::tailBeginsWithAWholeLine() {
    for (int shift = 0; shift < 12; ++shift) {
        QFile::remove(m_path);
        {
            const auto log = open();
            log->add(QString(shift, u'x'));
            for (int i = 0; i < 1'000; ++i) log->add(QStringLiteral("Zeile ") + QString(60, u'ä') + QStringLiteral(" %1").arg(i));
        }
        const QStringList whole = linesOf(m_path);
        const auto log = open();
        const auto tail = log->recent(5'000);
        QVERIFY(tail.size() > 200);
        QCOMPARE(tail.last(), whole.last());
        QVERIFY2(whole.contains(tail.first()), qPrintable(tail.first()));
    }
}

void TestAgentLog::rotates() {
    const QString old = m_path + QStringLiteral(".1");
    const auto log = open();
    const QString text(10'000, u'x');
    int written = 0;
    while (!QFile::exists(old)) {
        QVERIFY(++written < 200);
        log->add(text);
    }
    QVERIFY(QFileInfo(old).size() > AgentLog::kLargestFile);
    QVERIFY(QFileInfo(old).size() < AgentLog::kLargestFile + 20'000);
    QCOMPARE(linesOf(old).size(), written);
    log->add(QStringLiteral("after"));
    QCOMPARE(linesOf(m_path).size(), 1);
    struct stat info {};
    QVERIFY(::stat(m_path.toUtf8().constData(), &info) == 0);
    QCOMPARE(info.st_mode & 0777u, 0600u);
    QCOMPARE(log->recent(5'000).size(), written + 1);   // memory knows nothing of files
    // The second time the older one goes: two files at most.
    for (int i = 0; i < 2 * written; ++i) log->add(text);
    QCOMPARE(QDir(m_dir->path()).entryList(QDir::Files).size(), 2);
    QVERIFY(linesOf(old).size() <= written + 1);
}

void TestAgentLog::noPlaceToWrite() {
    AgentLog log(m_dir->filePath(QStringLiteral("no/such/folder/agent.log")).toStdString(), AgentLog::Stderr::Off, nullptr);
    QSignalSpy spy(&log, &AgentLog::line);
    log.add(QStringLiteral("only in memory"));
    QCOMPARE(spy.size(), 1);
    QCOMPARE(log.recent(10).size(), 1);
}

QTEST_GUILESS_MAIN(TestAgentLog)
#include "tst_agent_log.moc"
