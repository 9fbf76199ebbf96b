// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/verdict.h"
#include "app/rules/week_grid.h"
#include "engine/core/json.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sunloco::rules {

enum class SettingType { Switch, Number, Choice, Week, Proxy };
/// One value for the agent, or one per device ("device.<id>.mode").
enum class SettingScope { Global, Device };
/// The page part on which a setting stands.
enum class SettingGroup { General, When, Power, Network, Disk, Devices };
enum class SettingUnit { None, Minutes, Percent, KibPerSecond, Gib, Threads };
/// What 0 says when it lies outside [min, max] and is allowed all the same.
enum class ZeroMeaning { NotAllowed, Off, NoLimit, Automatic };

/// One choice of a setting. Title and help are English source text in the translation context "Settings".
struct SettingOption {
    std::string_view value;
    std::string_view title;
    std::string_view help;
};

/// A setting's value: Switch → bool, Number → int64, the others → string (Week: 168 characters, see WeekGrid; Proxy: an option or an address, see
/// checkProxyAddress).
using SettingValue = std::variant<bool, std::int64_t, std::string>;

/// One row of the settings table: the only place where a setting is described. The settings page, `sunloco-ctl config` and validation come from it.
struct SettingSpec {
    std::string_view key;           ///< "idle.minutes"; device scope has a star: "device.*.mode"
    SettingType type = SettingType::Switch;
    SettingScope scope = SettingScope::Global;
    SettingGroup group = SettingGroup::General;
    SettingUnit unit = SettingUnit::None;
    std::variant<bool, std::int64_t, std::string_view> defaultValue;
    std::int64_t min = 0;
    std::int64_t max = 0;
    ZeroMeaning zero = ZeroMeaning::NotAllowed;
    std::span<const SettingOption> options;
    std::string_view title;         ///< English source text, context "Settings"
    std::string_view help;          ///< one or two sentences, context "Settings"
    std::optional<RuleId> rule;     ///< the rule whose verdict stands beside the setting
};

/// The table, in the order in which it is shown.
std::span<const SettingSpec> settingsTable();
/// The row for a key ("device.cpu.mode" finds "device.*.mode"); null for an unknown key.
const SettingSpec* findSetting(std::string_view key);
SettingValue defaultValue(const SettingSpec& spec);
/// "" "min" "%" "KiB/s" "GiB" "threads"
std::string_view unitSymbol(SettingUnit unit);
std::string_view groupName(SettingGroup group);    ///< "general", "when", "power", "network", "disk", "devices"
std::string_view groupTitle(SettingGroup group);   ///< English source text, context "Settings"
std::string_view typeName(SettingType type);       ///< "switch", "number", "choice", "week", "proxy"

/// The keys that code asks for by name.
namespace keys {
inline constexpr std::string_view kMode = "mode";
inline constexpr std::string_view kPreset = "preset";
inline constexpr std::string_view kAutostart = "general.autostart";
inline constexpr std::string_view kIdleMinutes = "idle.minutes";
inline constexpr std::string_view kInUsePercent = "idle.in_use_percent";
inline constexpr std::string_view kOnlyWhenLocked = "idle.only_when_locked";
inline constexpr std::string_view kScheduleEnabled = "schedule.enabled";
inline constexpr std::string_view kScheduleGrid = "schedule.grid";
inline constexpr std::string_view kThrottlePercent = "throttle.percent";
inline constexpr std::string_view kMinOnMinutes = "times.min_on_minutes";
inline constexpr std::string_view kMinOffMinutes = "times.min_off_minutes";
inline constexpr std::string_view kRunOnBattery = "battery.run_on_battery";
inline constexpr std::string_view kBatteryMinPercent = "battery.min_percent";
inline constexpr std::string_view kMeteredUploads = "network.metered_uploads";
inline constexpr std::string_view kUploadWhilePaused = "network.upload_while_paused";
inline constexpr std::string_view kUploadKib = "network.upload_kib_s";
inline constexpr std::string_view kDownloadKib = "network.download_kib_s";
inline constexpr std::string_view kProxy = "network.proxy";
inline constexpr std::string_view kDiskFloorGib = "disk.floor_gib";
inline constexpr std::string_view kDiskQuotaGib = "disk.quota_gib";
inline constexpr std::string_view kCpuThreads = "cpu.threads";
}  // namespace keys

/// All settings of one agent: the table's defaults plus what differs from them. A value type; storing it is the agent's matter.
class Settings {
public:
    /// The value in force. InvalidArgument names an unknown key.
    [[nodiscard]] core::Result<SettingValue> get(std::string_view key) const;
    /// Checks and sets. The error says which key, what is allowed and what was given.
    core::Result<void> set(std::string_view key, const SettingValue& value);
    /// The same from a person's text: "on", "off", "true", "yes", "12", an option's value, a week ("mon-fri 22-7").
    core::Result<void> setText(std::string_view key, std::string_view text);
    /// Back to the default; a device pattern key needs its device.
    core::Result<void> reset(std::string_view key);
    [[nodiscard]] bool isDefault(std::string_view key) const;
    /// Only what differs from the defaults: {"idle.minutes": 15}.
    [[nodiscard]] core::Json toJson() const;
    /// Strict: an unknown key or a value out of range is an error that names it.
    [[nodiscard]] static core::Result<Settings> fromJson(const core::Json& json);
    /// Keys of device scope that have a value of their own.
    [[nodiscard]] std::vector<std::string> deviceKeys() const;

    // Typed access for keys of the table; a key of another type answers false, 0 or "" (an assertion in debug builds).
    [[nodiscard]] bool isOn(std::string_view key) const;
    [[nodiscard]] std::int64_t number(std::string_view key) const;
    [[nodiscard]] std::string choice(std::string_view key) const;
    [[nodiscard]] WeekGrid week() const;
    [[nodiscard]] Mode mode() const;
    [[nodiscard]] Mode deviceMode(std::string_view deviceId) const;
    [[nodiscard]] static std::string deviceModeKey(std::string_view deviceId);

    [[nodiscard]] bool operator==(const Settings&) const = default;

private:
    std::map<std::string, SettingValue, std::less<>> m_changed;
};

core::Json toJson(const SettingValue& value);
/// A value as a person types it: "on", "12", "rules", "mon-fri 22-24".
std::string toText(const SettingSpec& spec, const SettingValue& value);

/// The first-run choices: the options of the setting "preset".
std::span<const SettingOption> presets();
/// Sets "preset" and what the preset stands for; other settings stay. InvalidArgument names an unknown preset.
core::Result<void> applyPreset(Settings& settings, std::string_view presetId);

}  // namespace sunloco::rules
