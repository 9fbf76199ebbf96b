// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/mnemonics.h"

namespace sunloco::ui {

Mnemonics::Mnemonics(const QString& taken)
{
    for (const QChar letter : taken)
        m_taken.insert(letter.toLower());
}

QString Mnemonics::assign(const QString& text)
{
    QString label = text;
    label.replace(u'&', QStringLiteral("&&"));
    const auto isKey = [](QChar letter) { return letter.unicode() < 0x250 && letter.isLetter(); };
    for (qsizetype i = 0; i < label.size(); ++i) {
        const QChar key = label[i].toLower();
        if (!isKey(key) || m_taken.contains(key))
            continue;
        m_taken.insert(key);
        return label.insert(i, u'&');
    }
    for (char16_t key = u'a'; key <= u'z'; ++key) {
        if (m_taken.contains(QChar(key)))
            continue;
        m_taken.insert(QChar(key));
        return label % u"(&" % QChar(key).toUpper() % u')';
    }
    return label;
}

}  // namespace sunloco::ui
