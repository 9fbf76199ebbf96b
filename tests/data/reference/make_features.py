#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small training references for the features of a config that the three larger ones do not have: one folder per case, same files.

usage: make_features.py OUT_DIR [NAME…]     needs torch, transformers, safetensors in a virtual environment of its own

Every case is a few thousand parameters and eight steps: what is asked is whether a feature is computed as transformers does it, not whether it learns.
A case may store its weights in shards or as bf16 (then training starts from the rounded values), or write its config in the spelling of transformers 4.
"""
import json
import math
import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig

STEPS = 8
TRAIN = dict(lr=5e-3, min_lr_ratio=0.1, warmup_steps=2, total_steps=12, betas=[0.9, 0.95], eps=1e-8, weight_decay=0.1, grad_clip=1.0)


def llama(**changes):
    settings = dict(vocab_size=53, hidden_size=24, intermediate_size=40, num_hidden_layers=2, num_attention_heads=3, num_key_value_heads=3,
                    max_position_embeddings=64, tie_word_embeddings=False, rms_norm_eps=1e-5, hidden_act="silu", attention_dropout=0.0, use_cache=False)
    settings.update(changes)
    return LlamaConfig(**settings)


def gpt2(**changes):
    settings = dict(vocab_size=47, n_positions=32, n_embd=24, n_layer=2, n_head=3, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False)
    settings.update(changes)
    return GPT2Config(**settings)


def rope(kind, **changes):
    return dict(rope_parameters=dict(rope_type=kind, rope_theta=2000.0, **changes))


LLAMA3 = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)
# name: (config, [accumulation, B, T], what is special about the files)
CASES = {
    "multi-query": (llama(num_attention_heads=4, num_key_value_heads=1, head_dim=10), [1, 1, 13], {}),
    "biases-tied": (llama(attention_bias=True, mlp_bias=True, tie_word_embeddings=True), [3, 2, 17], {}),
    "wide-head": (llama(hidden_size=20, num_attention_heads=2, num_key_value_heads=1, head_dim=32, vocab_size=401), [1, 5, 9], {}),
    "one-token": (llama(num_hidden_layers=1), [1, 3, 1], {}),
    "rope-linear": (llama(**rope("linear", factor=4.0)), [1, 2, 33], {}),
    "rope-llama3": (llama(hidden_size=32, num_attention_heads=2, num_key_value_heads=2, **rope("llama3", **LLAMA3)), [1, 2, 40], {}),
    "rope-linear-v4": (llama(**rope("linear", factor=2.5)), [1, 2, 21], {"spelling": "type"}),
    "rope-llama3-v4": (llama(hidden_size=32, num_attention_heads=4, num_key_value_heads=2, **rope("llama3", **LLAMA3)), [2, 1, 37], {"spelling": "rope_type"}),
    "gpt2-inner": (gpt2(n_inner=37, layer_norm_epsilon=1e-3), [2, 2, 32], {}),
    "gpt2-untied": (gpt2(tie_word_embeddings=False, n_head=2), [1, 1, 5], {}),
    "sharded": (llama(vocab_size=61), [1, 2, 11], {"shards": "8KB"}),
    "stored-bf16": (llama(num_key_value_heads=1), [1, 2, 16], {"dtype": torch.bfloat16}),
    "stored-f16": (gpt2(), [1, 2, 16], {"dtype": torch.float16}),
}


def learning_rate(step):
    lowest = TRAIN["lr"] * TRAIN["min_lr_ratio"]
    if step < TRAIN["warmup_steps"]:
        return TRAIN["lr"] * (step + 1) / TRAIN["warmup_steps"]
    way = min(1.0, (step - TRAIN["warmup_steps"]) / (TRAIN["total_steps"] - TRAIN["warmup_steps"]))
    return lowest + (TRAIN["lr"] - lowest) * (1 + math.cos(math.pi * way)) / 2


def micro_loss(model, tokens):
    tokens = tokens.long()
    logits = model(input_ids=tokens[:, :-1]).logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def train(model, batches):
    groups = [dict(params=[w for w in model.parameters() if (w.dim() >= 2) == decayed], weight_decay=TRAIN["weight_decay"] if decayed else 0.0)
              for decayed in (True, False)]
    optimizer = torch.optim.AdamW(groups, lr=1.0, betas=tuple(TRAIN["betas"]), eps=TRAIN["eps"], foreach=False)
    records = []
    for step, micro_batches in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step)
        optimizer.zero_grad(set_to_none=True)
        loss = 0.0
        for tokens in micro_batches:
            share = micro_loss(model, tokens) / len(micro_batches)
            share.backward()
            loss += share.item()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), TRAIN["grad_clip"]).item()
        optimizer.step()
        records.append(dict(lr=learning_rate(step), loss=loss, grad_norm=norm))
    return records


def fresh_model(config, dtype):
    """Weights away from their usual start, so that norms and biases matter; rounded to what the file can hold."""
    model = AutoModelForCausalLM.from_config(config).train()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(2.5) if weight.dim() >= 2 else weight.add_(0.2 * torch.randn_like(weight))
            if dtype:
                weight.copy_(weight.to(dtype).float())
    return model


def write_weights(model, folder, files):
    if "dtype" in files:
        import copy
        copy.deepcopy(model).to(files["dtype"]).save_pretrained(folder)
    else:
        model.save_pretrained(folder, max_shard_size=files.get("shards", "1GB"))
    (folder / "generation_config.json").unlink(missing_ok=True)
    if "spelling" in files:
        path = folder / "config.json"
        config = json.loads(path.read_text())
        parameters = config.pop("rope_parameters")
        config["rope_theta"] = parameters.pop("rope_theta")
        parameters[files["spelling"]] = parameters.pop("rope_type")
        config["rope_scaling"] = parameters
        path.write_text(json.dumps(config, indent=2) + "\n")


def make(name, out):
    config, (accumulation, sequences, length), files = CASES[name]
    folder = pathlib.Path(out) / name
    folder.mkdir(parents=True, exist_ok=True)
    seed = 1000 + list(CASES).index(name)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    config._attn_implementation = "eager"
    model = fresh_model(config, files.get("dtype"))
    write_weights(model, folder, files)
    generator = torch.Generator().manual_seed(seed)
    batches = torch.randint(0, config.vocab_size, (STEPS, accumulation, sequences, length + 1), generator=generator, dtype=torch.int32)
    save_file({"tokens": batches}, folder / "batches.safetensors")
    (folder / "train.json").write_text(json.dumps(TRAIN, indent=1) + "\n")

    wide = AutoModelForCausalLM.from_config(config).train().double()
    wide.load_state_dict({key: value.double() for key, value in model.state_dict().items()})
    if hasattr(getattr(wide, "model", None), "rotary_emb"):
        wide.model.rotary_emb.inv_freq = model.model.rotary_emb.inv_freq.double()
    with torch.no_grad():
        logits = wide(input_ids=batches[0, 0, :1, :-1].long()).logits[0]
    save_file({"logits": logits.float().contiguous()}, folder / "logits.safetensors")
    expected = dict(torch=torch.__version__, fp32=train(model, batches), fp64=train(wide, batches))
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    worst = max(abs(a["loss"] - b["loss"]) / b["loss"] for a, b in zip(expected["fp32"], expected["fp64"]))
    print(f"{name}: {sum(w.numel() for w in model.parameters())} parameters, loss {expected['fp32'][0]['loss']:.4f}, fp32 against fp64 {worst:.1e}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for case in sys.argv[2:] or CASES:
        make(case, sys.argv[1])
