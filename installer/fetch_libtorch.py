#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches the pinned LibTorch wheels and unpacks them where engine/libtorch.cmake looks.

What lies there is complete or absent: the wheels are unpacked beside the target and renamed into place, under a lock, with a
stamp that names the hashes. A download that was cut off goes on where it stopped, also in a later run.

The index, the proxy and the certificates are pip's own settings: pip resolves the name and pip's session carries the bytes.
Where this pip has no such parts, `pip download` does the whole job (then without resuming across runs).
"""

import argparse
import base64
import csv
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "libtorch-requirements.txt")
STAMP = ".sunloco-stamp.json"
WHEEL_OPTIONS = [
    "--platform", "manylinux_2_28_x86_64", "--platform", "manylinux_2_25_x86_64", "--platform", "manylinux_2_17_x86_64",
    "--platform", "manylinux2014_x86_64", "--python-version", "3.11", "--implementation", "cp", "--only-binary=:all:", "--no-deps",
]
DISK_NEEDED = 2_500_000_000  # wheels (0.55 GB) + unpacked (1.2 GB) + room
ATTEMPTS = 8


class Failure(Exception):
    """A sentence for the person at the terminal: what, where, what to do."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def read_requirements(path):
    """[(name, version, sha256)] of the pinned requirement lines."""
    pins = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            match = re.fullmatch(r"([A-Za-z0-9_.-]+)==([0-9.]+) --hash=sha256:([0-9a-f]{64})", line)
            if not match:
                raise Failure(f"{path}: cannot read the line '{line}'")
            pins.append(match.groups())
    return pins


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as source:
        while block := source.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


class Progress:
    """One line, rewritten on a terminal; a line per tenth elsewhere, so that a log stays short."""

    def __init__(self, name, total, start):
        self.name, self.total, self.done, self.start_at = name, total, start, start
        self.began, self.last_shown, self.last_tenth = time.monotonic(), 0.0, -1
        self.terminal = sys.stderr.isatty()

    def add(self, count):
        self.done += count
        now = time.monotonic()
        tenth = self.done * 10 // self.total if self.total else 0
        if self.terminal:
            if now - self.last_shown < 0.2 and self.done != self.total:
                return
        elif tenth == self.last_tenth or (self.total < 50_000_000 and self.done < self.total):
            return
        self.last_shown, self.last_tenth = now, tenth
        speed = (self.done - self.start_at) / max(now - self.began, 1e-3)
        left = (self.total - self.done) / speed if speed > 0 else 0
        text = (f"  {self.name}: {self.done / 1e6:7.1f} of {self.total / 1e6:.1f} MB  {100 * self.done // max(self.total, 1):3d} %"
                f"  {speed / 1e6:5.1f} MB/s  {int(left) // 60:d}:{int(left) % 60:02d} left")
        print(text, end="\r" if self.terminal and self.done < self.total else "\n", file=sys.stderr, flush=True)


