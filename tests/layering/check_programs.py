#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which libraries the built programs load, directly and through others.

usage: check_programs.py PROGRAM...     check_programs.py self-check
"""

import os
import re
import subprocess
import sys

TORCH = r"lib(torch|c10|cudart|cupti|cublas|cudnn)"
QT = r"libQt[0-9]"
QT_SCREEN = r"libQt[0-9](Gui|Widgets|Charts|Quick)"
FORBIDDEN = {
    "sunloco": [TORCH],
    "sunlocod": [TORCH, QT_SCREEN],
    "sunloco-ctl": [TORCH, QT_SCREEN, r"libcurl", r"libSQLiteCpp"],
    "sunloco-server": [TORCH, QT],
    "sunloco-worker": [QT, r"libcurl", r"libsqlite3", r"libsodium"],
}
NEEDED = {"sunloco-worker": [r"libtorch_cpu"]}


def problems_of(name, libraries):
    problems = []
    if name not in FORBIDDEN:
        return [f"{name}: no such program in the design"]
    for pattern in FORBIDDEN[name]:
        problems += [f"{name} loads {library}" for library in libraries if re.match(pattern, library)]
    for pattern in NEEDED.get(name, []):
        if not any(re.match(pattern, library) for library in libraries):
            problems.append(f"{name} does not load {pattern}")
    return problems


def libraries_of(ldd_output):
    """Names, and the names that the loader could not find."""
    names, lost = [], []
    for line in ldd_output.splitlines():
        parts = line.split()
        if parts and parts[0].startswith("lib"):
            names.append(parts[0])
            if "not found" in line:
                lost.append(parts[0])
    return names, lost


def check(program):
    name = os.path.basename(program)
    if not os.path.exists(program):
        return [f"{program}: not built"]
    result = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return [f"{program}: ldd says: {result.stderr.strip() or result.stdout.strip()}"]
    names, lost = libraries_of(result.stdout)
    if not names:
        return [f"{program}: ldd names no library"]
    return [f"{name}: {library} is not found" for library in lost] + problems_of(name, names)


def self_check():
    cases = [
        ("sunloco", "\tlibQt6Widgets.so.6 => /usr/lib/libQt6Widgets.so.6 (0x1)\n", 0),
        ("sunloco", "\tlibtorch_cpu.so => /x/libtorch_cpu.so (0x1)\n", 1),
        ("sunlocod", "\tlibQt6Gui.so.6 => /usr/lib/libQt6Gui.so.6 (0x1)\n", 1),
        ("sunloco-server", "\tlibQt6Core.so.6 => /usr/lib/libQt6Core.so.6 (0x1)\n", 1),
        ("sunloco-server", "\tlibc10.so => /x/libc10.so (0x1)\n\tlibssl.so.3 => /x (0x1)\n", 1),
        ("sunloco-worker", "\tlibtorch_cpu.so => /x (0x1)\n\tlibm.so.6 => /x (0x1)\n", 0),
        ("sunloco-worker", "\tlibtorch_cpu.so => /x (0x1)\n\tlibQt6Core.so.6 => /x (0x1)\n", 1),
        ("sunloco-worker", "\tlibm.so.6 => /x (0x1)\n", 1),
    ]
    failures = []
    for name, output, expected in cases:
        problems = problems_of(name, libraries_of(output)[0])
        if len(problems) != expected:
            failures.append(f"{name} with {output!r}: expected {expected} problems, got {problems}")
    if libraries_of("\tlibx.so => not found\n") != (["libx.so"], ["libx.so"]):
        failures.append("a library that is not found is not reported")
    if not check("/nonexistent/sunloco"):
        failures.append("a missing program is not reported")
    return failures


def main():
    if not sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    problems = self_check() if sys.argv[1:] == ["self-check"] else [text for program in sys.argv[1:] for text in check(program)]
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
