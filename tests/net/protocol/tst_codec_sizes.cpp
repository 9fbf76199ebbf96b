// SPDX-License-Identifier: Apache-2.0
#include "engine/codec/codec.h"
#include "net/protocol/claims.h"

#include <QtTest>

using namespace sunloco;
using namespace sunloco::protocol;

/// The sizes of the wire protocol are those that the codec really writes.
class TestCodecSizes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameSizes();
};

void TestCodecSizes::sameSizes() {
    for (const core::Codec codec : {core::Codec::Fp32, core::Codec::Int8}) {
        QCOMPARE(partElements(codec), codec::fragmentElements(codec));
        for (const int block : {8, 64, 256}) {
            for (const std::size_t elements : {1, 63, 64, 65, 1000}) {
                const std::vector<float> values(elements, 0.5f);
                const auto bytes = codec::encodeFragment(codec, block, values, 0);
                QVERIFY(bytes);
                QCOMPARE(static_cast<std::int64_t>(bytes->size()), fragmentBytes(codec, block, static_cast<std::int64_t>(elements)));
            }
        }
    }
}

QTEST_GUILESS_MAIN(TestCodecSizes)
#include "tst_codec_sizes.moc"
