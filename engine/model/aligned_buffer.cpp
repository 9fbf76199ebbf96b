// SPDX-License-Identifier: Apache-2.0
#include "engine/model/aligned_buffer.h"

#include <sys/mman.h>

#include <utility>

namespace sunloco::model {

core::Result<FloatBuffer> FloatBuffer::allocate(std::int64_t count) {
    FloatBuffer buffer;
    if (count <= 0) return buffer;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return core::Error{core::ErrorCode::OutOfMemory, "the system has no " + std::to_string(bytes >> 20) + " MiB of memory left", {}};
    buffer.m_data = static_cast<float*>(memory);
    buffer.m_count = count;
    return buffer;
}

FloatBuffer::~FloatBuffer() {
    if (m_data != nullptr) munmap(m_data, static_cast<std::size_t>(m_count) * sizeof(float));
}

FloatBuffer::FloatBuffer(FloatBuffer&& other) noexcept : m_data(std::exchange(other.m_data, nullptr)), m_count(std::exchange(other.m_count, 0)) {}

FloatBuffer& FloatBuffer::operator=(FloatBuffer&& other) noexcept {
    std::swap(m_data, other.m_data);
    std::swap(m_count, other.m_count);
    return *this;
}

}  // namespace sunloco::model
