// SPDX-License-Identifier: Apache-2.0
#include "ui/tray/pause_menu.h"

#include "app/agent/agent_api.h"
#include "app/rules/user_override.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QMenu>

namespace sunloco::ui {
namespace {

constexpr int kQuarterHour = 15;
constexpr int kHour = 60;
constexpr int kFourHours = 240;
constexpr int kHalfHour = 30;

QString text(const char* source)
{
    return QCoreApplication::translate("PauseMenu", source);
}

QString clock(const QDateTime& time)
{
    return QLocale().toString(time.time(), QLocale::ShortFormat);
}

QString lengthText(int minutes)
{
    switch (minutes) {
    case kQuarterHour: return text(QT_TRANSLATE_NOOP("PauseMenu", "15 minutes, until %1"));
    case kHalfHour: return text(QT_TRANSLATE_NOOP("PauseMenu", "30 minutes, until %1"));
    case kHour: return text(QT_TRANSLATE_NOOP("PauseMenu", "1 hour, until %1"));
    default: return text(QT_TRANSLATE_NOOP("PauseMenu", "4 hours, until %1"));
    }
}

QString tomorrowText()
{
    const QDateTime now = QDateTime::currentDateTime();
    const QDateTime end(now.date().addDays(1), QTime(rules::kTomorrowHour, 0));
    return text(QT_TRANSLATE_NOOP("PauseMenu", "Until tomorrow, %1 %2")).arg(QLocale().dayName(end.date().dayOfWeek(), QLocale::ShortFormat), clock(end));
}

void addTimed(QMenu* menu, int minutes, const std::function<void()>& act)
{
    QAction* action = menu->addAction(QString());
    const auto renew = [action, minutes] { action->setText(lengthText(minutes).arg(clock(QDateTime::currentDateTime().addSecs(minutes * 60)))); };
    renew();
    QObject::connect(menu, &QMenu::aboutToShow, action, renew);
    QObject::connect(action, &QAction::triggered, menu, act);
}

}  // namespace

void fillPauseMenu(QMenu* menu, agent::AgentApi& agent)
{
    agent::AgentApi* const api = &agent;
    for (const int minutes : {kQuarterHour, kHour, kFourHours})
        addTimed(menu, minutes, [api, minutes] { api->pause(agent::PauseKind::Minutes, minutes); });
    QAction* tomorrow = menu->addAction(tomorrowText());
    QObject::connect(menu, &QMenu::aboutToShow, tomorrow, [tomorrow] { tomorrow->setText(tomorrowText()); });
    QObject::connect(tomorrow, &QAction::triggered, menu, [api] { api->pause(agent::PauseKind::UntilTomorrow, 0); });
    menu->addSeparator();
    QAction* forever = menu->addAction(text(QT_TRANSLATE_NOOP("PauseMenu", "Until I resume")));
    QObject::connect(forever, &QAction::triggered, menu, [api] { api->pause(agent::PauseKind::Forever, 0); });
}

void fillRunMenu(QMenu* menu, agent::AgentApi& agent)
{
    agent::AgentApi* const api = &agent;
    for (const int minutes : {kHalfHour, kHour, kFourHours})
        addTimed(menu, minutes, [api, minutes] { api->runNow(minutes); });
    menu->addSeparator();
    QAction* open = menu->addAction(text(QT_TRANSLATE_NOOP("PauseMenu", "Until I stop it")));
    QObject::connect(open, &QAction::triggered, menu, [api] { api->runNow(0); });
}

}  // namespace sunloco::ui
