// SPDX-License-Identifier: Apache-2.0
#include "engine/core/frame.h"

namespace sunloco::core {

Result<Bytes> encodeFrame(const Frame& frame) {
    if (frame.body.size() > kMaxFrameBody) {
        return Error{ErrorCode::LimitExceeded, "A frame of " + std::to_string(frame.body.size()) + " bytes is larger than 1 MiB", {}};
    }
    Bytes out(kFrameHeader + frame.body.size());
    writeU32(out.data(), static_cast<std::uint32_t>(frame.body.size()));
    writeU16(out.data() + 4, frame.type);
    std::copy(frame.body.begin(), frame.body.end(), out.begin() + kFrameHeader);
    return out;
}

void FrameReader::feed(ByteView bytes) {
    if (m_start > 0) {
        m_buffer.erase(m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(m_start));
        m_start = 0;
    }
    m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
}

Result<std::optional<Frame>> FrameReader::next() {
    if (pending() < kFrameHeader) { return std::optional<Frame>{}; }
    const std::uint8_t* head = m_buffer.data() + m_start;
    const std::uint32_t length = readU32(head);
    if (length > kMaxFrameBody) {
        return Error{ErrorCode::LimitExceeded, "A frame announces " + std::to_string(length) + " bytes, at most 1 MiB is allowed", {}};
    }
    if (pending() < kFrameHeader + length) { return std::optional<Frame>{}; }
    Frame frame{readU16(head + 4), toText({head + kFrameHeader, length})};
    m_start += kFrameHeader + length;
    return std::optional<Frame>{std::move(frame)};
}

}  // namespace sunloco::core
