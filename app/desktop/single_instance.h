// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QLockFile>
#include <QObject>

#include <filesystem>
#include <memory>

class QLocalServer;

namespace sunloco::desktop {

/// One window per data folder. The first start holds a lock and listens; a later one asks it to raise its window (and hands over a link).
class SingleInstance : public QObject {
    Q_OBJECT
public:
    enum class Role { First, Second, Unclear };

    explicit SingleInstance(const std::filesystem::path& dataDir, QObject* parent = nullptr);
    ~SingleInstance() override;

    /// Second: the running program has been asked and has answered. Unclear: the lock is held but nobody answers.
    Role begin(const QString& link);

Q_SIGNALS:
    /// `link` is empty unless the second start was given one.
    void raiseRequested(const QString& link);

private:
    bool askRunning(const QString& link);
    void listen();
    QString m_socketPath;
    std::unique_ptr<QLockFile> m_lock;
    QLocalServer* m_server = nullptr;
};

}  // namespace sunloco::desktop
