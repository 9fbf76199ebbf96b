// SPDX-License-Identifier: Apache-2.0
#include "net/server/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace sunloco::server {

namespace {

prometheus::Counter& counter(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

}  // namespace

struct Metrics::Families {
    prometheus::Registry registry;
    prometheus::Family<prometheus::Counter>& requests =
        prometheus::BuildCounter().Name("sunloco_requests_total").Help("Requests by endpoint and HTTP status").Register(registry);
    prometheus::Family<prometheus::Counter>& problems =
        prometheus::BuildCounter().Name("sunloco_refusals_total").Help("Requests answered with a problem, by its code").Register(registry);
    prometheus::Histogram& seconds = prometheus::BuildHistogram()
                                         .Name("sunloco_request_seconds")
                                         .Help("Time in the handler, without the transfer of bodies")
                                         .Register(registry)
                                         .Add({}, prometheus::Histogram::BucketBoundaries{0.001, 0.005, 0.02, 0.1, 0.5, 2});
    prometheus::Counter& receivedBytes = counter(registry, "sunloco_received_bytes_total", "Bytes of upload parts");
    prometheus::Counter& sentBytes = counter(registry, "sunloco_sent_bytes_total", "Bytes of answers");
    prometheus::Counter& contributions = counter(registry, "sunloco_contributions_total", "Contributions with a receipt");
    prometheus::Histogram& merges = prometheus::BuildHistogram()
                                        .Name("sunloco_merge_seconds")
                                        .Help("Time to close a round")
                                        .Register(registry)
                                        .Add({}, prometheus::Histogram::BucketBoundaries{0.05, 0.2, 1, 5, 30, 120, 600});
    prometheus::Gauge& round = gauge(registry, "sunloco_round", "The open round");
    prometheus::Gauge& contributors = gauge(registry, "sunloco_round_contributors", "Devices with a receipt in the open round");
    prometheus::Gauge& tokens = gauge(registry, "sunloco_tokens", "Tokens of all merged rounds");
    prometheus::Gauge& connections = gauge(registry, "sunloco_connections", "Open connections");
    prometheus::Family<prometheus::Gauge>& loss =
        prometheus::BuildGauge().Name("sunloco_held_out_loss").Help("Held-out loss of the newest measured base, nats per token").Register(registry);
};

Metrics::Metrics() : m_families(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::request(std::string_view endpoint, int status, double seconds) {
    m_families->requests.Add({{"endpoint", std::string(endpoint)}, {"status", std::to_string(status)}}).Increment();
    m_families->seconds.Observe(seconds);
}
void Metrics::received(std::uint64_t bytes) { m_families->receivedBytes.Increment(static_cast<double>(bytes)); }
void Metrics::sent(std::uint64_t bytes) { m_families->sentBytes.Increment(static_cast<double>(bytes)); }
void Metrics::committed() { m_families->contributions.Increment(); }
void Metrics::refused(std::string_view code) { m_families->problems.Add({{"code", std::string(code)}}).Increment(); }
void Metrics::merged(double seconds) { m_families->merges.Observe(seconds); }
void Metrics::gauges(double round, double contributors, double tokens, double connections) {
    m_families->round.Set(round);
    m_families->contributors.Set(contributors);
    m_families->tokens.Set(tokens);
    m_families->connections.Set(connections);
}
void Metrics::heldOutLoss(double loss) { m_families->loss.Add({}).Set(loss); }

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(m_families->registry.Collect()); }

}  // namespace sunloco::server
