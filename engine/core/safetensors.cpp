// SPDX-License-Identifier: Apache-2.0
#include "engine/core/safetensors.h"

#include "engine/core/files.h"
#include "engine/core/half.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <set>

namespace sunloco::core {

namespace fs = std::filesystem;

namespace {
struct TypeName {
    DType type;
    const char* name;
    std::size_t size;
};
constexpr TypeName kTypes[] = {{DType::F32, "F32", 4}, {DType::BF16, "BF16", 2}, {DType::F16, "F16", 2}, {DType::I8, "I8", 1}, {DType::U8, "U8", 1}, {DType::I32, "I32", 4}};

const TypeName& typeName(DType type) {
    return *std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeName& t) { return t.type == type; });
}

Error invalid(std::string message) { return Error{ErrorCode::InvalidData, "Not an acceptable safetensors file: " + std::move(message), {}}; }

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string out = "[";
    for (const std::int64_t n : shape) { out += (out.size() > 1 ? ", " : "") + std::to_string(n); }
    return out + "]";
}

Result<TensorInfo> readEntry(const std::string& name, const Json& entry, std::uint64_t dataStart) {
    const std::string shown = "tensor \"" + name.substr(0, 100) + "\"";
    if (!entry.is_object() || entry.size() != 3) { return invalid(shown + " must have exactly dtype, shape and data_offsets"); }
    const auto type = entry.find("dtype"), shape = entry.find("shape"), offsets = entry.find("data_offsets");
    if (type == entry.end() || shape == entry.end() || offsets == entry.end()) { return invalid(shown + " must have exactly dtype, shape and data_offsets"); }
    TensorInfo info;
    info.name = name;
    const auto known = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeName& t) { return type->is_string() && type->get<std::string>() == t.name; });
    if (known == std::end(kTypes)) { return invalid(shown + " has the dtype " + type->dump().substr(0, 20) + "; accepted are F32, BF16, F16, I8, U8 and I32"); }
    info.dtype = known->type;
    if (!shape->is_array() || shape->size() > 4) { return invalid(shown + " has more than 4 dimensions or no shape"); }
    std::uint64_t bytes = known->size;
    for (const Json& n : *shape) {
        if (!n.is_number_unsigned() || n.get<std::uint64_t>() == 0 || n.get<std::uint64_t>() > (std::uint64_t{1} << 40)) { return invalid(shown + " has an empty or impossible shape"); }
        if (__builtin_mul_overflow(bytes, n.get<std::uint64_t>(), &bytes)) { return invalid(shown + " has a size that overflows"); }
        info.shape.push_back(n.get<std::int64_t>());
    }
    if (!offsets->is_array() || offsets->size() != 2 || !(*offsets)[0].is_number_unsigned() || !(*offsets)[1].is_number_unsigned()) { return invalid(shown + " has malformed data_offsets"); }
    const auto begin = (*offsets)[0].get<std::uint64_t>(), end = (*offsets)[1].get<std::uint64_t>();
    if (end < begin || end - begin != bytes) { return invalid(shown + " has data_offsets that do not match its shape and dtype"); }
    if (begin > (std::uint64_t{1} << 62)) { return invalid(shown + " lies beyond any file's end"); }
    info.begin = dataStart + begin;
    info.bytes = bytes;
    return info;
}

Result<Bytes> readRange(const fs::path& path, std::uint64_t begin, std::uint64_t bytes) {
    std::ifstream in(path, std::ios::binary);
    if (!in) { return fileError(errno, "open the tensor file", path); }
    Bytes out(bytes);
    in.seekg(static_cast<std::streamoff>(begin));
    in.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(bytes));
    if (static_cast<std::uint64_t>(in.gcount()) != bytes) { return Error{ErrorCode::Io, "The tensor file ended too early; it may have changed while it was read", path.string()}; }
    return out;
}
}  // namespace

std::size_t dtypeSize(DType type) { return typeName(type).size; }

const TensorInfo* SafetensorsHeader::find(std::string_view name) const {
    const auto it = std::find_if(tensors.begin(), tensors.end(), [&](const TensorInfo& t) { return t.name == name; });
    return it == tensors.end() ? nullptr : &*it;
}

