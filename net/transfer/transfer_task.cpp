// SPDX-License-Identifier: Apache-2.0
#include "net/transfer/transfer_task.h"

#include "engine/core/files.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace sunloco::transfer {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::uint64_t kMaxProblemBytes = 64 * 1024;
constexpr const char* kPortalHint = "a sign-in page of this network may be in the way: open a browser and sign in";

CURL* easy(void* handle) { return static_cast<CURL*>(handle); }

bool startsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

std::string lowerCase(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c); });
    return out;
}

core::MonotonicMs monotonicNow() { return core::SystemClock().monotonicNow(); }

std::uint64_t infoBytes(void* handle, CURLINFO what) {
    curl_off_t value = 0;
    if (handle == nullptr || curl_easy_getinfo(easy(handle), what, &value) != CURLE_OK) return 0;
    return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

ErrorCode codeFor(CURLcode code) {
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT: return ErrorCode::Timeout;
    case CURLE_FILESIZE_EXCEEDED: return ErrorCode::LimitExceeded;
    case CURLE_OUT_OF_MEMORY: return ErrorCode::OutOfMemory;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: return ErrorCode::InvalidArgument;
    default: return ErrorCode::Network;
    }
}

std::string sentenceFor(CURLcode code, const char* detail) {
    switch (code) {
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return std::string("the answering computer does not have the key that the project link names; ") + kPortalHint + ", or ask the project for a new link";
    case CURLE_PEER_FAILED_VERIFICATION:
        return std::string("the answering computer could not prove that it is the project server (") + detail + "); " + kPortalHint;
    case CURLE_COULDNT_RESOLVE_HOST: return "the server's name could not be found; is this PC online?";
    case CURLE_COULDNT_RESOLVE_PROXY: return "the proxy's name could not be found; check the proxy setting";
    case CURLE_COULDNT_CONNECT: return "the server did not take the connection";
    case CURLE_OPERATION_TIMEDOUT: return "the server did not answer in time";
    case CURLE_PARTIAL_FILE: return "the connection ended in the middle of the answer";
    case CURLE_GOT_NOTHING: return "the server closed the connection without an answer";
    case CURLE_FILESIZE_EXCEEDED: return "the answer is larger than allowed";
    default: return detail[0] != '\0' ? std::string(detail) : std::string(curl_easy_strerror(code));
    }
}

}  // namespace

TransferTask::TransferTask(RequestId id, Request request) : m_id(id), m_request(std::move(request)) {}

TransferTask::~TransferTask() {
    if (m_easy != nullptr) curl_easy_cleanup(easy(m_easy));
    curl_slist_free_all(static_cast<curl_slist*>(m_headerList));
    if (m_file >= 0) ::close(m_file);
}

std::filesystem::path TransferTask::partPath() const {
    auto path = m_request.target->path;
    path += ".part";
    return path;
}

std::string TransferTask::header(const char* name) const {
    const auto found = m_headers.find(name);
    return found == m_headers.end() ? std::string() : found->second;
}

bool TransferTask::isWebPage() const { return startsWith(lowerCase(header("content-type")), "text/html"); }

Outcome TransferTask::failed(Error error) const {
    if (error.context.empty()) error.context = m_request.method + " " + m_request.url.substr(0, m_request.url.find('?'));
    return Outcome{std::nullopt, Failure{std::move(error), std::nullopt}};
}

