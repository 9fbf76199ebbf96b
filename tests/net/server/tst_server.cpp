// SPDX-License-Identifier: Apache-2.0
// A project from real text, served over TLS, and volunteers that speak to it: the good path and everything that goes wrong on it.
#include "engine/codec/codec.h"
#include "engine/core/safetensors.h"
#include "net/protocol/link.h"
#include "net/protocol/trust_store.h"
#include "net/server/replay_check.h"
#include "server_fixture.h"

#include <QTest>

#include <cstring>
#include <set>
#include <thread>

using namespace sunloco;
using test::codeOf;
using test::request;
using test::ServedProject;
using test::statusOf;
using test::Volunteer;

class TestServer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void twoRoundsEndToEnd();
    void refusesWrongSignatures();
    void refusesAReplayedRequest();
    void otherDevicesSeeNothing();
    void badParts();
    void sameAgainIsHarmless();
    void parallelCommitsCountOnce();
    void lateContributionIsToldSo();
    void badContributions();
    void leasesNeverOverlap();
    void expiredLeaseComesBackOrIsGivenAway();
    void deadlineClosesARound();
    void invitations();
    void objectRanges();
    void pageAndMetrics();
    void finishesWithTheRecipe();

private:
    static protocol::TrustStore refreshed(ServedProject& project, QString& fault);
};

/// A volunteer's view: everything verified from the link on.
protocol::TrustStore TestServer::refreshed(ServedProject& project, QString& fault) {
    const auto link = protocol::parseLink(project.link());
    const auto root = request(project.port(), "GET", "/v1/meta/root/1.json");
    auto store = protocol::TrustStore::start(link->root, root->body);
    if (!store) { qFatal("%s", store.error().text().c_str()); }
    protocol::MetadataRefresh refresh(*store, project.clock().utcNow());
    while (refresh.next()) {
        const auto answer = request(project.port(), "GET", refresh.next()->path);
        const auto taken = statusOf(answer) == 404 ? refresh.notFound() : refresh.received(answer->body);
        if (!taken) {
            fault = QString::fromStdString(taken.error().text());
            break;
        }
    }
    return std::move(*store);
}