Result<SafetensorsHeader> parseSafetensorsHeader(ByteView head, std::uint64_t fileSize, const SafetensorsLimits& limits) {
    if (head.size() < 8 || fileSize < 8) { return invalid("it is shorter than 8 bytes"); }
    if (fileSize > limits.maxFile) { return Error{ErrorCode::LimitExceeded, "The safetensors file is larger than allowed", {}}; }
    const std::uint64_t n = readU64(head.data());
    if (n > limits.maxHeader) { return Error{ErrorCode::LimitExceeded, "The safetensors header announces " + std::to_string(n) + " bytes, at most " + std::to_string(limits.maxHeader) + " are allowed", {}}; }
    if (n < 2 || n + 8 > fileSize || n + 8 > head.size()) { return invalid("the header does not fit into the file"); }
    if (head[8] != '{') { return invalid("the header does not start with {"); }
    const auto json = parseJson(toText(head.subspan(8, n)), {.maxBytes = limits.maxHeader, .maxDepth = 4, .maxElements = 8 * limits.maxTensors}, "safetensors header");
    if (!json) { return json.error(); }
    if (!json->is_object()) { return invalid("the header is not an object"); }
    SafetensorsHeader out;
    out.dataStart = 8 + n;
    for (const auto& [name, entry] : json->items()) {
        if (name == "__metadata__") {
            if (!entry.is_object()) { return invalid("__metadata__ must be an object of texts"); }
            for (const auto& [key, value] : entry.items()) {
                if (!value.is_string()) { return invalid("__metadata__ must be an object of texts"); }
                out.metadata[key] = value.get<std::string>();
            }
            continue;
        }
        if (out.tensors.size() >= limits.maxTensors) { return Error{ErrorCode::LimitExceeded, "The safetensors file has too many tensors", {}}; }
        auto info = readEntry(name, entry, out.dataStart);
        if (!info) { return info.error(); }
        out.tensors.push_back(std::move(*info));
    }
    std::sort(out.tensors.begin(), out.tensors.end(), [](const TensorInfo& a, const TensorInfo& b) { return a.begin < b.begin; });
    std::uint64_t at = out.dataStart;
    for (const TensorInfo& t : out.tensors) {
        if (t.begin != at) { return invalid("tensor \"" + t.name.substr(0, 100) + (t.begin > at ? "\" follows a hole" : "\" overlaps another")); }
        at += t.bytes;
    }
    if (at != fileSize) { return invalid("the tensors end at byte " + std::to_string(at) + ", the file has " + std::to_string(fileSize)); }
    return out;
}

Result<SafetensorsHeader> readSafetensorsHeader(const fs::path& path, const SafetensorsLimits& limits) {
    std::error_code ec;
    const std::uint64_t size = fs::file_size(path, ec);
    if (ec) { return fileError(ec.value(), "open the tensor file", path); }
    if (size < 8) { return Error{ErrorCode::InvalidData, "Not a safetensors file: it is shorter than 8 bytes", path.string()}; }
    auto length = readRange(path, 0, 8);
    if (!length) { return length.error(); }
    const std::uint64_t n = std::min({readU64(length->data()), limits.maxHeader, size - 8});
    auto head = readRange(path, 0, 8 + n);
    if (!head) { return head.error(); }
    auto parsed = parseSafetensorsHeader(*head, size, limits);
    if (!parsed) {
        Error error = parsed.error();
        error.context = path.string();
        return error;
    }
    return parsed;
}

Result<std::vector<float>> readFloatTensor(const fs::path& path, const TensorInfo& info) {
    const auto bytes = readRange(path, info.begin, info.bytes);
    if (!bytes) { return bytes.error(); }
    std::vector<float> out(info.bytes / dtypeSize(info.dtype));
    switch (info.dtype) {
    case DType::F32: std::memcpy(out.data(), bytes->data(), bytes->size()); break;
    case DType::BF16:
        for (std::size_t i = 0; i < out.size(); ++i) { out[i] = fromBf16(readU16(bytes->data() + 2 * i)); }
        break;
    case DType::F16:
        for (std::size_t i = 0; i < out.size(); ++i) { out[i] = fromF16(readU16(bytes->data() + 2 * i)); }
        break;
    case DType::I8:
    case DType::U8:
    case DType::I32: return Error{ErrorCode::InvalidData, "The tensor \"" + info.name + "\" holds whole numbers where real ones are needed", path.string()};
    }
    return out;
}

