// SPDX-License-Identifier: Apache-2.0
#include "app/agent/api_json.h"

#include "app/agent/present_state.h"
#include "app/text/sentence.h"

namespace sunloco::agent {
namespace {

using core::Json;

Json text(const QString& s) { return s.toStdString(); }

template <typename T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

QString wholeSentence(const text::Sentence& s) {
    QString out = s.title;
    if (!out.isEmpty() && !out.endsWith(u'.')) out += u'.';
    if (!s.reason.isEmpty()) out += u' ' % s.reason;
    return out;
}

}  // namespace

Json devicesJson(const Snapshot& snapshot) {
    Json list = Json::array();
    for (const DeviceSnapshot& d : snapshot.devices) {
        list.push_back({{"id", text(d.id)}, {"name", text(d.name)}, {"mode", rules::modeName(d.mode)}, {"state", stateCode(d.state)}, {"round", d.round}, {"step", d.step}, {"steps", d.steps},
                        {"tokens_per_second", orNull(d.tokensPerSecond)}, {"loss", orNull(d.loss)}, {"watts", orNull(d.watts)}, {"watts_is_estimate", d.wattsIsEstimate}, {"threads", d.threads}});
    }
    return list;
}

Json projectsJson(const Snapshot& snapshot) {
    Json list = Json::array();
    for (const ProjectSnapshot& p : snapshot.projects) {
        list.push_back({{"id", text(p.id)}, {"name", text(p.name)}, {"description", text(p.description)}, {"url", text(p.url)}, {"device_id", text(p.deviceId)}, {"round", p.round},
                        {"deadline", orNull(p.deadline)}, {"held_out_loss", orNull(p.heldOutLoss)}, {"accepted_rounds", p.acceptedRounds}, {"sent_rounds", p.sentRounds},
                        {"tokens_accepted", p.tokensAccepted}, {"joined_at", p.joinedAt}, {"reachable", p.reachable}, {"base_hash", text(p.baseHash)}, {"problem", text(p.problem)}});
    }
    return list;
}

Json statusJson(const Snapshot& snapshot) {
    const text::Sentence sentence = text::describe(snapshot);
    Json transfers = Json::array();
    for (const TransferSnapshot& t : snapshot.transfers) {
        transfers.push_back({{"what", text(t.what)}, {"upload", t.upload}, {"bytes_done", t.bytesDone}, {"bytes_total", t.bytesTotal}, {"bytes_per_second", t.bytesPerSecond}});
    }
    return {{"state", stateCode(snapshot.state)}, {"code", reasonCode(snapshot.reason.code)}, {"title", text(sentence.title)}, {"reason", text(wholeSentence(sentence))},
            {"next", text(sentence.next)}, {"next_change", orNull(snapshot.reason.nextChange)}, {"since", orNull(snapshot.reason.since)}, {"devices", devicesJson(snapshot)},
            {"projects", projectsJson(snapshot)}, {"transfers", transfers}, {"paused_until", orNull(snapshot.pausedUntil)}, {"watt_hours_today", snapshot.wattHoursToday},
            {"energy_is_estimate", snapshot.energyIsEstimate}, {"upload_allowed", snapshot.decision.uploadAllowed}, {"taken_at", snapshot.takenAt}};
}

Json whyJson(const Snapshot& snapshot) {
    const text::Sentence sentence = text::describe(snapshot);
    Json rulesList = Json::array();
    for (const rules::Verdict& verdict : snapshot.decision.verdicts) {
        rulesList.push_back({{"rule", rules::ruleCode(verdict.rule)}, {"name", text(text::ruleName(verdict.rule))}, {"says", text(text::verdictText(verdict))}, {"next", text(text::verdictNext(verdict))},
                             {"stops", verdict.stops}, {"verdict", rules::toJson(verdict)}});
    }
    return {{"state", stateCode(snapshot.state)}, {"title", text(sentence.title)}, {"reason", text(wholeSentence(sentence))}, {"next", text(sentence.next)}, {"rules", rulesList}};
}

Json historyJson(const AgentApi& agent, int limit) {
    Json rows = Json::array();
    for (const ContributionRow& row : agent.contributions(limit)) {
        rows.push_back({{"lease_id", text(row.leaseId)}, {"contribution_id", text(row.contributionId)}, {"round", row.round}, {"finished_at", orNull(row.finishedAt)}, {"steps", row.steps},
                        {"steps_wanted", row.stepsWanted}, {"tokens", row.tokens}, {"state", text(row.state)}, {"weight", orNull(row.weight)}, {"receipt", text(row.receiptDigest)}, {"problem", text(row.problem)}});
    }
    Json rounds = Json::object();
    for (const ProjectSnapshot& project : agent.snapshot().projects) {
        Json list = Json::array();
        for (const LossPoint& point : agent.lossHistory(project.id)) {
            list.push_back({{"round", point.round}, {"held_out_loss", orNull(point.heldOutLoss)}, {"closed_at", point.closedAt}, {"contributors", point.contributors}, {"tokens", point.tokens}});
        }
        rounds[project.id.toStdString()] = list;
    }
    return {{"contributions", rows}, {"rounds", rounds}};
}

Json energyJson(const AgentApi& agent, qint64 from, qint64 to) {
    Json buckets = Json::array();
    double sum = 0;
    bool isEstimate = false;
    for (const EnergyBucketRow& row : agent.energy(from, to)) {
        buckets.push_back({{"start", row.startUtc}, {"watt_hours", row.wattHours}, {"is_estimate", row.isEstimate}});
        sum += row.wattHours;
        isEstimate = isEstimate || row.isEstimate;
    }
    const Json total = buckets.empty() ? Json(nullptr) : Json(sum);   // nothing measured is not 0
    return {{"watt_hours", total}, {"is_estimate", isEstimate}, {"from", from}, {"to", to}, {"buckets", buckets}};
}

core::Result<Json> settingJson(const rules::Settings& settings, const std::string& key) {
    auto value = settings.get(key);
    if (!value) return value.error();
    const rules::SettingSpec& spec = *rules::findSetting(key);
    Json choices = Json::array();
    for (const rules::SettingOption& option : spec.options) choices.push_back(option.value);
    Json row{{"key", key}, {"value", rules::toJson(*value)}, {"text", rules::toText(spec, *value)}, {"default", rules::toText(spec, rules::defaultValue(spec))}, {"is_default", settings.isDefault(key)},
             {"type", rules::typeName(spec.type)}, {"unit", rules::unitSymbol(spec.unit)}, {"group", rules::groupName(spec.group)}, {"title", spec.title}, {"help", spec.help}, {"choices", choices}};
    if (spec.type == rules::SettingType::Number) {
        row["min"] = spec.min;
        row["max"] = spec.max;
    }
    return row;
}

Json settingsJson(const rules::Settings& settings, const QVector<DeviceSnapshot>& devices) {
    Json list = Json::array();
    const auto add = [&](const std::string& key) {
        if (auto row = settingJson(settings, key)) list.push_back(*row);
    };
    for (const rules::SettingSpec& spec : rules::settingsTable()) {
        if (spec.scope == rules::SettingScope::Global) {
            add(std::string(spec.key));
            continue;
        }
        for (const DeviceSnapshot& device : devices) {
            std::string key(spec.key);
            key.replace(key.find('*'), 1, device.id.toStdString());
            add(key);
        }
    }
    return {{"settings", list}};
}

}  // namespace sunloco::agent