void TestServer::twoRoundsEndToEnd() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    const auto link = protocol::parseLink(project.link());
    QVERIFY(link);
    QCOMPARE(link->root.hex(), project.report().rootHash);
    QVERIFY(link->pin.has_value());

    QString fault;
    protocol::TrustStore trust = refreshed(project, fault);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
    const protocol::Manifest manifest = trust.targets()->manifest;
    QCOMPARE(trust.root().project.name, std::string("Tiny <project> & co"));
    QCOMPARE(manifest.source.licence, std::string("Each text's own"));
    const core::TensorLayout layout = core::makeLayout(manifest.model);

    // The initial base, as a newcomer loads it.
    QTemporaryDir local;
    const auto initial = request(project.port(), "GET", "/v1/objects/sha256/" + trust.rounds()->checkpoint.object.sha256.hex());
    QCOMPARE(core::sha256(core::asBytes(initial->body)), trust.rounds()->checkpoint.object.sha256);
    test::writeFile(local.path().toStdString() + "/base", initial->body);
    auto base = core::loadArena(local.path().toStdString() + "/base", layout);
    QVERIFY(base);
    QCOMPARE(core::arenaHash(*base), trust.rounds()->baseHash);

    const auto ada = project.volunteer();
    const auto bob = project.volunteer();
    for (std::int64_t round = 1; round <= 2; ++round) {
        QVERIFY(ada->doOneRound(project.elements(), 10 + static_cast<unsigned>(round)));
        QCOMPARE(ada->lease.round, round);
        QCOMPARE(codeOf(ada->askLease()), std::string("round-done-for-you"));
        QVERIFY(bob->doOneRound(project.elements(), 20 + static_cast<unsigned>(round)));
        const auto receipt = protocol::verifyReceipt(bob->committed.receipt, trust.root());
        QVERIFY(receipt);
        QCOMPARE(receipt->round, round);
        QCOMPARE(receipt->deviceId, bob->deviceId());
        QCOMPARE(receipt->partsDigest, protocol::partsDigest(bob->request.parts));
        QVERIFY(project.waitForRounds(static_cast<std::size_t>(round)));
        trust = refreshed(project, fault);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
        QCOMPARE(trust.rounds()->round, round + 1);
        QCOMPARE(trust.rounds()->firstGlobalStep, 2 * round);
        const protocol::UpdateRef update = trust.rounds()->updates.back();
        QCOMPARE(update.round, round);
        const auto object = request(project.port(), "GET", "/v1/objects/sha256/" + update.object.sha256.hex());
        QCOMPARE(static_cast<std::int64_t>(object->body.size()), update.object.bytes);
        QCOMPARE(core::sha256(core::asBytes(object->body)), update.object.sha256);
        std::vector<float> step(base->size());
        QVERIFY(codec::decodeAll(core::asBytes(object->body), step));
        for (std::size_t i = 0; i < step.size(); ++i) { (*base)[i] += step[i]; }
        QCOMPARE(core::arenaHash(*base), update.baseHash);
        QCOMPARE(trust.rounds()->baseHash, update.baseHash);
    }
    const auto status = project.status();
    QCOMPARE(status.history.size(), std::size_t{2});
    QCOMPARE(status.history[1].contributors, std::int64_t{2});
    QCOMPARE(status.tokensTotal, std::int64_t{2 * 2 * 64});
    std::int64_t sent = 0;
    for (const auto& part : bob->parts) { sent += static_cast<std::int64_t>(part.size()); }
    QCOMPARE(status.history[0].bytesUp, 2 * sent);
    const auto own = protocol::OwnContributions::parse(ada->call("GET", "/v1/devices/me/contributions", "")->body);
    QVERIFY(own);
    QCOMPARE(own->rows.size(), std::size_t{2});
    QCOMPARE(own->rows[0].state, protocol::ContributionState::Merged);
    QCOMPARE(own->rows[0].weight, 0.5);
    const auto replay = server::replayProject(project.folder());
    QVERIFY(replay);
    QVERIFY2(replay->equal, replay->difference.c_str());
    QCOMPARE(replay->bases.size(), std::size_t{3});
    QCOMPARE(replay->bases.back(), trust.rounds()->baseHash.hex());
}

void TestServer::refusesWrongSignatures() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    const std::string body = R"({"round_seen":0,"sequence":1,"software":"test/1.0"})";
    Volunteer::Tweaks corrupt;
    corrupt.corruptSignature = true;
    auto answer = ada->call("POST", "/v1/tasks/lease", body, corrupt);
    QCOMPARE(statusOf(answer), 401);
    QCOMPARE(codeOf(answer), std::string("bad-signature"));
    QVERIFY(std::abs(std::stoll(answer->headers.at("sunloco-time")) - project.clock().utcNow()) < 60'000);
    Volunteer::Tweaks otherServer;
    otherServer.authority = "evil.example";
    QCOMPARE(codeOf(ada->call("POST", "/v1/tasks/lease", body, otherServer)), std::string("bad-signature"));
    Volunteer::Tweaks wrongClock;
    wrongClock.clockOffsetMs = -3'600'000;
    answer = ada->call("POST", "/v1/tasks/lease", body, wrongClock);
    QCOMPARE(codeOf(answer), std::string("clock-skew"));
    QVERIFY(answer->headers.count("sunloco-time") == 1);
    // A changed body under a right signature.
    std::string text = ada->signedText("POST", "/v1/tasks/lease", body, {});
    text.replace(text.find("test/1.0"), 8, "fest/1.0");
    test::TlsClient client(project.port());
    QVERIFY(client.send(text));
    QCOMPARE(codeOf(client.read()), std::string("bad-signature"));
    Volunteer stranger(project.port(), "127.0.0.1:" + std::to_string(project.port()), project.clock());
    QCOMPARE(codeOf(stranger.call("POST", "/v1/tasks/lease", body)), std::string("unknown-device"));
    QCOMPARE(statusOf(request(project.port(), "POST", "/v1/tasks/lease", "Content-Type: application/json\r\n", body)), 401);
    QCOMPARE(statusOf(ada->call("POST", "/v1/tasks/lease", body)), 200);
}

