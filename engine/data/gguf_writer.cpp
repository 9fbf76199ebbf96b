// SPDX-License-Identifier: Apache-2.0
#include "engine/data/gguf_writer.h"

#include "engine/core/files.h"
#include "engine/core/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>

namespace sunloco::data {

namespace fs = std::filesystem;
using core::Bytes;
using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");
constexpr std::uint64_t kAlignment = 32;
constexpr std::uint32_t kArray = 9;
constexpr std::uint64_t kQ8BlockBytes = 2 + kGgufBlock;

template <typename T>
void put(Bytes& out, T value) {
    std::uint8_t bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.insert(out.end(), bytes, bytes + sizeof(T));
}
void put(Bytes& out, const std::string& text) {
    put(out, static_cast<std::uint64_t>(text.size()));
    out.insert(out.end(), text.begin(), text.end());
}

/// The number of a value's type in the format.
template <typename T>
constexpr std::uint32_t typeNumber() {
    if constexpr (std::is_same_v<T, std::uint32_t>) return 4;
    else if constexpr (std::is_same_v<T, std::int32_t>) return 5;
    else if constexpr (std::is_same_v<T, float>) return 6;
    else if constexpr (std::is_same_v<T, bool>) return 7;
    else return 8;   // string
}

struct PutValue {
    Bytes& out;
    template <typename T>
    void operator()(const std::vector<T>& list) const {
        put(out, kArray);
        put(out, typeNumber<T>());
        put(out, static_cast<std::uint64_t>(list.size()));
        for (const T& value : list) put(out, value);
    }
    void operator()(bool value) const {
        put(out, typeNumber<bool>());
        put(out, static_cast<std::uint8_t>(value ? 1 : 0));
    }
    template <typename T>
    void operator()(const T& value) const {
        put(out, typeNumber<T>());
        put(out, value);
    }
};

std::uint64_t aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

Bytes encodeQ8(std::span<const float> values) {
    Bytes out;
    out.reserve(ggufBytes(GgufType::Q8_0, static_cast<std::int64_t>(values.size())));
    for (std::size_t at = 0; at < values.size(); at += kGgufBlock) {
        const auto block = values.subspan(at, kGgufBlock);
        float largest = 0;
        for (const float value : block) largest = std::max(largest, std::abs(value));
        // The step that the reader will use, so that rounding it to 16 bits costs nothing more.
        const std::uint16_t stored = core::toF16(largest / 127.0f);
        const float step = core::fromF16(stored);
        put(out, stored);
        for (const float value : block) {
            const float steps = step > 0 ? std::clamp(std::round(value / step), -127.0f, 127.0f) : 0.0f;
            put(out, static_cast<std::int8_t>(steps));
        }
    }
    return out;
}

}  // namespace

std::uint64_t ggufBytes(GgufType type, std::int64_t count) {
    const auto n = static_cast<std::uint64_t>(count);
    switch (type) {
    case GgufType::F32: return 4 * n;
    case GgufType::F16: return 2 * n;
    case GgufType::Q8_0: return n / kGgufBlock * kQ8BlockBytes;
    }
    return 0;
}

Bytes ggufEncode(GgufType type, std::span<const float> values) {
    if (type == GgufType::Q8_0) return encodeQ8(values);
    Bytes out;
    out.reserve(ggufBytes(type, static_cast<std::int64_t>(values.size())));
    for (const float value : values) {
        if (type == GgufType::F16) put(out, core::toF16(value));
        else put(out, value);
    }
    return out;
}

void GgufWriter::set(std::string key, Value value) { m_values.emplace_back(std::move(key), std::move(value)); }

void GgufWriter::addTensor(std::string name, std::int64_t rows, std::int64_t columns, GgufType type, std::function<std::vector<float>()> values) {
    m_tensors.push_back({std::move(name), rows, columns, type, std::move(values)});
}

Result<void> GgufWriter::write(const fs::path& path) const {
    std::error_code ec;
    if (fs::exists(path, ec)) return Error{ErrorCode::AlreadyExists, "there is such a file already; name another", path.string()};
    Bytes head;
    for (const char c : {'G', 'G', 'U', 'F'}) head.push_back(static_cast<std::uint8_t>(c));
    put(head, std::uint32_t{3});
    put(head, static_cast<std::uint64_t>(m_tensors.size()));
    put(head, static_cast<std::uint64_t>(m_values.size()));
    for (const auto& [key, value] : m_values) {
        put(head, key);
        std::visit(PutValue{head}, value);
    }
    std::uint64_t offset = 0;
    for (const Tensor& tensor : m_tensors) {
        put(head, tensor.name);
        put(head, tensor.rows == 0 ? std::uint32_t{1} : std::uint32_t{2});
        put(head, static_cast<std::uint64_t>(tensor.columns));   // the fastest dimension comes first
        if (tensor.rows != 0) put(head, static_cast<std::uint64_t>(tensor.rows));
        put(head, static_cast<std::uint32_t>(tensor.type));
        put(head, offset);
        offset = aligned(offset + ggufBytes(tensor.type, std::max<std::int64_t>(tensor.rows, 1) * tensor.columns));
    }
    head.resize(aligned(head.size()));

    const fs::path temporary = path.string() + ".part";
    const auto fail = [&](Error error) -> Result<void> {
        fs::remove(temporary, ec);
        return error;
    };
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    const auto append = [&file](const Bytes& bytes) { file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())); };
    append(head);
    for (const Tensor& tensor : m_tensors) {
        if (!file) break;
        Bytes bytes = ggufEncode(tensor.type, tensor.values());
        if (bytes.size() != ggufBytes(tensor.type, std::max<std::int64_t>(tensor.rows, 1) * tensor.columns))
            return fail({ErrorCode::Internal, "the tensor \"" + tensor.name + "\" has not as many numbers as its shape says", path.string()});
        bytes.resize(aligned(bytes.size()));
        append(bytes);
    }
    file.flush();
    if (!file) return fail(core::fileError(errno, "write the file", path));
    file.close();
    if (auto done = core::publishFile(temporary, path); !done) return fail(done.error());
    return {};
}

}  // namespace sunloco::data
