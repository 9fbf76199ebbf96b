// SPDX-License-Identifier: Apache-2.0
#include "engine/train/generate.h"

#include "engine/core/files.h"
#include "engine/core/safetensors.h"
#include "engine/data/tokenizer.h"
#include "engine/model/decoder.h"
#include "engine/model/parallel.h"

#include <algorithm>
#include <chrono>

namespace sunloco::train {

namespace {

constexpr std::uint64_t kMaxFile = 64 << 20;

/// How much of `text` is whole UTF-8 characters; a token may end within one.
std::size_t wholeCharacters(std::string_view text) {
    std::size_t end = text.size();
    for (std::size_t back = 1; back <= std::min<std::size_t>(4, text.size()); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xc0) == 0x80) continue;
        const std::size_t length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
        if (length > back) end = text.size() - back;
        break;
    }
    return end;
}

}  // namespace

core::Result<Generated> generate(const GeneratePlan& plan, const std::function<void(std::string_view)>& onText) {
    auto text = core::readTextFile(plan.model / "config.json", kMaxFile);
    if (!text) return text.error();
    auto config = core::parseModelConfig(*text, (plan.model / "config.json").string());
    if (!config) return config.error();
    auto pieces = core::readFile(plan.model / "tokenizer.model", kMaxFile);
    if (!pieces) return pieces.error();
    auto tokenizer = data::Tokenizer::load(*pieces);
    if (!tokenizer) return tokenizer.error();
    if (tokenizer->vocabulary() > config->vocabSize)
        return core::Error{core::ErrorCode::InvalidData, "the tokenizer has more pieces than the model has embeddings", (plan.model / "tokenizer.model").string()};
    auto arena = core::loadArena(plan.model, core::makeLayout(*config));
    if (!arena) return arena.error();

    std::vector<std::int32_t> ids = tokenizer->encode(plan.prompt);
    if (ids.empty()) ids.push_back(tokenizer->endOfText());
    const auto promptLength = static_cast<std::int64_t>(ids.size());
    if (promptLength > config->maxPositions)
        return core::Error{core::ErrorCode::InvalidArgument, "the prompt has " + std::to_string(promptLength) + " tokens, the model holds " +
                                                                 std::to_string(config->maxPositions), "--prompt"};
    model::setThreadCount(plan.threads);
    const std::int64_t capacity = std::min(config->maxPositions, promptLength + plan.maxTokens);
    auto decoder = model::Decoder::create(*config, arena->data(), capacity, model::bestKernels());
    if (!decoder) return decoder.error();
    model::Sampler sampler(plan.sampler);

    const auto start = std::chrono::steady_clock::now();
    std::span<const float> logits;
    for (const std::int32_t id : ids) {
        auto next = (*decoder)->accept(id);
        if (!next) return next.error();
        logits = *next;
    }
    Generated result;
    std::size_t shown = wholeCharacters(tokenizer->decode(ids));
    while (result.tokens < plan.maxTokens) {
        const std::int32_t id = sampler.draw(logits.first(static_cast<std::size_t>(tokenizer->vocabulary())));
        if (id == tokenizer->endOfText()) break;
        ids.push_back(id);
        ++result.tokens;
        const std::string whole = tokenizer->decode(ids);
        const std::size_t end = wholeCharacters(whole);
        if (onText && end > shown) onText(std::string_view(whole).substr(shown, end - shown));
        shown = std::max(shown, end);
        if ((*decoder)->length() >= capacity) break;
        auto next = (*decoder)->accept(id);
        if (!next) return next.error();
        logits = *next;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.text = tokenizer->decode(ids);
    result.tokensPerSecond = seconds > 0 ? static_cast<double>(promptLength + result.tokens) / seconds : 0;
    return result;
}

}  // namespace sunloco::train
