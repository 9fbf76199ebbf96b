// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/exit_codes.h"

namespace sunloco::ctl {

/// Reads the command line, asks the agent and prints its answer: the document on stdout, errors on stderr.
core::ExitCode run(int argc, char** argv);

}  // namespace sunloco::ctl
