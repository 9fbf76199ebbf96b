// SPDX-License-Identifier: Apache-2.0
#include "app/agent/energy_ledger.h"

#include <algorithm>

namespace sunloco::agent {
namespace {

constexpr int kMeasureEveryMs = 5'000;
constexpr core::MonotonicMs kFlushEveryMs = 60'000;

energy::PowerMeterOptions meterOptions(energy::NvmlLibrary& nvml) {
    energy::PowerMeterOptions options;
    options.nvml = &nvml;
    return options;
}

bool sameWorkers(const std::vector<energy::MeteredWorker>& a, const std::vector<energy::MeteredWorker>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return x.pid == y.pid && x.deviceId == y.deviceId; });
}

}  // namespace

EnergyLedger::EnergyLedger(const core::Clock& clock, Journal& journal, QObject* parent)
    : QObject(parent), m_clock(clock), m_journal(journal), m_meter(clock, meterOptions(m_nvml)) {
    m_timer.setInterval(kMeasureEveryMs);
    connect(&m_timer, &QTimer::timeout, this, &EnergyLedger::measure);
}

void EnergyLedger::setWorkers(const std::vector<energy::MeteredWorker>& workers) {
    if (sameWorkers(workers, m_workers)) return;
    if (!m_workers.empty()) measure();   // what the present ones have used until now
    m_workers = workers;
    m_meter.setWorkers(workers);
    if (workers.empty()) {
        m_timer.stop();
        m_buckets.stop();
        m_nvml.close();
        flush();
        return;
    }
    (void)m_meter.read();   // the counters' start
    m_buckets.add(m_clock.utcNow(), 0, energy::Origin::Unknown, false);
    m_timer.start();
}

void EnergyLedger::measure() {
    const auto reading = m_meter.read();
    if (!reading) return;
    // Without a meter of the house nobody knows where the power comes from.
    m_buckets.add(m_clock.utcNow(), reading->watts, energy::Origin::Unknown, reading->isEstimate);
    for (const energy::EnergyBucket& bucket : m_buckets.takeChanged()) {
        EnergyRow& row = m_pending[bucket.startUtc];
        row.isEstimate = row.wattHours > 0 ? row.isEstimate || bucket.isEstimate() : bucket.isEstimate();
        row.start = bucket.startUtc;
        row.wattHours += bucket.wattHours();
    }
    if (m_clock.monotonicNow() - m_flushedAt >= kFlushEveryMs) flush();
    Q_EMIT measured();
}

void EnergyLedger::flush() {
    m_flushedAt = m_clock.monotonicNow();
    for (auto it = m_pending.begin(); it != m_pending.end();) {
        if (!m_journal.addEnergy(it->second.start, it->second.wattHours, it->second.isEstimate)) return;
        it = m_pending.erase(it);
    }
}

std::optional<energy::PowerReading> EnergyLedger::watts(const std::string& deviceId) const {
    const auto found = m_meter.byDevice().find(deviceId);
    if (m_workers.empty() || found == m_meter.byDevice().end()) return std::nullopt;
    return found->second;
}

std::vector<EnergyRow> EnergyLedger::buckets(core::UtcMs from, core::UtcMs to) const {
    std::map<core::UtcMs, EnergyRow> all;
    if (auto stored = m_journal.energy(from, to)) {
        for (const EnergyRow& row : *stored) all[row.start] = row;
    }
    for (const auto& [start, row] : m_pending) {
        if (start < from || start >= to) continue;
        EnergyRow& sum = all[start];
        sum.isEstimate = sum.wattHours > 0 ? sum.isEstimate || row.isEstimate : row.isEstimate;
        sum.start = start;
        sum.wattHours += row.wattHours;
    }
    std::vector<EnergyRow> rows;
    for (const auto& [start, row] : all) rows.push_back(row);
    return rows;
}

}  // namespace sunloco::agent
