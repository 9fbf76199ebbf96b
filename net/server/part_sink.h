// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/contribution_messages.h"
#include "net/server/blob_store.h"
#include "net/server/http_types.h"

namespace sunloco::server {

/// The body of one upload part on its way to the disk. Without a writer it is a repetition of a part that is there: read and dropped.
class PartBody final : public BodySink {
public:
    PartBody(protocol::PartInfo info, std::unique_ptr<BlobWriter> writer) : m_info(info), m_writer(std::move(writer)) {}
    core::Result<void> write(core::ByteView bytes) override {
        if (m_writer) { return m_writer->write(bytes); }
        m_hash.update(bytes);
        return {};
    }
    /// The part is on the disk, whole and with the announced digest.
    core::Result<void> finish() {
        if (m_writer) { return m_writer->finish(m_info.sha256); }
        if (m_hash.finish() != m_info.sha256) { return core::Error{core::ErrorCode::HashMismatch, "the bytes do not have the digest that was announced", {}}; }
        return {};
    }
    [[nodiscard]] bool isRepetition() const { return m_writer == nullptr; }
    [[nodiscard]] const protocol::PartInfo& info() const { return m_info; }

private:
    protocol::PartInfo m_info;
    std::unique_ptr<BlobWriter> m_writer;
    core::Sha256 m_hash;
};

}  // namespace sunloco::server
