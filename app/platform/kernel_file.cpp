// SPDX-License-Identifier: Apache-2.0
#include "app/platform/kernel_file.h"

#include <array>
#include <charconv>
#include <fstream>

namespace sunloco::platform {
namespace {

constexpr std::size_t kMaxBytes = 4 << 20;

}  // namespace

std::string readKernelFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text;
    std::array<char, 4096> part{};
    while (file && text.size() < kMaxBytes) {
        file.read(part.data(), part.size());
        text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.pop_back();
    }
    return text;
}

std::optional<std::uint64_t> readKernelNumber(const std::filesystem::path& path) {
    const std::string text = readKernelFile(path);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

}  // namespace sunloco::platform
