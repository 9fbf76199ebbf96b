// SPDX-License-Identifier: Apache-2.0
#include "app/agent/mailbox.h"

#include <QCoreApplication>
#include <QEvent>

namespace sunloco::agent {

void Mailbox::post(std::function<void()> work) {
    const std::lock_guard lock(m_mutex);
    m_work.push_back(std::move(work));
    if (m_work.size() == 1) QCoreApplication::postEvent(this, new QEvent(QEvent::User));
}

void Mailbox::customEvent(QEvent*) {
    std::vector<std::function<void()>> work;
    {
        const std::lock_guard lock(m_mutex);
        work.swap(m_work);
    }
    for (const auto& one : work) one();
}

}  // namespace sunloco::agent
