// SPDX-License-Identifier: Apache-2.0
// Identity 9 of the DiLoCo family: decode(encode(x)) is within half a step; zeros, one element, odd lengths, negative blocks; NaN refused.
#include "engine/codec/codec.h"

#include <QtTest>

#include <rapidcheck.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

using namespace sunloco;
using core::Codec;
using core::ErrorCode;

namespace {
std::vector<float> roundTrip(Codec codec, int block, const std::vector<float>& values) {
    std::vector<float> back(values.size());
    const auto bytes = codec::encodeFragment(codec, block, values, 0);
    if (!bytes || !codec::decodeFragment(*bytes, 0, back)) { return {}; }
    return back;
}

/// Floats over the whole range of magnitudes that deltas have.
rc::Gen<std::vector<float>> deltas() {
    const auto one = rc::gen::map(rc::gen::tuple(rc::gen::inRange<std::int32_t>(-1'000'000, 1'000'001), rc::gen::inRange(-80, 6)),
                                  [](const std::tuple<std::int32_t, int>& parts) { return std::ldexp(static_cast<float>(std::get<0>(parts)) * 1e-6F, std::get<1>(parts)); });
    return rc::gen::nonEmpty(rc::gen::container<std::vector<float>>(one));
}

ErrorCode decodeError(core::Bytes bytes, std::int64_t first, std::size_t count) {
    std::vector<float> out(count);
    const auto decoded = codec::decodeFragment(bytes, first, out);
    return decoded ? ErrorCode::Internal : decoded.error().code;
}
}  // namespace

class TestCodec : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theBytesOfAFragment();
    void fp32IsExact();
    void int8IsWithinHalfAStep();
    void edgeCases_data();
    void edgeCases();
    void roundsHalfToEven();
    void tinyAndHugeBlocks();
    void nonFiniteIsRefused();
    void encodingTwiceIsStable();
    void malformedFragments_data();
    void malformedFragments();
    void everyCutIsRefused();
    void updateObjects();
    void updateObjectsOfAnotherArena();
    void largeArenas();
};

void TestCodec::theBytesOfAFragment() {
    const auto int8 = codec::encodeFragment(Codec::Int8, 2, std::vector<float>{127.0F, -1.0F, 254.0F}, 258);
    QVERIFY(int8);
    QCOMPARE(*int8, (core::Bytes{'S', 'L', 'C', 'D', 1, 1, 2, 0, 2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 127, 255, 127}));
    const auto fp32 = codec::encodeFragment(Codec::Fp32, 64, std::vector<float>{1.0F}, 0);
    QVERIFY(fp32);
    QCOMPARE(*fp32, (core::Bytes{'S', 'L', 'C', 'D', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f}));
    const auto header = codec::parseFragmentHeader(*int8);
    QVERIFY(header && header->codec == Codec::Int8 && header->block == 2 && header->firstElement == 258 && header->count == 3 && header->totalBytes() == int8->size());
}

void TestCodec::fp32IsExact() {
    QVERIFY(rc::check("fp32 gives every finite value back, bit for bit", [](const std::vector<std::uint32_t>& words) {
        std::vector<float> values;
        for (const std::uint32_t word : words) {
            if (std::isfinite(std::bit_cast<float>(word))) { values.push_back(std::bit_cast<float>(word)); }
        }
        RC_PRE(!values.empty());
        const std::vector<float> back = roundTrip(Codec::Fp32, 0, values);
        RC_ASSERT(back.size() == values.size());
        for (std::size_t i = 0; i < values.size(); ++i) { RC_ASSERT(std::bit_cast<std::uint32_t>(back[i]) == std::bit_cast<std::uint32_t>(values[i])); }
    }));
}

