#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything a fresh Debian 12 or 13 or Ubuntu 24.04 needs: packages, LibTorch, a release build in build/release/bin.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

usage() {
  cat <<'TEXT'
usage: installer/setup.sh [--yes] [--no-build] [--with-tests]
  --yes         do not ask before installing packages (CI=true means the same)
  --no-build    install packages and fetch LibTorch, build nothing
  --with-tests  also install what the tests need, and build the tests
Environment: SUNLOCO_DEPS    where LibTorch is kept (default ~/.cache/sunloco/deps; clones share it)
             SUNLOCO_PRESET  the CMake preset to build (default release)
TEXT
}

what=programs
packages=("${SUNLOCO_BUILD_PACKAGES[@]}")
for argument in "$@"; do
  case $argument in
    --yes|-y) SUNLOCO_ASSUME_YES=yes ;;
    --no-build) what=nothing ;;
    --with-tests) packages+=("${SUNLOCO_TEST_PACKAGES[@]}"); [ "$what" = nothing ] || what=everything ;;
    --help|-h) usage; exit 0 ;;
    *) usage >&2; die "unknown option '$argument'" ;;
  esac
done

setup_all "$what" "${packages[@]}"
