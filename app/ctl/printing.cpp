// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/printing.h"

#include "app/rules/trace_replay.h"
#include "app/text/format.h"

#include <QDateTime>
#include <QLocale>

namespace sunloco::ctl {
namespace {

using core::Json;

std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::int64_t integer(const Json& object, const char* key) { return static_cast<std::int64_t>(number(object, key).value_or(0)); }
bool flag(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::string decimal(double value, int digits) { return QLocale::c().toString(value, 'f', digits).toStdString(); }
std::string count(std::int64_t value) { return QLocale().toString(static_cast<qlonglong>(value)).toStdString(); }

std::string padded(std::string s, int width) {
    const auto length = QString::fromStdString(s).size();
    if (length < width) s.append(static_cast<std::size_t>(width - length), ' ');
    return s + "  ";
}

/// "about" before what is an estimate.
std::string energy(double wattHours, bool isEstimate) { return (isEstimate ? "about " : "") + text::formatEnergy(wattHours).toStdString(); }

}  // namespace

std::string statusText(const Json& status) {
    std::string out = text(status, "reason") + "\n";
    if (const std::string next = text(status, "next"); !next.empty()) out += next + "\n";
    for (const Json& device : status.at("devices")) {
        out += "\n" + text(device, "name") + " (" + text(device, "id") + ")";
        if (const auto rate = number(device, "tokens_per_second")) {
            out += ": round " + count(integer(device, "round")) + ", step " + count(integer(device, "step")) + " of " + count(integer(device, "steps")) + ", " + count(static_cast<std::int64_t>(*rate)) + " tokens/s";
            if (const auto loss = number(device, "loss")) out += ", loss " + decimal(*loss, 3);
            if (const auto watts = number(device, "watts")) out += std::string(", ") + (flag(device, "watts_is_estimate") ? "about " : "") + text::formatPower(*watts).toStdString();
        } else {
            out += ": " + text(device, "state");
        }
        out += "\n";
    }
    for (const Json& project : status.at("projects")) {
        out += text(project, "name") + ": round " + count(integer(project, "round")) + ", " + count(integer(project, "accepted_rounds")) + " of " + count(integer(project, "sent_rounds")) + " rounds accepted";
        if (const auto loss = number(project, "held_out_loss")) out += ", held-out loss " + decimal(*loss, 3);
        out += "\n";
        if (const std::string problem = text(project, "problem"); !problem.empty()) out += "  " + problem + "\n";
    }
    if (const auto wh = number(status, "watt_hours_today")) out += "Today: " + energy(*wh, flag(status, "energy_is_estimate")) + "\n";
    return out;
}

std::string whyText(const Json& why) {
    std::string out = text(why, "reason") + "\n";
    if (const std::string next = text(why, "next"); !next.empty()) out += next + "\n";
    out += "\n";
    for (const Json& rule : why.at("rules")) out += (flag(rule, "stops") ? "* " : "  ") + padded(text(rule, "name"), 24) + text(rule, "says") + "\n";
    return out;
}

std::string devicesText(const Json& list) {
    std::string out;
    for (const Json& d : list.at("devices")) out += padded(text(d, "id"), 10) + padded(text(d, "mode"), 7) + padded(text(d, "state"), 15) + padded(count(integer(d, "threads")) + " threads", 10) + text(d, "name") + "\n";
    return out;
}

std::string projectsText(const Json& list) {
    if (list.at("projects").empty()) return "No project yet. Join one with: sunloco-ctl join LINK\n";
    std::string out;
    for (const Json& p : list.at("projects")) {
        out += padded(text(p, "id").substr(0, 16), 16) + padded(text(p, "name"), 24) + "round " + count(integer(p, "round")) + ", " + count(integer(p, "accepted_rounds")) + " accepted, " +
               count(integer(p, "tokens_accepted")) + " tokens  " + text(p, "url") + "\n";
    }
    return out;
}

std::string settingText(const Json& row) {
    const std::string unit = text(row, "unit");
    std::string out = text(row, "key") + " = " + text(row, "text") + (unit.empty() ? "" : " " + unit) + "\n";
    out += text(row, "title") + ". " + text(row, "help") + "\nStandard: " + text(row, "default") + (unit.empty() ? "" : " " + unit) + "\n";
    if (!row.at("choices").empty()) {
        out += "Choices:";
        for (const Json& choice : row.at("choices")) out += " " + choice.get<std::string>();
        out += "\n";
    }
    return out;
}

std::string settingsText(const Json& list) {
    std::string out;
    for (const Json& row : list.at("settings")) {
        const std::string unit = text(row, "unit");
        out += (flag(row, "is_default") ? "  " : "* ") + padded(text(row, "key"), 26) + padded(text(row, "text") + (unit.empty() ? "" : " " + unit), 16) + text(row, "title") + "\n";
    }
    return out + "(* = not the standard)\n";
}

std::string energyText(const Json& document) {
    const auto total = number(document, "watt_hours");
    if (!total) return "No energy was measured or estimated in this time.\n";
    std::string out = "Total: " + energy(*total, flag(document, "is_estimate")) + "\n";
    for (const Json& bucket : document.at("buckets")) {
        out += QDateTime::fromMSecsSinceEpoch(integer(bucket, "start")).toString(QStringLiteral("yyyy-MM-dd HH:mm")).toStdString() + "  " + energy(number(bucket, "watt_hours").value_or(0), flag(bucket, "is_estimate")) + "\n";
    }
    return out;
}

std::string energyCsv(const Json& document) {
    std::string out = "start_utc,watt_hours,is_estimate\n";
    for (const Json& bucket : document.at("buckets")) {
        out += rules::isoTime(integer(bucket, "start")) + "," + decimal(number(bucket, "watt_hours").value_or(0), 6) + "," + (flag(bucket, "is_estimate") ? "1" : "0") + "\n";
    }
    return out;
}

std::string historyText(const Json& history) {
    if (history.at("contributions").empty()) return "No contribution yet.\n";
    std::string out;
    for (const Json& row : history.at("contributions")) {
        out += padded("round " + count(integer(row, "round")), 12) + padded(text(row, "state"), 11) + padded(count(integer(row, "steps")) + " of " + count(integer(row, "steps_wanted")) + " steps", 18) +
               padded(count(integer(row, "tokens")) + " tokens", 18);
        if (const std::string receipt = text(row, "receipt"); !receipt.empty()) out += "receipt " + receipt.substr(0, 8) + "  ";
        out += text(row, "problem") + "\n";
    }
    return out;
}

std::string sensorsText(const Json& list) {
    std::string out;
    for (const Json& sensor : list.at("sensors")) out += padded(text(sensor, "name"), 20) + padded(text(sensor, "health"), 9) + text(sensor, "problem") + "\n";
    return out;
}

std::string replayText(const Json& result) {
    std::string out;
    for (const Json& t : result.at("transitions")) {
        out += padded(t.at("t_utc").is_string() ? t.at("t_utc").get<std::string>() : t.at("t_utc").dump(), 22) + padded(text(t, "state"), 18) + padded(decimal(number(t, "power_w").value_or(0), 0) + " W", 8) + text(t, "reason") + "\n";
    }
    const Json& totals = result.at("totals");
    out += "\nTrained " + decimal(number(totals, "hours").value_or(0), 2) + " h in " + count(integer(totals, "starts")) + " runs; Wh: solar " + decimal(number(totals, "solar_wh").value_or(0), 1) + ", battery " +
           decimal(number(totals, "battery_wh").value_or(0), 1) + ", grid " + decimal(number(totals, "grid_wh").value_or(0), 1) + ", unknown " + decimal(number(totals, "unknown_wh").value_or(0), 1) + "\n";
    return out;
}

}  // namespace sunloco::ctl
