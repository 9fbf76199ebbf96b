// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/transfer/speed_limit.h"
#include "net/transfer/transfers.h"

#include <cstdio>
#include <deque>

namespace sunloco::transfer {

/// One request on the transfer thread: its curl handle, the file it reads or writes, and the hash that grows as the bytes come.
class TransferTask {
public:
    TransferTask(RequestId id, Request request);
    ~TransferTask();
    TransferTask(const TransferTask&) = delete;
    TransferTask& operator=(const TransferTask&) = delete;

    /// Makes the curl handle. An outcome at once: the file is already complete, or it could not be begun. `limits` outlives the task.
    std::optional<Outcome> prepare(const TransferOptions& options, SpeedLimits& limits);
    /// After curl is done with it (`curlCode` is a CURLcode).
    Outcome finish(int curlCode);

    [[nodiscard]] RequestId id() const { return m_id; }
    [[nodiscard]] void* handle() const { return m_easy; }   ///< CURL*
    [[nodiscard]] bool isUpload() const { return m_request.file.has_value(); }
    [[nodiscard]] TransferProgress progress() const;
    /// It waits for its share of a speed limit.
    [[nodiscard]] bool isPaused() const { return m_paused; }
    /// Goes on; the CURLcode of a piece that could not be stored (0 = fine).
    int resume();
    /// From now on slower than this counts as stalled.
    void setLowSpeed(std::int64_t bytesPerSecond);
    [[nodiscard]] std::uint64_t bytesSent() const;
    [[nodiscard]] std::uint64_t bytesReceived() const;

private:
    static std::size_t onBody(char* data, std::size_t size, std::size_t count, void* self);
    static std::size_t onHeader(char* data, std::size_t size, std::size_t count, void* self);
    static std::size_t onRead(char* buffer, std::size_t size, std::size_t count, void* self);
    static int onSeek(void* self, std::int64_t offset, int origin);

    core::Result<void> openTarget();
    core::Result<void> openSource();
    core::Result<void> acceptStatus();
    core::Result<void> store(core::ByteView bytes);
    core::Result<void> completeTarget();
    void restartTarget();
    void applyOptions(const TransferOptions& options);
    [[nodiscard]] Outcome failed(core::Error error) const;
    [[nodiscard]] Outcome judgeAnswer();
    [[nodiscard]] std::string proxyNote() const;
    [[nodiscard]] std::filesystem::path partPath() const;
    [[nodiscard]] std::string header(const char* name) const;
    [[nodiscard]] bool isWebPage() const;

    RequestId m_id;
    Request m_request;
    core::FaultPolicy* m_faults = nullptr;
    SpeedLimits* m_limits = nullptr;
    bool m_paused = false;
    bool m_proxySet = false;              ///< by the person, not by the environment
    void* m_easy = nullptr;
    void* m_headerList = nullptr;
    char m_errorText[256] = {};
    int m_status = 0;
    std::map<std::string, std::string> m_headers;
    std::string m_body;
    std::optional<core::Error> m_error;   ///< the first failure met inside a callback; curl then reports only that a callback failed
    bool m_statusAccepted = false;
    bool m_bodyToFile = false;
    int m_file = -1;                      ///< target or source
    std::uint64_t m_have = 0;             ///< bytes of the target on the disk and hashed
    std::uint64_t m_sent = 0;             ///< bytes of the source given to curl
    core::Sha256 m_hash;
};

}  // namespace sunloco::transfer
