// SPDX-License-Identifier: Apache-2.0
// The one state that tray, window and command line show.
#include "app/agent/present_state.h"

#include <QtTest>

#include <map>
#include <set>

using namespace sunloco;
using namespace sunloco::agent;
using rules::RuleId;
using rules::RunState;

namespace {

rules::Decision decision(RunState state, std::optional<RuleId> stoppedBy = std::nullopt) {
    rules::Decision d;
    d.state = state;
    d.run = state == RunState::Training || state == RunState::TrainingAsked;
    d.deciding.rule = stoppedBy.value_or(RuleId::UserIdle);
    d.deciding.kind = stoppedBy ? rules::VerdictKind::Deny : rules::VerdictKind::Allow;
    d.deciding.stops = stoppedBy.has_value();
    d.nextChange = 4'711;
    return d;
}

const std::vector<rules::Decision>& decisions() {
    static const std::vector<rules::Decision> all{
        decision(RunState::Training),
        decision(RunState::TrainingAsked),
        decision(RunState::PausedByUser, RuleId::UserPause),
        decision(RunState::TurnedOff, RuleId::Mode),
        decision(RunState::PausedByRule, RuleId::Battery),
        decision(RunState::WaitingForIdle, RuleId::UserIdle),
        decision(RunState::WaitingForWork, RuleId::HasWork),
    };
    return all;
}

PresentFacts::Trouble trouble(Reason::Code code) { return {code, QStringLiteral("the server said no"), 11, 22}; }

/// look.md section 7, in the words of the brief: attention > paused by you > training > uploading > paused by rule > waiting.
State wantedState(const PresentFacts& f) {
    if (f.grave) return State::NeedsAttention;
    if (!f.hasProject) return State::NoProject;
    if (f.decision->state == RunState::PausedByUser) return State::PausedByUser;
    if (f.computing) return State::Training;
    if (f.delivering) return State::Uploading;
    if (f.decision->state == RunState::PausedByRule || f.decision->state == RunState::TurnedOff) return State::PausedByRule;
    return State::Waiting;
}

}  // namespace

class TestPresentState : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void orderOfStates();
    void everyCodeIsReached();
    void trainingSaysWhy();
    void rulesAndWaiting();
    void troubles();
    void names();
};

/// Every combination of facts.
void TestPresentState::orderOfStates() {
    std::map<State, int> seen;
    for (const rules::Decision& d : decisions()) {
        for (int bits = 0; bits < 128; ++bits) {
            PresentFacts f;
            f.decision = &d;
            f.hasProject = (bits & 1) != 0;
            f.computing = (bits & 2) != 0;
            f.preparing = (bits & 4) != 0;
            f.delivering = (bits & 8) != 0;
            f.modeAlways = (bits & 16) != 0;
            if ((bits & 32) != 0) f.grave = trouble(Reason::Code::WorkerFailed);
            if ((bits & 64) != 0) f.passing = trouble(Reason::Code::WaitingForServer);
            const Present p = presentState(f);
            QVERIFY2(p.state == wantedState(f), (std::to_string(bits) + " " + std::string(rules::runStateName(d.state)) + ": " + std::string(stateCode(p.state))).c_str());
            if (p.state == State::NoProject) QVERIFY(p.reason.code == Reason::Code::NoProject);
            if (p.state == State::PausedByUser) QVERIFY(p.reason.code == Reason::Code::PausedByUser);
            if (p.reason.code == Reason::Code::RuleStops) QVERIFY(p.reason.verdict.has_value() && p.reason.verdict->stops);
            ++seen[p.state];
        }
    }
    QCOMPARE(seen.size(), std::size_t{7});
}

void TestPresentState::everyCodeIsReached() {
    std::set<Reason::Code> codes;
    for (const rules::Decision& d : decisions()) {
        for (int bits = 0; bits < 32; ++bits) {
            PresentFacts f;
            f.decision = &d;
            f.hasProject = (bits & 1) != 0;
            f.computing = (bits & 2) != 0;
            f.preparing = (bits & 4) != 0;
            f.delivering = (bits & 8) != 0;
            f.modeAlways = (bits & 16) != 0;
            codes.insert(presentState(f).reason.code);
            for (const auto code : {Reason::Code::WorkerFailed, Reason::Code::ServerRefused, Reason::Code::DiskFull, Reason::Code::ProjectChanged, Reason::Code::UpdateNeeded, Reason::Code::WaitingForServer}) {
                PresentFacts withTrouble = f;
                withTrouble.passing = trouble(code);
                codes.insert(presentState(withTrouble).reason.code);
                withTrouble.grave = withTrouble.passing;
                const Present p = presentState(withTrouble);
                QVERIFY(p.state == State::NeedsAttention && p.reason.code == code);
            }
        }
    }
    for (int code = 0; code <= static_cast<int>(Reason::Code::UpdateNeeded); ++code) {
        QVERIFY2(codes.contains(static_cast<Reason::Code>(code)), std::string(reasonCode(static_cast<Reason::Code>(code))).c_str());
    }
}

