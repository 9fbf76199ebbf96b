// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/ipc/ipc_client.h"
#include "net/ipc/ipc_server.h"

#include <QCoreApplication>
#include <QTemporaryDir>
#include <QTest>

#include <future>
#include <thread>

/// Lets QCOMPARE print what it compared.
namespace QTest {
template <>
inline char* toString(const std::string& text) {
    return qstrdup(text.c_str());
}
template <>
inline char* toString(const sunloco::core::ErrorCode& code) {
    return qstrdup(std::string(sunloco::core::errorName(code)).c_str());
}
}  // namespace QTest

namespace sunloco::ipc {

/// Runs this thread's event loop until `done`; false after twenty seconds.
bool waitUntil(const std::function<bool()>& done);

/// Runs `work` (blocking calls of a client) on a thread of its own while this thread serves, and yields what it returns.
template <typename Work>
auto elsewhere(Work work) {
    std::packaged_task<decltype(work())()> task(std::move(work));
    auto future = task.get_future();
    std::thread thread(std::move(task));
    // However long the client takes, the thread has to end before what it uses goes away.
    while (future.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) { QCoreApplication::processEvents(QEventLoop::AllEvents, 2); }
    thread.join();
    return future.get();
}

/// A client that writes whatever it likes, or reads nothing.
class RawClient {
public:
    explicit RawClient(const std::string& path);
    ~RawClient();
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    [[nodiscard]] bool connected() const { return m_fd >= 0; }
    /// Writes all of it while this thread's event loop runs; false when the other side closed.
    bool send(core::ByteView bytes);
    bool send(const core::Result<core::Bytes>& bytes) { return bytes && send(core::ByteView(*bytes)); }
    bool send(const std::string& bytes) { return send(core::asBytes(bytes)); }
    /// The next whole frame; none when the other side closed or nothing came.
    std::optional<core::Frame> receive();
    /// The other side has closed the connection (what it sent before is dropped).
    bool waitForClose();
    void close();

private:
    bool fill();

    int m_fd = -1;
    bool m_closed = false;
    core::FrameReader m_reader;
};

/// Sends a request and reads its answer; `raw` text of the result or "error CODE".
std::string ask(RawClient& client, const std::string& method, const core::Json& params = core::Json::object());

}  // namespace sunloco::ipc
