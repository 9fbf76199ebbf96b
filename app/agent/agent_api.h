// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/settings.h"
#include "app/rules/verdict.h"

#include <QByteArray>
#include <QJsonObject>
#include <QObject>
#include <QString>
#include <QVector>

#include <functional>
#include <optional>

/// The one door between a front end (window, tray, command line) and the agent: commands in, snapshots out. Value types only.
/// Thread: the main thread. All times are UTC milliseconds.
namespace sunloco::agent {

/// What the tray shows. Several at once: attention > paused by you > training > uploading > paused by rule > waiting (look.md section 7).
enum class State { NoProject, Waiting, PausedByRule, PausedByUser, Training, Uploading, NeedsAttention };

/// Why the agent is in its state: a code plus numbers; the sentence is made by sunloco::text (app/text), the same one everywhere.
struct Reason {
    enum class Code {
        NoProject, TrainingByRules, TrainingAlways, TrainingAsked, PausedByUser, RuleStops /* see verdict */, WaitingForWork, WaitingForServer,
        Uploading, StartingUp, WorkerFailed, ServerRefused, DiskFull, ProjectChanged, UpdateNeeded
    };
    Code code = Code::NoProject;
    std::optional<rules::Verdict> verdict;   ///< the deciding rule, for RuleStops and TrainingByRules
    QString detail;                          ///< project name, error text, round, as the code needs
    std::optional<qint64> since;
    std::optional<qint64> nextChange;        ///< when something is expected to happen
};

struct DeviceSnapshot {
    QString id;                    ///< "cpu", "cuda:0"
    QString name;
    rules::Mode mode = rules::Mode::Rules;
    State state = State::Waiting;
    qint64 step = 0;
    qint64 steps = 0;
    qint64 round = 0;
    std::optional<double> tokensPerSecond;
    std::optional<double> loss;
    std::optional<double> watts;
    bool wattsIsEstimate = true;
    int threads = 0;
};

struct ProjectSnapshot {
    QString id;                    ///< local id (64 hex: the root hash)
    QString name;
    QString description;
    QString url;
    QString deviceId;
    qint64 round = 0;
    std::optional<qint64> deadline;
    std::optional<double> heldOutLoss;
    qint64 acceptedRounds = 0;
    qint64 sentRounds = 0;
    qint64 tokensAccepted = 0;
    qint64 joinedAt = 0;
    bool reachable = false;
    QString baseHash;              ///< of the base this device holds now
    QString problem;               ///< plain text of the last error, empty when well
};

/// One row of the Contribution page.
struct ContributionRow {
    QString leaseId;
    QString contributionId;
    qint64 round = 0;
    std::optional<qint64> finishedAt;
    qint64 steps = 0;
    qint64 stepsWanted = 0;
    qint64 tokens = 0;
    QString state;                 ///< training, encoded, uploading, committed, merged, rejected, expired, abandoned
    std::optional<double> weight;
    QString receiptDigest;         ///< hex sha256 of the stored receipt; empty = not yet
    QString problem;
};

struct DayTotals { qint64 dayStartUtc = 0; qint64 tokens = 0; qint64 rounds = 0; double wattHours = 0; bool energyIsEstimate = true; };
struct LossPoint { qint64 round = 0; std::optional<double> heldOutLoss; qint64 closedAt = 0; qint64 contributors = 0; qint64 tokens = 0; };
struct TransferSnapshot { QString what; bool upload = false; qint64 bytesDone = 0; qint64 bytesTotal = 0; double bytesPerSecond = 0; std::optional<qint64> nextTry; };
struct EnergyBucketRow { qint64 startUtc = 0; double wattHours = 0; bool isEstimate = true; };

/// Everything a page shows at one moment.
struct Snapshot {
    State state = State::NoProject;
    Reason reason;
    rules::Decision decision;      ///< all verdicts, in order of precedence
    QVector<DeviceSnapshot> devices;
    QVector<ProjectSnapshot> projects;
    QVector<TransferSnapshot> transfers;
    std::optional<qint64> pausedUntil;       ///< set while paused with an end
    double wattHoursToday = 0;
    bool energyIsEstimate = true;
    qint64 takenAt = 0;
};

/// What a project is and will use, shown before consent.
struct ProjectOffer {
    QString link;
    QString rootHash;
    QString name;
    QString description;
    QString source;
    QString licence;
    qint64 parameters = 0;
    qint64 memoryBytes = 0;
    qint64 diskBytes = 0;
    qint64 uploadBytesPerRound = 0;
    qint64 downloadBytesPerRound = 0;
    qint64 downloadBytesOnce = 0;
    bool ownCertificate = false;
    bool inviteNeeded = false;
};

enum class PauseKind { Minutes, UntilTomorrow, Forever };

struct Answer { bool ok = true; QString code; QString message; };   ///< message: plain English with what, where, what to do
using AnswerCallback = std::function<void(const Answer&)>;
using OfferCallback = std::function<void(const Answer&, const ProjectOffer&)>;

class AgentApi : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] virtual const Snapshot& snapshot() const = 0;
    [[nodiscard]] virtual QVector<ContributionRow> contributions(int limit) const = 0;      ///< newest first
    [[nodiscard]] virtual QVector<DayTotals> days(int count) const = 0;
    [[nodiscard]] virtual QVector<LossPoint> lossHistory(const QString& projectId) const = 0;
    [[nodiscard]] virtual QVector<EnergyBucketRow> energy(qint64 fromUtc, qint64 toUtc) const = 0;
    [[nodiscard]] virtual QVector<QString> recentLog(int lines) const = 0;
    [[nodiscard]] virtual rules::Settings settings() const = 0;
    [[nodiscard]] virtual QByteArray receipt(const QString& leaseId) const = 0;              ///< the stored DSSE envelope

    virtual void inspect(const QString& link, OfferCallback done) = 0;                       ///< fetches and verifies the metadata, changes nothing
    virtual void join(const QString& link, const QString& invite, AnswerCallback done) = 0;  ///< after consent
    virtual Answer leave(const QString& projectId) = 0;
    virtual void pause(PauseKind kind, int minutes) = 0;
    virtual void resume() = 0;
    virtual void runNow(int minutes) = 0;                                                    ///< 0 = until stopped
    virtual Answer setMode(const QString& mode, const QString& deviceId) = 0;                ///< empty id = global
    virtual Answer setSetting(const QString& key, const QString& value) = 0;
    virtual void resetSetting(const QString& key) = 0;
    virtual void retryNow() = 0;
    virtual void quit() = 0;                                                                 ///< saves work, then emits finished()

Q_SIGNALS:
    void changed();                                  ///< the snapshot is new; at most once a second
    void stateChanged(sunloco::agent::State state);
    void contributionsChanged();
    void settingsChanged(const QString& key);
    void logLine(const QString& line);
    void finished();
};

}  // namespace sunloco::agent
