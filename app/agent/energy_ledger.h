// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/journal.h"
#include "app/energy/energy_buckets.h"
#include "app/energy/nvml_library.h"
#include "app/energy/power_meter.h"

#include <QObject>
#include <QTimer>

namespace sunloco::agent {

/// Measures our own workers while they compute and keeps the 15-minute buckets in the journal. Thread: the main thread.
class EnergyLedger : public QObject {
    Q_OBJECT
public:
    EnergyLedger(const core::Clock& clock, Journal& journal, QObject* parent);

    /// Who computes now; empty: nobody, and no card is touched.
    void setWorkers(const std::vector<energy::MeteredWorker>& workers);
    /// Of one device, from the last reading.
    [[nodiscard]] std::optional<energy::PowerReading> watts(const std::string& deviceId) const;
    /// Journal and what is not in it yet, oldest first.
    [[nodiscard]] std::vector<EnergyRow> buckets(core::UtcMs from, core::UtcMs to) const;
    /// Puts what has come together into the journal; what cannot be written stays for the next time.
    void flush();

Q_SIGNALS:
    void measured();

private:
    void measure();

    const core::Clock& m_clock;
    Journal& m_journal;
    energy::NvmlLibrary m_nvml;
    energy::PowerMeter m_meter;
    energy::EnergyBuckets m_buckets;
    std::map<core::UtcMs, EnergyRow> m_pending;   ///< not in the journal yet
    std::vector<energy::MeteredWorker> m_workers;
    QTimer m_timer;
    core::MonotonicMs m_flushedAt = 0;
};

}  // namespace sunloco::agent
