// SPDX-License-Identifier: Apache-2.0
#include "net/server/round_machine.h"

#include <QTest>

#include <random>

using namespace sunloco::server;
using sunloco::core::UtcMs;

class TestRoundMachine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void closesAtTheQuorum();
    void waitsForUploadsAtTheQuorum();
    void closesAtTheDeadline();
    void movesTheDeadlineWithoutContributions();
    void operatorCommands();
    void failedMergeIsTriedAgain();
    void emptyMergeOpensAgain();
    void restartContinues();
    void retryGrowsWithTheRound();
    void randomHistories();

private:
    RoundRules m_rules{2, 1, 10'000, 500};
    RoundNow open() const {
        RoundNow now;
        now.round = 7;
        now.openedAt = 1'000;
        now.deadline = 11'000;
        return now;
    }
};

namespace {

template <typename T>
int countOf(const std::vector<RoundAction>& actions) {
    int n = 0;
    for (const auto& action : actions) { n += std::holds_alternative<T>(action) ? 1 : 0; }
    return n;
}

}  // namespace

void TestRoundMachine::closesAtTheQuorum() {
    const RoundStep one = nextRound(open(), CountsChanged{1, 0}, m_rules, 2'000);
    QCOMPARE(one.state.phase, RoundPhase::Open);
    QVERIFY(one.actions.empty());
    const RoundStep two = nextRound(one.state, CountsChanged{2, 0}, m_rules, 3'000);
    QCOMPARE(two.state.phase, RoundPhase::Closing);
    QCOMPARE(two.actions.size(), std::size_t{2});
    QVERIFY(std::holds_alternative<FixContributions>(two.actions[0]));   // before the merge, or a late commit would be lost
    QVERIFY(std::holds_alternative<StartMerge>(two.actions[1]));
}

void TestRoundMachine::waitsForUploadsAtTheQuorum() {
    RoundStep step = nextRound(open(), CountsChanged{2, 1}, m_rules, 3'000);
    QCOMPARE(step.state.phase, RoundPhase::Open);
    QVERIFY(step.state.quorumAt.has_value());
    step = nextRound(step.state, Ticked{}, m_rules, 3'499);
    QCOMPARE(step.state.phase, RoundPhase::Open);
    QCOMPARE(nextRound(step.state, CountsChanged{3, 0}, m_rules, 3'100).state.phase, RoundPhase::Closing);
    QCOMPARE(nextRound(step.state, CountsChanged{2, 1}, m_rules, 3'500).state.phase, RoundPhase::Closing);
}

void TestRoundMachine::closesAtTheDeadline() {
    const RoundStep before = nextRound(open(), CountsChanged{1, 3}, m_rules, 10'999);
    QCOMPARE(before.state.phase, RoundPhase::Open);
    const RoundStep at = nextRound(before.state, Ticked{}, m_rules, 11'000);
    QCOMPARE(at.state.phase, RoundPhase::Closing);
    QCOMPARE(countOf<StartMerge>(at.actions), 1);
}

void TestRoundMachine::movesTheDeadlineWithoutContributions() {
    RoundRules strict = m_rules;
    strict.quorum = 5;
    strict.minContributions = 3;
    const RoundStep step = nextRound(open(), CountsChanged{2, 0}, strict, 500'000);   // the server was off for a while
    QCOMPARE(step.state.phase, RoundPhase::Open);
    QCOMPARE(step.state.deadline, UtcMs{510'000});
    QCOMPARE(step.actions.size(), std::size_t{1});
    QCOMPARE(std::get<MoveDeadline>(step.actions[0]).deadline, UtcMs{510'000});
    QVERIFY(nextRound(step.state, Ticked{}, strict, 500'001).actions.empty());
    RoundRules none = m_rules;
    none.minContributions = 0;
    QCOMPARE(countOf<StartMerge>(nextRound(open(), CountsChanged{0, 0}, none, 20'000).actions), 0);   // nothing to merge, whatever the recipe says
}

void TestRoundMachine::operatorCommands() {
    QCOMPARE(countOf<RefuseOperator>(nextRound(open(), OperatorCloses{}, m_rules, 2'000).actions), 1);
    RoundNow one = open();
    one.committed = 1;
    QCOMPARE(nextRound(one, OperatorCloses{}, m_rules, 2'000).state.phase, RoundPhase::Closing);
    const RoundStep halted = nextRound(one, OperatorHalts{}, m_rules, 2'000);
    QCOMPARE(halted.state.phase, RoundPhase::Halted);
    QCOMPARE(nextRound(halted.state, CountsChanged{5, 0}, m_rules, 99'000).state.phase, RoundPhase::Halted);   // neither quorum nor deadline
    QCOMPARE(nextRound(halted.state, OperatorResumes{}, m_rules, 3'000).state.phase, RoundPhase::Open);
    QCOMPARE(countOf<RefuseOperator>(nextRound(open(), OperatorResumes{}, m_rules, 3'000).actions), 1);
    RoundNow finished = open();
    finished.phase = RoundPhase::Finished;
    QCOMPARE(countOf<RefuseOperator>(nextRound(finished, OperatorCloses{}, m_rules, 3'000).actions), 1);
}

void TestRoundMachine::failedMergeIsTriedAgain() {
    RoundNow closing = open();
    closing.phase = RoundPhase::Closing;
    RoundStep step = nextRound(closing, MergeFailed{}, m_rules, 20'000);
    QVERIFY(step.state.retryMergeAt.has_value());
    const UtcMs at = *step.state.retryMergeAt;
    QVERIFY(at > 20'000);
    QVERIFY(nextRound(step.state, Ticked{}, m_rules, at - 1).actions.empty());
    const RoundStep again = nextRound(step.state, Ticked{}, m_rules, at);
    QCOMPARE(countOf<StartMerge>(again.actions), 1);
    QCOMPARE(countOf<FixContributions>(again.actions), 0);
    const RoundStep second = nextRound(again.state, MergeFailed{}, m_rules, at);
    QVERIFY(*second.state.retryMergeAt - at > at - 20'000);   // it waits longer each time
    UtcMs last = 0;
    RoundNow state = closing;
    for (int i = 0; i < 30; ++i) {
        state = nextRound(state, MergeFailed{}, m_rules, 0).state;
        last = *state.retryMergeAt;
    }
    QVERIFY(last <= 300'000);
}

void TestRoundMachine::emptyMergeOpensAgain() {
    RoundNow closing = open();
    closing.phase = RoundPhase::Closing;
    closing.committed = 2;
    const RoundStep step = nextRound(closing, MergeEmpty{}, m_rules, 30'000);
    QCOMPARE(step.state.phase, RoundPhase::Open);
    QCOMPARE(step.state.round, std::int64_t{7});
    QCOMPARE(step.state.committed, std::int64_t{0});
    QCOMPARE(std::get<ReopenRound>(step.actions.at(0)).deadline, UtcMs{40'000});
}

void TestRoundMachine::restartContinues() {
    RoundNow closing = open();
    closing.phase = RoundPhase::Closing;
    QCOMPARE(countOf<StartMerge>(resumeActions(closing)), 1);
    QVERIFY(resumeActions(open()).empty());
}

void TestRoundMachine::retryGrowsWithTheRound() {
    QCOMPARE(retryAfterMs(1'000), std::int64_t{300});
    QCOMPARE(retryAfterMs(40'000), std::int64_t{400});
    QCOMPARE(retryAfterMs(24LL * 3'600'000), std::int64_t{30'000});
}

// Whatever happens in whatever order: a merge starts only in Closing, the contributions of a round are fixed exactly once before its first merge,
// round numbers grow by one at a time, and a closing round always ends when merges succeed.
void TestRoundMachine::randomHistories() {
    std::mt19937 random(20'260'101);
    for (int run = 0; run < 400; ++run) {
        RoundRules rules;
        rules.quorum = 1 + static_cast<std::int64_t>(random() % 4);
        rules.minContributions = static_cast<std::int64_t>(random() % 4);
        rules.deadlineMs = 1'000 + static_cast<std::int64_t>(random() % 20'000);
        rules.graceMs = static_cast<std::int64_t>(random() % 2'000);
        RoundNow state;
        state.deadline = rules.deadlineMs;
        UtcMs now = 0;
        int fixed = 0;
        bool mayMerge = false;
        for (int i = 0; i < 300; ++i) {
            now += static_cast<UtcMs>(random() % 1'500);
            RoundEvent event = Ticked{};
            switch (random() % 8) {
            case 0: event = OperatorCloses{}; break;
            case 1: event = OperatorHalts{}; break;
            case 2: event = OperatorResumes{}; break;
            case 3: event = MergeDone{now, random() % 50 == 0}; break;
            case 4: event = MergeFailed{}; break;
            case 5: event = MergeEmpty{}; break;
            case 6: break;
            default: event = CountsChanged{static_cast<std::int64_t>(random() % 5), static_cast<std::int64_t>(random() % 3)};
            }
            const RoundNow before = state;
            const RoundStep step = nextRound(before, event, rules, now);
            state = step.state;
            for (const auto& action : step.actions) {
                if (std::holds_alternative<FixContributions>(action)) {
                    QVERIFY(before.phase == RoundPhase::Open || before.phase == RoundPhase::Halted);
                    QVERIFY(before.committed > 0 || state.committed > 0);
                    ++fixed;
                    mayMerge = true;
                }
                if (std::holds_alternative<StartMerge>(action)) {
                    QVERIFY(mayMerge);
                    QCOMPARE(state.phase, RoundPhase::Closing);
                    QCOMPARE(fixed, 1);
                }
            }
            if (state.phase != RoundPhase::Closing) {
                fixed = 0;
                mayMerge = false;
            }
            QVERIFY(state.round == before.round || (state.round == before.round + 1 && before.phase == RoundPhase::Closing));
            if (before.phase == RoundPhase::Finished) { QCOMPARE(state.phase, RoundPhase::Finished); }
        }
        if (state.phase == RoundPhase::Closing) { QCOMPARE(nextRound(state, MergeDone{now, false}, rules, now).state.phase, RoundPhase::Open); }
    }
}

QTEST_GUILESS_MAIN(TestRoundMachine)
#include "tst_round_machine.moc"
