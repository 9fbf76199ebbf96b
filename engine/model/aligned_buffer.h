// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace sunloco::model {

/// Zeroed memory for `count` floats, aligned to a page and returned to the system as soon as it is freed (so that giving way gives memory back).
class FloatBuffer {
public:
    FloatBuffer() = default;
    static core::Result<FloatBuffer> allocate(std::int64_t count);
    ~FloatBuffer();
    FloatBuffer(FloatBuffer&& other) noexcept;
    FloatBuffer& operator=(FloatBuffer&& other) noexcept;
    FloatBuffer(const FloatBuffer&) = delete;
    FloatBuffer& operator=(const FloatBuffer&) = delete;

    [[nodiscard]] float* data() { return m_data; }
    [[nodiscard]] const float* data() const { return m_data; }
    [[nodiscard]] std::int64_t size() const { return m_count; }
    [[nodiscard]] std::span<float> span() { return {m_data, static_cast<std::size_t>(m_count)}; }
    [[nodiscard]] std::span<const float> span() const { return {m_data, static_cast<std::size_t>(m_count)}; }

private:
    float* m_data = nullptr;
    std::int64_t m_count = 0;
};

}  // namespace sunloco::model
