// SPDX-License-Identifier: Apache-2.0
#include "tests/net/transfer/transfer_rig.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFile>
#include <QRandomGenerator>

namespace sunloco::transfer {

QByteArray noise(qsizetype size, quint32 seed) {
    QRandomGenerator random(seed);
    QByteArray bytes(size, '\0');
    for (char& byte : bytes) { byte = static_cast<char>(random.bounded(256)); }
    return bytes;
}

core::Digest digestOf(const QByteArray& bytes) {
    return core::sha256(core::asBytes(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size()))));
}

QByteArray contentOf(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeFile(const std::filesystem::path& path, const QByteArray& content) {
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) { qFatal("cannot write a file of the test"); }
}

Rig::Rig(TransferOptions options) {
    m_transfers = std::make_unique<Transfers>(std::move(options), [mailbox = m_mailbox](std::function<void()> work) {
        const std::lock_guard lock(mailbox->mutex);
        mailbox->waiting.push_back(std::move(work));
    });
}

Rig::~Rig() = default;

TransferOptions Rig::quick() {
    TransferOptions options;
    options.proxy.kind = ProxySetting::Kind::None;
    options.connectTimeoutSeconds = 10;
    return options;
}

void Rig::deliver() {
    while (true) {
        std::function<void()> work;
        {
            const std::lock_guard lock(m_mailbox->mutex);
            if (m_mailbox->waiting.empty()) { return; }
            work = std::move(m_mailbox->waiting.front());
            m_mailbox->waiting.pop_front();
        }
        work();
    }
}

std::size_t Rig::waiting() {
    const std::lock_guard lock(m_mailbox->mutex);
    return m_mailbox->waiting.size();
}

bool Rig::waitUntil(const std::function<bool()>& done) {
    const QDeadlineTimer deadline(30'000);
    while (!done()) {
        if (deadline.hasExpired()) { return false; }
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        deliver();
        QThread::usleep(500);
    }
    return true;
}

Outcome Rig::run(Request request) {
    std::optional<Outcome> outcome;
    m_transfers->start(std::move(request), [&outcome](const Outcome& result) { outcome = result; });
    if (!waitUntil([&] { return outcome.has_value(); })) { qFatal("a request came to no end"); }
    return std::move(*outcome);
}

std::string failureText(const Outcome& outcome) {
    if (outcome.failure) { return std::string(core::errorName(outcome.failure->error.code)) + ": " + outcome.failure->error.text(); }
    if (!outcome.response) { return "neither a response nor a failure"; }
    if (!outcome.response->ok()) { return "status " + std::to_string(outcome.response->status); }
    return "none";
}

bool failedWith(const Outcome& outcome, core::ErrorCode code) { return !outcome.response && outcome.failure && outcome.failure->error.code == code; }

}  // namespace sunloco::transfer
