// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/moments.h"

#include "engine/core/safetensors.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sunloco::checkpoint {

namespace {

constexpr const char* kFirst = "exp_avg";
constexpr const char* kSecond = "exp_avg_sq";
constexpr const char* kSteps = "adam_steps";

core::TensorToWrite tensor(const char* name, std::span<const float> values) {
    return {name, core::DType::F32, {static_cast<std::int64_t>(values.size())},
            core::ByteView{reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()}};
}

}  // namespace

core::Result<void> saveMoments(const std::filesystem::path& path, const MomentViews& moments, core::FaultPolicy* faults) {
    return core::writeSafetensors(path, {tensor(kFirst, moments.first), tensor(kSecond, moments.second)}, {{kSteps, std::to_string(moments.adamSteps)}}, faults);
}

core::Result<std::int64_t> loadMoments(const std::filesystem::path& path, std::span<float> first, std::span<float> second) {
    auto header = core::readSafetensorsHeader(path);
    if (!header) return header.error();
    const std::pair<const char*, std::span<float>> parts[] = {{kFirst, first}, {kSecond, second}};
    for (const auto& [name, target] : parts) {
        const core::TensorInfo* info = header->find(name);
        if (info == nullptr) return core::Error{core::ErrorCode::InvalidData, std::string("no tensor '") + name + "'", path.string()};
        auto values = core::readFloatTensor(path, *info);
        if (!values) return values.error();
        if (values->size() != target.size()) return core::Error{core::ErrorCode::InvalidData, "the moments belong to another model", path.string()};
        if (!std::all_of(values->begin(), values->end(), [](float x) { return std::isfinite(x); }))
            return core::Error{core::ErrorCode::InvalidData, "the moments hold a value that is not finite", path.string()};
        std::copy(values->begin(), values->end(), target.begin());
    }
    const auto steps = header->metadata.find(kSteps);
    std::int64_t count = -1;
    if (steps != header->metadata.end()) std::from_chars(steps->second.data(), steps->second.data() + steps->second.size(), count);
    if (count < 0) return core::Error{core::ErrorCode::InvalidData, "the moments do not say how many steps they have seen", path.string()};
    return count;
}

}  // namespace sunloco::checkpoint
