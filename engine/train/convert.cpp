// SPDX-License-Identifier: Apache-2.0
#include "engine/train/convert.h"

#include "engine/core/files.h"
#include "engine/core/half.h"
#include "engine/data/gguf_export.h"

#include <nlohmann/json.hpp>

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
        for (std::size_t i = 0; i < narrow.size(); ++i) narrow[i] = dtype == core::DType::BF16 ? core::toBf16((*arena)[i]) : core::toF16((*arena)[i]);
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

core::Result<void> convertToGguf(const std::filesystem::path& from, const std::filesystem::path& to, data::GgufType type) {
    auto text = core::readTextFile(from / "config.json", kMaxText);
    if (!text) return text.error();
    auto config = core::parseModelConfig(*text, (from / "config.json").string());
    if (!config) return config.error();
    auto tokenizer = core::readFile(from / "tokenizer.model", kMaxText);
    if (!tokenizer) return tokenizer.error();
    auto arena = core::loadArena(from, core::makeLayout(*config));
    if (!arena) return arena.error();
    return data::writeGguf({std::filesystem::absolute(from).lexically_normal().filename().string(), *config, *arena, *tokenizer}, type, to);
}

}  // namespace sunloco::train