void TestCodec::int8IsWithinHalfAStep() {
    QVERIFY(rc::check("int8 is within half a step of its block", [] {
        const std::vector<float> values = *deltas();
        const int block = *rc::gen::inRange(1, 100);
        const std::vector<float> back = roundTrip(Codec::Int8, block, values);
        RC_ASSERT(back.size() == values.size());
        for (std::size_t begin = 0; begin < values.size(); begin += static_cast<std::size_t>(block)) {
            const std::size_t end = std::min(values.size(), begin + static_cast<std::size_t>(block));
            double largest = 0;
            for (std::size_t i = begin; i < end; ++i) { largest = std::max(largest, std::abs(static_cast<double>(values[i]))); }
            for (std::size_t i = begin; i < end; ++i) { RC_ASSERT(std::abs(static_cast<double>(back[i]) - static_cast<double>(values[i])) <= largest / 254 * (1 + 1e-5)); }
        }
    }));
}

void TestCodec::edgeCases_data() {
    QTest::addColumn<std::vector<float>>("values");
    QTest::addColumn<int>("block");
    QTest::newRow("zeros") << std::vector<float>(130, 0.0F) << 64;
    QTest::newRow("negative zeros") << std::vector<float>(3, -0.0F) << 64;
    QTest::newRow("one element") << std::vector<float>{-0.375F} << 64;
    QTest::newRow("odd length") << std::vector<float>{127, -3, -254, 2, -127} << 2;
    QTest::newRow("all negative") << std::vector<float>{-127, -1, -2, -64} << 64;
    QTest::newRow("a block of zeros between others") << std::vector<float>{127, 1, 0, 0, -254, 2} << 2;
    QTest::newRow("block of 1") << std::vector<float>{1.5F, -2.5F, 0.0F} << 1;
    QTest::newRow("block of 32768") << std::vector<float>{127, -5} << 32'768;
}
// Values that are whole steps come back exactly.
void TestCodec::edgeCases() {
    QFETCH(std::vector<float>, values);
    QFETCH(int, block);
    QCOMPARE(roundTrip(Codec::Int8, block, values), values);
}

void TestCodec::roundsHalfToEven() {
    QCOMPARE(roundTrip(Codec::Int8, 64, {127, 0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F, 126.5F}), (std::vector<float>{127, 0, 2, 2, 0, -2, -2, 126}));
    // A zero never comes back as -0: base + update would keep the sign.
    for (const float v : roundTrip(Codec::Int8, 64, {127, -0.25F, -0.0F})) { QVERIFY(!std::signbit(v)); }
}

void TestCodec::tinyAndHugeBlocks() {
    // Below 127 * FLT_MIN the scale would be denormal: the block is one of zeros. Just above, the smallest value is FLT_MIN itself.
    QCOMPARE(roundTrip(Codec::Int8, 64, {FLT_MIN, -3 * FLT_MIN, std::nextafter(127 * FLT_MIN, 0.0F)}), std::vector<float>(3, 0.0F));
    QCOMPARE(roundTrip(Codec::Int8, 64, {127 * FLT_MIN, FLT_MIN, FLT_TRUE_MIN}), (std::vector<float>{127 * FLT_MIN, FLT_MIN, 0}));
    const std::vector<float> huge = roundTrip(Codec::Int8, 64, {0x1p126F, -0x1p126F});
    QVERIFY(huge.size() == 2 && std::abs(huge[0] / 0x1p126F - 1) < 1e-6F && huge[1] == -huge[0]);
}

