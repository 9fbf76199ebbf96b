// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/snapshot.h"
#include "engine/core/clock.h"

#include <QObject>
#include <QString>

namespace sunloco::platform {

/// How closely the sensors look.
enum class Pace {
    Calm,   ///< nothing runs: few wake-ups
    Alert,  ///< training: the user's return must be noticed within half a second
};

/// One source of readings. Lives in the thread of its hub; nothing here may block (a source that could block has a thread of its own).
/// A source that fails kFailuresToDrop times in a row is dropped with a log line and tried again after kRevivalMs.
class Sensor : public QObject {
    Q_OBJECT
public:
    enum class Health {
        Starting,  ///< has not answered yet
        Working,
        Absent,    ///< this system does not have it; it may appear later
        Dropped,   ///< failed too often
    };
    static constexpr int kFailuresToDrop = 3;
    static constexpr core::MonotonicMs kRevivalMs = 600'000;

    explicit Sensor(QString name, const core::Clock& clock, QObject* parent = nullptr);

    /// For logs and `sunloco-ctl test`: "x11-idle", "upower".
    [[nodiscard]] const QString& name() const { return m_name; }
    [[nodiscard]] Health health() const { return m_health; }
    /// One line of plain text about the last failure; empty when well.
    [[nodiscard]] const QString& problem() const { return m_problem; }
    [[nodiscard]] bool available() const { return m_health == Health::Working; }

    virtual void start() = 0;
    /// Asks the source; the answer comes as readingChanged(). Called every pollInterval() milliseconds.
    virtual void poll() {}
    /// Milliseconds between polls; 0 = the source reports by itself.
    [[nodiscard]] virtual int pollInterval(Pace) const { return 0; }
    virtual void setPace(Pace) {}
    /// The workers are silent: a sensor that holds up the system's sleep lets go.
    virtual void readyToSleep() {}
    /// Writes what it knows. A reading that an earlier sensor has already given stays, except that idle time is the smallest of all.
    virtual void contribute(rules::SensorSnapshot& snapshot) const = 0;

    /// Counts a drop as over when it is time to try again; true when the source may be polled.
    bool mayBePolled();

Q_SIGNALS:
    /// Something changed that a rule may care about.
    void readingChanged();

protected:
    [[nodiscard]] core::MonotonicMs now() const { return m_clock.monotonicNow(); }
    void noteSuccess();
    void noteFailure(const QString& problem);
    void noteAbsent(const QString& problem);
    /// Why there is no value, from the health.
    [[nodiscard]] rules::UnknownReason unknownReason() const;

private:
    QString m_name;
    const core::Clock& m_clock;
    Health m_health = Health::Starting;
    QString m_problem;
    int m_failures = 0;
    core::MonotonicMs m_droppedAt = 0;
};

/// Keeps the smaller of two idle times; a known one beats an unknown one.
void mergeIdle(rules::SensorSnapshot& snapshot, const rules::Reading<std::int64_t>& idleMs);

/// Fills `into` unless an earlier sensor knew it.
template <typename T>
void mergeReading(rules::Reading<T>& into, const rules::Reading<T>& reading) {
    if (!into.isKnown() && (reading.isKnown() || into.reason == rules::UnknownReason::Starting || into.reason == rules::UnknownReason::NoSource)) {
        into = reading;
    }
}

}  // namespace sunloco::platform
