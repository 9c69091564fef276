# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts underflows of a model's f16 gradients in numpy.

    python check_underflow.py make FOLDER
    python check_underflow.py check FOLDER METRICS SCALE BATCHES

`make` writes data and weights for nan_models.py's model: powers of two over a wide range, so that
sums are exact in f32. `check` computes the gradients of the first BATCHES batches of four, counts
the elements that are zero or subnormal in f16, and compares with column underflow of METRICS' row.
"""
import csv
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

BATCH = 4


def powers(random, shape, low, high):
    signs = random.choice([-1.0, 1.0], size=shape)
    return (signs * 2.0 ** random.integers(low, high, size=shape)).astype(np.float32)


def make(folder):
    random = np.random.default_rng(5)
    save_file(
        {"x": powers(random, (8, 3), -9, 1), "target": powers(random, (8, 2), -9, 1)},
        f"{folder}/wide.safetensors",
    )
    save_file(
        {"w1": powers(random, (3, 5), -9, 1), "w2": powers(random, (5, 2), -9, 1)},
        f"{folder}/wide.init.safetensors",
    )


def half(x):
    return x.astype(np.float16).astype(np.float32)


def underflows(x, target, w1, w2, seed):
    h = half(x @ w1)
    d_y = half(np.float32(seed) * 2 / np.float32(target.size) * (half(h @ w2) - target))
    d_h = half(d_y @ w2.T)
    gradients = [(x.T @ d_h).astype(np.float16), (h.T @ d_y).astype(np.float16)]
    tiny = np.finfo(np.float16).tiny
    return sum(int((np.abs(g) < tiny).sum()) for g in gradients)


def check(folder, metrics, scale, batches):
    data, weights = load_file(f"{folder}/wide.safetensors"), load_file(f"{folder}/wide.init.safetensors")
    expected = 0
    for batch in range(batches):
        rows = slice(batch * BATCH, (batch + 1) * BATCH)
        expected += underflows(
            data["x"][rows], data["target"][rows], weights["w1"], weights["w2"], scale / batches
        )
    with open(metrics) as file:
        found = float(next(csv.DictReader(file))["underflow"])
    print(f"expected {expected}, found {found:g}")
    return expected != found


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    sys.exit(check(sys.argv[2], sys.argv[3], float(sys.argv[4]), int(sys.argv[5])))
