// SPDX-License-Identifier: Apache-2.0
#include "engine/data/corpus.h"

#include "engine/core/files.h"
#include "engine/core/sha256.h"
#include "engine/data/utf8.h"

#include <algorithm>
#include <set>

namespace sunloco::data {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Result;

namespace {
constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 36;

bool isHidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

Result<void> listFolder(const fs::path& folder, std::vector<fs::path>& files) {
    std::error_code ec;
    for (fs::recursive_directory_iterator entry(folder, ec), end; !ec && entry != end; entry.increment(ec)) {
        std::error_code unused;
        if (isHidden(entry->path())) {
            entry.disable_recursion_pending();
        } else if (entry->is_regular_file(unused)) {
            files.push_back(entry->path());
        }
    }
    return ec ? Result<void>(core::fileError(ec.value(), "read the folder of texts", folder)) : Result<void>{};
}

Result<std::vector<fs::path>> listFiles(const std::vector<fs::path>& paths) {
    std::vector<fs::path> files;
    for (const fs::path& path : paths) {
        std::error_code ec;
        const fs::file_status status = fs::status(path, ec);
        if (fs::is_directory(status)) {
            if (auto listed = listFolder(path, files); !listed) { return listed.error(); }
        } else if (fs::is_regular_file(status)) {
            files.push_back(path);
        } else if (fs::exists(status)) {
            return Error{ErrorCode::InvalidArgument, "This is neither a file nor a folder; name files or folders of text", path.string()};
        } else {
            return Error{ErrorCode::NotFound, "There is no file or folder of this name. Check the path given for the text", path.string()};
        }
    }
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

/// One kind of line end, no byte order mark.
void normalise(std::string& text) {
    if (text.starts_with("\xef\xbb\xbf")) { text.erase(0, 3); }
    if (text.find('\r') == std::string::npos) { return; }
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\r') { out += text[i]; }
        else if (i + 1 == text.size() || text[i + 1] != '\n') { out += '\n'; }
    }
    text = std::move(out);
}

Result<std::string> readText(const fs::path& file) {
    auto text = core::readTextFile(file, kMaxFile);
    if (!text) { return text.error(); }
    const std::size_t zero = text->find('\0');
    if (zero != std::string::npos) {
        return Error{ErrorCode::InvalidData, "The file is not text: byte " + std::to_string(zero) + " is zero. Take it out of the folder, or convert it to UTF-8 if it is UTF-16", file.string()};
    }
    const std::size_t wrong = findInvalidUtf8(*text);
    if (wrong != std::string::npos) {
        return Error{ErrorCode::InvalidData, "The file is not UTF-8: byte " + std::to_string(wrong) + " is wrong. Convert the file (for example: iconv -f ISO-8859-1 -t UTF-8) or take it out of the folder", file.string()};
    }
    normalise(*text);
    return text;
}
}  // namespace

Result<std::vector<Document>> readCorpus(const std::vector<fs::path>& paths) {
    const auto files = listFiles(paths);
    if (!files) { return files.error(); }
    std::vector<Document> documents;
    std::set<core::Digest> seen;
    for (const fs::path& file : *files) {
        auto text = readText(file);
        if (!text) { return text.error(); }
        if (text->find_first_not_of(" \t\n\v\f") == std::string::npos) { continue; }
        if (seen.insert(core::sha256(core::asBytes(*text))).second) { documents.push_back({file, std::move(*text)}); }
    }
    if (documents.empty()) {
        std::string where;
        for (const fs::path& path : paths) { where += (where.empty() ? "" : ", ") + path.string(); }
        return Error{ErrorCode::NotFound, "There is no text here: no file with something in it was found. Put UTF-8 text files into the folder", where};
    }
    return documents;
}

}  // namespace sunloco::data
