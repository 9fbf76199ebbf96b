// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/setting_row.h"

#include "app/agent/agent_api.h"
#include "app/text/sentence.h"
#include "ui/dashboard/verdict_text.h"
#include "ui/settings/mnemonics.h"
#include "ui/settings/number_box.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/verdict_mark.h"
#include "ui/widgets/week_grid.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDateTime>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {

constexpr int kVerdictWidth = 186;
constexpr int kControlHeight = 28;
constexpr int kRowHeight = 40;
constexpr int kAddressWidth = 220;

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

std::string toStd(const QString& text)
{
    const QByteArray bytes = text.toUtf8();
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

/// A combo box whose value does not change when the page is scrolled over it.
class QuietComboBox final : public QComboBox {
public:
    using QComboBox::QComboBox;

protected:
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

}  // namespace

QString SettingRow::translated(std::string_view source)
{
    const QByteArray text(source.data(), static_cast<qsizetype>(source.size()));
    return QCoreApplication::translate("Settings", text.constData());
}

SettingRow::SettingRow(const rules::SettingSpec& spec, const QString& key, const QString& title, agent::AgentApi& agent, const Theme& theme,
                       ShowVerdict verdict, Mnemonics& mnemonics, QWidget* parent)
    : QWidget(parent)
    , m_spec(spec)
    , m_key(key)
    , m_title(title)
    , m_agent(agent)
    , m_theme(theme)
    , m_label(makeLabel(mnemonics.assign(title), TextSize::Body, theme.text, Wrap::Yes, this))
    , m_help(makeLabel(translated(spec.help), TextSize::Secondary, theme.text2, Wrap::Yes, this))
    , m_reset(new QToolButton(this))
{
    setMinimumHeight(kRowHeight);
    makeControl();
    m_control->setAccessibleName(title);
    m_control->setAccessibleDescription(m_help->text());
    m_label->setBuddy(m_control);

    m_reset->setAutoRaise(true);
    m_reset->setIcon(icons::tinted(QStringLiteral("nav/history"), theme.text2, 16, devicePixelRatioF()));
    m_reset->setFocusPolicy(Qt::StrongFocus);
    m_reset->setAccessibleName(tr("Reset: %1").arg(title));
    QSizePolicy keepPlace = m_reset->sizePolicy();
    keepPlace.setRetainSizeWhenHidden(true);
    m_reset->setSizePolicy(keepPlace);
    connect(m_reset, &QToolButton::clicked, this, &SettingRow::reset);

    m_side = makeSide(verdict);
    layOut();
}

void SettingRow::makeControl()
{
    switch (m_spec.type) {
    case rules::SettingType::Switch:
        m_check = new QCheckBox(this);
        m_control = m_check;
        connect(m_check, &QCheckBox::clicked, this, [this](bool on) { send(on ? QStringLiteral("on") : QStringLiteral("off")); });
        break;
    case rules::SettingType::Number:
        m_number = new NumberBox(m_spec, this);
        m_number->setMinimumHeight(kControlHeight);
        m_control = m_number;
        connect(m_number, &QSpinBox::valueChanged, this, [this](int value) { send(QString::number(value)); });
        break;
    case rules::SettingType::Choice:
        makeChoices();
        connect(m_choice, &QComboBox::activated, this, [this](int index) { send(m_choice->itemData(index).toString()); });
        break;
    case rules::SettingType::Proxy: makeProxyControl(); break;
    case rules::SettingType::Week: makeWeekControl(); break;
    }
}

void SettingRow::makeChoices()
{
    m_choice = new QuietComboBox(this);
    m_choice->setMinimumHeight(kControlHeight);
    m_choice->setFocusPolicy(Qt::StrongFocus);
    for (const rules::SettingOption& option : m_spec.options) {
        m_choice->addItem(translated(option.title), fromView(option.value));
        m_choice->setItemData(m_choice->count() - 1, translated(option.help), Qt::ToolTipRole);
    }
    m_control = m_choice;
}

void SettingRow::makeProxyControl()
{
    makeChoices();
    m_choice->setEditable(true);
    m_choice->setInsertPolicy(QComboBox::NoInsert);
    m_choice->setMinimumWidth(kAddressWidth);
    connect(m_choice, &QComboBox::activated, this, [this](int index) { send(m_choice->itemData(index).toString()); });
    connect(m_choice->lineEdit(), &QLineEdit::editingFinished, this, [this] {
        const QString typed = m_choice->currentText().trimmed();
        const int index = m_choice->findText(typed, Qt::MatchFixedString);
        const QString value = index >= 0 ? m_choice->itemData(index).toString() : typed;
        const auto present = m_agent.settings().get(toStd(m_key));
        if (!present || std::get<std::string>(*present) != toStd(value))
            send(value);
    });
}

void SettingRow::makeWeekControl()
{
    m_week = new WeekGrid(m_theme, this);
    m_control = m_week;
    connect(m_week, &WeekGrid::edited, this, [this](const WeekGrid::Hours& hours) {
        QString bits(static_cast<qsizetype>(hours.size()), u'0');
        for (std::size_t i = 0; i < hours.size(); ++i)
            if (hours.test(i))
                bits[static_cast<qsizetype>(i)] = u'1';
        send(bits);
    });
}

QWidget* SettingRow::makeSide(ShowVerdict verdict)
{
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    if (verdict == ShowVerdict::Yes && m_spec.rule) {
        auto* line = new QHBoxLayout;
        line->setSpacing(6);
        m_mark = new VerdictMark(m_theme, Mark::Off, side);
        m_mark->setAccessibleName(text::ruleName(*m_spec.rule));
        m_verdict = makeLabel({}, TextSize::Secondary, m_theme.text, Wrap::Yes, side);
        line->addWidget(m_mark, 0, Qt::AlignTop);
        line->addWidget(m_verdict, 1, Qt::AlignTop);
        column->addLayout(line);
    }
    if (m_week) {
        column->addWidget(makeLabel(tr("Drag, or use the arrow keys and Space."), TextSize::Secondary, m_theme.text2, Wrap::Yes, side));
        auto* copy = new QPushButton(tr("Copy day…"), side);
        connect(copy, &QPushButton::clicked, this, &SettingRow::copyDay);
        column->addWidget(copy, 0, Qt::AlignLeft);
        column->addStretch(1);
    }
    return side;
}

void SettingRow::layOut()
{
    auto* words = new QVBoxLayout;
    words->setSpacing(1);
    words->addWidget(m_label);
    words->addWidget(m_help);

    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(16, 6, 16, 6);
    m_grid->setHorizontalSpacing(10);
    m_grid->setVerticalSpacing(6);
    m_grid->setColumnStretch(0, 1);
    m_grid->addLayout(words, 0, 0);
    m_grid->addWidget(m_reset, 0, 1);
    if (m_week)
        m_grid->addWidget(m_week, 1, 0, 1, 3);
    else
        m_grid->addWidget(m_control, 0, 2);
    setNarrow(false);
}

void SettingRow::setNarrow(bool narrow)
{
    m_grid->removeWidget(m_side);
    const bool empty = !m_mark && !m_week;
    m_side->setVisible(!(narrow && empty));
    m_side->setMinimumWidth(narrow ? 0 : kVerdictWidth);
    m_side->setMaximumWidth(narrow ? QWIDGETSIZE_MAX : kVerdictWidth);
    if (narrow)
        m_grid->addWidget(m_side, 2, 0, 1, 3);
    else
        m_grid->addWidget(m_side, 0, 3, m_week ? 2 : 1, 1, m_week ? Qt::AlignTop : Qt::AlignVCenter);
}

void SettingRow::send(const QString& value)
{
    const agent::Answer answer = m_agent.setSetting(m_key, value);
    say(answer.ok ? QString() : answer.message);
    // Whatever was typed, the row shows what is in force.
    setValues(m_agent.settings());
}

void SettingRow::reset()
{
    m_agent.resetSetting(m_key);
    say({});
    setValues(m_agent.settings());
    m_control->setFocus();
}

void SettingRow::say(const QString& problem)
{
    m_showProblem = !problem.isEmpty();
    m_help->setText(m_showProblem ? problem : translated(m_spec.help));
    m_help->setPalette(m_theme.withText(m_help->palette(), m_showProblem ? m_theme.alert : m_theme.text2));
    m_control->setAccessibleDescription(m_help->text());
}

QString SettingRow::problem() const
{
    return m_showProblem ? m_help->text() : QString();
}

void SettingRow::setValues(const rules::Settings& settings)
{
    const std::string key = toStd(m_key);
    const auto value = settings.get(key);
    if (!value)
        return;
    if (m_check) {
        m_check->setChecked(std::get<bool>(*value));
    } else if (m_number) {
        const QSignalBlocker quiet(m_number);
        m_number->setValue(static_cast<int>(std::get<std::int64_t>(*value)));
    } else if (m_choice) {
        const QString chosen = fromView(std::get<std::string>(*value));
        m_choice->setCurrentIndex(m_choice->findData(chosen));
        if (m_choice->isEditable() && m_choice->currentIndex() < 0)
            m_choice->setEditText(chosen);
        m_choice->setToolTip(m_choice->currentData(Qt::ToolTipRole).toString());
    } else if (m_week) {
        const std::string& bits = std::get<std::string>(*value);
        WeekGrid::Hours hours;
        for (std::size_t i = 0; i < hours.size() && i < bits.size(); ++i)
            hours.set(i, bits[i] == '1');
        m_week->setHours(hours);
        const QDateTime now = QDateTime::currentDateTime();
        m_week->setNow(now.date().dayOfWeek() - 1, now.time().hour());
        const bool used = settings.isOn(rules::keys::kScheduleEnabled);
        m_week->setEnabled(used);
        m_side->setEnabled(used);
    }
    m_reset->setVisible(!settings.isDefault(key));
    const std::string standard = rules::toText(m_spec, rules::defaultValue(m_spec));
    m_reset->setToolTip(m_week ? tr("Back to every hour") : tr("Back to the default: %1").arg(fromView(standard)));
    if (m_choice) {
        for (const rules::SettingOption& option : m_spec.options)
            if (option.value == standard)
                m_reset->setToolTip(tr("Back to the default: %1").arg(translated(option.title)));
    }
}

void SettingRow::setVerdict(const rules::Decision& decision)
{
    if (!m_mark)
        return;
    const rules::Verdict* verdict = decision.find(*m_spec.rule);
    m_mark->setVisible(verdict != nullptr);
    m_verdict->setVisible(verdict != nullptr);
    if (!verdict)
        return;
    m_mark->setMark(markOf(*verdict));
    m_verdict->setText(text::verdictText(*verdict));
}

void SettingRow::copyDay()
{
    // First the day to copy, then where it goes.
    QMenu menu(this);
    const QLocale locale;
    const auto copyTo = [this](int from, const QVector<int>& to) {
        m_week->copyDay(from);
        for (const int day : to)
            if (day != from)
                m_week->pasteDay(day);
    };
    for (int day = 0; day < WeekGrid::kDays; ++day) {
        QMenu* from = menu.addMenu(tr("%1 to", "a day of the week, copied to another").arg(locale.dayName(day + 1, QLocale::LongFormat)));
        connect(from->addAction(tr("Monday to Friday")), &QAction::triggered, this, [copyTo, day] { copyTo(day, {0, 1, 2, 3, 4}); });
        connect(from->addAction(tr("the whole week")), &QAction::triggered, this, [copyTo, day] { copyTo(day, {0, 1, 2, 3, 4, 5, 6}); });
        from->addSeparator();
        for (int to = 0; to < WeekGrid::kDays; ++to)
            if (to != day)
                connect(from->addAction(locale.dayName(to + 1, QLocale::LongFormat)), &QAction::triggered, this, [copyTo, day, to] { copyTo(day, {to}); });
    }
    menu.exec(m_side->mapToGlobal(QPoint(0, m_side->height())));
}

}  // namespace sunloco::ui
