#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up what is missing, builds, and runs every test. Arguments go to ctest: installer/test.sh -R net/ ; installer/test.sh -L gui
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ctest_arguments=()
for argument in "$@"; do
  case $argument in
    --yes) SUNLOCO_ASSUME_YES=yes ;;
    --help|-h)
      say "usage: installer/test.sh [--yes] [ctest arguments]     for example: -R net/   -L gui   -V"
      say "Environment: SUNLOCO_PRESET (default release; ci makes warnings errors), SUNLOCO_DEPS (where LibTorch is kept)"
      exit 0 ;;
    *) ctest_arguments+=("$argument") ;;
  esac
done

setup_all everything "${SUNLOCO_BUILD_PACKAGES[@]}" "${SUNLOCO_TEST_PACKAGES[@]}"

# Window tests get a screen and a session bus of their own: they never touch the desktop of the person who runs them.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/sunloco-test.XXXXXX")
xvfb_pid=
finish() {
  trap - EXIT INT TERM HUP
  if [ -n "$xvfb_pid" ]; then
    kill "$xvfb_pid" 2>/dev/null || true
    wait "$xvfb_pid" 2>/dev/null || true
  fi
  rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if command -v Xvfb >/dev/null; then
  mkfifo "$scratch/display"
  Xvfb -displayfd 3 -screen 0 1920x1200x24 -nolisten tcp -noreset 3>"$scratch/display" >"$scratch/xvfb.log" 2>&1 &
  xvfb_pid=$!
  if read -r -t 20 display <"$scratch/display" && [ -n "$display" ]; then
    export DISPLAY=":$display"
  else
    cat "$scratch/xvfb.log" >&2
    die "Xvfb did not start (its message stands above)."
  fi
  unset WAYLAND_DISPLAY
fi
bus=()
if command -v dbus-run-session >/dev/null; then bus=(dbus-run-session --); fi

cd "$SUNLOCO_ROOT"
status=0
"${bus[@]}" ctest --preset "$SUNLOCO_PRESET" --timeout 600 "${ctest_arguments[@]}" || status=$?
if [ "$status" != 0 ]; then
  say "Some tests failed. Again, only these: ctest --preset $SUNLOCO_PRESET --rerun-failed"
fi
exit "$status"
