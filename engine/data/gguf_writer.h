// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace sunloco::data {

/// How a tensor's numbers are stored; the values are the format's own.
enum class GgufType : std::uint32_t {
    F32 = 0,
    F16 = 1,
    Q8_0 = 8,  ///< blocks of 32 numbers: an fp16 step and 32 signed bytes
};
constexpr std::int64_t kGgufBlock = 32;

/// Bytes of `count` numbers (Q8_0: a multiple of 32).
std::uint64_t ggufBytes(GgufType type, std::int64_t count);
/// fp32 numbers in the given type; to 16 bits by nearest even, Q8_0 with step = max |x| / 127 per block.
core::Bytes ggufEncode(GgufType type, std::span<const float> values);

/// A GGUF file, version 3 (ggml's docs/gguf.md): magic, counts, key-value pairs, tensor table, tensors aligned to 32 bytes. Little-endian.
class GgufWriter {
public:
    using Value = std::variant<std::uint32_t, std::int32_t, float, bool, std::string, std::vector<std::string>, std::vector<float>, std::vector<std::int32_t>>;
    void set(std::string key, Value value);
    /// A matrix of `rows` x `columns` in row-major order, or a vector when `rows` is 0. `values` is asked once, while the file is written.
    void addTensor(std::string name, std::int64_t rows, std::int64_t columns, GgufType type, std::function<std::vector<float>()> values);
    /// Tensor by tensor, so that memory holds one at a time; atomically. Refuses a path that exists.
    core::Result<void> write(const std::filesystem::path& path) const;

private:
    struct Tensor {
        std::string name;
        std::int64_t rows, columns;
        GgufType type;
        std::function<std::vector<float>()> values;
    };
    std::vector<std::pair<std::string, Value>> m_values;
    std::vector<Tensor> m_tensors;
};

}  // namespace sunloco::data
