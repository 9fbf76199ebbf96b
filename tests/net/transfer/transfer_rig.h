// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/transfer/transfers.h"

#include <QByteArray>
#include <QTemporaryDir>
#include <QTest>

#include <deque>
#include <memory>
#include <mutex>

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

namespace sunloco::transfer {

/// Repeatable bytes that don't compress and differ for each seed.
QByteArray noise(qsizetype size, quint32 seed = 1);
core::Digest digestOf(const QByteArray& bytes);
QByteArray contentOf(const std::filesystem::path& path);
void writeFile(const std::filesystem::path& path, const QByteArray& content);

/// Transfers owned by the test's thread: its callbacks wait in a queue that this thread empties while it waits.
class Rig {
public:
    explicit Rig(TransferOptions options = quick());
    ~Rig();

    /// No proxy of the environment, and giving up soon.
    static TransferOptions quick();

    /// Serves both the event loop and the callbacks until `done` is true; false after half a minute.
    bool waitUntil(const std::function<bool()>& done);
    /// Starts a request and waits for its outcome.
    Outcome run(Request request);
    /// Hands over what the transfer thread has posted.
    void deliver();
    [[nodiscard]] std::size_t waiting();
    void destroyTransfers() { m_transfers.reset(); }

    Transfers& transfers() { return *m_transfers; }
    [[nodiscard]] std::filesystem::path path(const char* name) const { return std::filesystem::path(m_folder.path().toStdString()) / name; }

private:
    struct Mailbox {
        std::mutex mutex;
        std::deque<std::function<void()>> waiting;
    };
    QTemporaryDir m_folder;
    std::shared_ptr<Mailbox> m_mailbox = std::make_shared<Mailbox>();
    std::unique_ptr<Transfers> m_transfers;
};

/// What went wrong, in words; "none" when nothing did.
std::string failureText(const Outcome& outcome);

/// The outcome is a failure with this code.
bool failedWith(const Outcome& outcome, core::ErrorCode code);

}  // namespace sunloco::transfer
