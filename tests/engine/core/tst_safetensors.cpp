// SPDX-License-Identifier: Apache-2.0
#include "engine/core/files.h"
#include "engine/core/safetensors.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <limits>

using namespace sunloco::core;
namespace fs = std::filesystem;

namespace {
const fs::path kReference = SUNLOCO_SOURCE_DIR "/tests/data/reference";

Bytes fileOf(const std::string& header, std::size_t dataBytes) {
    Bytes out(8);
    writeU64(out.data(), header.size());
    out.insert(out.end(), header.begin(), header.end());
    out.resize(out.size() + dataBytes);
    return out;
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

Result<SafetensorsHeader> parse(const Bytes& file) { return parseSafetensorsHeader(file, file.size()); }

template <typename T>
ByteView bytesOf(const std::vector<T>& values) {
    return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)};
}

ModelConfig configOf(const char* model) { return parseModelConfig(readTextFile(kReference / model / "config.json", 1 << 20).value()).value(); }
}  // namespace

class TestSafetensors : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = m_dir->path().toStdString();
    }
    void acceptsAGoodHeader();
    void refusesBadFiles_data();
    void refusesBadFiles();
    void hugeHeaderCostsNothing();
    void everyCutIsRefused();
    void referenceModels_data();
    void referenceModels();
    void layoutIsGapless_data() { referenceModels_data(); }
    void layoutIsGapless();
    void halfPrecision();
    void integers();
    void sameInputSameBytes();
    void modelMustMatchItsConfig();
    void tiedHeadStoredTwice();
    void shardedModel();
    void badShards_data();
    void badShards();

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_folder;
};

void TestSafetensors::acceptsAGoodHeader() {
    const auto header = parse(fileOf("{\"__metadata__\":{\"format\":\"pt\"}," + entry("b", "F32", "[2,3]", "[4,28]") + "," + entry("a", "BF16", "[2]", "[0,4]") + "}   ", 28));
    QVERIFY2(header, header ? "" : header.error().text().c_str());
    QCOMPARE(header->tensors.size(), std::size_t{2});
    QCOMPARE(header->tensors[0].name, std::string("a"));
    QCOMPARE(header->tensors[1].begin - header->dataStart, std::uint64_t{4});
    QCOMPARE(header->tensors[1].shape, (std::vector<std::int64_t>{2, 3}));
    QCOMPARE(header->metadata.at("format"), std::string("pt"));
    QVERIFY(header->find("b") != nullptr && header->find("c") == nullptr);
    QVERIFY(parse(fileOf("{" + entry("scalar", "F32", "[]", "[0,4]") + "}", 4)));
    QVERIFY(parse(fileOf("{}", 0)));
}

