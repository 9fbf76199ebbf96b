// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/fault_policy.h"
#include "net/server/blob_store.h"

namespace sunloco::server {

/// Objects as files FOLDER/ab/abcdef…; unfinished ones are FOLDER/tmp/…, which is emptied when the server starts.
class FileBlobStore final : public BlobStore {
public:
    /// Creates the folders. Call `dropUnfinished` once, before the first write, by the one process that owns the folder.
    static core::Result<std::unique_ptr<FileBlobStore>> open(std::filesystem::path folder, core::FaultPolicy* faults = nullptr);
    void dropUnfinished();

    core::Result<std::unique_ptr<BlobWriter>> beginWrite() override;
    core::Result<core::Digest> put(core::ByteView bytes) override;
    core::Result<std::uint64_t> size(const core::Digest& name) const override;
    core::Result<core::Bytes> read(const core::Digest& name, std::uint64_t offset, std::uint64_t count) const override;
    core::Result<void> remove(const core::Digest& name) override;

    /// Where the object lies, for programs on this machine (the worker).
    [[nodiscard]] std::filesystem::path pathOf(const core::Digest& name) const;
    /// Moves or copies a finished file into the store; returns its name and size.
    core::Result<std::pair<core::Digest, std::uint64_t>> adoptFile(const std::filesystem::path& file);

private:
    FileBlobStore(std::filesystem::path folder, core::FaultPolicy* faults) : m_folder(std::move(folder)), m_faults(faults) {}

    std::filesystem::path m_folder;
    core::FaultPolicy* m_faults;
};

}  // namespace sunloco::server
