// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/log_page.h"

#include "app/agent/agent_api.h"
#include "ui/widgets/card.h"

#include <QCheckBox>
#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {
constexpr int kMaxLines = 5000;
constexpr int kFirstLines = 1000;
}  // namespace

LogPage::LogPage(const PageContext& context, QWidget* parent)
    : Page(context, parent)
{
    QHBoxLayout* title = addTitle(tr("Log"));
    auto* copy = new QPushButton(tr("&Copy shown lines"), this);
    copy->setMinimumHeight(30);
    title->addWidget(copy);

    auto* tools = new QHBoxLayout;
    tools->setSpacing(8);
    auto* filterLabel = new QLabel(tr("F&ilter"), this);
    m_filter = new QLineEdit(this);
    m_filter->setClearButtonEnabled(true);
    m_filter->setPlaceholderText(tr("Words that a line must contain"));
    m_filter->setMinimumHeight(28);
    m_filter->setAccessibleName(tr("Filter"));
    filterLabel->setBuddy(m_filter);
    m_follow = new QCheckBox(tr("F&ollow new lines"), this);
    m_follow->setChecked(true);
    tools->addWidget(filterLabel);
    tools->addWidget(m_filter, 1);
    tools->addWidget(m_follow);
    content()->addLayout(tools);

    m_text = new QPlainTextEdit(this);
    m_text->setReadOnly(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setTabChangesFocus(true);
    m_text->setMaximumBlockCount(kMaxLines);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setUndoRedoEnabled(false);
    m_text->setAccessibleName(tr("Log lines"));
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(fontFor(TextSize::Secondary, font()).pointSizeF());
    m_text->setFont(fixed);
    m_text->setMinimumHeight(160);
    content()->addWidget(m_text, 1);
    m_count = makeLabel({}, TextSize::Secondary, theme().text2, Wrap::Yes, widget());
    content()->addWidget(m_count);

    for (const QString& line : agent().recentLog(kFirstLines))
        m_lines.append(line);
    applyFilter();

    connect(&agent(), &agent::AgentApi::logLine, this, &LogPage::append);
    connect(m_filter, &QLineEdit::textChanged, this, &LogPage::applyFilter);
    connect(copy, &QPushButton::clicked, this, &LogPage::copyShown);
    connect(m_follow, &QCheckBox::toggled, this, [this](bool on) {
        if (on)
            m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->maximum());
    });
    // Scrolling back by hand stops the following; the person reads something.
    connect(m_text->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this](int) {
        const QScrollBar* bar = m_text->verticalScrollBar();
        m_follow->setChecked(bar->sliderPosition() >= bar->maximum());
    });
}

void LogPage::refresh()
{
    const QLocale locale;
    if (m_lines.isEmpty())
        m_count->setText(tr("Nothing has been logged yet."));
    else if (m_filter->text().trimmed().isEmpty())
        m_count->setText(tr("%1 lines").arg(locale.toString(m_lines.size())));
    else
        m_count->setText(tr("%1 of %2 lines").arg(locale.toString(m_shown), locale.toString(m_lines.size())));
}

bool LogPage::matches(const QString& line) const
{
    const QStringList words = m_filter->text().split(u' ', Qt::SkipEmptyParts);
    return std::all_of(words.begin(), words.end(), [&line](const QString& word) { return line.contains(word, Qt::CaseInsensitive); });
}

void LogPage::append(const QString& line)
{
    m_lines.append(line);
    if (m_lines.size() > kMaxLines)
        m_lines.removeFirst();
    if (!matches(line)) {
        refresh();
        return;
    }
    ++m_shown;
    QScrollBar* bar = m_text->verticalScrollBar();
    const int before = bar->value();
    m_text->appendPlainText(line);
    bar->setValue(m_follow->isChecked() ? bar->maximum() : before);
    refresh();
}

void LogPage::applyFilter()
{
    QStringList shown;
    for (const QString& line : std::as_const(m_lines))
        if (matches(line))
            shown.append(line);
    m_shown = shown.size();
    m_text->setPlainText(shown.join(u'\n'));
    if (m_follow->isChecked())
        m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->maximum());
    refresh();
}

void LogPage::copyShown()
{
    QGuiApplication::clipboard()->setText(m_text->toPlainText());
}

}  // namespace sunloco::ui
