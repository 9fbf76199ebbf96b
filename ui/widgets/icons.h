// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QIcon>
#include <QPixmap>
#include <QString>

class QColor;

namespace sunloco::agent {
enum class State;
}

namespace sunloco::ui {

struct Theme;

/// Pictures from our SVG files, tinted in one colour where they carry none of their own. Six state shapes differ by outline, not only by colour.
namespace icons {

/// "training", "waiting", "paused-by-you", "paused-by-rule", "uploading", "attention".
[[nodiscard]] QString shapeOf(agent::State state);

/// `path` as in "tray/training" or "nav/now"; `size` in logical pixels.
[[nodiscard]] QPixmap tinted(const QString& path, const QColor& color, int size, qreal devicePixelRatio);

/// All sizes a tray may ask for (16 to 64 px), in one colour.
[[nodiscard]] QIcon state(agent::State state, const QColor& color);

/// The program's own picture, in its own colours.
[[nodiscard]] QIcon application();

}  // namespace icons
}  // namespace sunloco::ui
