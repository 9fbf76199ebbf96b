// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/icons.h"

#include "app/agent/agent_api.h"

#include <QPainter>
#include <QSvgRenderer>

// Resources of a static library are registered by hand; the macro must stand outside every namespace.
static void registerIcons()
{
    static const bool once = [] {
        Q_INIT_RESOURCE(sunloco);
        return true;
    }();
    Q_UNUSED(once)
}

namespace sunloco::ui::icons {
namespace {

constexpr int kTraySizes[] = {16, 22, 24, 32, 44, 64};

QPixmap drawn(const QString& file, int pixels)
{
    registerIcons();
    QSvgRenderer renderer(file);
    QPixmap pixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter, QRectF(0, 0, pixels, pixels));
    return pixmap;
}

}  // namespace

QString shapeOf(agent::State state)
{
    switch (state) {
    case agent::State::Training: return QStringLiteral("training");
    case agent::State::Uploading: return QStringLiteral("uploading");
    case agent::State::PausedByUser: return QStringLiteral("paused-by-you");
    case agent::State::PausedByRule: return QStringLiteral("paused-by-rule");
    case agent::State::NeedsAttention: return QStringLiteral("attention");
    case agent::State::NoProject:
    case agent::State::Waiting: return QStringLiteral("waiting");
    }
    return QStringLiteral("waiting");
}

QPixmap tinted(const QString& path, const QColor& color, int size, qreal devicePixelRatio)
{
    QPixmap pixmap = drawn(u":/icons/" % path % u".svg", qRound(size * devicePixelRatio));
    QPainter painter(&pixmap);
    // Only the alpha of the file counts; cut-outs stay cut out.
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(pixmap.rect(), color);
    painter.end();
    pixmap.setDevicePixelRatio(devicePixelRatio);
    return pixmap;
}

QIcon state(agent::State state, const QColor& color)
{
    QIcon icon;
    const QString path = u"tray/" % shapeOf(state);
    for (const int size : kTraySizes)
        icon.addPixmap(tinted(path, color, size, 1.0));
    return icon;
}

QIcon application()
{
    QIcon icon;
    for (const int size : {16, 32, 48, 64, 128})
        icon.addPixmap(drawn(QStringLiteral(":/icons/app/sunloco.svg"), size));
    return icon;
}

}  // namespace sunloco::ui::icons
