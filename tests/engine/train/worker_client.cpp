// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/train/worker_client.h"

namespace sunloco::test {

namespace {
constexpr int kPatienceMs = 120'000;  ///< only a broken worker takes so long
}

WorkerClient::WorkerClient(QStringList arguments) {
    // Others share these cores: the test's worker does not give way.
    arguments = QStringList{QStringLiteral("serve"), QStringLiteral("--priority"), QStringLiteral("normal")} + arguments;
    m_process.start(QStringLiteral(SUNLOCO_BINARY_DIR "/sunloco-worker"), arguments);
    m_process.waitForStarted(kPatienceMs);
}

WorkerClient::~WorkerClient() {
    if (m_process.state() != QProcess::NotRunning) kill();
}

void WorkerClient::kill() {
    m_process.kill();
    m_process.waitForFinished(kPatienceMs);
}

void WorkerClient::sendBytes(const QByteArray& bytes) {
    m_process.write(bytes);
    m_process.waitForBytesWritten(kPatienceMs);
}

void WorkerClient::send(const core::Frame& frame) {
    const core::Bytes bytes = core::encodeFrame(frame).value();
    sendBytes(QByteArray(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size())));
}

bool WorkerClient::greet() {
    send(core::toFrame(core::WorkerMessage::Hello, core::HelloMessage{}));
    const auto frame = waitFor(core::WorkerMessage::HelloReply);
    return frame && core::parseHelloReply(*frame).has_value();
}

void WorkerClient::start(const std::filesystem::path& folder, int threads, int throttlePercent) {
    send(core::toFrame(core::StartMessage{folder.string(), "cpu", threads, throttlePercent}));
}

void WorkerClient::stop(core::StopLevel level) { send(core::toFrame(core::WorkerMessage::Stop, core::StopMessage{level})); }

std::optional<core::Frame> WorkerClient::nextFrame() {
    while (true) {
        auto frame = m_reader.next();
        if (!frame) {
            lastError = QString::fromStdString(frame.error().text());
            return std::nullopt;
        }
        if (*frame) return **frame;
        if (!m_process.waitForReadyRead(kPatienceMs) && m_process.bytesAvailable() == 0) return std::nullopt;
        const QByteArray data = m_process.readAllStandardOutput();
        log += m_process.readAllStandardError();
        m_reader.feed({reinterpret_cast<const std::uint8_t*>(data.constData()), static_cast<std::size_t>(data.size())});
    }
}

std::optional<core::Frame> WorkerClient::waitFor(core::WorkerMessage type) {
    while (auto frame = nextFrame()) {
        if (frame->type == static_cast<std::uint16_t>(type)) return frame;
        if (frame->type == static_cast<std::uint16_t>(core::WorkerMessage::Failed)) {
            const auto failed = core::parseFailed(*frame);
            lastError = failed ? QString::fromStdString(failed->code + ": " + failed->message) : QStringLiteral("unreadable failure");
            return std::nullopt;
        }
        if (frame->type != static_cast<std::uint16_t>(core::WorkerMessage::Progress)) {
            lastError = QStringLiteral("a frame of type %1 came instead").arg(frame->type);
            return std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<core::JobResult> WorkerClient::waitForResult() {
    const auto frame = waitFor(core::WorkerMessage::Finished);
    if (!frame) return std::nullopt;
    auto message = core::parseFinished(*frame);
    if (!message) return std::nullopt;
    auto result = core::parseJobResult(message->result);
    return result ? std::optional(*result) : std::nullopt;
}

int WorkerClient::exitCode() {
    m_process.waitForFinished(kPatienceMs);
    log += m_process.readAllStandardError();
    return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
}

}  // namespace sunloco::test
