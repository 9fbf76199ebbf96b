// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/limits.h"
#include "net/protocol/metadata.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace sunloco;
using namespace sunloco::protocol;
using core::Json;

/// The four signed files: golden bytes both ways, and what a hostile or careless server could write.
class TestMetadata : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goldenPayloads();
    void goldenFilesAreSignedTheSameWay();
    void wrongFields_data();
    void wrongFields();
    void manifestNumbersMustFit_data();
    void manifestNumbersMustFit();
    void emptyRootSatisfiesNobody();
};

namespace {

/// Reads a payload by the name of its golden file; empty when it is right.
QString readError(const QString& file, const std::string& payload) {
    const auto text = [](const auto& result) { return result ? QString() : QString::fromStdString(result.error().text()); };
    if (file == u"root"_qs) { return text(Root::parse(payload)); }
    if (file == u"targets"_qs) { return text(Targets::parse(payload)); }
    if (file == u"rounds"_qs) { return text(Rounds::parse(payload)); }
    return text(Timestamp::parse(payload));
}

std::string goldenPayload(const QString& file) { return samples::golden(file.toStdString() + "_payload.json"); }

}  // namespace

void TestMetadata::goldenPayloads() {
    const std::string root = samples::golden("root_payload.json");
    QCOMPARE(samples::root().serialise(), root);
    const auto readRoot = Root::parse(root);
    QVERIFY2(readRoot, readRoot ? "" : readRoot.error().text().c_str());
    QVERIFY(*readRoot == samples::root());
    QCOMPARE(readRoot->serialise(), root);

    const std::string targets = samples::golden("targets_payload.json");
    QCOMPARE(samples::targets().serialise(), targets);
    const auto readTargets = Targets::parse(targets);
    QVERIFY2(readTargets, readTargets ? "" : readTargets.error().text().c_str());
    QCOMPARE(readTargets->serialise(), targets);
    QCOMPARE(readTargets->manifest.trainingTokens(), std::int64_t{1'325'000});
    QCOMPARE(readTargets->manifest.model.hiddenSize, std::int64_t{128});

    const std::string rounds = samples::golden("rounds_payload.json");
    QCOMPARE(samples::rounds().serialise(), rounds);
    const auto readRounds = Rounds::parse(rounds);
    QVERIFY2(readRounds, readRounds ? "" : readRounds.error().text().c_str());
    QVERIFY(*readRounds == samples::rounds());

    const std::string timestamp = samples::golden("timestamp_payload.json");
    QCOMPARE(samples::timestamp().serialise(), timestamp);
    const auto readTimestamp = Timestamp::parse(timestamp);
    QVERIFY2(readTimestamp, readTimestamp ? "" : readTimestamp.error().text().c_str());
    QVERIFY(*readTimestamp == samples::timestamp());
}

void TestMetadata::goldenFilesAreSignedTheSameWay() {
    QCOMPARE(samples::rootFile(samples::root()), samples::golden("root.json"));
    QCOMPARE(samples::targetsFile(samples::targets()), samples::golden("targets.json"));
    QCOMPARE(samples::roundsFile(samples::rounds()), samples::golden("rounds.json"));
    QCOMPARE(samples::timestampFile(samples::timestamp()), samples::golden("timestamp.json"));
}

void TestMetadata::wrongFields_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("patch");   // RFC 7386 merge patch (null takes a key away)
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* file, const std::string& patch, const char* says) {
        QTest::newRow(name) << QString::fromLatin1(file) << QByteArray::fromStdString(patch) << QString::fromLatin1(says);
    };
    for (const char* file : {"root", "targets", "rounds", "timestamp"}) {
        const std::string prefix = std::string(file) + ": ";
        row((prefix + "unknown key").c_str(), file, R"({"extra":1})", "extra\" is unknown");
        row((prefix + "other role").c_str(), file, R"({"role":"mirror"})", "role\" must be");
        row((prefix + "version 0").c_str(), file, R"({"version":0})", "version");
        row((prefix + "version as a fraction").c_str(), file, R"({"version":1.5})", "version");
        row((prefix + "version as a text").c_str(), file, R"({"version":"1"})", "version");
        row((prefix + "no expiry").c_str(), file, R"({"expires":null})", "expires");
        row((prefix + "expiry below 0").c_str(), file, R"({"expires":-1})", "expires");
    }
    row("root: project id with a slash", "root", R"({"project":{"id":"../etc"}})", "project.id");
    row("root: name with a line break", "root", R"({"project":{"name":"a\nb"}})", "project.name");
    row("root: name that turns the reading direction", "root", R"({"project":{"name":"a\u202eb"}})", "project.name");
    row("root: url that runs something", "root", R"x({"project":{"url":"javascript:alert(1)"}})x", "https://");
    row("root: key under a wrong id", "root", R"({"keys":{"0000":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}})", "does not fit its id");
    row("root: key that is a number", "root", R"({"keys":{"0000":5}})", "does not fit its id");
    row("root: role with an unknown key", "root", R"({"roles":{"rounds":{"keyids":["abc"]}}})", "keyids");
    row("root: threshold 0", "root", R"({"roles":{"rounds":{"threshold":0}}})", "threshold");
    row("root: threshold above the keys", "root", R"({"roles":{"rounds":{"threshold":2}}})", "threshold");
    row("root: no timestamp role", "root", R"({"roles":{"timestamp":null}})", "timestamp");
    row("root: extra role", "root", R"({"roles":{"mirror":{"keyids":[],"threshold":1}}})", "mirror");
    row("rounds: round 0", "rounds", R"({"round":0})", "round");
    row("rounds: gap", "rounds", R"({"round":8})", "round 8 is open");
    row("rounds: other base", "rounds", R"({"base_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})", "not the base after the last update");
    row("rounds: capital hash", "rounds", R"({"base_hash":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})", "hexadecimal");
    row("rounds: deadline before opening", "rounds", R"({"deadline":1})", "lies before");
    row("rounds: checkpoint of 0 bytes", "rounds", R"({"checkpoint":{"bytes":0}})", "checkpoint.bytes");
    row("rounds: checkpoint with a path", "rounds", R"({"checkpoint":{"path":"/etc"}})", "checkpoint.path");
    row("rounds: updates as a number", "rounds", R"({"updates":3})", "updates");
    row("timestamp: targets too large", "timestamp", R"({"targets":{"bytes":4194305}})", "targets.bytes");
    row("timestamp: rounds too large", "timestamp", R"({"rounds":{"bytes":1048577}})", "rounds.bytes");
    row("timestamp: short hash", "timestamp", R"({"rounds":{"sha256":"ab"}})", "sha256");
}

