// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QTranslator>

namespace sunloco::ui {

/// The language of all texts, and the locale of numbers and dates that goes with it. Must outlive what it translates.
class Language {
public:
    /// "" = the system's language; else "en", "de", "zh_CN". Replaces what was installed before.
    void install(const QString& code);
    ~Language();

private:
    void remove();
    QTranslator m_ours;
    QTranslator m_qt;
};

}  // namespace sunloco::ui
