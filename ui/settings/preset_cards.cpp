// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/preset_cards.h"

#include "app/rules/settings.h"
#include "ui/settings/setting_row.h"
#include "ui/widgets/card.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QRadioButton>
#include <QStyle>

namespace sunloco::ui {

class PresetCard : public QWidget {
public:
    PresetCard(const Theme& theme, const rules::SettingOption& option, QWidget* parent)
        : QWidget(parent)
        , m_theme(theme)
        , m_id(QString::fromUtf8(option.value.data(), static_cast<qsizetype>(option.value.size())))
        , m_button(new QRadioButton(SettingRow::translated(option.title), this))
    {
        const QString help = SettingRow::translated(option.help);
        m_button->setAccessibleDescription(help);
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(12, 9, 12, 9);
        column->setSpacing(2);
        column->addWidget(m_button);
        QLabel* label = makeLabel(help, TextSize::Secondary, theme.text2, Wrap::Yes, this);
        label->setContentsMargins(m_button->style()->pixelMetric(QStyle::PM_ExclusiveIndicatorWidth) + 6, 0, 0, 0);
        column->addWidget(label);
        column->addStretch(1);
    }

    [[nodiscard]] QString id() const { return m_id; }
    [[nodiscard]] QRadioButton* button() const { return m_button; }

protected:
    void mousePressEvent(QMouseEvent* event) override
    {
        if (event->button() == Qt::LeftButton)
            m_button->click();
    }

    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const bool on = m_button->isChecked();
        painter.setPen(QPen(on ? m_theme.accent : m_theme.line, on ? 2 : 1));
        painter.setBrush(m_theme.card);
        const qreal inset = on ? 1 : 0.5;
        painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), 10, 10);
    }

private:
    Theme m_theme;
    QString m_id;
    QRadioButton* m_button;
};

PresetCards::PresetCards(const Theme& theme, Direction direction, QWidget* parent)
    : QWidget(parent)
    , m_direction(direction)
    , m_layout(new QBoxLayout(direction == Direction::Row ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom, this))
    , m_group(new QButtonGroup(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(8);
    for (const rules::SettingOption& option : rules::presets()) {
        auto* card = new PresetCard(theme, option, this);
        m_cards.push_back(card);
        m_group->addButton(card->button());
        m_layout->addWidget(card, direction == Direction::Row ? 1 : 0);
        connect(card->button(), &QRadioButton::toggled, card, [card](bool on) {
            QFont font = card->font();
            font.setWeight(on ? QFont::DemiBold : QFont::Normal);
            card->button()->setFont(font);
            card->update();
        });
        connect(card->button(), &QRadioButton::clicked, this, [this, id = card->id()] { Q_EMIT chosenByUser(id); });
    }
}

void PresetCards::setChosen(const QString& presetId)
{
    for (PresetCard* card : m_cards)
        if (card->id() == presetId)
            card->button()->setChecked(true);
}

QString PresetCards::chosen() const
{
    for (const PresetCard* card : m_cards)
        if (card->button()->isChecked())
            return card->id();
    return {};
}

void PresetCards::setNarrow(bool narrow)
{
    if (m_direction == Direction::Row)
        m_layout->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

}  // namespace sunloco::ui
