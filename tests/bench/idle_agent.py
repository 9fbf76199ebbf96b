#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much an agent without work disturbs: wake-ups per second and resident memory, from the counters in /proc.

usage: idle_agent.py [--program sunloco|sunlocod] [--bin build/release/bin] [--seconds 60]
Starts the program with empty folders (under Xvfb for the tray app), waits until it has settled, then counts over the interval:
  wake-ups = voluntary context switches summed over all threads / seconds;  resident = VmRSS, private = RssAnon.
Prints one JSON document. Aims: <= 1 wake-up per second; <= 60 MB resident for the tray app.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time


def voluntary_switches(pid):
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            for line in (task / "status").read_text().splitlines():
                if line.startswith("voluntary_ctxt_switches"):
                    total += int(line.split()[1])
        except FileNotFoundError:
            pass  # the thread ended between listing and reading
    return total


def memory_kb(pid):
    values = {}
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        key, _, rest = line.partition(":")
        if key in ("VmRSS", "RssAnon", "RssFile"):
            values[key] = int(rest.split()[0])
    return values


def start_display(environment):
    read_end, write_end = os.pipe()
    display = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1280x900x24"],
                               pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        environment["DISPLAY"] = ":" + pipe.readline().strip()
    return display


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="sunlocod", choices=["sunloco", "sunlocod"])
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--settle", type=float, default=15, help="seconds before counting starts")
    options = parser.parse_args()
    environment = dict(os.environ)
    display = start_display(environment) if options.program == "sunloco" else None
    with tempfile.TemporaryDirectory() as folder:
        command = [str(pathlib.Path(options.bin) / options.program), "--config-dir", folder + "/config", "--data-dir", folder + "/data"]
        if options.program == "sunloco":
            command.append("--minimized")
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(options.settle)
            if process.poll() is not None:
                raise SystemExit(f"{options.program} ended by itself with code {process.returncode}")
            before, start = voluntary_switches(process.pid), time.monotonic()
            time.sleep(options.seconds)
            seconds = time.monotonic() - start
            wakeups = (voluntary_switches(process.pid) - before) / seconds
            memory = memory_kb(process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
            if display:
                display.terminate()
                display.wait()
    print(json.dumps({"program": options.program, "seconds": round(seconds, 1), "wakeups_per_s": round(wakeups, 2),
                      "resident_mb": round(memory["VmRSS"] / 1024, 1), "private_mb": round(memory.get("RssAnon", 0) / 1024, 1)}))


if __name__ == "__main__":
    main()
