// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QObject>

#include <functional>
#include <mutex>
#include <vector>

namespace sunloco::agent {

/// Work that other threads leave for the thread of this object (the main thread), done in order by its event loop; dropped with the mailbox.
class Mailbox : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// From any thread.
    void post(std::function<void()> work);

protected:
    void customEvent(QEvent* event) override;   ///< there is work

private:
    // Of our own rather than Qt's queue of calls, so that ThreadSanitizer sees the hand-over (Qt is not instrumented).
    std::mutex m_mutex;
    std::vector<std::function<void()>> m_work;
};

}  // namespace sunloco::agent
