// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <QObject>
#include <QPointer>
#include <QThreadPool>

#include <functional>
#include <memory>

namespace sunloco::agent {

/// One thread for work that would hold up the main loop: hashing, applying updates, removing large folders. In order, one at a time.
class FileThread : public QObject {
    Q_OBJECT
public:
    explicit FileThread(QObject* parent) : QObject(parent) {
        m_pool.setMaxThreadCount(1);
        constexpr int kIdleMs = 5'000;
        m_pool.setExpiryTimeout(kIdleMs);
    }
    ~FileThread() override {
        m_pool.clear();
        m_pool.waitForDone();
    }

    /// Runs `work` on the file thread, then `done` with its outcome on the main thread, unless `context` is gone by then.
    void run(QObject* context, std::function<core::Result<void>()> work, std::function<void(const core::Result<void>&)> done) {
        auto* receiver = new QObject(context);   // lives on the main thread; dies with the context
        const QPointer<QObject> alive(receiver);
        m_pool.start([this, alive, work = std::move(work), done = std::move(done)] {
            auto result = std::make_shared<core::Result<void>>(work());
            QMetaObject::invokeMethod(this, [alive, result, done] {
                if (!alive) return;
                alive->deleteLater();
                done(*result);
            }, Qt::QueuedConnection);
        });
    }

private:
    QThreadPool m_pool;
};

}  // namespace sunloco::agent
