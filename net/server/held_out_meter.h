// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/metadata.h"
#include "net/server/file_blob_store.h"
#include "net/server/project_folder.h"
#include "net/server/server_config.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sunloco::server {

/// Measures the held-out loss of bases, one after another, on a thread of its own by starting sunloco-worker. A measurement that fails leaves
/// the loss unknown, says why in the log, and never holds up a round.
class HeldOutMeter {
public:
    /// Called on the meter's thread; round 0 is the initial base.
    using Measured = std::function<void(std::int64_t round, double loss)>;
    HeldOutMeter(const ProjectFolder& folder, const protocol::Manifest& manifest, const FileBlobStore& objects, const ServerConfig& config, Measured measured);
    ~HeldOutMeter();
    HeldOutMeter(const HeldOutMeter&) = delete;
    HeldOutMeter& operator=(const HeldOutMeter&) = delete;

    /// The base file is linked, so the caller may remove its own name for it.
    void enqueue(std::int64_t round, const std::filesystem::path& base, const core::Digest& baseHash);
    /// Ends a measurement that runs; waiting ones are dropped (they are found again at the next start).
    void stop();

private:
    struct Order {
        std::int64_t round = 0;
        std::filesystem::path folder;
        core::Digest baseHash;
    };
    void run();
    core::Result<double> measure(const Order& order);

    ProjectFolder m_folder;
    const protocol::Manifest& m_manifest;
    const FileBlobStore& m_objects;
    const ServerConfig& m_config;
    Measured m_measured;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Order> m_orders;
    std::atomic<bool> m_stopping{false};
    std::thread m_thread;
};

}  // namespace sunloco::server
