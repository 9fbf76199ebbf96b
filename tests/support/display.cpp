// SPDX-License-Identifier: Apache-2.0
#include "tests/support/display.h"

#include <QStandardPaths>

#include <cstdio>

namespace sunloco::testing {
namespace {
constexpr int kStartMs = 15'000;
}

Display::Display()
{
    if (qEnvironmentVariable("QT_QPA_PLATFORM") == u"offscreen")
        return;
    const QString program = QStandardPaths::findExecutable(QStringLiteral("Xvfb"));
    if (!program.isEmpty()) {
        // "-displayfd 1": the server chooses a free number and writes it when it is ready.
        m_server.setStandardErrorFile(QProcess::nullDevice());
        m_server.start(program, {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"), QStringLiteral("0"),
                                 QStringLiteral("2600x1900x24"), QStringLiteral("-nolisten"), QStringLiteral("tcp")});
        QByteArray number;
        while (!number.contains('\n') && m_server.waitForReadyRead(kStartMs))
            number += m_server.readAllStandardOutput();
        if (!number.trimmed().isEmpty())
            m_name = u':' + QString::fromLatin1(number.trimmed());
    }
    if (m_name.isEmpty()) {
        std::fprintf(stderr, "Xvfb was not started; this test runs on Qt's offscreen platform.\n");
        qputenv("QT_QPA_PLATFORM", "offscreen");
        return;
    }
    qputenv("DISPLAY", m_name.toLatin1());
    qputenv("QT_QPA_PLATFORM", "xcb");
}

Display::~Display()
{
    if (m_server.state() == QProcess::NotRunning)
        return;
    m_server.terminate();
    if (!m_server.waitForFinished(kStartMs)) {
        m_server.kill();
        m_server.waitForFinished(kStartMs);
    }
}

}  // namespace sunloco::testing
