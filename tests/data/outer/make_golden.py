#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden numbers of the outer step, by an implementation that shares nothing with ours: torch.optim.SGD on fp32 tensors, and exact rational means.

usage: make_golden.py OUTPUT_DIR     (needs the Python package torch; any 2.x)
Writes nesterov_20_steps.json (20 steps on 16 parameters) and three_rounds.json (3 rounds, 2 workers with different token counts, made-up deltas).
Every number is an fp32 value, written so that reading it as a double and rounding to float gives it back.
"""

import fractions
import json
import sys

import torch

ETA, MU = 0.7, 0.9


def values(seed, count, scale):
    """Reproducible values in [-scale, scale), a multiplicative generator modulo 2^31 - 1 (Park and Miller)."""
    state, out = seed, []
    for _ in range(count):
        state = state * 48271 % 2147483647
        out.append(scale * (2.0 * state / 2147483647 - 1.0))
    return torch.tensor(out, dtype=torch.float32)


def optimizer(theta):
    return torch.optim.SGD([theta], lr=ETA, momentum=MU, nesterov=True, dampening=0)


def step(opt, theta, grad):
    theta.grad = grad.clone()
    opt.step()
    return {"theta": theta.detach().tolist(), "buf": opt.state[theta]["momentum_buffer"].tolist()}


def twenty_steps():
    theta = torch.nn.Parameter(values(7, 16, 1.0))
    start = theta.detach().tolist()
    opt, steps = optimizer(theta), []
    for number in range(20):
        grad = values(100 + number, 16, 10.0 ** -(number % 5))
        steps.append({"g": grad.tolist(), **step(opt, theta, grad)})
    return {"eta": ETA, "mu": MU, "start": start, "steps": steps}


def weighted_mean(deltas, tokens):
    exact = [sum(fractions.Fraction(d[i].item()) * t for d, t in zip(deltas, tokens)) / sum(tokens) for i in range(len(deltas[0]))]
    return torch.tensor([float(x) for x in exact], dtype=torch.float32)


def three_rounds():
    theta = torch.nn.Parameter(values(11, 12, 0.5))
    start = theta.detach().tolist()
    opt, rounds = optimizer(theta), []
    for number in range(3):
        deltas = [values(1000 * (worker + 1) + number, 12, 0.02) for worker in range(2)]
        tokens = [6400 + 1000 * number, 12800]
        mean = weighted_mean(deltas, tokens)
        rounds.append({"tokens": tokens, "deltas": [d.tolist() for d in deltas], "mean": mean.tolist(), **step(opt, theta, mean)})
    return {"eta": ETA, "mu": MU, "start": start, "rounds": rounds}


def main():
    for name, content in (("nesterov_20_steps", twenty_steps()), ("three_rounds", three_rounds())):
        content["made_by"] = "make_golden.py, torch " + torch.__version__
        with open(f"{sys.argv[1]}/{name}.json", "w", encoding="utf-8") as out:
            json.dump(content, out, indent=1)
            out.write("\n")


main()
