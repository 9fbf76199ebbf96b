// SPDX-License-Identifier: Apache-2.0
// What a person may ask of the agent.
#include "app/agent/agent.h"

#include "app/platform/autostart.h"
#include "app/platform/local_time_zone.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;

/// The only way to an answer that says no: its code is always one of errorName().
Answer answerFor(const core::Result<void>& result) {
    if (result) return {};
    return {false, QString::fromUtf8(core::errorName(result.error().code).data()), QString::fromStdString(result.error().text())};
}

}  // namespace

void Agent::noteStorage(const Error& error) {
    m_log.add(QString::fromStdString(error.text()));
    if (error.code == ErrorCode::DiskFull || error.code == ErrorCode::Io || error.code == ErrorCode::PermissionDenied) m_storageTrouble = error;
    noteChange();
}

void Agent::inspect(const QString& link, OfferCallback done) {
    m_joiner->inspect(link.trimmed().toStdString(), [done = std::move(done)](core::Result<ProjectOffer> offer) {
        if (offer) done({}, *offer);
        else done(answerFor(offer.error()), {});
    });
}

void Agent::join(const QString& link, const QString& invite, AnswerCallback done) {
    const std::string text = link.trimmed().toStdString();
    const auto parsed = protocol::parseLink(text);
    if (!parsed) return done(answerFor(parsed.error()));
    for (const auto& session : m_sessions) {
        if (session->row().id == parsed->root.hex()) {
            done({true, {}, QStringLiteral("This PC takes part in %1 already, at %2. To follow it to another address, leave it and join again.").arg(QString::fromStdString(session->row().name), QString::fromStdString(session->row().url))});
            return;
        }
    }
    m_joiner->join(text, invite.trimmed().toStdString(), [this, done = std::move(done)](core::Result<ProjectJoiner::Joined> joined) {
        if (!joined) {
            noteStorage(joined.error());
            done(answerFor(joined.error()));
            return;
        }
        m_storageTrouble.reset();
        m_log.add(QStringLiteral("joined ") + QString::fromStdString(joined->row.name));
        addSession(std::move(joined->row), std::move(joined->key));
        reconsider();
        done({});
    });
}

Answer Agent::leave(const QString& projectId) {
    const std::string id = projectId.trimmed().toStdString();
    constexpr std::size_t kShortest = 8;   // of a shortened id
    ProjectSession* found = nullptr;
    for (const auto& session : m_sessions) {
        const bool same = session->row().id == id || (id.size() >= kShortest && session->row().id.starts_with(id));
        if (same && found != nullptr) return answerFor(Error{ErrorCode::InvalidArgument, id + " fits several projects; give more of the id (sunloco-ctl projects)", {}});
        if (same) found = session.get();
    }
    if (found == nullptr) return answerFor(Error{ErrorCode::NotFound, "there is no project " + id + " here; sunloco-ctl projects lists them", {}});
    found->leave();
    reconsider();
    return {};
}

void Agent::setOverride(const rules::UserOverride& value, const QString& what) {
    m_override = value;
    if (auto saved = m_journal->setValue("override", rules::toJson(value).dump()); !saved) noteStorage(saved.error());
    if (!what.isEmpty()) m_log.add(what);
    reconsiderSoon();
    noteChange();
}

void Agent::pause(PauseKind kind, int minutes) {
    const std::string length = kind == PauseKind::Forever ? "forever" : kind == PauseKind::UntilTomorrow ? "tomorrow" : std::to_string(minutes);
    const auto value = rules::pauseFor(length, m_clock.utcNow(), platform::systemUtcOffset());
    if (!value) {
        m_log.add(QString::fromStdString(value.error().text()));
        return;
    }
    setOverride(*value, QStringLiteral("paused by you: ") + QString::fromStdString(kind == PauseKind::Minutes ? length + " min" : length));
    reconsider();   // at once: the user wants quiet now
}

void Agent::resume() {
    m_storageTrouble.reset();
    setOverride({}, QStringLiteral("resumed by you"));
    retryNow();
}