void TestServer::refusesAReplayedRequest() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    const std::string text = ada->signedText("POST", "/v1/tasks/lease", R"({"round_seen":0,"sequence":1,"software":"test/1.0"})", {});
    test::TlsClient first(project.port());
    QVERIFY(first.send(text));
    QCOMPARE(statusOf(first.read()), 200);
    test::TlsClient second(project.port());
    QVERIFY(second.send(text));
    const auto answer = second.read();
    QCOMPARE(statusOf(answer), 401);
    QCOMPARE(codeOf(answer), std::string("replayed-nonce"));
    // Also after a restart: the nonce is in the database.
    const auto port = project.port();
    project.stop();
    QCOMPARE(project.start(port), std::string());
    test::TlsClient third(port);
    QVERIFY(third.send(text));
    QCOMPARE(codeOf(third.read()), std::string("replayed-nonce"));
}

void TestServer::otherDevicesSeeNothing() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    const auto eve = project.volunteer();
    QCOMPARE(statusOf(ada->askLease()), 200);
    ada->makeParts(ada->lease, project.elements(), 1);
    QCOMPARE(statusOf(eve->heartbeat(ada->lease.leaseId, 1)), 404);
    QCOMPARE(statusOf(eve->call("POST", "/v1/leases/" + ada->lease.leaseId + "/release", R"({"reason":"user-left"})")), 404);
    Volunteer::Tweaks key;
    key.idempotencyKey = "evesevesevesevese";
    QCOMPARE(statusOf(eve->call("POST", "/v1/contributions", ada->request.serialise(), key)), 404);
    QCOMPARE(statusOf(ada->create("adaadaadaadaada1")), 201);
    QCOMPARE(statusOf(eve->call("POST", "/v1/contributions/" + ada->contribution + "/commit", "{}")), 404);
    QCOMPARE(statusOf(eve->call("POST", "/v1/contributions/" + ada->contribution + "/bearer", "{}")), 404);
    QCOMPARE(statusOf(ada->call("POST", "/v1/contributions/" + ada->contribution + "/bearer", "{}")), 200);
    // Eve's own bearer opens only her own contribution.
    QCOMPARE(statusOf(eve->askLease()), 200);
    eve->makeParts(eve->lease, project.elements(), 2);
    QCOMPARE(statusOf(eve->create("eveeveeveeveeve1")), 201);
    QCOMPARE(codeOf(ada->putBytes(0, ada->parts[0], eve->bearer)), std::string("bearer-invalid"));
    QCOMPARE(statusOf(request(project.port(), "GET", "/v1/contributions/" + ada->contribution, "Authorization: Bearer " + eve->bearer + "\r\n")), 401);
    QCOMPARE(statusOf(request(project.port(), "GET", "/v1/contributions/" + ada->contribution)), 401);
    // A bearer runs out.
    project.clock().push(901'000);
    QCOMPARE(codeOf(ada->putPart(0)), std::string("bearer-expired"));
}

