// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "net/protocol/claims.h"

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sunloco::server {

struct InitOptions {
    std::filesystem::path folder;                                   ///< new or empty
    std::vector<std::filesystem::path> texts;                       ///< files and folders of UTF-8 text
    std::filesystem::path model;                                    ///< config.json
    std::string name;                                               ///< empty = the folder's name
    std::string description;
    std::string url;
    std::string source;
    std::string licence;
    std::string method;                                             ///< empty = the recipe's default
    std::vector<std::string> settings;                              ///< "recipe_key=value"
    std::vector<std::string> hostNames;                             ///< more names in the own certificate
    /// Told what is being done, for a person who waits.
    std::function<void(const std::string&)> progress;
};

struct InitReport {
    std::string projectId;
    std::string name;
    std::string rootHash;
    std::int64_t files = 0;
    std::int64_t trainingTokens = 0;
    std::int64_t heldOutTokens = 0;
    std::int64_t vocabulary = 0;
    std::int64_t examples = 0;                                      ///< training examples of one pass over the text
    std::int64_t roundExamples = 0;                                 ///< what one round with full quorum uses
    protocol::Claims claims;
};

/// Makes a project from text: tokenizer, shards, initial weights, keys, signed metadata, own certificate. project.json is written last, so a
/// folder whose making was interrupted is never taken for a project. Errors are sentences: what, where, what to do.
core::Result<InitReport> initProject(const InitOptions& options, const core::Clock& clock);

}  // namespace sunloco::server
