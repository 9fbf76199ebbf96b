// SPDX-License-Identifier: Apache-2.0
#include "app/rules/settings.h"
#include "ui/widgets/language.h"

#include <QCoreApplication>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

using namespace sunloco;

namespace {

QStringList placesIn(const QString& text)
{
    QStringList places;
    static const QRegularExpression place(QStringLiteral("%(n|[0-9]+)"));
    for (auto it = place.globalMatch(text); it.hasNext();)
        places.append(it.next().captured());
    places.sort();
    places.removeDuplicates();
    return places;
}

}  // namespace

class TestTranslations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void languages()
    {
        QTest::addColumn<QString>("code");
        QTest::newRow("German") << QStringLiteral("de");
        QTest::newRow("Chinese") << QStringLiteral("zh_CN");
    }

    void everyTextIsTranslated_data() { languages(); }

    void everyTextIsTranslated()
    {
        QFETCH(QString, code);
        QFile file(QStringLiteral(SUNLOCO_SOURCE_DIR "/translations/sunloco_") + code + QStringLiteral(".ts"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&file);
        QString source;
        QStringList problems;
        int count = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement)
                continue;
            if (xml.name() == u"source") {
                source = xml.readElementText();
            } else if (xml.name() == u"translation") {
                ++count;
                const bool unfinished = xml.attributes().value(QStringLiteral("type")) == u"unfinished";
                const QString text = xml.readElementText(QXmlStreamReader::IncludeChildElements).trimmed();
                if (unfinished || text.isEmpty())
                    problems.append(u"not translated: " + source);
                else if (placesIn(source) != placesIn(text))
                    problems.append(u"other places for values: " + source + u" -> " + text);
            }
        }
        QVERIFY(!xml.hasError());
        QVERIFY(count > 200);
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
    }

    void theSettingsTableIsTranslated_data() { languages(); }

    void theSettingsTableIsTranslated()
    {
        QFETCH(QString, code);
        ui::Language language;
        language.install(code);
        for (const rules::SettingSpec& spec : rules::settingsTable()) {
            check(spec.title);
            check(spec.help);
            check(rules::groupTitle(spec.group));
            for (const rules::SettingOption& option : spec.options) {
                check(option.title);
                check(option.help);
            }
        }
    }

    void englishPluralsAreRight()
    {
        ui::Language language;
        language.install(QStringLiteral("en"));
        QCOMPARE(QCoreApplication::translate("sunloco::ui::DayChart", "%n rounds", nullptr, 1), QStringLiteral("1 round"));
        QCOMPARE(QCoreApplication::translate("sunloco::ui::DayChart", "%n rounds", nullptr, 2), QStringLiteral("2 rounds"));
    }

private:
    static void check(std::string_view text)
    {
        const QByteArray source(text.data(), static_cast<qsizetype>(text.size()));
        QVERIFY2(QCoreApplication::translate("Settings", source.constData()) != QString::fromUtf8(source), source.constData());
    }
};

QTEST_GUILESS_MAIN(TestTranslations)
#include "tst_translations.moc"
