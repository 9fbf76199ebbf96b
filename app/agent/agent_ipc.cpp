// SPDX-License-Identifier: Apache-2.0
#include "app/agent/agent_ipc.h"

#include "app/agent/api_json.h"
#include "app/platform/local_time_zone.h"

#include <array>
#include <limits>
#include <utility>

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;
using core::Json;

std::string textParam(const Json& params, const char* name) {
    const auto found = params.find(name);
    return found != params.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t numberParam(const Json& params, const char* name, std::int64_t otherwise) {
    const auto found = params.find(name);
    return found != params.end() && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}

core::Result<Json> resultOf(const Answer& answer) {
    if (answer.ok) return Json{{"ok", true}, {"message", answer.message.toStdString()}};
    for (int i = 0; i <= static_cast<int>(ErrorCode::Internal); ++i) {
        const auto code = static_cast<ErrorCode>(i);
        if (answer.code.toStdString() == core::errorName(code)) return Error{code, answer.message.toStdString(), {}};
    }
    return Error{ErrorCode::Internal, answer.message.toStdString(), {}};
}

Json offerJson(const ProjectOffer& offer) {
    return {{"root", offer.rootHash.toStdString()}, {"name", offer.name.toStdString()}, {"description", offer.description.toStdString()}, {"source", offer.source.toStdString()},
            {"licence", offer.licence.toStdString()}, {"parameters", offer.parameters}, {"memory_bytes", offer.memoryBytes}, {"disk_bytes", offer.diskBytes},
            {"upload_bytes_per_round", offer.uploadBytesPerRound}, {"download_bytes_per_round", offer.downloadBytesPerRound}, {"download_bytes_once", offer.downloadBytesOnce},
            {"own_certificate", offer.ownCertificate}};
}

}  // namespace

AgentIpc::AgentIpc(Agent& agent, QObject* parent)
    : QObject(parent), m_agent(agent), m_server([this](const ipc::RequestMessage& request, const ipc::IpcServer::Reply& reply) { handle(request, reply); }, this) {
    connect(&m_agent, &AgentApi::changed, this, [this] {
        if (m_server.hasSubscribers()) m_server.broadcast({"changed", statusJson(m_agent.snapshot())});
    });
    connect(&m_agent, &AgentApi::logLine, this, [this](const QString& line) {
        if (m_server.hasSubscribers()) m_server.broadcast({"log", {{"line", line.toStdString()}}});
    });
}

AgentIpc::Method AgentIpc::methodFor(const std::string& name) {
    static constexpr std::array<std::pair<std::string_view, Method>, 21> kMethods{{
        {"status", &AgentIpc::status},
        {"why", &AgentIpc::why},
        {"projects", &AgentIpc::projects},
        {"inspect", &AgentIpc::inspect},
        {"join", &AgentIpc::join},
        {"leave", &AgentIpc::leave},
        {"devices", &AgentIpc::devices},
        {"pause", &AgentIpc::pause},
        {"resume", &AgentIpc::resume},
        {"run-now", &AgentIpc::runNow},
        {"mode", &AgentIpc::mode},
        {"config.list", &AgentIpc::configList},
        {"config.get", &AgentIpc::configGet},
        {"config.set", &AgentIpc::configSet},
        {"config.reset", &AgentIpc::configReset},
        {"energy", &AgentIpc::energy},
        {"history", &AgentIpc::history},
        {"receipt", &AgentIpc::receipt},
        {"log", &AgentIpc::log},
        {"test", &AgentIpc::test},
        {"quit", &AgentIpc::quit},
    }};
    for (const auto& [known, method] : kMethods) {
        if (known == name) return method;
    }
    return nullptr;
}

void AgentIpc::handle(const ipc::RequestMessage& request, const ipc::IpcServer::Reply& reply) {
    const auto answer = [id = request.id, reply](const core::Result<Json>& result) {
        ipc::ResponseMessage response;
        response.id = id;
        if (result) response.result = *result;
        else response.error = ipc::Refusal{std::string(core::errorName(result.error().code)), result.error().text()};
        reply(response);
    };
    const Method method = methodFor(request.method);
    if (method == nullptr) return answer(Error{ErrorCode::Unsupported, "this agent does not know the request \"" + request.method.substr(0, 64) + "\"; use a sunloco-ctl of the same version", {}});
    (this->*method)(request.params, answer);
}

void AgentIpc::status(const Json&, const Reply& reply) { reply(statusJson(m_agent.snapshot())); }
void AgentIpc::why(const Json&, const Reply& reply) { reply(whyJson(m_agent.snapshot())); }
void AgentIpc::projects(const Json&, const Reply& reply) { reply(Json{{"projects", projectsJson(m_agent.snapshot())}}); }
void AgentIpc::devices(const Json&, const Reply& reply) { reply(Json{{"devices", devicesJson(m_agent.snapshot())}}); }

void AgentIpc::inspect(const Json& params, const Reply& reply) {
    m_agent.inspect(QString::fromStdString(textParam(params, "link")), [reply](const Answer& answer, const ProjectOffer& offer) {
        if (answer.ok) reply(offerJson(offer));
        else reply(resultOf(answer));
    });
}

