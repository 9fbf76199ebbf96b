// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokenizer.h"

#include "engine/data/tokenizer_training.h"
#include "engine/data/utf8.h"

#include <sentencepiece_processor.h>

#include <exception>

namespace sunloco::data {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {
constexpr std::size_t kMaxModel = std::size_t{64} << 20;
/// Longer lines are encoded in pieces: the library's memory grows with the length of its input.
constexpr std::size_t kMaxLine = 64 << 10;
}  // namespace

struct Tokenizer::Impl {
    sentencepiece::SentencePieceProcessor processor;
    core::Bytes model;
    int newline = 0;   ///< the byte piece of \n
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Result<Tokenizer> Tokenizer::train(const std::vector<std::string_view>& texts, std::int64_t vocabulary) {
    const auto model = trainModel(texts, vocabulary);
    if (!model) { return model.error(); }
    return load(*model);
}

Result<Tokenizer> Tokenizer::load(core::ByteView model) {
    const Error bad{ErrorCode::InvalidData, "This is not a SentencePiece model (tokenizer.model)", {}};
    if (model.empty() || model.size() > kMaxModel) { return bad; }
    try {
        auto impl = std::make_unique<Impl>();
        impl->model.assign(model.begin(), model.end());
        const auto status = impl->processor.LoadFromSerializedProto({reinterpret_cast<const char*>(model.data()), model.size()});
        if (!status.ok() || impl->processor.GetPieceSize() < 1) { return bad; }
        impl->newline = impl->processor.PieceToId("<0x0A>");
        return Tokenizer(std::move(impl));
    } catch (const std::exception&) {
        return bad;
    }
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
    std::vector<std::int32_t> ids;
    std::vector<int> part;
    // With the byte piece for \n between them, lines can be encoded one by one: no learnt piece holds a line end.
    const bool byLine = m_impl->processor.IsByte(m_impl->newline);
    while (!text.empty()) {
        const std::size_t line = byLine ? std::min(text.find('\n'), text.size()) : text.size();
        const std::size_t length = byLine ? wholeCharacters(text.substr(0, line), kMaxLine) : line;
        if (length > 0) {
            if (m_impl->processor.Encode({text.data(), length}, &part).ok()) { ids.insert(ids.end(), part.begin(), part.end()); }
            text.remove_prefix(length);
        } else {
            ids.push_back(m_impl->newline);
            text.remove_prefix(1);
        }
    }
    return ids;
}

std::string Tokenizer::decode(const std::vector<std::int32_t>& ids) const {
    std::vector<int> known;
    known.reserve(ids.size());
    for (const std::int32_t id : ids) {
        if (id >= 0 && id < vocabulary()) { known.push_back(id); }
    }
    std::string text;
    if (!m_impl->processor.Decode(known, &text).ok()) { text.clear(); }
    return text;
}

std::int64_t Tokenizer::vocabulary() const { return m_impl->processor.GetPieceSize(); }
std::int32_t Tokenizer::endOfText() const { return m_impl->processor.eos_id(); }
std::vector<Tokenizer::Piece> Tokenizer::pieces() const {
    const auto& processor = m_impl->processor;
    std::vector<Piece> all(static_cast<std::size_t>(processor.GetPieceSize()));
    for (int id = 0; id < processor.GetPieceSize(); ++id) {
        Piece& piece = all[static_cast<std::size_t>(id)];
        piece.text = processor.IdToPiece(id);
        piece.score = processor.GetScore(id);
        if (processor.IsUnknown(id)) { piece.kind = PieceKind::Unknown; }
        else if (processor.IsControl(id)) { piece.kind = PieceKind::Control; }
        else if (processor.IsByte(id)) { piece.kind = PieceKind::Byte; }
        else if (processor.IsUnused(id)) { piece.kind = PieceKind::Unused; }
    }
    return all;
}

const core::Bytes& Tokenizer::model() const { return m_impl->model; }

}  // namespace sunloco::data
