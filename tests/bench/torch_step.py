#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One training step in PyTorch for each line "step" on stdin: the other side of side_by_side.py, on the inputs that `sunloco-worker bench --write-inputs` wrote.

usage: torch_step.py FOLDER eager|compile THREADS      needs torch, transformers and safetensors

The model is transformers' own with PyTorch's attention; clipping and fused AdamW as in the worker's step.
"""
import json
import resource
import sys
import time

import torch
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModelForCausalLM


def main(folder, mode, threads):
    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    config = AutoConfig.from_pretrained(folder)
    config._attn_implementation = "sdpa"
    config.use_cache = False
    model = AutoModelForCausalLM.from_pretrained(folder, config=config, dtype=torch.float32).train()
    batches = load_file(f"{folder}/batches.safetensors")["tokens"].long().flatten(1, 2)
    groups = [dict(params=[w for w in model.parameters() if (w.dim() >= 2) == decayed], weight_decay=0.1 if decayed else 0.0) for decayed in (True, False)]
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.95), eps=1e-8, fused=True)

    def loss_of(tokens):
        logits = model(input_ids=tokens[:, :-1]).logits
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

    forward = torch.compile(loss_of) if mode == "compile" else loss_of
    for step, line in enumerate(sys.stdin):
        if line.strip() != "step":
            sys.exit(f"torch_step.py: only the line \"step\" is known, not {line.strip()[:40]!r}")
        wall, cpu = time.perf_counter(), time.process_time()
        optimizer.zero_grad(set_to_none=True)
        loss = forward(batches[step % len(batches)])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        value = loss.item()
        print(json.dumps(dict(cpu_ms=1e3 * (time.process_time() - cpu), wall_ms=1e3 * (time.perf_counter() - wall), loss=value,
                              peak_rss_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[2] not in ("eager", "compile"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
