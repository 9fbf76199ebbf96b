// SPDX-License-Identifier: Apache-2.0
#include "app/agent/project_joiner.h"

#include "app/platform/device_probe.h"
#include "net/protocol/paths.h"

namespace sunloco::agent {

using core::Error;
using core::ErrorCode;

struct ProjectJoiner::Attempt {
    Attempt(const protocol::ProjectLink& link, const SessionParts& parts)
        : client(link, parts.transfers, parts.retry, parts.clock), metadata(link.root.hex(), client, nullptr) {}
    ProjectClient client;
    MetadataKeeper metadata;
    std::optional<protocol::KeyPair> key;
};

ProjectJoiner::ProjectJoiner(SessionParts parts, KeyStore& keys, QObject* parent) : QObject(parent), m_parts(parts), m_keys(keys) {}
ProjectJoiner::~ProjectJoiner() = default;

// Attempts belong to m_attempts alone. Callbacks hold plain pointers: they are not called once the attempt's client is gone, but may be
// destroyed later than everything that an attempt needs for its own end.
core::Result<ProjectJoiner::Attempt*> ProjectJoiner::begin(const std::string& link) {
    auto parsed = protocol::parseLink(link);
    if (!parsed) return parsed.error();
    m_attempts.push_back(std::make_unique<Attempt>(*parsed, m_parts));
    return m_attempts.back().get();
}

/// The attempt is in the middle of a callback of its own client, so it goes when that has returned.
void ProjectJoiner::end(Attempt* attempt) {
    QMetaObject::invokeMethod(this, [this, attempt] { std::erase_if(m_attempts, [attempt](const auto& one) { return one.get() == attempt; }); }, Qt::QueuedConnection);
}

void ProjectJoiner::inspect(const std::string& link, std::function<void(core::Result<ProjectOffer>)> done) {
    auto begun = begin(link);
    if (!begun) return done(begun.error());
    Attempt* attempt = *begun;
    attempt->metadata.refresh([this, attempt, link, done = std::move(done)](const core::Result<void>& result, const transfer::RetryDecision&) {
        end(attempt);
        if (!result) return done(result.error());
        if (!attempt->metadata.complete()) return done(Error{ErrorCode::InvalidData, "the project's description is not complete", attempt->client.link().authority()});
        const protocol::TrustStore& store = *attempt->metadata.store();
        const protocol::Manifest& manifest = store.targets()->manifest;
        ProjectOffer offer;
        offer.link = QString::fromStdString(link);
        offer.rootHash = QString::fromStdString(store.linkRoot().hex());
        offer.name = QString::fromStdString(store.root().project.name);
        offer.description = QString::fromStdString(store.root().project.description);
        offer.source = QString::fromStdString(manifest.source.description);
        offer.licence = QString::fromStdString(manifest.source.licence);
        offer.parameters = manifest.claims.parameters;
        offer.memoryBytes = manifest.claims.memoryBytes;
        offer.diskBytes = manifest.claims.diskBytes;
        offer.uploadBytesPerRound = manifest.claims.uploadBytesPerRound;
        offer.downloadBytesPerRound = manifest.claims.downloadBytesPerRound;
        offer.downloadBytesOnce = manifest.claims.downloadBytesOnce;
        offer.ownCertificate = attempt->client.link().pin.has_value();
        done(std::move(offer));
    });
}

void ProjectJoiner::join(const std::string& link, const std::string& invite, JoinDone done) {
    auto begun = begin(link);
    if (!begun) return done(begun.error());
    Attempt* attempt = *begun;
    attempt->metadata.refresh([this, attempt, link, invite, done = std::move(done)](const core::Result<void>& result, const transfer::RetryDecision&) {
        if (!result || !attempt->metadata.complete()) {
            end(attempt);
            return done(result ? Error{ErrorCode::InvalidData, "the project's description is not complete", attempt->client.link().authority()} : result.error());
        }
        m_keys.loadOrCreate(attempt->client.link().root.hex(), KeyStore::Wanted::ForNewProject, this, [this, attempt, invite, done](core::Result<protocol::KeyPair> key) {
            if (!key) {
                end(attempt);
                return done(key.error());
            }
            attempt->key.emplace(std::move(*key));
            attempt->client.setKey(&*attempt->key);
            enrol(attempt, invite, done);
        });
    });
}

void ProjectJoiner::enrol(Attempt* attempt, const std::string& invite, const JoinDone& done) {
    protocol::EnrolRequest request;
    request.publicKey = attempt->key->publicKey();
    request.software = m_parts.software;
    request.name = platform::hostName().left(64).toStdString();
    if (!invite.empty()) request.invite = invite;
    ServerCall call;
    call.method = "POST";
    call.path = std::string(protocol::kDevicesPath);
    call.body = request.serialise();
    call.signing = Signing::DeviceKey;
    attempt->client.send(std::move(call), [this, attempt, invite, done](const ServerReply& reply) {
        end(attempt);
        if (!reply.ok()) return done(reply.error);
        auto answer = protocol::EnrolAnswer::parse(reply.response->body);
        if (!answer) return done(answer.error());
        const protocol::TrustStore& store = *attempt->metadata.store();
        ProjectRow row;
        row.id = store.linkRoot().hex();
        row.link = protocol::formatLink(attempt->client.link());
        row.url = attempt->client.link().origin();
        if (attempt->client.link().pin) row.pin = core::toBase64(attempt->client.link().pin->bytes);
        row.name = store.root().project.name;
        row.description = store.root().project.description;
        row.deviceId = answer->deviceId;
        row.invite = invite;
        row.joinedAt = m_parts.clock.utcNow();
        if (auto stored = attempt->metadata.storeIn(m_parts.journal); !stored) return done(stored.error());
        if (auto saved = m_parts.journal.saveProject(row); !saved) return done(saved.error());
        done(Joined{std::move(row), std::move(*attempt->key)});
    });
}

}  // namespace sunloco::agent
