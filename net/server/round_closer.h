// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/tensor_layout.h"
#include "net/server/file_blob_store.h"
#include "net/server/project_folder.h"
#include "net/server/store.h"

#include <filesystem>
#include <memory>

namespace sunloco::server {

/// The base of a round and the outer optimizer's memory, as they lie on the disk between rounds.
struct BaseFiles {
    std::filesystem::path base;     ///< safetensors with transformers' names
    std::filesystem::path outer;    ///< momentum and residual
};

/// One contribution as the merge sees it.
struct MergeInput {
    ContributionRow row;
    std::vector<protocol::PartInfo> parts;
};

struct MergedRound {
    core::Digest baseHash;                          ///< of the new base
    protocol::ObjectRef update;                     ///< in the object store
    std::map<std::string, double> weights;          ///< by contribution id, they add up to 1
    std::map<std::string, std::string> rejected;    ///< by contribution id, with the reason's name
    std::int64_t tokens = 0;
};

/// Closes rounds: contributions -> mean pseudo-gradient -> outer step -> update, new base, event in the log. Deterministic: doing it twice,
/// on any machine, gives the same bits, so a crash at any moment is answered by doing it again. Thread: one at a time.
class RoundCloser {
public:
    RoundCloser(const ProjectFolder& folder, const protocol::Manifest& manifest, FileBlobStore& objects);
    ~RoundCloser();

    /// Writes the initial base and an empty optimizer memory, and the log's first event. For init.
    core::Result<void> writeInitial(std::span<const float> arena);
    /// Reads the base after round `round` into memory and checks its hash.
    core::Result<void> load(std::int64_t round, const core::Digest& baseHash);
    /// Merges, publishes the update as an object, writes the new state files and the event. What is in memory afterwards is the new base.
    core::Result<MergedRound> close(std::int64_t round, const std::vector<MergeInput>& inputs);
    /// The loaded base as an object (a full checkpoint for newcomers).
    core::Result<protocol::CheckpointRef> makeCheckpoint(std::int64_t round);
    /// Makes the state after `from` also the state after `to` (roll-back) and logs it.
    core::Result<void> rollBack(std::int64_t from, std::int64_t to);
    /// Removes state files that neither the open round nor a roll-back of the last round needs.
    void prune(std::int64_t openRound);

    [[nodiscard]] BaseFiles filesOf(std::int64_t round) const;
    /// The initial weights, which stay in the object store.
    [[nodiscard]] std::filesystem::path initialFile() const;
    [[nodiscard]] const core::Digest& baseHash() const;
    [[nodiscard]] std::int64_t loadedRound() const;
    [[nodiscard]] std::int64_t elements() const;

private:
    struct State;
    core::Result<void> saveState(std::int64_t round);
    /// Decodes the parts that make the elements from `first` on.
    core::Result<void> readRange(const MergeInput& input, std::int64_t first, std::span<float> delta) const;

    ProjectFolder m_folder;
    const protocol::Manifest& m_manifest;
    FileBlobStore& m_objects;
    std::unique_ptr<State> m_state;
};

}  // namespace sunloco::server
