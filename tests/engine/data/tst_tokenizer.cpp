// SPDX-License-Identifier: Apache-2.0
#include "engine/core/sha256.h"
#include "engine/data/corpus.h"
#include "engine/data/tokenizer.h"

#include <QtTest>

#include <rapidcheck.h>

#include <charconv>

using namespace sunloco;
using core::ErrorCode;
using data::Tokenizer;

namespace {
/// The licence texts that every Debian and Ubuntu carries: real English.
const std::vector<data::Document>& licences() {
    static const std::vector<data::Document> documents = data::readCorpus({"/usr/share/common-licenses"}).value_or({});
    return documents;
}
std::vector<std::string_view> licenceTexts() {
    std::vector<std::string_view> texts;
    for (const data::Document& d : licences()) { texts.push_back(d.text); }
    return texts;
}
std::int64_t numberAfter(const std::string& text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    std::int64_t number = -1;
    if (at != std::string::npos) { std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), number); }
    return number;
}
}  // namespace

class TestTokenizer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void hasExactlyTheVocabulary();
    void sameTextSameModel();
    void givesTextsBack();
    void givesAnyTextBack();
    void compresses();
    void cutsDoNotChangeIds();
    void longLines();
    void vocabularyTooLarge();
    void vocabularyTooSmall();
    void loadsItsOwnBytesOnly();
    void decodesForeignIds();

private:
    std::optional<Tokenizer> m_tokenizer;
};

void TestTokenizer::initTestCase() {
    QVERIFY(!licences().empty());
    auto tokenizer = Tokenizer::train(licenceTexts(), 1000);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().text().c_str());
    m_tokenizer.emplace(std::move(*tokenizer));
}

void TestTokenizer::hasExactlyTheVocabulary() {
    QCOMPARE(m_tokenizer->vocabulary(), std::int64_t{1000});
    QCOMPARE(m_tokenizer->endOfText(), 2);
    for (const std::string_view text : licenceTexts()) {
        for (const std::int32_t id : m_tokenizer->encode(text)) { QVERIFY(id >= 3 && id < 1000); }   // never <unk>
    }
}

void TestTokenizer::sameTextSameModel() {
    const auto again = Tokenizer::train(licenceTexts(), 1000);
    QVERIFY(again);
    QCOMPARE(core::sha256(again->model()).hex(), core::sha256(m_tokenizer->model()).hex());
}

void TestTokenizer::givesTextsBack() {
    for (const std::string_view text : licenceTexts()) { QVERIFY(m_tokenizer->decode(m_tokenizer->encode(text)) == text); }
    for (const char* text : {"", " ", "\n", "\n\n", "  two spaces", "end ", "a\tb", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x8c\x9e \xe6\x97\xa5\xe6\x9c\xac", "<s></s><unk><0x0A>", "2024-12-31"}) {
        QCOMPARE(m_tokenizer->decode(m_tokenizer->encode(text)), std::string(text));
    }
}

void TestTokenizer::givesAnyTextBack() {
    QVERIFY(rc::check("decode(encode(text)) is the text", [this] {
        const std::vector<std::string> pieces = *rc::gen::container<std::vector<std::string>>(
            rc::gen::elementOf(std::vector<std::string>{"the", " ", "\n", "copyright", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8c\x9e", "7", ".", "\t", "\x01", "q", "\r", "</s>", "\xef\xbf\xbd"}));
        std::string text;
        for (const std::string& piece : pieces) { text += piece; }
        RC_ASSERT(m_tokenizer->decode(m_tokenizer->encode(text)) == text);
    }));
}

void TestTokenizer::compresses() {
    std::size_t bytes = 0, tokens = 0;
    for (const std::string_view text : licenceTexts()) {
        bytes += text.size();
        tokens += m_tokenizer->encode(text).size();
    }
    QVERIFY2(static_cast<double>(bytes) / static_cast<double>(tokens) > 2.0, std::to_string(tokens).c_str());
}

// Lines are encoded one by one, so cutting a text at a line end gives the same ids.
void TestTokenizer::cutsDoNotChangeIds() {
    const std::string_view text = licenceTexts().front();
    const std::size_t cut = text.find('\n', text.size() / 2);
    std::vector<std::int32_t> joined = m_tokenizer->encode(text.substr(0, cut));
    const std::vector<std::int32_t> rest = m_tokenizer->encode(text.substr(cut));
    joined.insert(joined.end(), rest.begin(), rest.end());
    QCOMPARE(joined, m_tokenizer->encode(text));
}

void TestTokenizer::longLines() {
    std::string line;
    while (line.size() < 300'000) { line += "permission is granted \xe2\x82\xac "; }
    QVERIFY(m_tokenizer->decode(m_tokenizer->encode(line)) == line);
    QVERIFY(Tokenizer::train({line}, 280));
}

// The sentence says how many pieces are possible, and that number works.
void TestTokenizer::vocabularyTooLarge() {
    const std::string text = "the sun rose over the hill and the sheep went up the hill one by one\n";
    const auto tooLarge = Tokenizer::train({text}, 5000);
    QVERIFY(!tooLarge);
    QCOMPARE(tooLarge.error().code, ErrorCode::InvalidArgument);
    const std::int64_t most = numberAfter(tooLarge.error().message, "at most ");
    QVERIFY2(most > 259 && most < 5000, tooLarge.error().message.c_str());
    const auto fits = Tokenizer::train({text}, most);
    QVERIFY2(fits, fits ? "" : fits.error().text().c_str());
    QCOMPARE(fits->vocabulary(), most);
    QVERIFY(!Tokenizer::train({text}, most + 1));
}

void TestTokenizer::vocabularyTooSmall() {
    const auto tooSmall = Tokenizer::train(licenceTexts(), 270);
    QVERIFY(!tooSmall);
    const std::int64_t least = numberAfter(tooSmall.error().message, "more than ");
    QVERIFY2(least > 270, tooSmall.error().message.c_str());
    QVERIFY(Tokenizer::train(licenceTexts(), least + 1));
    for (const std::int64_t impossible : {-1, 0, 3, 259, 1 << 30}) { QCOMPARE(Tokenizer::train(licenceTexts(), impossible).error().code, ErrorCode::InvalidArgument); }
    QVERIFY(!Tokenizer::train({}, 500));
    QVERIFY(!Tokenizer::train({"", "\n\n"}, 500));
}

void TestTokenizer::loadsItsOwnBytesOnly() {
    const auto loaded = Tokenizer::load(m_tokenizer->model());
    QVERIFY(loaded);
    QCOMPARE(loaded->encode("the copyright holder"), m_tokenizer->encode("the copyright holder"));
    QCOMPARE(Tokenizer::load({}).error().code, ErrorCode::InvalidData);
    QVERIFY(!Tokenizer::load(core::asBytes("this is no model")));
    const core::Bytes half(m_tokenizer->model().begin(), m_tokenizer->model().begin() + static_cast<std::ptrdiff_t>(m_tokenizer->model().size() / 2));
    QVERIFY(!Tokenizer::load(half));
}

void TestTokenizer::decodesForeignIds() {
    QCOMPARE(m_tokenizer->decode({-1, 1000, 2'000'000'000}), std::string());
    std::vector<std::int32_t> ids = m_tokenizer->encode("the");
    ids.push_back(123'456);
    ids.push_back(m_tokenizer->endOfText());
    QCOMPARE(m_tokenizer->decode(ids), std::string("the"));
}

QTEST_GUILESS_MAIN(TestTokenizer)
#include "tst_tokenizer.moc"
