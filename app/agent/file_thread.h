// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/mailbox.h"
#include "engine/core/result.h"

#include <condition_variable>
#include <deque>
#include <thread>

namespace sunloco::agent {

/// One thread for work that would hold up the main loop: hashing, applying updates, removing large folders. In order, one at a time.
/// What has not begun when this object goes is dropped; what runs is waited for.
class FileThread {
public:
    using Work = std::function<core::Result<void>()>;
    using Done = std::function<void(const core::Result<void>&)>;
    FileThread();
    ~FileThread();
    FileThread(const FileThread&) = delete;
    FileThread& operator=(const FileThread&) = delete;

    /// Runs `work` on the file thread, then `done` with its outcome on the main thread, unless `context` is gone by then.
    void run(QObject* context, Work work, Done done);

private:
    struct Task;
    void loop();

    Mailbox m_mailbox;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::shared_ptr<Task>> m_tasks;
    bool m_ending = false;
    std::thread m_thread;   ///< last: it uses all of the above
};

}  // namespace sunloco::agent
