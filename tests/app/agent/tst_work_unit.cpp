// SPDX-License-Identifier: Apache-2.0
#include "tests/app/agent/unit_samples.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <random>
#include <set>

using namespace sunloco;
using namespace sunloco::agent;
using namespace sunloco::agent::test;

namespace {

constexpr core::UtcMs kNow = 1'750'000'000'000;

constexpr std::array<UnitState, 12> kStates{UnitState::Leased,     UnitState::Preparing, UnitState::Training, UnitState::Encoded,  UnitState::Creating, UnitState::Uploading,
                                            UnitState::Committing, UnitState::Committed, UnitState::Merged,   UnitState::Rejected, UnitState::Expired,  UnitState::Abandoned};
/// One letter per state, in the order of kStates.
constexpr std::string_view kLetters = "LPTECUKDMRXA";

core::JobResult resultOf(std::int64_t steps) {
    core::JobResult result;
    result.stepsDone = steps;
    result.tokens = steps * 256;
    result.entryLoss = 5;
    result.exitLoss = 4;
    result.deltaNorm = 0.5;
    result.activeSeconds = 3;
    result.parts = {partOf("r", 0, true).part, partOf("r", 1, true).part};
    return result;
}

const core::Error kError{core::ErrorCode::OutOfMemory, "no memory", "worker"};

bool has(const Transition& t, UnitAction action) { return std::find(t.actions.begin(), t.actions.end(), action) != t.actions.end(); }

bool beforeResult(UnitState s) { return s == UnitState::Leased || s == UnitState::Preparing || s == UnitState::Training; }
bool delivering(UnitState s) { return s == UnitState::Encoded || s == UnitState::Creating || s == UnitState::Uploading || s == UnitState::Committing; }

/// What never changes after the server's offer.
std::string identityOf(const WorkUnit& u) {
    WorkUnit only;
    only.leaseId = u.leaseId;
    only.projectId = u.projectId;
    only.device = u.device;
    only.round = u.round;
    only.baseHash = u.baseHash;
    only.examples = u.examples;
    only.steps = u.steps;
    only.minSteps = u.minSteps;
    only.firstGlobalStep = u.firstGlobalStep;
    only.leaseExpires = u.leaseExpires;
    only.idempotencyKey = u.idempotencyKey;
    only.createdAt = u.createdAt;
    return textOf(only);
}

using Random = std::mt19937_64;
std::size_t below(Random& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

UnitEvent randomEvent(Random& random) {
    switch (below(random, 20)) {
    case 0: return event::Restarted{};
    case 1: return event::PreparationBegan{};
    case 2: return event::PreparationDone{};
    case 3: return below(random, 4) == 0 ? UnitEvent(event::PreparationFailed{kError}) : UnitEvent(event::PreparationDone{});
    case 4: return event::WorkerFinished{resultOf(static_cast<std::int64_t>(below(random, 100)))};
    case 5: return event::WorkerCrashed{"signal 9"};
    case 6: return below(random, 3) == 0 ? UnitEvent(event::WorkerRefused{kError}) : UnitEvent(event::WorkerFinished{resultOf(80)});
    case 7: return event::ContributionCreated{"c" + std::to_string(random() % 9), "b", kNow};
    case 8: return event::BearerRenewed{"b2", kNow + 1};
    case 9:
    case 10: return event::PartStored{below(random, 3)};
    case 11: {
        event::PartsMissing missing;
        for (std::size_t i = below(random, 3); i > 0; --i) missing.indices.push_back(below(random, 4));
        return missing;
    }
    case 12: return event::ReceiptVerified{"envelope", "digest"};
    case 13: return below(random, 3) == 0 ? UnitEvent(event::Refused{"refused", "no"}) : UnitEvent(event::ReceiptVerified{"envelope", "digest"});
    case 14: return below(random, 4) == 0 ? UnitEvent(event::RoundEnded{"the round is over"}) : UnitEvent(event::Restarted{});
    case 15: return below(random, 4) == 0 ? UnitEvent(event::LeaseLost{"unknown lease"}) : UnitEvent(event::PreparationBegan{});
    case 16: return event::ServerMerged{below(random, 2) == 0 ? std::optional<double>() : std::optional<double>(0.5)};
    case 17: return below(random, 2) == 0 ? UnitEvent(event::ServerRejected{"norm"}) : UnitEvent(event::ReleaseConfirmed{});
    case 18: return event::FilesGone{};
    default: return below(random, 4) == 0 ? UnitEvent(event::UserLeft{}) : UnitEvent(event::FilesGone{});
    }
}

/// Empty, or what is wrong with this step.
std::string broken(const WorkUnit& before, const UnitEvent& e, const Transition& t) {
    const WorkUnit& after = t.unit;
    if (!t.accepted) {
        if (textOf(before) != textOf(after)) return "an event without meaning changed the unit";
        if (!t.actions.empty()) return "an event without meaning has actions";
        return {};
    }
    if (after.updatedAt != kNow) return "updatedAt is not now";
    if (identityOf(before) != identityOf(after)) return "the lease itself changed";
    if (isFinal(before.state) && after.state != before.state &&
        !(before.state == UnitState::Committed && (after.state == UnitState::Merged || after.state == UnitState::Rejected)))
        return "a final state was left";
    const bool receipt = !after.receipt.empty() && !after.receiptDigest.empty();
    if ((after.state == UnitState::Committed || after.state == UnitState::Merged) && !receipt) return "committed without a receipt";
    if (has(t, UnitAction::DeleteFiles)) {
        const bool ended = after.state == UnitState::Expired || after.state == UnitState::Abandoned;
        const bool delivered = (after.state == UnitState::Committed || after.state == UnitState::Merged) && receipt;
        const bool refused = after.state == UnitState::Rejected && (std::holds_alternative<event::RoundEnded>(e) || std::holds_alternative<event::UserLeft>(e));
        if (!ended && !delivered && !refused) return "the delta is deleted before it may go";
    }
    if (after.filesDeleted && !isFinal(after.state)) return "files are gone from unfinished work";
    if (!isFinal(before.state) && (after.state == UnitState::Expired || after.state == UnitState::Abandoned)) {
        if (!has(t, UnitAction::StopWorker)) return "the worker goes on with dead work";
        if (!has(t, UnitAction::DeleteFiles)) return "files of dead work stay";
        if (after.state == UnitState::Abandoned && after.releaseTold == has(t, UnitAction::ReleaseLease)) return "a lease is given back to nobody, or twice";
        if (after.problem.empty()) return "nobody says why the work ended";
    }
    if (after.crashes < before.crashes || after.crashes > kMostCrashes) return "the count of crashes is wrong";
    if (after.state == UnitState::Training && after.crashes >= kMostCrashes) return "crashed too often and not given back";
    if (after.state == UnitState::Encoded && after.stepsDone < after.minSteps) return "too few steps are sent";
    if (after.state == UnitState::Committing && std::any_of(after.parts.begin(), after.parts.end(), [](const UnitPart& p) { return !p.stored; })) return "commits without all parts";
    if (delivering(after.state) && after.parts.empty()) return "nothing to deliver";
    if (after.state == UnitState::Uploading && std::all_of(after.parts.begin(), after.parts.end(), [](const UnitPart& p) { return p.stored; })) return "uploads nothing";
    if (!before.receipt.empty() && after.receipt.empty()) return "a receipt was lost";
    return {};
}

/// How many redo actions a state has after a restart; the work goes on from exactly this.
std::optional<UnitAction> redoOf(UnitState state) {
    if (beforeResult(state)) return UnitAction::Prepare;
    if (state == UnitState::Encoded || state == UnitState::Creating) return UnitAction::CreateContribution;
    if (state == UnitState::Uploading) return UnitAction::UploadParts;
    if (state == UnitState::Committing) return UnitAction::Commit;
    return std::nullopt;
}

/// Answers every action the way a server and a worker that work would.
UnitEvent answerTo(UnitAction action, const WorkUnit& unit, Random& random) {
    switch (action) {
    case UnitAction::Prepare: return event::PreparationDone{};
    case UnitAction::OfferToWorker: return event::WorkerFinished{resultOf(80)};
    case UnitAction::CreateContribution: return event::ContributionCreated{"c", "b", kNow + 1};
    case UnitAction::UploadParts: {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < unit.parts.size(); ++i) {
            if (!unit.parts[i].stored) open.push_back(i);
        }
        return event::PartStored{open[below(random, open.size())]};
    }
    case UnitAction::Commit: return event::ReceiptVerified{"envelope", "digest"};
    case UnitAction::ReleaseLease: return event::ReleaseConfirmed{};
    case UnitAction::DeleteFiles: return event::FilesGone{};
    case UnitAction::StopWorker: break;
    }
    return event::FilesGone{};
}

}  // namespace

