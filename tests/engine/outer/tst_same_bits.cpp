// SPDX-License-Identifier: Apache-2.0
#include <QFileInfo>
#include <QProcess>
#include <QtTest>

namespace {
QString program(const QString& name) { return QStringLiteral(SAME_BITS_DIR "/same_bits_") + name; }

QByteArray outputOf(const QString& name) {
    QProcess process;
    process.start(program(name), QStringList());
    if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0) { return {}; }
    return process.readAllStandardOutput();
}

bool processorHasAvx2AndFma() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
    return false;
#endif
}
}  // namespace

/// Codecs, merge, outer step and initial weights give the same bits whatever the compiler's options are, and the bits that other machines got.
class TestSameBits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sameDigests_data();
    void sameDigests();
    void fusedOperationsWouldBeNoticed();
    void goldenDigests();
};

void TestSameBits::sameDigests_data() {
    QTest::addColumn<QString>("build");
    for (const char* build : {"o0", "o3", "o3_avx2_fma", "o3_no_avx"}) { QTest::newRow(build) << QString::fromLatin1(build); }
}
void TestSameBits::sameDigests() {
    QFETCH(QString, build);
    if (!QFileInfo::exists(program(build))) { QSKIP("these options are not for this processor"); }
    if (build.contains(QStringLiteral("avx2")) && !processorHasAvx2AndFma()) { QSKIP("this processor has no AVX2 or FMA"); }
    const QByteArray digests = outputOf(build);
    QCOMPARE(digests.count('\n'), 17);
    QCOMPARE(digests, outputOf(QStringLiteral("o0")));
}

// The control: with a fused multiply-add, what -ffp-contract=off forbids, the digests change.
void TestSameBits::fusedOperationsWouldBeNoticed() {
    if (!QFileInfo::exists(program(QStringLiteral("fused"))) || !processorHasAvx2AndFma()) { QSKIP("this processor has no AVX2 or FMA"); }
    const QByteArray fused = outputOf(QStringLiteral("fused"));
    QCOMPARE(fused.count('\n'), 17);
    QVERIFY(fused != outputOf(QStringLiteral("o0")));
}

// Recorded with g++ 12 on x86-64; clang 14 and an AVX-512 build gave the same. Every machine and compiler must get them.
void TestSameBits::goldenDigests() {
    QFile golden(QStringLiteral(SUNLOCO_SOURCE_DIR "/tests/data/outer/same_bits.txt"));
    QVERIFY(golden.open(QIODevice::ReadOnly));
    QCOMPARE(outputOf(QStringLiteral("o3")), golden.readAll());
}

QTEST_GUILESS_MAIN(TestSameBits)
#include "tst_same_bits.moc"