void TestMetadata::wrongFields() {
    QFETCH(QString, file);
    QFETCH(QByteArray, patch);
    QFETCH(QString, says);
    QCOMPARE(readError(file, goldenPayload(file)), QString());
    Json payload = Json::parse(goldenPayload(file));
    payload.merge_patch(Json::parse(patch.toStdString()));
    const QString error = readError(file, payload.dump());
    QVERIFY2(error.contains(says), qPrintable(error));
}

void TestMetadata::manifestNumbersMustFit_data() {
    QTest::addColumn<QByteArray>("patch");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* patch, const char* says) { QTest::newRow(name) << QByteArray(patch) << QString::fromLatin1(says); };
    row("unknown key", R"({"run":"rm"})", "manifest.run");
    row("token of 3 bytes", R"({"token_bytes":3})", "2 or 4");
    row("vocabulary too large for u16", R"({"model":{"vocab_size":70000}})", "does not fit tokens of 2 bytes");
    row("sequence longer than the model", R"({"recipe":{"sequence_length":65}})", "positions");
    row("recipe with an unknown key", R"({"recipe":{"python":"import os"}})", "python");
    row("recipe with an unknown method", R"({"recipe":{"method":"magic"}})", "method");
    row("block that makes parts too large", R"({"recipe":{"codec_block":1}})", "larger than 8 MiB");
    row("tokenizer too large", R"({"tokenizer":{"bytes":99999999999}})", "tokenizer.bytes");
    row("no shard", R"({"shards":[]})", "shards");
    row("shard without room", R"({"shards":[{"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","bytes":10,"tokens":6}]})", "room");
    row("initial weights too small", R"({"initial":{"bytes":100}})", "initial weights");
    row("initial weights endless", R"({"initial":{"bytes":1000000000000}})", "initial weights");
    row("model with code", R"({"model":{"auto_map":{"AutoModel":"evil.py"}}})", "auto_map");
    row("other parameter count", R"({"claims":{"parameters":5}})", "parameters");
    row("memory understated", R"({"claims":{"memory_bytes":1000}})", "memory_bytes");
    row("disk understated", R"({"claims":{"disk_bytes":1000}})", "disk_bytes");
    row("upload understated", R"({"claims":{"upload_bytes_per_round":1000}})", "upload_bytes_per_round");
    row("download understated", R"({"claims":{"download_bytes_per_round":1000}})", "download_bytes_per_round");
    row("first download understated", R"({"claims":{"download_bytes_once":1000}})", "download_bytes_once");
    row("ten leases hidden", R"({"recipe":{"leases_per_device":10}})", "disk_bytes");
}

void TestMetadata::manifestNumbersMustFit() {
    QFETCH(QByteArray, patch);
    QFETCH(QString, says);
    Json payload = Json::parse(goldenPayload(u"targets"_qs));
    payload["manifest"].merge_patch(Json::parse(patch.toStdString()));
    const QString error = readError(u"targets"_qs, payload.dump());
    QVERIFY2(error.contains(says), qPrintable(error));
}

void TestMetadata::emptyRootSatisfiesNobody() {
    const Root empty;
    for (const Role role : kRoles) {
        const KeyPair key = samples::keyOf(samples::Who::Root);
        QVERIFY(!verifyEnvelope(signEnvelope(payloadType(role), "{}", {&key}), payloadType(role), empty.keysOf(role)));
    }
}

QTEST_GUILESS_MAIN(TestMetadata)
#include "tst_metadata.moc"
