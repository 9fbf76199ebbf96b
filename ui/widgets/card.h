// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/theme.h"

#include <QFrame>

class QVBoxLayout;
class QHBoxLayout;
class QLabel;

namespace sunloco::ui {

class ElidedLabel;

/// A rounded surface with a hairline, and inside it an optional heading row: heading left, a quiet note or link right.
class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(const Theme& theme, QWidget* parent = nullptr);

    /// Makes the heading row on first use.
    void setHeading(const QString& heading);
    void setNote(const QString& note);
    /// A small control at the right end of the heading row.
    void addToHeading(QWidget* widget);
    [[nodiscard]] QVBoxLayout* body() const { return m_body; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void makeHeadingRow();

    Theme m_theme;
    QVBoxLayout* m_body;
    ElidedLabel* m_heading = nullptr;
    QLabel* m_note = nullptr;
    QHBoxLayout* m_row = nullptr;
};

/// A hairline between rows of a card.
[[nodiscard]] QWidget* makeHairline(const Theme& theme, QWidget* parent);

/// A label of one type size and colour; wraps when asked to.
enum class Wrap { No, Yes };
[[nodiscard]] QLabel* makeLabel(const QString& text, TextSize size, const QColor& color, Wrap wrap, QWidget* parent);

}  // namespace sunloco::ui
