// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/readable.h"
#include "ui/widgets/theme.h"

#include <QString>
#include <QVector>
#include <QWidget>

namespace sunloco::ui {

/// One quarter of an hour of the day.
enum class Quarter { Unrecorded, Idle, Trained, Future };

/// The day as a band of quarter hours: trained, nothing used, not recorded (the program did not run), still to come.
/// One tab stop; Left and Right go from stretch to stretch.
class DayBand : public QWidget, public Readable {
    Q_OBJECT
public:
    static constexpr int kQuarters = 96;

    explicit DayBand(const Theme& theme, QWidget* parent = nullptr);

    /// 96 entries from midnight; `nowMinute` = minutes since midnight.
    void setDay(const QVector<Quarter>& quarters, int nowMinute);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QString accessibleValue() const override;
    [[nodiscard]] QAccessible::Role accessibleRole() const override { return QAccessible::Graphic; }

Q_SIGNALS:
    /// "10:15 to 11:30, trained"; empty when the band loses the focus.
    void pointed(const QString& line);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Stretch { int first = 0; int last = 0; Quarter what = Quarter::Unrecorded; };
    [[nodiscard]] QString describe(const Stretch& stretch) const;
    void setCurrent(int stretch);

    Theme m_theme;
    QVector<Stretch> m_stretches;
    int m_nowMinute = 0;
    int m_current = -1;
};

}  // namespace sunloco::ui
