// SPDX-License-Identifier: Apache-2.0
// Rows for tests of the journal, and the journal's file as read by somebody else.
#pragma once

#include "app/agent/journal.h"
#include "engine/core/fault_policy.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sunloco::agent::test {

/// Every column has a value of its own; the name would end a careless SQL statement.
ProjectRow project(const std::string& id, core::UtcMs joinedAt = 1'700'000'000'000);

std::string textOf(const ProjectRow& project);
std::string textOf(const RoundRow& round);

/// Every row of every table, read with a connection of its own.
std::string contentOf(const std::filesystem::path& path);

/// Nothing, and a warning that says why, when it does not open.
std::unique_ptr<Journal> opened(const std::filesystem::path& path, core::FaultPolicy* faults = nullptr);

/// What is in the journal of a program that works; each does one write.
std::vector<std::function<core::Result<void>(Journal&)>> writes();

}  // namespace sunloco::agent::test
