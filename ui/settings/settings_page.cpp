// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/settings_page.h"

#include "app/agent/agent_api.h"
#include "ui/settings/mnemonics.h"
#include "ui/settings/preset_cards.h"
#include "ui/settings/setting_row.h"
#include "ui/widgets/card.h"
#include "ui/widgets/ui_state.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include <set>

namespace sunloco::ui {
namespace {

constexpr rules::SettingGroup kGroups[] = {rules::SettingGroup::General, rules::SettingGroup::When,    rules::SettingGroup::Power,
                                           rules::SettingGroup::Network, rules::SettingGroup::Disk,    rules::SettingGroup::Devices};

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

SettingsPage::SettingsPage(const PageContext& context, UiState& state, QWidget* parent)
    : Page(context, parent)
    , m_state(state)
{
    QHBoxLayout* title = addTitle(tr("Settings"));
    auto* reset = new QPushButton(tr("Reset all…"), widget());
    reset->setMinimumHeight(30);
    title->addWidget(reset);
    connect(reset, &QPushButton::clicked, this, &SettingsPage::resetAll);
    content()->setSpacing(6);
    buildTable();
    buildProjects();
    buildWindowSection();
    content()->addStretch(1);
    connect(&agent(), &agent::AgentApi::settingsChanged, this, [this] {
        if (isVisible())
            refresh();
    });
}

QStringList SettingsPage::sectionTitles()
{
    QStringList titles;
    for (const rules::SettingGroup group : kGroups)
        titles.append(SettingRow::translated(rules::groupTitle(group)));
    titles.append(tr("Projects"));
    titles.append(tr("This window"));
    return titles;
}

void SettingsPage::addHeading(const QString& title)
{
    if (!m_headings.empty())
        content()->addSpacing(8);
    QLabel* heading = makeLabel(title, TextSize::Heading, theme().text, Wrap::No, widget());
    heading->setContentsMargins(2, 0, 2, 0);
    content()->addWidget(heading);
    m_headings.push_back(heading);
}

void SettingsPage::addRow(Card* card, SettingRow* row)
{
    if (card->body()->count() > 0)
        card->body()->addWidget(makeHairline(theme(), card));
    card->body()->addWidget(row);
    row->setNarrow(isNarrow());
    m_rows.push_back(row);
}

void SettingsPage::buildTable()
{
    Mnemonics mnemonics;
    std::set<rules::RuleId> shown;
    for (const rules::SettingGroup group : kGroups) {
        addHeading(SettingRow::translated(rules::groupTitle(group)));
        auto* card = new Card(theme(), widget());
        card->body()->setContentsMargins(0, 1, 0, 1);
        card->body()->setSpacing(0);
        card->setAccessibleName(SettingRow::translated(rules::groupTitle(group)));
        for (const rules::SettingSpec& spec : rules::settingsTable()) {
            if (spec.group != group || spec.scope == rules::SettingScope::Device)
                continue;
            if (spec.key == rules::keys::kPreset) {
                m_presets = new PresetCards(theme(), PresetCards::Direction::Row, widget());
                m_presets->setAccessibleName(SettingRow::translated(spec.title));
                connect(m_presets, &PresetCards::chosenByUser, this, [this](const QString& id) {
                    const agent::Answer answer = agent().setSetting(fromView(rules::keys::kPreset), id);
                    if (!answer.ok)
                        QMessageBox::warning(this, tr("Settings"), answer.message);
                    refresh();
                });
                content()->addWidget(m_presets);
                content()->addSpacing(4);
                continue;
            }
            // A rule with several settings says its verdict once, beside the first of them.
            const bool verdict = spec.rule && spec.rule != rules::RuleId::UserPause && shown.insert(*spec.rule).second;
            addRow(card, new SettingRow(spec, fromView(spec.key), SettingRow::translated(spec.title), agent(), theme(), verdict ? ShowVerdict::Yes : ShowVerdict::No,
                                        mnemonics, card));
        }
        content()->addWidget(card);
        if (group == rules::SettingGroup::Devices)
            m_deviceCard = card;
    }
}

void SettingsPage::refreshDevices()
{
    QStringList ids;
    for (const agent::DeviceSnapshot& device : agent().snapshot().devices)
        ids.append(device.id);
    if (ids == m_deviceIds)
        return;
    // Devices come and go seldom (a card is plugged in): rows of new ones are added, those of missing ones stay until the page is opened anew.
    Mnemonics none(QStringLiteral("abcdefghijklmnopqrstuvwxyz"));
    for (const agent::DeviceSnapshot& device : agent().snapshot().devices) {
        if (m_deviceIds.contains(device.id))
            continue;
        const QString key = QString::fromStdString(rules::Settings::deviceModeKey(device.id.toStdString()));
        if (const rules::SettingSpec* spec = rules::findSetting(key.toStdString()))
            addRow(m_deviceCard, new SettingRow(*spec, key, device.name, agent(), theme(), ShowVerdict::No, none, m_deviceCard));
    }
    m_deviceIds = ids;
}

void SettingsPage::buildProjects()
{
    addHeading(tr("Projects"));
    m_projectCard = new Card(theme(), widget());
    m_projectRows = new QVBoxLayout;
    m_projectRows->setSpacing(8);
    m_projectCard->body()->addLayout(m_projectRows);
    m_projectCard->setAccessibleName(tr("Projects"));
    auto* join = new QPushButton(tr("Join a project…"), m_projectCard);
    connect(join, &QPushButton::clicked, this, &SettingsPage::joinRequested);
    m_projectCard->body()->addWidget(join, 0, Qt::AlignLeft);
    content()->addWidget(m_projectCard);
}

void SettingsPage::refreshProjects()
{
    QStringList ids;
    for (const agent::ProjectSnapshot& project : agent().snapshot().projects)
        ids.append(project.id);
    if (ids == m_projectIds && m_projectRows->count() > 0)
        return;
    m_projectIds = ids;
    while (QLayoutItem* item = m_projectRows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (ids.isEmpty())
        m_projectRows->addWidget(makeLabel(tr("No project yet."), TextSize::Body, theme().text2, Wrap::Yes, m_projectCard));
    for (const agent::ProjectSnapshot& project : agent().snapshot().projects) {
        auto* row = new QWidget(m_projectCard);
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        auto* words = new QVBoxLayout;
        words->setSpacing(1);
        words->addWidget(makeLabel(project.name, TextSize::Body, theme().text, Wrap::Yes, row));
        words->addWidget(makeLabel(project.problem.isEmpty() ? project.url : project.problem, TextSize::Secondary, theme().text2, Wrap::Yes, row));
        line->addLayout(words, 1);
        auto* leave = new QPushButton(tr("Leave…"), row);
        leave->setAccessibleName(tr("Leave %1").arg(project.name));
        connect(leave, &QPushButton::clicked, this, [this, id = project.id, name = project.name] {
            QMessageBox ask(QMessageBox::Question, tr("Leave %1").arg(name),
                            tr("This PC stops training for %1 and deletes its data. Rounds already accepted stay in the model.").arg(name), QMessageBox::NoButton, this);
            QPushButton* go = ask.addButton(tr("&Leave the project"), QMessageBox::DestructiveRole);
            ask.setDefaultButton(ask.addButton(tr("&Stay"), QMessageBox::RejectRole));
            ask.exec();
            if (ask.clickedButton() != go)
                return;
            const agent::Answer answer = agent().leave(id);
            if (!answer.ok)
                QMessageBox::warning(this, tr("Leave %1").arg(name), answer.message);
            refresh();
        });
        line->addWidget(leave);
        m_projectRows->addWidget(row);
    }
}

void SettingsPage::buildWindowSection()
{
    addHeading(tr("This window"));
    auto* card = new Card(theme(), widget());
    card->setAccessibleName(tr("This window"));
    auto* languageRow = new QHBoxLayout;
    auto* label = new QLabel(tr("Language"), card);
    auto* language = new QComboBox(card);
    language->setAccessibleName(tr("Language"));
    label->setBuddy(language);
    language->addItem(tr("As the system"), QString());
    language->addItem(QStringLiteral("English"), QStringLiteral("en"));
    language->addItem(QStringLiteral("Deutsch"), QStringLiteral("de"));
    language->addItem(QString::fromUtf8("简体中文"), QStringLiteral("zh_CN"));
    language->setCurrentIndex(std::max(0, language->findData(m_state.language())));
    languageRow->addWidget(label, 1);
    languageRow->addWidget(language);
    card->body()->addLayout(languageRow);
    // The window is built anew in the other language, so this must not happen inside the box's own event.
    connect(language, &QComboBox::activated, &m_state, [state = &m_state, language](int index) {
        const QString chosen = language->itemData(index).toString();
        QTimer::singleShot(0, state, [state, chosen] { state->setLanguage(chosen); });
    });

    auto* coloured = new QCheckBox(tr("Coloured tray icon"), card);
    coloured->setChecked(m_state.colouredTray());
    connect(coloured, &QCheckBox::toggled, &m_state, &UiState::setColouredTray);
    card->body()->addWidget(coloured);

    auto* quit = new QPushButton(tr("Quit SunLoCo (saves first)"), card);
    quit->setToolTip(tr("Ends training and the program; saved work goes on at the next start (Ctrl+Q)"));
    connect(quit, &QPushButton::clicked, this, &SettingsPage::quitRequested);
    card->body()->addWidget(quit, 0, Qt::AlignLeft);
    content()->addWidget(card);
}

QWidget* SettingsPage::controlFor(const QString& key) const
{
    if (key == fromView(rules::keys::kPreset))
        return m_presets;
    for (const SettingRow* row : m_rows)
        if (row->key() == key)
            return row->control();
    return nullptr;
}

void SettingsPage::refresh()
{
    refreshDevices();
    refreshProjects();
    const rules::Settings settings = agent().settings();
    const rules::Decision& decision = agent().snapshot().decision;
    m_presets->setChosen(QString::fromStdString(settings.choice(rules::keys::kPreset)));
    for (SettingRow* row : m_rows) {
        // A control that is being edited keeps what the person types.
        if (!row->control()->hasFocus())
            row->setValues(settings);
        row->setVerdict(decision);
    }
}

void SettingsPage::setNarrow(bool narrow)
{
    m_presets->setNarrow(narrow);
    for (SettingRow* row : m_rows)
        row->setNarrow(narrow);
}

void SettingsPage::showSection(int section)
{
    if (section < 0 || section >= static_cast<int>(m_headings.size()))
        return;
    // After the layout has its sizes.
    QTimer::singleShot(0, this, [this, heading = m_headings[static_cast<std::size_t>(section)]] {
        verticalScrollBar()->setValue(heading->y() - 10);
    });
}

void SettingsPage::resetAll()
{
    QMessageBox ask(QMessageBox::Question, tr("Reset all settings"), tr("All settings of this page go back to their defaults. Projects and finished work stay."),
                    QMessageBox::NoButton, this);
    QPushButton* go = ask.addButton(tr("&Reset all settings"), QMessageBox::DestructiveRole);
    ask.setDefaultButton(ask.addButton(tr("&Keep them"), QMessageBox::RejectRole));
    ask.exec();
    if (ask.clickedButton() != go)
        return;
    for (const rules::SettingSpec& spec : rules::settingsTable())
        if (spec.scope == rules::SettingScope::Global)
            agent().resetSetting(fromView(spec.key));
    for (const std::string& key : agent().settings().deviceKeys())
        agent().resetSetting(QString::fromStdString(key));
    refresh();
}

}  // namespace sunloco::ui