class TestWorkUnit : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void names();
    void table_data();
    void table();
    void restartedRedoesTheRightThing();
    void crashesGiveBack();
    void tooFewStepsGiveBack();
    void aResultIsKept();
    void partsThatTheServerLacks();
    void releaseIsToldOnce();
    void restartAfterTheEnd();
    void randomLives();
    void everyLifeCanStillEndWell();
};

void TestWorkUnit::names() {
    std::set<std::string_view> seen;
    for (const UnitState state : kStates) {
        const std::string_view name = stateName(state);
        QVERIFY(!name.empty());
        QVERIFY(seen.insert(name).second);
        QVERIFY(stateFromName(name) == state);
    }
    QVERIFY(!stateFromName("").has_value());
    QVERIFY(!stateFromName("Training").has_value());
    QCOMPARE(std::count_if(kStates.begin(), kStates.end(), isFinal), std::ptrdiff_t{5});
}

/// Per event one letter per state of kLetters: the state afterwards; '.' = the event has no meaning there.
void TestWorkUnit::table_data() {
    QTest::addColumn<int>("eventIndex");
    QTest::addColumn<QByteArray>("after");
    //                                                          LPTECUKDMRXA
    QTest::newRow("Restarted") << 0 << QByteArray("LLTCCUKDM.XA");
    QTest::newRow("PreparationBegan") << 1 << QByteArray("P...........");
    QTest::newRow("PreparationDone") << 2 << QByteArray("TTT.........");
    QTest::newRow("PreparationFailed") << 3 << QByteArray("AAA.........");
    QTest::newRow("WorkerFinished") << 4 << QByteArray("..E.........");
    QTest::newRow("WorkerFinished, too few steps") << 5 << QByteArray("..A.........");
    QTest::newRow("WorkerCrashed") << 6 << QByteArray("..T.........");
    QTest::newRow("WorkerRefused") << 7 << QByteArray("..A.........");
    QTest::newRow("ContributionCreated") << 8 << QByteArray("...UU.......");
    QTest::newRow("BearerRenewed") << 9 << QByteArray(".....U......");
    QTest::newRow("PartStored") << 10 << QByteArray(".....U......");
    QTest::newRow("PartStored, no such part") << 11 << QByteArray("............");
    QTest::newRow("PartsMissing, one") << 12 << QByteArray(".....UU.....");
    QTest::newRow("PartsMissing, none") << 13 << QByteArray(".....KK.....");
    QTest::newRow("ReceiptVerified") << 14 << QByteArray("...DDDD.....");
    QTest::newRow("Refused") << 15 << QByteArray("AAARRRR.....");
    QTest::newRow("RoundEnded") << 16 << QByteArray("XXXXXXX..R..");
    QTest::newRow("LeaseLost") << 17 << QByteArray("XXXRRRR.....");
    QTest::newRow("ServerMerged") << 18 << QByteArray(".......MM...");
    QTest::newRow("ServerRejected") << 19 << QByteArray(".......R....");
    QTest::newRow("ReleaseConfirmed") << 20 << QByteArray("...........A");
    QTest::newRow("FilesGone") << 21 << QByteArray(".......DMRXA");
    QTest::newRow("UserLeft") << 22 << QByteArray("AAAAAAADMRXA");
}

