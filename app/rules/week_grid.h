// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/local_time.h"
#include "engine/core/result.h"

#include <bitset>
#include <optional>
#include <string>
#include <string_view>

namespace sunloco::rules {

/// The weekly schedule: one bit per wall-clock hour, Monday 00:00 first; a set bit = may run.
class WeekGrid {
public:
    static constexpr int kDays = 7;
    static constexpr int kHours = 24;
    static constexpr int kBits = kDays * kHours;

    /// Every hour set.
    [[nodiscard]] static WeekGrid always();
    /// From 168 characters '0' and '1', or from spans such as "mon-fri 22-7, sat-sun 0-24" ("22-7" runs over midnight into the next day).
    [[nodiscard]] static core::Result<WeekGrid> parse(std::string_view text);

    /// 168 characters '0' and '1': the form that is stored.
    [[nodiscard]] std::string bits() const;
    /// The shortest list of spans, "mon-fri 0-7, mon-fri 22-24, sat-sun 0-24"; "" for an empty grid. parse() reads it back.
    [[nodiscard]] std::string spans() const;

    [[nodiscard]] bool at(int day, int hour) const { return m_bits.test(index(day, hour)); }
    void set(int day, int hour, bool open) { m_bits.set(index(day, hour), open); }
    [[nodiscard]] int count() const { return static_cast<int>(m_bits.count()); }
    [[nodiscard]] bool isOpenAt(core::UtcMs utc, const UtcOffset& offset) const;
    /// The first moment after `utc` at which isOpenAt() changes, over the coming eight days and any change of the clock in them;
    /// none when it never changes.
    [[nodiscard]] std::optional<core::UtcMs> nextChange(core::UtcMs utc, const UtcOffset& offset) const;
    [[nodiscard]] bool operator==(const WeekGrid&) const = default;

private:
    static std::size_t index(int day, int hour) { return static_cast<std::size_t>(day * kHours + hour); }
    std::bitset<kBits> m_bits;
};

}  // namespace sunloco::rules
