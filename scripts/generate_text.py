#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes text with a trained character model, by way of mpc-eval.

    python generate_text.py MODEL.onnx CHECKPOINTS --prompt="And God said"

takes the weights of the newest checkpoint in the folder CHECKPOINTS. The model's batch is
fixed, so as many samples grow at once; each call of mpc-eval adds a character to all.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from prepare_kjv import WINDOW, decode, encode
from safetensors.numpy import load_file, save_file

BATCH = 12
MPC_EVAL = pathlib.Path(__file__).resolve().parent.parent / "build" / "bin" / "mpc-eval"


def newest_weights(folder):
    """ckpt-N.safetensors with the largest N; it holds the weights by name."""
    found = {}
    for checkpoint in folder.glob("ckpt-*.safetensors"):
        number = checkpoint.stem.removeprefix("ckpt-")
        if number.isdigit():
            found[int(number)] = checkpoint
    if not found:
        raise SystemExit(f"{folder}: no checkpoint ckpt-N.safetensors")
    return found[max(found)]


class Model:
    """Evaluates MODEL with given weights; all files live in a scratch folder."""

    def __init__(self, model, weights, scratch):
        self.inputs = scratch / "in.safetensors"
        self.outputs = scratch / "out.safetensors"
        self.command = [
            str(MPC_EVAL),
            str(model),
            f"--init={weights}",
            f"--inputs={self.inputs}",
            f"--outputs={self.outputs}",
        ]

    def logits(self, tokens):
        save_file({"tokens": tokens}, self.inputs)
        result = subprocess.run(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            raise SystemExit(f"mpc-eval failed ({result.returncode}):\n{result.stderr}")
        return load_file(self.outputs)["logits"]


def show(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def sample(logits, temperature, generator):
    """One token a row, by the Gumbel-max trick: no normalization to get wrong."""
    noise = generator.gumbel(size=logits.shape)
    return np.argmax(logits / temperature + noise, axis=-1)


def grow(model, prompt, length, temperature, generator):
    """BATCH texts of `length` characters after the prompt, as [BATCH, ...] tokens.

    The first is printed while it grows."""
    texts = np.tile(encode(prompt), (BATCH, 1))
    show(prompt)
    for _ in range(length):
        read = texts[:, -WINDOW:]
        # The model is causal: what stands behind the last character is not seen.
        window = np.zeros((BATCH, WINDOW), np.int64)
        window[:, : read.shape[1]] = read
        logits = model.logits(window)[:, read.shape[1] - 1].astype(np.float64)
        drawn = sample(logits, temperature, generator)
        texts = np.concatenate([texts, drawn[:, None]], axis=1)
        show(decode(drawn[:1]))
    return texts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("checkpoints", type=pathlib.Path)
    parser.add_argument("--prompt", default="And God said")
    parser.add_argument("--length", type=int, default=120, help="characters to add (default: 120)")
    parser.add_argument("--temperature", type=float, default=0.7, help="default: 0.7")
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--samples", type=int, default=1, help=f"texts to print, 1 to {BATCH} (default: 1)")
    arguments = parser.parse_args()
    generator = np.random.default_rng(arguments.seed)
    with tempfile.TemporaryDirectory() as scratch:
        model = Model(arguments.model, newest_weights(arguments.checkpoints), pathlib.Path(scratch))
        texts = grow(model, arguments.prompt, arguments.length, arguments.temperature, generator)
    show("\n")
    for text in texts[1 : arguments.samples]:
        show("\n" + decode(text) + "\n")


if __name__ == "__main__":
    main()