void TestSafetensors::refusesBadFiles_data() {
    QTest::addColumn<QByteArray>("file");
    const auto row = [](const char* name, const std::string& header, std::size_t data) {
        const Bytes file = fileOf(header, data);
        QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(file.data()), static_cast<qsizetype>(file.size()));
    };
    const std::string a = entry("a", "F32", "[2]", "[0,8]");
    row("hole", "{" + a + "," + entry("b", "F32", "[1]", "[12,16]") + "}", 16);
    row("hole at the start", "{" + entry("a", "F32", "[2]", "[4,12]") + "}", 12);
    row("overlap", "{" + a + "," + entry("b", "F32", "[1]", "[4,8]") + "}", 8);
    row("same range twice", "{" + a + "," + entry("b", "F32", "[2]", "[0,8]") + "}", 8);
    row("same name twice", "{" + a + "," + entry("a", "F32", "[1]", "[8,12]") + "}", 12);
    row("trailing bytes", "{" + a + "}", 9);
    row("data too short", "{" + a + "}", 7);
    row("rank 5", "{" + entry("a", "F32", "[1,1,1,1,2]", "[0,8]") + "}", 8);
    row("empty tensor", "{" + entry("a", "F32", "[0]", "[0,0]") + "}", 0);
    row("size does not match the shape", "{" + entry("a", "F32", "[3]", "[0,8]") + "}", 8);
    row("product overflows", "{" + entry("a", "F32", "[1099511627776,1099511627776,4]", "[0,8]") + "}", 8);
    row("negative dimension", "{" + entry("a", "F32", "[-2]", "[0,8]") + "}", 8);
    row("fractional dimension", "{" + entry("a", "F32", "[2.0]", "[0,8]") + "}", 8);
    row("end before begin", "{" + entry("a", "F32", "[2]", "[8,0]") + "}", 8);
    row("dtype F64", "{" + entry("a", "F64", "[1]", "[0,8]") + "}", 8);
    row("dtype not a text", R"({"a":{"dtype":7,"shape":[2],"data_offsets":[0,8]}})", 8);
    row("key missing", R"({"a":{"dtype":"F32","shape":[2]}})", 8);
    row("key too many", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", 8);
    row("three offsets", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4,8]}})", 8);
    row("metadata not texts", R"({"__metadata__":{"a":1}})", 0);
    row("metadata not an object", R"({"__metadata__":"x"})", 0);
    row("starts with a space", " {" + a + "}", 8);
    row("not an object", "[]", 0);
    row("bytes after the object", "{" + a + "}x", 8);
    row("not UTF-8", "{" + entry("\xff", "F32", "[2]", "[0,8]") + "}", 8);
    QTest::newRow("empty file") << QByteArray();
    QTest::newRow("seven bytes") << QByteArray(7, '\0');
    QTest::newRow("pickle") << QByteArray::fromHex("80027d7100580300000061626371014b0173752e") + QByteArray(200, 'x');
    QTest::newRow("zip (torch.save)") << QByteArray("PK\x03\x04", 4) + QByteArray(200, '\0');
}
void TestSafetensors::refusesBadFiles() {
    QFETCH(QByteArray, file);
    const Bytes bytes(file.begin(), file.end());
    const auto header = parse(bytes);
    QVERIFY(!header);
    QVERIFY(header.error().code == ErrorCode::InvalidData || header.error().code == ErrorCode::LimitExceeded);
    QVERIFY(writeFileAtomically(m_folder / "x", bytes));
    QVERIFY(!readSafetensorsHeader(m_folder / "x"));
}

void TestSafetensors::hugeHeaderCostsNothing() {
    for (const std::uint64_t length : {std::uint64_t{1} << 21, std::uint64_t{1} << 40, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
        Bytes file = fileOf("{}", 64);
        writeU64(file.data(), length);
        const auto header = parseSafetensorsHeader(file, std::uint64_t{1} << 39);
        QVERIFY(!header);
        QCOMPARE(header.error().code, ErrorCode::LimitExceeded);
        QVERIFY(writeFileAtomically(m_folder / "x", file));
        QVERIFY(!readSafetensorsHeader(m_folder / "x"));
    }
}

void TestSafetensors::everyCutIsRefused() {
    const Bytes whole = fileOf("{" + entry("a", "F32", "[2]", "[0,8]") + "}", 8);
    QVERIFY(parse(whole));
    for (std::size_t n = 0; n < whole.size(); ++n) { QVERIFY(!parse(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)))); }
}

void TestSafetensors::referenceModels_data() {
    QTest::addColumn<QByteArray>("model");
    for (const char* model : {"gpt2", "llama-gqa", "llama-tied"}) { QTest::newRow(model) << QByteArray(model); }
}
// Files that transformers' save_pretrained wrote: loading, saving and loading again gives the same names, shapes and values.
void TestSafetensors::referenceModels() {
    QFETCH(QByteArray, model);
    const TensorLayout layout = makeLayout(configOf(model.constData()));
    const fs::path original = kReference / model.toStdString() / "model.safetensors";
    const auto arena = loadArena(original, layout);
    QVERIFY2(arena, arena ? "" : arena.error().text().c_str());
    QVERIFY(saveArena(m_folder / "model.safetensors", *arena, layout));
    const auto before = readSafetensorsHeader(original), after = readSafetensorsHeader(m_folder / "model.safetensors");
    QVERIFY(before && after);
    QCOMPARE(after->tensors.size(), before->tensors.size());
    for (const TensorInfo& tensor : before->tensors) {
        const TensorInfo* same = after->find(tensor.name);
        QVERIFY2(same != nullptr, tensor.name.c_str());
        QCOMPARE(same->shape, tensor.shape);
        QCOMPARE(same->dtype, tensor.dtype);
        QCOMPARE(readFloatTensor(m_folder / "model.safetensors", *same).value(), readFloatTensor(original, tensor).value());
    }
    QCOMPARE(after->metadata.at("format"), std::string("pt"));
    QCOMPARE(loadArena(m_folder, layout).value(), *arena);
}

