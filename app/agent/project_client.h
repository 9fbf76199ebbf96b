// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/keys.h"
#include "net/protocol/link.h"
#include "net/protocol/problem.h"
#include "net/transfer/retry_policy.h"
#include "net/transfer/transfers.h"

#include <set>

namespace sunloco::agent {

enum class Signing { None, DeviceKey };

/// One request to a project's server, by its path.
struct ServerCall {
    std::string method = "GET";
    std::string path;                                   ///< "/v1/…"
    std::string body;                                   ///< JSON
    Signing signing = Signing::None;
    std::string idempotencyKey;
    std::string bearer;
    std::uint64_t maxBytes = 1u << 20;
    std::optional<transfer::FileRange> file;            ///< PUT of a part
    std::optional<core::Digest> fileDigest;
    std::optional<transfer::FileTarget> target;         ///< GET of an object
};

struct ServerReply {
    const transfer::Response* response = nullptr;       ///< of a server that spoke; else null
    std::optional<protocol::Problem> problem;           ///< its refusal
    core::Error error;                                  ///< what went wrong, for every reply that is not ok()
    transfer::RetryDecision decision;
    [[nodiscard]] bool ok() const { return response != nullptr && response->ok(); }
    /// Asking again cannot help.
    [[nodiscard]] bool final() const { return decision.verdict == transfer::Verdict::GiveUp; }
};

/// Talks to one project's server: signs with the device key, counts failures per host, follows the server's clock. Thread: the main thread.
class ProjectClient {
public:
    using Done = std::function<void(const ServerReply&)>;
    ProjectClient(protocol::ProjectLink link, transfer::Transfers& transfers, transfer::RetryPolicy& retry, const core::Clock& clock);
    /// Cancels what is under way.
    ~ProjectClient();
    ProjectClient(const ProjectClient&) = delete;
    ProjectClient& operator=(const ProjectClient&) = delete;

    void setKey(const protocol::KeyPair* key) { m_key = key; }
    void send(ServerCall call, Done done);
    void cancelAll();

    /// Milliseconds until the server may be asked again.
    [[nodiscard]] std::int64_t wait() const { return m_retry.waitFor(m_host); }
    [[nodiscard]] std::optional<core::UtcMs> nextTry() const { return m_retry.nextTry(m_host); }
    /// The server's clock as far as we know it: ours, corrected by what a refusal told.
    [[nodiscard]] core::UtcMs serverNow() const { return m_clock.utcNow() + m_clockOffset; }
    /// False after a failure to reach it, true after any answer.
    [[nodiscard]] bool reachable() const { return m_reachable; }
    [[nodiscard]] const protocol::ProjectLink& link() const { return m_link; }

private:
    enum class Attempt { First, Resigned };
    void start(std::shared_ptr<ServerCall> call, Done done, Attempt attempt);
    core::Result<transfer::Request> makeRequest(const ServerCall& call) const;
    void finished(const std::shared_ptr<ServerCall>& call, const Done& done, Attempt attempt, const transfer::Outcome& outcome);

    protocol::ProjectLink m_link;
    std::string m_host;
    transfer::Transfers& m_transfers;
    transfer::RetryPolicy& m_retry;
    const core::Clock& m_clock;
    const protocol::KeyPair* m_key = nullptr;
    std::int64_t m_clockOffset = 0;
    bool m_reachable = false;
    std::set<transfer::RequestId> m_running;
};

}  // namespace sunloco::agent
