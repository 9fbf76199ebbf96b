// SPDX-License-Identifier: Apache-2.0
#include "engine/core/files.h"
#include "engine/data/shards.h"

#include <QtTest>

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

using namespace sunloco;
using core::ErrorCode;
namespace fs = std::filesystem;

namespace {
std::vector<std::int32_t> counting(std::int64_t n) {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(n));
    std::iota(tokens.begin(), tokens.end(), 0);
    return tokens;
}

std::vector<std::int32_t> readBack(const std::vector<data::WrittenShard>& shards, int tokenBytes) {
    std::vector<std::int32_t> tokens;
    for (const data::WrittenShard& shard : shards) {
        const core::Bytes bytes = core::readFile(shard.file, 1 << 26).value_or({});
        for (std::size_t i = 0; i < bytes.size(); i += static_cast<std::size_t>(tokenBytes)) {
            tokens.push_back(tokenBytes == 2 ? static_cast<std::int32_t>(core::readU16(bytes.data() + i)) : static_cast<std::int32_t>(core::readU32(bytes.data() + i)));
        }
    }
    return tokens;
}

class FailAll final : public core::FaultPolicy {
public:
    core::Result<void> before(std::string_view) override { return core::Error{ErrorCode::DiskFull, "Injected", {}}; }
};
}  // namespace

class TestShards : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = m_dir->path().toStdString();
    }
    void writesWhatItGot_data();
    void writesWhatItGot();
    void equallyLong();
    void refusals();
    void heldOutIsPartOfTheText();
    void heldOutIsEvenlySpread();
    void shortTexts();

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_folder;
};

void TestShards::writesWhatItGot_data() {
    QTest::addColumn<int>("tokenBytes");
    QTest::addColumn<QList<qint32>>("extra");
    QTest::newRow("u16") << 2 << QList<qint32>{0, 1, 65'535};
    QTest::newRow("u32") << 4 << QList<qint32>{0, 65'536, 0x7fffffff};
}
void TestShards::writesWhatItGot() {
    QFETCH(int, tokenBytes);
    QFETCH(QList<qint32>, extra);
    std::vector<std::int32_t> tokens = counting(1000);
    tokens.insert(tokens.end(), extra.begin(), extra.end());
    const auto shards = data::writeShards(m_folder, tokens, tokenBytes, 300);
    QVERIFY2(shards, shards ? "" : shards.error().text().c_str());
    QCOMPARE(shards->size(), std::size_t{4});
    QCOMPARE(readBack(*shards, tokenBytes), tokens);
    for (const data::WrittenShard& shard : *shards) {
        QCOMPARE(core::sha256File(shard.file)->hex(), shard.sha256.hex());
        QCOMPARE(shard.file.filename().string(), shard.sha256.hex() + ".tokens");
        QCOMPARE(shard.bytes, shard.tokens * tokenBytes);
        QCOMPARE(static_cast<std::int64_t>(fs::file_size(shard.file)), shard.bytes);
    }
}

void TestShards::equallyLong() {
    // One token more than a shard holds must not leave a shard of one token, in which no example fits.
    const auto shards = data::writeShards(m_folder, counting(301), 2, 300);
    QVERIFY(shards && shards->size() == 2);
    QVERIFY((*shards)[0].tokens == 151 && (*shards)[1].tokens == 150);
    QCOMPARE(data::writeShards(m_folder, counting(300), 2, 300)->size(), std::size_t{1});
    QVERIFY(data::writeShards(m_folder, {}, 2, 300)->empty());
}

void TestShards::refusals() {
    const std::vector<std::int32_t> large = {65'536}, negative = {-1};
    QCOMPARE(data::writeShards(m_folder, large, 2, 300).error().code, ErrorCode::InvalidArgument);
    QVERIFY(data::writeShards(m_folder, large, 4, 300));
    QVERIFY(!data::writeShards(m_folder, negative, 4, 300));
    QVERIFY(!data::writeShards(m_folder, large, 3, 300));
    QVERIFY(!data::writeShards(m_folder, large, 4, 0));
    QVERIFY(!data::writeShards(m_folder / "nowhere", large, 4, 300));
    FailAll policy;
    QCOMPARE(data::writeShards(m_folder, large, 4, 300, &policy).error().code, ErrorCode::DiskFull);
}

void TestShards::heldOutIsPartOfTheText() {
    QVERIFY(rc::check("both sides together are the text, in order, and the held-out side is whole blocks", [] {
        const auto total = *rc::gen::inRange<std::int64_t>(0, 3000);
        const auto block = *rc::gen::inRange<std::int64_t>(1, 200);
        const auto wanted = *rc::gen::inRange<std::int64_t>(0, 2000);
        const std::vector<std::int32_t> tokens = counting(total);
        const data::SplitTokens split = data::splitHeldOut(tokens, block, wanted);
        std::vector<std::int32_t> joined = split.training;
        RC_ASSERT(std::is_sorted(split.training.begin(), split.training.end()));
        RC_ASSERT(std::is_sorted(split.heldOut.begin(), split.heldOut.end()));
        joined.insert(joined.end(), split.heldOut.begin(), split.heldOut.end());
        std::sort(joined.begin(), joined.end());
        RC_ASSERT(joined == tokens);
        const auto held = static_cast<std::int64_t>(split.heldOut.size());
        RC_ASSERT(held % block == 0);
        RC_ASSERT(held <= total / 2);
        if (total >= 2 * block) {
            RC_ASSERT(held >= block);
            RC_ASSERT(held >= std::min(wanted, total / block / 2 * block));
            RC_ASSERT(held <= std::max(block, wanted + block - 1));
        } else {
            RC_ASSERT(held == 0);
        }
    }));
}

void TestShards::heldOutIsEvenlySpread() {
    const data::SplitTokens split = data::splitHeldOut(counting(10'000), 10, 200);
    QCOMPARE(split.heldOut.size(), std::size_t{200});
    for (std::size_t h = 0; h < 20; ++h) { QCOMPARE(split.heldOut[10 * h], static_cast<std::int32_t>(500 * h + 250)); }
}

void TestShards::shortTexts() {
    QVERIFY(data::splitHeldOut(counting(19), 10, 5).heldOut.empty());
    QCOMPARE(data::splitHeldOut(counting(20), 10, 5).heldOut.size(), std::size_t{10});
    QVERIFY(data::splitHeldOut({}, 10, 5).training.empty());
    QCOMPARE(data::splitHeldOut(counting(5), 0, 5).training.size(), std::size_t{5});
}

QTEST_GUILESS_MAIN(TestShards)
#include "tst_shards.moc"
