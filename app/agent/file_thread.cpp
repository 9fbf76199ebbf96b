// SPDX-License-Identifier: Apache-2.0
#include "app/agent/file_thread.h"

#include <QPointer>

namespace sunloco::agent {

struct FileThread::Task {
    QPointer<QObject> context;   ///< touched on the main thread only
    Work work;
    Done done;
};

FileThread::FileThread() : m_thread([this] { loop(); }) {}

FileThread::~FileThread() {
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
        m_tasks.clear();
    }
    m_wake.notify_one();
    m_thread.join();
}

void FileThread::run(QObject* context, Work work, Done done) {
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back(std::make_shared<Task>(Task{context, std::move(work), std::move(done)}));
    }
    m_wake.notify_one();
}

void FileThread::loop() {
    while (true) {
        std::shared_ptr<Task> task;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_ending || !m_tasks.empty(); });
            if (m_ending) return;
            task = std::move(m_tasks.front());
            m_tasks.pop_front();
        }
        auto result = std::make_shared<core::Result<void>>(task->work());
        // The task goes along: its callbacks and its context are destroyed on the main thread.
        m_mailbox.post([task = std::move(task), result = std::move(result)] {
            if (task->context) task->done(*result);
        });
    }
}

}  // namespace sunloco::agent
