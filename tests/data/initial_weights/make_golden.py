#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The initial weights of the reference models by a second implementation: prints the SHA-256 of each arena for seed 42.

usage: make_golden.py REFERENCE_DIR     (tests/data/reference; standard library only)
A value is a pure function of (seed, number of the tensor in arena order, number of the element): 12 Philox4x32-10 words, their sum made
centred and divided by 2^32 (a sum of 12 uniforms: variance 1), times the standard deviation in double precision, rounded once to single precision.
"""

import hashlib
import json
import math
import os
import struct
import sys

MASK = 0xFFFFFFFF


def philox(counter, stream, seed):
    c0, c1, c2, c3 = counter & MASK, counter >> 32, stream & MASK, stream >> 32
    k0, k1 = seed & MASK, seed >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & MASK, (p0 >> 32) ^ c3 ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0 + c1 + c2 + c3


def llama(c):
    d, hd = c["hidden_size"], c["head_dim"]
    q, kv, f = c["num_attention_heads"] * hd, c["num_key_value_heads"] * hd, c["intermediate_size"]
    yield c["vocab_size"] * d, "weight"
    for _ in range(c["num_hidden_layers"]):
        yield d, "one"
        for rows in (q, kv, kv):
            yield rows * d, "weight"
        yield d * q, "weight"
        yield d, "one"
        for _ in range(3):
            yield f * d, "weight"
    yield d, "one"
    if not c["tie_word_embeddings"]:
        yield c["vocab_size"] * d, "weight"


def gpt2(c):
    d, f = c["n_embd"], 4 * c["n_embd"]
    yield c["vocab_size"] * d, "weight"
    yield c["n_positions"] * d, "weight"
    for _ in range(c["n_layer"]):
        yield from ((d, "one"), (d, "zero"), (3 * d * d, "weight"), (3 * d, "zero"), (d * d, "residual"), (d, "zero"))
        yield from ((d, "one"), (d, "zero"), (d * f, "weight"), (f, "zero"), (f * d, "residual"), (d, "zero"))
    yield from ((d, "one"), (d, "zero"))


def arena_hash(config, seed):
    is_gpt2 = config["model_type"] == "gpt2"
    scales = {"weight": config["initializer_range"]}
    if is_gpt2:
        scales["residual"] = config["initializer_range"] / math.sqrt(2.0 * config["n_layer"])
    digest = hashlib.sha256()
    for tensor, (count, kind) in enumerate(gpt2(config) if is_gpt2 else llama(config)):
        if kind in ("one", "zero"):
            digest.update(struct.pack("<f", kind == "one") * count)
            continue
        for element in range(count):
            total = sum(philox(3 * element + k, tensor, seed) for k in range(3))
            digest.update(struct.pack("<f", float(total - 6 * MASK) / 4294967296.0 * scales[kind]))
    return digest.hexdigest()


for model in ("gpt2", "llama-gqa", "llama-tied"):
    with open(os.path.join(sys.argv[1], model, "config.json"), encoding="utf-8") as text:
        print(model, arena_hash(json.load(text), 42), flush=True)
