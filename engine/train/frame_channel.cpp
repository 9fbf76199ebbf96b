// SPDX-License-Identifier: Apache-2.0
#include "engine/train/frame_channel.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace sunloco::train {

namespace {
core::Error channelError(const char* doing) {
    return {core::ErrorCode::Io, std::string(doing) + ": " + std::strerror(errno), "frame channel"};
}
}  // namespace

core::Result<FrameChannel> FrameChannel::claimStandardStreams() {
    std::signal(SIGPIPE, SIG_IGN);  // a parent that is gone is an error of write(), not the end of this process
    const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (output < 0) return channelError("keep stdout");
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return channelError("point stdout at stderr");
    std::fflush(stdout);  // what was printed so far and not written yet goes the same way
    return FrameChannel(STDIN_FILENO, output);
}

core::Result<void> FrameChannel::send(const core::Frame& frame) {
    auto bytes = core::encodeFrame(frame);
    if (!bytes) return bytes.error();
    std::size_t done = 0;
    while (done < bytes->size()) {
        const ssize_t written = write(m_output, bytes->data() + done, bytes->size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return channelError("write a frame");
        done += static_cast<std::size_t>(written);
    }
    return {};
}

core::Result<FrameChannel::Read> FrameChannel::receive() {
    std::array<std::uint8_t, 1 << 16> buffer;
    ssize_t count = 0;
    do count = read(m_input, buffer.data(), buffer.size());
    while (count < 0 && errno == EINTR);
    if (count < 0) return channelError("read frames");
    if (count == 0) return Read::End;
    m_reader.feed({buffer.data(), static_cast<std::size_t>(count)});
    return Read::More;
}

}  // namespace sunloco::train
