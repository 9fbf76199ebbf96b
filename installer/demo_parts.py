# SPDX-License-Identifier: Apache-2.0
"""The programs as the demo drives them: start, ask, stop. Nothing here outlives the demo."""

import ctypes
import json
import os
import queue
import re
import signal
import subprocess
import threading
import time

PR_SET_PDEATHSIG = 1
LICENCE = "Public domain (in the United Kingdom under Crown letters patent)"
SOURCE = "King James Bible, Debian packages bible-kjv and bible-kjv-text"


class DemoError(Exception):
    """A sentence for the person at the terminal: what, where, what to do."""


def end_with_parent():
    """The child gets SIGTERM when the demo dies in any way, also by SIGKILL."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def tail(path, lines=12):
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            return "".join(log.readlines()[-lines:]).rstrip()
    except FileNotFoundError:
        return ""


def bible_text(folder):
    """Writes the text, one file a book, without verse marks; returns the number of words."""
    try:
        result = subprocess.run(["bible", "-f", "Gen1:1-Rev22:21"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise DemoError("the program 'bible' is missing. Install the packages bible-kjv and bible-kjv-text.") from None
    if result.returncode != 0 or not result.stdout:
        raise DemoError(f"'bible' gave no text: {result.stderr.strip()}")
    books, words = {}, 0
    for line in result.stdout.splitlines():
        mark = re.match(r"([1-3]?[A-Za-z]+)(\d+):(\d+) ", line)
        if not mark:
            continue
        verse = line[mark.end():].strip()
        words += len(verse.split())
        chapters = books.setdefault(mark.group(1), {})
        chapters.setdefault(int(mark.group(2)), []).append(verse)
    if words < 700_000:
        raise DemoError(f"'bible' gave only {words} words; the whole text has about 790,000. Reinstall the package bible-kjv-text.")
    os.makedirs(folder, exist_ok=True)
    for number, (book, chapters) in enumerate(books.items(), 1):
        with open(os.path.join(folder, f"{number:02d}-{book}.txt"), "w", encoding="utf-8") as out:
            out.write("\n\n".join("\n".join(verses) for verses in chapters.values()) + "\n")
    return words


class Programs:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        for name in ("sunloco-server", "sunlocod", "sunloco-ctl", "sunloco-worker"):
            if not os.access(self.path(name), os.X_OK):
                raise DemoError(f"{self.path(name)} is missing: run installer/setup.sh. "
                                "Without LibTorch sunloco-worker is not built, and nothing can be trained.")

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *command, timeout=600):
        """Runs a program to its end; its output, or a DemoError with what it said."""
        result = subprocess.run([self.path(command[0]), *command[1:]], capture_output=True, text=True, check=False,
                                stdin=subprocess.DEVNULL, timeout=timeout, preexec_fn=end_with_parent)
        if result.returncode != 0:
            said = (result.stderr.strip() or result.stdout.strip())[-1500:]
            raise DemoError(f"'{' '.join(command)}' ended with code {result.returncode}: {said}")
        return result.stdout

    def call_json(self, *command, timeout=600):
        output = self.call(*command, timeout=timeout)
        try:
            return json.loads(output)
        except json.JSONDecodeError:
            raise DemoError(f"'{' '.join(command)}' did not print a JSON document: {output[:300]}") from None

    def sample(self, model, prompt):
        """One line of text that the model makes of the prompt."""
        output = self.call("sunloco-worker", "generate", "--model", model, "--prompt", prompt,
                           "--max-tokens", "60", "--temperature", "0.8", "--top-k", "40", "--seed", "7")
        return " ".join(output.split())[:300]


class Process:
    """A long-running program whose output goes to a log file; ends with the demo."""

    def __init__(self, name, log):
        self.name, self.log, self.process = name, log, None

    def spawn(self, command, environment=None, read_lines=False):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if read_lines else log, stderr=log, env=environment,
                text=read_lines, start_new_session=True, preexec_fn=end_with_parent)

    def check_alive(self):
        if self.process is not None and self.process.poll() is not None:
            raise DemoError(f"{self.name} ended with code {self.process.returncode}. The end of {self.log}:\n{tail(self.log)}")

    def wait(self):
        if self.process is not None:
            self.process.wait()

    def ask_to_stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def make_sure(self, grace):
        """Waits for the end it was asked for; what is left of its process group after the grace is killed."""
        if self.process is None:
            return
        try:
            self.process.wait(timeout=grace)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()


class Server(Process):
    def __init__(self, programs, folder, log):
        super().__init__("the server", log)
        self.programs, self.folder, self.address = programs, folder, ""

    def init(self, text, model, recipe):
        settings = [part for key, value in recipe.items() for part in ("--set", f"{key}={value}")]
        self.programs.call(
            "sunloco-server", "init", self.folder, "--text", text, "--model", model, "--name", "King James demo",
            "--description", "A small language model of the King James Bible", "--source", SOURCE, "--licence", LICENCE, *settings)

    def start(self):
        """Starts serving on a free port; returns the project link."""
        self.spawn([self.programs.path("sunloco-server"), "serve", self.folder, "--listen", "127.0.0.1:0"], read_lines=True)
        lines = queue.Queue()

        def pump():  # the pipe is read to its end, so that the server never blocks on it
            with open(self.log, "a", encoding="utf-8") as log:
                for line in self.process.stdout:
                    log.write(line)
                    log.flush()
                    lines.put(line)

        threading.Thread(target=pump, daemon=True).start()
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            self.check_alive()
            try:
                match = re.search(r"https://([^/\s]+)/\S*#root=\S+", lines.get(timeout=0.5))
            except queue.Empty:
                continue
            if match:
                self.address = match.group(1)
                return match.group(0)
        raise DemoError(f"the server printed no project link within 120 s. The end of {self.log}:\n{tail(self.log)}")

    def status(self):
        return self.programs.call_json("sunloco-server", "status", self.folder, "--json", timeout=60)

    def export_model(self, out):
        self.programs.call("sunloco-server", "export", self.folder, "--format", "hf", out)
        return out

    def replay(self):
        return self.programs.call_json("sunloco-server", "replay", self.folder, "--json")["equal"] is True


class Volunteer(Process):
    """An agent with its own config and data folder, key, journal and worker."""

    def __init__(self, programs, folder, gui):
        super().__init__(os.path.basename(folder), folder + ".log")
        self.programs, self.folder, self.gui = programs, folder, gui

    def ctl(self, *command):
        return self.programs.call("sunloco-ctl", "--data-dir", os.path.join(self.folder, "data"), *command, timeout=120)

    def ctl_json(self, *command):
        return json.loads(self.ctl(*command, "--json"))

    def start(self):
        config, data = os.path.join(self.folder, "config"), os.path.join(self.folder, "data")
        os.makedirs(config)
        os.makedirs(data)
        program = "sunloco" if self.gui else "sunlocod"
        self.spawn([self.programs.path(program), "--config-dir", config, "--data-dir", data])
        deadline = time.monotonic() + 60
        while True:
            self.check_alive()
            try:
                self.ctl_json("status")
                break
            except DemoError as error:
                if time.monotonic() > deadline:
                    raise DemoError(f"{self.name} does not answer sunloco-ctl. {error}") from None
                time.sleep(0.2)
        self.ctl("mode", "always")

    def join(self, link):
        self.ctl("join", link)

    def why(self):
        try:
            return " ".join(self.ctl("why").split())
        except DemoError as error:
            return str(error)

    def energy(self):
        """(Wh so far or None when unknown, is it an estimate)"""
        document = self.ctl_json("energy")
        return document.get("watt_hours"), bool(document.get("is_estimate", True))


def stop_all(volunteers, server):
    """Asks all at once, then waits for each; a second Ctrl+C does not leave anything behind."""
    handlers = [(number, signal.signal(number, signal.SIG_IGN)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    for process in volunteers:
        process.ask_to_stop()
    for process in volunteers:
        process.make_sure(15)
    server.ask_to_stop()
    server.make_sure(15)
    for number, handler in handlers:
        signal.signal(number, handler)
