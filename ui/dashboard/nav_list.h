// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/theme.h"

#include <QListView>

class QStandardItem;
class QStandardItemModel;

namespace sunloco::ui {

/// The sidebar: pages on top, settings at the bottom until they open their groups. Below a certain window width only the icons stay.
class NavList : public QListView {
    Q_OBJECT
public:
    explicit NavList(const Theme& theme, QWidget* parent = nullptr);

    /// `icon` as in "nav/now"; `shortcut` is shown in the tooltip.
    void addPage(const QString& id, const QString& title, const QString& icon, const QKeySequence& shortcut);
    /// The last page; its sections appear below it while it is open.
    void addSettings(const QString& id, const QString& title, const QString& icon, const QStringList& sections, const QKeySequence& shortcut);

    void select(const QString& id);
    [[nodiscard]] QString current() const;
    void setIconsOnly(bool on);

Q_SIGNALS:
    void pageChosen(const QString& id);
    void sectionChosen(int section);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    [[nodiscard]] QStandardItem* makeItem(const QString& id, const QString& title, const QString& icon, const QKeySequence& shortcut) const;
    void fitSpacer();

    Theme m_theme;
    QStandardItemModel* m_model;
    QStandardItem* m_spacer = nullptr;
    QString m_settingsId;
    bool m_iconsOnly = false;
};

}  // namespace sunloco::ui
