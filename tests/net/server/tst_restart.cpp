// SPDX-License-Identifier: Apache-2.0
// The server ends at any moment and starts again: nothing is lost, nothing counts twice.
#include "net/protocol/metadata.h"
#include "net/server/operator_commands.h"
#include "net/server/replay_check.h"
#include "net/server/sqlite_store.h"
#include "server_fixture.h"

#include <QTest>

#include <fstream>

using namespace sunloco;
using test::codeOf;
using test::request;
using test::ServedProject;
using test::statusOf;

class TestRestart : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void inTheMiddleOfAnUpload();
    void betweenClosingAndMerging();
    void betweenTheLogAndTheDatabase();
    void tornLastLineOfTheLog();
    void closeRoundAndRollback();
    void commandsOfTheOperator();
    void checkpointsForNewcomers();

private:
    static void copyDatabase(const std::filesystem::path& folder, const std::filesystem::path& to);
};

void TestRestart::copyDatabase(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::filesystem::create_directories(to);
    for (const char* name : {"server.db", "server.db-wal", "server.db-shm"}) {
        std::error_code ec;
        std::filesystem::remove(to / name, ec);
        if (std::filesystem::exists(from / name, ec)) { std::filesystem::copy_file(from / name, to / name); }
    }
}

void TestRestart::inTheMiddleOfAnUpload() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    const auto port = project.port();
    const auto ada = project.volunteer();
    const auto bob = project.volunteer();
    QVERIFY(ada->doOneRound(project.elements(), 1));
    QCOMPARE(statusOf(bob->askLease()), 200);
    bob->makeParts(bob->lease, project.elements(), 2);
    QCOMPARE(statusOf(bob->create("bobbobbobbobbob1")), 201);
    project.stop();
    QVERIFY(!test::TlsClient(port).connected());
    QCOMPARE(project.start(port), std::string());
    // The same bearer, lease and contribution go on; Ada's receipt still holds.
    QCOMPARE(project.status().contributors, std::int64_t{1});
    for (std::size_t n = 0; n < bob->parts.size(); ++n) { QCOMPARE(statusOf(bob->putPart(n)), 201); }
    project.stop();
    QCOMPARE(project.start(port), std::string());
    QCOMPARE(statusOf(bob->commit()), 200);
    QVERIFY(project.waitForRounds(1));
    QCOMPARE(project.status().history[0].contributors, std::int64_t{2});
    QVERIFY(server::replayProject(project.folder())->equal);
}

