// SPDX-License-Identifier: Apache-2.0
#include "engine/train/convert.h"

#include "engine/core/files.h"

#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>

namespace sunloco::train {

namespace {

constexpr std::uint64_t kMaxText = 64 << 20;

const char* torchName(core::DType dtype) {
    switch (dtype) {
    case core::DType::BF16: return "bfloat16";
    case core::DType::F16: return "float16";
    default: return "float32";
    }
}

core::Result<void> copyIfThere(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::error_code error;
    if (!std::filesystem::exists(from, error)) return {};
    auto bytes = core::readFile(from, kMaxText);
    if (!bytes) return bytes.error();
    return core::writeFileAtomically(to, *bytes);
}

}  // namespace

std::uint16_t toBf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

std::uint16_t toF16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
    const float size = std::abs(value);
    if (size >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00);
    if (size < 0x1p-14f)  // denormal: multiples of 2^-24, rounded by the addition itself
        return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(size * 0x1p24f)));
    const std::uint32_t magnitude = bits & 0x7fffffff;
    const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

core::Result<void> convertModel(const std::filesystem::path& from, const std::filesystem::path& to, core::DType dtype) {
    if (dtype != core::DType::F32 && dtype != core::DType::BF16 && dtype != core::DType::F16)
        return core::Error{core::ErrorCode::Unsupported, "weights can be written as F32, BF16 or F16", to.string()};
    auto text = core::readTextFile(from / "config.json", kMaxText);
    if (!text) return text.error();
    auto config = core::parseModelConfig(*text, (from / "config.json").string());
    if (!config) return config.error();
    auto json = core::parseJson(*text, {}, "config.json");
    if (!json) return json.error();
    const core::TensorLayout layout = core::makeLayout(*config);
    auto arena = core::loadArena(from, layout);
    if (!arena) return arena.error();
    std::error_code error;
    std::filesystem::create_directories(to, error);
    if (error) return core::fileError(error.value(), "create the folder", to);
    if (dtype == core::DType::F32) {
        if (auto saved = core::saveArena(to / "model.safetensors", *arena, layout); !saved) return saved;
    } else {
        std::vector<std::uint16_t> narrow(arena->size());
        for (std::size_t i = 0; i < narrow.size(); ++i) narrow[i] = dtype == core::DType::BF16 ? toBf16((*arena)[i]) : toF16((*arena)[i]);
        std::vector<core::TensorToWrite> tensors;
        for (const core::TensorSlot& slot : layout.slots)
            tensors.push_back({slot.name, dtype, slot.shape,
                               {reinterpret_cast<const std::uint8_t*>(narrow.data() + slot.offset), static_cast<std::size_t>(slot.count) * sizeof(std::uint16_t)}});
        if (auto saved = core::writeSafetensors(to / "model.safetensors", std::move(tensors), {{"format", "pt"}}); !saved) return saved;
    }
    json->erase("torch_dtype");
    (*json)["dtype"] = torchName(dtype);
    if (auto written = core::writeFileAtomically(to / "config.json", core::asBytes(json->dump(2) + "\n")); !written) return written;
    return copyIfThere(from / "tokenizer.model", to / "tokenizer.model");
}

}  // namespace sunloco::train