Result<std::vector<std::int32_t>> readIntTensor(const fs::path& path, const TensorInfo& info) {
    if (info.dtype != DType::I32) { return Error{ErrorCode::InvalidData, "The tensor \"" + info.name + "\" must hold 32-bit whole numbers", path.string()}; }
    const auto bytes = readRange(path, info.begin, info.bytes);
    if (!bytes) { return bytes.error(); }
    std::vector<std::int32_t> out(info.bytes / 4);
    std::memcpy(out.data(), bytes->data(), bytes->size());
    return out;
}

namespace {
/// The files that together hold a model, and for shards which tensors the index puts into which file.
struct ModelFiles {
    std::vector<fs::path> files;
    std::map<std::string, fs::path> owner;  ///< empty for a single file
    std::optional<std::uint64_t> totalBytes;
};

/// A shard is a plain file name: anything with a folder in it could point outside.
bool isPlainFileName(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\:\0", 4)) == std::string::npos;
}

Result<ModelFiles> readIndex(const fs::path& file) {
    const auto bad = [&file](std::string message) { return Error{ErrorCode::InvalidData, std::move(message), file.string()}; };
    const auto text = readTextFile(file, 16u << 20);
    if (!text) { return text.error(); }
    const auto json = parseJson(*text, {.maxBytes = 16u << 20, .maxDepth = 4, .maxElements = 1'000'000}, file.string());
    if (!json) { return json.error(); }
    const auto map = member(*json, "weight_map", "index");
    if (!map || !(*map)->is_object()) { return bad("The index has no \"weight_map\""); }
    ModelFiles out;
    for (const auto& [name, shard] : (*map)->items()) {
        if (!shard.is_string() || !isPlainFileName(shard.get<std::string>())) { return bad("The index names a shard that is not a plain file name"); }
        out.owner[name] = file.parent_path() / shard.get<std::string>();
    }
    if (out.owner.empty()) { return bad("The index names no tensors"); }
    std::set<fs::path> files;
    for (const auto& [name, path] : out.owner) { files.insert(path); }
    out.files.assign(files.begin(), files.end());
    if (json->contains("metadata") && (*json)["metadata"].is_object() && (*json)["metadata"].contains("total_size")) {
        // transformers 5 writes total_parameters beside it; total_size counts bytes of tensor data.
        const Json& size = (*json)["metadata"]["total_size"];
        if (!size.is_number_integer() || size < 0) { return bad("The index's \"metadata.total_size\" is not a number of bytes"); }
        out.totalBytes = size.get<std::uint64_t>();
    }
    return out;
}

Result<ModelFiles> modelFiles(const fs::path& fileOrFolder) {
    fs::path file = fileOrFolder;
    std::error_code ec;
    if (fs::is_directory(file, ec)) {
        file = fs::exists(fileOrFolder / "model.safetensors", ec) ? fileOrFolder / "model.safetensors" : fileOrFolder / "model.safetensors.index.json";
    }
    if (file.extension() == ".json") { return readIndex(file); }
    return ModelFiles{{file}, {}, {}};
}
}  // namespace