void TestWorkUnit::table() {
    QFETCH(int, eventIndex);
    QFETCH(QByteArray, after);
    const std::array<UnitEvent, 23> events{event::Restarted{},
                                           event::PreparationBegan{},
                                           event::PreparationDone{},
                                           event::PreparationFailed{kError},
                                           event::WorkerFinished{resultOf(20)},
                                           event::WorkerFinished{resultOf(19)},
                                           event::WorkerCrashed{"signal 9"},
                                           event::WorkerRefused{kError},
                                           event::ContributionCreated{"c", "b", 1},
                                           event::BearerRenewed{"b2", 2},
                                           event::PartStored{0},
                                           event::PartStored{2},
                                           event::PartsMissing{{1}},
                                           event::PartsMissing{},
                                           event::ReceiptVerified{"envelope", "digest"},
                                           event::Refused{"code", "no"},
                                           event::RoundEnded{"over"},
                                           event::LeaseLost{"unknown"},
                                           event::ServerMerged{0.5},
                                           event::ServerRejected{"norm"},
                                           event::ReleaseConfirmed{},
                                           event::FilesGone{},
                                           event::UserLeft{}};
    const UnitEvent& e = events[static_cast<std::size_t>(eventIndex)];
    for (std::size_t s = 0; s < kStates.size(); ++s) {
        const WorkUnit before = unitIn(kStates[s]);
        const Transition t = next(before, e, kNow);
        const std::string fault = broken(before, e, t);
        QVERIFY2(fault.empty(), (std::string(stateName(kStates[s])) + ": " + fault).c_str());
        const char wanted = after.at(static_cast<qsizetype>(s));
        QVERIFY2(t.accepted == (wanted != '.'), std::string(stateName(kStates[s])).c_str());
        const UnitState to = wanted == '.' ? kStates[s] : kStates[kLetters.find(wanted)];
        QVERIFY2(t.unit.state == to, (std::string(stateName(kStates[s])) + " -> " + std::string(stateName(t.unit.state))).c_str());
    }
}

