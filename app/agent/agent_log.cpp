// SPDX-License-Identifier: Apache-2.0
#include "app/agent/agent_log.h"

#include <QDateTime>

#include <algorithm>
#include <cstdio>

namespace sunloco::agent {

AgentLog::AgentLog(std::filesystem::path file, Stderr toStderr, QObject* parent) : QObject(parent), m_file(QString::fromStdString(file.string())), m_stderr(toStderr) {
    if (!m_file.open(QIODevice::ReadWrite | QIODevice::Append)) return;
    m_file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    // The last lines of the run before are part of the story.
    constexpr qint64 kTail = 64'000;
    const qint64 from = std::max<qint64>(0, m_file.size() - kTail);
    m_file.seek(std::max<qint64>(0, from - 1));
    if (from > 0) m_file.readLine();   // the rest of a line that began before
    const QStringList lines = QString::fromUtf8(m_file.readAll()).split(u'\n', Qt::SkipEmptyParts);
    for (const QString& text : lines) m_lines.push_back(text);
    while (m_lines.size() > kKeptLines) m_lines.pop_front();
}

void AgentLog::add(const QString& text) {
    QString oneLine = text;
    oneLine.replace(u'\n', u' ');
    const QString full = QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss ")) % oneLine;
    m_lines.push_back(full);
    if (m_lines.size() > kKeptLines) m_lines.pop_front();
    if (m_stderr == Stderr::On) std::fprintf(stderr, "%s\n", full.toUtf8().constData());
    if (m_file.isOpen()) {
        m_file.write(full.toUtf8() + '\n');
        m_file.flush();
        if (m_file.size() > kLargestFile) rotate();
    }
    Q_EMIT line(full);
}

void AgentLog::rotate() {
    const QString old = m_file.fileName() % QStringLiteral(".1");
    m_file.close();
    QFile::remove(old);
    QFile::rename(m_file.fileName(), old);
    if (m_file.open(QIODevice::ReadWrite | QIODevice::Append)) m_file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
}

QVector<QString> AgentLog::recent(int lines) const {
    const auto count = std::min<std::size_t>(m_lines.size(), static_cast<std::size_t>(std::max(0, lines)));
    return QVector<QString>(m_lines.end() - static_cast<std::ptrdiff_t>(count), m_lines.end());
}

}  // namespace sunloco::agent
