// SPDX-License-Identifier: Apache-2.0
#include "net/server/serve.h"

#include "engine/core/files.h"
#include "net/server/api.h"
#include "net/server/folder_lock.h"
#include "net/server/project.h"
#include "net/server/round_keeper.h"
#include "net/server/status_builder.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <pthread.h>

#include <algorithm>
#include <array>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

constexpr const char* kFirstListen = "127.0.0.1:8443";

std::string bracketed(const std::string& host) { return host.find(':') == std::string::npos ? host : "[" + host + "]"; }

std::string authorityOf(const std::string& host, std::uint16_t port) { return bracketed(host) + (port == 443 ? std::string() : ":" + std::to_string(port)); }

/// "https://Example.org:443/" -> "example.org"
Result<std::string> authorityOfUrl(std::string url) {
    constexpr std::string_view scheme = "https://";
    const Error bad{ErrorCode::InvalidArgument, "the public URL must be https://HOST or https://HOST:PORT, without a path", url};
    if (url.compare(0, scheme.size(), scheme) != 0) { return bad; }
    url.erase(0, scheme.size());
    if (!url.empty() && url.back() == '/') { url.pop_back(); }
    if (url.empty() || url.find_first_of("/?#@ ") != std::string::npos) { return bad; }
    std::transform(url.begin(), url.end(), url.begin(), [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
    if (url.size() > 4 && url.compare(url.size() - 4, 4, ":443") == 0) { url.resize(url.size() - 4); }
    return url;
}

}  // namespace

class ProjectServer::Impl {
public:
    Impl(ServeOptions options, const core::Clock& clock) : m_options(std::move(options)), m_clock(clock) {}
    ~Impl() { stop(); }

    Result<ServeReady> start() {
        auto project = openProject(m_options.folder, m_options.config);
        if (!project) { return project.error(); }
        m_project = std::make_unique<OpenProject>(std::move(*project));
        auto lock = FolderLock::take(m_project->folder);
        if (!lock) { return lock.error(); }
        m_lock.emplace(std::move(*lock));
        m_project->objects->dropUnfinished();
        ServerConfig& config = m_project->config;
        if (!m_options.publicUrl.empty()) { config.publicUrl = m_options.publicUrl; }

        auto signer = MetadataSigner::load(m_project->folder);
        if (!signer) { return signer.error(); }
        m_signer.emplace(std::move(*signer));
        auto secret = loadSecret(m_project->folder.keys() / "bearer.secret");
        if (!secret) { return secret.error(); }
        m_bearers.emplace(std::move(*secret));

        const protocol::Manifest& manifest = m_project->targets.manifest;
        m_facts.root = m_project->root;
        m_facts.manifest = manifest;
        m_facts.elements = core::makeLayout(manifest.model).total;
        m_facts.epochExamples = epochExamples(manifest);
        m_closer = std::make_unique<RoundCloser>(m_project->folder, manifest, *m_project->objects);
        m_meter = std::make_unique<HeldOutMeter>(m_project->folder, manifest, *m_project->objects, config, [this](std::int64_t round, double loss) { onMeasured(round, loss); });
        m_keeper = std::make_unique<RoundKeeper>(KeeperParts{m_project->folder, *m_project->store, manifest, *m_signer, *m_closer, m_clock, &m_metrics, m_meter.get(),
                                                             [this] { return m_api ? m_api->takeBytesDown() : 0; }});
        if (const auto prepared = m_keeper->prepare(); !prepared) { return prepared.error(); }

        m_api = std::make_unique<Api>(ApiParts{*m_project->store, *m_project->objects, m_facts, *m_signer, *m_bearers, config, m_clock, m_metrics, [this] { m_keeper->poke(); },
                                               [this] { return m_http ? m_http->connections() : 0; }});
        const auto ready = listen(config);
        if (!ready) { return ready.error(); }
        m_keeper->start();
        return *ready;
    }

    void stop() {
        if (m_stopped) { return; }
        m_stopped = true;
        if (m_http) { m_http->stop(); }
        if (m_meter) { m_meter->stop(); }
        if (m_keeper) { m_keeper->stop(); }
    }

private:
    Result<ServeReady> listen(const ServerConfig& config) {
        std::string wanted = m_options.listen.empty() ? config.listen : m_options.listen;
        if (wanted.empty()) {
            // The address of the last run: the links that people have stay right.
            const auto last = core::readTextFile(m_project->folder.lastListen(), 4096);
            wanted = last && parseHostPort(*last) ? *last : std::string(kFirstListen);
        }
        const auto address = parseHostPort(wanted);
        if (!address) { return address.error(); }
        std::string publicAuthority;
        if (!config.publicUrl.empty()) {
            const auto authority = authorityOfUrl(config.publicUrl);
            if (!authority) { return authority.error(); }
            publicAuthority = *authority;
        } else if (address->host == "0.0.0.0" || address->host == "::") {
            return Error{ErrorCode::InvalidArgument,
                         "a server that listens on all addresses needs the name that volunteers reach it by: give --public-url https://HOST:PORT, or set public_url in server.toml", wanted};
        }
        HttpOptions http;
        http.host = address->host;
        http.port = address->port;
        http.certificate = config.tlsCertificate.empty() ? m_project->folder.certificate() : config.tlsCertificate;
        http.key = config.tlsCertificate.empty() ? m_project->folder.certificateKey() : config.tlsKey;
        http.limits = config.limits;
        m_http = std::make_unique<HttpServer>(std::move(http), *m_api);
        if (const auto bound = m_http->bind(); !bound) { return bound.error(); }
        ServeReady ready;
        ready.port = m_http->port();
        ready.listen = bracketed(address->host) + ":" + std::to_string(ready.port);
        // The public name is part of every signature: it is settled before the first request is answered.
        m_facts.authority = publicAuthority.empty() ? authorityOf(address->host, ready.port) : publicAuthority;
        const auto link = projectLink(*m_project, m_facts.authority);
        if (!link) { return link.error(); }
        m_facts.link = *link;
        ready.link = *link;
        if (const auto kept = m_project->store->setFact(kAuthorityFact, m_facts.authority); !kept) { return kept.error(); }
        if (const auto kept = core::writeFileAtomically(m_project->folder.lastListen(), core::asBytes(ready.listen)); !kept) { return kept.error(); }
        m_http->start();
        return ready;
    }

    void onMeasured(std::int64_t round, double loss) {
        const auto stored = round == 0 ? m_project->store->setFact(kInitialLossFact, std::to_string(loss)) : m_project->store->setHeldOutLoss(round, loss);
        if (!stored) { spdlog::error("storing the held-out loss: {}", stored.error().text()); }
        m_metrics.heldOutLoss(loss);
    }

    ServeOptions m_options;
    const core::Clock& m_clock;
    std::unique_ptr<OpenProject> m_project;
    std::optional<FolderLock> m_lock;
    std::optional<MetadataSigner> m_signer;
    std::optional<BearerTokens> m_bearers;
    ProjectFacts m_facts;
    Metrics m_metrics;
    std::unique_ptr<RoundCloser> m_closer;
    std::unique_ptr<HeldOutMeter> m_meter;
    std::unique_ptr<RoundKeeper> m_keeper;
    std::unique_ptr<Api> m_api;
    std::unique_ptr<HttpServer> m_http;
    bool m_stopped = false;
};

ProjectServer::ProjectServer(ServeOptions options, const core::Clock& clock) : m_impl(std::make_unique<Impl>(std::move(options), clock)) {}
ProjectServer::~ProjectServer() = default;
Result<ServeReady> ProjectServer::start() { return m_impl->start(); }
void ProjectServer::stop() { m_impl->stop(); }

Result<void> serveUntilSignal(const ServeOptions& options, const std::function<void(const ServeReady&)>& ready) {
    // Blocked before any thread exists, so that only sigwait below gets them. A peer that goes away must not end us.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);

    const core::SystemClock clock;
    ProjectServer server(options, clock);
    const auto started = server.start();
    if (!started) { return started.error(); }
    ready(*started);
    int number = 0;
    while (sigwait(&set, &number) != 0) {}
    spdlog::info("stopping (signal {})", number);
    server.stop();
    return {};
}

}  // namespace sunloco::server
