// SPDX-License-Identifier: Apache-2.0
#include "app/rules/trace_replay.h"

#include "app/rules/rule_support.h"
#include "engine/core/files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

namespace sunloco::rules {
namespace {

constexpr std::uint64_t kMaxFileBytes = 64ULL << 20;
constexpr std::int64_t kLongAgoMs = 365LL * 24 * 60 * kMinuteMs;

enum class Column { Time, IdleS, Locked, OnBattery, BatteryPercent, UpsOnBattery, Metered, FreeGib, UsedGib, Work, OwnW };
constexpr std::array<std::string_view, 11> kColumns{"t_utc",   "idle_s",   "locked",   "on_battery", "battery_percent", "ups_on_battery",
                                                    "metered", "free_gib", "used_gib", "work",       "own_w"};

core::Error badCell(std::size_t line, std::string_view column, std::string_view given, std::string_view wanted) {
    return {core::ErrorCode::InvalidData,
            "column " + std::string(column) + " takes " + std::string(wanted) + ", found \"" + std::string(given.substr(0, 60)) + '"',
            "trace line " + std::to_string(line)};
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> cells(std::string_view line) {
    std::vector<std::string_view> found;
    for (;;) {
        const auto comma = line.find(',');
        found.push_back(trim(line.substr(0, comma)));
        if (comma == std::string_view::npos) {
            return found;
        }
        line.remove_prefix(comma + 1);
    }
}

std::optional<double> number(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

/// Digits only, `count` of them.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
    int value = 0;
    if (at + count > text.size()) {
        return std::nullopt;
    }
    for (const char c : text.substr(at, count)) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

/// "2025-03-30T01:00:00Z", "2025-03-30 01:00", or seconds since 1970.
std::optional<core::UtcMs> timeFromText(std::string_view text) {
    if (const auto seconds = number(text); seconds && std::abs(*seconds) < 1e11) {
        return static_cast<core::UtcMs>(std::llround(*seconds * 1000));
    }
    const auto year = digits(text, 0, 4);
    const auto month = digits(text, 5, 2);
    const auto day = digits(text, 8, 2);
    const auto hour = digits(text, 11, 2);
    const auto minute = digits(text, 14, 2);
    if (!year || !month || !day || !hour || !minute || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':') {
        return std::nullopt;
    }
    std::string_view rest = text.substr(16);
    double seconds = 0;
    if (rest.starts_with(':')) {
        const auto end = rest.find_first_not_of("0123456789.", 1);
        const auto found = number(rest.substr(1, end == std::string_view::npos ? end : end - 1));
        if (!found || *found < 0 || *found >= 61) {
            return std::nullopt;
        }
        seconds = *found;
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end);
    }
    const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok() || *hour > 23 || *minute > 59 || !(rest.empty() || rest == "Z" || rest == "+00:00")) {
        return std::nullopt;
    }
    const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
    return ((days * 24 + *hour) * 60 + *minute) * kMinuteMs + static_cast<std::int64_t>(std::llround(seconds * 1000));
}

struct Row {
    core::UtcMs at = 0;
    SensorSnapshot sensors;
    std::optional<double> ownWatts;
};

/// Everything that the trace says nothing about: known, and nothing against running.
SensorSnapshot neutralSensors() {
    SensorSnapshot sensors;
    sensors.userIdleMs = Reading<std::int64_t>::known(kLongAgoMs);
    sensors.sessionLocked = Reading<bool>::known(false);
    sensors.sleepPending = Reading<bool>::known(false);
    sensors.awakeMs = Reading<std::int64_t>::known(kLongAgoMs);
    sensors.onBattery = Reading<bool>::known(false);
    sensors.batteryPercent = Reading<double>::unknown(UnknownReason::NoSource);
    sensors.upsOnBattery = Reading<bool>::known(false);
    sensors.meteredNetwork = Reading<bool>::known(false);
    sensors.freeDiskBytes = Reading<std::int64_t>::known(std::numeric_limits<std::int64_t>::max());
    sensors.usedDiskBytes = Reading<std::int64_t>::known(0);
    sensors.workAvailable = Reading<bool>::known(true);
    return sensors;
}

/// Puts a cell into its reading: empty = unknown; `scale` turns the column's unit into the reading's.
template <typename T>
std::optional<core::Error> fill(Reading<T>& reading, std::string_view cell, double scale, std::size_t line, std::string_view column) {
    if (cell.empty()) {
        reading = Reading<T>::unknown(UnknownReason::NoAnswer);
        return std::nullopt;
    }
    const auto value = number(cell);
    if constexpr (std::is_same_v<T, bool>) {
        if (!value || (*value != 0 && *value != 1)) {
            return badCell(line, column, cell, "0 or 1");
        }
        reading = Reading<bool>::known(*value == 1);
    } else {
        if (!value || *value < 0 || *value * scale > 9e18) {
            return badCell(line, column, cell, "a number that is not negative");
        }
        reading = Reading<T>::known(static_cast<T>(*value * scale));
    }
    return std::nullopt;
}

core::Result<Row> parseRow(const std::vector<std::string_view>& values, const std::vector<Column>& columns, std::size_t line) {
    Row row;
    row.sensors = neutralSensors();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string_view name = kColumns[static_cast<std::size_t>(columns[i])];
        const std::string_view cell = values[i];
        SensorSnapshot& to = row.sensors;
        std::optional<core::Error> problem;
        switch (columns[i]) {
        case Column::Time:
            if (const auto at = timeFromText(cell)) {
                row.at = *at;
            } else {
                problem = badCell(line, name, cell, "a time such as 2025-03-30T01:00:00Z or seconds since 1970");
            }
            break;
        case Column::IdleS: problem = fill(to.userIdleMs, cell, 1000, line, name); break;
        case Column::Locked: problem = fill(to.sessionLocked, cell, 1, line, name); break;
        case Column::OnBattery: problem = fill(to.onBattery, cell, 1, line, name); break;
        case Column::BatteryPercent: problem = fill(to.batteryPercent, cell, 1, line, name); break;
        case Column::UpsOnBattery: problem = fill(to.upsOnBattery, cell, 1, line, name); break;
        case Column::Metered: problem = fill(to.meteredNetwork, cell, 1, line, name); break;
        case Column::FreeGib: problem = fill(to.freeDiskBytes, cell, kGib, line, name); break;
        case Column::UsedGib: problem = fill(to.usedDiskBytes, cell, kGib, line, name); break;
        case Column::Work: problem = fill(to.workAvailable, cell, 1, line, name); break;
        case Column::OwnW: {
            Reading<double> watts;
            problem = fill(watts, cell, 1, line, name);
            row.ownWatts = watts.value;
            break;
        }
        }
        if (problem) {
            return *problem;
        }
    }
    return row;
}

core::Result<std::vector<Row>> parseTrace(std::string_view csv) {
    if (csv.starts_with("\xEF\xBB\xBF")) {
        csv.remove_prefix(3);
    }
    std::vector<Column> columns;
    std::vector<Row> rows;
    std::size_t line = 0;
    while (!csv.empty()) {
        const auto end = csv.find('\n');
        const std::string_view text = trim(csv.substr(0, end));
        csv = end == std::string_view::npos ? std::string_view{} : csv.substr(end + 1);
        ++line;
        if (text.empty() || text.starts_with('#')) {
            continue;
        }
        const std::vector<std::string_view> values = cells(text);
        if (columns.empty()) {
            for (const std::string_view name : values) {
                const auto found = std::find(kColumns.begin(), kColumns.end(), name);
                const auto column = static_cast<Column>(found - kColumns.begin());
                if (found == kColumns.end() || std::find(columns.begin(), columns.end(), column) != columns.end()) {
                    return badCell(line, "names", name, "each of t_utc, idle_s, locked, on_battery, battery_percent, ups_on_battery, metered, "
                                                        "free_gib, used_gib, work, own_w at most once");
                }
                columns.push_back(column);
            }
            if (std::find(columns.begin(), columns.end(), Column::Time) == columns.end()) {
                return badCell(line, "names", text, "a column t_utc");
            }
            continue;
        }
        if (values.size() != columns.size()) {
            return badCell(line, "count", std::to_string(values.size()), std::to_string(columns.size()) + " cells");
        }
        auto row = parseRow(values, columns, line);
        if (!row) {
            return std::move(row).error();
        }
        if (!rows.empty() && row->at <= rows.back().at) {
            return badCell(line, "t_utc", isoTime(row->at), "a time after the line before");
        }
        rows.push_back(std::move(row).value());
    }
    if (rows.empty()) {
        return core::Error{core::ErrorCode::InvalidData, "the trace has no rows", "trace"};
    }
    return rows;
}

/// The row's sensors as they look at `now`. Idle time goes on counting; what is older than the gap is stale.
SensorSnapshot sensorsAt(const Row& row, core::UtcMs now, std::int64_t maxGapMs) {
    SensorSnapshot sensors = row.sensors;
    const std::int64_t age = now - row.at;
    if (age >= maxGapMs) {
        sensors.userIdleMs = Reading<std::int64_t>::unknown(UnknownReason::Stale, age);
        sensors.onBattery = Reading<bool>::unknown(UnknownReason::Stale, age);
        sensors.meteredNetwork = Reading<bool>::unknown(UnknownReason::Stale, age);
    } else if (sensors.userIdleMs.isKnown()) {
        *sensors.userIdleMs.value += age;
    }
    return sensors;
}

class Replay {
public:
    explicit Replay(const ReplayOptions& options) : m_options(options) {
        m_inputs.settings = options.settings;
        m_inputs.userOverride = options.userOverride;
        m_inputs.utcOffset = options.utcOffset;
    }

