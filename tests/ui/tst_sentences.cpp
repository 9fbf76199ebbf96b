// SPDX-License-Identifier: Apache-2.0
// Every sentence of every rule and state, from the real rules, in every language.
#include "app/rules/rules_engine.h"
#include "app/text/sentence.h"
#include "ui/widgets/language.h"

#include <QRegularExpression>
#include <QTest>

#include <functional>

using namespace sunloco;

namespace {

constexpr qint64 kMinute = 60'000;
// Tuesday 8 September 2026, 11:47 UTC.
constexpr qint64 kNow = 1'788'868'020'000;

rules::SensorSnapshot calm()
{
    rules::SensorSnapshot s;
    s.userIdleMs = rules::Reading<std::int64_t>::known(76 * kMinute);
    s.sessionLocked = rules::Reading<bool>::known(false);
    s.sleepPending = rules::Reading<bool>::known(false);
    s.awakeMs = rules::Reading<std::int64_t>::known(300 * kMinute);
    s.onBattery = rules::Reading<bool>::known(false);
    s.batteryPercent = rules::Reading<double>::known(80);
    s.upsOnBattery = rules::Reading<bool>::known(false);
    s.meteredNetwork = rules::Reading<bool>::known(false);
    s.freeDiskBytes = rules::Reading<std::int64_t>::known(212'000'000'000);
    s.usedDiskBytes = rules::Reading<std::int64_t>::known(1'400'000'000);
    s.workAvailable = rules::Reading<bool>::known(true);
    return s;
}

struct Case {
    const char* name;
    std::function<void(rules::Inputs&)> change;
    /// What the English reason must contain.
    QStringList parts;
};

QVector<Case> cases()
{
    const auto set = [](const char* key, const char* value) {
        return [key, value](rules::Inputs& in) { (void)in.settings.setText(key, value); };
    };
    return {
        {"in use", [](rules::Inputs& in) { in.snapshot.userIdleMs = rules::Reading<std::int64_t>::known(40'000); }, {QStringLiteral("40 s"), QStringLiteral("10 min")}},
        {"idle unknown", [](rules::Inputs& in) { in.snapshot.userIdleMs = rules::Reading<std::int64_t>::unknown(rules::UnknownReason::NoSource); }, {QStringLiteral("unknown")}},
        {"ups", [](rules::Inputs& in) { in.snapshot.upsOnBattery = rules::Reading<bool>::known(true); }, {QStringLiteral("UPS")}},
        {"sleep", [](rules::Inputs& in) { in.snapshot.sleepPending = rules::Reading<bool>::known(true); }, {QStringLiteral("saved")}},
        {"just started", [](rules::Inputs& in) { in.snapshot.awakeMs = rules::Reading<std::int64_t>::known(kMinute); }, {QStringLiteral("1 min"), QStringLiteral("3 min")}},
        {"lock", set("idle.only_when_locked", "on"), {QStringLiteral("locked")}},
        {"disk floor", [](rules::Inputs& in) { in.snapshot.freeDiskBytes = rules::Reading<std::int64_t>::known(2'000'000'000); }, {QStringLiteral("2 GB"), QStringLiteral("5.4 GB")}},
        {"disk quota", [](rules::Inputs& in) { in.snapshot.usedDiskBytes = rules::Reading<std::int64_t>::known(60'000'000'000); }, {QStringLiteral("60 GB"), QStringLiteral("53.7 GB")}},
        {"battery", [](rules::Inputs& in) { in.snapshot.onBattery = rules::Reading<bool>::known(true); }, {QStringLiteral("mains")}},
        {"battery level", [](rules::Inputs& in) {
             in.snapshot.onBattery = rules::Reading<bool>::known(true);
             in.snapshot.batteryPercent = rules::Reading<double>::known(33);
             (void)in.settings.setText("battery.run_on_battery", "on");
         }, {QStringLiteral("33 %"), QStringLiteral("50 %")}},
        {"schedule", [](rules::Inputs& in) {
             (void)in.settings.setText("schedule.enabled", "on");
             (void)in.settings.setText("schedule.grid", "mon-sun 22-7");
         }, {QStringLiteral("hour")}},
        {"mode never", set("mode", "never"), {QStringLiteral("settings")}},
        {"no work", [](rules::Inputs& in) { in.snapshot.workAvailable = rules::Reading<bool>::known(false); }, {QStringLiteral("project")}},
        {"work unknown", [](rules::Inputs& in) { in.snapshot.workAvailable = rules::Reading<bool>::unknown(rules::UnknownReason::Starting); }, {}},
    };
}

agent::Snapshot decided(const Case& each)
{
    rules::Inputs inputs;
    inputs.snapshot = calm();
    inputs.devices = {"cpu"};
    each.change(inputs);
    agent::Snapshot now;
    now.takenAt = kNow;
    now.state = agent::State::PausedByRule;
    now.decision = rules::evaluate(inputs, kNow);
    now.reason.code = agent::Reason::Code::RuleStops;
    now.reason.verdict = now.decision.deciding;
    return now;
}

QString plain(QString text)
{
    return text.replace(QChar(0x202f), u' ');
}

}  // namespace

class TestSentences : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("TZ", "UTC"); }

    void everyRuleNamesItsNumberAndLimit()
    {
        m_language.install(QStringLiteral("en"));
        for (const Case& each : cases()) {
            const agent::Snapshot now = decided(each);
            QVERIFY2(!now.decision.run, each.name);
            const text::Sentence sentence = text::describe(now);
            QVERIFY2(!sentence.title.isEmpty() && !sentence.reason.isEmpty(), each.name);
            for (const QString& part : each.parts)
                QVERIFY2(plain(sentence.reason).contains(part), qPrintable(QString::fromLatin1(each.name) + u": " + sentence.reason));
        }
    }

    void inUseSaysWhenItStarts()
    {
        m_language.install(QStringLiteral("en"));
        const text::Sentence sentence = text::describe(decided(cases().front()));
        QCOMPARE(sentence.title, QStringLiteral("Paused by a rule: you are using the PC"));
        QCOMPARE(plain(sentence.reason), QStringLiteral("Last input 40 s ago, 10 min of quiet needed."));
        QVERIFY2(sentence.next.startsWith(QStringLiteral("Starts at ")) && sentence.next.endsWith(QStringLiteral(" at the earliest.")), qPrintable(sentence.next));
    }

    void trainingSaysWhyAndUntilWhen()
    {
        m_language.install(QStringLiteral("en"));
        agent::Snapshot now = decided({"calm", [](rules::Inputs&) {}, {}});
        QVERIFY(now.decision.run);
        now.state = agent::State::Training;
        now.reason.code = agent::Reason::Code::TrainingByRules;
        const text::Sentence sentence = text::describe(now);
        QCOMPARE(sentence.title, QStringLiteral("Training while you are away"));
        QCOMPARE(plain(sentence.reason), QStringLiteral("You have been away 1 h 16 min, 10 min are needed."));
        QCOMPARE(sentence.next, QStringLiteral("Runs until you touch the PC."));
    }

    void pauseCountsDown()
    {
        m_language.install(QStringLiteral("en"));
        agent::Snapshot now;
        now.takenAt = kNow;
        now.state = agent::State::PausedByUser;
        now.reason.code = agent::Reason::Code::PausedByUser;
        QCOMPARE(text::describe(now).next, QStringLiteral("Goes on when you resume."));
        now.pausedUntil = kNow + 42 * kMinute;
        QCOMPARE(plain(text::describe(now).reason), QStringLiteral("42 min are left."));
    }

    void languages()
    {
        QTest::addColumn<QString>("code");
        for (const char* code : {"en", "de", "zh_CN"})
            QTest::newRow(code) << QString::fromLatin1(code);
    }

    void tooltipsFitAndNothingIsLeftOpen_data() { languages(); }

    void tooltipsFitAndNothingIsLeftOpen()
    {
        QFETCH(QString, code);
        m_language.install(code);
        QVector<agent::Snapshot> all;
        for (const Case& each : cases())
            all.append(decided(each));
        using Code = agent::Reason::Code;
        for (const Code reason : {Code::NoProject, Code::TrainingByRules, Code::TrainingAlways, Code::TrainingAsked, Code::PausedByUser, Code::WaitingForWork,
                                  Code::WaitingForServer, Code::Uploading, Code::StartingUp, Code::WorkerFailed, Code::ServerRefused, Code::DiskFull,
                                  Code::ProjectChanged, Code::UpdateNeeded}) {
            agent::Snapshot now = decided({"calm", [](rules::Inputs&) {}, {}});
            now.reason.code = reason;
            now.reason.since = kNow - 34 * kMinute;
            now.reason.nextChange = kNow + kMinute;
            now.transfers = {{QStringLiteral("part 3"), true, 24'000'000, 38'000'000, 2'300'000, std::nullopt}};
            if (reason == Code::ServerRefused)
                now.reason.detail = QStringLiteral("The server says that this device key is not known any more (code unknown-device). Join the project again with an invite code.");
            all.append(now);
        }
        static const QRegularExpression open(QStringLiteral("%[0-9n]"));
        QSet<QString> titles;
        for (const agent::Snapshot& now : all) {
            const text::Sentence s = text::describe(now);
            const QString whole = s.title + u' ' + s.reason + u' ' + s.next;
            QVERIFY2(!s.title.isEmpty() && !whole.contains(open), qPrintable(whole));
            const QString tip = text::tooltip(now);
            QVERIFY2(tip.size() <= 127 && tip.startsWith(s.title), qPrintable(tip));
            titles.insert(s.title);
            for (const rules::Verdict& verdict : now.decision.verdicts) {
                QVERIFY(!text::ruleName(verdict.rule).isEmpty());
                QVERIFY2(!text::verdictText(verdict).isEmpty() && !text::verdictText(verdict).contains(open), qPrintable(text::verdictText(verdict)));
            }
        }
        QVERIFY(titles.size() >= 20);
    }

    void verdictsInWords()
    {
        m_language.install(QStringLiteral("en"));
        const agent::Snapshot now = decided(cases().front());
        QCOMPARE(plain(text::verdictText(*now.decision.find(rules::RuleId::UserIdle))), QStringLiteral("Stops: 40 s ago, limit 10 min"));
        QCOMPARE(plain(text::verdictText(*now.decision.find(rules::RuleId::DiskFloor))), QStringLiteral("Allows: 212 GB"));
        QCOMPARE(text::verdictText(*now.decision.find(rules::RuleId::Battery)), QStringLiteral("Allows: mains"));
        QCOMPARE(text::verdictText(*now.decision.find(rules::RuleId::SessionLock)), QStringLiteral("Off"));
    }

    void unitsFollowTheLanguage()
    {
        m_language.install(QStringLiteral("en"));
        QCOMPARE(plain(text::formatBytes(38'000'000)), QStringLiteral("38 MB"));
        QCOMPARE(plain(text::formatBytes(1'449'000'000)), QStringLiteral("1.4 GB"));
        QCOMPARE(plain(text::formatBytes(999)), QStringLiteral("999 B"));
        QCOMPARE(plain(text::formatBytes(999'600)), QStringLiteral("1 MB"));
        QCOMPARE(plain(text::formatPower(235.6)), QStringLiteral("236 W"));
        QCOMPARE(plain(text::formatPower(1602)), QStringLiteral("1.6 kW"));
        QCOMPARE(plain(text::formatEnergy(661)), QStringLiteral("0.66 kWh"));
        QCOMPARE(plain(text::formatEnergy(4.94)), QStringLiteral("4.9 Wh"));
        QCOMPARE(plain(text::formatEnergy(52)), QStringLiteral("52 Wh"));
        QCOMPARE(plain(text::formatDuration(59'999)), QStringLiteral("59 s"));
        QCOMPARE(plain(text::formatDuration(76 * kMinute)), QStringLiteral("1 h 16 min"));
        QCOMPARE(plain(text::formatDuration(120 * kMinute)), QStringLiteral("2 h"));
        QCOMPARE(plain(text::formatDuration(3 * 24 * 60 * kMinute)), QStringLiteral("3 days"));
        m_language.install(QStringLiteral("de"));
        QCOMPARE(plain(text::formatBytes(1'449'000'000)), QStringLiteral("1,4 GB"));
        QCOMPARE(plain(text::formatDuration(76 * kMinute)), QStringLiteral("1 Std. 16 Min."));
    }

private:
    ui::Language m_language;
};

QTEST_GUILESS_MAIN(TestSentences)
#include "tst_sentences.moc"
