// SPDX-License-Identifier: Apache-2.0
// Device keys as files. (A keychain needs a desktop session; the file is what every PC has.)
#include "app/agent/key_store.h"
#include "engine/core/bytes.h"

#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

#include <fstream>

using namespace sunloco;
using namespace sunloco::agent;
namespace fs = std::filesystem;

namespace {

unsigned modeOf(const fs::path& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777u : 0u;
}

std::string bytesOf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void put(const fs::path& path, const std::string& text, unsigned mode = 0600) {
    std::ofstream(path, std::ios::binary) << text;
    ::chmod(path.c_str(), mode);
}

class OneFault final : public core::FaultPolicy {
public:
    core::Result<void> before(std::string_view) override {
        if (std::exchange(armed, false)) return core::Error{core::ErrorCode::DiskFull, "made to fail", {}};
        return {};
    }
    bool armed = true;
};

}  // namespace

class TestKeyStore : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void madeOnceThenTheSame();
    void eachProjectItsOwn();
    void seedSurvives();
    void neverReplaced();
    void linkIsRefused();
    void readableByOthersIsRefused_data();
    void readableByOthersIsRefused();
    void damagedIsRefused_data();
    void damagedIsRefused();
    void remove();
    void leftoversOfAPowerLoss();
    void faultLeavesNothing();
    void folderThatIsALink();

private:
    /// The outcome of one call, which answers at once for files.
    core::Result<protocol::KeyPair> load(KeyStore& store, const std::string& id) {
        std::optional<core::Result<protocol::KeyPair>> out;
        store.loadOrCreate(id, KeyStore::Wanted::ForNewProject, this, [&](core::Result<protocol::KeyPair> key) { out.emplace(std::move(key)); });
        if (!out) return core::Error{core::ErrorCode::Internal, "no answer", {}};
        return std::move(*out);
    }
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_keys;
};

void TestKeyStore::init() {
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
    m_keys = fs::path(m_dir->path().toStdString()) / "data" / "keys";
}

void TestKeyStore::madeOnceThenTheSame() {
    const mode_t before = ::umask(0);   // the modes must not hang on it
    KeyStore store(m_keys, KeyPlace::File, nullptr);
    const auto first = load(store, "aa");
    ::umask(before);
    QVERIFY2(first.has_value(), first ? "" : first.error().text().c_str());
    QCOMPARE(modeOf(m_keys), 0700u);
    QCOMPARE(modeOf(m_keys / "aa.key"), 0600u);
    const std::string content = bytesOf(m_keys / "aa.key");
    QCOMPARE(content.size(), std::size_t{65});   // 32 bytes in hex and a line end
    const auto second = load(store, "aa");
    QVERIFY(second.has_value());
    QVERIFY(first->publicKey() == second->publicKey());
    KeyStore afterRestart(m_keys, KeyPlace::File, nullptr);
    QVERIFY(load(afterRestart, "aa")->publicKey() == first->publicKey());
    KeyStore withKeychain(m_keys, KeyPlace::KeychainOrFile, nullptr);   // a key that lies in a file stays there
    QVERIFY(load(withKeychain, "aa")->publicKey() == first->publicKey());
    QVERIFY(bytesOf(m_keys / "aa.key") == content);
    QCOMPARE(std::distance(fs::directory_iterator(m_keys), fs::directory_iterator()), std::ptrdiff_t{1});
}

void TestKeyStore::eachProjectItsOwn() {
    KeyStore store(m_keys, KeyPlace::File, nullptr);
    const auto a = load(store, "aa");
    const auto b = load(store, "bb");
    QVERIFY(a.has_value() && b.has_value());
    QVERIFY(!(a->publicKey() == b->publicKey()));
}

void TestKeyStore::seedSurvives() {
    KeyStore store(m_keys, KeyPlace::File, nullptr);
    const auto key = load(store, "aa");
    const std::string message = "signed before the restart";
    const auto signature = key->sign(core::asBytes(message));
    const auto read = KeyStore::readFile(m_keys / "aa.key");
    QVERIFY(read.has_value());
    QVERIFY(protocol::verify(read->publicKey(), core::asBytes(message), signature));
    QVERIFY(read->sign(core::asBytes(message)) == signature);
}

void TestKeyStore::neverReplaced() {
    KeyStore store(m_keys, KeyPlace::File, nullptr);
    QVERIFY(load(store, "aa").has_value());
    const std::string before = bytesOf(m_keys / "aa.key");
    auto other = protocol::KeyPair::generate();
    QVERIFY(other.has_value());
    const auto created = KeyStore::createFile(m_keys / "aa.key", *other);
    QVERIFY(!created.has_value());
    QVERIFY(bytesOf(m_keys / "aa.key") == before);
    QVERIFY(!fs::exists(m_keys / "aa.key.new"));
    // Nor is the target of a link written.
    fs::create_symlink(m_dir->filePath(QStringLiteral("elsewhere")).toStdString(), m_keys / "bb.key");
    QVERIFY(!KeyStore::createFile(m_keys / "bb.key", *other).has_value());
    QVERIFY(!fs::exists(m_dir->filePath(QStringLiteral("elsewhere")).toStdString()));
}

void TestKeyStore::linkIsRefused() {
    KeyStore store(m_keys, KeyPlace::File, nullptr);
    QVERIFY(load(store, "aa").has_value());
    fs::create_symlink(m_keys / "aa.key", m_keys / "bb.key");
    fs::create_symlink(m_keys / "nowhere", m_keys / "cc.key");
    for (const char* id : {"bb", "cc"}) {
        const auto key = load(store, id);
        QVERIFY(!key.has_value());
        QCOMPARE(key.error().code, core::ErrorCode::PermissionDenied);
        QVERIFY(key.error().text().find("symbolic link") != std::string::npos);
        QVERIFY(fs::is_symlink(m_keys / (std::string(id) + ".key")));
    }
    QVERIFY(!fs::exists(m_keys / "nowhere"));
}