core::Result<void> TransferTask::openTarget() {
    const auto path = partPath();
    if (auto fault = core::checkFault(m_faults, "file.open"); !fault) return fault;
    m_file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (m_file < 0) return core::fileError(errno, "open", path);
    m_have = 0;
    m_hash = core::Sha256();
    // What an earlier try left is hashed again, so that the sum covers every byte on the disk.
    std::vector<std::uint8_t> block(256 * 1024);
    while (true) {
        const ssize_t n = ::read(m_file, block.data(), block.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return core::fileError(errno, "read", path);
        if (n == 0) break;
        m_hash.update(core::ByteView(block.data(), static_cast<std::size_t>(n)));
        m_have += static_cast<std::uint64_t>(n);
    }
    if (m_have > m_request.target->bytes) restartTarget();
    return {};
}

core::Result<void> TransferTask::openSource() {
    const FileRange& range = *m_request.file;
    if (auto fault = core::checkFault(m_faults, "file.open"); !fault) return fault;
    m_file = ::open(range.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (m_file < 0) return core::fileError(errno, "open", range.path);
    struct stat info {};
    if (::fstat(m_file, &info) != 0) return core::fileError(errno, "stat", range.path);
    const auto size = static_cast<std::uint64_t>(info.st_size);
    if (range.offset > size || range.bytes > size - range.offset) {
        return Error{ErrorCode::Io, "the file is shorter than the part to send", range.path.string()};
    }
    return {};
}

void TransferTask::restartTarget() {
    // A failing truncate shows up in the hash at the end.
    if (::ftruncate(m_file, 0) != 0 || ::lseek(m_file, 0, SEEK_SET) != 0) m_error = core::fileError(errno, "truncate", partPath());
    m_hash = core::Sha256();
    m_have = 0;
}

void TransferTask::applyOptions(const TransferOptions& options) {
    CURL* h = easy(m_easy);
    curl_easy_setopt(h, CURLOPT_URL, m_request.url.c_str());
    curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);  // a pin is checked at the first origin only
    curl_easy_setopt(h, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h, CURLOPT_USERAGENT, options.userAgent.c_str());
    curl_easy_setopt(h, CURLOPT_ERRORBUFFER, m_errorText);
    curl_easy_setopt(h, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT, static_cast<long>(options.connectTimeoutSeconds));
    curl_easy_setopt(h, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(options.lowSpeedBytes));
    curl_easy_setopt(h, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.lowSpeedSeconds));
    curl_easy_setopt(h, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (m_request.trust.pinBase64.empty()) {
        curl_easy_setopt(h, CURLOPT_SSL_VERIFYPEER, 1L);
        curl_easy_setopt(h, CURLOPT_SSL_VERIFYHOST, 2L);
    } else {
        // The server's own certificate: the pinned key takes the place of the chain and of the name. Without a pin verification is never off.
        const std::string pin = "sha256//" + m_request.trust.pinBase64;
        if (curl_easy_setopt(h, CURLOPT_PINNEDPUBLICKEY, pin.c_str()) == CURLE_OK) {
            curl_easy_setopt(h, CURLOPT_SSL_VERIFYPEER, 0L);
            curl_easy_setopt(h, CURLOPT_SSL_VERIFYHOST, 0L);
        }
    }
    switch (options.proxy.kind) {
    case ProxySetting::Kind::System: break;
    case ProxySetting::Kind::Manual:
        curl_easy_setopt(h, CURLOPT_PROXY, options.proxy.url.c_str());
        curl_easy_setopt(h, CURLOPT_NOPROXY, "");  // the person's word counts, not the environment's exceptions
        m_proxySet = !options.proxy.url.empty();
        break;
    case ProxySetting::Kind::None: curl_easy_setopt(h, CURLOPT_PROXY, ""); break;
    }
}

std::optional<Outcome> TransferTask::prepare(const TransferOptions& options, SpeedLimits& limits) {
    m_faults = options.faults;
    m_limits = &limits;
    if (auto fault = core::checkFault(m_faults, "net.request"); !fault) return failed(fault.error());
    if (!startsWith(m_request.url, "https://")) return failed({ErrorCode::InvalidArgument, "only https addresses are used", m_request.url});
    m_easy = curl_easy_init();
    if (m_easy == nullptr) return failed({ErrorCode::OutOfMemory, "curl could not be started", {}});
    CURL* h = easy(m_easy);
    applyOptions(options);

    const auto add = [this](const std::string& line) {
        if (curl_slist* longer = curl_slist_append(static_cast<curl_slist*>(m_headerList), line.c_str())) m_headerList = longer;
    };
    add("Expect:");
    add("Accept-Encoding: identity");
    for (const auto& [name, value] : m_request.headers) add(name + ": " + value);

    std::uint64_t limit = m_request.maxBytes;
    if (m_request.target) {
        if (auto opened = openTarget(); !opened) return failed(opened.error());
        if (m_error) return failed(*m_error);
        if (m_have == m_request.target->bytes) {
            // The whole of it came last time; only the rename is missing.
            const auto done = completeTarget();
            if (done) {
                Response response;
                response.status = 200;
                return Outcome{std::move(response), std::nullopt};
            }
            if (done.error().code != ErrorCode::HashMismatch) return failed(done.error());  // the bytes are right: they stay for the next try
            if (auto again = openTarget(); !again) return failed(again.error());
        }
        if (m_have > 0) {
            add("Range: bytes=" + std::to_string(m_have) + "-");
            add("If-Range: \"" + m_request.target->sha256.hex() + "\"");
        }
        limit = m_request.target->bytes;
    }
    curl_easy_setopt(h, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(std::max(limit, kMaxProblemBytes)));

    if (m_request.file) {
        if (auto opened = openSource(); !opened) return failed(opened.error());
        curl_easy_setopt(h, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(h, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(m_request.file->bytes));
        curl_easy_setopt(h, CURLOPT_READFUNCTION, &TransferTask::onRead);
        curl_easy_setopt(h, CURLOPT_READDATA, this);
        int (*seek)(void*, curl_off_t, int) = [](void* self, curl_off_t offset, int origin) { return onSeek(self, offset, origin); };
        curl_easy_setopt(h, CURLOPT_SEEKFUNCTION, seek);
        curl_easy_setopt(h, CURLOPT_SEEKDATA, this);
        curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, m_request.method.c_str());
    } else if (m_request.method != "GET") {
        curl_easy_setopt(h, CURLOPT_POST, 1L);
        curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(m_request.body.size()));
        curl_easy_setopt(h, CURLOPT_POSTFIELDS, m_request.body.data());
        curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, m_request.method.c_str());
    }
    curl_easy_setopt(h, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(m_headerList));
    curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, &TransferTask::onBody);
    curl_easy_setopt(h, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(h, CURLOPT_HEADERFUNCTION, &TransferTask::onHeader);
    curl_easy_setopt(h, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(h, CURLOPT_PRIVATE, this);
    return std::nullopt;
}

std::size_t TransferTask::onHeader(char* data, std::size_t size, std::size_t count, void* self) {
    auto& task = *static_cast<TransferTask*>(self);
    std::string_view line(data, size * count);
    while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
    if (startsWith(line, "HTTP/")) {  // a new header block: an interim answer came before
        task.m_headers.clear();
        task.m_status = 0;
        if (const auto space = line.find(' '); space != std::string_view::npos) {
            std::from_chars(line.data() + space + 1, line.data() + line.size(), task.m_status);
        }
        return size * count;
    }
    const auto colon = line.find(':');
    constexpr std::size_t kMostHeaders = 100;
    if (colon == std::string_view::npos || task.m_headers.size() >= kMostHeaders) return size * count;
    const std::string name = lowerCase(line.substr(0, colon));
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    task.m_headers[name] = std::string(value);
    return size * count;
}

/// The status decides where the body goes; a resumed download starts anew when the server sends the whole.
core::Result<void> TransferTask::acceptStatus() {
    m_statusAccepted = true;
    if (!m_request.target || m_status < 200 || m_status > 299) return {};
    if (isWebPage()) {
        return Error{ErrorCode::Network, std::string("a web page came instead of the file; ") + kPortalHint, {}};
    }
    if (m_status == 206) {
        const std::string expected = "bytes " + std::to_string(m_have) + "-" + std::to_string(m_request.target->bytes - 1) + "/" + std::to_string(m_request.target->bytes);
        if (header("content-range") != expected) {
            if (m_have > 0) restartTarget();  // or the next try would ask for the same range and fail the same way
            return Error{ErrorCode::Network, "the server sent another range than was asked for (" + header("content-range").substr(0, 80) + "); the file is fetched again from the start", {}};
        }
    } else {
        // Something of another length is not the file: what an earlier try has stored stays.
        const std::string length = header("content-length");
        if (const std::string wanted = std::to_string(m_request.target->bytes); !length.empty() && length != wanted) {
            return Error{ErrorCode::Network, "the server offers " + length.substr(0, 20) + " bytes where the signed size is " + wanted, {}};
        }
        if (m_have > 0) restartTarget();
        if (m_error) return *m_error;
    }
    m_bodyToFile = true;
    return {};
}

core::Result<void> TransferTask::store(core::ByteView bytes) {
    if (m_have + bytes.size() > m_request.target->bytes) {
        restartTarget();
        return Error{ErrorCode::LimitExceeded, "the server sent more than the signed size of " + std::to_string(m_request.target->bytes) + " bytes", {}};
    }
    if (auto fault = core::checkFault(m_faults, "file.write"); !fault) return fault;
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t n = ::pwrite(m_file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(m_have + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return core::fileError(errno, "write", partPath());
        done += static_cast<std::size_t>(n);
    }
    m_hash.update(bytes);
    m_have += bytes.size();
    return {};
}

std::size_t TransferTask::onBody(char* data, std::size_t size, std::size_t count, void* self) {
    auto& task = *static_cast<TransferTask*>(self);
    const std::size_t n = size * count;
    constexpr std::size_t kAbort = 0;
    // Only files wait: a heartbeat must not stand behind them. Its bytes count all the same.
    SpeedLimit& limit = task.m_limits->receive;
    if (task.m_request.target && !limit.allows(monotonicNow())) {
        task.m_paused = true;
        return CURL_WRITEFUNC_PAUSE;  // curl keeps the bytes and brings them again
    }
    limit.take(n);
    if (!task.m_statusAccepted) {
        if (auto accepted = task.acceptStatus(); !accepted) {
            task.m_error = accepted.error();
            return kAbort;
        }
    }
    if (task.m_bodyToFile) {
        if (auto stored = task.store(core::asBytes(std::string_view(data, n))); !stored) {
            task.m_error = stored.error();
            return kAbort;
        }
        return n;
    }
    const std::uint64_t most = task.m_status >= 200 && task.m_status < 300 && !task.m_request.target ? task.m_request.maxBytes : kMaxProblemBytes;
    if (task.m_body.size() + n > most) {
        task.m_error = Error{ErrorCode::LimitExceeded, "the answer is larger than " + std::to_string(most) + " bytes", {}};
        return kAbort;
    }
    task.m_body.append(data, n);
    return n;
}

std::size_t TransferTask::onRead(char* buffer, std::size_t size, std::size_t count, void* self) {
    auto& task = *static_cast<TransferTask*>(self);
    const FileRange& range = *task.m_request.file;
    const std::uint64_t left = range.bytes - task.m_sent;
    if (left == 0) return 0;
    SpeedLimit& limit = task.m_limits->send;
    if (!limit.allows(monotonicNow())) {
        task.m_paused = true;
        return CURL_READFUNC_PAUSE;
    }
    const std::size_t want = static_cast<std::size_t>(std::min<std::uint64_t>({size * count, left, limit.granted()}));
    ssize_t n = 0;
    do {
        n = ::pread(task.m_file, buffer, want, static_cast<off_t>(range.offset + task.m_sent));
    } while (n < 0 && errno == EINTR);
    if (n <= 0) {
        task.m_error = n < 0 ? core::fileError(errno, "read", range.path) : Error{ErrorCode::Io, "the file became shorter while it was sent", range.path.string()};
        return CURL_READFUNC_ABORT;
    }
    task.m_sent += static_cast<std::uint64_t>(n);
    limit.take(static_cast<std::uint64_t>(n));
    return static_cast<std::size_t>(n);
}

int TransferTask::onSeek(void* self, std::int64_t offset, int origin) {
    auto& task = *static_cast<TransferTask*>(self);
    if (origin != SEEK_SET || offset < 0 || static_cast<std::uint64_t>(offset) > task.m_request.file->bytes) return CURL_SEEKFUNC_CANTSEEK;
    task.m_sent = static_cast<std::uint64_t>(offset);
    return CURL_SEEKFUNC_OK;
}

core::Result<void> TransferTask::completeTarget() {
    const FileTarget& target = *m_request.target;
    const auto part = partPath();
    if (m_have != target.bytes) {
        return Error{ErrorCode::Network, "the connection ended after " + std::to_string(m_have) + " of " + std::to_string(target.bytes) + " bytes", {}};
    }
    if (m_hash.finish() != target.sha256) {
        ::close(m_file);
        m_file = -1;
        ::unlink(part.c_str());
        m_have = 0;
        return Error{ErrorCode::HashMismatch, "the downloaded bytes do not have the hash that the signed metadata names; they were thrown away", {}};
    }
    ::close(m_file);
    m_file = -1;
    if (auto fault = core::checkFault(m_faults, "file.rename"); !fault) return fault;
    return core::publishFile(part, target.path, m_faults);
}

Outcome TransferTask::judgeAnswer() {
    const int status = m_status;
    const std::int64_t now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    const std::string type = lowerCase(header("content-type"));  // media types know no case (RFC 9110 section 8.3.1)
    std::optional<std::int64_t> retryAfter;
    if (const std::string value = header("retry-after"); !value.empty()) retryAfter = parseRetryAfter(value, now);

    const auto notOurs = [&](ErrorCode code, std::string message) {
        Outcome outcome = failed({code, std::move(message), {}});
        outcome.failure->retryAfterMs = retryAfter;
        return outcome;
    };
    if (status >= 300 && status < 400) {
        return notOurs(ErrorCode::Network, "the network answered with a redirect (status " + std::to_string(status) + ") instead of the project server; " + kPortalHint);
    }
    if (status >= 400) {
        // Only a problem document is our server speaking; anything else came from something on the way.
        auto problem = startsWith(type, "application/problem+json") ? parseProblem(m_body) : std::nullopt;
        if (!problem) {
            const std::string text = "status " + std::to_string(status) + " without a reason from the project server";
            if (status == 429) return notOurs(ErrorCode::TooManyRequests, text);
            if (status >= 500) return notOurs(ErrorCode::ServerError, text + "; it may be down or restarting");
            return notOurs(ErrorCode::Network, text + "; something between this PC and the server answered");
        }
        Response response;
        response.retryAfterMs = problem->retryAfterMs;
        if (retryAfter) response.retryAfterMs = std::max(response.retryAfterMs.value_or(0), *retryAfter);
        response.problem = std::move(problem);
        response.status = status;
        response.headers = m_headers;
        response.body = std::move(m_body);
        return Outcome{std::move(response), std::nullopt};
    }
    if (!m_request.expectedType.empty() && !startsWith(type, m_request.expectedType)) {
        return notOurs(ErrorCode::Network, "an answer of another kind came (" + (type.empty() ? std::string("no type") : type.substr(0, 60)) + "); " + kPortalHint);
    }
    if (m_request.target) {
        if (!m_statusAccepted) {
            if (auto accepted = acceptStatus(); !accepted) return failed(accepted.error());
        }
        if (auto complete = completeTarget(); !complete) return failed(complete.error());
    }
    Response response;
    response.status = status;
    response.headers = m_headers;
    response.body = std::move(m_body);
    response.retryAfterMs = retryAfter;
    return Outcome{std::move(response), std::nullopt};
}

/// Where a person should look when the way out may be the trouble: the proxy, if one is in it.
std::string TransferTask::proxyNote() const {
    long answered = 0;  // status of the answer to CONNECT; 0 without a proxy or without an answer
    if (curl_easy_getinfo(easy(m_easy), CURLINFO_HTTP_CONNECTCODE, &answered) != CURLE_OK) answered = 0;
    if (answered == 407) return "; the proxy wants a name and a password: check the proxy setting";
    if (answered != 0 && answered / 100 != 2) return "; the proxy refused with status " + std::to_string(answered) + ": check the proxy setting";
    return m_proxySet && m_status == 0 ? "; a proxy is set: check that it works" : std::string();
}

Outcome TransferTask::finish(int curlCode) {
    const auto code = static_cast<CURLcode>(curlCode);
    Outcome outcome;
    const bool tooLong = m_error ? m_error->code == ErrorCode::LimitExceeded : code == CURLE_FILESIZE_EXCEEDED;
    if (tooLong && m_status < 300 && isWebPage()) {
        outcome = failed({ErrorCode::Network, std::string("a web page came instead of the answer; ") + kPortalHint, {}});
    } else if (m_error) {
        outcome = failed(*m_error);
    } else if (m_request.target && m_status == 416 && m_file >= 0) {
        // Our copy is longer than theirs or the range is wrong: begin from zero next time.
        restartTarget();
        outcome = failed({ErrorCode::Network, "the server cannot resume this file; it is fetched again from the start", {}});
    } else if (code != CURLE_OK) {
        // An early answer (413, 410 ...) while we were still sending is an answer all the same.
        if (m_request.file && m_status >= 400 && startsWith(lowerCase(header("content-type")), "application/problem+json") && parseProblem(m_body)) {
            outcome = judgeAnswer();
        } else {
            outcome = failed({codeFor(code), sentenceFor(code, m_errorText) + proxyNote(), {}});
        }
    } else {
        outcome = judgeAnswer();
    }
    if (outcome.response) {
        outcome.response->bytesSent = bytesSent();
        outcome.response->bytesReceived = bytesReceived();
    }
    return outcome;
}

int TransferTask::resume() {
    m_paused = false;
    return curl_easy_pause(easy(m_easy), CURLPAUSE_CONT);
}

void TransferTask::setLowSpeed(std::int64_t bytesPerSecond) { curl_easy_setopt(easy(m_easy), CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(bytesPerSecond)); }

std::uint64_t TransferTask::bytesSent() const { return infoBytes(m_easy, CURLINFO_SIZE_UPLOAD_T); }
std::uint64_t TransferTask::bytesReceived() const { return infoBytes(m_easy, CURLINFO_SIZE_DOWNLOAD_T); }

TransferProgress TransferTask::progress() const {
    TransferProgress p;
    p.id = m_id;
    p.url = m_request.url;
    p.upload = isUpload();
    p.bytesDone = p.upload ? bytesSent() : m_request.target ? m_have : bytesReceived();
    p.bytesTotal = m_request.file ? m_request.file->bytes : m_request.target ? m_request.target->bytes : 0;
    p.bytesPerSecond = static_cast<double>(infoBytes(m_easy, p.upload ? CURLINFO_SPEED_UPLOAD_T : CURLINFO_SPEED_DOWNLOAD_T));
    return p;
}

}  // namespace sunloco::transfer
