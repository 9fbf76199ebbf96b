// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizer_training.h"

#include "engine/data/utf8.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <unordered_map>

namespace sunloco::data {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {
/// Pieces that are always there: <unk>, <s>, </s> and one for each byte.
constexpr std::int64_t kFixedPieces = 3 + 256;
constexpr std::int64_t kLargestVocabulary = 1 << 20;
/// The trainer passes over longer sentences; they are cut into pieces of this many bytes.
constexpr std::size_t kMaxSentence = 4000;
/// More text than this teaches the vocabulary nothing and costs memory (some 30 times as much): of a larger corpus every k-th stretch is read.
constexpr std::size_t kMaxTrainingBytes = std::size_t{128} << 20;
constexpr std::size_t kStretch = 64 << 10;

/// The lines of all texts, or an even sample of them.
class Sentences final : public sentencepiece::SentenceIterator {
public:
    explicit Sentences(const std::vector<std::string_view>& texts) : m_texts(texts) {
        std::size_t total = 0;
        for (const std::string_view text : texts) { total += text.size(); }
        m_every = std::max<std::size_t>(1, (total + kMaxTrainingBytes - 1) / kMaxTrainingBytes);
        advance();
    }
    bool done() const override { return m_done; }
    void Next() override { advance(); }
    const std::string& value() const override { return m_value; }
    sentencepiece::util::Status status() const override { return {}; }

private:
    void advance() {
        while (m_text < m_texts.size()) {
            const std::string_view rest = m_texts[m_text].substr(m_at);
            if (rest.empty()) {
                ++m_text;
                m_at = 0;
                continue;
            }
            const std::size_t line = std::min(rest.find('\n'), rest.size());
            const std::size_t length = wholeCharacters(rest.substr(0, line), kMaxSentence);
            m_at += length > 0 ? length : 1;   // an empty rest of the line: step over its end
            m_seen += length + 1;
            if (length == 0 || m_seen / kStretch % m_every != 0) { continue; }
            m_value.assign(rest.substr(0, length));
            return;
        }
        m_done = true;
    }

    const std::vector<std::string_view>& m_texts;
    std::size_t m_every = 1;
    std::size_t m_text = 0;
    std::size_t m_at = 0;
    std::size_t m_seen = 0;
    std::string m_value;
    bool m_done = false;
};

/// The whole number after `mark` in the library's message; -1 when there is none.
std::int64_t numberAfter(std::string_view message, std::string_view mark) {
    const std::size_t at = message.find(mark);
    if (at == std::string_view::npos) { return -1; }
    const char* begin = message.data() + at + mark.size();
    while (begin != message.data() + message.size() && *begin == ' ') { ++begin; }
    std::int64_t value = -1;
    std::from_chars(begin, message.data() + message.size(), value);
    return value;
}

/// What the library's refusal means for the operator. Its two sentences about sizes are:
/// "Vocabulary size too high (N). Please set it to a value <= M." and "Vocabulary size is smaller than required_chars. N vs M."
Error explain(const std::string& message, std::int64_t vocabulary) {
    const std::string asked = "The model's vocab_size is " + std::to_string(vocabulary);
    if (const std::int64_t most = numberAfter(message, "value <="); most > 0) {
        return Error{ErrorCode::InvalidArgument, asked + ", but this text gives only " + std::to_string(most) + " pieces. Set vocab_size to at most " + std::to_string(most) + ", or add text", {}};
    }
    if (const std::int64_t least = numberAfter(message, " vs "); message.find("required_chars") != std::string::npos && least > 0) {
        return Error{ErrorCode::InvalidArgument, asked + ", but the bytes and characters of this text alone need " + std::to_string(least) + " pieces. Set vocab_size to more than " + std::to_string(least), {}};
    }
    return Error{ErrorCode::InvalidArgument, asked + ", and no tokenizer of that size could be learnt from this text: " + message.substr(0, 200), {}};
}
}  // namespace

Result<core::Bytes> trainModel(const std::vector<std::string_view>& texts, std::int64_t vocabulary) {
    if (vocabulary <= kFixedPieces || vocabulary > kLargestVocabulary) {
        return Error{ErrorCode::InvalidArgument, "The model's vocab_size is " + std::to_string(vocabulary) + "; a tokenizer needs more than " + std::to_string(kFixedPieces) + " pieces (one for each byte and three marks) and has at most " + std::to_string(kLargestVocabulary), {}};
    }
    const std::unordered_map<std::string, std::string> settings = {
        {"model_type", "bpe"},
        {"vocab_size", std::to_string(vocabulary)},
        {"hard_vocab_limit", "true"},
        {"byte_fallback", "true"},
        {"character_coverage", "0.9995"},            // the rarest characters become bytes
        {"normalization_rule_name", "identity"},
        {"remove_extra_whitespaces", "false"},
        {"add_dummy_prefix", "false"},
        {"split_digits", "true"},
        {"unk_id", "0"}, {"bos_id", "1"}, {"eos_id", "2"}, {"pad_id", "-1"},
        {"max_sentence_length", "8192"},
        {"input_sentence_size", "0"},                // all that the iterator gives
        {"num_threads", "1"},                        // the same model on every machine
        {"minloglevel", "2"},
    };
    try {
        Sentences sentences(texts);
        if (sentences.done()) { return Error{ErrorCode::InvalidArgument, "There is no text to learn a tokenizer from", {}}; }
        std::string model;
        const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &sentences, &model);
        if (!status.ok()) { return explain(status.ToString(), vocabulary); }
        return core::toBytes(model);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, "There is not enough memory to learn a tokenizer from this text", {}};
    } catch (const std::exception& e) {
        return Error{ErrorCode::Internal, std::string("Learning a tokenizer failed: ") + e.what(), {}};
    }
}

}  // namespace sunloco::data
