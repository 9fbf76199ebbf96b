// SPDX-License-Identifier: Apache-2.0
#pragma once
class QMenu;
class QObject;

namespace sunloco::agent {
class AgentApi;
}

namespace sunloco::ui {

/// Fills a menu with the lengths of a pause, each with the time at which it ends; the times are renewed whenever the menu opens.
void fillPauseMenu(QMenu* menu, agent::AgentApi& agent);
/// The same for "run now".
void fillRunMenu(QMenu* menu, agent::AgentApi& agent);

}  // namespace sunloco::ui
