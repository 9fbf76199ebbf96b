// SPDX-License-Identifier: Apache-2.0
// Every setting of SunLoCo, one row each. A setting that nothing obeys does not belong here.
#include "app/rules/settings.h"

#include <array>

// lupdate collects the texts by this macro's name; this file knows no Qt.
#define QT_TRANSLATE_NOOP(context, text) text

namespace sunloco::rules {
namespace {

using Type = SettingType;
using Scope = SettingScope;
using Group = SettingGroup;
using Unit_ = SettingUnit;
using Zero = ZeroMeaning;

constexpr std::array kModes{
    SettingOption{"always", QT_TRANSLATE_NOOP("Settings", "Always"),
                  QT_TRANSLATE_NOOP("Settings", "Train whatever you do. Safety, disk and network limits still hold.")},
    SettingOption{"rules", QT_TRANSLATE_NOOP("Settings", "By the rules"),
                  QT_TRANSLATE_NOOP("Settings", "Train when every rule on this page allows it.")},
    SettingOption{"never", QT_TRANSLATE_NOOP("Settings", "Never"), QT_TRANSLATE_NOOP("Settings", "Do not train until you change this.")},
};

constexpr std::array kPresets{
    SettingOption{"whenever_idle", QT_TRANSLATE_NOOP("Settings", "Whenever idle"),
                  QT_TRANSLATE_NOOP("Settings", "Any power, any time you are away from the keyboard for 10 minutes.")},
    SettingOption{"idle_at_night", QT_TRANSLATE_NOOP("Settings", "Idle, at night only"),
                  QT_TRANSLATE_NOOP("Settings", "Between 22:00 and 7:00, when you have been away for 10 minutes. You can draw other hours later.")},
    SettingOption{"gently_always", QT_TRANSLATE_NOOP("Settings", "Gently, also while I work"),
                  QT_TRANSLATE_NOOP("Settings", "At full speed while you are away, at a quarter of it while you use the PC.")},
};

constexpr std::array kMeteredChoices{
    SettingOption{"wait", QT_TRANSLATE_NOOP("Settings", "Wait for another network"),
                  QT_TRANSLATE_NOOP("Settings", "Train on; finished work waits on the disk until a network without a data limit is there.")},
    SettingOption{"wait_unknown", QT_TRANSLATE_NOOP("Settings", "Wait, also when it cannot be told"),
                  QT_TRANSLATE_NOOP("Settings", "Upload only when the system says that the network has no data limit.")},
    SettingOption{"upload", QT_TRANSLATE_NOOP("Settings", "Upload all the same"), QT_TRANSLATE_NOOP("Settings", "A metered network is used like any other.")},
};

constexpr std::array kProxyChoices{
    SettingOption{"system", QT_TRANSLATE_NOOP("Settings", "As the system says"), QT_TRANSLATE_NOOP("Settings", "The environment's https_proxy and no_proxy decide.")},
    SettingOption{"none", QT_TRANSLATE_NOOP("Settings", "None"), QT_TRANSLATE_NOOP("Settings", "Straight to the project's server.")},
};

constexpr std::string_view kEveryHour =
    "111111111111111111111111" "111111111111111111111111" "111111111111111111111111" "111111111111111111111111"
    "111111111111111111111111" "111111111111111111111111" "111111111111111111111111";
static_assert(kEveryHour.size() == WeekGrid::kBits);

constexpr SettingSpec choiceRow(std::string_view key, Scope scope, Group group, std::string_view standard, std::span<const SettingOption> options,
                                std::string_view title, std::string_view help, std::optional<RuleId> rule = std::nullopt) {
    return {key, Type::Choice, scope, group, Unit_::None, standard, 0, 0, Zero::NotAllowed, options, title, help, rule};
}

constexpr SettingSpec switchRow(std::string_view key, Group group, bool standard, std::string_view title, std::string_view help,
                                std::optional<RuleId> rule = std::nullopt) {
    return {key, Type::Switch, Scope::Global, group, Unit_::None, standard, 0, 0, Zero::NotAllowed, {}, title, help, rule};
}

struct Range {
    std::int64_t standard;
    std::int64_t min;
    std::int64_t max;
};

constexpr SettingSpec numberRow(std::string_view key, Group group, Unit_ unit, Range range, Zero zero, std::string_view title, std::string_view help,
                                std::optional<RuleId> rule = std::nullopt) {
    return {key, Type::Number, Scope::Global, group, unit, range.standard, range.min, range.max, zero, {}, title, help, rule};
}

constexpr std::array kTable{
    choiceRow(keys::kMode, Scope::Global, Group::General, "rules", kModes, QT_TRANSLATE_NOOP("Settings", "Train"),
              QT_TRANSLATE_NOOP("Settings", "Whether the rules below decide, or nothing but you."), RuleId::Mode),
    choiceRow(keys::kPreset, Scope::Global, Group::General, "whenever_idle", kPresets, QT_TRANSLATE_NOOP("Settings", "How much may it take?"),
              QT_TRANSLATE_NOOP("Settings", "A starting point that sets several rules at once; each can be changed afterwards.")),
    switchRow(keys::kAutostart, Group::General, false, QT_TRANSLATE_NOOP("Settings", "Start when I log in"),
              QT_TRANSLATE_NOOP("Settings", "Starts in the tray, without a window.")),

    numberRow(keys::kIdleMinutes, Group::When, Unit_::Minutes, {10, 1, 240}, Zero::NotAllowed, QT_TRANSLATE_NOOP("Settings", "Start after no input for"),
              QT_TRANSLATE_NOOP("Settings", "Keyboard, mouse and touch count. Training stops with the first touch. While the screen is locked, one minute is enough."),
              RuleId::UserIdle),
    numberRow(keys::kInUsePercent, Group::When, Unit_::Percent, {0, 25, 100}, Zero::Off, QT_TRANSLATE_NOOP("Settings", "Also while I use the PC, at"),
              QT_TRANSLATE_NOOP("Settings", "The share of time that the graphics card or processor works while you are there."), RuleId::UserIdle),
    switchRow(keys::kOnlyWhenLocked, Group::When, false, QT_TRANSLATE_NOOP("Settings", "Only while the screen is locked"),
              QT_TRANSLATE_NOOP("Settings", "Waits for the lock screen, however long you have been away."), RuleId::SessionLock),
    numberRow(keys::kThrottlePercent, Group::When, Unit_::Percent, {100, 25, 100}, Zero::NotAllowed, QT_TRANSLATE_NOOP("Settings", "Use the device at most"),
              QT_TRANSLATE_NOOP("Settings", "Pauses between steps; needs no administrator rights. Less is cooler and quieter."), RuleId::Throttle),
    switchRow(keys::kScheduleEnabled, Group::When, false, QT_TRANSLATE_NOOP("Settings", "Only in chosen hours of the week"),
              QT_TRANSLATE_NOOP("Settings", "Outside the chosen hours nothing runs."), RuleId::Schedule),
    SettingSpec{keys::kScheduleGrid, Type::Week, Scope::Global, Group::When, Unit_::None, kEveryHour, 0, 0, Zero::NotAllowed, {},
                QT_TRANSLATE_NOOP("Settings", "Week"), QT_TRANSLATE_NOOP("Settings", "Filled = may run. Hours of this PC's clock."), RuleId::Schedule},
    numberRow(keys::kMinOnMinutes, Group::When, Unit_::Minutes, {5, 1, 120}, Zero::Off, QT_TRANSLATE_NOOP("Settings", "Once started, run at least"),
              QT_TRANSLATE_NOOP("Settings", "Holds against small swings, such as a battery level around its limit. Your touch always stops it at once."), RuleId::MinimumTimes),
    numberRow(keys::kMinOffMinutes, Group::When, Unit_::Minutes, {3, 1, 120}, Zero::Off, QT_TRANSLATE_NOOP("Settings", "Once stopped by power or disk, rest at least"),
              QT_TRANSLATE_NOOP("Settings", "Keeps a loose plug or a nearly full disk from starting and stopping it again and again."), RuleId::MinimumTimes),

    switchRow(keys::kRunOnBattery, Group::Power, false, QT_TRANSLATE_NOOP("Settings", "Also on battery"),
              QT_TRANSLATE_NOOP("Settings", "Off: runs only while the PC is plugged in."), RuleId::Battery),
    numberRow(keys::kBatteryMinPercent, Group::Power, Unit_::Percent, {50, 15, 100}, Zero::NotAllowed, QT_TRANSLATE_NOOP("Settings", "On battery, stop below"),
              QT_TRANSLATE_NOOP("Settings", "Below 10 % it stops in any case."), RuleId::BatteryLevel),

    choiceRow(keys::kMeteredUploads, Scope::Global, Group::Network, "wait", kMeteredChoices, QT_TRANSLATE_NOOP("Settings", "On a metered network"),
              QT_TRANSLATE_NOOP("Settings", "What happens with finished work where data costs money."), RuleId::MeteredNetwork),
    switchRow(keys::kUploadWhilePaused, Group::Network, true, QT_TRANSLATE_NOOP("Settings", "Send finished work while paused"),
              QT_TRANSLATE_NOOP("Settings", "Finished work is worth something only if it arrives before the round ends."), RuleId::UserPause),
    numberRow(keys::kUploadKib, Group::Network, Unit_::KibPerSecond, {0, 8, 10'000'000}, Zero::NoLimit, QT_TRANSLATE_NOOP("Settings", "Upload at most"),
              QT_TRANSLATE_NOOP("Settings", "Shared by all projects.")),
    numberRow(keys::kDownloadKib, Group::Network, Unit_::KibPerSecond, {0, 8, 10'000'000}, Zero::NoLimit, QT_TRANSLATE_NOOP("Settings", "Download at most"),
              QT_TRANSLATE_NOOP("Settings", "Shared by all projects.")),
    SettingSpec{keys::kProxy, Type::Proxy, Scope::Global, Group::Network, Unit_::None, "system", 0, 0, Zero::NotAllowed, kProxyChoices,
                QT_TRANSLATE_NOOP("Settings", "Proxy"), QT_TRANSLATE_NOOP("Settings", "Choose, or type an address such as http://proxy.home:3128."), std::nullopt},

    numberRow(keys::kDiskFloorGib, Group::Disk, Unit_::Gib, {5, 1, 100'000}, Zero::Off, QT_TRANSLATE_NOOP("Settings", "Leave free on the disk"),
              QT_TRANSLATE_NOOP("Settings", "Training stops while less is free."), RuleId::DiskFloor),
    numberRow(keys::kDiskQuotaGib, Group::Disk, Unit_::Gib, {50, 1, 100'000}, Zero::NoLimit, QT_TRANSLATE_NOOP("Settings", "Take at most"),
              QT_TRANSLATE_NOOP("Settings", "Everything that SunLoCo keeps: text, models, saved states."), RuleId::DiskQuota),

    numberRow(keys::kCpuThreads, Group::Devices, Unit_::Threads, {0, 1, 1024}, Zero::Automatic, QT_TRANSLATE_NOOP("Settings", "Processor threads"),
              QT_TRANSLATE_NOOP("Settings", "Automatic leaves one core free. Takes effect with the next start of training.")),
    choiceRow("device.*.mode", Scope::Device, Group::Devices, "rules", kModes, QT_TRANSLATE_NOOP("Settings", "Use this device"),
              QT_TRANSLATE_NOOP("Settings", "A device of its own mode does not wait for the others."), RuleId::Mode),
};

}  // namespace

std::span<const SettingSpec> settingsTable() { return kTable; }

std::span<const SettingOption> presets() { return kPresets; }

std::string_view groupTitle(SettingGroup group) {
    switch (group) {
    case SettingGroup::General: return QT_TRANSLATE_NOOP("Settings", "General");
    case SettingGroup::When: return QT_TRANSLATE_NOOP("Settings", "When");
    case SettingGroup::Power: return QT_TRANSLATE_NOOP("Settings", "Battery");
    case SettingGroup::Network: return QT_TRANSLATE_NOOP("Settings", "Network");
    case SettingGroup::Disk: return QT_TRANSLATE_NOOP("Settings", "Disk");
    case SettingGroup::Devices: return QT_TRANSLATE_NOOP("Settings", "Devices");
    }
    return {};
}

core::Result<void> applyPreset(Settings& settings, std::string_view presetId) {
    Settings changed = settings;
    if (auto set = changed.set(keys::kPreset, std::string(presetId)); !set) {
        return set;
    }
    // What a preset does not name goes back to its default, so that the presets can be tried one after the other.
    for (const std::string_view key : {keys::kMode, keys::kIdleMinutes, keys::kInUsePercent, keys::kScheduleEnabled}) {
        if (auto reset = changed.reset(key); !reset) {
            return reset;
        }
    }
    core::Result<void> done;
    if (presetId == "idle_at_night") {
        done = changed.set(keys::kScheduleEnabled, true);
        if (done) {
            done = changed.setText(keys::kScheduleGrid, "mon-sun 22-7");
        }
    } else if (presetId == "gently_always") {
        done = changed.set(keys::kInUsePercent, std::int64_t{25});
    }
    if (done) {
        settings = std::move(changed);
    }
    return done;
}

}  // namespace sunloco::rules
