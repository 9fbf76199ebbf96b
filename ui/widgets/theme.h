// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QColor>
#include <QFont>
#include <QPalette>

class QWidget;

namespace sunloco::agent {
enum class State;
}

namespace sunloco::ui {

/// The colour tokens and type sizes of the look, in one value. Widgets get it by constructor and keep a copy: when the system palette or the
/// language changes, the window is built anew instead of every widget listening.
struct Theme {
    enum class Kind { Light, Dark, HighContrast };
    Kind kind = Kind::Light;

    QColor window, side, card;          ///< surfaces
    QColor sunk, line;                  ///< wells and hairlines: decoration only
    QColor control;                     ///< borders of inputs and nodes, at least 3 : 1
    QColor text, text2;                 ///< at least 4.5 : 1 and 5.5 : 1 on every surface
    QColor accent, onAccent, tint;      ///< primary button, selection, focus
    QColor train, wait, you, rule, warn, upload, alert, alertBackground;
    QColor sun, sunFill, battery, grid, unknown;

    [[nodiscard]] static Theme light();
    [[nodiscard]] static Theme dark();
    /// No tokens of our own: system palette only, states differ by shape and word.
    [[nodiscard]] static Theme highContrast(const QPalette& system);
    /// Dark when the palette's window is darker than its text; high contrast when the two are (nearly) pure black and white.
    [[nodiscard]] static Theme forPalette(const QPalette& system);

    /// The palette for our windows, so that the platform style draws its controls in the same colours.
    [[nodiscard]] QPalette palette(const QPalette& system) const;
    /// The palette of the one primary button of a page.
    [[nodiscard]] QPalette primaryButton(const QPalette& base) const;
    /// Fusion takes the edges of boxes, buttons and fields from the window's colour, which on dark surfaces cannot be seen: gives every control
    /// below `root` an edge of `control`, at least 3 : 1. Other styles draw their own edges.
    void outlineControls(QWidget* root) const;
    [[nodiscard]] QPalette withText(const QPalette& base, const QColor& color) const;

    [[nodiscard]] QColor stateColor(agent::State state) const;
    [[nodiscard]] QColor stateBackground(agent::State state) const;
};

/// Sizes relative to the application font; nothing is fixed in pixels.
enum class TextSize { State, PageTitle, Figure, Heading, Body, Secondary, Axis };
[[nodiscard]] QFont fontFor(TextSize size, const QFont& base);

/// WCAG contrast ratio, 1 to 21.
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

}  // namespace sunloco::ui
