// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace sunloco::server {

/// What the operator's monitoring reads at /metrics (Prometheus text format). All methods may be called from any thread.
class Metrics {
public:
    Metrics();
    ~Metrics();

    void request(std::string_view endpoint, int status, double seconds);
    void received(std::uint64_t bytes);
    void sent(std::uint64_t bytes);
    void committed();
    void refused(std::string_view code);
    void merged(double seconds);
    /// Set before each reading.
    void gauges(double round, double contributors, double tokens, double connections);
    void heldOutLoss(double loss);

    [[nodiscard]] std::string text() const;

private:
    struct Families;
    std::unique_ptr<Families> m_families;
};

}  // namespace sunloco::server