void TestSafetensors::layoutIsGapless() {
    QFETCH(QByteArray, model);
    const ModelConfig config = configOf(model.constData());
    const TensorLayout layout = makeLayout(config);
    std::int64_t next = 0;
    for (const TensorSlot& slot : layout.slots) {
        QCOMPARE(slot.offset, next);
        std::int64_t count = 1;
        for (const std::int64_t n : slot.shape) { count *= n; }
        QCOMPARE(slot.count, count);
        QCOMPARE(slot.decay, slot.shape.size() >= 2);
        next += count;
    }
    QCOMPARE(layout.total, next);
    QCOMPARE(parameterCount(config), next);
}

void TestSafetensors::halfPrecision() {
    const std::vector<std::uint16_t> bf16 = {0x3f80, 0xc000, 0x0001, 0x7f7f};
    const std::vector<std::uint16_t> f16 = {0x3c00, 0xc000, 0x0001, 0x03ff, 0x0400, 0x7bff, 0x8000, 0x3555};
    QVERIFY(writeSafetensors(m_folder / "x", {{"b", DType::BF16, {4}, bytesOf(bf16)}, {"h", DType::F16, {8}, bytesOf(f16)}}));
    const auto header = readSafetensorsHeader(m_folder / "x");
    QVERIFY(header);
    QCOMPARE(readFloatTensor(m_folder / "x", *header->find("b")).value(), (std::vector<float>{1.0F, -2.0F, std::bit_cast<float>(0x10000), std::bit_cast<float>(0x7f7f0000)}));
    const auto half = readFloatTensor(m_folder / "x", *header->find("h")).value();
    QCOMPARE(half, (std::vector<float>{1.0F, -2.0F, 0x1p-24F, 1023 * 0x1p-24F, 0x1p-14F, 65504.0F, -0.0F, 1365 * 0x1p-12F}));
    QVERIFY(std::signbit(half[6]));
    QVERIFY(!readIntTensor(m_folder / "x", *header->find("b")));
}

void TestSafetensors::integers() {
    const std::vector<std::int32_t> ids = {0, -1, 2147483647};
    QVERIFY(writeSafetensors(m_folder / "x", {{"ids", DType::I32, {1, 3}, bytesOf(ids)}}));
    const auto header = readSafetensorsHeader(m_folder / "x");
    QCOMPARE(readIntTensor(m_folder / "x", header->tensors[0]).value(), ids);
    QVERIFY(!readFloatTensor(m_folder / "x", header->tensors[0]));
    // A file that shrinks after its header was read is an error, not a wild read.
    fs::resize_file(m_folder / "x", fs::file_size(m_folder / "x") - 4);
    QVERIFY(!readIntTensor(m_folder / "x", header->tensors[0]));
}

void TestSafetensors::sameInputSameBytes() {
    const std::vector<float> one = {1, 2}, two = {3};
    const std::vector<std::uint16_t> half = {0x3c00};
    const TensorToWrite a{"a", DType::F32, {2}, bytesOf(one)}, b{"b", DType::F32, {1}, bytesOf(two)}, h{"0", DType::F16, {1}, bytesOf(half)};
    QVERIFY(writeSafetensors(m_folder / "x", {a, b, h}, {{"k", "v"}}));
    QVERIFY(writeSafetensors(m_folder / "y", {h, b, a}, {{"k", "v"}}));
    const Bytes x = readFile(m_folder / "x", 1 << 20).value();
    QCOMPARE(x, readFile(m_folder / "y", 1 << 20).value());
    QCOMPARE(readU64(x.data()) % 8, std::uint64_t{0});
    // Larger dtypes first, then by name.
    const auto header = readSafetensorsHeader(m_folder / "x");
    QCOMPARE(header->tensors[0].name + header->tensors[1].name + header->tensors[2].name, std::string("ab0"));
    QVERIFY(!writeSafetensors(m_folder / "z", {{"a", DType::F32, {3}, bytesOf(one)}}));
    QVERIFY(!fs::exists(m_folder / "z"));
}

