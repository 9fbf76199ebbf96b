#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main job on this computer: a project from the King James Bible, its server, and volunteers that train it. Called by demo.sh."""

import argparse
import json
import math
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from demo_parts import DemoError, Programs, Server, Volunteer, bible_text, stop_all  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODEL = os.path.join(ROOT, "resources", "models", "demo-1m.json")
WANTED_FALL = 1.5          # nats per token
PROMPT = "And the LORD said unto"
BATCH, SEQUENCE = 12, 64   # sequences per step, tokens per sequence: what the model's small context holds
ROUND_SECONDS = 35         # of training, whatever the computer's speed: a short measurement gives the steps
TOKENS_PER_WORD = 1.5      # this text with this vocabulary gives 1.58; a round never needs more text than there is
STALLED_SECONDS = 900      # no new round for so long: something is wrong
EXIT_CHECK_FAILED = 8      # of engine/core/exit_codes.h
EXIT_INTERRUPTED = 130


class Interrupted(Exception):
    pass


def on_signal(number, _frame):
    raise Interrupted(signal.Signals(number).name)


class Screen:
    """Lines for the person: on stdout, or on stderr when stdout is to carry one JSON document."""

    def __init__(self, as_json):
        self.out = sys.stderr if as_json else sys.stdout

    def say(self, text=""):
        print(text, file=self.out, flush=True)


def size(count):
    for unit, limit in (("B", 1e3), ("kB", 1e6), ("MB", 1e9)):
        if count < limit:
            return f"{count / (limit / 1e3):.{0 if unit == 'B' else 1}f} {unit}"
    return f"{count / 1e9:.2f} GB"


def loss_text(value):
    return "   –  " if value is None else f"{value:6.3f}"


def round_record(entry):
    """A round as the demo's JSON document names it, from a line of the server's history."""
    seconds, contributors, compute = entry.get("seconds"), entry.get("contributors"), entry.get("compute_seconds")
    utilisation = None
    if seconds and contributors and compute is not None:
        utilisation = round(min(1.0, compute / (seconds * contributors)), 4)
    record = {key: entry.get(key) for key in ("round", "contributors", "tokens", "held_out_loss", "bytes_up", "bytes_down")}
    return {**record, "utilisation": utilisation, "seconds": seconds}


