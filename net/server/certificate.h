// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/sha256.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sunloco::server {

/// Makes a P-256 key and a certificate signed by itself, for these host names and addresses ("localhost", "127.0.0.1"); the key file gets
/// mode 0600. Volunteers trust it by the pin in the project link.
core::Result<void> makeOwnCertificate(const std::filesystem::path& certificate, const std::filesystem::path& key, const std::vector<std::string>& names);

/// SHA-256 of the DER SubjectPublicKeyInfo of the first certificate in a PEM file: the pin.
core::Result<core::Digest> certificatePin(const std::filesystem::path& certificate);

}  // namespace sunloco::server
