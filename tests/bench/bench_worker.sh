#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Training steps of sunloco-worker beside the same steps as plain LibTorch operations (stock_step.cpp), in turns, since the clock of a shared
# machine wanders: medians of paired runs and their ratio.
#   tests/bench/bench_worker.sh [BUILD_FOLDER] [ROUNDS] [THREADS]
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
build=${1:-"$root/build/release"}
rounds=${2:-5}
threads=${3:-1}
[ -x "$build/bin/sunloco-worker" ] || { echo "bench_worker.sh: no $build/bin/sunloco-worker; run installer/setup.sh first" >&2; exit 3; }
[ -x "$build/bin/stock_step" ] || cmake --build "$build" --target stock_step >&2
export OMP_WAIT_POLICY=PASSIVE
exec python3 - "$root" "$build/bin" "$rounds" "$threads" <<'PYTHON'
import json, statistics, subprocess, sys

root, programs, rounds, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
CASES = [("demo-1m.json", 12, 64, 30), ("demo-14m.json", 4, 256, 6)]

def run(*command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

print(f"threads {threads}, {rounds} rounds; processor time per step")
for name, batch, length, steps in CASES:
    config, numbers = f"{root}/resources/models/{name}", [str(batch), str(length), str(steps)]
    ours, stock = [], []
    for _ in range(rounds):
        stock.append(run(f"{programs}/stock_step", config, *numbers, threads))
        ours.append(run(f"{programs}/sunloco-worker", "bench", "--model", config, "--batch", numbers[0], "--seq", numbers[1], "--steps", numbers[2],
                        "--threads", threads, "--json"))
    cpu = [statistics.median(r["cpu_ms_per_step"] for r in runs) for runs in (ours, stock)]
    ratio = statistics.median(a["cpu_ms_per_step"] / b["cpu_ms_per_step"] for a, b in zip(ours, stock))
    print(f"{name:15} B={batch} T={length}: worker {cpu[0]:7.1f} ms, {ours[0]['peak_rss_mb']:4.0f} MB, longest segment "
          f"{max(r['longest_segment_ms'] for r in ours):.1f} ms; stock {cpu[1]:7.1f} ms, {stock[0]['peak_rss_mb']:4.0f} MB; ratio {ratio:.2f}; "
          f"loss {ours[0]['loss']:.6f} / {stock[0]['loss']:.6f}")
PYTHON
