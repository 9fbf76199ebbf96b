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

void Language::install(const QString& code)
{
    registerTranslations();
    remove();
    const QLocale locale = code.isEmpty() ? QLocale::system() : QLocale(code);
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
