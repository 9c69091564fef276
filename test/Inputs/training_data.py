#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rebuilds the initial weights and the batches of a reference training run.

    python training_data.py NAME --steps N --init INIT.safetensors --data DATA.safetensors

NAME is a file of training/. INIT gets the weights by name, DATA the batches end to end
in training order (read it with --order=sequential): `x` or `tokens`, and `target`.
Seeds and the order of the draws are those of the recorded runs, so every value is exact.
"""
import argparse
import json
import pathlib

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

INPUTS = pathlib.Path(__file__).resolve().parent
BATCH_SEED_OFFSET = 1000


def read_config(name):
    with safe_open(INPUTS / "training" / f"{name}.safetensors", "np") as file:
        return json.loads(file.metadata()["config"])


class Draws:
    """Weights in the order in which they are drawn from one generator."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)
        self.weights = {}

    def uniform_layer(self, name, weight_shape):
        bound = 1.0 / np.sqrt(np.prod(weight_shape[1:]))
        for suffix, shape in ((".weight", weight_shape), (".bias", weight_shape[:1])):
            drawn = self.generator.uniform(-bound, bound, shape)
            self.weights[name + suffix] = drawn.astype(np.float32)

    def normal(self, name, shape, deviation):
        self.weights[name] = self.generator.normal(0, deviation, shape).astype(np.float32)

    def ones(self, name, size):
        self.weights[name] = np.ones(size, np.float32)


def mlp_weights(config):
    draws = Draws(config["seed"])
    widths = config["dims"]
    for layer, (inner, outer) in enumerate(zip(widths, widths[1:]), start=1):
        draws.uniform_layer(f"fc{layer}", (outer, inner))
    return draws.weights


def cnn_weights(config):
    draws = Draws(config["seed"])
    channels = config["ch"]
    for layer, (inner, outer) in enumerate(zip(channels, channels[1:]), start=1):
        draws.uniform_layer(f"conv{layer}", (outer, inner, 3, 3))
    draws.uniform_layer("fc1", (config["fc"], channels[-1] * 4 * 4))
    draws.uniform_layer("fc2", (10, config["fc"]))
    return draws.weights


def gpt_weights(config):
    draws = Draws(config["seed"])
    width, layers = config["n_embd"], config["n_layer"]
    residual = 0.02 / np.sqrt(2 * layers)
    draws.normal("wte.weight", (len(read_text()[1]), width), 0.02)
    draws.normal("wpe.weight", (config["block"], width), 0.02)
    for layer in range(layers):
        block = f"h.{layer}."
        draws.ones(block + "ln1.weight", width)
        draws.normal(block + "attn.qkv.weight", (3 * width, width), 0.02)
        draws.normal(block + "attn.proj.weight", (width, width), residual)
        draws.ones(block + "ln2.weight", width)
        draws.normal(block + "mlp.fc.weight", (4 * width, width), 0.02)
        draws.normal(block + "mlp.proj.weight", (width, 4 * width), residual)
    draws.ones("lnf.weight", width)
    return draws.weights


def read_text():
    """The King James Bible as character ids, and the characters by id."""
    with np.load(INPUTS / "kjv.npz") as file:
        return file["ids"], str(file["vocab"])


def digit_rows(config, steps):
    """[steps, batch] rows: permutations end to end, cut into batches."""
    with np.load(INPUTS / "digits.npz") as file:
        count = len(file["y"])
    generator = np.random.default_rng(config["seed"] + BATCH_SEED_OFFSET)
    wanted = steps * config["batch"]
    epochs = [generator.permutation(count) for _ in range(-(-wanted // count))]
    return np.concatenate(epochs)[:wanted].reshape(steps, config["batch"])


def text_offsets(config, steps):
    """[steps, batch] starts of the windows in the text."""
    end = len(read_text()[0]) - config["block"] - 1
    generator = np.random.default_rng(config["seed"] + BATCH_SEED_OFFSET)
    return np.stack([generator.integers(0, end, config["batch"]) for _ in range(steps)])


def digit_batches(config, steps):
    rows = digit_rows(config, steps).reshape(-1)
    with np.load(INPUTS / "digits.npz") as file:
        images = file["x"][rows].astype(np.float32) / 16.0
        labels = file["y"][rows].astype(np.int64)
    if config["kind"] == "cnn":
        images = images.reshape(-1, 1, 8, 8)
    return {"x": images, "target": labels}


def text_batches(config, steps):
    offsets = text_offsets(config, steps).reshape(-1, 1)
    windows = read_text()[0][offsets + np.arange(config["block"] + 1)].astype(np.int64)
    return {"tokens": windows[:, :-1].copy(), "target": windows[:, 1:].copy()}


WEIGHTS = {"mlp": mlp_weights, "cnn": cnn_weights, "gpt": gpt_weights}
BATCHES = {"mlp": digit_batches, "cnn": digit_batches, "gpt": text_batches}


def weights(name):
    config = read_config(name)
    return WEIGHTS[config["kind"]](config)


def batches(name, steps):
    config = read_config(name)
    return BATCHES[config["kind"]](config, steps)


def main():
    names = sorted(path.stem for path in (INPUTS / "training").glob("*.safetensors"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=names)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--init", help="where the weights go")
    parser.add_argument("--data", help="where the batches go")
    arguments = parser.parse_args()
    if arguments.init:
        save_file(weights(arguments.name), arguments.init)
    if arguments.data:
        save_file(batches(arguments.name, arguments.steps), arguments.data)


if __name__ == "__main__":
    main()
