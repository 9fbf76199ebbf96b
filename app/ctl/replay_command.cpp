// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/replay_command.h"

#include "app/rules/trace_replay.h"
#include "app/text/sentence.h"
#include "engine/core/files.h"

#include <nlohmann/json.hpp>

namespace sunloco::ctl {
namespace {

/// The same sentence as the window would have shown.
std::string sentence(const rules::Decision& decision) {
    const QString says = text::verdictText(decision.deciding);
    const QString whole = text::ruleName(decision.deciding.rule) % QStringLiteral(": ") % says;
    return whole.toStdString();
}

}  // namespace

core::Result<core::Json> replayDay(const std::filesystem::path& trace, const std::filesystem::path& settingsFile) {
    rules::ReplayOptions options;
    if (!settingsFile.empty()) {
        constexpr std::uint64_t kLargest = 1u << 20;
        auto content = core::readTextFile(settingsFile, kLargest);
        if (!content) return content.error();
        auto json = core::parseJson(*content);
        if (!json) return core::Error{json.error().code, json.error().message, settingsFile.string()};
        auto settings = rules::Settings::fromJson(*json);
        if (!settings) return core::Error{settings.error().code, settings.error().text(), settingsFile.string()};
        options.settings = *settings;
    }
    auto result = rules::replayTraceFile(trace, options);
    if (!result) return result.error();
    return rules::toJson(*result, sentence);
}

}  // namespace sunloco::ctl
