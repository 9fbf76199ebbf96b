// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QLabel>

namespace sunloco::ui {

/// A one-line label that gives way: too narrow, it shows "long na...me" and keeps the whole text as tooltip.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);

    void setFullText(const QString& text);
    [[nodiscard]] QString fullText() const { return m_text; }
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void updateToolTip();
    QString m_text;
};

}  // namespace sunloco::ui
