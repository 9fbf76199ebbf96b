# SPDX-License-Identifier: Apache-2.0
# Functions shared by setup.sh, demo.sh and test.sh. Sourced, not run. Everything said here goes to stderr: stdout belongs to --json.
# shellcheck shell=bash

SUNLOCO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SUNLOCO_PRESET=${SUNLOCO_PRESET:-release}
SUNLOCO_BUILD=$SUNLOCO_ROOT/build/$SUNLOCO_PRESET
SUNLOCO_BIN=$SUNLOCO_BUILD/bin
SUNLOCO_ASSUME_YES=no
if [ "${CI:-}" = true ]; then SUNLOCO_ASSUME_YES=yes; fi

# "a|b" means the first of these names that the system knows (releases name some packages differently);
# a name that ends in "?" is taken when the system has it and left out when not.
SUNLOCO_BUILD_PACKAGES=(
  ca-certificates git ccache cmake ninja-build g++ pkg-config python3 python3-pip
  qt6-base-dev qt6-base-dev-tools qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools qt6-charts-dev
  "qt6-svg-dev|libqt6svg6-dev" "libqt6opengl6-dev?" libgl1-mesa-dev libopengl-dev libglx-dev libegl-dev
  "libboost1.81-dev|libboost1.83-dev|libboost-dev" libssl-dev libcurl4-openssl-dev libsqlite3-dev libsqlitecpp-dev
  libsodium-dev nlohmann-json3-dev libsentencepiece-dev sentencepiece libspdlog-dev libcli11-dev libtomlplusplus-dev
  libseccomp-dev prometheus-cpp-dev qtkeychain-qt6-dev librapidcheck-dev libzstd-dev libzip-dev libxss-dev libx11-dev
)
# What the demo runs on: the King James Bible as text, and a certificate made on the spot.
SUNLOCO_DEMO_PACKAGES=(bible-kjv bible-kjv-text openssl)
# What the tests run on besides: a screen without a monitor, a panel with a tray, a browser, a session bus.
SUNLOCO_TEST_PACKAGES=(
  bible-kjv bible-kjv-text openssl sqlite3 procps curl unzip xvfb tint2 imagemagick chromium dbus dbus-x11 xdotool
  fonts-dejavu-core fonts-noto-core
)

say() { printf '%s\n' "$*" >&2; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# ask QUESTION: yes or no from the terminal. Without a terminal nobody can answer, so --yes (or CI=true) is needed.
ask() {
  [ "$SUNLOCO_ASSUME_YES" = yes ] && return 0
  if ! { : </dev/tty; } 2>/dev/null; then
    die "$1 There is no terminal to ask on: run it again with --yes to agree."
  fi
  local answer
  printf '%s [Y/n] ' "$1" >/dev/tty
  read -r answer </dev/tty || return 1
  case $answer in ''|[yYjJ]*) return 0 ;; *) return 1 ;; esac
}

# run_as_root COMMAND...: as root already, or through sudo.
run_as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo -- "$@"
  else
    die "installing packages needs root, and sudo is not here. As root run: $*"
  fi
}

package_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# missing_packages ENTRY...: the entries of which no alternative is installed, one a line.
missing_packages() {
  local entry name found
  for entry in "$@"; do
    found=no
    local IFS='|'
    for name in ${entry%\?}; do
      if package_installed "$name"; then found=yes; break; fi
    done
    [ "$found" = yes ] || printf '%s\n' "$entry"
  done
}

package_known() {
  local candidate
  candidate=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: //p')
  [ -n "$candidate" ] && [ "$candidate" != "(none)" ]
}

# resolve_package ENTRY: the first alternative that apt can install, or nothing.
resolve_package() {
  local name IFS='|'
  for name in ${1%\?}; do
    if package_known "$name"; then printf '%s\n' "$name"; return; fi
  done
}

ubuntu() { ( . /etc/os-release 2>/dev/null; [ "${ID:-}" = ubuntu ] ); }

