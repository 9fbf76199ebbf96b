// SPDX-License-Identifier: Apache-2.0
#include "net/server/held_out_meter.h"

#include "engine/core/files.h"
#include "net/server/worker_client.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>

namespace sunloco::server {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

constexpr std::int64_t kUsualTokens = 65'536;

}  // namespace

HeldOutMeter::HeldOutMeter(const ProjectFolder& folder, const protocol::Manifest& manifest, const FileBlobStore& objects, const ServerConfig& config, Measured measured)
    : m_folder(folder), m_manifest(manifest), m_objects(objects), m_config(config), m_measured(std::move(measured)) {
    std::error_code ec;
    fs::remove_all(m_folder.run() / "held-out", ec);
    m_thread = std::thread([this] { run(); });
}

HeldOutMeter::~HeldOutMeter() { stop(); }

void HeldOutMeter::stop() {
    {
        const std::lock_guard lock(m_mutex);
        m_stopping.store(true);
        m_changed.notify_all();
    }
    if (m_thread.joinable()) { m_thread.join(); }
    std::error_code ec;
    fs::remove_all(m_folder.run() / "held-out", ec);
}

void HeldOutMeter::enqueue(std::int64_t round, const fs::path& base, const core::Digest& baseHash) {
    if (!m_config.measureHeldOut || m_manifest.heldOut.empty()) { return; }
    Order order{round, fs::absolute(m_folder.run() / "held-out" / std::to_string(round)), baseHash};
    std::error_code ec;
    fs::remove_all(order.folder, ec);
    fs::create_directories(order.folder, ec);
    fs::create_hard_link(base, order.folder / "base.safetensors", ec);
    if (ec) {
        ec.clear();
        fs::copy_file(base, order.folder / "base.safetensors", ec);   // a file system without links
    }
    if (ec) {
        spdlog::warn("held-out loss of round {} stays unknown: {} cannot be linked: {}", round, base.string(), ec.message());
        return;
    }
    const std::lock_guard lock(m_mutex);
    m_orders.push_back(std::move(order));
    m_changed.notify_all();
}

void HeldOutMeter::run() {
    for (;;) {
        Order order;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_stopping.load() || !m_orders.empty(); });
            if (m_stopping.load()) { return; }
            order = m_orders.front();
            m_orders.pop_front();
        }
        const auto loss = measure(order);
        std::error_code ec;
        fs::remove_all(order.folder, ec);
        if (loss) {
            spdlog::info("held-out loss after round {}: {:.4f} nats per token", order.round, *loss);
            m_measured(order.round, *loss);
        } else if (loss.error().code != ErrorCode::Cancelled) {
            spdlog::warn("held-out loss of round {} stays unknown: {}", order.round, loss.error().text());
        }
    }
}

Result<double> HeldOutMeter::measure(const Order& order) {
    const auto program = findWorker(m_config.worker);
    if (!program) { return program.error(); }
    core::Job job;
    job.kind = core::JobKind::Evaluate;
    job.modelConfigJson = m_manifest.modelJson;
    job.recipe = m_manifest.recipe;
    job.basePath = (order.folder / "base.safetensors").string();
    job.baseHash = order.baseHash;
    job.tokenBytes = static_cast<int>(m_manifest.tokenBytes);
    for (const auto& shard : m_manifest.heldOut) { job.shards.push_back({fs::absolute(m_objects.pathOf(shard.object.sha256)).string(), shard.object.sha256, shard.tokens}); }
    job.maxSequences = m_config.heldOutSequences > 0 ? m_config.heldOutSequences : std::max<std::int64_t>(16, kUsualTokens / m_manifest.recipe.sequenceLength);
    if (const auto written = core::writeFileAtomically(order.folder / "job.json", core::asBytes(core::toJsonText(job))); !written) { return written.error(); }
    WorkerCall call;
    call.program = *program;
    call.folder = order.folder;
    call.threads = m_config.workerThreads;
    const auto result = runWorkerJob(call, m_stopping);
    if (!result) { return result.error(); }
    if (!std::isfinite(result->heldOutLoss) || result->heldOutTokens <= 0) { return Error{ErrorCode::Numeric, "the worker gave no finite loss", order.folder.string()}; }
    return result->heldOutLoss;
}

}  // namespace sunloco::server
