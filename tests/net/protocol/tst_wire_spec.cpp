// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/limits.h"
#include "net/protocol/paths.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>

#include <fstream>

using namespace sunloco::protocol;

/// The written specification and the code say the same, as far as a test can see it.
class TestWireSpec : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyProblemHasItsRow();
    void everyBodyIsDescribed();
    void everyPathIsListed();
    void limits();

private:
    bool says(const std::string& text) const { return m_spec.find(text) != std::string::npos; }
    std::string m_spec;
};

void TestWireSpec::initTestCase() {
    std::ifstream in(SUNLOCO_SOURCE_DIR "/net/protocol/README.md", std::ios::binary);
    m_spec.assign(std::istreambuf_iterator<char>(in), {});
    QVERIFY(m_spec.size() > 1000);
}

void TestWireSpec::everyProblemHasItsRow() {
    for (int i = 0; i < static_cast<int>(ProblemCode::Other); ++i) {
        const auto code = static_cast<ProblemCode>(i);
        const std::string row = "| `" + std::string(name(code)) + "` | " + std::to_string(statusOf(code)) + " |";
        QVERIFY2(says(row), row.c_str());
    }
}

void TestWireSpec::everyBodyIsDescribed() {
    for (const char* body : {"enrol_request", "enrol_answer", "lease_request", "lease", "heartbeat_request", "heartbeat_answer", "release_request", "contribution_request",
                             "contribution_created", "bearer_answer", "contribution_status", "commit_answer", "own_contributions", "status"}) {
        QVERIFY2(says("`" + std::string(body) + "` |") || says("`" + std::string(body) + "` / `") || says("/ `" + std::string(body) + "`"), body);
        QVERIFY2(!samples::golden(std::string(body) + ".json").empty(), body);
    }
    // Every key of a golden request or answer is named.
    for (const char* key : {"public_key", "tokens_per_second", "round_seen", "first_global_step", "codec_block", "round_open", "entry_loss", "delta_norm", "bearer_expires", "parts_digest",
                            "accepted_at", "initial_held_out_loss", "compute_seconds", "watt_hours", "is_estimate", "retry_after_ms", "root_version", "base_hash", "token_bytes", "held_out"}) {
        QVERIFY2(says(key), key);
    }
}

void TestWireSpec::everyPathIsListed() {
    for (const std::string& path : {std::string(kStatusPath), std::string(kDevicesPath), std::string(kOwnContributionsPath), std::string(kLeasePath), heartbeatPath("{id}"), releasePath("{id}"),
                                    std::string(kContributionsPath), contributionPath("{id}"), contributionPath("{id}") + "/parts/{n}", commitPath("{id}"), bearerPath("{id}"),
                                    std::string(kRootPath), std::string(kTargetsPath), std::string(kRoundsPath), std::string(kTimestampPath)}) {
        QVERIFY2(says("`" + path + "`") || says(" `" + path), path.c_str());
    }
}

void TestWireSpec::limits() {
    QVERIFY(says("64 KiB / 16 KiB / 1 MiB / 4 MiB"));
    QCOMPARE(kMaxRootBytes, 64 * kKiB);
    QCOMPARE(kMaxTimestampBytes, 16 * kKiB);
    QCOMPARE(kMaxRoundsBytes, 1 * kMiB);
    QCOMPARE(kMaxTargetsBytes, 4 * kMiB);
    QVERIFY(says("8 MiB / 16,384"));
    QCOMPARE(kMaxPartBytes, std::int64_t{8} << 20);
    QCOMPARE(kMaxParts, std::int64_t{16'384});
    QVERIFY(says("20,000 / 1,000 / 3,500"));
    QCOMPARE(kMaxShards, std::int64_t{20'000});
    QCOMPARE(kMaxHeldOutShards, std::int64_t{1'000});
    QCOMPARE(kMaxUpdates, std::int64_t{3'500});
    QVERIFY(says("|server clock − created| > 300 s"));
    QCOMPARE(kMaxClockSkewSeconds, std::int64_t{300});
    QVERIFY(says("outside 1…600 s"));
    QCOMPARE(kMaxSignatureLifeSeconds, std::int64_t{600});
    QVERIFY(says("valid 15 minutes"));
    QCOMPARE(kBearerLifeSeconds, std::int64_t{900});
}

QTEST_GUILESS_MAIN(TestWireSpec)
#include "tst_wire_spec.moc"
