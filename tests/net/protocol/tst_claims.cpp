// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/claims.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>

#include <limits>

using namespace sunloco;
using namespace sunloco::protocol;

class TestClaims : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void partsCoverTheArena();
    void hugeNumbersStick();
    void tooSmallIsRefusedByName();
};

void TestClaims::partsCoverTheArena() {
    for (const core::Codec codec : {core::Codec::Int8, core::Codec::Fp32}) {
        const std::int64_t full = partElements(codec);
        for (const std::int64_t elements : {std::int64_t{1}, std::int64_t{63}, std::int64_t{65}, full - 1, full, full + 1, 3 * full, 3 * full + 17}) {
            std::int64_t next = 0;
            std::int64_t bytes = 0;
            for (const auto& part : planParts(codec, 64, elements)) {
                QCOMPARE(part.first, next);
                QVERIFY(part.elements >= 1 && part.elements <= full);
                next += part.elements;
                bytes += part.bytes;
            }
            QCOMPARE(next, elements);
            QCOMPARE(encodedBytes(codec, 64, elements), bytes);
        }
    }
    QVERIFY(planParts(core::Codec::Int8, 64, 0).empty());
    QCOMPARE(fragmentBytes(core::Codec::Fp32, 64, 10), std::int64_t{24 + 40});
    QCOMPARE(fragmentBytes(core::Codec::Int8, 64, 65), std::int64_t{24 + 8 + 65});
}

void TestClaims::hugeNumbersStick() {
    core::ModelConfig model = samples::targets().manifest.model;
    model.intermediateSize = std::int64_t{1} << 40;
    core::Recipe recipe;
    recipe.batchSequences = 1 << 20;
    recipe.sequenceLength = 1 << 17;
    const Claims claims = computeClaims(model, recipe, {std::int64_t{1} << 62, std::int64_t{1} << 62, std::int64_t{1} << 62});
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    QCOMPARE(claims.memoryBytes, most);
    QCOMPARE(claims.downloadBytesOnce, most);
    QCOMPARE(claims.diskBytes, most);
}

void TestClaims::tooSmallIsRefusedByName() {
    const Claims computed = samples::targets().manifest.claims;
    QVERIFY(checkClaims(computed, computed));
    const std::pair<const char*, std::int64_t Claims::*> fields[] = {{"memory_bytes", &Claims::memoryBytes},
                                                                     {"disk_bytes", &Claims::diskBytes},
                                                                     {"upload_bytes_per_round", &Claims::uploadBytesPerRound},
                                                                     {"download_bytes_per_round", &Claims::downloadBytesPerRound},
                                                                     {"download_bytes_once", &Claims::downloadBytesOnce}};
    for (const auto& [fieldName, field] : fields) {
        Claims stated = computed;
        stated.*field -= 1;
        const auto outcome = checkClaims(stated, computed);
        QVERIFY(!outcome);
        QVERIFY(outcome.error().message.find(fieldName) != std::string::npos);
        stated.*field += 1000;   // more than needed is the operator's right
        QVERIFY(checkClaims(stated, computed));
    }
    Claims other = computed;
    other.parameters += 1;
    QVERIFY(!checkClaims(other, computed));
}

QTEST_GUILESS_MAIN(TestClaims)
#include "tst_claims.moc"
