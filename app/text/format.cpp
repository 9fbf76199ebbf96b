// SPDX-License-Identifier: Apache-2.0
#include "app/text/format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <cmath>

namespace sunloco::text {
namespace {

struct Format {
    Q_DECLARE_TR_FUNCTIONS(Format)
};

constexpr QChar kThinSpace(0x202f);
constexpr qint64 kSecond = 1000;
constexpr qint64 kMinute = 60 * kSecond;
constexpr qint64 kHour = 60 * kMinute;
constexpr qint64 kDay = 24 * kHour;

QString withUnit(const QString& number, const QString& unit)
{
    return number % kThinSpace % unit;
}

/// One decimal below 100, none above, and no ".0".
QString shortNumber(double value)
{
    const double rounded = std::round(value * 10) / 10;
    const bool whole = std::abs(value) >= 99.95 || rounded == std::floor(rounded);
    return QLocale().toString(value, 'f', whole ? 0 : 1);
}

}  // namespace

QString formatBytes(qint64 bytes)
{
    static constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double value = static_cast<double>(bytes);
    int unit = 0;
    while (std::abs(value) >= 999.5 && unit < 5) {
        value /= 1000;
        ++unit;
    }
    return withUnit(shortNumber(value), QString::fromLatin1(units[unit]));
}

QString formatPower(double watts)
{
    if (std::abs(watts) < 999.5)
        return withUnit(QLocale().toString(qRound64(watts)), QStringLiteral("W"));
    return withUnit(QLocale().toString(watts / 1000, 'f', 1), QStringLiteral("kW"));
}

constexpr double kSmallEnergy = 99.5;   // below it "0.05 kWh" would say less than "52 Wh"

QString formatEnergy(double wattHours)
{
    if (wattHours < kSmallEnergy)
        return withUnit(QLocale().toString(wattHours, 'f', wattHours < 10 ? 1 : 0), QStringLiteral("Wh"));
    const double kilowattHours = wattHours / 1000;
    return withUnit(QLocale().toString(kilowattHours, 'f', kilowattHours < 10 ? 2 : 1), QStringLiteral("kWh"));
}

QString formatDuration(qint64 ms)
{
    const QLocale locale;
    const qint64 length = std::max<qint64>(0, ms);
    if (length < kMinute)
        return withUnit(locale.toString(length / kSecond), Format::tr("s", "seconds"));
    if (length < kHour)
        return withUnit(locale.toString(length / kMinute), Format::tr("min", "minutes"));
    if (length < 2 * kDay) {
        const QString hours = withUnit(locale.toString(length / kHour), Format::tr("h", "hours"));
        const qint64 minutes = length % kHour / kMinute;
        return minutes == 0 ? hours : QString(hours % u' ' % withUnit(locale.toString(minutes), Format::tr("min", "minutes")));
    }
    return Format::tr("%n days", nullptr, static_cast<int>(length / kDay));
}

QString formatPercent(double percent)
{
    return withUnit(QLocale().toString(qRound(percent)), QStringLiteral("%"));
}

QString formatMoment(qint64 utc)
{
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(utc);
    const QLocale locale;
    const QString clock = locale.toString(time.time(), QLocale::ShortFormat);
    const qint64 days = QDate::currentDate().daysTo(time.date());
    if (days == 0)
        return clock;
    if (std::abs(days) < 7)
        return locale.dayName(time.date().dayOfWeek(), QLocale::ShortFormat) % u' ' % clock;
    return locale.toString(time.date(), Format::tr("d MMM", "date format: day and short month"));
}

}  // namespace sunloco::text