void TestCodec::nonFiniteIsRefused() {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
        for (const Codec codec : {Codec::Fp32, Codec::Int8}) {
            for (std::size_t place = 0; place < 9; ++place) {
                std::vector<float> values(9, 1.0F);
                values[place] = bad;
                const auto bytes = codec::encodeFragment(codec, 4, values, 0);
                QVERIFY(!bytes);
                QCOMPARE(bytes.error().code, ErrorCode::Numeric);
            }
        }
        core::Bytes fp32 = codec::encodeFragment(Codec::Fp32, 0, std::vector<float>(5, 1.0F), 0).value();
        core::writeU32(fp32.data() + 24 + 12, std::bit_cast<std::uint32_t>(bad));
        QCOMPARE(decodeError(fp32, 0, 5), ErrorCode::Numeric);
        core::Bytes int8 = codec::encodeFragment(Codec::Int8, 4, std::vector<float>(5, 1.0F), 0).value();
        core::writeU32(int8.data() + 24 + 4, std::bit_cast<std::uint32_t>(bad));
        QCOMPARE(decodeError(int8, 0, 5), ErrorCode::Numeric);
    }
    core::Bytes large = codec::encodeFragment(Codec::Int8, 4, std::vector<float>(4, 1.0F), 0).value();
    core::writeU32(large.data() + 24, std::bit_cast<std::uint32_t>(FLT_MAX));
    QCOMPARE(decodeError(large, 0, 4), ErrorCode::Numeric);
}

void TestCodec::encodingTwiceIsStable() {
    QVERIFY(rc::check("what was decoded encodes to the same values again", [] {
        const std::vector<float> once = roundTrip(Codec::Int8, 16, *deltas());
        const std::vector<float> twice = roundTrip(Codec::Int8, 16, once);
        for (std::size_t i = 0; i < once.size(); ++i) { RC_ASSERT(std::abs(static_cast<double>(twice[i]) - static_cast<double>(once[i])) <= 1e-6 * std::abs(static_cast<double>(once[i]))); }
    }));
}

void TestCodec::malformedFragments_data() {
    QTest::addColumn<int>("at");
    QTest::addColumn<int>("value");
    QTest::newRow("magic") << 0 << int{'s'};
    QTest::newRow("version 0") << 4 << 0;
    QTest::newRow("codec") << 5 << 2;
    QTest::newRow("block 0") << 6 << 0;
    QTest::newRow("another block") << 6 << 2;
    QTest::newRow("impossible block") << 7 << 0x81;
    QTest::newRow("another first element") << 8 << 1;
    QTest::newRow("another count") << 16 << 4;
    QTest::newRow("count 0") << 16 << 0;
    QTest::newRow("huge count") << 23 << 1;
    QTest::newRow("huge first element") << 15 << 0x7f;
    QTest::newRow("negative scale") << 27 << 0xbf;
    QTest::newRow("byte of -128") << 32 << 0x80;
}
void TestCodec::malformedFragments() {
    QFETCH(int, at);
    QFETCH(int, value);
    core::Bytes bytes = codec::encodeFragment(Codec::Int8, 4, std::vector<float>{127, 1, 2, 3, 254}, 0).value();
    QCOMPARE(decodeError(bytes, 0, 5), ErrorCode::Internal);   // sound before
    bytes[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(value);
    QCOMPARE(decodeError(bytes, 0, 5), ErrorCode::InvalidData);
}

void TestCodec::everyCutIsRefused() {
    for (const Codec codec : {Codec::Fp32, Codec::Int8}) {
        core::Bytes bytes = codec::encodeFragment(codec, 4, std::vector<float>{127, 1, 2, 3, 254}, 7).value();
        for (std::size_t n = 0; n < bytes.size(); ++n) { QCOMPARE(decodeError(core::Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)), 7, 5), ErrorCode::InvalidData); }
        QCOMPARE(decodeError(bytes, 7, 4), ErrorCode::InvalidData);
        QCOMPARE(decodeError(bytes, 7, 6), ErrorCode::InvalidData);
        QCOMPARE(decodeError(bytes, 6, 5), ErrorCode::InvalidData);
        bytes.push_back(0);
        QCOMPARE(decodeError(bytes, 7, 5), ErrorCode::InvalidData);
        bytes.pop_back();
        bytes[4] = 2;
        QCOMPARE(decodeError(bytes, 7, 5), ErrorCode::VersionTooNew);
    }
    // A byte in a block whose scale is 0 would be a second spelling of the same values.
    core::Bytes zeros = codec::encodeFragment(Codec::Int8, 4, std::vector<float>(4, 0.0F), 0).value();
    zeros.back() = 1;
    QCOMPARE(decodeError(zeros, 0, 4), ErrorCode::InvalidData);
    for (const std::uint32_t scale : {1u, 0x007fffffu, 0x80000000u}) {   // denormal, or -0
        core::writeU32(zeros.data() + 24, scale);
        zeros.back() = 0;
        QCOMPARE(decodeError(zeros, 0, 4), ErrorCode::InvalidData);
    }
    core::Bytes fp32 = codec::encodeFragment(Codec::Fp32, 0, std::vector<float>(4, 0.0F), 0).value();
    fp32[6] = 64;
    QCOMPARE(decodeError(fp32, 0, 4), ErrorCode::InvalidData);
}