void TestSafetensors::modelMustMatchItsConfig() {
    const ModelConfig config = configOf("llama-gqa");
    const TensorLayout layout = makeLayout(config);
    const std::vector<float> arena(static_cast<std::size_t>(layout.total), 0.5F);
    const auto written = [&](const std::function<void(std::vector<TensorToWrite>&)>& change) {
        std::vector<TensorToWrite> tensors;
        for (const TensorSlot& slot : layout.slots) {
            tensors.push_back({slot.name, DType::F32, slot.shape, ByteView(reinterpret_cast<const std::uint8_t*>(arena.data() + slot.offset), static_cast<std::size_t>(slot.count) * 4)});
        }
        change(tensors);
        return writeSafetensors(m_folder / "m.safetensors", tensors).has_value();
    };
    const auto message = [&] {
        const auto loaded = loadArena(m_folder / "m.safetensors", layout);
        return loaded ? std::string() : loaded.error().message;
    };
    QVERIFY(written([](auto&) {}));
    QCOMPARE(message(), std::string());
    QVERIFY(written([](auto& t) { t.pop_back(); }));
    QVERIFY(message().find("lacks") != std::string::npos);
    QVERIFY(written([](auto& t) { t[1].name = "model.extra"; }));
    QVERIFY(message().find("\"model.extra\"") != std::string::npos);
    QVERIFY(written([](auto& t) { std::swap(t[0].shape[0], t[0].shape[1]); }));
    QVERIFY(message().find("shape") != std::string::npos);
    std::vector<float> broken(static_cast<std::size_t>(layout.slots[0].count), 0.5F);
    broken.back() = std::numeric_limits<float>::infinity();
    QVERIFY(written([&](auto& t) { t[0].data = bytesOf(broken); }));
    QVERIFY(message().find("NaN or infinity") != std::string::npos);
}

void TestSafetensors::tiedHeadStoredTwice() {
    const TensorLayout layout = makeLayout(configOf("llama-tied"));
    const auto arena = loadArena(kReference / "llama-tied" / "model.safetensors", layout).value();
    std::vector<float> head(arena.begin(), arena.begin() + static_cast<std::ptrdiff_t>(layout.slots[0].count));
    const auto write = [&] {
        std::vector<TensorToWrite> tensors = {{"lm_head.weight", DType::F32, layout.slots[0].shape, bytesOf(head)}};
        for (const TensorSlot& slot : layout.slots) {
            tensors.push_back({slot.name, DType::F32, slot.shape, ByteView(reinterpret_cast<const std::uint8_t*>(arena.data() + slot.offset), static_cast<std::size_t>(slot.count) * 4)});
        }
        return writeSafetensors(m_folder / "m.safetensors", tensors).has_value();
    };
    QVERIFY(write());
    QCOMPARE(loadArena(m_folder / "m.safetensors", layout).value(), arena);
    head[5] += 1;
    QVERIFY(write());
    QVERIFY(!loadArena(m_folder / "m.safetensors", layout));
}

void TestSafetensors::shardedModel() {
    const TensorLayout layout = makeLayout(configOf("llama-gqa"));
    const auto arena = loadArena(kReference / "llama-gqa" / "model.safetensors", layout).value();
    std::vector<TensorToWrite> parts[2];
    std::string map;
    for (std::size_t i = 0; i < layout.slots.size(); ++i) {
        const TensorSlot& slot = layout.slots[i];
        parts[i % 2].push_back({slot.name, DType::F32, slot.shape, ByteView(reinterpret_cast<const std::uint8_t*>(arena.data() + slot.offset), static_cast<std::size_t>(slot.count) * 4)});
        map += (map.empty() ? "\"" : ",\"") + slot.name + "\":\"part-" + std::to_string(i % 2) + ".safetensors\"";
    }
    for (std::size_t i = 0; i < 2; ++i) { QVERIFY(writeSafetensors(m_folder / ("part-" + std::to_string(i) + ".safetensors"), parts[i])); }
    const fs::path index = m_folder / "model.safetensors.index.json";
    QVERIFY(writeFileAtomically(index, asBytes("{\"metadata\":{},\"weight_map\":{" + map + "}}")));
    QCOMPARE(loadArena(m_folder, layout).value(), arena);
    QCOMPARE(loadArena(index, layout).value(), arena);
    QVERIFY(writeFileAtomically(index, asBytes("{\"metadata\":{\"total_size\":" + std::to_string(4 * layout.total) + "},\"weight_map\":{" + map + "}}")));
    QCOMPARE(loadArena(m_folder, layout).value(), arena);
}

