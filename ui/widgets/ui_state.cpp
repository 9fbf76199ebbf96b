// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/ui_state.h"

#include <QSettings>

namespace sunloco::ui {

UiState::UiState(const QString& file, QObject* parent)
    : QObject(parent)
    , m_file(new QSettings(file, QSettings::IniFormat, this))
{
}

UiState::~UiState() = default;

QByteArray UiState::geometry() const
{
    return m_file->value(QStringLiteral("window/geometry")).toByteArray();
}

void UiState::setGeometry(const QByteArray& geometry)
{
    m_file->setValue(QStringLiteral("window/geometry"), geometry);
}

QString UiState::page() const
{
    return m_file->value(QStringLiteral("window/page")).toString();
}

void UiState::setPage(const QString& page)
{
    m_file->setValue(QStringLiteral("window/page"), page);
}

QString UiState::language() const
{
    return m_file->value(QStringLiteral("language")).toString();
}

void UiState::setLanguage(const QString& language)
{
    if (language == this->language())
        return;
    m_file->setValue(QStringLiteral("language"), language);
    Q_EMIT languageChanged();
}

bool UiState::colouredTray() const
{
    return m_file->value(QStringLiteral("tray/coloured"), false).toBool();
}

void UiState::setColouredTray(bool on)
{
    if (on == colouredTray())
        return;
    m_file->setValue(QStringLiteral("tray/coloured"), on);
    Q_EMIT colouredTrayChanged();
}

bool UiState::firstTime(const QString& what)
{
    const QString key = u"said/" % what;
    if (m_file->value(key, false).toBool())
        return false;
    m_file->setValue(key, true);
    return true;
}

}  // namespace sunloco::ui