void TestPresentState::trainingSaysWhy() {
    PresentFacts f;
    f.hasProject = true;
    f.computing = true;
    f.overrideEnds = 99;
    const rules::Decision byRules = decision(RunState::Training);
    f.decision = &byRules;
    Present p = presentState(f);
    QVERIFY(p.reason.code == Reason::Code::TrainingByRules);
    QVERIFY(p.reason.nextChange == 4'711);
    QVERIFY(p.reason.verdict.has_value());
    f.modeAlways = true;
    p = presentState(f);
    QVERIFY(p.reason.code == Reason::Code::TrainingAlways);
    QVERIFY(!p.reason.nextChange.has_value());   // no rule will end it
    const rules::Decision asked = decision(RunState::TrainingAsked);
    f.decision = &asked;
    p = presentState(f);
    QVERIFY(p.reason.code == Reason::Code::TrainingAsked);
    QVERIFY(p.reason.nextChange == 99);          // the end of "run now", not of a rule
    f.overrideEnds.reset();
    QVERIFY(!presentState(f).reason.nextChange.has_value());
}

void TestPresentState::rulesAndWaiting() {
    PresentFacts f;
    f.hasProject = true;
    f.asksAgainAt = 77;
    const rules::Decision work = decision(RunState::WaitingForWork, RuleId::HasWork);
    f.decision = &work;
    Present p = presentState(f);
    QVERIFY(p.state == State::Waiting && p.reason.code == Reason::Code::WaitingForWork);
    QVERIFY(p.reason.nextChange == 77);
    f.preparing = true;
    p = presentState(f);
    QVERIFY(p.reason.code == Reason::Code::StartingUp);
    QVERIFY(!p.reason.nextChange.has_value());
    const rules::Decision idle = decision(RunState::WaitingForIdle, RuleId::UserIdle);
    f.decision = &idle;
    p = presentState(f);
    QVERIFY(p.state == State::Waiting && p.reason.code == Reason::Code::RuleStops);
    QVERIFY(p.reason.verdict->rule == RuleId::UserIdle);
    QVERIFY(p.reason.nextChange == 4'711);
    f.delivering = true;
    f.deliveredRound = QStringLiteral("12");
    p = presentState(f);
    QVERIFY(p.state == State::Uploading);
    QCOMPARE(p.reason.detail, QStringLiteral("12"));
}

void TestPresentState::troubles() {
    PresentFacts f;
    f.hasProject = true;
    const rules::Decision work = decision(RunState::WaitingForWork, RuleId::HasWork);
    f.decision = &work;
    f.passing = trouble(Reason::Code::WaitingForServer);
    Present p = presentState(f);
    QVERIFY(p.state == State::Waiting && p.reason.code == Reason::Code::WaitingForServer);
    QCOMPARE(p.reason.detail, QStringLiteral("the server said no"));
    QVERIFY(p.reason.since == 11 && p.reason.nextChange == 22);
    // A rule that stops is the reason, whatever the server does.
    const rules::Decision battery = decision(RunState::PausedByRule, RuleId::Battery);
    f.decision = &battery;
    QVERIFY(presentState(f).reason.code == Reason::Code::RuleStops);
    // What needs a person needs one also without a project (its folder cannot be read, the disk is full).
    f.hasProject = false;
    f.grave = trouble(Reason::Code::DiskFull);
    p = presentState(f);
    QVERIFY(p.state == State::NeedsAttention && p.reason.code == Reason::Code::DiskFull);
}

void TestPresentState::names() {
    std::set<std::string_view> seen;
    for (int s = 0; s <= static_cast<int>(State::NeedsAttention); ++s) QVERIFY(seen.insert(stateCode(static_cast<State>(s))).second);
    QVERIFY(!seen.contains(""));
    seen.clear();
    for (int c = 0; c <= static_cast<int>(Reason::Code::UpdateNeeded); ++c) QVERIFY(seen.insert(reasonCode(static_cast<Reason::Code>(c))).second);
    QVERIFY(!seen.contains(""));
}

QTEST_GUILESS_MAIN(TestPresentState)
#include "tst_present_state.moc"
