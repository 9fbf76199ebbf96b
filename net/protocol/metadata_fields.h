// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/fields.h"
#include "net/protocol/metadata.h"

/// Inside net/protocol only: members that several metadata files share.
namespace sunloco::protocol {

/// role, version, expires.
inline void readHead(Fields& fields, Role role, std::int64_t& version, core::UtcMs& expires) {
    fields.expect("role", name(role));
    version = fields.integer("version", 1, kMaxVersion);
    expires = fields.time("expires");
}

/// sha256 and bytes of an object.
inline ObjectRef readObject(Fields& fields, std::int64_t maxBytes = kMaxObjectBytes) {
    ObjectRef object;
    object.sha256 = fields.digest("sha256");
    object.bytes = fields.integer("bytes", 1, maxBytes);
    return object;
}

}  // namespace sunloco::protocol
