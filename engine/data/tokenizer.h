// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

#include <memory>
#include <string>
#include <vector>

namespace sunloco::data {

/// A SentencePiece model: byte-pair encoding (Sennrich et al. 2016) with byte fallback, so that every text has tokens. Ids: 0 <unk>, 1 <s>, 2 </s>, then the
/// 256 bytes, then pieces. Nothing is normalised: decode(encode(text)) == text, except that U+2581, SentencePiece's own mark for a space, comes back as a space.
/// Thread: const functions from any.
class Tokenizer {
public:
    /// Learns exactly `vocabulary` pieces from UTF-8 texts; deterministic, on the calling thread. InvalidArgument when the vocabulary is too small for the
    /// text's characters, or larger than the text can fill, with the number that is possible.
    static core::Result<Tokenizer> train(const std::vector<std::string_view>& texts, std::int64_t vocabulary);
    /// From the bytes of a tokenizer.model.
    static core::Result<Tokenizer> load(core::ByteView model);
    ~Tokenizer();
    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;

    /// Without <s> and </s>.
    [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const;
    /// Ids outside the vocabulary are left out.
    [[nodiscard]] std::string decode(const std::vector<std::int32_t>& ids) const;
    [[nodiscard]] std::int64_t vocabulary() const;
    /// </s>, which stands between documents.
    [[nodiscard]] std::int32_t endOfText() const;
    enum class PieceKind { Normal, Unknown, Control, Byte, Unused };
    struct Piece {
        std::string text;   ///< as stored: U+2581 for a space, "<0x0A>" for a byte
        float score = 0;    ///< the higher, the earlier its parts are joined
        PieceKind kind = PieceKind::Normal;
    };
    /// All pieces in the order of their ids, for other formats.
    [[nodiscard]] std::vector<Piece> pieces() const;
    /// The bytes of tokenizer.model.
    [[nodiscard]] const core::Bytes& model() const;

private:
    struct Impl;
    explicit Tokenizer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace sunloco::data
