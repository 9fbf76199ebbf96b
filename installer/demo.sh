#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh machine to a trained model in one command: sets up what is missing, builds, and runs a whole project on this computer.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for argument in "$@"; do
  case $argument in
    --yes|-y) SUNLOCO_ASSUME_YES=yes ;;
    --help|-h) exec "$(system_python)" -B "$SUNLOCO_ROOT/installer/demo.py" --help ;;
  esac
done

setup_all programs "${SUNLOCO_BUILD_PACKAGES[@]}" "${SUNLOCO_DEMO_PACKAGES[@]}"
exec "$(system_python)" -B "$SUNLOCO_ROOT/installer/demo.py" --bin "$SUNLOCO_BIN" "$@"