    /// Decides at `row` and at each foreseen change until `end`.
    void runRow(const Row& row, core::UtcMs end) {
        core::UtcMs now = row.at;
        while (now < end) {
            step(row, now);
            core::UtcMs next = end;
            const core::UtcMs stale = row.at + m_options.maxGapMs;
            if (stale > now) {
                next = std::min(next, stale);
            }
            for (const Verdict& verdict : m_last.verdicts) {
                if (verdict.nextChange && *verdict.nextChange > now) {
                    next = std::min(next, *verdict.nextChange);
                }
            }
            account(row, next - now);
            now = next;
        }
    }
    void step(const Row& row, core::UtcMs now) {
        m_inputs.snapshot = sensorsAt(row, now, m_options.maxGapMs);
        Decision decision = evaluate(m_inputs, now, m_haveLast ? &m_last : nullptr);
        const bool changed = !m_haveLast || decision.state != m_last.state || decision.run != m_last.run ||
                             decision.deciding.rule != m_last.deciding.rule || decision.throttlePercent != m_last.throttlePercent;
        if (decision.run && (!m_haveLast || !m_last.run)) {
            ++m_result.totals.starts;
        }
        m_last = std::move(decision);
        m_haveLast = true;
        m_watts = !m_last.run ? 0 : row.ownWatts ? *row.ownWatts : m_options.runningWatts * m_last.throttlePercent / 100;
        if (changed) {
            m_result.transitions.push_back({now, m_watts, m_last});
        }
    }
    [[nodiscard]] ReplayResult take() { return std::move(m_result); }

private:
    void account(const Row& row, std::int64_t spanMs) {
        if (!m_last.run) {
            return;
        }
        const double hours = static_cast<double>(spanMs) / (60.0 * kMinuteMs);
        m_result.totals.hours += hours;
        const bool battery = row.sensors.onBattery.value == true && m_inputs.snapshot.onBattery.isKnown();
        (battery ? m_result.totals.batteryWh : m_result.totals.unknownWh) += m_watts * hours;
    }