void AgentIpc::join(const Json& params, const Reply& reply) {
    m_agent.join(QString::fromStdString(textParam(params, "link")), QString::fromStdString(textParam(params, "invite")), [this, reply](const Answer& answer) {
        auto result = resultOf(answer);
        if (result) (*result)["projects"] = projectsJson(m_agent.snapshot());
        reply(result);
    });
}

void AgentIpc::leave(const Json& params, const Reply& reply) { reply(resultOf(m_agent.leave(QString::fromStdString(textParam(params, "id"))))); }

void AgentIpc::pause(const Json& params, const Reply& reply) {
    const std::string length = textParam(params, "length");
    const auto value = rules::pauseFor(length, 0, platform::systemUtcOffset());
    if (!value) return reply(value.error());
    if (!value->until) m_agent.pause(PauseKind::Forever, 0);
    else if (length == "tomorrow") m_agent.pause(PauseKind::UntilTomorrow, 0);
    else m_agent.pause(PauseKind::Minutes, static_cast<int>(*value->until / 60'000));
    status(params, reply);
}

void AgentIpc::resume(const Json& params, const Reply& reply) {
    m_agent.resume();
    status(params, reply);
}

void AgentIpc::runNow(const Json& params, const Reply& reply) {
    const std::int64_t minutes = numberParam(params, "minutes", rules::kRunNowMinutes);
    if (const auto value = rules::runNowFor(minutes, 0); !value) return reply(value.error());
    m_agent.runNow(static_cast<int>(minutes));
    status(params, reply);
}

void AgentIpc::mode(const Json& params, const Reply& reply) {
    reply(resultOf(m_agent.setMode(QString::fromStdString(textParam(params, "mode")), QString::fromStdString(textParam(params, "device")))));
}

void AgentIpc::configList(const Json&, const Reply& reply) { reply(settingsJson(m_agent.settings(), m_agent.snapshot().devices)); }
void AgentIpc::configGet(const Json& params, const Reply& reply) { reply(settingJson(m_agent.settings(), textParam(params, "key"))); }

void AgentIpc::configSet(const Json& params, const Reply& reply) {
    const std::string key = textParam(params, "key");
    if (auto result = resultOf(m_agent.setSetting(QString::fromStdString(key), QString::fromStdString(textParam(params, "value")))); !result) return reply(result);
    reply(settingJson(m_agent.settings(), key));
}

void AgentIpc::configReset(const Json& params, const Reply& reply) {
    const std::string key = textParam(params, "key");
    if (auto known = settingJson(m_agent.settings(), key); !known) return reply(known);
    m_agent.resetSetting(QString::fromStdString(key));
    reply(settingJson(m_agent.settings(), key));
}

void AgentIpc::energy(const Json& params, const Reply& reply) {
    reply(energyJson(m_agent, numberParam(params, "from", 0), numberParam(params, "to", std::numeric_limits<std::int64_t>::max())));
}

void AgentIpc::history(const Json& params, const Reply& reply) {
    constexpr std::int64_t kMost = 2'000;   // one answer is one frame of at most 1 MiB
    reply(historyJson(m_agent, static_cast<int>(std::clamp<std::int64_t>(numberParam(params, "limit", 100), 1, kMost))));
}

void AgentIpc::receipt(const Json& params, const Reply& reply) {
    const QByteArray envelope = m_agent.receipt(QString::fromStdString(textParam(params, "lease_id")));
    if (envelope.isEmpty()) return reply(Error{ErrorCode::NotFound, "there is no receipt for this lease, or its beginning fits several; sunloco-ctl history lists them", textParam(params, "lease_id")});
    auto json = core::parseJson(envelope.toStdString());
    if (!json) return reply(json.error());
    reply(*json);
}

void AgentIpc::log(const Json& params, const Reply& reply) {
    constexpr std::int64_t kMost = 2'000;
    Json lines = Json::array();
    for (const QString& line : m_agent.recentLog(static_cast<int>(std::clamp<std::int64_t>(numberParam(params, "lines", 100), 1, kMost)))) lines.push_back(line.left(400).toStdString());
    reply(Json{{"lines", lines}});
}

void AgentIpc::test(const Json& params, const Reply& reply) {
    const std::string wanted = textParam(params, "sensor");
    Json list = Json::array();
    for (const platform::SensorReport& report : m_agent.sensors()) {
        if (!wanted.empty() && report.name.toStdString() != wanted) continue;
        const char* health = "starting";
        if (report.health == platform::Sensor::Health::Working) health = "working";
        if (report.health == platform::Sensor::Health::Absent) health = "absent";
        if (report.health == platform::Sensor::Health::Dropped) health = "dropped";
        list.push_back({{"name", report.name.toStdString()}, {"health", health}, {"problem", report.problem.toStdString()}});
    }
    if (list.empty()) return reply(Error{ErrorCode::NotFound, "there is no sensor of that name; sunloco-ctl test lists them", wanted});
    reply(Json{{"sensors", list}});
}

void AgentIpc::quit(const Json& params, const Reply& reply) {
    reply(Json{{"ok", true}});
    const auto now = params.find("now");
    const bool atOnce = now != params.end() && now->is_boolean() && now->get<bool>();
    // After the answer has left.
    QTimer::singleShot(50, &m_agent, [this, atOnce] { atOnce ? m_agent.quitAtOnce() : m_agent.quit(); });
}

}  // namespace sunloco::agent
