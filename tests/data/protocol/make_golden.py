#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the golden files of wire protocol v1 beside itself: a second implementation, from net/protocol/README.md, of what the C++ code does.

usage: make_golden.py        needs the Python package cryptography (Debian: python3-cryptography); only for making the files anew.
"""

import base64
import hashlib
import json
import os

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

HERE = os.path.dirname(os.path.abspath(__file__))
NOW = 1_790_000_000_000
DAY = 86_400_000


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def b64(data):
    return base64.b64encode(data).decode()


def sha(data):
    return hashlib.sha256(data).hexdigest()


def fake_hash(word):
    """A digest that stands for a file of this name."""
    return sha(word.encode())


class Key:
    def __init__(self, byte):
        self.private = Ed25519PrivateKey.from_private_bytes(bytes([byte]) * 32)
        self.public = self.private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)

    def keyid(self):
        return sha(self.public)

    def device_id(self):
        return base64.b32encode(hashlib.blake2b(self.public, digest_size=20).digest()).decode().lower().rstrip("=")

    def sign(self, data):
        return self.private.sign(data)


def pae(kind, body):
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(body), body)


def envelope(kind, payload, keys):
    body = compact(payload).encode()
    return {"payloadType": kind, "payload": b64(body),
            "signatures": [{"keyid": key.keyid(), "sig": b64(key.sign(pae(kind, body)))} for key in keys]}


ROOT, ROOT_2, TARGETS, ROUNDS, TIMESTAMP, DEVICE = (Key(byte) for byte in range(1, 7))

MODEL = {
    "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1, "dtype": "float32",
    "eos_token_id": 2, "head_dim": 32, "hidden_act": "silu", "hidden_size": 128, "initializer_range": 0.02, "intermediate_size": 352,
    "max_position_embeddings": 64, "mlp_bias": False, "model_type": "llama", "num_attention_heads": 4, "num_hidden_layers": 4,
    "num_key_value_heads": 4, "rms_norm_eps": 1e-06, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
    "tie_word_embeddings": False, "use_cache": True, "vocab_size": 1024,
}

RECIPE = {
    "batch_sequences": 12, "sequence_length": 64, "inner_steps": 100, "min_inner_steps": 10, "learning_rate": 0.003, "min_lr_ratio": 0.1,
    "warmup_steps": 50, "total_steps": 2000, "beta1": 0.9, "beta2": 0.95, "adam_epsilon": 1e-08, "weight_decay": 0.1, "grad_clip": 1.0,
    "inner_state": "keep", "method": "diloco", "outer_learning_rate": 0.7, "outer_momentum": 0.9, "upload_codec": "int8",
    "update_codec": "int8", "codec_block": 64, "quorum": 2, "round_deadline_seconds": 900, "min_contributions": 1, "leases_per_device": 1,
    "lease_seconds": 900, "checkpoint_every": 20, "seed": 1, "weights": "fp32",
}

HIDDEN, INNER, LAYERS, HEADS, VOCAB = 128, 352, 4, 4, 1024
PARAMETERS = 2 * VOCAB * HIDDEN + LAYERS * (4 * HIDDEN * HIDDEN + 3 * HIDDEN * INNER + 2 * HIDDEN) + HIDDEN
SHARDS = [(2_000_000, 1_000_000), (650_000, 325_000)]
HELD_OUT = [(50_000, 25_000)]
TOKENIZER_BYTES = 252_345
INITIAL_BYTES = 4 * PARAMETERS + 4_096


def int8_bytes(elements, block=64):
    """README, "Fragments": all parts of an arena together."""
    part, total = 4 * 1024 * 1024, 0
    while elements > 0:
        count = min(part, elements)
        total += 24 + 4 * -(-count // block) + count
        elements -= count
    return total


def claims():
    """README, "Claims"."""
    arena, sequence, batch = 4 * PARAMETERS, RECIPE["sequence_length"], RECIPE["batch_sequences"]
    per_token = LAYERS * (10 * HIDDEN + 4 * INNER + 2 * HEADS * sequence) + 3 * VOCAB + 4 * HIDDEN
    update = int8_bytes(PARAMETERS)
    once = sum(size for size, _ in SHARDS) + TOKENIZER_BYTES + INITIAL_BYTES
    return {"parameters": PARAMETERS, "memory_bytes": 320 * 2**20 + 6 * arena + 4 * batch * sequence * per_token,
            "disk_bytes": once + 8 * arena + 2 * update + 2 * update, "upload_bytes_per_round": update, "download_bytes_per_round": update,
            "download_bytes_once": once}


def shards(sizes, word):
    return [{"sha256": fake_hash(f"{word} {i}"), "bytes": size, "tokens": tokens} for i, (size, tokens) in enumerate(sizes)]


root = {
    "role": "root", "version": 1, "expires": NOW + 365 * DAY,
    "project": {"id": "king-james", "name": "King James – a small test", "description": "A model of 1 M parameters.\nIt reads one book.",
                "url": "https://example.org/king-james"},
    "keys": {key.keyid(): b64(key.public) for key in (ROOT, ROOT_2, TARGETS, ROUNDS, TIMESTAMP)},
    "roles": {"root": {"keyids": [ROOT.keyid(), ROOT_2.keyid()], "threshold": 2},
              "targets": {"keyids": [TARGETS.keyid()], "threshold": 1},
              "rounds": {"keyids": [ROUNDS.keyid()], "threshold": 1},
              "timestamp": {"keyids": [TIMESTAMP.keyid()], "threshold": 1}},
}
targets = {
    "role": "targets", "version": 3, "expires": NOW + 90 * DAY,
    "manifest": {
        "model": MODEL, "recipe": RECIPE, "tokenizer": {"sha256": fake_hash("tokenizer"), "bytes": TOKENIZER_BYTES}, "token_bytes": 2,
        "shards": shards(SHARDS, "shard"), "held_out": shards(HELD_OUT, "held out"),
        "initial": {"sha256": fake_hash("initial"), "bytes": INITIAL_BYTES, "base_hash": fake_hash("base 4")},
        "source": {"description": "The King James Bible", "licence": "Public domain outside the United Kingdom"}, "claims": claims()},
}
update_bytes = int8_bytes(PARAMETERS)
rounds = {
    "role": "rounds", "version": 17, "expires": NOW + 7 * DAY, "round": 7, "opened_at": NOW - 60_000, "deadline": NOW + 840_000,
    "base_hash": fake_hash("base 6"),
    "checkpoint": {"round": 4, "sha256": fake_hash("checkpoint 4"), "bytes": INITIAL_BYTES, "base_hash": fake_hash("base 4")},
    "updates": [{"round": r, "sha256": fake_hash(f"update {r}"), "bytes": update_bytes, "base_hash": fake_hash(f"base {r}")} for r in (5, 6)],
    "first_global_step": 600,
}

files = {}


def put(name, text):
    files[name] = text.encode()


put("root.json", compact(envelope("application/vnd.sunloco.root+json", root, [ROOT, ROOT_2])))
put("targets.json", compact(envelope("application/vnd.sunloco.targets+json", targets, [TARGETS])))
put("rounds.json", compact(envelope("application/vnd.sunloco.rounds+json", rounds, [ROUNDS])))


def named(name, version):
    return {"version": version, "sha256": sha(files[name]), "bytes": len(files[name])}


timestamp = {"role": "timestamp", "version": 41, "expires": NOW + DAY, "root_version": 1, "targets": named("targets.json", 3),
             "rounds": named("rounds.json", 17)}
put("timestamp.json", compact(envelope("application/vnd.sunloco.timestamp+json", timestamp, [TIMESTAMP])))
for name, payload in (("root", root), ("targets", targets), ("rounds", rounds), ("timestamp", timestamp)):
    put(f"{name}_payload.json", compact(payload))

lease_id, contribution_id = "mfrggzdfmztwq2lknnwg23tpob", "ovzxk4tfmzsxe3tbnrwg64tjpb"
part = {"n": 0, "bytes": update_bytes, "sha256": fake_hash("part 0"), "first": 0, "elements": PARAMETERS}
parts_digest = sha(f"0 0 {PARAMETERS} {update_bytes} {fake_hash('part 0')}\n".encode())
receipt = {"contribution_id": contribution_id, "device_id": DEVICE.device_id(), "lease_id": lease_id, "round": 7, "steps": 100, "tokens": 76_800,
           "parts_digest": parts_digest, "accepted_at": NOW + 400_000}
signed_receipt = envelope("application/vnd.sunloco.receipt+json", receipt, [ROUNDS])
bearer = "n5xgk5dxn52gq4tfmvtg65lsmztwq2lknnwg23tpobzhg5dvovrwy2lk"

messages = {
    "enrol_request": {"public_key": b64(DEVICE.public), "invite": "k3-sun-rise", "name": "Küche", "software": "sunloco/0.1.0 linux-x86_64"},
    "enrol_answer": {"device_id": DEVICE.device_id(), "trust": "invited"},
    "lease_request": {"round_seen": 7, "sequence": 12, "software": "sunloco/0.1.0 linux-x86_64", "tokens_per_second": 5211.5},
    "lease": {"lease_id": lease_id, "round": 7, "base_hash": fake_hash("base 6"), "examples": {"first": 14_400, "count": 1_200}, "steps": 100,
              "min_steps": 10, "first_global_step": 600, "seed": 18446744073709551557, "expires_at": NOW + 840_000, "upload_codec": "int8",
              "codec_block": 64},
    "heartbeat_request": {"steps": 42},
    "heartbeat_answer": {"round_open": True, "expires_at": NOW + 900_000},
    "release_request": {"reason": "user-left"},
    "contribution_request": {"lease_id": lease_id, "base_hash": fake_hash("base 6"), "steps": 100, "tokens": 76_800, "entry_loss": 4.75,
                             "exit_loss": 4.5, "delta_norm": 0.8125, "parts": [part]},
    "contribution_created": {"contribution_id": contribution_id, "bearer": bearer, "bearer_expires": NOW + 900_000},
    "bearer_answer": {"bearer": bearer, "bearer_expires": NOW + 1_800_000},
    "contribution_status": {"state": "open", "missing": [0]},
    "contribution_status_rejected": {"state": "rejected", "missing": [], "receipt": signed_receipt, "code": "norm-too-large"},
    "commit_answer": {"state": "committed", "receipt": signed_receipt},
    "receipt": receipt,
    "own_contributions": [
        {"contribution_id": contribution_id, "lease_id": lease_id, "round": 7, "state": "committed", "tokens": 76_800, "weight": 0.0},
        {"contribution_id": "earlier-1", "lease_id": "earlier-lease", "round": 6, "state": "merged", "tokens": 76_800, "weight": 0.5}],
    "status": {"project": {"id": "king-james", "name": "King James – a small test"}, "round": 7, "state": "open", "opened_at": NOW - 60_000,
               "deadline": NOW + 840_000, "contributors": 1, "tokens_total": 921_600, "initial_held_out_loss": 6.9375,
               "energy": {"watt_hours": 12.25, "is_estimate": True},
               "history": [{"round": 5, "contributors": 2, "tokens": 153_600, "held_out_loss": 4.875, "bytes_up": 2 * update_bytes,
                            "bytes_down": 2 * update_bytes, "seconds": 61.5, "closed_at": NOW - 130_000, "compute_seconds": 110.25},
                           {"round": 6, "contributors": 2, "tokens": 153_600, "held_out_loss": None, "bytes_up": 2 * update_bytes,
                            "bytes_down": 2 * update_bytes, "seconds": 60.0, "closed_at": NOW - 60_000, "compute_seconds": 108.0}]},
    "problem": {"type": "about:blank", "title": "The round has no data left", "status": 409, "detail": "Round 7 has given out all its examples.",
                "code": "no-data-left", "retry_after_ms": 30_000},
}
for name, message in messages.items():
    put(f"{name}.json", compact(message))

# A signed request: RFC 9421 profile of the README.
body = files["contribution_request.json"]
idempotency_key, nonce = "nbswy3dpeb3w64tmmqqq", "mzxw6ytboi3tcmrtgq2tmnzy"
created = NOW // 1000
params = ('("@method" "@authority" "@path" "@query" "content-digest" "content-length" "idempotency-key");'
          f'created={created};expires={created + 300};nonce="{nonce}";keyid="{DEVICE.device_id()}";alg="ed25519";tag="sunloco-v1"')
digest_header = f"sha-256=:{b64(hashlib.sha256(body).digest())}:"
base = (f'"@method": POST\n"@authority": example.org:8443\n"@path": /v1/contributions\n"@query": ?\n"content-digest": {digest_header}\n'
        f'"content-length": {len(body)}\n"idempotency-key": {idempotency_key}\n"@signature-params": {params}')
pin = hashlib.sha256(b"the server's key").digest()
vectors = {
    "root_hash": sha(files["root.json"]),
    "link": f"https://example.org:8443/#root={sha(files['root.json'])}&pin={base64.urlsafe_b64encode(pin).decode().rstrip('=')}",
    "pin": pin.hex(),
    "device_public_key": b64(DEVICE.public), "device_id": DEVICE.device_id(), "device_keyid": DEVICE.keyid(),
    "request": {"now": NOW, "nonce": nonce, "idempotency_key": idempotency_key, "authority": "example.org:8443", "path": "/v1/contributions",
                "content_digest": digest_header, "content_length": str(len(body)), "signature_input": "sig1=" + params,
                "signature": f"sig1=:{b64(DEVICE.sign(base.encode()))}:", "signature_base": base},
}
put("vectors.json", json.dumps(vectors, sort_keys=True, indent=1, ensure_ascii=False) + "\n")

for name, data in files.items():
    with open(os.path.join(HERE, name), "wb") as out:
        out.write(data)
print(f"{len(files)} files written to {HERE}")