class PipClient:
    """pip's finder and session as pip builds them for `pip download`, with the user's configuration."""

    def __init__(self):
        from pip._internal.cli import cmdoptions
        from pip._internal.commands import create_command

        self.command = create_command("download")
        self.options, _ = self.command.parse_args(["--quiet", *WHEEL_OPTIONS, "sunloco"])
        self.target = cmdoptions.make_target_python(self.options)

    def __enter__(self):
        self.context = self.command.main_context()
        self.context.__enter__()
        self.session = self.command._build_session(self.options)
        self.finder = self.command._build_package_finder(
            options=self.options, session=self.session, target_python=self.target, ignore_requires_python=True)
        return self

    def __exit__(self, *details):
        return self.context.__exit__(*details)

    def link(self, name, version, digest):
        """The address of the wheel with exactly this hash (without a fragment), or None."""
        for candidate in self.finder.find_all_candidates(name):
            link = candidate.link
            if str(candidate.version) == version and link.is_wheel and (link.hash_name, link.hash) == ("sha256", digest):
                return link.url.split("#", 1)[0]
        return None

    def fetch(self, url, partial, name):
        """Appends to `partial` what it still lacks. Raises OSError (also pip's connection errors) when the line is cut."""
        have = os.path.getsize(partial) if os.path.exists(partial) else 0
        headers = {"Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        with self.session.get(url, headers=headers, stream=True) as response:
            if response.status_code == 416:  # nothing is left, or our part is longer than the file: the hash decides
                return
            response.raise_for_status()
            if response.status_code != 206:
                have = 0
            expected = int(response.headers.get("Content-Length", "0"))
            progress = Progress(name, have + expected, have)
            received = 0
            with open(partial, "ab" if have else "wb") as out:
                while block := response.raw.read(1 << 18):
                    out.write(block)
                    received += len(block)
                    progress.add(len(block))
            if received < expected:
                raise OSError("the connection ended early")


def fetch_file_link(url, partial):
    """A wheel that pip finds in a local folder (its find-links setting)."""
    shutil.copyfile(urllib.parse.unquote(urllib.parse.urlparse(url).path), partial)


def fetch_one(client, pin, folder):
    name, version, digest = pin
    wheel = os.path.join(folder, f"{name}-{version}.whl")
    if os.path.exists(wheel) and sha256_of(wheel) == digest:
        return wheel
    partial = wheel + ".part"
    url = client.link(name, version, digest)
    if url is None:
        raise Failure(f"pip's index has no wheel of {name} {version} with the pinned hash. Check pip's settings (pip config list); "
                      "an own LibTorch can be given with -DSUNLOCO_LIBTORCH_DIR=.")
    if os.path.exists(partial):
        say(f"  {name}: going on after {os.path.getsize(partial) / 1e6:.1f} MB from an earlier run")
    for attempt in range(1, ATTEMPTS + 1):
        before = os.path.getsize(partial) if os.path.exists(partial) else 0
        try:
            if url.startswith("file:"):
                fetch_file_link(url, partial)
            else:
                client.fetch(url, partial, name)
        except Exception as error:  # pip vendors requests and urllib3: their errors have no importable common name across versions
            now = os.path.getsize(partial) if os.path.exists(partial) else 0
            if attempt == ATTEMPTS:
                raise Failure(f"{name}: {describe(error)} after {now / 1e6:.1f} MB. Run the same command again: it goes on from there.") from error
            pause = 1 if now > before else min(2 ** attempt, 30)
            say(f"\n  {name}: {describe(error)} after {now / 1e6:.1f} MB; trying again in {pause} s")
            time.sleep(pause)
            continue
        if sha256_of(partial) == digest:
            os.replace(partial, wheel)
            return wheel
        os.unlink(partial)
        say(f"  {name}: the bytes do not match the pinned hash; fetching it anew")
    raise Failure(f"{name} {version}: what arrives does not have the pinned SHA-256 {digest}. A proxy may change downloads.")


def describe(error):
    text = str(error) or type(error).__name__
    return text if len(text) < 160 else f"{type(error).__name__}: {text[:120]}…"


def fetch_with_pip_download(pins, folder, requirements):
    say("  this pip has no parts to resume with; using pip download")
    with tempfile.TemporaryDirectory(dir=folder) as into:
        command = [sys.executable, "-m", "pip", "download", *WHEEL_OPTIONS, "--require-hashes", "-r", requirements, "--dest", into]
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
            raise Failure("pip could not download the LibTorch wheels (its message stands above). Run the same command again.")
        wheels = []
        by_digest = {sha256_of(os.path.join(into, entry)): os.path.join(into, entry) for entry in os.listdir(into)}
        for name, version, digest in pins:
            if digest not in by_digest:
                raise Failure(f"pip download brought no file with the pinned hash of {name} {version}")
            wheels.append(os.path.join(folder, f"{name}-{version}.whl"))
            os.replace(by_digest[digest], wheels[-1])
        return wheels


def fetch_all(pins, folder, requirements):
    try:
        client = PipClient()
    except ModuleNotFoundError as error:
        if error.name == "pip":
            raise Failure(f"{sys.executable} has no pip. Install the package python3-pip.") from error
        return fetch_with_pip_download(pins, folder, requirements)
    except (ImportError, AttributeError, TypeError):
        return fetch_with_pip_download(pins, folder, requirements)
    try:
        with client:
            return [fetch_one(client, pin, folder) for pin in pins]
    except (AttributeError, TypeError):
        return fetch_with_pip_download(pins, folder, requirements)


def unpack(wheels, into):
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if member.startswith("/") or ".." in member.split("/"):
                    raise Failure(f"{wheel}: the name '{member}' leads out of its folder")
            archive.extractall(into)


def record_problem(root):
    """Compares every file with the RECORD lists of the wheels; None when all is there and unchanged."""
    records = [os.path.join(root, entry, "RECORD") for entry in os.listdir(root) if entry.endswith(".dist-info")]
    if len(records) < 3:
        return "lists of contents are missing"
    for record in records:
        with open(record, encoding="utf-8", newline="") as lines:
            for path, digest, _size in csv.reader(lines):
                full = os.path.join(root, path)
                if not os.path.isfile(full):
                    return f"{path} is missing"
                if digest.startswith("sha256="):
                    with open(full, "rb") as source:
                        got = hashlib.file_digest(source, "sha256").digest() if hasattr(hashlib, "file_digest") \
                            else bytes.fromhex(sha256_of(full))
                    if base64.urlsafe_b64encode(got).rstrip(b"=").decode() != digest[7:]:
                        return f"{path} differs from its wheel"
    return None


def stamp_text(pins):
    return json.dumps({"wheels": {f"{name}=={version}": digest for name, version, digest in pins}}, indent=1, sort_keys=True)


def is_complete(root, pins):
    """True when the stamp names these wheels; a folder without a stamp (unpacked by hand) is compared once with the wheels' lists."""
    if not os.path.isdir(root):
        return False
    stamp = os.path.join(root, STAMP)
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as source:
            if source.read() != stamp_text(pins):
                say(f"{root} holds other wheels than the pinned ones: it is fetched anew")
                return False
        return os.path.exists(os.path.join(root, "torch", "lib", "libtorch_cpu.so"))
    say(f"Checking {root} against the wheels' lists (once) …")
    problem = record_problem(root)
    if problem:
        say(f"  {problem}: it is fetched anew")
        return False
    write_stamp(root, pins)
    return True


def write_stamp(root, pins):
    stamp = os.path.join(root, STAMP)
    with open(stamp + ".new", "w", encoding="utf-8") as out:
        out.write(stamp_text(pins))
        out.flush()
        os.fsync(out.fileno())
    os.replace(stamp + ".new", stamp)


def lock_folder(deps):
    """One set-up at a time per cache folder; the lock ends with this process."""
    lock = open(os.path.join(deps, ".lock"), "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say(f"Another set-up is filling {deps}; waiting for it …")
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def ensure(deps, requirements):
    pins = read_requirements(requirements)
    version = dict((name, version) for name, version, _ in pins)["torch"]
    root = os.path.join(deps, f"libtorch-{version}-linux-x86_64")
    os.makedirs(deps, exist_ok=True)
    with lock_folder(deps):
        if is_complete(root, pins):
            return root
        free = shutil.disk_usage(deps).free
        if free < DISK_NEEDED:
            raise Failure(f"{deps} has {free / 1e9:.1f} GB free, LibTorch needs {DISK_NEEDED / 1e9:.1f} GB while it is unpacked. "
                          "Make room, or set SUNLOCO_DEPS to a folder on another disk.")
        say(f"Fetching LibTorch {version} (550 MB once; it is kept in {deps}) …")
        downloads = os.path.join(deps, "downloads")
        os.makedirs(downloads, exist_ok=True)
        wheels = fetch_all(pins, downloads, requirements)
        for leftover in os.listdir(deps):  # an unpacking that was cut off; we hold the lock, so nobody works in it
            if leftover.startswith(".unpack-"):
                shutil.rmtree(os.path.join(deps, leftover), ignore_errors=True)
        say("Unpacking …")
        fresh = tempfile.mkdtemp(prefix=".unpack-", dir=deps)
        os.chmod(fresh, 0o755)
        unpack(wheels, fresh)
        write_stamp(fresh, pins)
        if os.path.isdir(root):
            old = tempfile.mkdtemp(prefix=".unpack-", dir=deps)
            os.rename(root, os.path.join(old, "old"))
            os.rename(fresh, root)
            shutil.rmtree(old, ignore_errors=True)
        else:
            os.rename(fresh, root)
        shutil.rmtree(downloads, ignore_errors=True)
    return root


def main():
    parser = argparse.ArgumentParser(description="Fetch the pinned LibTorch into the cache folder; prints the folder on stdout.")
    default = os.environ.get("SUNLOCO_DEPS") or os.path.join(os.path.expanduser("~"), ".cache", "sunloco", "deps")
    parser.add_argument("--deps", default=default, help="cache folder (default: $SUNLOCO_DEPS or ~/.cache/sunloco/deps)")
    parser.add_argument("--requirements", default=REQUIREMENTS, help="pinned wheels, in pip's format")
    arguments = parser.parse_args()
    try:
        print(ensure(os.path.abspath(arguments.deps), arguments.requirements))
    except Failure as error:
        say(f"LibTorch: {error}")
        return 1
    except OSError as error:
        say(f"LibTorch: {error.strerror or error}: {error.filename or arguments.deps}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped. What was fetched is kept; the next run goes on from there.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
