// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

#include <optional>

namespace sunloco::core {

/// Frames between a program and its worker, and between sunloco-ctl and the agent:
///   u32 length of the body (little-endian, <= 1 MiB) | u16 type | body (JSON, UTF-8)
inline constexpr std::uint32_t kMaxFrameBody = 1u << 20;
inline constexpr std::size_t kFrameHeader = 6;

struct Frame {
    std::uint16_t type = 0;
    std::string body;
    bool operator==(const Frame&) const = default;
};

/// Header and body as bytes; an oversized body is refused.
Result<Bytes> encodeFrame(const Frame& frame);

/// Cuts a byte stream into frames. After an error the stream cannot be trusted any more: close it.
class FrameReader {
public:
    void feed(ByteView bytes);
    /// A whole frame, nothing yet, or an error (announced length above the limit).
    Result<std::optional<Frame>> next();
    /// Bytes of an unfinished frame, to tell a clean end from a cut one.
    [[nodiscard]] std::size_t pending() const { return m_buffer.size() - m_start; }

private:
    Bytes m_buffer;
    std::size_t m_start = 0;
};

}  // namespace sunloco::core
