// SPDX-License-Identifier: Apache-2.0
#include "app/desktop/single_instance.h"

#include "net/ipc/socket_path.h"

#include <QDir>
#include <QLocalServer>
#include <QLocalSocket>

namespace sunloco::desktop {
namespace {
constexpr int kAnswerMs = 3000;
constexpr qint64 kLongestRequest = 4096;
constexpr char kRaise[] = "raise ";
constexpr char kDone[] = "raised\n";
}  // namespace

SingleInstance::SingleInstance(const std::filesystem::path& dataDir, QObject* parent)
    : QObject(parent)
    // Beside the agent's own socket, whose place also copes with long paths.
    , m_socketPath(QString::fromStdString(ipc::socketPath(dataDir)) + QStringLiteral(".window"))
{
    const QString folder = QString::fromStdString(dataDir.string());
    QDir().mkpath(folder);
    m_lock = std::make_unique<QLockFile>(folder + QStringLiteral("/window.lock"));
    m_lock->setStaleLockTime(0);   // stale only when its process is gone
}

SingleInstance::~SingleInstance() = default;

SingleInstance::Role SingleInstance::begin(const QString& link)
{
    if (m_lock->tryLock()) {
        listen();
        return Role::First;
    }
    return askRunning(link) ? Role::Second : Role::Unclear;
}

bool SingleInstance::askRunning(const QString& link)
{
    QLocalSocket socket;
    socket.connectToServer(m_socketPath);
    if (!socket.waitForConnected(kAnswerMs))
        return false;
    socket.write(QByteArray(kRaise) + link.toUtf8() + '\n');
    if (!socket.waitForBytesWritten(kAnswerMs))
        return false;
    return socket.waitForReadyRead(kAnswerMs) && socket.readLine() == kDone;
}

void SingleInstance::listen()
{
    m_server = new QLocalServer(this);
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    // The lock is ours, so a socket that lies there is a dead one.
    QLocalServer::removeServer(m_socketPath);
    m_server->listen(m_socketPath);
    connect(m_server, &QLocalServer::newConnection, this, [this] {
        QLocalSocket* socket = m_server->nextPendingConnection();
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        connect(socket, &QLocalSocket::readyRead, this, [this, socket] {
            if (!socket->canReadLine()) {
                if (socket->bytesAvailable() > kLongestRequest)
                    socket->abort();
                return;
            }
            const QByteArray request = socket->readLine(kLongestRequest);
            if (!request.startsWith(kRaise)) {
                socket->abort();
                return;
            }
            Q_EMIT raiseRequested(QString::fromUtf8(request.mid(sizeof(kRaise) - 1)).trimmed());
            socket->write(kDone);
            socket->disconnectFromServer();
        });
    });
}

}  // namespace sunloco::desktop
