// SPDX-License-Identifier: Apache-2.0
#include "net/transfer/transfers.h"

#include "net/transfer/transfer_task.h"

#include <curl/curl.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace sunloco::transfer {
namespace {

void initCurlOnce() {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

/// Lives on its own thread; the owner talks to it through a mutex-guarded inbox.
class Transfers::Worker : public std::enable_shared_from_this<Transfers::Worker> {
public:
    Worker(TransferOptions options, Post post) : m_options(std::move(options)), m_post(std::move(post)), m_multi(curl_multi_init()) {}
    ~Worker() {
        m_active.clear();
        curl_multi_cleanup(m_multi);
    }

    void begin() {
        m_thread = std::thread([this] { run(); });
    }
    void end() {
        m_alive = false;
        {
            const std::lock_guard lock(m_mutex);
            m_stopping = true;
        }
        curl_multi_wakeup(m_multi);
        m_thread.join();
    }

    RequestId add(Request request, Callback done) {
        const RequestId id = ++m_lastId;
        m_callbacks.emplace(id, std::move(done));
        {
            const std::lock_guard lock(m_mutex);
            m_inbox.push_back(std::make_unique<TransferTask>(id, std::move(request)));
        }
        curl_multi_wakeup(m_multi);
        return id;
    }
    void cancel(RequestId id) {
        if (m_callbacks.erase(id) == 0) return;  // an outcome that is already queued to the owner finds no callback any more
        {
            const std::lock_guard lock(m_mutex);
            m_toCancel.push_back(id);
        }
        curl_multi_wakeup(m_multi);
    }
    template <typename Change>
    void change(Change&& apply) {
        {
            const std::lock_guard lock(m_mutex);
            apply(m_options);
        }
        curl_multi_wakeup(m_multi);
    }
    std::vector<TransferProgress> progress() {
        const std::lock_guard lock(m_mutex);
        return m_progress;
    }
    std::pair<std::uint64_t, std::uint64_t> totals() {
        const std::lock_guard lock(m_mutex);
        return {m_sentTotal, m_receivedTotal};
    }

private:
    void run() {
        while (takeInbox()) {
            resumeWaiting();
            int running = 0;
            curl_multi_perform(m_multi, &running);
            collectFinished();
            publishProgress();
            // With work under way a second is enough for the progress figures; without, nothing wakes this thread but a new request.
            const int timeout = m_active.empty() ? 3'600'000 : timeUntilResume();
            curl_multi_poll(m_multi, nullptr, 0, timeout, nullptr);
        }
        for (auto& task : m_active) curl_multi_remove_handle(m_multi, static_cast<CURL*>(task->handle()));
    }

    /// False when it is time to end.
    bool takeInbox() {
        std::vector<std::unique_ptr<TransferTask>> fresh;
        std::vector<RequestId> cancelled;
        TransferOptions options;
        {
            const std::lock_guard lock(m_mutex);
            if (m_stopping) return false;
            fresh.swap(m_inbox);
            cancelled.swap(m_toCancel);
            options = m_options;
        }
        for (auto& task : fresh) {
            if (std::find(cancelled.begin(), cancelled.end(), task->id()) != cancelled.end()) continue;
            if (auto outcome = task->prepare(options, m_limits)) {
                deliver(std::move(task), std::move(*outcome));
                continue;
            }
            curl_multi_add_handle(m_multi, static_cast<CURL*>(task->handle()));
            m_active.push_back(std::move(task));
        }
        for (const RequestId id : cancelled) {
            const auto found = std::find_if(m_active.begin(), m_active.end(), [id](const auto& task) { return task->id() == id; });
            if (found == m_active.end()) continue;
            curl_multi_remove_handle(m_multi, static_cast<CURL*>((*found)->handle()));
            count(**found);
            m_active.erase(found);
        }
        applyLimits(options);
        return true;
    }

    void collectFinished() {
        int left = 0;
        while (const CURLMsg* message = curl_multi_info_read(m_multi, &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL* handle = message->easy_handle;
            const CURLcode code = message->data.result;
            const auto found = std::find_if(m_active.begin(), m_active.end(), [handle](const auto& task) { return task->handle() == handle; });
            if (found != m_active.end()) conclude(found, code);
        }
    }

    void conclude(std::vector<std::unique_ptr<TransferTask>>::iterator place, CURLcode code) {
        std::unique_ptr<TransferTask> task = std::move(*place);
        m_active.erase(place);
        curl_multi_remove_handle(m_multi, static_cast<CURL*>(task->handle()));
        Outcome outcome = task->finish(code);
        count(*task);
        deliver(std::move(task), std::move(outcome));
    }

    SpeedLimit& limitOf(const TransferTask& task) { return task.isUpload() ? m_limits.send : m_limits.receive; }

    /// Files that stand still for a speed limit go on in turn.
    void resumeWaiting() {
        const core::MonotonicMs now = core::SystemClock().monotonicNow();
        bool senderResumed = false;  // it reads its file only in curl_multi_perform: until then the grant is not used up
        const std::size_t tasks = m_active.size();
        const std::size_t start = tasks == 0 ? 0 : m_turn % tasks;
        for (std::size_t i = 0; i < tasks; ++i) {
            const std::size_t index = (start + i) % tasks;
            TransferTask& task = *m_active[index];
            if (!task.isPaused() || (task.isUpload() && senderResumed) || !limitOf(task).allows(now)) continue;
            m_turn = index + 1;
            senderResumed = senderResumed || task.isUpload();
            if (const int code = task.resume(); code != CURLE_OK) {
                // curl tells this call only, the transfer itself would go on.
                conclude(m_active.begin() + static_cast<std::ptrdiff_t>(index), static_cast<CURLcode>(code));
                return;
            }
        }
    }

    /// Milliseconds; a second at most, for the progress figures.
    int timeUntilResume() {
        const core::MonotonicMs now = core::SystemClock().monotonicNow();
        std::int64_t wait = 1'000;
        for (const auto& task : m_active) {
            // A grant that is there already is meant for the next in turn.
            if (task->isPaused()) wait = std::min(wait, std::max<std::int64_t>(1, limitOf(*task).waitMs(now)));
        }
        return static_cast<int>(wait);
    }

    void applyLimits(const TransferOptions& options) {
        const core::MonotonicMs now = core::SystemClock().monotonicNow();
        m_limits.send.setRate(options.uploadBytesPerSecond, now);
        m_limits.receive.setRate(options.downloadBytesPerSecond, now);
        // An upload that keeps to the limit is not stalled. (A download that waits is not watched by curl at all.)
        const auto uploads = std::count_if(m_active.begin(), m_active.end(), [](const auto& task) { return task->isUpload(); });
        const std::int64_t share = m_limits.send.rate() / 4 / std::max<std::int64_t>(1, uploads);
        for (auto& task : m_active) {
            const bool limited = task->isUpload() && m_limits.send.rate() > 0;
            task->setLowSpeed(limited ? std::clamp<std::int64_t>(share, 1, std::max<std::int64_t>(1, options.lowSpeedBytes)) : options.lowSpeedBytes);
        }
    }

    void count(const TransferTask& task) {
        const std::lock_guard lock(m_mutex);
        m_sentTotal += task.bytesSent();
        m_receivedTotal += task.bytesReceived();
    }

    void publishProgress() {
        std::vector<TransferProgress> now;
        now.reserve(m_active.size());
        for (const auto& task : m_active) now.push_back(task->progress());
        const std::lock_guard lock(m_mutex);
        m_progress = std::move(now);
    }

    void deliver(std::unique_ptr<TransferTask> task, Outcome outcome) {
        const RequestId id = task->id();
        task.reset();
        m_post([weak = weak_from_this(), id, shared = std::make_shared<Outcome>(std::move(outcome))] {
            const auto self = weak.lock();
            if (!self || !self->m_alive) return;
            const auto found = self->m_callbacks.find(id);
            if (found == self->m_callbacks.end()) return;  // cancelled
            const Callback done = std::move(found->second);
            self->m_callbacks.erase(found);
            if (done) done(*shared);
        });
    }

    // the transfer thread's
    SpeedLimits m_limits;
    std::vector<std::unique_ptr<TransferTask>> m_active;
    std::size_t m_turn = 0;
    // the owner's: what a callback holds is used and let go on the owner's thread only
    std::map<RequestId, Callback> m_callbacks;
    RequestId m_lastId = 0;
    // both, under m_mutex
    std::mutex m_mutex;
    TransferOptions m_options;
    std::vector<std::unique_ptr<TransferTask>> m_inbox;
    std::vector<RequestId> m_toCancel;
    std::vector<TransferProgress> m_progress;
    std::uint64_t m_sentTotal = 0;
    std::uint64_t m_receivedTotal = 0;
    bool m_stopping = false;
    // fixed
    std::atomic<bool> m_alive{true};
    Post m_post;
    CURLM* m_multi;
    std::thread m_thread;
};

Transfers::Transfers(TransferOptions options, Post post) {
    initCurlOnce();
    m_worker = std::make_shared<Worker>(std::move(options), std::move(post));
    m_worker->begin();
}

Transfers::~Transfers() { m_worker->end(); }

RequestId Transfers::start(Request request, Callback done) { return m_worker->add(std::move(request), std::move(done)); }
void Transfers::cancel(RequestId id) { m_worker->cancel(id); }
void Transfers::setLimits(std::int64_t uploadBytesPerSecond, std::int64_t downloadBytesPerSecond) {
    m_worker->change([&](TransferOptions& options) {
        options.uploadBytesPerSecond = uploadBytesPerSecond;
        options.downloadBytesPerSecond = downloadBytesPerSecond;
    });
}
void Transfers::setProxy(ProxySetting proxy) {
    m_worker->change([&](TransferOptions& options) { options.proxy = std::move(proxy); });
}
std::vector<TransferProgress> Transfers::progress() const { return m_worker->progress(); }
std::pair<std::uint64_t, std::uint64_t> Transfers::totals() const { return m_worker->totals(); }

}  // namespace sunloco::transfer