void TestServer::badParts() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    QCOMPARE(statusOf(ada->askLease()), 200);
    ada->makeParts(ada->lease, project.elements(), 1);
    QCOMPARE(statusOf(ada->create("adaadaadaadaada1")), 201);
    const auto missing = [&] { return protocol::ContributionStatus::parse(ada->state()->body)->missing.size(); };
    QCOMPARE(missing(), ada->parts.size());

    std::string flipped = ada->parts[0];
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 4);
    QCOMPARE(codeOf(ada->putBytes(0, flipped, ada->bearer)), std::string("digest-mismatch"));
    QCOMPARE(codeOf(ada->putBytes(0, ada->parts[0] + "x", ada->bearer)), std::string("too-large"));
    QCOMPARE(statusOf(ada->putBytes(0, ada->parts[0].substr(1), ada->bearer)), 400);
    const std::string head = "PUT /v1/contributions/" + ada->contribution + "/parts/0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ada->bearer + "\r\n";
    {
        test::TlsClient client(project.port());
        QVERIFY(client.send(head + "\r\n"));
        QCOMPARE(codeOf(client.read()), std::string("length-required"));
    }
    QCOMPARE(statusOf(request(project.port(), "PUT", "/v1/contributions/" + ada->contribution + "/parts/0", "Authorization: Bearer " + ada->bearer + "\r\n", ada->parts[0])), 400);
    QCOMPARE(codeOf(request(project.port(), "PUT", "/v1/contributions/" + ada->contribution + "/parts/0",
                            "Authorization: Bearer " + ada->bearer + "\r\nContent-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:\r\n", ada->parts[0])),
             std::string("other-digest"));
    QCOMPARE(statusOf(request(project.port(), "PUT", "/v1/contributions/" + ada->contribution + "/parts/77", "Authorization: Bearer " + ada->bearer + "\r\n", "x")), 404);
    {
        // Cut off in the middle of the body.
        test::TlsClient client(project.port());
        QVERIFY(client.send(head + "Content-Length: " + std::to_string(ada->parts[0].size()) + "\r\nContent-Digest: sha-256=:" +
                            core::toBase64(ada->request.parts[0].sha256.bytes) + ":\r\n\r\n" + ada->parts[0].substr(0, ada->parts[0].size() / 2)));
    }
    QCOMPARE(missing(), ada->parts.size());
    QCOMPARE(codeOf(ada->commit()), std::string("missing-parts"));
    std::error_code ec;
    // Nothing of all that stayed on the disk.
    QTRY_VERIFY(std::filesystem::is_empty(project.folder() / "objects" / "tmp", ec));
    for (std::size_t n = 0; n < ada->parts.size(); ++n) { QCOMPARE(statusOf(ada->putPart(n)), 201); }
    QCOMPARE(missing(), std::size_t{0});

    // A part whose digest is right, but which holds a NaN scale.
    const auto bob = project.volunteer();
    QCOMPARE(statusOf(bob->askLease()), 200);
    bob->makeParts(bob->lease, project.elements(), 2);
    const std::uint32_t nan = 0x7FC00000;
    std::memcpy(bob->parts[0].data() + 24, &nan, 4);
    bob->request.parts[0].sha256 = core::sha256(core::asBytes(bob->parts[0]));
    QCOMPARE(statusOf(bob->create("bobbobbobbobbob1")), 201);
    const auto answer = bob->putPart(0);
    QCOMPARE(statusOf(answer), 400);
    QVERIFY(answer->body.find("not a sound fragment") != std::string::npos);
    QCOMPARE(codeOf(bob->commit()), std::string("missing-parts"));
}

void TestServer::sameAgainIsHarmless() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    QCOMPARE(statusOf(ada->enrol()), 200);
    QCOMPARE(statusOf(ada->askLease()), 200);
    const std::string lease = ada->lease.leaseId;
    QCOMPARE(statusOf(ada->askLease()), 200);
    QCOMPARE(ada->lease.leaseId, lease);
    ada->makeParts(ada->lease, project.elements(), 1);
    QCOMPARE(statusOf(ada->create("adaadaadaadaada1")), 201);
    const std::string id = ada->contribution;
    QCOMPARE(statusOf(ada->create("adaadaadaadaada1")), 200);
    QCOMPARE(ada->contribution, id);
    ada->request.exitLoss = 1;
    QCOMPARE(statusOf(ada->create("adaadaadaadaada1")), 422);
    QCOMPARE(statusOf(ada->create("otherotherother1")), 409);
    for (std::size_t n = 0; n < ada->parts.size(); ++n) {
        QCOMPARE(statusOf(ada->putPart(n)), 201);
        QCOMPARE(statusOf(ada->putPart(n)), 200);
    }
    const auto first = ada->commit();
    const auto second = ada->commit();
    QCOMPARE(statusOf(first), 200);
    QCOMPARE(statusOf(second), 200);
    QCOMPARE(protocol::CommitAnswer::parse(first->body)->receipt, protocol::CommitAnswer::parse(second->body)->receipt);
    const auto state = protocol::ContributionStatus::parse(ada->state()->body);
    QCOMPARE(state->state, protocol::ContributionState::Committed);
    QVERIFY(state->receipt.has_value());
    QCOMPARE(statusOf(ada->putPart(0)), 200);   // a late repetition
    QCOMPARE(project.status().contributors, std::int64_t{1});
}

