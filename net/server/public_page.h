// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/metadata.h"
#include "net/protocol/status_messages.h"

#include <string>

namespace sunloco::server {

struct PublicPage {
    std::string html;
    std::string policy;   ///< Content-Security-Policy: nothing from elsewhere, only this page's own style and script (by their hashes)
};

/// The project's public page as one self-contained document: what it is, the round, the loss curve, how to join. It works without scripts;
/// with them the numbers follow /v1/status.
PublicPage makePublicPage(const protocol::ProjectInfo& project, const protocol::Manifest& manifest, const protocol::StatusAnswer& status, const std::string& link);

/// Text for HTML content and attribute values.
std::string escapeHtml(std::string_view text);

}  // namespace sunloco::server
