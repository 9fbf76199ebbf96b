// SPDX-License-Identifier: Apache-2.0
#include "engine/core/files.h"
#include "tests/engine/outer/made_up_project.h"

#include <QtTest>

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace sunloco;
using core::ErrorCode;
using outer::Event;
using outer::EventLog;

namespace {
/// Lets the n-th step fail.
class FailStep final : public core::FaultPolicy {
public:
    explicit FailStep(int n) : m_left(n) {}
    core::Result<void> before(std::string_view) override {
        if (m_left-- != 0) { return {}; }
        failed = true;
        return core::Error{ErrorCode::DiskFull, "Injected", {}};
    }
    bool failed = false;

private:
    int m_left;
};
}  // namespace

class TestEventLog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void readsWhatItWrote();
    void theChainIsInTheFile();
    void aTornLineIsDropped();
    void everyCutOpens();
    void aChangedLineIsFound();
    void aMissingLineIsFound();
    void appendUnderFaults();
    void badEvents_data();
    void badEvents();
    void theMakingComesFirstAndOnce();

private:
    std::string text() const { return core::readTextFile(m_path, 1 << 20).value(); }
    std::unique_ptr<QTemporaryDir> m_dir;
    std::filesystem::path m_path;
    std::vector<Event> m_events;
};

void TestEventLog::init() {
    m_dir = std::make_unique<QTemporaryDir>();
    m_path = std::filesystem::path(m_dir->path().toStdString()) / "events.jsonl";
    outer::MadeUpProject project({}, 100);
    m_events = {project.initEvent(), project.closeRound(2, 40).value(), project.closeRound(1, 100).value(), project.rollBackTo(1)};
    auto log = EventLog::open(m_path);
    QVERIFY(log && log->events().empty());
    for (const Event& event : m_events) { QVERIFY(log->append(event)); }
}

void TestEventLog::readsWhatItWrote() {
    const auto log = EventLog::open(m_path);
    QVERIFY2(log, log ? "" : log.error().text().c_str());
    QCOMPARE(log->events().size(), m_events.size());
    for (std::size_t i = 0; i < m_events.size(); ++i) { QCOMPARE(outer::serialiseEvent(log->events()[i], {}), outer::serialiseEvent(m_events[i], {})); }
    const auto& round = std::get<outer::RoundClosedEvent>(log->events()[1]);
    QCOMPARE(round.contributions.size(), std::size_t{2});
    QVERIFY(round.contributions == std::get<outer::RoundClosedEvent>(m_events[1]).contributions);
    QCOMPARE(round.contributions[0].parts.size(), std::size_t{3});
    const auto& rolled = std::get<outer::RolledBackEvent>(log->events()[3]);
    QVERIFY(rolled.round == 3 && rolled.toRound == 1);
}

void TestEventLog::theChainIsInTheFile() {
    const std::string all = text();
    std::string previous(64, '0');
    std::size_t at = 0;
    int lines = 0;
    while (at < all.size()) {
        const std::size_t end = all.find('\n', at);
        const std::string line = all.substr(at, end - at);
        QCOMPARE(core::parseJson(line)->at("prev").get<std::string>(), previous);
        previous = core::sha256(core::asBytes(line)).hex();
        at = end + 1;
        ++lines;
    }
    QCOMPARE(lines, 4);
}

void TestEventLog::aTornLineIsDropped() {
    const std::string whole = text();
    std::ofstream(m_path, std::ios::app) << R"({"prev":"0123)";
    auto log = EventLog::open(m_path);
    QVERIFY(log && log->events().size() == 4);
    QVERIFY(log->append(outer::RolledBackEvent{4, 1, {}}));
    QVERIFY(text().starts_with(whole));
    QCOMPARE(EventLog::open(m_path)->events().size(), std::size_t{5});
}

void TestEventLog::everyCutOpens() {
    const std::string whole = text();
    std::size_t lines = 0;
    for (std::size_t n = 0; n <= whole.size(); n += 61) {
        QVERIFY(core::writeFileAtomically(m_path, core::asBytes(whole.substr(0, n))));
        const auto log = EventLog::open(m_path);
        QVERIFY(log);
        lines = static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n), '\n'));
        QCOMPARE(log->events().size(), lines);
    }
    QVERIFY(lines >= 3);
}