void TestCodec::updateObjects() {
    std::vector<float> arena(300);
    for (std::size_t i = 0; i < arena.size(); ++i) { arena[i] = static_cast<float>(i % 100) - 50.0F; }
    for (const Codec codec : {Codec::Fp32, Codec::Int8}) {
        // Fragments of any cut are one object, as long as they follow one another.
        core::Bytes pieces = codec::encodeFragment(codec, 10, std::span(arena).first(70), 0).value();
        const core::Bytes second = codec::encodeFragment(codec, 10, std::span(arena).subspan(70), 70).value();
        pieces.insert(pieces.end(), second.begin(), second.end());
        std::vector<float> whole(arena.size()), joined(arena.size());
        QVERIFY(codec::decodeAll(codec::encodeAll(codec, 10, arena).value(), whole));
        QVERIFY(codec::decodeAll(pieces, joined));
        QCOMPARE(joined, whole);
    }
}

void TestCodec::updateObjectsOfAnotherArena() {
    const core::Bytes bytes = codec::encodeAll(Codec::Int8, 64, std::vector<float>(100, 1.0F)).value();
    std::vector<float> more(101), fewer(99);
    QVERIFY(!codec::decodeAll(bytes, more));
    QVERIFY(!codec::decodeAll(bytes, fewer));
    core::Bytes twice = bytes;
    twice.insert(twice.end(), bytes.begin(), bytes.end());
    std::vector<float> right(100), doubled(200);
    QVERIFY(!codec::decodeAll(twice, right));
    QVERIFY(!codec::decodeAll(twice, doubled));   // the second does not begin at 100
    QVERIFY(!codec::decodeAll({}, right));
}

void TestCodec::largeArenas() {
    for (const Codec codec : {Codec::Fp32, Codec::Int8}) {
        const std::int64_t full = codec::fragmentElements(codec);
        QCOMPARE(full, codec == Codec::Int8 ? 4 << 20 : 1 << 20);
        std::vector<float> arena(static_cast<std::size_t>(full) + 5, 0.5F);
        arena.back() = -1.0F;
        const auto bytes = codec::encodeAll(codec, 64, arena);
        QVERIFY(bytes);
        const auto first = codec::parseFragmentHeader(*bytes);
        QCOMPARE(first->count, full);
        const auto second = codec::parseFragmentHeader(core::ByteView(*bytes).subspan(first->totalBytes()));
        QVERIFY(second && second->firstElement == full && second->count == 5);
        std::vector<float> back(arena.size());
        QVERIFY(codec::decodeAll(*bytes, back));
        QVERIFY(std::abs(back[0] - 0.5F) < 1e-6F && back.back() == -1.0F);
        QVERIFY(!codec::encodeFragment(codec, 64, arena, 0));
    }
    QVERIFY(!codec::encodeFragment(Codec::Int8, 64, {}, 0));
    QVERIFY(!codec::encodeFragment(Codec::Int8, 0, std::vector<float>(1), 0));
    QVERIFY(!codec::encodeFragment(Codec::Int8, 40'000, std::vector<float>(1), 0));
    QVERIFY(!codec::encodeFragment(Codec::Int8, 64, std::vector<float>(1), -1));
}

QTEST_GUILESS_MAIN(TestCodec)
#include "tst_codec.moc"
