// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/frame.h"

#include <optional>
#include <vector>

/// Every message between a program and sunloco-worker (frames on the worker's stdin and stdout), in one place.
/// The first frame in each direction is Hello. End of stdin means that the parent is gone: save and exit.
namespace sunloco::core {

inline constexpr int kWorkerProtocolVersion = 1;

enum class WorkerMessage : std::uint16_t {
    // parent -> worker
    Hello = 1,      ///< HelloMessage
    Start = 2,      ///< StartMessage: a job folder
    Stop = 3,       ///< StopMessage
    Resume = 4,     ///< {}: go on after a Stop of level Quiet
    Throttle = 5,   ///< ThrottleMessage
    // worker -> parent
    HelloReply = 101,  ///< HelloReplyMessage
    Progress = 102,    ///< ProgressMessage, at least every 2 s while a job runs (also while quiet)
    Stopped = 103,     ///< StopMessage: the level that was reached
    Finished = 104,    ///< FinishedMessage: the result file is complete and on the disk
    Failed = 105,      ///< FailedMessage; for a fatal kind the worker then exits with the matching ExitCode
};

/// How far a worker gives way (DESIGN section 7).
enum class StopLevel : int {
    Quiet = 0,    ///< stop issuing work, keep memory
    Release = 1,  ///< give memory back: write a checkpoint, drop the model; Start resumes it
    Exit = 2,     ///< checkpoint, then end the process
};

struct HelloMessage { int version = kWorkerProtocolVersion; };
struct DeviceInfo {
    std::string id;      ///< "cpu", "cuda:0"
    std::string name;    ///< the system's own name of it
    std::uint64_t memoryBytes = 0;
};
struct HelloReplyMessage {
    int version = kWorkerProtocolVersion;
    std::string build;
    std::vector<DeviceInfo> devices;
};
/// `folder` holds job.json (see job.h). A folder with a valid checkpoint is resumed.
struct StartMessage {
    std::string folder;
    std::string device = "cpu";
    int threads = 1;
    int throttlePercent = 100;
};
struct StopMessage { StopLevel level = StopLevel::Quiet; };
struct ThrottleMessage { int percent = 100; };  ///< duty cycle 25..100
struct ProgressMessage {
    std::int64_t step = 0;          ///< inner steps done of this job
    std::int64_t steps = 0;         ///< inner steps asked for
    std::int64_t tokens = 0;        ///< tokens trained in this job so far, interruptions included
    double loss = 0;                ///< of the last finished step; nats per token
    double tokensPerSecond = 0;     ///< over the last seconds of active work
    double activeSeconds = 0;       ///< compute time of this job so far, without pauses
    bool quiet = false;
    std::optional<double> watts;    ///< measured by the worker, if it can
    std::int64_t rollBacks = 0;     ///< steps of this run that gave values that make no sense; none was applied, each time training went back to the last saved state
    std::int64_t rollBackStep = -1; ///< the latest of them
};
/// `result` is the content of result.json in the job folder, as JSON text.
struct FinishedMessage { std::string result; };
struct FailedMessage {
    std::string code;      ///< errorName()
    std::string message;
    std::int64_t step = -1;
};

Frame toFrame(WorkerMessage type, const HelloMessage& m);
Frame toFrame(const HelloReplyMessage& m);
Frame toFrame(const StartMessage& m);
Frame toFrame(WorkerMessage type, const StopMessage& m);  ///< Stop or Stopped
Frame toFrame(const ThrottleMessage& m);
Frame toFrame(const ProgressMessage& m);
Frame toFrame(const FinishedMessage& m);
Frame toFrame(const FailedMessage& m);
Frame resumeFrame();

Result<HelloMessage> parseHello(const Frame& frame);
Result<HelloReplyMessage> parseHelloReply(const Frame& frame);
Result<StartMessage> parseStart(const Frame& frame);
Result<StopMessage> parseStop(const Frame& frame);
Result<ThrottleMessage> parseThrottle(const Frame& frame);
Result<ProgressMessage> parseProgress(const Frame& frame);
Result<FinishedMessage> parseFinished(const Frame& frame);
Result<FailedMessage> parseFailed(const Frame& frame);

}  // namespace sunloco::core
