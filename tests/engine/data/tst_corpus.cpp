// SPDX-License-Identifier: Apache-2.0
#include "engine/core/files.h"
#include "engine/data/corpus.h"
#include "engine/data/utf8.h"

#include <QtTest>

#include <rapidcheck.h>

using namespace sunloco;
using core::ErrorCode;
namespace fs = std::filesystem;

class TestCorpus : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = m_dir->path().toStdString();
    }
    void utf8_data();
    void utf8();
    void utf8AgreesWithQt();
    void wholeCharacters();
    void readsFilesAndFoldersInOrder();
    void passesOverWhatIsNoText();
    void theSameTextCountsOnce();
    void lineEndsAndByteOrderMark();
    void badFiles_data();
    void badFiles();
    void nothingThere();

private:
    void put(const std::string& name, std::string_view content) {
        fs::create_directories((m_folder / name).parent_path());
        QVERIFY(core::writeFileAtomically(m_folder / name, core::asBytes(content)));
    }
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_folder;
};

void TestCorpus::utf8_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("wrong");   // -1 = sound
    QTest::newRow("empty") << QByteArray() << -1;
    QTest::newRow("ASCII") << QByteArray("plain text, long enough for whole words") << -1;
    QTest::newRow("2, 3, 4 bytes") << QByteArray("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x8c\x9e.") << -1;
    QTest::newRow("largest") << QByteArray("\xf4\x8f\xbf\xbf") << -1;
    QTest::newRow("Latin-1") << QByteArray("gr\xfc\xdf") << 2;
    QTest::newRow("late") << QByteArray(1000, 'x') + QByteArray("\x80") << 1000;
    QTest::newRow("overlong /") << QByteArray("..\xc0\xaf") << 2;
    QTest::newRow("overlong 3") << QByteArray("\xe0\x80\xaf") << 0;
    QTest::newRow("overlong 4") << QByteArray("\xf0\x80\x80\xaf") << 0;
    QTest::newRow("surrogate") << QByteArray("a\xed\xa0\x80") << 1;
    QTest::newRow("above U+10FFFF") << QByteArray("\xf4\x90\x80\x80") << 0;
    QTest::newRow("cut character") << QByteArray("ab\xe2\x82") << 2;
    QTest::newRow("continuation alone") << QByteArray("ab\xa4") << 2;
    QTest::newRow("0xff") << QByteArray("\xff") << 0;
}
void TestCorpus::utf8() {
    QFETCH(QByteArray, text);
    QFETCH(int, wrong);
    const std::size_t found = data::findInvalidUtf8({text.data(), static_cast<std::size_t>(text.size())});
    QCOMPARE(found, wrong < 0 ? std::string::npos : static_cast<std::size_t>(wrong));
}

void TestCorpus::utf8AgreesWithQt() {
    QVERIFY(rc::check("the same bytes are UTF-8 to us and to Qt", [] {
        std::string text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff")));
        QStringDecoder decoder(QStringDecoder::Utf8, QStringConverter::Flag::Stateless);
        const QString decoded = decoder(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
        RC_ASSERT((data::findInvalidUtf8(text) == std::string::npos) == !decoder.hasError());
    }));
}

void TestCorpus::wholeCharacters() {
    const std::string text = "a\xe2\x82\xac\xf0\x9f\x8c\x9e";
    const std::size_t wanted[] = {0, 1, 1, 1, 4, 4, 4, 4, 8, 8};
    for (std::size_t limit = 0; limit < 10; ++limit) { QCOMPARE(data::wholeCharacters(text, limit), wanted[limit]); }
}

void TestCorpus::readsFilesAndFoldersInOrder() {
    put("texts/b.txt", "second");
    put("texts/a.md", "first");
    put("texts/sub/c", "third");
    put("alone.xyz", "named by the user");
    const auto documents = data::readCorpus({m_folder / "texts", m_folder / "alone.xyz", m_folder / "texts"});
    QVERIFY2(documents, documents ? "" : documents.error().text().c_str());
    QCOMPARE(documents->size(), std::size_t{4});
    QCOMPARE((*documents)[0].text, std::string("named by the user"));
    QCOMPARE((*documents)[1].text, std::string("first"));
    QCOMPARE((*documents)[2].text, std::string("second"));
    QCOMPARE((*documents)[3].text, std::string("third"));
    QCOMPARE((*documents)[3].file, m_folder / "texts" / "sub" / "c");
}

void TestCorpus::passesOverWhatIsNoText() {
    put("t/.hidden", "\xff");
    put("t/.git/object", "\xff");
    put("t/empty.txt", "");
    put("t/blank.txt", " \n\t\n");
    put("t/text.txt", "text");
    const auto documents = data::readCorpus({m_folder / "t"});
    QVERIFY2(documents, documents ? "" : documents.error().text().c_str());
    QCOMPARE(documents->size(), std::size_t{1});
}

void TestCorpus::theSameTextCountsOnce() {
    put("t/one.txt", "the same");
    put("t/two.txt", "the same");
    fs::create_symlink(m_folder / "t" / "one.txt", m_folder / "t" / "link.txt");
    QCOMPARE(data::readCorpus({m_folder / "t"})->size(), std::size_t{1});
}

void TestCorpus::lineEndsAndByteOrderMark() {
    put("t/dos.txt", "\xef\xbb\xbfone\r\ntwo\rthree\n\r\n");
    QCOMPARE(data::readCorpus({m_folder})->front().text, std::string("one\ntwo\nthree\n\n"));
}

void TestCorpus::badFiles_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("where");
    QTest::newRow("Latin-1") << QByteArray("Stra\xdf" "e") << QByteArray("byte 4 ");
    QTest::newRow("binary") << QByteArray("\x7f" "ELF\0\1", 6) << QByteArray("byte 4 ");
    QTest::newRow("UTF-16") << QByteArray("\xff\xfe" "a\0b\0", 6) << QByteArray("byte 3 ");
}
void TestCorpus::badFiles() {
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, where);
    put("t/good.txt", "good");
    put("t/old letter.txt", {content.data(), static_cast<std::size_t>(content.size())});
    const auto documents = data::readCorpus({m_folder / "t"});
    QVERIFY(!documents);
    QCOMPARE(documents.error().code, ErrorCode::InvalidData);
    QVERIFY2(documents.error().message.find(where.toStdString()) != std::string::npos, documents.error().message.c_str());
    QVERIFY(documents.error().context.ends_with("old letter.txt"));
}

void TestCorpus::nothingThere() {
    QCOMPARE(data::readCorpus({m_folder / "nowhere"}).error().code, ErrorCode::NotFound);
    const auto empty = data::readCorpus({m_folder});
    QCOMPARE(empty.error().code, ErrorCode::NotFound);
    QVERIFY(empty.error().text().find("no text") != std::string::npos);
    QCOMPARE(data::readCorpus({}).error().code, ErrorCode::NotFound);
    QCOMPARE(data::readCorpus({"/dev/null"}).error().code, ErrorCode::InvalidArgument);
}

QTEST_GUILESS_MAIN(TestCorpus)
#include "tst_corpus.moc"
