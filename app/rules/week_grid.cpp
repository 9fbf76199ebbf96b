// SPDX-License-Identifier: Apache-2.0
#include "app/rules/week_grid.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

namespace sunloco::rules {
namespace {

constexpr std::array<std::string_view, WeekGrid::kDays> kDayNames{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

core::Error badWeek(std::string_view text, std::string_view part) {
    return {core::ErrorCode::InvalidArgument,
            "a week is 168 characters 0 or 1 (Monday 0:00 first), or spans such as \"mon-fri 22-7, sat-sun 0-24\"; not understood: \"" +
                std::string(part) + '"',
            std::string(text.substr(0, 200))};
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    return text;
}

std::optional<int> dayIndex(std::string_view name) {
    const auto found = std::find(kDayNames.begin(), kDayNames.end(), name.substr(0, 3));
    if (name.size() < 3 || found == kDayNames.end()) {
        return std::nullopt;
    }
    return static_cast<int>(found - kDayNames.begin());
}

/// "7" or "7:00".
std::optional<int> hourNumber(std::string_view text) {
    if (text.ends_with(":00")) {
        text.remove_suffix(3);
    }
    int hour = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hour);
    if (error != std::errc{} || end != text.data() + text.size() || hour < 0 || hour > WeekGrid::kHours) {
        return std::nullopt;
    }
    return hour;
}

/// Splits "a-b"; "a" alone gives {a, a}.
std::pair<std::string_view, std::string_view> splitRange(std::string_view text) {
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) {
        return {text, text};
    }
    return {trim(text.substr(0, dash)), trim(text.substr(dash + 1))};
}

}  // namespace

WeekGrid WeekGrid::always() {
    WeekGrid grid;
    grid.m_bits.set();
    return grid;
}

core::Result<WeekGrid> WeekGrid::parse(std::string_view text) {
    WeekGrid grid;
    if (text.size() == kBits && text.find_first_not_of("01") == std::string_view::npos) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            grid.m_bits.set(i, text[i] == '1');
        }
        return grid;
    }
    if (text.size() > 2000) {
        return badWeek(text, text.substr(0, 40));
    }
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string_view rest = trim(lower);
    while (!rest.empty()) {
        const auto comma = rest.find_first_of(",;");
        const std::string_view part = trim(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? std::string_view{} : trim(rest.substr(comma + 1));
        const auto space = part.find(' ');
        if (space == std::string_view::npos) {
            return badWeek(text, part);
        }
        const auto [firstDay, lastDay] = splitRange(part.substr(0, space));
        const auto [firstHour, endHour] = splitRange(trim(part.substr(space + 1)));
        const auto dayFrom = dayIndex(firstDay);
        const auto dayTo = dayIndex(lastDay);
        const auto from = hourNumber(firstHour);
        const auto to = hourNumber(endHour);
        if (!dayFrom || !dayTo || !from || !to || *from == *to || *from == kHours) {
            return badWeek(text, part);
        }
        // "fri-mon" runs over the week's end, "22-7" over midnight.
        const int days = (*dayTo - *dayFrom + kDays) % kDays + 1;
        const int hours = *to > *from ? *to - *from : kHours - *from + *to;
        for (int day = 0; day < days; ++day) {
            for (int hour = 0; hour < hours; ++hour) {
                const int bit = ((*dayFrom + day) * kHours + *from + hour) % kBits;
                grid.m_bits.set(static_cast<std::size_t>(bit));
            }
        }
    }
    return grid;
}

std::string WeekGrid::bits() const {
    std::string text(kBits, '0');
    for (std::size_t i = 0; i < kBits; ++i) {
        text[i] = m_bits.test(i) ? '1' : '0';
    }
    return text;
}

std::string WeekGrid::spans() const {
    std::string text;
    for (int day = 0; day < kDays;) {
        int last = day;
        const auto sameDay = [this](int a, int b) {
            for (int hour = 0; hour < kHours; ++hour) {
                if (at(a, hour) != at(b, hour)) return false;
            }
            return true;
        };
        while (last + 1 < kDays && sameDay(day, last + 1)) {
            ++last;
        }
        std::string days(kDayNames[static_cast<std::size_t>(day)]);
        if (last > day) {
            days += '-';
            days += kDayNames[static_cast<std::size_t>(last)];
        }
        for (int hour = 0; hour < kHours;) {
            if (!at(day, hour)) {
                ++hour;
                continue;
            }
            int end = hour;
            while (end < kHours && at(day, end)) {
                ++end;
            }
            if (!text.empty()) {
                text += ", ";
            }
            text += days + ' ' + std::to_string(hour) + '-' + std::to_string(end);
            hour = end;
        }
        day = last + 1;
    }
    return text;
}

bool WeekGrid::isOpenAt(core::UtcMs utc, const UtcOffset& offset) const {
    const LocalHour local = localHourAt(utc, offset);
    return at(local.weekday, local.hour);
}

std::optional<core::UtcMs> WeekGrid::nextChange(core::UtcMs utc, const UtcOffset& offset) const {
    if (m_bits.none() || m_bits.all()) {
        return std::nullopt;
    }
    const bool open = isOpenAt(utc, offset);
    // A week has 168 hours of the wall clock; changes of the clock shift them, so look a day further.
    constexpr core::UtcMs kHorizonMs = 8LL * 24 * 3'600'000;
    for (core::UtcMs at = nextHourChange(utc, offset); at <= utc + kHorizonMs; at = nextHourChange(at, offset)) {
        if (isOpenAt(at, offset) != open) {
            return at;
        }
    }
    return std::nullopt;
}

}  // namespace sunloco::rules
