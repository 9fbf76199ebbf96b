#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every check that needs a card, in one go; for a machine with an NVIDIA driver and a CUDA toolkit.
#   tests/gpu/run_on_gpu.sh [BUILD_FOLDER]      (default build/gpu; configured and built when it is not there)
# Ends with 0 when all checks passed.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
build=${1:-"$root/build/gpu"}

command -v nvidia-smi >/dev/null 2>&1 || { echo "run_on_gpu.sh: no nvidia-smi in PATH; this machine has no NVIDIA driver" >&2; exit 4; }
nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv

if [ ! -x "$build/bin/sunloco-worker" ] || [ ! -e "$build/bin/libsunloco_cuda.so" ]; then
    # Only this machine's architecture: a build for all takes longer than the checks.
    arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. ')
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSUNLOCO_BUILD_TESTS=OFF -DSUNLOCO_BUILD_GUI=OFF -DCMAKE_CUDA_ARCHITECTURES="$arch" \
        "-DSUNLOCO_ONLY=engine/core;engine/codec;engine/outer;engine/data;engine/train;engine/cuda;app/worker"
    cmake --build "$build" --target sunloco-worker engine_cuda
fi

report=$("$build/bin/sunloco-worker" selftest --json) || { echo "$report"; echo "run_on_gpu.sh: the self-test failed" >&2; exit 8; }
echo "$report"
# "missing" would mean that the card was not looked at: here that is a failure.
echo "$report" | python3 -c '
import json, sys
cuda = [c for c in json.load(sys.stdin)["checks"] if c["name"] == "CUDA"]
if not cuda or cuda[0]["result"] != "passed":
    sys.exit("run_on_gpu.sh: the card was not used: " + (cuda[0]["text"] if cuda else "no such check"))
'
echo "run_on_gpu.sh: all checks passed"
