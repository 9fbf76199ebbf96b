// SPDX-License-Identifier: Apache-2.0
#include "app/agent/metadata_keeper.h"

#include "net/protocol/limits.h"

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;
using transfer::Verdict;

/// What does not fit the trust chain now may fit after the server has published again; a wrong root never will.
transfer::RetryDecision laterDecision() { return {Verdict::Retry, transfer::RetryPolicy::kBaseMs * 4}; }

}  // namespace

MetadataKeeper::MetadataKeeper(std::string projectId, ProjectClient& client, Journal* journal) : m_projectId(std::move(projectId)), m_client(client), m_journal(journal) {}

core::Result<void> MetadataKeeper::restore() {
    protocol::TrustState state;
    for (auto [role, text] : {std::pair<const char*, std::string*>{"root", &state.root}, {"timestamp", &state.timestamp}, {"targets", &state.targets}, {"rounds", &state.rounds}}) {
        auto stored = m_journal->metadata(m_projectId, role);
        if (!stored) return stored.error();
        if (*stored) *text = std::move(**stored);
    }
    if (state.root.empty()) return Error{ErrorCode::NotFound, "no metadata yet", m_projectId};
    auto store = protocol::TrustStore::restore(m_client.link().root, state);
    if (!store) return store.error();
    m_store = std::move(*store);
    m_stored = state;
    return {};
}

core::Result<void> MetadataKeeper::persist() {
    if (m_journal == nullptr || !m_store) return {};
    const protocol::TrustState& now = m_store->state();
    const auto save = [&](const char* role, std::string& stored, const std::string& text, std::int64_t version) -> core::Result<void> {
        if (stored == text) return {};
        if (auto saved = m_journal->saveMetadata(m_projectId, role, version, text); !saved) return saved;
        stored = text;
        return {};
    };
    // The timestamp last: it must never name files that are not stored.
    if (auto r = save("root", m_stored.root, now.root, m_store->root().version); !r) return r;
    if (auto r = save("targets", m_stored.targets, now.targets, m_store->targets() ? m_store->targets()->version : 0); !r) return r;
    if (auto r = save("rounds", m_stored.rounds, now.rounds, m_store->rounds() ? m_store->rounds()->version : 0); !r) return r;
    return save("timestamp", m_stored.timestamp, now.timestamp, m_store->timestamp() ? m_store->timestamp()->version : 0);
}

core::Result<void> MetadataKeeper::storeIn(Journal& journal) {
    m_journal = &journal;
    return persist();
}

void MetadataKeeper::refresh(Done done) {
    if (m_refreshing) return;
    m_refreshing = true;
    if (!m_store) {
        fetchFirstRoot(std::move(done));
        return;
    }
    m_refresh.emplace(*m_store, m_client.serverNow());
    step(std::move(done));
}

void MetadataKeeper::fetchFirstRoot(Done done) {
    ServerCall call;
    call.path = std::string(protocol::kFirstRootPath);
    call.maxBytes = protocol::kMaxRootBytes;
    m_client.send(std::move(call), [this, done = std::move(done)](const ServerReply& reply) {
        if (!reply.ok()) {
            finish(done, reply.error, reply.decision);
            return;
        }
        auto store = protocol::TrustStore::start(m_client.link().root, reply.response->body);
        if (!store) {
            finish(done, store.error(), {Verdict::GiveUp, 0});
            return;
        }
        m_store = std::move(*store);
        m_refresh.emplace(*m_store, m_client.serverNow());
        step(done);
    });
}

void MetadataKeeper::step(Done done) {
    if (!m_refresh->next()) {
        finish(done, persist(), {Verdict::Done, 0});
        return;
    }
    ServerCall call;
    call.path = m_refresh->next()->path;
    call.maxBytes = m_refresh->next()->maxBytes;
    m_client.send(std::move(call), [this, done = std::move(done)](const ServerReply& reply) {
        core::Result<void> taken;
        if (reply.ok()) {
            taken = m_refresh->received(reply.response->body);
        } else if (reply.response != nullptr && reply.response->status == 404) {
            taken = m_refresh->notFound();
        } else {
            finish(done, reply.error, reply.decision);
            return;
        }
        if (!taken) {
            finish(done, taken.error(), laterDecision());
            return;
        }
        step(done);
    });
}

void MetadataKeeper::finish(const Done& done, const core::Result<void>& result, const transfer::RetryDecision& decision) {
    m_refreshing = false;
    m_refresh.reset();
    if (!result) {
        (void)persist();  // what was verified on the way is worth keeping; a failure shows at the next refresh
        done(result, decision.verdict == Verdict::Done ? laterDecision() : decision);
        return;
    }
    done(result, decision);
}

}  // namespace sunloco::agent
