#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does llama.cpp say the same as we do? Greedy continuation of a prompt by `sunloco-worker generate` from a Hugging Face folder and by llama.cpp from a
GGUF file of the same model, compared byte by byte.

usage: check_llama_cpp.py WORKER HF_FOLDER FILE.gguf [PROMPT]     needs llama-cpp-python (pip builds it)

Weights rounded by Q8_0 may end elsewhere once two tokens are nearly as probable; how far both agree is printed.
"""
import json
import subprocess
import sys

from llama_cpp import Llama

TOKENS = 64


def main(worker, folder, gguf, prompt="And the earth was"):
    model = Llama(gguf, n_ctx=0, verbose=False, n_threads=1)
    ids = model.tokenize(prompt.encode(), add_bos=False, special=False)
    made = []
    for token in model.generate(ids, temp=0.0, top_k=1, repeat_penalty=1.0):
        made.append(token)
        if len(made) == TOKENS or token == model.token_eos():
            break
    theirs = prompt + model.detokenize(made).decode(errors="replace")
    command = [worker, "generate", "--model", folder, "--prompt", prompt, "--temperature", "0", "--max-tokens", str(TOKENS), "--json"]
    ours = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["text"]
    same = 0
    while same < min(len(ours), len(theirs)) and ours[same] == theirs[same]:
        same += 1
    equal = ours.rstrip() == theirs.rstrip()
    print(f"{'equal' if equal else 'different'}: {same} of {len(ours)} characters, {len(made)} tokens\n{ours}")
    return 0 if equal else 8


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
