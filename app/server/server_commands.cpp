// SPDX-License-Identifier: Apache-2.0
#include "app/server/server_commands.h"

#include "engine/core/clock.h"
#include "net/server/model_export.h"
#include "net/server/operator_commands.h"
#include "net/server/replay_check.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <iomanip>
#include <iostream>
#include <sstream>

namespace sunloco::server_program {

using core::Error;
using core::ErrorCode;
using core::ExitCode;
using core::Json;

namespace {

ExitCode fail(const Error& error) {
    std::cerr << "sunloco-server: " << error.text() << (error.text().empty() || error.text().back() == '.' ? "" : ".") << std::endl;
    return core::exitCodeFor(error.code);
}

ExitCode print(const Json& json) {
    std::cout << json.dump(2) << std::endl;
    return std::cout ? ExitCode::Ok : ExitCode::Failed;
}

std::string megabytes(std::int64_t bytes) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << static_cast<double>(bytes) / 1e6 << " MB";
    return text.str();
}

}  // namespace

ExitCode init(server::InitOptions options, Output output) {
    options.progress = [](const std::string& what) { std::cerr << what << std::endl; };
    const core::SystemClock clock;
    const auto report = server::initProject(options, clock);
    if (!report) { return fail(report.error()); }
    const protocol::Claims& claims = report->claims;
    if (output == Output::Json) {
        return print({{"project_dir", options.folder.string()}, {"id", report->projectId}, {"name", report->name}, {"root_hash", report->rootHash},
                      {"files", report->files}, {"training_tokens", report->trainingTokens}, {"held_out_tokens", report->heldOutTokens},
                      {"vocabulary", report->vocabulary}, {"examples", report->examples}, {"examples_per_round", report->roundExamples},
                      {"claims", {{"parameters", claims.parameters}, {"memory_bytes", claims.memoryBytes}, {"disk_bytes", claims.diskBytes},
                                  {"upload_bytes_per_round", claims.uploadBytesPerRound}, {"download_bytes_per_round", claims.downloadBytesPerRound},
                                  {"download_bytes_once", claims.downloadBytesOnce}}}});
    }
    std::cout << "Project \"" << report->name << "\" is in " << options.folder.string() << "\n"
              << "  text      " << report->files << " files, " << report->trainingTokens << " tokens to train on, " << report->heldOutTokens << " held out; vocabulary of "
              << report->vocabulary << "\n"
              << "  model     " << claims.parameters << " parameters\n"
              << "  volunteer " << megabytes(claims.memoryBytes) << " of memory, " << megabytes(claims.downloadBytesOnce) << " to download once, "
              << megabytes(claims.uploadBytesPerRound) << " up and " << megabytes(claims.downloadBytesPerRound) << " down a round\n"
              << "  keys      move " << (options.folder / "offline").string() << " to a place that is not on this computer (its README says why)\n"
              << "Run it with: sunloco-server serve " << options.folder.string() << std::endl;
    return ExitCode::Ok;
}

ExitCode serve(const server::ServeOptions& options, Output output) {
    const auto served = server::serveUntilSignal(options, [output](const server::ServeReady& ready) {
        if (output == Output::Json) {
            std::cout << Json{{"link", ready.link}, {"listen", ready.listen}, {"pid", static_cast<std::int64_t>(::getpid())}}.dump() << std::endl;
        } else {
            std::cout << "project link: " << ready.link << std::endl;
        }
    });
    return served ? ExitCode::Ok : fail(served.error());
}

ExitCode link(const std::filesystem::path& folder, Output output) {
    const auto found = server::projectLinkOf(folder);
    if (!found) { return fail(found.error()); }
    if (output == Output::Json) { return print({{"link", *found}}); }
    std::cout << *found << std::endl;
    return ExitCode::Ok;
}

ExitCode status(const std::filesystem::path& folder, Output output) {
    const auto answer = server::projectStatus(folder);
    if (!answer) { return fail(answer.error()); }
    if (output == Output::Json) { return print(Json::parse(answer->serialise())); }
    std::cout << answer->projectName << ": round " << answer->round << " is " << protocol::name(answer->state) << ", " << answer->contributors << " contributors so far, "
              << answer->tokensTotal << " tokens trained\n";
    std::cout << std::fixed << std::setprecision(4);
    if (answer->initialHeldOutLoss) { std::cout << "  before round 1: held-out loss " << *answer->initialHeldOutLoss << "\n"; }
    for (const auto& row : answer->history) {
        std::cout << "  round " << row.round << ": " << row.contributors << " contributors, " << row.tokens << " tokens, ";
        if (row.heldOutLoss) {
            std::cout << "held-out loss " << *row.heldOutLoss;
        } else {
            std::cout << "loss not measured";
        }
        std::cout << ", " << megabytes(row.bytesUp) << " up, " << megabytes(row.bytesDown) << " down, " << std::setprecision(1) << row.seconds << " s\n" << std::setprecision(4);
    }
    std::cout.flush();
    return ExitCode::Ok;
}

ExitCode invite(const std::filesystem::path& folder, Output output) {
    const core::SystemClock clock;
    const auto code = server::makeInvite(folder, clock);
    if (!code) { return fail(code.error()); }
    if (output == Output::Json) { return print({{"invite", *code}}); }
    std::cout << *code << std::endl;
    return ExitCode::Ok;
}

ExitCode operate(const std::filesystem::path& folder, const std::string& command, Output output) {
    const core::SystemClock clock;
    const auto answer = server::operate(folder, command, clock);
    if (!answer) {
        fail(answer.error());
        return answer.error().code == ErrorCode::Conflict ? ExitCode::Refused : core::exitCodeFor(answer.error().code);
    }
    if (output == Output::Json) { return print({{"ok", true}, {"message", *answer}}); }
    std::cout << *answer << std::endl;
    return ExitCode::Ok;
}

ExitCode exportModel(const std::filesystem::path& folder, const std::string& format, const std::string& dtype, const std::filesystem::path& out, Output output) {
    const auto type = dtype == "f32" ? data::GgufType::F32 : dtype == "q8_0" ? data::GgufType::Q8_0 : data::GgufType::F16;
    const auto report = format == "gguf" ? server::exportGguf(folder, out, type) : server::exportHuggingFace(folder, out);
    if (!report) { return fail(report.error()); }
    if (output == Output::Json) { return print({{"format", format}, {"out", report->out.string()}, {"round", report->round}, {"base_hash", report->baseHash}}); }
    std::cout << "The model after round " << report->round << " is in " << report->out.string() << std::endl;
    return ExitCode::Ok;
}

ExitCode replay(const std::filesystem::path& folder, Output output) {
    const auto report = server::replayProject(folder);
    if (!report) { return fail(report.error()); }
    if (output == Output::Json) {
        Json document = {{"equal", report->equal}, {"bases", report->bases}};
        if (!report->difference.empty()) { document["difference"] = report->difference; }
        print(document);
    } else if (report->equal) {
        std::cout << "All " << report->bases.size() << " bases are what the event log gives, bit for bit." << std::endl;
    } else {
        std::cout << "NOT equal: " << report->difference << std::endl;
    }
    return report->equal ? ExitCode::Ok : ExitCode::CheckFailed;
}

}  // namespace sunloco::server_program