def print_round(screen, record):
    utilisation = "  –  " if record["utilisation"] is None else f"{100 * record['utilisation']:3.0f} %"
    screen.say(f"  {record['round']:5d}  {record['contributors']:12d}  {record['tokens']:9,d}  {loss_text(record['held_out_loss'])}"
               f"  {size(record['bytes_up']):>9}  {size(record['bytes_down']):>9}  {utilisation:>11}  {record['seconds']:7.1f}")


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="installer/demo.sh",
        description="Sets up what is missing, builds, and trains a small language model on the King James Bible with a server and "
                    "volunteers on this computer (about 5 minutes on two cores).")
    parser.add_argument("--gui", action="store_true", help="open the tray app on the first volunteer (needs a screen)")
    parser.add_argument("--rounds", type=int, default=8, metavar="N", help="rounds to train (default 8)")
    parser.add_argument("--volunteers", type=int, default=2, metavar="N", help="volunteers to start (default 2)")
    parser.add_argument("--dir", metavar="DIR", help="where everything goes (default: a new folder under build/demo)")
    parser.add_argument("--json", action="store_true", help="print one JSON document on stdout, everything else on stderr")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask before installing packages")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"), help=argparse.SUPPRESS)
    parser.add_argument("--steps", type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not 1 <= arguments.rounds <= 10_000:
        parser.error("--rounds must be from 1 to 10000")
    if not 1 <= arguments.volunteers <= 64:
        parser.error("--volunteers must be from 1 to 64")
    if arguments.gui and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        parser.error("--gui needs a screen: neither DISPLAY nor WAYLAND_DISPLAY is set")
    return arguments


def make_folder(wanted):
    if wanted:
        folder = os.path.abspath(wanted)
        if os.path.isdir(folder) and os.listdir(folder):
            raise DemoError(f"{folder} is not empty. Give --dir a new or an empty folder.")
    else:
        folder = os.path.join(ROOT, "build", "demo", time.strftime("%Y%m%d-%H%M%S"))
    os.makedirs(folder, exist_ok=True)
    return folder


def steps_per_round(programs, volunteers, words):
    """As many as fit into a round's seconds on this computer; more volunteers than cores share them and get fewer steps each.
    No two tasks of a round share text, so the text is a limit too."""
    bench = programs.call_json("sunloco-worker", "bench", "--model", MODEL, "--batch", str(BATCH), "--seq", str(SEQUENCE),
                               "--steps", "10", "--threads", "1", "--json")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    seconds = bench["wall_ms_per_step"] / 1000 * max(1.0, volunteers / cores)
    in_the_text = int(words * TOKENS_PER_WORD / (BATCH * SEQUENCE * volunteers))
    return max(1, min(in_the_text, max(60, round(ROUND_SECONDS / seconds / 10) * 10)))


def recipe(rounds, volunteers, steps):
    return {
        "batch_sequences": BATCH, "sequence_length": SEQUENCE, "inner_steps": steps, "min_inner_steps": max(1, steps // 10),
        "warmup_steps": min(50, steps), "total_steps": rounds * steps, "quorum": volunteers,
        "round_deadline_seconds": 600, "lease_seconds": 600,
    }


def watch_rounds(screen, server, volunteers, rounds):
    """Prints each round as the server closes it; returns the records of all."""
    screen.say("  round  contributors     tokens  held-out         up       down  utilisation  seconds")
    records, progress_at = [], time.monotonic()
    while len(records) < rounds:
        time.sleep(1.0)
        server.check_alive()
        for volunteer in volunteers:
            volunteer.check_alive()
        for entry in server.status().get("history", []):
            # The loss of a round is measured after it was closed: its line waits for the number.
            if entry["round"] == len(records) + 1 and len(records) < rounds and entry.get("held_out_loss") is not None:
                records.append(round_record(entry))
                print_round(screen, records[-1])
                progress_at = time.monotonic()
        if time.monotonic() - progress_at > STALLED_SECONDS:
            reasons = "; ".join(f"{volunteer.name}: {volunteer.why()}" for volunteer in volunteers)
            raise DemoError(f"no round was finished for {STALLED_SECONDS} s. {reasons}")
    return records


def energy_of(volunteers):
    """(Wh of all volunteers, is it an estimate); unknown stays unknown."""
    total, estimate = 0.0, False
    for volunteer in volunteers:
        watt_hours, is_estimate = volunteer.energy()
        if watt_hours is None:
            return None, True
        total += watt_hours
        estimate = estimate or is_estimate
    return total, estimate


def run(arguments, screen):
    programs = Programs(arguments.bin)
    folder = make_folder(arguments.dir)
    began = time.monotonic()

    screen.say(f"SunLoCo demo in {folder}")
    text = os.path.join(folder, "text")
    words = bible_text(text)
    steps = arguments.steps or steps_per_round(programs, arguments.volunteers, words)
    screen.say(f"Text: the King James Bible, {words:,} words. Making a project of it (tokenizer, shards, first weights, keys) …")

    project = os.path.join(folder, "project")
    server = Server(programs, project, os.path.join(folder, "server.log"))
    volunteers = [Volunteer(programs, os.path.join(folder, f"volunteer-{index + 1}"), gui=arguments.gui and index == 0)
                  for index in range(arguments.volunteers)]
    try:
        server.init(text, MODEL, recipe(arguments.rounds, arguments.volunteers, steps))
        sample_before = programs.sample(server.export_model(os.path.join(folder, "model-before")), PROMPT)
        link = server.start()
        screen.say(f"Server: {server.address} with its own certificate. Project link: {link}")
        for volunteer in volunteers:
            volunteer.start()
            volunteer.join(link)
        screen.say(f"{len(volunteers)} volunteers have joined. Each trains {steps} steps of {BATCH * SEQUENCE} tokens per round, "
                   f"{arguments.rounds} rounds; Ctrl+C ends everything.")
        records = watch_rounds(screen, server, volunteers, arguments.rounds)

        loss_before = server.status().get("initial_held_out_loss")
        loss_after = records[-1]["held_out_loss"]
        energy_wh, energy_is_estimate = energy_of(volunteers)
        sample_after = programs.sample(server.export_model(os.path.join(folder, "model")), PROMPT)
        replay = server.replay()
        report = {
            "project_dir": project, "loss_before": loss_before, "loss_after": loss_after, "energy_wh": energy_wh,
            "energy_is_estimate": energy_is_estimate, "rounds": records, "sample_before": sample_before, "sample_after": sample_after,
            "model_dir": os.path.join(folder, "model"), "replay_equal": replay, "seconds": round(time.monotonic() - began, 1),
        }
        print_report(screen, report, folder, programs, volunteers, link)
        if arguments.json:
            print(json.dumps(report, indent=2), flush=True)
        failure = judge(report)
        if failure:
            screen.say(f"\nThe demo FAILED: {failure}")
            return EXIT_CHECK_FAILED
        if arguments.gui and not arguments.json:
            screen.say("\nThe window stays open; close it with Quit in its menu, or press Ctrl+C here.")
            volunteers[0].wait()
        return 0
    finally:
        stop_all(volunteers, server)


def judge(report):
    before, after = report["loss_before"], report["loss_after"]
    if before is None or after is None or not math.isfinite(before) or not math.isfinite(after):
        return "the server has no held-out loss to compare."
    if before - after < WANTED_FALL:
        return (f"the held-out loss fell by {before - after:.2f} nats per token, from {before:.2f} to {after:.2f}; "
                f"at least {WANTED_FALL} were expected.")
    if not report["replay_equal"]:
        return "the replay of the event log gives other weights than the server published."
    return None


def print_report(screen, report, folder, programs, volunteers, link):
    before, after = report["loss_before"], report["loss_after"]
    fall = "" if before is None or after is None else f"  ({before - after:.2f} nats per token less)"
    energy = "unknown" if report["energy_wh"] is None else (
        f"{report['energy_wh']:.2f} Wh ({'an estimate' if report['energy_is_estimate'] else 'measured'})")
    replayed = "equal, bit for bit" if report["replay_equal"] else "NOT equal"
    screen.say()
    screen.say(f"Held-out loss   {loss_text(before).strip()} before, {loss_text(after).strip()} after{fall}")
    screen.say(f"Before          {report['sample_before']}")
    screen.say(f"After           {report['sample_after']}")
    screen.say(f"Energy          {energy}")
    screen.say(f"Replay          every base re-derived from the event log: {replayed}")
    screen.say(f"Time            {int(report['seconds']) // 60} min {int(report['seconds']) % 60} s")
    screen.say(f"Where           {folder}")
    screen.say("                project/ the server's folder   model/ the trained model (Hugging Face format)   volunteer-N/ agents   *.log")
    screen.say("What next")
    screen.say(f"  more text from the model    {programs.path('sunloco-worker')} generate --model {report['model_dir']} --prompt \"{PROMPT}\"")
    screen.say(f"  run the project again       {programs.path('sunloco-server')} serve {report['project_dir']}")
    screen.say(f"  be a volunteer in it        {programs.path('sunloco')}      and paste the link that 'serve' prints")
    screen.say(f"  your own text               {programs.path('sunloco-server')} init DIR --text FOLDER --model {MODEL}")


def main():
    arguments = parse_arguments()
    screen = Screen(arguments.json)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    try:
        return run(arguments, screen)
    except Interrupted as reason:
        screen.say(f"\nStopped ({reason}). Everything the demo started has ended.")
        return EXIT_INTERRUPTED
    except DemoError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
