// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QFile>
#include <QObject>
#include <QStringList>
#include <QVector>

#include <deque>
#include <filesystem>

namespace sunloco::agent {

/// What happened, line by line: in memory for the window, in agent.log of the data folder, and on stderr where that is wanted.
/// A disk that is full costs lines in the file, nothing else. Thread: the main thread.
class AgentLog : public QObject {
    Q_OBJECT
public:
    enum class Stderr { Off, On };
    AgentLog(std::filesystem::path file, Stderr toStderr, QObject* parent);

    void add(const QString& text);
    [[nodiscard]] QVector<QString> recent(int lines) const;

    static constexpr std::size_t kKeptLines = 2'000;
    static constexpr qint64 kLargestFile = 1'000'000;   ///< then it becomes agent.log.1

Q_SIGNALS:
    void line(const QString& text);

private:
    void rotate();

    QFile m_file;
    Stderr m_stderr;
    std::deque<QString> m_lines;
};

}  // namespace sunloco::agent