Result<std::vector<float>> loadArena(const fs::path& fileOrFolder, const TensorLayout& layout) {
    const auto files = modelFiles(fileOrFolder);
    if (!files) { return files.error(); }
    std::vector<float> arena(static_cast<std::size_t>(layout.total));
    std::set<std::string> loaded;
    std::vector<float> tiedHead;
    std::uint64_t totalBytes = 0;
    for (const fs::path& file : files->files) {
        const auto header = readSafetensorsHeader(file);
        if (!header) { return header.error(); }
        for (const TensorInfo& info : header->tensors) {
            totalBytes += info.bytes;
            if (const auto owner = files->owner.find(info.name); !files->owner.empty() && (owner == files->owner.end() || owner->second != file)) {
                return Error{ErrorCode::InvalidData, "The tensor \"" + info.name.substr(0, 100) + "\" is in a shard in which the index does not have it", file.string()};
            }
            const auto slot = std::find_if(layout.slots.begin(), layout.slots.end(), [&](const TensorSlot& s) { return s.name == info.name; });
            const bool isTiedHead = slot == layout.slots.end() && info.name == "lm_head.weight" && info.shape == layout.slots.front().shape;
            if (slot == layout.slots.end() && !isTiedHead) {
                return Error{ErrorCode::InvalidData, "The model file has a tensor that the config does not ask for: \"" + info.name.substr(0, 100) + "\"", file.string()};
            }
            if (!isTiedHead && info.shape != slot->shape) {
                return Error{ErrorCode::InvalidData, "The tensor \"" + info.name + "\" has the shape " + shapeText(info.shape) + ", the config asks for " + shapeText(slot->shape), file.string()};
            }
            if (!loaded.insert(info.name).second) { return Error{ErrorCode::InvalidData, "The tensor \"" + info.name + "\" is there twice", file.string()}; }
            auto values = readFloatTensor(file, info);
            if (!values) { return values.error(); }
            if (!std::all_of(values->begin(), values->end(), [](float v) { return std::isfinite(v); })) {
                return Error{ErrorCode::InvalidData, "The tensor \"" + info.name + "\" holds NaN or infinity", file.string()};
            }
            if (isTiedHead) {
                tiedHead = std::move(*values);
            } else {
                std::copy(values->begin(), values->end(), arena.begin() + static_cast<std::ptrdiff_t>(slot->offset));
            }
        }
    }
    for (const auto& [name, file] : files->owner) {
        if (!loaded.contains(name)) { return Error{ErrorCode::InvalidData, "The index has the tensor \"" + name.substr(0, 100) + "\" in a shard that lacks it", file.string()}; }
    }
    if (files->totalBytes && *files->totalBytes != totalBytes) {
        return Error{ErrorCode::InvalidData, "The shards hold " + std::to_string(totalBytes) + " bytes of tensors, the index says " + std::to_string(*files->totalBytes),
                     fileOrFolder.string()};
    }
    for (const TensorSlot& slot : layout.slots) {
        if (!loaded.contains(slot.name)) { return Error{ErrorCode::InvalidData, "The model file lacks the tensor \"" + slot.name + "\"", fileOrFolder.string()}; }
    }
    // The embedding is the first slot; a tied head must be the same matrix.
    if (!tiedHead.empty() && !std::equal(tiedHead.begin(), tiedHead.end(), arena.begin())) {
        return Error{ErrorCode::InvalidData, "The config ties the head to the embedding, but the file's \"lm_head.weight\" differs from it", fileOrFolder.string()};
    }
    return arena;
}

Result<void> writeSafetensors(const fs::path& path, std::vector<TensorToWrite> tensors, const std::map<std::string, std::string>& metadata, FaultPolicy* faults) {
    std::sort(tensors.begin(), tensors.end(), [](const TensorToWrite& a, const TensorToWrite& b) {
        const std::size_t sa = dtypeSize(a.dtype), sb = dtypeSize(b.dtype);
        return sa != sb ? sa > sb : a.name < b.name;
    });
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) { header["__metadata__"] = metadata; }
    std::uint64_t at = 0;
    for (const TensorToWrite& t : tensors) {
        const std::int64_t count = std::accumulate(t.shape.begin(), t.shape.end(), std::int64_t{1}, std::multiplies<>());
        if (static_cast<std::uint64_t>(count) * dtypeSize(t.dtype) != t.data.size() || t.data.empty()) {
            return Error{ErrorCode::InvalidArgument, "The tensor \"" + t.name + "\" to be written has a shape that does not match its data", path.string()};
        }
        header[t.name] = {{"dtype", typeName(t.dtype).name}, {"shape", t.shape}, {"data_offsets", {at, at + t.data.size()}}};
        at += t.data.size();
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    Bytes head(8);
    writeU64(head.data(), text.size());
    head.insert(head.end(), text.begin(), text.end());
    std::vector<ByteView> pieces{head};
    for (const TensorToWrite& t : tensors) { pieces.push_back(t.data); }
    return writeFileAtomically(path, std::span<const ByteView>(pieces), faults);
}

Result<void> saveArena(const fs::path& path, std::span<const float> arena, const TensorLayout& layout, FaultPolicy* faults) {
    std::vector<TensorToWrite> tensors;
    tensors.reserve(layout.slots.size());
    for (const TensorSlot& slot : layout.slots) {
        const auto* begin = reinterpret_cast<const std::uint8_t*>(arena.data() + slot.offset);
        tensors.push_back({slot.name, DType::F32, slot.shape, {begin, static_cast<std::size_t>(slot.count) * sizeof(float)}});
    }
    return writeSafetensors(path, std::move(tensors), {{"format", "pt"}}, faults);
}

}  // namespace sunloco::core