void TestServer::parallelCommitsCountOnce() {
    ServedProject project;
    QCOMPARE(project.make({"quorum=3"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    QCOMPARE(statusOf(ada->askLease()), 200);
    ada->makeParts(ada->lease, project.elements(), 1);
    QCOMPARE(statusOf(ada->create("adaadaadaadaada1")), 201);
    for (std::size_t n = 0; n < ada->parts.size(); ++n) { QCOMPARE(statusOf(ada->putPart(n)), 201); }
    std::vector<std::string> bodies(12);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        threads.emplace_back([&, i] {
            const auto answer = ada->commit();
            bodies[i] = answer && answer->status == 200 ? answer->body : std::string("failed");
        });
    }
    for (auto& thread : threads) { thread.join(); }
    for (const auto& body : bodies) { QCOMPARE(body, bodies[0]); }
    QVERIFY(bodies[0] != "failed");
    QCOMPARE(project.status().contributors, std::int64_t{1});
}

void TestServer::lateContributionIsToldSo() {
    ServedProject project;
    QCOMPARE(project.make({"quorum=1"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    const auto bob = project.volunteer();
    const auto cyd = project.volunteer();
    QCOMPARE(statusOf(bob->askLease()), 200);
    bob->makeParts(bob->lease, project.elements(), 2);
    QCOMPARE(statusOf(cyd->askLease()), 200);
    QVERIFY(ada->doOneRound(project.elements(), 1));
    QVERIFY(project.waitForRounds(1));
    const auto late = bob->create("bobbobbobbobbob1");
    QCOMPARE(statusOf(late), 410);
    QCOMPARE(codeOf(late), std::string("round-closed"));
    const auto heartbeat = protocol::HeartbeatAnswer::parse(cyd->heartbeat(cyd->lease.leaseId, 1)->body);
    QVERIFY(heartbeat);
    QVERIFY(!heartbeat->roundOpen);
    QCOMPARE(statusOf(bob->askLease()), 200);
    QCOMPARE(bob->lease.round, std::int64_t{2});
    // The old base is refused even with the new lease.
    bob->request.leaseId = bob->lease.leaseId;
    QCOMPARE(codeOf(bob->create("bobbobbobbobbob2")), std::string("base-mismatch"));
}

void TestServer::badContributions() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    QCOMPARE(statusOf(ada->askLease()), 200);
    ada->makeParts(ada->lease, project.elements(), 1);
    const auto good = ada->request;
    ada->request.tokens *= 10;   // claims more than it did
    QCOMPARE(statusOf(ada->create("adaadaadaadaada1")), 400);
    ada->request = good;
    ada->request.steps += 1;
    ada->request.tokens += 32;
    QCOMPARE(statusOf(ada->create("adaadaadaadaada2")), 400);
    ada->request = good;
    ada->request.parts[0].elements -= 1;
    QCOMPARE(statusOf(ada->create("adaadaadaadaada3")), 400);
    ada->request = good;
    ada->request.leaseId = "aaaaaaaaaaaaaaaaaaaaaaaaaa";
    QCOMPARE(statusOf(ada->create("adaadaadaadaada4")), 404);
    ada->request = good;
    QCOMPARE(statusOf(ada->create("short")), 400);
    // A part of the steps counts.
    ada->request.steps = 1;
    ada->request.tokens = 32;
    QCOMPARE(statusOf(ada->create("adaadaadaadaada6")), 201);
}

void TestServer::leasesNeverOverlap() {
    ServedProject project;
    // Room for five leases of full size and one shorter one, whatever the text gives exactly.
    QCOMPARE(project.make({"quorum=1"}), std::string());
    const std::int64_t examples = project.report().examples;
    ServedProject sized;
    const std::int64_t steps = examples / 2 / 5 - 1;
    QCOMPARE(sized.make({"quorum=1", "inner_steps=" + std::to_string(steps)}), std::string());
    QCOMPARE(sized.start(), std::string());
    std::set<std::int64_t> used;
    std::vector<std::unique_ptr<Volunteer>> volunteers;
    bool shorter = false;
    std::string end;
    for (int i = 0; i < 12; ++i) {
        volunteers.push_back(sized.volunteer());
        const auto answer = volunteers.back()->askLease();
        if (statusOf(answer) != 200) {
            end = codeOf(answer);
            QVERIFY(protocol::Problem::parse(answer->body)->retryAfterMs.value_or(0) >= 300);
            break;
        }
        const auto& lease = volunteers.back()->lease;
        QCOMPARE(lease.examples.count, lease.steps * 2);
        shorter = shorter || lease.steps < steps;
        for (std::int64_t e = lease.examples.first; e < lease.examples.first + lease.examples.count; ++e) { QVERIFY(used.insert(e % examples).second); }
    }
    QCOMPARE(end, std::string("no-data-left"));
    QVERIFY(shorter);
    // What one gives back, another gets: the same range, once.
    auto& first = volunteers.front();
    const auto range = first->lease.examples;
    QCOMPARE(statusOf(first->call("POST", "/v1/leases/" + first->lease.leaseId + "/release", R"({"reason":"user-left"})")), 200);
    auto& last = volunteers.back();
    QCOMPARE(statusOf(last->askLease()), 200);
    QCOMPARE(last->lease.examples, range);
    QCOMPARE(codeOf(first->heartbeat(first->lease.leaseId, 1)), std::string("lease-expired"));
    QCOMPARE(codeOf(first->askLease()), std::string("no-data-left"));
}

void TestServer::expiredLeaseComesBackOrIsGivenAway() {
    ServedProject project;
    QCOMPARE(project.make({"lease_seconds=60", "round_deadline_seconds=86400"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    QCOMPARE(statusOf(ada->askLease()), 200);
    const auto lease = ada->lease;
    project.clock().push(120'000);
    QTest::qWait(1'500);   // the sweeper comes every second of the server's own clock
    // The PC slept; nobody has its text yet: the lease goes on.
    const auto heartbeat = protocol::HeartbeatAnswer::parse(ada->heartbeat(lease.leaseId, 1)->body);
    QVERIFY(heartbeat);
    QVERIFY(heartbeat->roundOpen);
    QVERIFY(heartbeat->expiresAt > project.clock().utcNow());
    project.clock().push(120'000);
    QTest::qWait(1'500);
    QCOMPARE(statusOf(ada->askLease()), 200);
    QCOMPARE(ada->lease.leaseId, lease.leaseId);
    project.clock().push(120'000);
    QTest::qWait(1'500);
    ada->makeParts(lease, project.elements(), 1);
    QCOMPARE(statusOf(ada->create("adaadaadaadaada1")), 201);
    // A copied key shows by an older sequence number.
    QCOMPARE(codeOf(ada->call("POST", "/v1/tasks/lease", R"({"round_seen":0,"sequence":1,"software":"test/1.0"})")), std::string("sequence-reused"));
}

void TestServer::deadlineClosesARound() {
    ServedProject project;
    QCOMPARE(project.make({"quorum=5", "round_deadline_seconds=600"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    QVERIFY(ada->doOneRound(project.elements(), 1));
    QTest::qWait(700);
    QCOMPARE(project.status().history.size(), std::size_t{0});
    project.clock().push(601'000);
    QVERIFY(project.waitForRounds(1));
    QCOMPARE(project.status().history[0].contributors, std::int64_t{1});
    // The next one has nobody: its deadline moves, and the signed file says so.
    const auto before = project.status().deadline;
    project.clock().push(601'000);
    QTRY_VERIFY_WITH_TIMEOUT(project.status().deadline > before, 10'000);
    QString fault;
    const auto trust = refreshed(project, fault);
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
    QCOMPARE(trust.rounds()->deadline, project.status().deadline);
    QCOMPARE(trust.rounds()->round, std::int64_t{2});
}

void TestServer::invitations() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    test::writeFile(project.folder() / "server.toml", "require_invite = true\n");
    QCOMPARE(project.start(), std::string());
    Volunteer stranger(project.port(), "127.0.0.1:" + std::to_string(project.port()), project.clock());
    QCOMPARE(codeOf(stranger.enrol()), std::string("invite-required"));
    QCOMPARE(codeOf(stranger.enrol("made-up-code")), std::string("invite-required"));
}

void TestServer::objectRanges() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    QString fault;
    const auto trust = refreshed(project, fault);
    const auto& shard = trust.targets()->manifest.shards[0].object;
    const std::string path = "/v1/objects/sha256/" + shard.sha256.hex();
    const auto whole = request(project.port(), "GET", path);
    QCOMPARE(statusOf(whole), 200);
    QCOMPARE(whole->headers.at("etag"), "\"" + shard.sha256.hex() + "\"");
    QVERIFY(whole->headers.at("cache-control").find("immutable") != std::string::npos);
    QCOMPARE(core::sha256(core::asBytes(whole->body)), shard.sha256);
    const auto rest = request(project.port(), "GET", path, "Range: bytes=1000-\r\nIf-Range: \"" + shard.sha256.hex() + "\"\r\n");
    QCOMPARE(statusOf(rest), 206);
    QCOMPARE(rest->headers.at("content-range"), "bytes 1000-" + std::to_string(shard.bytes - 1) + "/" + std::to_string(shard.bytes));
    QCOMPARE(whole->body.substr(1'000), rest->body);
    QCOMPARE(statusOf(request(project.port(), "GET", path, "Range: bytes=1000-\r\nIf-Range: \"other\"\r\n")), 200);
    const auto beyond = request(project.port(), "GET", path, "Range: bytes=" + std::to_string(shard.bytes) + "-\r\n");
    QCOMPARE(statusOf(beyond), 416);
    QCOMPARE(beyond->headers.at("content-range"), "bytes */" + std::to_string(shard.bytes));
    QCOMPARE(request(project.port(), "HEAD", path)->headers.at("content-length"), std::to_string(shard.bytes));
    QCOMPARE(statusOf(request(project.port(), "GET", "/v1/objects/sha256/" + std::string(64, 'a'))), 404);
    QCOMPARE(statusOf(request(project.port(), "GET", "/v1/objects/sha256/../../server.db")), 404);
    QCOMPARE(statusOf(request(project.port(), "POST", path, "Content-Type: application/json\r\n", "{}")), 405);
    // Another device's pseudo-gradient is nobody's business before the merge, nor after it.
    const auto ada = project.volunteer();
    QVERIFY(ada->doOneRound(project.elements(), 1));
    QCOMPARE(statusOf(request(project.port(), "GET", "/v1/objects/sha256/" + ada->request.parts[0].sha256.hex())), 404);
}

void TestServer::pageAndMetrics() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    const auto page = request(project.port(), "GET", "/");
    QCOMPARE(statusOf(page), 200);
    QVERIFY(page->body.find("Tiny &lt;project&gt; &amp; co") != std::string::npos);
    QVERIFY(page->body.find("<project>") == std::string::npos);
    QVERIFY(page->body.find(project.link().substr(0, project.link().find('&'))) != std::string::npos);
    QVERIFY(page->headers.at("content-security-policy").find("default-src 'none'") != std::string::npos);
    for (const char* outside : {"http://", "src=", "@import", "url("}) { QVERIFY2(page->body.find(outside) == std::string::npos, outside); }
    const auto metrics = request(project.port(), "GET", "/metrics");
    QCOMPARE(statusOf(metrics), 200);
    QVERIFY(metrics->body.find("sunloco_round 1\n") != std::string::npos);
    QCOMPARE(statusOf(request(project.port(), "GET", "/nothing")), 404);
}

void TestServer::finishesWithTheRecipe() {
    ServedProject project;
    QCOMPARE(project.make({"quorum=1", "total_steps=4"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    QVERIFY(ada->doOneRound(project.elements(), 1));
    QVERIFY(project.waitForRounds(1));
    QVERIFY(ada->doOneRound(project.elements(), 2));
    QVERIFY(project.waitForRounds(2));
    QCOMPARE(project.status().state, protocol::RoundState::Finished);
    QCOMPARE(codeOf(ada->askLease()), std::string("no-data-left"));
}

QTEST_GUILESS_MAIN(TestServer)
#include "tst_server.moc"
