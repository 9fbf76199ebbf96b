// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/frame.h"

namespace sunloco::train {

/// Frames over two file descriptors.
class FrameChannel {
public:
    FrameChannel(int input, int output) : m_input(input), m_output(output) {}

    /// Keeps the real stdout for frames and points descriptor 1 at stderr, so that nothing a library prints can end up between frames.
    /// Call before anything else writes.
    static core::Result<FrameChannel> claimStandardStreams();

    [[nodiscard]] int input() const { return m_input; }

    /// Writes a whole frame; blocks as long as the parent does not read. An error means that the parent is gone.
    core::Result<void> send(const core::Frame& frame);

    enum class Read { More, End };
    /// Reads what is there (the input is readable); blocks otherwise.
    core::Result<Read> receive();
    /// The next whole frame of what was read.
    core::Result<std::optional<core::Frame>> next() { return m_reader.next(); }
    /// The input ended in the middle of a frame.
    [[nodiscard]] bool cut() const { return m_reader.pending() > 0; }

private:
    int m_input;
    int m_output;
    core::FrameReader m_reader;
};

}  // namespace sunloco::train