void TestSafetensors::badShards_data() {
    QTest::addColumn<int>("which");
    QTest::addColumn<QByteArray>("says");
    const char* texts[] = {"part-1.safetensors", "there twice|does not have it", "does not have it", "lacks it", "plain file name", "plain file name", "plain file name",
                           "plain file name", "the index says", "weight_map", "plain file name", "names no tensors", "total_size", "does not fit|tensors end"};
    const char* names[] = {"a shard is missing", "a tensor in two shards", "the index has it in another shard", "the index has it, the shard does not", "..", "sub/part",
                           "/etc/passwd", "backslash", "wrong total size", "no map", "not a text", "nothing in it", "negative size", "a shard that was cut"};
    for (std::size_t i = 0; i < std::size(names); ++i) { QTest::newRow(names[i]) << static_cast<int>(i) << QByteArray(texts[i]); }
}
/// Two shards of a Llama model with one thing wrong.
void TestSafetensors::badShards() {
    QFETCH(int, which);
    QFETCH(QByteArray, says);
    const TensorLayout layout = makeLayout(configOf("llama-gqa"));
    const std::vector<float> arena(static_cast<std::size_t>(layout.total), 0.5F);
    std::vector<TensorToWrite> parts[2];
    Json index = {{"metadata", {{"total_size", 4 * layout.total}}}, {"weight_map", Json::object()}};
    for (std::size_t i = 0; i < layout.slots.size(); ++i) {
        const TensorSlot& slot = layout.slots[i];
        parts[i % 2].push_back({slot.name, DType::F32, slot.shape, ByteView(reinterpret_cast<const std::uint8_t*>(arena.data() + slot.offset), static_cast<std::size_t>(slot.count) * 4)});
        index["weight_map"][slot.name] = i % 2 == 0 ? "part-0.safetensors" : "part-1.safetensors";
    }
    const std::string first = layout.slots[0].name, second = layout.slots[1].name;
    Json& map = index["weight_map"];
    if (which == 1) { parts[1].push_back(parts[0][0]); }
    if (which == 2) { map[first] = "part-1.safetensors"; }
    if (which == 3) { map["model.extra"] = "part-0.safetensors"; }
    const char* tricks[] = {"..", "sub/part-0.safetensors", "/etc/passwd", "..\\part-0.safetensors"};
    if (which >= 4 && which <= 7) { map[first] = tricks[which - 4]; }
    if (which == 8) { index["metadata"]["total_size"] = 4 * layout.total + 4; }
    if (which == 9) { index["weight_map"] = 7; }
    if (which == 10) { map[first] = 7; }
    if (which == 11) { map = Json::object(); }
    if (which == 12) { index["metadata"]["total_size"] = -4; }
    for (std::size_t i = 0; i < 2; ++i) {
        if (which != 0 || i == 0) { QVERIFY(writeSafetensors(m_folder / ("part-" + std::to_string(i) + ".safetensors"), parts[i])); }
    }
    if (which == 13) { fs::resize_file(m_folder / "part-1.safetensors", fs::file_size(m_folder / "part-1.safetensors") - 4); }
    QVERIFY(writeFileAtomically(m_folder / "model.safetensors.index.json", asBytes(index.dump())));
    const auto loaded = loadArena(m_folder, layout);
    QVERIFY(!loaded);
    const std::string text = loaded.error().text();
    bool said = false;
    for (const QByteArray& part : says.split('|')) { said = said || text.find(part.toStdString()) != std::string::npos; }
    QVERIFY2(said, text.c_str());
}

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