void TestEventLog::aChangedLineIsFound() {
    std::string changed = text();
    const std::size_t at = changed.find("\"tokens\":640");
    QVERIFY(at != std::string::npos);
    changed[at + 9] = '9';
    QVERIFY(core::writeFileAtomically(m_path, core::asBytes(changed)));
    const auto log = EventLog::open(m_path);
    QVERIFY(!log);
    QCOMPARE(log.error().code, ErrorCode::HashMismatch);
    // The line after the changed one does not follow it.
    QVERIFY2(log.error().context.ends_with("line 3"), log.error().context.c_str());
}

void TestEventLog::aMissingLineIsFound() {
    std::string cut = text();
    const std::size_t first = cut.find('\n') + 1;
    cut.erase(first, cut.find('\n', first) + 1 - first);
    QVERIFY(core::writeFileAtomically(m_path, core::asBytes(cut)));
    QCOMPARE(EventLog::open(m_path).error().code, ErrorCode::HashMismatch);
}

void TestEventLog::appendUnderFaults() {
    const std::string before = text();
    for (int step = 1;; ++step) {   // step 0 is the reading
        FailStep policy(step);
        auto log = EventLog::open(m_path, &policy);
        QVERIFY(log);
        const auto appended = log->append(outer::RolledBackEvent{4, 1, {}});
        if (!policy.failed) {
            QVERIFY(appended && step == 3);
            break;
        }
        QVERIFY(!appended);
        QCOMPARE(text(), before);
        QCOMPARE(log->events().size(), std::size_t{4});
        // The object is not spoiled: a second try works.
        if (step == 2) {
            QVERIFY(log->append(outer::RolledBackEvent{4, 1, {}}));
            QVERIFY(core::writeFileAtomically(m_path, core::asBytes(before)));
        }
    }
    QCOMPARE(EventLog::open(m_path)->events().size(), std::size_t{5});
}

void TestEventLog::badEvents_data() {
    QTest::addColumn<int>("event");
    QTest::addColumn<QByteArray>("change");   // JSON merge patch
    QTest::newRow("unknown event") << 1 << QByteArray(R"({"event":"bribed"})");
    QTest::newRow("unknown key") << 1 << QByteArray(R"({"extra":1})");
    QTest::newRow("no round") << 1 << QByteArray(R"({"round":null})");
    QTest::newRow("round 0") << 1 << QByteArray(R"({"round":0})");
    QTest::newRow("short hash") << 1 << QByteArray(R"({"base_hash":"00"})");
    QTest::newRow("contributions") << 1 << QByteArray(R"({"contributions":{}})");
    QTest::newRow("contribution") << 1 << QByteArray(R"({"contributions":[{"id":"a"}]})");
    QTest::newRow("negative tokens") << 1 << QByteArray(R"({"contributions":[{"id":"a","device":"d","tokens":-1,"steps":1,"parts":[]}]})");
    QTest::newRow("recipe") << 0 << QByteArray(R"({"recipe":{"method":"magic"}})");
    QTest::newRow("model") << 0 << QByteArray(R"({"model":"x"})");
    QTest::newRow("roll-back into the future") << 3 << QByteArray(R"({"to_round":3})");
}
void TestEventLog::badEvents() {
    QFETCH(int, event);
    QFETCH(QByteArray, change);
    const core::Digest previous = core::sha256({});
    core::Json json = core::parseJson(outer::serialiseEvent(m_events[static_cast<std::size_t>(event)], previous)).value();
    QVERIFY(outer::parseEvent(json.dump(), previous));
    json.merge_patch(core::Json::parse(change.toStdString()));
    QVERIFY(!outer::parseEvent(json.dump(), previous));
}

void TestEventLog::theMakingComesFirstAndOnce() {
    auto log = EventLog::open(m_path);
    QVERIFY(log->append(m_events[0]));
    QCOMPARE(EventLog::open(m_path).error().code, ErrorCode::InvalidData);
    QVERIFY(std::filesystem::remove(m_path));
    auto fresh = EventLog::open(m_path);
    QVERIFY(fresh->append(m_events[1]));
    QCOMPARE(EventLog::open(m_path).error().code, ErrorCode::InvalidData);
    // What could not be read back is not written.
    outer::InitEvent broken = std::get<outer::InitEvent>(m_events[0]);
    broken.modelJson = "not JSON";
    QVERIFY(!fresh->append(broken));
}

QTEST_GUILESS_MAIN(TestEventLog)
#include "tst_event_log.moc"