# install_packages ENTRY...: says what is missing, asks, installs.
install_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "This system has no apt: install the counterparts of these packages yourself; going on with what is there."
    say "  $*"
    return 0
  fi
  local wanted=() entry name missing=() names=() unknown=()
  for entry in "$@"; do
    # Ubuntu's chromium packages are a snap, which containers and CI machines cannot run.
    if [ "$entry" = chromium ] && ubuntu; then
      command -v chromium >/dev/null || command -v google-chrome >/dev/null ||
        say "Note: on Ubuntu Chromium is a snap; the page tests in a browser are skipped unless chromium or google-chrome is on PATH."
      continue
    fi
    wanted+=("$entry")
  done
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  # An optional name that apt does not know is no reason to ask for anything.
  local needed=()
  for entry in "${missing[@]}"; do
    case $entry in *\?) package_known "${entry%\?}" || continue ;; esac
    needed+=("$entry")
  done
  [ ${#needed[@]} -gt 0 ] || return 0

  say "These packages are missing (a|b: whichever this system has):"
  printf '%s\n' "${needed[@]}" | sed 's/?$//' | paste -sd' ' | fold -s -w 110 | sed 's/^/  /' >&2
  ask "Install them with apt?" || die "without these packages SunLoCo cannot be built. Nothing was changed."

  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  run_as_root "${apt[@]}" update >&2 || say "apt-get update failed; trying with the lists that are there."
  for entry in "${missing[@]}"; do
    name=$(resolve_package "$entry")
    if [ -n "$name" ]; then
      names+=("$name")
    else
      case $entry in *\?) ;; *) unknown+=("$entry") ;; esac
    fi
  done
  [ ${#unknown[@]} -eq 0 ] ||
    die "this system's package lists do not know: ${unknown[*]}. SunLoCo needs Debian 12, Ubuntu 24.04 or newer (on Ubuntu with 'universe')."
  run_as_root "${apt[@]}" install -y --no-install-recommends "${names[@]}" >&2 ||
    die "apt-get could not install the packages; its message stands above."
}

# The build runs with the system's Python: it has the pip that the package list brings, whatever else is first on PATH.
system_python() { if [ -x /usr/bin/python3 ]; then echo /usr/bin/python3; else command -v python3; fi; }

# fetch_libtorch: fills the cache folder that clones share; says so and goes on where there is no pinned build.
fetch_libtorch() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) ;;
    *) say "No LibTorch is pinned for $(uname -s) on $(uname -m): everything but sunloco-worker is built (or pass -DSUNLOCO_LIBTORCH_DIR=)."
       return 0 ;;
  esac
  "$(system_python)" "$SUNLOCO_ROOT/installer/fetch_libtorch.py" >/dev/null || die "LibTorch is not complete (see above)."
}

# A build folder of another checkout or of another CMake generator would only give a riddle: start it anew.
configure_build() {
  local cache=$SUNLOCO_BUILD/CMakeCache.txt
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$SUNLOCO_ROOT" "$cache"; then
    say "build/$SUNLOCO_PRESET belongs to another folder; configuring it anew."
    rm -rf "$cache" "$SUNLOCO_BUILD/CMakeFiles"
  fi
  ( cd "$SUNLOCO_ROOT" && cmake --preset "$SUNLOCO_PRESET" "$@" ) >"$SUNLOCO_LOG" 2>&1 ||
    { tail -n 40 "$SUNLOCO_LOG" >&2; die "cmake --preset $SUNLOCO_PRESET failed; its last lines stand above."; }
  grep -E '^-- (LibTorch|SunLoCo)|CMake Warning' "$SUNLOCO_LOG" >&2 || true
}

# build_targets [TARGET...]: a file with LibTorch or Beast headers takes up to 1.5 GB, so memory may allow fewer jobs than cores.
build_targets() {
  local jobs memory_gb target=()
  jobs=$(nproc 2>/dev/null || echo 2)
  memory_gb=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null || echo 4)
  if [ "$memory_gb" -lt $((jobs * 2)) ]; then jobs=$((memory_gb / 2)); fi
  if [ "$jobs" -lt 1 ]; then jobs=1; fi
  if [ $# -gt 0 ]; then target=(--target "$@"); fi
  ( cd "$SUNLOCO_ROOT" && cmake --build --preset "$SUNLOCO_PRESET" --parallel "$jobs" "${target[@]}" ) >&2 ||
    die "the build failed; the compiler's message stands above."
}

# setup_all WITH_BUILD PACKAGES...: packages, LibTorch, configuration, and for "programs" or "everything" the build.
setup_all() {
  local what=$1
  shift
  local began=$SECONDS
  install_packages "$@"
  fetch_libtorch
  [ "$what" != nothing ] || return 0
  mkdir -p "$SUNLOCO_BUILD"
  SUNLOCO_LOG=$SUNLOCO_BUILD/configure.log
  say "Building in build/$SUNLOCO_PRESET …"
  configure_build
  case $what in
    programs) build_targets sunloco_programs ;;
    everything) build_targets ;;
  esac
  say "Ready after $((SECONDS - began)) s. Programs: $SUNLOCO_BIN"
}
