// SPDX-License-Identifier: Apache-2.0
#include "app/rules/settings.h"

#include "app/rules/proxy_address.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <charconv>

namespace sunloco::rules {
namespace {

constexpr std::size_t kMaxDeviceId = 100;

core::Error unknownKey(std::string_view key) {
    return {core::ErrorCode::InvalidArgument, "there is no setting \"" + std::string(key.substr(0, 100)) + "\"; \"config list\" shows them all", "settings"};
}

/// "10 to 100 %, or 0 for off" and the like, for the error sentences.
std::string allowedText(const SettingSpec& spec) {
    switch (spec.type) {
    case SettingType::Switch: return "on or off";
    case SettingType::Week: return "168 characters 0 or 1, or spans such as \"mon-fri 22-7, sat-sun 0-24\"";
    case SettingType::Proxy: return "system, none, or an address such as http://proxy.home:3128";
    case SettingType::Choice: {
        std::string text = "one of";
        for (const SettingOption& option : spec.options) {
            text += ' ';
            text += option.value;
        }
        return text;
    }
    case SettingType::Number: break;
    }
    std::string text = std::to_string(spec.min) + " to " + std::to_string(spec.max);
    if (const std::string_view unit = unitSymbol(spec.unit); !unit.empty()) {
        text += ' ';
        text += unit;
    }
    switch (spec.zero) {
    case ZeroMeaning::NotAllowed: break;
    case ZeroMeaning::Off: text += ", or 0 for off"; break;
    case ZeroMeaning::NoLimit: text += ", or 0 for no limit"; break;
    case ZeroMeaning::Automatic: text += ", or 0 for automatic"; break;
    }
    return text;
}

core::Error badValue(const SettingSpec& spec, std::string_view key, std::string_view given) {
    return {core::ErrorCode::InvalidArgument,
            "\"" + std::string(key) + "\" takes " + allowedText(spec) + ", given was \"" + std::string(given.substr(0, 100)) + '"', std::string(key)};
}

/// The value in the form that is stored, or an error.
core::Result<SettingValue> checked(const SettingSpec& spec, std::string_view key, const SettingValue& value) {
    switch (spec.type) {
    case SettingType::Switch:
        if (std::holds_alternative<bool>(value)) {
            return value;
        }
        break;
    case SettingType::Number:
        if (const auto* number = std::get_if<std::int64_t>(&value)) {
            const bool zeroAllowed = *number == 0 && spec.zero != ZeroMeaning::NotAllowed;
            if (zeroAllowed || (*number >= spec.min && *number <= spec.max)) {
                return value;
            }
        }
        break;
    case SettingType::Choice:
        if (const auto* text = std::get_if<std::string>(&value)) {
            const auto matches = [text](const SettingOption& option) { return option.value == *text; };
            if (std::any_of(spec.options.begin(), spec.options.end(), matches)) {
                return value;
            }
        }
        break;
    case SettingType::Proxy:
        if (const auto* text = std::get_if<std::string>(&value)) {
            const auto matches = [text](const SettingOption& option) { return option.value == *text; };
            if (std::any_of(spec.options.begin(), spec.options.end(), matches)) {
                return value;
            }
            if (auto fine = checkProxyAddress(*text); !fine) {
                return std::move(fine).error();
            }
            return value;
        }
        break;
    case SettingType::Week:
        if (const auto* text = std::get_if<std::string>(&value)) {
            auto grid = WeekGrid::parse(*text);
            if (!grid) {
                core::Error error = std::move(grid).error();
                error.context = std::string(key);
                return error;
            }
            return SettingValue{grid->bits()};
        }
        break;
    }
    return badValue(spec, key, toText(spec, value));
}

std::optional<bool> switchFromText(std::string_view text) {
    for (const std::string_view yes : {"on", "true", "yes", "1"}) {
        if (text == yes) return true;
    }
    for (const std::string_view no : {"off", "false", "no", "0"}) {
        if (text == no) return false;
    }
    return std::nullopt;
}

}  // namespace

const SettingSpec* findSetting(std::string_view key) {
    for (const SettingSpec& spec : settingsTable()) {
        if (spec.scope == SettingScope::Global) {
            if (spec.key == key) {
                return &spec;
            }
            continue;
        }
        const auto star = spec.key.find('*');
        const std::string_view head = spec.key.substr(0, star);
        const std::string_view tail = spec.key.substr(star + 1);
        if (key.size() > head.size() + tail.size() && key.starts_with(head) && key.ends_with(tail) &&
            key.size() - head.size() - tail.size() <= kMaxDeviceId) {
            return &spec;
        }
    }
    return nullptr;
}

SettingValue defaultValue(const SettingSpec& spec) {
    struct Visitor {
        SettingValue operator()(bool value) const { return value; }
        SettingValue operator()(std::int64_t value) const { return value; }
        SettingValue operator()(std::string_view value) const { return std::string(value); }
    };
    return std::visit(Visitor{}, spec.defaultValue);
}

std::string_view unitSymbol(SettingUnit unit) {
    switch (unit) {
    case SettingUnit::None: return "";
    case SettingUnit::Minutes: return "min";
    case SettingUnit::Percent: return "%";
    case SettingUnit::KibPerSecond: return "KiB/s";
    case SettingUnit::Gib: return "GiB";
    case SettingUnit::Threads: return "threads";
    }
    return "";
}

std::string_view groupName(SettingGroup group) {
    switch (group) {
    case SettingGroup::General: return "general";
    case SettingGroup::When: return "when";
    case SettingGroup::Power: return "power";
    case SettingGroup::Network: return "network";
    case SettingGroup::Disk: return "disk";
    case SettingGroup::Devices: return "devices";
    }
    return "";
}

std::string_view typeName(SettingType type) {
    switch (type) {
    case SettingType::Switch: return "switch";
    case SettingType::Number: return "number";
    case SettingType::Choice: return "choice";
    case SettingType::Week: return "week";
    case SettingType::Proxy: return "proxy";
    }
    return "";
}

core::Result<SettingValue> Settings::get(std::string_view key) const {
    const SettingSpec* spec = findSetting(key);
    if (spec == nullptr) {
        return unknownKey(key);
    }
    if (const auto found = m_changed.find(key); found != m_changed.end()) {
        return found->second;
    }
    return defaultValue(*spec);
}

core::Result<void> Settings::set(std::string_view key, const SettingValue& value) {
    const SettingSpec* spec = findSetting(key);
    if (spec == nullptr || (spec->scope == SettingScope::Device && key == spec->key)) {
        return unknownKey(key);
    }
    auto stored = checked(*spec, key, value);
    if (!stored) {
        return std::move(stored).error();
    }
    if (*stored == defaultValue(*spec)) {
        return reset(key);
    }
    m_changed.insert_or_assign(std::string(key), std::move(stored).value());
    return {};
}

core::Result<void> Settings::setText(std::string_view key, std::string_view text) {
    const SettingSpec* spec = findSetting(key);
    if (spec == nullptr) {
        return unknownKey(key);
    }
    switch (spec->type) {
    case SettingType::Switch:
        if (const auto value = switchFromText(text)) {
            return set(key, *value);
        }
        return badValue(*spec, key, text);
    case SettingType::Number: {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size()) {
            return badValue(*spec, key, text);
        }
        return set(key, number);
    }
    case SettingType::Choice:
    case SettingType::Week:
    case SettingType::Proxy: break;
    }
    return set(key, std::string(text));
}