    const ReplayOptions& m_options;
    Inputs m_inputs;
    Decision m_last;
    bool m_haveLast = false;
    double m_watts = 0;
    ReplayResult m_result;
};

double rounded(double value) { return std::round(value * 1000) / 1000; }

}  // namespace

core::Result<ReplayResult> replayTrace(std::string_view csv, const ReplayOptions& options) {
    auto rows = parseTrace(csv);
    if (!rows) {
        return std::move(rows).error();
    }
    Replay replay(options);
    for (std::size_t i = 0; i + 1 < rows->size(); ++i) {
        replay.runRow((*rows)[i], (*rows)[i + 1].at);
    }
    replay.step(rows->back(), rows->back().at);
    return replay.take();
}

core::Result<ReplayResult> replayTraceFile(const std::filesystem::path& path, const ReplayOptions& options) {
    auto text = core::readTextFile(path, kMaxFileBytes);
    if (!text) {
        return std::move(text).error();
    }
    auto result = replayTrace(*text, options);
    if (!result) {
        core::Error error = std::move(result).error();
        error.context = path.string() + ", " + error.context;
        return error;
    }
    return result;
}

core::Json toJson(const ReplayResult& result, const std::function<std::string(const Decision&)>& reason) {
    core::Json transitions = core::Json::array();
    for (const ReplayTransition& one : result.transitions) {
        transitions.push_back({{"t_utc", isoTime(one.at)},
                               {"state", runStateName(one.decision.state)},
                               {"power_w", rounded(one.powerW)},
                               {"reason", reason ? reason(one.decision) : std::string(ruleCode(one.decision.deciding.rule))}});
    }
    const ReplayTotals& totals = result.totals;
    return {{"transitions", std::move(transitions)},
            {"totals",
             {{"solar_wh", rounded(totals.solarWh)},
              {"battery_wh", rounded(totals.batteryWh)},
              {"grid_wh", rounded(totals.gridWh)},
              {"unknown_wh", rounded(totals.unknownWh)},
              {"starts", totals.starts},
              {"hours", rounded(totals.hours)}}}};
}

std::string isoTime(core::UtcMs utc) {
    const std::chrono::sys_time<std::chrono::milliseconds> at{std::chrono::milliseconds{utc}};
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{at - day};
    std::array<char, 40> text{};
    const int written = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                                      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
    std::string result(text.data(), static_cast<std::size_t>(std::max(written, 0)));
    if (const auto milliseconds = time.subseconds().count(); milliseconds != 0) {
        std::snprintf(text.data(), text.size(), ".%03d", static_cast<int>(milliseconds));
        result += text.data();
    }
    return result + 'Z';
}

}  // namespace sunloco::rules
