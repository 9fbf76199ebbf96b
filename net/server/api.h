// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/paths.h"
#include "net/protocol/signatures.h"
#include "net/server/bearer.h"
#include "net/server/file_blob_store.h"
#include "net/server/http_types.h"
#include "net/server/metadata_signer.h"
#include "net/server/metrics.h"
#include "net/server/server_config.h"
#include "net/server/store.h"

#include <atomic>
#include <functional>
#include <mutex>

namespace sunloco::server {

/// What the project is; fixed while the server runs.
struct ProjectFacts {
    protocol::Root root;
    protocol::Manifest manifest;
    std::int64_t elements = 0;          ///< of the parameter arena
    std::int64_t epochExamples = 0;     ///< examples in all training shards
    std::string link;                   ///< what volunteers paste
    std::string authority;              ///< the public name that requests must have signed
};

struct ApiParts {
    Store& store;
    FileBlobStore& objects;
    const ProjectFacts& facts;
    const MetadataSigner& signer;
    const BearerTokens& bearers;
    const ServerConfig& config;
    const core::Clock& clock;
    Metrics& metrics;
    std::function<void()> roundChanged;                ///< tells the round keeper to look at the store
    std::function<std::size_t()> connections;
};

/// Every endpoint of wire protocol v1 (net/protocol/README.md). Stateless apart from the store: all methods may run at the same time.
class Api final : public HttpHandler {
public:
    explicit Api(ApiParts parts);

    BodyPlan plan(const HttpRequest& head) override;
    HttpResponse handle(HttpRequest request, const std::shared_ptr<BodySink>& sink) override;
    void sent(const HttpRequest& request, std::uint64_t bytes) override;

    /// Bytes sent to volunteers since the last call.
    std::int64_t takeBytesDown() { return m_bytesDown.exchange(0); }

private:
    struct Caller;
    class PartSink;

    HttpResponse dispatch(const protocol::Route& route, HttpRequest& request, const std::shared_ptr<BodySink>& sink);
    // api.cpp: who asks
    core::Result<std::optional<HttpResponse>> authenticate(const HttpRequest& request, const std::function<std::optional<protocol::PublicKey>(const std::string&)>& findKey,
                                                           std::string& device);
    HttpResponse unauthorized(protocol::ProblemCode code, std::string detail) const;
    HttpResponse storageFailed(const core::Error& error) const;
    BodyPlan planPart(const protocol::Route& route, const HttpRequest& head);
    // api_public.cpp
    HttpResponse page();
    HttpResponse metricsText();
    HttpResponse status();
    HttpResponse metadataFile(protocol::Role role, std::int64_t version);
    HttpResponse object(const protocol::Route& route, const HttpRequest& request);
    // api_work.cpp
    HttpResponse enrol(const HttpRequest& request);
    HttpResponse ownContributions(const std::string& device);
    HttpResponse lease(const HttpRequest& request, const std::string& device);
    HttpResponse heartbeat(const protocol::Route& route, const HttpRequest& request, const std::string& device);
    HttpResponse release(const protocol::Route& route, const HttpRequest& request, const std::string& device);
    // api_contributions.cpp
    HttpResponse createContribution(const HttpRequest& request, const std::string& device);
    HttpResponse putPart(const protocol::Route& route, const std::shared_ptr<BodySink>& sink);
    HttpResponse contributionStatus(const protocol::Route& route, const HttpRequest& request);
    HttpResponse commit(const protocol::Route& route, const std::string& device);
    HttpResponse freshBearer(const protocol::Route& route, const std::string& device);
    core::Result<std::optional<HttpResponse>> checkBearer(const ContributionRow& row, const HttpRequest& request) const;
    std::int64_t pollAfterMs();

    ApiParts m_parts;
    std::atomic<std::int64_t> m_bytesDown{0};
    std::mutex m_statusMutex;
    std::string m_statusText;
    core::MonotonicMs m_statusUntil = 0;
};

}  // namespace sunloco::server
