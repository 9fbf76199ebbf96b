// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>

#ifdef SUNLOCO_HAS_TRANSLATIONS
static void registerTranslations()
{
    static const bool once = [] {
        Q_INIT_RESOURCE(translations);
        return true;
    }();
    Q_UNUSED(once)
}
#else
static void registerTranslations() {}
#endif

namespace sunloco::ui {
namespace {

/// The system's own formats where they fit the language; English without a country writes 13:22 and 8 September.
QLocale localeFor(const QString& code)
{
    const QLocale system = QLocale::system();
    const QLocale wanted = code.isEmpty() ? system : QLocale(code);
    if (wanted.language() == QLocale::C || (wanted.language() == QLocale::English && system.language() != QLocale::English))
        return {QLocale::English, QLocale::UnitedKingdom};
    return wanted.language() == system.language() && wanted.script() == system.script() ? system : wanted;
}

}  // namespace

void Language::install(const QString& code)
{
    registerTranslations();
    remove();
    const QLocale locale = localeFor(code);
    QLocale::setDefault(locale);
    if (m_ours.load(locale, QStringLiteral("sunloco"), QStringLiteral("_"), QStringLiteral(":/i18n")))
        QCoreApplication::installTranslator(&m_ours);
    // Qt's own words (context menus of text fields) where the system has them.
    if (m_qt.load(locale, QStringLiteral("qtbase"), QStringLiteral("_"), QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&m_qt);
}

void Language::remove()
{
    QCoreApplication::removeTranslator(&m_ours);
    QCoreApplication::removeTranslator(&m_qt);
}

Language::~Language()
{
    if (QCoreApplication::instance())
        remove();
}

}  // namespace sunloco::ui
