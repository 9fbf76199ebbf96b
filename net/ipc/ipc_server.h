// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/ipc/ipc_message.h"

#include <QObject>

#include <functional>
#include <memory>

namespace sunloco::ipc {

/// The agent's end of the local socket. Only this user may connect: the socket's mode is 0600 and the peer's user id is checked besides.
/// Thread: the owner's (an event loop is needed).
class IpcServer : public QObject {
    Q_OBJECT
public:
    using Reply = std::function<void(ResponseMessage)>;   ///< may be called later, once; a client that went away is fine
    using Handler = std::function<void(const RequestMessage&, Reply)>;

    IpcServer(Handler handler, QObject* parent);
    ~IpcServer() override;

    /// The caller has made sure (by the data folder's lock) that no other agent uses this socket: a stale one is removed.
    core::Result<void> listen(const std::string& path);
    /// To every client that has asked for events with the method "subscribe".
    void broadcast(const EventMessage& event);
    [[nodiscard]] bool hasSubscribers() const;

private:
    struct Connection;
    void accept();
    void read(quint64 key);
    void drop(quint64 key);
    void send(quint64 key, const core::Result<core::Bytes>& bytes);

    struct Private;
    std::unique_ptr<Private> m;
};

}  // namespace sunloco::ipc