void TestWorkUnit::restartedRedoesTheRightThing() {
    for (const UnitState state : kStates) {
        const Transition t = next(unitIn(state), event::Restarted{}, kNow);
        if (const auto redo = redoOf(state)) {
            QVERIFY2(t.actions == std::vector<UnitAction>{*redo}, std::string(stateName(state)).c_str());
            QVERIFY(!isFinal(t.unit.state));
        } else {
            QVERIFY(!has(t, UnitAction::Prepare) && !has(t, UnitAction::UploadParts) && !has(t, UnitAction::Commit) && !has(t, UnitAction::CreateContribution));
        }
        if (!t.accepted) continue;
        // A second restart right after the first asks for the same again.
        const Transition again = next(t.unit, event::Restarted{}, kNow);
        QVERIFY(again.accepted);
        QVERIFY(again.actions == t.actions);
        QCOMPARE(textOf(again.unit), textOf(t.unit));
    }
}

void TestWorkUnit::crashesGiveBack() {
    WorkUnit unit = unitIn(UnitState::Training);
    for (int i = 1; i < kMostCrashes; ++i) {
        const Transition t = next(unit, event::WorkerCrashed{"signal 11"}, kNow);
        QVERIFY(t.actions == std::vector<UnitAction>{UnitAction::OfferToWorker});
        QCOMPARE(t.unit.crashes, i);
        QCOMPARE(t.unit.problem, std::string("signal 11"));
        unit = t.unit;
        // Neither a restart of the program nor a fresh preparation forgets them.
        unit = next(unit, event::Restarted{}, kNow).unit;
        unit = next(unit, event::PreparationDone{}, kNow).unit;
        QCOMPARE(unit.crashes, i);
    }
    const Transition last = next(unit, event::WorkerCrashed{"signal 11"}, kNow);
    QVERIFY(last.unit.state == UnitState::Abandoned);
    QVERIFY(has(last, UnitAction::ReleaseLease) && has(last, UnitAction::DeleteFiles) && has(last, UnitAction::StopWorker));
    QVERIFY(last.unit.problem.find("signal 11") != std::string::npos);
}

