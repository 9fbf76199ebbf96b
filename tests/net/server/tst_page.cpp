// SPDX-License-Identifier: Apache-2.0
// The public page in a real browser: the curve is drawn, the script may run under the page's own policy, nothing is fetched from elsewhere.
#include "net/protocol/link.h"
#include "net/server/public_page.h"
#include "net/server/sqlite_store.h"
#include "server_fixture.h"

#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

using namespace sunloco;
using test::ServedProject;

class TestPage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void inABrowser();
    void curve_data();
    void curve();
    void hostileTexts();
};

void TestPage::inABrowser() {
    QString browser;
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
        if (browser.isEmpty()) { browser = QStandardPaths::findExecutable(QLatin1String(name)); }
    }
    if (browser.isEmpty()) { QSKIP("no Chromium on this computer"); }
    ServedProject project;
    QCOMPARE(project.make({"quorum=1"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    for (unsigned round = 1; round <= 3; ++round) {
        QVERIFY(ada->doOneRound(project.elements(), round));
        QVERIFY(project.waitForRounds(round));
    }
    {
        // Losses as a worker would have measured them.
        const auto store = server::SqliteStore::open(project.folder() / "server.db", server::SqliteStore::Open::MustExist);
        QVERIFY((*store)->setFact("initial_held_out_loss", "5.9"));
        for (int round = 1; round <= 3; ++round) { QVERIFY((*store)->setHeldOutLoss(round, 5.9 - 0.4 * round)); }
    }
    const QTemporaryDir profile;
    const auto pin = protocol::parseLink(project.link())->pin;
    QProcess process;
    // The browser trusts the project's own certificate by its key, as a volunteer does.
    process.start(browser, {QStringLiteral("--headless"), QStringLiteral("--no-sandbox"), QStringLiteral("--disable-gpu"), QStringLiteral("--disable-dev-shm-usage"),
                            QStringLiteral("--user-data-dir=") + profile.path(), QStringLiteral("--virtual-time-budget=4000"), QStringLiteral("--enable-logging=stderr"),
                            QStringLiteral("--ignore-certificate-errors-spki-list=") + QString::fromStdString(core::toBase64(pin->bytes)), QStringLiteral("--dump-dom"),
                            QStringLiteral("https://127.0.0.1:%1/").arg(project.port())});
    QVERIFY2(process.waitForFinished(90'000), "the browser did not end");
    const QString dom = QString::fromUtf8(process.readAllStandardOutput());
    const QString log = QString::fromUtf8(process.readAllStandardError());
    QVERIFY2(dom.contains(QStringLiteral("Tiny &lt;project&gt; &amp; co")), qPrintable(dom.left(500) + log.right(2'000)));
    const auto points = QRegularExpression(QStringLiteral("<polyline class=\"curve\" points=\"([^\"]*)\"")).match(dom);
    QVERIFY(points.hasMatch());
    QCOMPARE(points.captured(1).split(QLatin1Char(' ')).size(), 4);
    QVERIFY(dom.contains(QStringLiteral("4.700")));
    // The script has run: it filled in the time that is left, which the server leaves open.
    const auto left = QRegularExpression(QStringLiteral("<dd id=\"left\">([^<]*)</dd>")).match(dom);
    QVERIFY(left.hasMatch());
    QVERIFY2(left.captured(1).contains(QRegularExpression(QStringLiteral("^\\d+ (s|min|h)$"))), qPrintable(left.captured(1)));
    QVERIFY2(!log.contains(QStringLiteral("Content Security Policy")) && !log.contains(QStringLiteral("CONSOLE")), qPrintable(log));
}

void TestPage::curve_data() {
    QTest::addColumn<int>("rounds");
    QTest::addColumn<double>("first");
    QTest::addColumn<double>("fall");
    QTest::newRow("none") << 0 << 0.0 << 0.0;
    QTest::newRow("one") << 1 << 6.9 << 0.0;
    QTest::newRow("few") << 6 << 6.9 << 0.3;
    QTest::newRow("many") << 5'000 << 11.0 << 0.001;
    QTest::newRow("rising") << 4 << 2.0 << -30.0;
    QTest::newRow("flat") << 10 << 3.3 << 0.0;
}

void TestPage::curve() {
    QFETCH(int, rounds);
    QFETCH(double, first);
    QFETCH(double, fall);
    protocol::ProjectInfo project;
    project.name = "p";
    protocol::StatusAnswer status;
    for (int round = 1; round <= rounds; ++round) {
        protocol::RoundHistory entry;
        entry.round = round;
        entry.heldOutLoss = first - fall * round;
        status.history.push_back(entry);
    }
    const auto page = server::makePublicPage(project, {}, status, "https://x/#root=0");
    const QString html = QString::fromStdString(page.html);
    const auto points = QRegularExpression(QStringLiteral("points=\"([^\"]*)\"")).match(html);
    QCOMPARE(points.hasMatch(), rounds > 0);
    if (rounds > 0) {
        const QStringList list = points.captured(1).split(QLatin1Char(' '));
        QCOMPARE(list.size(), rounds);
        for (const QString& point : list) {
            const double x = point.section(QLatin1Char(','), 0, 0).toDouble();
            const double y = point.section(QLatin1Char(','), 1, 1).toDouble();
            QVERIFY2(x >= 52 && x <= 844 && y >= 11.9 && y <= 266.1, qPrintable(point));
        }
        QVERIFY(html.count(QStringLiteral("class=\"grid\"")) <= 12);
    }
    QVERIFY(page.html.size() < 200'000);
}

void TestPage::hostileTexts() {
    protocol::ProjectInfo project;
    project.name = "</title><script>alert(1)</script>";
    project.description = "\"><img src=x onerror=alert(1)>";
    protocol::Manifest manifest;
    manifest.source.licence = "<b onclick='x'>";
    const auto page = server::makePublicPage(project, manifest, {}, "https://x/#root=<i>");
    const QString html = QString::fromStdString(page.html);
    QCOMPARE(html.count(QStringLiteral("<script")), 1);
    QVERIFY(!html.contains(QStringLiteral("<img")));
    QVERIFY(!html.contains(QStringLiteral("<b ")));
    QVERIFY(!html.contains(QStringLiteral("<i>")));
}

QTEST_GUILESS_MAIN(TestPage)
#include "tst_page.moc"