void TestRestart::betweenClosingAndMerging() {
    ServedProject project;
    QCOMPARE(project.make({"quorum=3"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    const auto bob = project.volunteer();
    QVERIFY(ada->doOneRound(project.elements(), 1));
    QCOMPARE(statusOf(bob->askLease()), 200);
    bob->makeParts(bob->lease, project.elements(), 2);
    QCOMPARE(statusOf(bob->create("bobbobbobbobbob1")), 201);
    const auto port = project.port();
    project.stop();
    {
        const auto store = server::SqliteStore::open(project.folder() / "server.db", server::SqliteStore::Open::MustExist);
        QVERIFY(store);
        QVERIFY(*(*store)->fixContributions(1));
        QVERIFY(!*(*store)->fixContributions(1));   // only once
    }
    QCOMPARE(project.start(port), std::string());
    QVERIFY(project.waitForRounds(1));
    const auto status = project.status();
    QCOMPARE(status.round, std::int64_t{2});
    QCOMPARE(status.history[0].contributors, std::int64_t{1});
    // Bob's upload came too late for the fixed set.
    QCOMPARE(codeOf(bob->putPart(0)), std::string("round-closed"));
    QVERIFY(server::replayProject(project.folder())->equal);
}

void TestRestart::betweenTheLogAndTheDatabase() {
    ServedProject project;
    QCOMPARE(project.make({"quorum=5"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    const auto bob = project.volunteer();
    QVERIFY(ada->doOneRound(project.elements(), 1));
    QVERIFY(bob->doOneRound(project.elements(), 2));
    const auto port = project.port();
    project.stop();
    const auto saved = project.folder() / "saved";
    copyDatabase(project.folder(), saved);
    const core::SystemClock clock;
    QVERIFY(server::operate(project.folder(), "close-round", clock));
    const auto once = server::replayProject(project.folder());
    QVERIFY(once);
    QCOMPARE(once->bases.size(), std::size_t{2});
    // A power cut: the log and the files are new, the database is not.
    copyDatabase(saved, project.folder());
    QVERIFY(server::operate(project.folder(), "close-round", clock));
    const auto twice = server::replayProject(project.folder());
    QVERIFY(twice);
    QVERIFY2(twice->equal, twice->difference.c_str());
    QCOMPARE(twice->bases, once->bases);   // the same bits, and one line in the log
    QCOMPARE(project.start(port), std::string());
    QCOMPARE(project.status().history.size(), std::size_t{1});
}

void TestRestart::tornLastLineOfTheLog() {
    ServedProject project;
    QCOMPARE(project.make({"quorum=1"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    QVERIFY(ada->doOneRound(project.elements(), 1));
    QVERIFY(project.waitForRounds(1));
    const auto port = project.port();
    project.stop();
    {
        std::ofstream log(project.folder() / "events.jsonl", std::ios::app | std::ios::binary);
        log << "{\"event\":\"round_cl";
    }
    QCOMPARE(project.start(port), std::string());
    QVERIFY(ada->doOneRound(project.elements(), 2));
    QVERIFY(project.waitForRounds(2));
    QVERIFY(server::replayProject(project.folder())->equal);
    // A changed line is noticed.
    project.stop();
    std::ifstream in(project.folder() / "events.jsonl", std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto at = text.find("\"tokens\":64");
    QVERIFY(at != std::string::npos);
    text[at + 9] = '7';
    test::writeFile(project.folder() / "events.jsonl", text);
    const auto changed = server::replayProject(project.folder());
    QVERIFY(!changed || !changed->equal);
}

void TestRestart::closeRoundAndRollback() {
    ServedProject project;
    QCOMPARE(project.make({"quorum=9"}), std::string());
    const core::SystemClock clock;
    const auto nothing = server::operate(project.folder(), "close-round", clock);
    QVERIFY(!nothing);
    QVERIFY(nothing.error().message.find("nothing to merge") != std::string::npos);
    QVERIFY(!server::operate(project.folder(), "rollback", clock));
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    QVERIFY(ada->doOneRound(project.elements(), 1));
    // Asked of the running server, through its database.
    const auto closed = server::operate(project.folder(), "close-round", clock);
    QVERIFY2(closed.has_value(), closed ? "" : closed.error().text().c_str());
    QCOMPARE(project.status().round, std::int64_t{2});
    QVERIFY(ada->doOneRound(project.elements(), 2));
    QVERIFY(server::operate(project.folder(), "close-round", clock));
    const auto beforeUndo = server::replayProject(project.folder());
    QVERIFY(beforeUndo->equal);
    const auto base1 = beforeUndo->bases[1];
    QVERIFY(beforeUndo->bases[2] != base1);
    const auto undone = server::operate(project.folder(), "rollback", clock);
    QVERIFY2(undone.has_value(), undone ? "" : undone.error().text().c_str());
    // Round 3 ended with the base after round 1; round 4 is open, and newcomers find a full base.
    QCOMPARE(project.status().round, std::int64_t{4});
    QCOMPARE(statusOf(ada->askLease()), 200);
    QCOMPARE(ada->lease.round, std::int64_t{4});
    QCOMPARE(ada->lease.baseHash.hex(), base1);
    QCOMPARE(ada->lease.firstGlobalStep, std::int64_t{2});
    const auto replay = server::replayProject(project.folder());
    QVERIFY(replay);
    QVERIFY2(replay->equal, replay->difference.c_str());
    QCOMPARE(replay->bases.back(), base1);
    QVERIFY(!server::operate(project.folder(), "rollback", clock));   // nothing merged since
    const auto port = project.port();
    project.stop();
    QCOMPARE(project.start(port), std::string());
    QVERIFY(ada->doOneRound(project.elements(), 3));
    QVERIFY(server::operate(project.folder(), "close-round", clock));
    QVERIFY(server::replayProject(project.folder())->equal);
}

void TestRestart::commandsOfTheOperator() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    const core::SystemClock clock;
    QVERIFY(!server::projectLinkOf(project.folder()));   // never served: no address yet
    QCOMPARE(project.start(), std::string());
    QCOMPARE(*server::projectLinkOf(project.folder()), project.link());
    QCOMPARE(server::projectStatus(project.folder())->round, std::int64_t{1});
    QVERIFY(server::operate(project.folder(), "halt", clock));
    const auto ada = project.volunteer();
    QCOMPARE(codeOf(ada->askLease()), std::string("round-closing"));
    QCOMPARE(project.status().state, protocol::RoundState::Halted);
    QVERIFY(server::operate(project.folder(), "resume", clock));
    QCOMPARE(statusOf(ada->askLease()), 200);
    const auto port = project.port();
    project.stop();
    // An invitation works once.
    const auto code = server::makeInvite(project.folder(), clock);
    QVERIFY(code);
    test::writeFile(project.folder() / "server.toml", "require_invite = true\n");
    QCOMPARE(project.start(port), std::string());
    test::Volunteer bob(port, "127.0.0.1:" + std::to_string(port), project.clock());
    const auto joined = bob.enrol(*code);
    QCOMPARE(statusOf(joined), 201);
    QCOMPARE(protocol::EnrolAnswer::parse(joined->body)->trust, protocol::Trust::Invited);
    test::Volunteer cyd(port, "127.0.0.1:" + std::to_string(port), project.clock());
    QCOMPARE(codeOf(cyd.enrol(*code)), std::string("invite-used"));
    QCOMPARE(statusOf(bob.enrol(*code)), 200);
}

void TestRestart::checkpointsForNewcomers() {
    ServedProject project;
    QCOMPARE(project.make({"quorum=1", "checkpoint_every=2"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    for (unsigned round = 1; round <= 5; ++round) {
        QVERIFY(ada->doOneRound(project.elements(), round));
        QVERIFY(project.waitForRounds(round));
    }
    const auto answer = request(project.port(), "GET", "/v1/meta/rounds.json");
    const auto envelope = protocol::Envelope::parse(answer->body, 1 << 20);
    const auto rounds = protocol::Rounds::parse(envelope->payload);
    QVERIFY(rounds);
    QCOMPARE(rounds->round, std::int64_t{6});
    QCOMPARE(rounds->checkpoint.round, std::int64_t{4});
    QCOMPARE(rounds->updates.size(), std::size_t{1});
    const auto object = request(project.port(), "GET", "/v1/objects/sha256/" + rounds->checkpoint.object.sha256.hex());
    QCOMPARE(core::sha256(core::asBytes(object->body)), rounds->checkpoint.object.sha256);
    // Old state files are gone, those for the open round and one roll-back are there.
    std::error_code ec;
    QVERIFY(!std::filesystem::exists(project.folder() / "state" / "base-3.safetensors", ec));
    QVERIFY(std::filesystem::exists(project.folder() / "state" / "base-4.safetensors", ec));
    QVERIFY(std::filesystem::exists(project.folder() / "state" / "base-5.safetensors", ec));
}

QTEST_GUILESS_MAIN(TestRestart)
#include "tst_restart.moc"