void TestWorkUnit::tooFewStepsGiveBack() {
    for (const auto& [steps, minimum, enough] : {std::tuple{19, 20, false}, {20, 20, true}, {0, 0, false}, {1, 0, true}, {-1, 0, false}}) {
        WorkUnit unit = unitIn(UnitState::Training);
        unit.minSteps = minimum;
        const Transition t = next(unit, event::WorkerFinished{resultOf(steps)}, kNow);
        QVERIFY(t.unit.state == (enough ? UnitState::Encoded : UnitState::Abandoned));
        QCOMPARE(has(t, UnitAction::ReleaseLease), !enough);
        QCOMPARE(has(t, UnitAction::CreateContribution), enough);
    }
}

void TestWorkUnit::aResultIsKept() {
    WorkUnit unit = unitIn(UnitState::Training);
    unit.problem = "died once";
    const core::JobResult result = resultOf(80);
    const WorkUnit after = next(unit, event::WorkerFinished{result}, kNow).unit;
    QCOMPARE(after.stepsDone, result.stepsDone);
    QCOMPARE(after.tokens, result.tokens);
    QCOMPARE(after.entryLoss, result.entryLoss);
    QCOMPARE(after.exitLoss, result.exitLoss);
    QCOMPARE(after.deltaNorm, result.deltaNorm);
    QCOMPARE(after.activeSeconds, result.activeSeconds);
    QVERIFY(after.finishedAt == kNow);
    QVERIFY(after.problem.empty());
    QCOMPARE(after.parts.size(), result.parts.size());
    for (std::size_t i = 0; i < result.parts.size(); ++i) {
        QVERIFY(!after.parts[i].stored);
        QCOMPARE(after.parts[i].part.file, result.parts[i].file);
        QVERIFY(after.parts[i].part.sha256 == result.parts[i].sha256);
        QCOMPARE(after.parts[i].part.bytes, result.parts[i].bytes);
    }
}

void TestWorkUnit::partsThatTheServerLacks() {
    WorkUnit unit = unitIn(UnitState::Uploading);
    unit = next(unit, event::PartStored{1}, kNow).unit;
    QVERIFY(!unit.parts[0].stored && unit.parts[1].stored);
    QVERIFY(unit.state == UnitState::Uploading);
    // Twice the same is once.
    QCOMPARE(textOf(next(unit, event::PartStored{1}, kNow).unit), textOf(unit));
    Transition t = next(unit, event::PartStored{0}, kNow);
    QVERIFY(t.unit.state == UnitState::Committing);
    QVERIFY(t.actions == std::vector<UnitAction>{UnitAction::Commit});
    // The server's word counts more than ours.
    t = next(t.unit, event::PartsMissing{{1, 99}}, kNow);
    QVERIFY(t.unit.state == UnitState::Uploading);
    QVERIFY(t.actions == std::vector<UnitAction>{UnitAction::UploadParts});
    QVERIFY(t.unit.parts[0].stored && !t.unit.parts[1].stored);
    // Parts that are all there already when the contribution is announced need no upload.
    WorkUnit stored = unitIn(UnitState::Creating);
    for (UnitPart& part : stored.parts) part.stored = true;
    t = next(stored, event::ContributionCreated{"c2", "b2", 3}, kNow);
    QVERIFY(t.unit.state == UnitState::Committing);
    QCOMPARE(t.unit.contributionId, std::string("c2"));
    QCOMPARE(t.unit.bearer, std::string("b2"));
    QCOMPARE(t.unit.bearerExpires, core::UtcMs{3});
}

void TestWorkUnit::releaseIsToldOnce() {
    WorkUnit unit = next(unitIn(UnitState::Training), event::WorkerRefused{kError}, kNow).unit;
    QVERIFY(unit.state == UnitState::Abandoned && !unit.releaseTold);
    QVERIFY(has(next(unit, event::Restarted{}, kNow), UnitAction::ReleaseLease));
    unit = next(unit, event::ReleaseConfirmed{}, kNow).unit;
    QVERIFY(unit.releaseTold);
    QVERIFY(!next(unit, event::ReleaseConfirmed{}, kNow).accepted);
    QVERIFY(!has(next(unit, event::Restarted{}, kNow), UnitAction::ReleaseLease));
    // Who said no knows it.
    QVERIFY(next(unitIn(UnitState::Training), event::Refused{"c", "no"}, kNow).unit.releaseTold);
}

