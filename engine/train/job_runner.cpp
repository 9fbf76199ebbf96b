// SPDX-License-Identifier: Apache-2.0
#include "engine/train/job_runner.h"

#include "engine/core/files.h"

#include <exception>
#include <new>

namespace sunloco::train {

namespace {

constexpr std::uint64_t kMaxJobText = 16 << 20;
constexpr const char* kResultFile = "result.json";
/// The hash of the job.json that the result belongs to, beside it: a folder that is used again must not hand out an old result.
constexpr const char* kResultJobFile = "result-job.txt";

bool partMatches(const std::filesystem::path& folder, const core::PayloadPart& part) {
    const std::filesystem::path path = folder / std::filesystem::path(part.file).filename();
    std::error_code error;
    if (std::filesystem::file_size(path, error) != part.bytes || error) return false;
    auto digest = core::sha256File(path);
    return digest && *digest == part.sha256;
}

}  // namespace

core::Result<std::pair<core::Job, core::Digest>> readJob(const std::filesystem::path& folder) {
    auto text = core::readTextFile(folder / "job.json", kMaxJobText);
    if (!text) return text.error();
    auto job = core::parseJob(*text);
    if (!job) return job.error();
    return std::pair(std::move(*job), core::sha256(core::asBytes(*text)));
}

std::optional<core::JobResult> finishedResult(const std::filesystem::path& folder, const core::Digest& jobHash) {
    auto owner = core::readTextFile(folder / kResultJobFile, 256);
    if (!owner || *owner != jobHash.hex()) return std::nullopt;
    auto text = core::readTextFile(folder / kResultFile, kMaxJobText);
    if (!text) return std::nullopt;
    auto result = core::parseJobResult(*text);
    if (!result) return std::nullopt;
    for (const core::PayloadPart& part : result->parts)
        if (!partMatches(folder, part)) return std::nullopt;
    return std::move(*result);
}

core::Result<void> publishResult(const JobContext& context, const core::JobResult& result) {
    std::error_code ignored;
    std::filesystem::remove(context.folder / kResultFile, ignored);  // an older job's result must never stand beside this job's hash
    if (auto written = core::writeFileAtomically(context.folder / kResultJobFile, core::asBytes(context.jobHash.hex()), context.faults, 0600); !written)
        return written;
    return core::writeFileAtomically(context.folder / kResultFile, core::asBytes(core::toJsonText(result)), context.faults, 0600);
}

JobOutcome runJob(const JobContext& context) {
    try {
        return context.job.kind == core::JobKind::Train ? runTrainJob(context) : runEvaluateJob(context);
    } catch (const std::bad_alloc&) {
        return {std::nullopt, {{core::ErrorCode::OutOfMemory, "there is not enough memory for this model and batch", context.folder.string()}, -1}};
    } catch (const std::exception& exception) {
        return {std::nullopt, {{core::ErrorCode::Internal, exception.what(), context.folder.string()}, -1}};
    }
}

}  // namespace sunloco::train
