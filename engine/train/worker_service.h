// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/exit_codes.h"
#include "engine/model/kernels.h"
#include "engine/train/devices.h"
#include "engine/train/frame_channel.h"
#include "engine/train/job_runner.h"
#include "engine/train/sandbox.h"

#include <memory>
#include <thread>

namespace sunloco::train {

struct ServiceOptions {
    double checkpointSeconds = 60;
    Confinement confinement = Confinement::On;
};

/// `sunloco-worker serve`: one parent, one device, one job at a time. The calling thread speaks with the parent, a second one works.
/// Ends when asked to, when the parent is gone (its end of the pipe closed, SIGTERM), or after a failure; a job in hand is saved first.
class WorkerService {
public:
    WorkerService(FrameChannel channel, ServiceOptions options);
    ~WorkerService();
    core::ExitCode run();

private:
    enum class Flow { Go, End };
    struct Running;

    Flow handle(const core::Frame& frame);
    Flow start(const core::StartMessage& message);
    Flow stop(core::StopLevel level);
    Flow workEvents();
    Flow finishJob();
    void sendProgress();
    [[nodiscard]] int untilProgress() const;  ///< ms
    void send(const core::Frame& frame);
    Flow protocolError(const core::Error& error);
    void drainJob(core::StopLevel level);
    void poke();

    FrameChannel m_channel;
    ServiceOptions m_options;
    std::unique_ptr<Running> m_running;
    int m_wake = -1;       ///< eventfd: the working thread has news
    int m_signals = -1;    ///< signalfd: SIGTERM, SIGINT
    bool m_greeted = false;
    bool m_parentGone = false;
    std::optional<core::StopLevel> m_stopAsked;
    core::ExitCode m_exit = core::ExitCode::Ok;
};

}  // namespace sunloco::train
