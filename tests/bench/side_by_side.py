#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sunloco-worker beside PyTorch on the same weights and batches: every program stays resident and is let take one step at a time, in rotated order, since
the clock of a shared machine wanders. Prints medians of processor time, and the median ratio of steps that were taken side by side.

usage: side_by_side.py [--build build/release] [--python PYTHON] [--threads 1,2] [--rounds 15] [--case NAME]... [--json]

--python names an interpreter that has torch (the version in installer/libtorch-requirements.txt, so that both use the same libtorch_cpu), transformers and
safetensors; without it the worker is compared only with the matrix products of its step as bare at::mm calls ("products", in a process of their own).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent


def llama(**settings):
    base = dict(model_type="llama", hidden_act="silu", rms_norm_eps=1e-6, max_position_embeddings=2048, initializer_range=0.02, tie_word_embeddings=False,
                rope_parameters=dict(rope_type="default", rope_theta=10000.0))
    return {**base, **settings}


def shape(vocab, hidden, width, layers, heads, kv_heads, **more):
    return llama(vocab_size=vocab, hidden_size=hidden, intermediate_size=width, num_hidden_layers=layers, num_attention_heads=heads,
                 num_key_value_heads=kv_heads, **more)


# name: (config, sequences, tokens). The first two are the sizes that figures are given for; the others are shapes that nobody tunes for.
CASES = {
    "small": (shape(1024, 128, 352, 4, 4, 4), 12, 64),
    "mid": (shape(8192, 384, 1024, 6, 6, 6, tie_word_embeddings=True), 4, 256),
    "odd-prime": (shape(1009, 106, 307, 3, 2, 1, head_dim=26), 3, 61),
    "one-row": (shape(512, 64, 172, 2, 4, 4), 1, 1),
    "short": (shape(1000, 96, 256, 3, 6, 2), 31, 7),
    "long": (shape(1000, 96, 256, 2, 3, 3), 1, 777),
    "wide-head": (shape(777, 130, 300, 2, 1, 1, head_dim=130), 2, 99),
    "many-heads": (shape(600, 132, 264, 2, 33, 11), 2, 90),
    "big-vocab": (shape(50257, 48, 128, 1, 4, 4), 2, 50),
    "tiny-vocab": (shape(5, 200, 500, 2, 5, 5), 8, 33),
    "wide-mlp": (shape(300, 72, 1999, 2, 3, 3), 4, 45),
    "narrow": (shape(400, 10, 14, 6, 5, 5), 4, 40),
    "biases": (shape(555, 90, 250, 3, 5, 1, attention_bias=True, mlp_bias=True), 5, 37),
    "batchy": (shape(256, 64, 128, 2, 2, 2), 129, 16),
}
ODD = [name for name in CASES if name not in ("small", "mid")]


class Program:
    def __init__(self, name, command, order="step"):
        self.name, self.order = name, order
        environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        self.answers = []

    def step(self):
        self.process.stdin.write(self.order + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"side_by_side.py: {self.name} ended with code {self.process.wait()}")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def run_case(name, options, threads):
    config, batch, length = CASES[name]
    worker = options.build / "bin" / "sunloco-worker"
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "case.json"
        path.write_text(json.dumps(config))
        plan = [str(worker), "bench", "--model", str(path), "--batch", str(batch), "--seq", str(length), "--threads", str(threads)]
        steps = options.rounds + options.warm_up
        subprocess.run(plan + ["--steps", str(steps), "--write-inputs", f"{scratch}/inputs"], check=True)
        programs = [Program("worker", plan + ["--interactive"]), Program("products", plan[:] + ["--interactive", "--products", "library"], "products")]
        if options.python:
            for mode in ("eager", "compile"):
                programs.append(Program(mode, [options.python, str(HERE / "torch_step.py"), f"{scratch}/inputs", mode, str(threads)]))
        rows = []
        for number in range(steps):
            turn = number % len(programs)
            row = {}
            for program in programs[turn:] + programs[:turn]:
                row[program.name] = program.step()
            if number >= options.warm_up:
                rows.append(row)
        for program in programs:
            program.end()
    cpu = {key: statistics.median(row[key]["cpu_ms"] for row in rows) for key in rows[0]}
    ratios = {key: sorted(row["worker"]["cpu_ms"] / row[key]["cpu_ms"] for row in rows) for key in rows[0] if key != "worker"}
    spread = {key: (values[len(values) // 4], statistics.median(values), values[len(values) * 3 // 4]) for key, values in ratios.items()}
    others = [key for key in ("eager", "compile") if key in cpu]
    report = dict(case=name, threads=threads, cpu_ms=cpu, wall_ms={key: statistics.median(row[key]["wall_ms"] for row in rows) for key in rows[0]},
                  peak_rss_mb={key: rows[-1][key]["peak_rss_mb"] for key in rows[0] if key != "products"},
                  ratio={key: spread[key][1] for key in spread}, quartiles={key: [spread[key][0], spread[key][2]] for key in spread},
                  products_share=1 / spread["products"][1])
    if others:
        fastest = min(others, key=lambda key: cpu[key])
        report["faster"] = fastest
        report["ratio_to_faster"] = spread[fastest][1]
        report["worst_loss_difference"] = max(abs(row["worker"]["loss"] - row["eager"]["loss"]) / row["eager"]["loss"] for row in rows)
    return report


def show(report):
    cpu, text = report["cpu_ms"], f"{report['case']:11} {report['threads']} thr  worker {report['cpu_ms']['worker']:8.2f} ms"
    for key in ("eager", "compile"):
        if key in cpu:
            low, high = report["quartiles"][key]
            text += f"  {key} {cpu[key]:8.2f} ms, ratio {report['ratio'][key]:.3f} [{low:.3f} {high:.3f}]"
    text += f"  bare products {100 * report['products_share']:.0f} %  peak " + " / ".join(f"{value:.0f}" for value in report["peak_rss_mb"].values()) + " MB"
    if "worst_loss_difference" in report:
        text += f"  loss differs {report['worst_loss_difference']:.1e}"
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--python", help="interpreter with torch, transformers and safetensors")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--case", action="append", choices=[*CASES, "odd", "all"], help="default: small and mid")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not (options.build / "bin" / "sunloco-worker").exists():
        sys.exit(f"side_by_side.py: no sunloco-worker in {options.build}/bin; run installer/setup.sh, or name a build with --build")
    names = []
    for case in options.case or ["small", "mid"]:
        names += ODD if case == "odd" else list(CASES) if case == "all" else [case]
    reports = []
    for name in names:
        for threads in options.threads.split(","):
            reports.append(run_case(name, options, int(threads)))
            if not options.json:
                show(reports[-1])
    if options.json:
        print(json.dumps(dict(runs=reports), indent=1))


if __name__ == "__main__":
    main()