void Agent::runNow(int minutes) {
    const auto value = rules::runNowFor(minutes, m_clock.utcNow());
    if (!value) {
        m_log.add(QString::fromStdString(value.error().text()));
        return;
    }
    setOverride(*value, minutes > 0 ? QStringLiteral("run now, for %1 min").arg(minutes) : QStringLiteral("run now, until you stop it"));
    retryNow();
}

void Agent::retryNow() {
    m_retry.forgetWaits();
    for (const auto& device : m_devices) device->runner->retryNow();
    for (const auto& session : m_sessions) session->retryNow();
    reconsider();
    noteChange();
}

core::Result<void> Agent::applyAutostart(const rules::Settings& settings) const {
    const platform::Autostart autostart = platform::Autostart::forThisUser();
    if (!settings.isOn(rules::keys::kAutostart)) return autostart.disable();
    // The tray app starts at login, also when sunlocod is asked to see to it.
    const std::filesystem::path program = QCoreApplication::applicationDirPath().toStdString() + "/sunloco";
    if (!std::filesystem::exists(program)) return Error{ErrorCode::NotFound, "the tray app that should start at login is not installed beside this program", program.string()};
    return autostart.enable(program);
}

core::Result<void> Agent::storeSettings(const rules::Settings& settings) {
    if (settings.isOn(rules::keys::kAutostart) != m_settings.settings().isOn(rules::keys::kAutostart)) {
        if (auto applied = applyAutostart(settings); !applied) return applied;
    }
    return m_settings.replace(settings);
}

void Agent::applyNetworkSettings() {
    constexpr std::int64_t kKib = 1024;
    const rules::Settings& settings = m_settings.settings();
    const std::string proxy = settings.choice(rules::keys::kProxy);
    using Kind = transfer::ProxySetting::Kind;
    if (proxy == "system") m_transfers->setProxy({Kind::System, {}});
    else if (proxy == "none") m_transfers->setProxy({Kind::None, {}});
    else m_transfers->setProxy({Kind::Manual, proxy});
    m_transfers->setLimits(settings.number(rules::keys::kUploadKib) * kKib, settings.number(rules::keys::kDownloadKib) * kKib);
}

void Agent::settingsTookEffect() {
    applyNetworkSettings();
    reconsider();
    noteChange();
}

Answer Agent::setMode(const QString& mode, const QString& deviceId) {
    std::string key(rules::keys::kMode);
    if (!deviceId.isEmpty()) {
        const bool known = std::any_of(m_devices.begin(), m_devices.end(), [&](const auto& device) { return device->info.id == deviceId; });
        if (!known) return answerFor(Error{ErrorCode::NotFound, "there is no device " + deviceId.toStdString() + "; sunloco-ctl devices lists them", {}});
        key = rules::Settings::deviceModeKey(deviceId.toStdString());
    }
    return setSetting(QString::fromStdString(key), mode);
}

Answer Agent::setSetting(const QString& key, const QString& value) {
    rules::Settings settings = m_settings.settings();
    const std::string name = key.toStdString();
    auto set = name == rules::keys::kPreset ? rules::applyPreset(settings, value.toStdString()) : settings.setText(name, value.toStdString());
    if (set) set = storeSettings(settings);
    if (!set) return answerFor(set);
    m_log.add(QStringLiteral("setting %1 = %2").arg(key, value));
    settingsTookEffect();
    Q_EMIT settingsChanged(key);
    return {};
}

void Agent::resetSetting(const QString& key) {
    rules::Settings settings = m_settings.settings();
    auto done = settings.reset(key.toStdString());
    if (done) done = storeSettings(settings);
    if (!done) return m_log.add(QString::fromStdString(done.error().text()));
    m_log.add(QStringLiteral("setting %1 back to the standard").arg(key));
    settingsTookEffect();
    Q_EMIT settingsChanged(key);
}

}  // namespace sunloco::agent