void TestKeyStore::readableByOthersIsRefused_data() {
    QTest::addColumn<unsigned>("mode");
    QTest::addColumn<bool>("allowed");
    for (const unsigned mode : {0640u, 0620u, 0610u, 0604u, 0602u, 0601u, 0666u}) QTest::newRow(QByteArray::number(mode, 8).constData()) << mode << false;
    QTest::newRow("600") << 0600u << true;
    QTest::newRow("400") << 0400u << true;
}

void TestKeyStore::readableByOthersIsRefused() {
    QFETCH(unsigned, mode);
    QFETCH(bool, allowed);
    KeyStore store(m_keys, KeyPlace::File, nullptr);
    QVERIFY(load(store, "aa").has_value());
    const std::string before = bytesOf(m_keys / "aa.key");
    QVERIFY(::chmod((m_keys / "aa.key").c_str(), mode) == 0);
    const auto key = load(store, "aa");
    QCOMPARE(key.has_value(), allowed);
    if (!allowed) {
        QCOMPARE(key.error().code, core::ErrorCode::PermissionDenied);
        QVERIFY(key.error().text().find("chmod 600") != std::string::npos);
        QVERIFY(key.error().text().find("aa.key") != std::string::npos);
        QVERIFY(key.error().text().find(before.substr(0, 64)) == std::string::npos);   // a message is no place for a secret
    }
    QVERIFY(bytesOf(m_keys / "aa.key") == before);
}

void TestKeyStore::damagedIsRefused_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("only a line end") << QByteArray("\n");
    QTest::newRow("one digit short") << QByteArray(63, 'a');
    QTest::newRow("one byte short") << QByteArray(62, 'a');
    QTest::newRow("one byte long") << QByteArray(66, 'a');
    QTest::newRow("long") << QByteArray(4096, 'a');
    QTest::newRow("no hex") << QByteArray(64, 'g');
    QTest::newRow("zeros") << QByteArray(64, '\0');
    QTest::newRow("binary") << QByteArray(32, '\x7f');
    QTest::newRow("space within") << QByteArray(32, 'a') + " " + QByteArray(31, 'a');
    QTest::newRow("text after it") << QByteArray(64, 'a') + "\nb";
}

void TestKeyStore::damagedIsRefused() {
    QFETCH(QByteArray, content);
    KeyStore store(m_keys, KeyPlace::File, nullptr);
    QVERIFY(load(store, "other").has_value());
    put(m_keys / "aa.key", content.toStdString());
    const auto key = load(store, "aa");
    QVERIFY(!key.has_value());   // and above all: no new key in its place
    QCOMPARE(key.error().code, core::ErrorCode::InvalidData);
    QVERIFY(key.error().text().find("aa.key") != std::string::npos);
    QVERIFY(bytesOf(m_keys / "aa.key") == content.toStdString());
}

void TestKeyStore::remove() {
    KeyStore store(m_keys, KeyPlace::File, nullptr);
    const auto first = load(store, "aa");
    const auto other = load(store, "bb");
    store.remove("aa");
    QVERIFY(!fs::exists(m_keys / "aa.key"));
    store.remove("aa");        // harmless when repeated
    store.remove("unknown");
    QVERIFY(load(store, "bb")->publicKey() == other->publicKey());
    const auto second = load(store, "aa");   // joined again: another device
    QVERIFY(second.has_value());
    QVERIFY(!(second->publicKey() == first->publicKey()));
}

void TestKeyStore::leftoversOfAPowerLoss() {
    KeyStore store(m_keys, KeyPlace::File, nullptr);
    QVERIFY(load(store, "other").has_value());
    put(m_keys / "aa.key.new", "half a k");
    const auto key = load(store, "aa");
    QVERIFY2(key.has_value(), key ? "" : key.error().text().c_str());
    QVERIFY(!fs::exists(m_keys / "aa.key.new"));
    QCOMPARE(modeOf(m_keys / "aa.key"), 0600u);
}

void TestKeyStore::faultLeavesNothing() {
    OneFault faults;
    KeyStore store(m_keys, KeyPlace::File, &faults);
    const auto key = load(store, "aa");
    QVERIFY(!key.has_value());
    QCOMPARE(key.error().code, core::ErrorCode::DiskFull);
    QVERIFY(!fs::exists(m_keys / "aa.key"));
    QVERIFY(load(store, "aa").has_value());
}

void TestKeyStore::folderThatIsALink() {
    fs::create_directories(m_keys.parent_path());
    fs::create_directories(m_dir->filePath(QStringLiteral("elsewhere")).toStdString());
    fs::create_directory_symlink(m_dir->filePath(QStringLiteral("elsewhere")).toStdString(), m_keys);
    KeyStore store(m_keys, KeyPlace::File, nullptr);
    QVERIFY(!load(store, "aa").has_value());
    QVERIFY(fs::is_empty(m_dir->filePath(QStringLiteral("elsewhere")).toStdString()));
    // A folder that others can enter is made private.
    fs::remove(m_keys);
    fs::create_directory(m_keys);
    QVERIFY(::chmod(m_keys.c_str(), 0755) == 0);
    QVERIFY(load(store, "aa").has_value());
    QCOMPARE(modeOf(m_keys), 0700u);
}

QTEST_GUILESS_MAIN(TestKeyStore)
#include "tst_key_store.moc"