void TestWorkUnit::restartAfterTheEnd() {
    for (const UnitState state : {UnitState::Committed, UnitState::Merged, UnitState::Expired, UnitState::Abandoned}) {
        WorkUnit unit = unitIn(state);
        QVERIFY(has(next(unit, event::Restarted{}, kNow), UnitAction::DeleteFiles));   // the program died before the files were gone
        const Transition gone = next(unit, event::FilesGone{}, kNow);
        QVERIFY(gone.accepted && gone.unit.filesDeleted);
        QVERIFY(!next(gone.unit, event::FilesGone{}, kNow).accepted);
        QVERIFY(!has(next(gone.unit, event::Restarted{}, kNow), UnitAction::DeleteFiles));
        QVERIFY(!has(next(gone.unit, event::UserLeft{}, kNow), UnitAction::DeleteFiles));
    }
    // The delta of a rejected unit outlives restarts and goes with the round.
    const WorkUnit rejected = unitIn(UnitState::Rejected);
    QVERIFY(!next(rejected, event::Restarted{}, kNow).accepted);
    QVERIFY(next(rejected, event::RoundEnded{"over"}, kNow).actions == std::vector<UnitAction>{UnitAction::DeleteFiles});
    QVERIFY(!next(next(rejected, event::FilesGone{}, kNow).unit, event::RoundEnded{"over"}, kNow).accepted);
}

void TestWorkUnit::randomLives() {
    std::map<UnitState, int> reached;
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        Random random(seed);
        WorkUnit unit = unitIn(UnitState::Leased);
        for (int step = 0; step < 50; ++step) {
            const UnitEvent e = randomEvent(random);
            const Transition t = next(unit, e, kNow);
            const std::string fault = broken(unit, e, t);
            QVERIFY2(fault.empty(), (fault + ": seed " + std::to_string(seed) + ", step " + std::to_string(step) + ", event " + std::to_string(e.index()) + ", in " + std::string(stateName(unit.state)) + " -> " +
                                     std::string(stateName(t.unit.state)))
                                        .c_str());
            unit = t.unit;
            ++reached[unit.state];
        }
    }
    for (const UnitState state : kStates) QVERIFY2(reached[state] > 100, std::string(stateName(state)).c_str());   // the walk is worth something
}

/// Whatever happened so far: unless the unit has ended, a caller that restarts and then carries out every action gets to the receipt.
void TestWorkUnit::everyLifeCanStillEndWell() {
    int committed = 0;
    for (std::uint64_t seed = 1; seed <= 5'000; ++seed) {
        Random random(seed * 7919);
        WorkUnit unit = unitIn(UnitState::Leased);
        for (std::size_t i = below(random, 40); i > 0; --i) unit = next(unit, randomEvent(random), kNow).unit;
        const bool ended = isFinal(unit.state);
        Transition t = next(unit, event::Restarted{}, kNow);
        for (int step = 0; step < 20 && !t.actions.empty(); ++step) {
            std::vector<UnitAction> actions = t.actions;
            WorkUnit now = t.unit;
            t.actions.clear();
            for (const UnitAction action : actions) {
                Transition answered = next(now, answerTo(action, now, random), kNow);
                now = answered.unit;
                if (!answered.actions.empty()) t.actions = answered.actions;
            }
            t.unit = now;
        }
        QVERIFY2(t.actions.empty(), ("no end: seed " + std::to_string(seed)).c_str());
        if (!ended) {
            QVERIFY2(t.unit.state == UnitState::Committed, ("seed " + std::to_string(seed) + " ends in " + std::string(stateName(t.unit.state))).c_str());
            ++committed;
        }
        if (t.unit.state != UnitState::Rejected) QVERIFY2(t.unit.filesDeleted, ("files stay: seed " + std::to_string(seed)).c_str());
        if (t.unit.state == UnitState::Abandoned) QVERIFY(t.unit.releaseTold);
    }
    QVERIFY(committed > 500);
}

QTEST_GUILESS_MAIN(TestWorkUnit)
#include "tst_work_unit.moc"
