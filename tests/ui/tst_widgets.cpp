// SPDX-License-Identifier: Apache-2.0
#include "app/agent/agent_api.h"
#include "tests/support/display.h"
#include "ui/settings/mnemonics.h"
#include "ui/settings/number_box.h"
#include "ui/widgets/day_band.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/progress_ring.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/verdict_mark.h"
#include "ui/widgets/week_grid.h"

#include <QAccessible>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

using namespace sunloco;
using namespace sunloco::ui;

namespace {

const agent::State kStates[] = {agent::State::Training,     agent::State::Waiting,   agent::State::PausedByUser,
                                agent::State::PausedByRule, agent::State::Uploading, agent::State::NeedsAttention};

QImage alphaOf(const QImage& image)
{
    return image.convertToFormat(QImage::Format_Alpha8);
}

/// How many pixels differ by more than a shade.
int difference(const QImage& a, const QImage& b)
{
    int count = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x)
            count += std::abs(a.constScanLine(y)[x] - b.constScanLine(y)[x]) > 64 ? 1 : 0;
    return count;
}

QImage painted(Mark mark, const Theme& theme)
{
    QImage image(16, 16, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    paintMark(painter, QRectF(0, 0, 16, 16), mark, theme);
    painter.end();
    return alphaOf(image);
}

}  // namespace