core::Result<void> Settings::reset(std::string_view key) {
    if (findSetting(key) == nullptr) {
        return unknownKey(key);
    }
    if (const auto found = m_changed.find(key); found != m_changed.end()) {
        m_changed.erase(found);
    }
    return {};
}

bool Settings::isDefault(std::string_view key) const { return m_changed.find(key) == m_changed.end(); }

core::Json Settings::toJson() const {
    core::Json json = core::Json::object();
    for (const auto& [key, value] : m_changed) {
        json[key] = rules::toJson(value);
    }
    return json;
}

core::Result<Settings> Settings::fromJson(const core::Json& json) {
    if (!json.is_object()) {
        return core::Error{core::ErrorCode::InvalidData, "settings are a JSON object of keys and values", "settings"};
    }
    Settings settings;
    for (const auto& [key, value] : json.items()) {
        SettingValue typed;
        if (value.is_boolean()) {
            typed = value.get<bool>();
        } else if (value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX)) {
            typed = static_cast<std::int64_t>(value.get<std::uint64_t>());
        } else if (value.is_number_integer() && !value.is_number_unsigned()) {
            typed = value.get<std::int64_t>();
        } else if (value.is_string()) {
            typed = value.get<std::string>();
        } else {
            const SettingSpec* spec = findSetting(key);
            return spec == nullptr ? unknownKey(key) : badValue(*spec, key, std::string(value.type_name()));
        }
        if (auto set = settings.set(key, typed); !set) {
            return std::move(set).error();
        }
    }
    return settings;
}

std::vector<std::string> Settings::deviceKeys() const {
    std::vector<std::string> found;
    for (const auto& [key, value] : m_changed) {
        if (const SettingSpec* spec = findSetting(key); spec != nullptr && spec->scope == SettingScope::Device) {
            found.push_back(key);
        }
    }
    return found;
}

bool Settings::isOn(std::string_view key) const {
    const auto value = get(key);
    const bool* typed = value ? std::get_if<bool>(&*value) : nullptr;
    assert(typed != nullptr);
    return typed != nullptr && *typed;
}

std::int64_t Settings::number(std::string_view key) const {
    const auto value = get(key);
    const std::int64_t* typed = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    assert(typed != nullptr);
    return typed != nullptr ? *typed : 0;
}

std::string Settings::choice(std::string_view key) const {
    const auto value = get(key);
    const std::string* typed = value ? std::get_if<std::string>(&*value) : nullptr;
    assert(typed != nullptr);
    return typed != nullptr ? *typed : std::string{};
}

WeekGrid Settings::week() const { return WeekGrid::parse(choice(keys::kScheduleGrid)).value_or(WeekGrid{}); }

Mode Settings::mode() const { return modeFromName(choice(keys::kMode)).value_or(Mode::Never); }

std::string Settings::deviceModeKey(std::string_view deviceId) { return "device." + std::string(deviceId) + ".mode"; }

Mode Settings::deviceMode(std::string_view deviceId) const {
    const std::string key = deviceModeKey(deviceId);
    return findSetting(key) == nullptr ? Mode::Rules : modeFromName(choice(key)).value_or(Mode::Never);
}

core::Json toJson(const SettingValue& value) {
    return std::visit([](const auto& typed) { return core::Json(typed); }, value);
}

std::string toText(const SettingSpec& spec, const SettingValue& value) {
    if (const bool* flag = std::get_if<bool>(&value)) {
        return *flag ? "on" : "off";
    }
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
        return std::to_string(*number);
    }
    const auto& text = std::get<std::string>(value);
    if (spec.type == SettingType::Week) {
        if (const auto grid = WeekGrid::parse(text)) {
            return grid->spans();
        }
    }
    return text;
}

}  // namespace sunloco::rules
