#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains Inputs/batch_norm.mlir in float64 and compares a checkpoint with that.

    python batch_norm.py data DIR
    python batch_norm.py check DIR CHECKPOINT [--steps=N] [--window=N] [--skip=N]
                               [--momentum=X] [--rtol=X]

A window of batches makes one step of SGD; skipped steps, the first ones, change nothing. Each
normalization of each batch moves the running statistics by the momentum: the mean, and the
variance of the sample.
"""
import argparse
import os
import pathlib
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import reference

BATCH, CHANNELS, LENGTH, OUTPUTS = 6, 3, 4, 2
EPSILON, RATE = 0.01, 0.1
AXES = (0, 2)


def make_data(directory):
    rng = np.random.default_rng(7)
    samples = 12 * BATCH
    f32 = lambda array: array.astype(np.float32)
    save_file({"x": f32(rng.normal(1.0, 2.0, (samples, CHANNELS, LENGTH))),
               "target": f32(rng.normal(size=(samples, OUTPUTS)))}, os.path.join(directory, "data.safetensors"))
    save_file({"scale": f32(rng.uniform(0.5, 1.5, CHANNELS)), "bias": f32(rng.normal(size=CHANNELS)),
               "mean": f32(rng.normal(size=CHANNELS)), "variance": f32(rng.uniform(0.5, 2.0, CHANNELS)),
               "weight": f32(rng.normal(0.0, 0.3, (OUTPUTS, CHANNELS * LENGTH)))},
              os.path.join(directory, "init.safetensors"))


def rows(vector):
    return vector[None, :, None]


def normalize(x, state, momentum):
    mean, variance = x.mean(AXES), x.var(AXES)
    state["mean"] = (1 - momentum) * state["mean"] + momentum * mean
    state["variance"] = (1 - momentum) * state["variance"] + momentum * x.var(AXES, ddof=1)
    rstd = 1 / np.sqrt(variance + EPSILON)
    normal = (x - rows(mean)) * rows(rstd)
    return normal * rows(state["scale"]) + rows(state["bias"]), (normal, rstd)


def normalize_backward(dy, saved, state, gradients):
    normal, rstd = saved
    gradients["scale"] += (dy * normal).sum(AXES)
    gradients["bias"] += dy.sum(AXES)
    e = dy * rows(state["scale"])
    return rows(rstd) * (e - rows(e.mean(AXES)) - normal * rows((e * normal).mean(AXES)))


def add_gradients(x, target, state, gradients, momentum):
    first, saved_first = normalize(x, state, momentum)
    hidden = np.tanh(first)
    second, saved_second = normalize(hidden, state, momentum)
    flat = second.reshape(BATCH, -1)
    dy = 2 * (flat @ state["weight"].T - target) / target.size
    gradients["weight"] += dy.T @ flat
    d = normalize_backward((dy @ state["weight"]).reshape(second.shape), saved_second, state, gradients)
    normalize_backward(d * (1 - hidden**2), saved_first, state, gradients)


def train(directory, steps, window, skip, momentum):
    data = load_file(os.path.join(directory, "data.safetensors"))
    state = {name: value.astype(np.float64)
             for name, value in load_file(os.path.join(directory, "init.safetensors")).items()}
    optimizer = reference.Sgd(RATE)
    for step in range(skip, steps):
        gradients = {name: np.zeros_like(state[name]) for name in ("scale", "bias", "weight")}
        for batch in range(step * window, (step + 1) * window):
            part = slice(batch * BATCH, (batch + 1) * BATCH)
            add_gradients(data["x"][part].astype(np.float64), data["target"][part].astype(np.float64),
                          state, gradients, momentum)
        optimizer.step(state, {name: gradient / window for name, gradient in gradients.items()})
    return state


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["data", "check"])
    parser.add_argument("directory")
    parser.add_argument("checkpoint", nargs="?")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--window", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--momentum", type=float, default=0.25)
    parser.add_argument("--rtol", type=float, default=1e-5)
    options = parser.parse_args()
    if options.command == "data":
        return make_data(options.directory)
    expected = train(options.directory, options.steps, options.window, options.skip, options.momentum)
    found = load_file(options.checkpoint)
    failed = False
    for name, value in expected.items():
        error = abs(found[name] - value).max() / abs(value).max()
        failed |= not error <= options.rtol
        print(f"{'ok  ' if error <= options.rtol else 'FAIL'} {name} {error:.2g}")
    for name in found:
        if name.endswith("/pending"):
            failed |= bool(found[name].any())
            print(f"{'FAIL' if found[name].any() else 'ok  '} {name} is 0 between windows")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
