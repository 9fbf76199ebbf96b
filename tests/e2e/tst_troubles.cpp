// SPDX-License-Identifier: Apache-2.0
// What goes wrong between people's homes and a server: each trouble ends well and says why.
#include "tests/e2e/cluster.h"

#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QSslCertificate>
#include <QSslKey>
#include <QSslSocket>
#include <QTcpServer>
#include <QTest>

#include <sys/mount.h>
#include <unistd.h>

using namespace sunloco::e2e;

namespace {

/// A portal that answers every request with a log-in page, over TLS with the very key of the project's server.
class Portal : public QTcpServer {
public:
    Portal(const QSslCertificate& certificate, const QSslKey& key) : m_certificate(certificate), m_key(key) {}
    int answered = 0;

protected:
    void incomingConnection(qintptr handle) override {
        auto* socket = new QSslSocket(this);
        socket->setSocketDescriptor(handle);
        socket->setLocalCertificate(m_certificate);
        socket->setPrivateKey(m_key);
        connect(socket, &QSslSocket::readyRead, this, [this, socket] {
            const QByteArray request = socket->readAll();
            if (!request.contains("\r\n\r\n")) { return; }
            ++answered;
            const QByteArray page = "<html><body>Welcome to the hotel. Please log in.</body></html>";
            socket->write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: " + QByteArray::number(page.size()) + "\r\n\r\n" + page);
            socket->disconnectFromHost();
        });
        connect(socket, &QSslSocket::disconnected, socket, &QObject::deleteLater);
        socket->startServerEncryption();
    }

private:
    QSslCertificate m_certificate;
    QSslKey m_key;
};

QString problemOf(const Cluster& cluster, const Volunteer& volunteer) {
    const QJsonObject status = cluster.agentStatus(volunteer);
    QString text = status.value(QStringLiteral("reason")).toString();
    const QJsonArray projects = status.value(QStringLiteral("projects")).toArray();
    for (const QJsonValue& project : projects) { text += QLatin1Char('\n') + project.toObject().value(QStringLiteral("problem")).toString(); }
    return text;
}

}  // namespace

