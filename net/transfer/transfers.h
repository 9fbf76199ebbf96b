// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/fault_policy.h"
#include "net/transfer/request.h"

#include <memory>

namespace sunloco::transfer {

using RequestId = std::uint64_t;

struct TransferOptions {
    std::string userAgent = "SunLoCo";
    ProxySetting proxy;
    std::int64_t uploadBytesPerSecond = 0;     ///< shared by all uploads; 0 = no limit
    std::int64_t downloadBytesPerSecond = 0;
    std::int64_t connectTimeoutSeconds = 20;
    std::int64_t lowSpeedBytes = 256;          ///< below this for lowSpeedSeconds the transfer is given up
    std::int64_t lowSpeedSeconds = 60;
    core::FaultPolicy* faults = nullptr;       ///< step names: "net.request", "file.open", "file.write", "file.rename"
};

/// How far a running request has come.
struct TransferProgress {
    RequestId id = 0;
    std::string url;
    bool upload = false;
    std::uint64_t bytesDone = 0;
    std::uint64_t bytesTotal = 0;              ///< 0 = unknown
    double bytesPerSecond = 0;
};

/// All HTTPS requests of this program, on one worker thread (curl_multi_poll, woken by curl_multi_wakeup).
/// Callbacks are handed to `post`, which must queue them to the owner's thread; they are never called after the destructor has begun.
/// Every method may be called from the owner's thread only.
class Transfers {
public:
    using Post = std::function<void(std::function<void()>)>;
    Transfers(TransferOptions options, Post post);
    ~Transfers();
    Transfers(const Transfers&) = delete;
    Transfers& operator=(const Transfers&) = delete;

    /// Starts a request; the callback comes exactly once, unless it is cancelled.
    RequestId start(Request request, Callback done);
    /// Ends a request without a callback; a partial download stays for the next try.
    void cancel(RequestId id);
    void setLimits(std::int64_t uploadBytesPerSecond, std::int64_t downloadBytesPerSecond);
    void setProxy(ProxySetting proxy);
    [[nodiscard]] std::vector<TransferProgress> progress() const;
    /// Bytes that have left and arrived since the start, for the ledger.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> totals() const;

private:
    class Worker;
    std::shared_ptr<Worker> m_worker;
};

}  // namespace sunloco::transfer
