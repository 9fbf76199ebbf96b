// SPDX-License-Identifier: Apache-2.0
#include "net/ipc/ipc_server.h"

#include "engine/core/files.h"

#include <QLocalServer>
#include <QLocalSocket>
#include <QPointer>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

namespace sunloco::ipc {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::size_t kMostClients = 32;
constexpr qint64 kMostUnsent = 4 * 1024 * 1024;  // a client that does not read is cut off

bool isSameUser(qintptr descriptor) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(static_cast<int>(descriptor), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
    return peer.uid == ::geteuid();
}

}  // namespace

struct IpcServer::Connection {
    QLocalSocket* socket = nullptr;
    core::FrameReader reader;
    bool subscribed = false;
};

struct IpcServer::Private {
    Handler handler;
    QLocalServer server;
    std::map<quint64, Connection> connections;
    quint64 lastKey = 0;
};

IpcServer::IpcServer(Handler handler, QObject* parent) : QObject(parent), m(std::make_unique<Private>()) {
    m->handler = std::move(handler);
    m->server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m->server, &QLocalServer::newConnection, this, &IpcServer::accept);
}

IpcServer::~IpcServer() {
    for (auto& [key, connection] : m->connections) connection.socket->disconnect(this);
    m->server.close();
}

core::Result<void> IpcServer::listen(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (auto ready = core::ensurePrivateDirectory(folder); !ready) return ready;
    const QString name = QString::fromStdString(path);
    QLocalServer::removeServer(name);
    if (!m->server.listen(name)) {
        return Error{ErrorCode::Io, "the local socket for sunloco-ctl could not be made: " + m->server.errorString().toStdString(), path};
    }
    if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) return core::fileError(errno, "set the mode of", path);
    return {};
}

void IpcServer::accept() {
    while (QLocalSocket* socket = m->server.nextPendingConnection()) {
        if (m->connections.size() >= kMostClients || !isSameUser(socket->socketDescriptor())) {
            socket->abort();
            socket->deleteLater();
            continue;
        }
        const quint64 key = ++m->lastKey;
        m->connections[key].socket = socket;
        connect(socket, &QLocalSocket::readyRead, this, [this, key] { read(key); });
        connect(socket, &QLocalSocket::disconnected, this, [this, key] { drop(key); });
        read(key);
    }
}

void IpcServer::drop(quint64 key) {
    const auto found = m->connections.find(key);
    if (found == m->connections.end()) return;
    QLocalSocket* socket = found->second.socket;
    m->connections.erase(found);
    socket->disconnect(this);
    socket->abort();
    socket->deleteLater();
}

void IpcServer::send(quint64 key, const core::Result<core::Bytes>& bytes) {
    const auto found = m->connections.find(key);
    if (found == m->connections.end() || !bytes) return;
    QLocalSocket* socket = found->second.socket;
    if (socket->bytesToWrite() > kMostUnsent) {
        drop(key);
        return;
    }
    socket->write(reinterpret_cast<const char*>(bytes->data()), static_cast<qint64>(bytes->size()));
    socket->flush();
}

void IpcServer::read(quint64 key) {
    auto found = m->connections.find(key);
    if (found == m->connections.end()) return;
    const QByteArray data = found->second.socket->readAll();
    found->second.reader.feed(core::asBytes(std::string_view(data.constData(), static_cast<std::size_t>(data.size()))));
    while (true) {
        found = m->connections.find(key);  // a handler may have dropped it
        if (found == m->connections.end()) return;
        auto frame = found->second.reader.next();
        if (!frame) {
            drop(key);  // the stream cannot be trusted any more
            return;
        }
        if (!*frame) return;
        auto request = parseRequest(**frame);
        if (!request) {
            drop(key);
            return;
        }
        if (request->method == "subscribe") {
            found->second.subscribed = true;
            send(key, encode(ResponseMessage{request->id, core::Json::object(), std::nullopt}));
            continue;
        }
        const QPointer<IpcServer> alive(this);
        m->handler(*request, [self = alive, key, id = request->id](ResponseMessage response) {
            if (!self) return;
            response.id = id;
            auto bytes = encode(response);
            if (!bytes) bytes = encode(ResponseMessage{id, {}, Refusal{std::string(core::errorName(ErrorCode::LimitExceeded)), "the answer is too long; ask for less"}});
            self->send(key, bytes);
        });
        if (!alive) return;  // the handler ended the server
    }
}

void IpcServer::broadcast(const EventMessage& event) {
    if (!hasSubscribers()) return;
    const auto bytes = encode(event);
    std::vector<quint64> keys;
    for (const auto& [key, connection] : m->connections) {
        if (connection.subscribed) keys.push_back(key);
    }
    for (const quint64 key : keys) send(key, bytes);
}

bool IpcServer::hasSubscribers() const {
    for (const auto& [key, connection] : m->connections) {
        if (connection.subscribed) return true;
    }
    return false;
}

}  // namespace sunloco::ipc