class TestWidgets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textIsReadableOnEverySurface_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void textIsReadableOnEverySurface()
    {
        QFETCH(bool, dark);
        const Theme t = dark ? Theme::dark() : Theme::light();
        for (const QColor& surface : {t.window, t.side, t.card}) {
            QVERIFY(contrast(t.text, surface) >= 4.5);
            QVERIFY(contrast(t.text2, surface) >= 5.5);
            for (const QColor& color : {t.accent, t.wait, t.you, t.rule, t.upload, t.alert})
                QVERIFY2(contrast(color, surface) >= 4.5, qPrintable(color.name()));
            QVERIFY2(contrast(t.control, surface) >= 3.0, qPrintable(t.control.name()));
        }
        QVERIFY(contrast(t.onAccent, t.accent) >= 4.5);
        QVERIFY(contrast(t.accent, t.tint) >= 4.5);
    }

    void themeFollowsThePalette()
    {
        QPalette light(QColor(0xefefef));
        QCOMPARE(Theme::forPalette(light).kind, Theme::Kind::Light);
        QPalette dark;
        dark.setColor(QPalette::Window, QColor(0x2a2e32));
        dark.setColor(QPalette::WindowText, QColor(0xfcfcfc));
        QCOMPARE(Theme::forPalette(dark).kind, Theme::Kind::Dark);
        QPalette strong;
        strong.setColor(QPalette::Window, Qt::black);
        strong.setColor(QPalette::WindowText, Qt::white);
        const Theme theme = Theme::forPalette(strong);
        QCOMPARE(theme.kind, Theme::Kind::HighContrast);
        QCOMPARE(theme.palette(strong), strong);
    }

    void statesDifferByShape_data()
    {
        QTest::addColumn<int>("size");
        for (const int size : {16, 22, 24, 32, 44, 64})
            QTest::addRow("%d px", size) << size;
    }

    void statesDifferByShape()
    {
        QFETCH(int, size);
        // All in one colour: only the outline can tell them apart.
        QVector<QImage> shapes;
        for (const agent::State state : kStates)
            shapes.append(alphaOf(icons::state(state, Qt::black).pixmap(QSize(size, size)).toImage()));
        for (int i = 0; i < shapes.size(); ++i) {
            QCOMPARE(shapes[i].size(), QSize(size, size));
            QVERIFY(difference(shapes[i], QImage(shapes[i].size(), QImage::Format_Alpha8)) >= 0);
            for (int k = i + 1; k < shapes.size(); ++k) {
                const int different = difference(shapes[i], shapes[k]);
                QVERIFY2(different * 8 > size * size, qPrintable(QStringLiteral("%1 and %2: %3 pixels").arg(i).arg(k).arg(different)));
            }
        }
    }

    void iconTakesItsColour()
    {
        const QImage image = icons::tinted(QStringLiteral("tray/training"), QColor(0x0b6a5b), 32, 1.0).toImage();
        QCOMPARE(image.pixelColor(16, 16).rgb(), QColor(0x0b6a5b).rgb());
        QCOMPARE(image.pixelColor(0, 0).alpha(), 0);
        QCOMPARE(icons::tinted(QStringLiteral("tray/training"), Qt::red, 16, 2.0).size(), QSize(32, 32));
    }

    void verdictMarksDifferByShape()
    {
        // One colour for all marks.
        Theme theme = Theme::light();
        theme.train = theme.rule = theme.unknown = theme.text2 = theme.card = Qt::black;
        const Mark marks[] = {Mark::Allows, Mark::Stops, Mark::Limits, Mark::Unknown, Mark::Off};
        for (const Mark a : marks)
            for (const Mark b : marks)
                if (a != b)
                    QVERIFY(difference(painted(a, theme), painted(b, theme)) >= 12);
    }

    void ringSpeaksItsNumbers()
    {
        installReadableFactory();
        ProgressRing ring(Theme::light());
        ring.setAccessibleName(QStringLiteral("Round 5,041"));
        QCOMPARE(ring.accessibleValue(), QStringLiteral("no round is running"));
        ring.setProgress(224, 350);
        QCOMPARE(ring.accessibleValue(), QStringLiteral("64 percent, 224 of 350 steps"));
        QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(&ring);
        QVERIFY(interface);
        QCOMPARE(interface->text(QAccessible::Name), QStringLiteral("Round 5,041"));
        QCOMPARE(interface->text(QAccessible::Value), QStringLiteral("64 percent, 224 of 350 steps"));
        QCOMPARE(interface->role(), QAccessible::ProgressBar);
    }

    void weekGridByKeys()
    {
        WeekGrid grid(Theme::light());
        grid.resize(grid.sizeHint());
        grid.show();
        grid.setFocus();
        QSignalSpy edited(&grid, &WeekGrid::edited);
        // Monday 00:00 is the start; go to Tuesday 13:00.
        QTest::keyClick(&grid, Qt::Key_Down);
        for (int i = 0; i < 13; ++i)
            QTest::keyClick(&grid, Qt::Key_Right);
        QTest::keyClick(&grid, Qt::Key_Space);
        QCOMPARE(edited.size(), 1);
        QVERIFY(grid.hours().test(24 + 13));
        QCOMPARE(grid.hours().count(), std::size_t(1));
        QVERIFY2(grid.accessibleValue().startsWith(QStringLiteral("Tuesday 13")) && grid.accessibleValue().endsWith(QStringLiteral("may run")),
                 qPrintable(grid.accessibleValue()));
        // Three more hours by selecting, then the day goes to Wednesday.
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(&grid, Qt::Key_Right, Qt::ShiftModifier);
        QTest::keyClick(&grid, Qt::Key_Space);
        QCOMPARE(grid.hours().count(), std::size_t(4));
        QTest::keyClick(&grid, Qt::Key_C, Qt::ControlModifier);
        QTest::keyClick(&grid, Qt::Key_Down);
        QTest::keyClick(&grid, Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(grid.hours().count(), std::size_t(8));
        for (int hour = 13; hour < 17; ++hour)
            QVERIFY(grid.hours().test(std::size_t(48 + hour)));
    }

    void weekGridByMouse()
    {
        WeekGrid grid(Theme::light());
        grid.resize(grid.sizeHint());
        grid.show();
        QSignalSpy edited(&grid, &WeekGrid::edited);
        const QPoint middle(grid.width() / 2, grid.height() / 2);
        QTest::mousePress(&grid, Qt::LeftButton, {}, middle);
        QTest::mouseMove(&grid, middle + QPoint(40, 0));
        QCOMPARE(edited.size(), 0);
        QTest::mouseRelease(&grid, Qt::LeftButton, {}, middle + QPoint(40, 0));
        QCOMPARE(edited.size(), 1);
        QVERIFY(grid.hours().count() >= 3);
        // The same drag again clears.
        QTest::mousePress(&grid, Qt::LeftButton, {}, middle);
        QTest::mouseMove(&grid, middle + QPoint(40, 0));
        QTest::mouseRelease(&grid, Qt::LeftButton, {}, middle + QPoint(40, 0));
        QCOMPARE(grid.hours().count(), std::size_t(0));
    }

    void dayBandReadsItsStretches()
    {
        DayBand band(Theme::light());
        QVector<Quarter> quarters(DayBand::kQuarters, Quarter::Unrecorded);
        for (int i = 41; i < 46; ++i)
            quarters[i] = Quarter::Trained;
        band.setDay(quarters, 700);
        QVERIFY2(band.accessibleValue().contains(QStringLiteral("10:15")) && band.accessibleValue().contains(QStringLiteral("11:30")), qPrintable(band.accessibleValue()));
        QSignalSpy pointed(&band, &DayBand::pointed);
        band.show();
        band.setFocus();
        QTest::keyClick(&band, Qt::Key_Right);
        QTest::keyClick(&band, Qt::Key_Right);
        QVERIFY(pointed.last().first().toString().contains(QStringLiteral("training")));
    }

    void numberBoxHasAWordForZero()
    {
        const rules::SettingSpec* spec = rules::findSetting(rules::keys::kInUsePercent);
        QVERIFY(spec);
        NumberBox box(*spec);
        box.setValue(0);
        QCOMPARE(box.text(), QStringLiteral("Off"));
        box.stepUp();
        QCOMPARE(box.value(), 25);
        box.stepDown();
        QCOMPARE(box.value(), 0);
        // A number between 0 and the smallest becomes the smallest.
        box.show();
        box.setFocus();
        box.selectAll();
        QTest::keyClicks(&box, QStringLiteral("7"));
        QTest::keyClick(&box, Qt::Key_Return);
        QCOMPARE(box.value(), 25);
    }

    void mnemonicsAreUnique()
    {
        Mnemonics keys;
        QCOMPARE(keys.assign(QStringLiteral("Train")), QStringLiteral("&Train"));
        QCOMPARE(keys.assign(QStringLiteral("Trees")), QStringLiteral("T&rees"));
        QCOMPARE(keys.assign(QString::fromUtf8("语言")), QString::fromUtf8("语言(&A)"));
        QCOMPARE(keys.assign(QStringLiteral("Heat & noise")), QStringLiteral("&Heat && noise"));
    }
};

SUNLOCO_GUI_TEST_MAIN(TestWidgets)
#include "tst_widgets.moc"
