#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fetch_libtorch.py against a package index on loopback that cuts, flips and counts. Real pip, small wheels."""

import base64
import hashlib
import http.server
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "installer", "fetch_libtorch.py")
TAGS = {"torch": ("2.15.0", "cp311-cp311-manylinux_2_28_x86_64"), "nvidia-cuda-runtime": ("13.2.86", "py3-none-manylinux_2_17_x86_64"),
        "nvidia-cuda-cupti": ("13.2.86", "py3-none-manylinux_2_25_x86_64")}


def wheel(name, version, files):
    """Bytes of a wheel with a correct RECORD."""
    buffer, records = io.BytesIO(), []
    with zipfile.ZipFile(buffer, "w") as archive:
        folder = f"{name.replace('-', '_')}-{version}.dist-info"
        files = {**files, f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
                 f"{folder}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"}
        for path, content in files.items():
            archive.writestr(path, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            records.append(f"{path},sha256={digest},{len(content)}")
        archive.writestr(f"{folder}/RECORD", "\n".join([*records, f"{folder}/RECORD,,"]) + "\n")
    return buffer.getvalue()


class Index(http.server.ThreadingHTTPServer):
    """A simple index. `cut`: bytes after which the next answers are cut; `flip`: answers to spoil; `slow`: seconds between pieces."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        noise = hashlib.shake_256(b"torch").digest(3_000_000)
        contents = {"torch": {"torch/lib/libtorch_cpu.so": noise, "torch/version.py": b"x"},
                    "nvidia-cuda-runtime": {"nvidia/cu13/lib/libcudart.so.13": b"cudart"},
                    "nvidia-cuda-cupti": {"nvidia/cu13/lib/libcupti.so.13": b"cupti"}}
        self.wheels = {}
        for name, (version, tag) in TAGS.items():
            file_name = f"{name.replace('-', '_')}-{version}-{tag}.whl"
            self.wheels[file_name] = (name, version, wheel(name, version, contents[name]))
        self.cut, self.flip, self.slow = [], 0, 0.0
        self.sent = {}
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def requirements(self, folder):
        path = os.path.join(folder, "requirements.txt")
        with open(path, "w", encoding="utf-8") as out:
            for name, version, content in self.wheels.values():
                out.write(f"{name}=={version} --hash=sha256:{hashlib.sha256(content).hexdigest()}\n")
        return path


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        parts = self.path.strip("/").split("/")
        if parts[0] == "simple":
            rows = "".join(
                f'<a href="/files/{file}#sha256={hashlib.sha256(content).hexdigest()}">{file}</a>\n'
                for file, (name, _, content) in self.server.wheels.items() if name == parts[1])
            body = f"<!DOCTYPE html><html><body>{rows}</body></html>".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        file = parts[1]
        content = self.server.wheels[file][2]
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        first = int(asked.group(1)) if asked else 0
        if first >= len(content):
            self.send_error(416)
            return
        body = content[first:]
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if "torch-" in file and self.server.cut:
            body = body[:self.server.cut.pop(0)]
        if "torch-" in file and self.server.flip:
            self.server.flip -= 1
            body = bytes([body[0] ^ 1]) + body[1:]
        try:
            for at in range(0, len(body), 100_000):
                piece = body[at:at + 100_000]
                self.wfile.write(piece)
                self.server.sent[file] = self.server.sent.get(file, 0) + len(piece)
                if self.server.slow:
                    time.sleep(self.server.slow)
        except OSError:
            pass
        self.close_connection = True


class FetchLibtorch(unittest.TestCase):
    def setUp(self):
        self.index = Index()
        self.folder = tempfile.TemporaryDirectory()
        self.deps = os.path.join(self.folder.name, "deps")
        self.requirements = self.index.requirements(self.folder.name)
        self.root = os.path.join(self.deps, "libtorch-2.15.0-linux-x86_64")
        keep = {key: value for key, value in os.environ.items() if not key.upper().startswith("PIP_") and "proxy" not in key.lower()}
        self.environment = {
            **keep, "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": f"http://127.0.0.1:{self.index.server_port}/simple",
            "PIP_NO_CACHE_DIR": "1", "PIP_RETRIES": "0", "HOME": self.folder.name}
        self.torch_file, (_, _, self.torch_bytes) = next(item for item in self.index.wheels.items() if "torch-" in item[0])

    def tearDown(self):
        self.index.shutdown()
        self.index.server_close()
        self.folder.cleanup()

    def start(self):
        return subprocess.Popen(
            [sys.executable, "-B", SCRIPT, "--deps", self.deps, "--requirements", self.requirements],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_script(self):
        process = self.start()
        out, err = process.communicate(timeout=100)
        return process.returncode, out.strip(), err

    def assert_complete(self):
        with open(os.path.join(self.root, "torch", "lib", "libtorch_cpu.so"), "rb") as library:
            self.assertEqual(hashlib.shake_256(b"torch").digest(3_000_000), library.read())
        self.assertTrue(os.path.exists(os.path.join(self.root, "nvidia", "cu13", "lib", "libcupti.so.13")))
        self.assertEqual([".lock", "libtorch-2.15.0-linux-x86_64"], sorted(os.listdir(self.deps)))

    def test_fetches_and_the_second_run_fetches_nothing(self):
        code, out, err = self.run_script()
        self.assertEqual((0, self.root), (code, out), err)
        self.assert_complete()
        sent = dict(self.index.sent)
        self.assertEqual((0, self.root, ""), self.run_script())
        self.assertEqual(sent, self.index.sent)

    def test_goes_on_after_cut_connections_without_fetching_twice(self):
        self.index.cut = [1_200_000, 700_000]
        code, _, err = self.run_script()
        self.assertEqual(0, code, err)
        self.assert_complete()
        self.assertEqual(len(self.torch_bytes), self.index.sent[self.torch_file])

    def test_goes_on_in_a_later_run_after_sigkill(self):
        self.index.slow = 0.02
        process = self.start()
        part = os.path.join(self.deps, "downloads", "torch-2.15.0.whl.part")
        while process.poll() is None and not (os.path.exists(part) and os.path.getsize(part) > 500_000):
            time.sleep(0.005)
        self.assertIsNone(process.poll(), "it ended before it could be killed")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        have = os.path.getsize(part)
        self.assertLess(have, len(self.torch_bytes))
        self.assertFalse(os.path.exists(self.root))
        self.index.slow = 0.0
        time.sleep(0.1)  # lets the killed run's request end, so that it is not counted below
        self.index.sent.clear()
        code, _, err = self.run_script()
        self.assertEqual(0, code, err)
        self.assertIn("going on after", err)
        self.assert_complete()
        self.assertEqual(len(self.torch_bytes) - have, self.index.sent[self.torch_file])

    def test_a_flipped_bit_is_seen_and_fetched_anew(self):
        self.index.flip = 1
        code, _, err = self.run_script()
        self.assertEqual(0, code, err)
        self.assertIn("do not match the pinned hash", err)
        self.assert_complete()

    def test_bytes_that_never_match_are_refused(self):
        self.index.flip = 1000
        code, out, err = self.run_script()
        self.assertEqual((1, ""), (code, out))
        self.assertIn("does not have the pinned SHA-256", err)
        self.assertFalse(os.path.exists(self.root))

    def test_two_at_once_fetch_once(self):
        self.index.slow = 0.005
        runs = [self.start(), self.start()]
        results = [(run.communicate(timeout=100), run.returncode) for run in runs]
        for (out, err), code in results:
            self.assertEqual((0, self.root), (code, out.strip()), err)
        self.assertEqual(len(self.torch_bytes), self.index.sent[self.torch_file])
        self.assert_complete()

    def test_a_folder_unpacked_by_hand_is_checked_and_kept(self):
        for _, _, content in self.index.wheels.values():
            zipfile.ZipFile(io.BytesIO(content)).extractall(self.root)
        self.assertEqual(0, self.run_script()[0])
        self.assertEqual({}, self.index.sent)
        with open(os.path.join(self.root, ".sunloco-stamp.json"), encoding="utf-8") as stamp:
            self.assertEqual(3, len(json.load(stamp)["wheels"]))

    def test_a_damaged_folder_without_a_stamp_is_fetched_anew(self):
        for _, _, content in self.index.wheels.values():
            zipfile.ZipFile(io.BytesIO(content)).extractall(self.root)
        with open(os.path.join(self.root, "torch", "lib", "libtorch_cpu.so"), "r+b") as library:
            library.write(b"damage")
        code, _, err = self.run_script()
        self.assertEqual(0, code, err)
        self.assertIn("differs from its wheel", err)
        self.assert_complete()

    def test_a_pip_without_the_inner_parts_downloads_too(self):
        code = ("import runpy, sys; sys.argv = sys.argv[1:];"
                "import pip._internal.commands as commands; del commands.create_command;"
                "runpy.run_path(sys.argv[0], run_name='__main__')")
        result = subprocess.run([sys.executable, "-B", "-c", code, SCRIPT, "--deps", self.deps, "--requirements", self.requirements],
                                env=self.environment, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("using pip download", result.stderr)
        self.assert_complete()

    def test_an_index_without_the_wheel_is_a_sentence(self):
        del self.index.wheels[self.torch_file]
        code, _, err = self.run_script()
        self.assertEqual(1, code)
        self.assertIn("has no wheel of torch 2.15.0 with the pinned hash", err)


if __name__ == "__main__":
    unittest.main()