class TstTroubles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lateJoinerVanishingUploaderAndServerPause() {
        Cluster cluster;
        QVERIFY(cluster.init({QStringLiteral("round_deadline_seconds=15"), QStringLiteral("quorum=2"), QStringLiteral("lease_seconds=30")}).exitCode == 0);
        QVERIFY(cluster.startServer());
        Volunteer& ada = cluster.addVolunteer(QStringLiteral("ada"));
        QVERIFY(cluster.startAgent(ada));
        QVERIFY(cluster.join(ada).exitCode == 0);
        // Alone: the deadline closes the round with what is there.
        QVERIFY2(cluster.waitForRounds(1, 90'000), cluster.serverLog().constData());

        // Ben joins late, with a slow line, and vanishes in the middle of his upload.
        Volunteer& ben = cluster.addVolunteer(QStringLiteral("ben"));
        QVERIFY(cluster.startAgent(ben));
        QVERIFY(cluster.ctl(ben, {QStringLiteral("config"), QStringLiteral("set"), QStringLiteral("network.upload_kib_s"), QStringLiteral("8")}).exitCode == 0);
        const Run joined = cluster.join(ben);
        QVERIFY2(joined.exitCode == 0, joined.all().constData());
        const auto benState = [&] {
            const QJsonArray rows = cluster.ctl(ben, {QStringLiteral("history")}).json().value(QStringLiteral("contributions")).toArray();
            return rows.isEmpty() ? QString() : rows.at(0).toObject().value(QStringLiteral("state")).toString();
        };
        QVERIFY2(waitFor([&] { return benState() == QLatin1String("uploading"); }, 60'000, 50), cluster.agentLog(ben).constData());
        Cluster::killAgent(ben);
        const qint64 rounds = cluster.closedRounds();
        QVERIFY2(cluster.waitForRounds(rounds + 1, 60'000), cluster.serverLog().constData());

        // He comes back with a better line and takes part; the server goes away for a while and comes back.
        QVERIFY2(cluster.startAgent(ben), cluster.agentLog(ben).constData());
        QVERIFY(cluster.ctl(ben, {QStringLiteral("config"), QStringLiteral("reset"), QStringLiteral("network.upload_kib_s")}).exitCode == 0);
        cluster.stopServer();
        QTest::qWait(4000);
        const QString away = problemOf(cluster, ada);
        QVERIFY2(away.contains(QStringLiteral("server"), Qt::CaseInsensitive), qPrintable(away));
        QVERIFY2(cluster.startServer(), cluster.serverLog().constData());
        QVERIFY2(waitFor([&] {
            const QJsonArray history = cluster.serverStatus().value(QStringLiteral("history")).toArray();
            return !history.isEmpty() && history.last().toObject().value(QStringLiteral("contributors")).toInt() == 2;
        }, 120'000, 500), QByteArray(cluster.serverLog() + cluster.agentLog(ben)).constData());
        QCOMPARE(doubleMerges(cluster.projectDir()), QString());
        QVERIFY(cluster.replay().json().value(QStringLiteral("equal")).toBool());
    }

    void captivePortal() {
        Cluster cluster;
        QVERIFY(cluster.init({QStringLiteral("round_deadline_seconds=15")}).exitCode == 0);
        QVERIFY(cluster.startServer());
        Volunteer& ada = cluster.addVolunteer(QStringLiteral("ada"));
        QVERIFY(cluster.startAgent(ada));
        QVERIFY(cluster.join(ada).exitCode == 0);
        QVERIFY(cluster.waitForRounds(1, 90'000));
        cluster.stopServer();
        const QList<QSslCertificate> certificates = QSslCertificate::fromPath(cluster.projectDir() + QStringLiteral("/tls/certificate.pem"));
        QVERIFY(!certificates.isEmpty());
        QFile keyFile(cluster.projectDir() + QStringLiteral("/tls/key.pem"));
        QVERIFY(keyFile.open(QIODevice::ReadOnly));
        const QByteArray pem = keyFile.readAll();
        QSslKey key(pem, QSsl::Ec);
        if (key.isNull()) { key = QSslKey(pem, QSsl::Rsa); }
        QVERIFY(!key.isNull());
        Portal portal(certificates.first(), key);
        QVERIFY(portal.listen(QHostAddress::LocalHost, static_cast<quint16>(cluster.port())));
        QVERIFY(waitFor([&] { return portal.answered >= 2; }, 60'000));
        QVERIFY2(waitFor([&] { return problemOf(cluster, ada).contains(QStringLiteral("sign-in page"), Qt::CaseInsensitive); }, 20'000),
                 qPrintable(problemOf(cluster, ada)));
        portal.close();
        const qint64 rounds = cluster.closedRounds();
        QVERIFY(cluster.startServer());
        QVERIFY2(cluster.waitForRounds(rounds + 1, 120'000), cluster.agentLog(ada).constData());
    }

    void damagedDownloads_data() {
        QTest::addColumn<bool>("truncate");
        QTest::newRow("bit flip") << false;
        QTest::newRow("truncated") << true;
    }
    /// The server's disk hands out a damaged object: the agent must not train on it, must say so, and go on once it is repaired.
    void damagedDownloads() {
        QFETCH(bool, truncate);
        Cluster cluster;
        QVERIFY(cluster.init({QStringLiteral("round_deadline_seconds=15")}).exitCode == 0);
        QVERIFY(cluster.startServer());
        QString largest;
        QDirIterator files(cluster.projectDir() + QStringLiteral("/objects"), QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString file = files.next();
            if (largest.isEmpty() || QFileInfo(file).size() > QFileInfo(largest).size()) { largest = file; }
        }
        QVERIFY(!largest.isEmpty());
        const QString keep = cluster.path(QStringLiteral("good-copy"));
        QVERIFY(QFile::copy(largest, keep));
        QFile::setPermissions(largest, QFile::ReadOwner | QFile::WriteOwner);
        QFile damaged(largest);
        QVERIFY(damaged.open(QIODevice::ReadWrite));
        if (truncate) {
            QVERIFY(damaged.resize(damaged.size() - 1000));
        } else {
            QVERIFY(damaged.seek(damaged.size() / 2));
            char byte = 0;
            QVERIFY(damaged.getChar(&byte));
            QVERIFY(damaged.seek(damaged.size() / 2));
            QVERIFY(damaged.putChar(static_cast<char>(byte ^ 4)));
        }
        damaged.close();
        Volunteer& ada = cluster.addVolunteer(QStringLiteral("ada"));
        QVERIFY(cluster.startAgent(ada));
        (void)cluster.join(ada);
        QVERIFY2(waitFor([&] { return !problemOf(cluster, ada).trimmed().isEmpty() && (problemOf(cluster, ada).contains(QStringLiteral("damaged")) || problemOf(cluster, ada).contains(QStringLiteral("middle of the answer")) || problemOf(cluster, ada).contains(QStringLiteral("hash")) || problemOf(cluster, ada).contains(QStringLiteral("size"))); }, 60'000, 300),
                 QByteArray(problemOf(cluster, ada).toUtf8() + cluster.agentLog(ada)).constData());
        QCOMPARE(cluster.closedRounds(), 0);
        QVERIFY(QFile::remove(largest));
        QVERIFY(QFile::copy(keep, largest));
        cluster.ctl(ada, {QStringLiteral("resume")});
        QVERIFY2(cluster.waitForRounds(1, 120'000), cluster.agentLog(ada).constData());
    }

    void diskFull() {
        if (::geteuid() != 0) { QSKIP("mounting a small tmpfs needs root"); }
        Cluster cluster;
        QVERIFY(cluster.init({QStringLiteral("round_deadline_seconds=15")}).exitCode == 0);
        QVERIFY(cluster.startServer());
        Volunteer& ada = cluster.addVolunteer(QStringLiteral("ada"));
        QVERIFY(QDir().mkpath(ada.dataDir));
        if (::mount("tmpfs", ada.dataDir.toUtf8().constData(), "tmpfs", 0, "size=1536k,mode=0700") != 0) { QSKIP("this system forbids mounting a tmpfs"); }
        struct Unmount {
            QByteArray path;
            ~Unmount() { ::umount2(path.constData(), MNT_DETACH); }
        } unmount{ada.dataDir.toUtf8()};
        QVERIFY2(cluster.startAgent(ada), cluster.agentLog(ada).constData());
        QVERIFY(cluster.ctl(ada, {QStringLiteral("config"), QStringLiteral("set"), QStringLiteral("disk.floor_gib"), QStringLiteral("0")}).exitCode == 0);
        QFile filler(ada.dataDir + QStringLiteral("/filler"));
        QVERIFY(filler.open(QIODevice::WriteOnly));
        while (filler.write(QByteArray(16384, 'x')) == 16384 && filler.flush()) {}
        filler.close();
        (void)cluster.join(ada);
        QVERIFY2(waitFor([&] { return problemOf(cluster, ada).contains(QStringLiteral("space")) || problemOf(cluster, ada).contains(QStringLiteral("disk"), Qt::CaseInsensitive); }, 60'000, 300),
                 QByteArray(problemOf(cluster, ada).toUtf8() + cluster.agentLog(ada)).constData());
        QVERIFY(ada.running());
        // Space again: it goes on by itself or by asking.
        QVERIFY(::mount("tmpfs", ada.dataDir.toUtf8().constData(), "tmpfs", MS_REMOUNT, "size=64m,mode=0700") == 0);
        QVERIFY(filler.remove());
        if (cluster.agentStatus(ada).value(QStringLiteral("projects")).toArray().isEmpty()) {
            const Run again = cluster.join(ada);
            QVERIFY2(again.exitCode == 0, again.all().constData());
        }
        cluster.ctl(ada, {QStringLiteral("resume")});
        QVERIFY2(cluster.waitForRounds(1, 180'000), QByteArray(problemOf(cluster, ada).toUtf8() + cluster.agentLog(ada)).constData());
    }
};

SUNLOCO_E2E_MAIN(TstTroubles)
#include "tst_troubles.moc"
