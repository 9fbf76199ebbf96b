// SPDX-License-Identifier: Apache-2.0
#include "tests/net/ipc/ipc_rig.h"

#include <QDeadlineTimer>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sunloco::ipc {

bool waitUntil(const std::function<bool()>& done) {
    const QDeadlineTimer deadline(20'000);
    while (!done()) {
        if (deadline.hasExpired()) { return false; }
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QThread::usleep(200);
    }
    return true;
}

RawClient::RawClient(const std::string& path) : m_fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof address.sun_path - 1));
    if (::connect(m_fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        close();
        return;
    }
    ::fcntl(m_fd, F_SETFL, ::fcntl(m_fd, F_GETFL) | O_NONBLOCK);
}

RawClient::~RawClient() { close(); }

void RawClient::close() {
    if (m_fd >= 0) { ::close(m_fd); }
    m_fd = -1;
}

bool RawClient::send(core::ByteView bytes) {
    std::size_t done = 0;
    bool closed = false;
    const bool all = waitUntil([&] {
        while (done < bytes.size()) {
            const ssize_t n = ::send(m_fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
            if (n < 0 && errno == EAGAIN) { return false; }
            if (n < 0) {
                closed = true;
                return true;
            }
            done += static_cast<std::size_t>(n);
        }
        return true;
    });
    return all && !closed;
}

bool RawClient::fill() {
    std::uint8_t block[65'536];
    const ssize_t n = ::recv(m_fd, block, sizeof block, 0);
    if (n > 0) {
        m_reader.feed(core::ByteView(block, static_cast<std::size_t>(n)));
        return true;
    }
    if (n == 0 || errno != EAGAIN) { m_closed = true; }
    return false;
}

std::optional<core::Frame> RawClient::receive() {
    std::optional<core::Frame> frame;
    waitUntil([&] {
        while (true) {
            auto next = m_reader.next();
            if (!next) { return true; }
            if (*next) {
                frame = std::move(**next);
                return true;
            }
            if (!fill()) { return m_closed; }
        }
    });
    return frame;
}

bool RawClient::waitForClose() {
    return waitUntil([&] {
        while (fill()) {}
        return m_closed;
    });
}

std::string ask(RawClient& client, const std::string& method, const core::Json& params) {
    static std::int64_t id = 1000;
    const RequestMessage request{++id, method, params};
    if (!client.send(encode(request))) { return "closed"; }
    const auto frame = client.receive();
    if (!frame) { return "nothing"; }
    const auto response = parseResponse(*frame);
    if (!response) { return "no response: " + response.error().text(); }
    if (response->id != request.id) { return "answer to another request"; }
    return response->error ? "error " + response->error->code : response->result.dump();
}

}  // namespace sunloco::ipc
