// SPDX-License-Identifier: Apache-2.0
#include "net/ipc/ipc_client.h"

#include <QDeadlineTimer>
#include <QLocalSocket>

namespace sunloco::ipc {
namespace {

using core::Error;
using core::ErrorCode;

core::ErrorCode codeFromName(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(ErrorCode::Internal); ++i) {
        if (core::errorName(static_cast<ErrorCode>(i)) == name) return static_cast<ErrorCode>(i);
    }
    return ErrorCode::Conflict;
}

}  // namespace

struct IpcClient::Private {
    QLocalSocket socket;
    core::FrameReader reader;
    std::int64_t lastId = 0;
};

IpcClient::IpcClient() : m(std::make_unique<Private>()) {}
IpcClient::~IpcClient() = default;

core::Result<void> IpcClient::connect(const std::string& path, int timeoutMs) {
    m->socket.abort();
    m->reader = core::FrameReader();  // half a frame of an earlier connection must not begin this one
    m->socket.connectToServer(QString::fromStdString(path));
    if (m->socket.waitForConnected(timeoutMs)) return {};
    if (m->socket.error() == QLocalSocket::SocketAccessError) {
        return Error{ErrorCode::PermissionDenied, "the agent's socket belongs to another user", path};
    }
    return Error{ErrorCode::NotFound, "no agent answers", path};
}

core::Result<core::Frame> IpcClient::readFrame(int timeoutMs) {
    const QDeadlineTimer deadline(timeoutMs);
    while (true) {
        auto frame = m->reader.next();
        if (!frame) return frame.error();
        if (*frame) return std::move(**frame);
        if (m->socket.bytesAvailable() == 0) {
            const int left = static_cast<int>(deadline.remainingTime());
            if (left == 0) return Error{ErrorCode::Timeout, "the agent did not answer in time", "local socket"};
            if (!m->socket.waitForReadyRead(left) && m->socket.bytesAvailable() == 0) {
                if (m->socket.state() != QLocalSocket::ConnectedState) return Error{ErrorCode::NotFound, "the agent ended the connection", "local socket"};
                continue;
            }
        }
        const QByteArray data = m->socket.readAll();
        m->reader.feed(core::asBytes(std::string_view(data.constData(), static_cast<std::size_t>(data.size()))));
    }
}

core::Result<core::Json> IpcClient::call(const std::string& method, const core::Json& params, int timeoutMs) {
    RequestMessage request{++m->lastId, method, params};
    const auto bytes = encode(request);
    if (!bytes) return bytes.error();
    if (m->socket.state() != QLocalSocket::ConnectedState) return Error{ErrorCode::NotFound, "there is no connection to the agent", "local socket"};
    m->socket.write(reinterpret_cast<const char*>(bytes->data()), static_cast<qint64>(bytes->size()));
    m->socket.flush();
    const QDeadlineTimer deadline(timeoutMs);
    while (true) {
        auto frame = readFrame(static_cast<int>(deadline.remainingTime()));
        if (!frame) return frame.error();
        if (frame->type == static_cast<std::uint16_t>(MessageType::Event)) {
            // Frames that are there already cost no waiting, so a stream of events would never run into the deadline below.
            if (deadline.hasExpired()) return Error{ErrorCode::Timeout, "the agent did not answer in time", "local socket"};
            continue;
        }
        auto response = parseResponse(*frame);
        if (!response) return response.error();
        if (response->id != request.id) continue;  // to a call that was given up
        if (response->error) return Error{codeFromName(response->error->code), response->error->message, response->error->code};
        return std::move(response->result);
    }
}

core::Result<void> IpcClient::follow(const std::function<void(const EventMessage&)>& onEvent, const std::function<bool()>& keepGoing) {
    if (auto subscribed = call("subscribe", core::Json::object(), 5000); !subscribed) return subscribed.error();
    constexpr int kSliceMs = 200;
    while (keepGoing()) {
        auto frame = readFrame(kSliceMs);
        if (!frame) {
            if (frame.error().code == ErrorCode::Timeout) continue;
            if (frame.error().code == ErrorCode::NotFound) return {};
            return frame.error();
        }
        if (frame->type != static_cast<std::uint16_t>(MessageType::Event)) continue;
        auto event = parseEvent(*frame);
        if (!event) return event.error();
        onEvent(*event);
    }
    return {};
}

}  // namespace sunloco::ipc
