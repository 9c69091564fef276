#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and float64 results of a binary cross entropy with large logits.

    python bce_reference.py INPUTS.safetensors INIT.safetensors EXPECTED.safetensors

The model is mean(bce(sigmoid(x @ w), target)) with w the identity, so that the logits are x, and
all of them f16 numbers. The reference is the definition of softplus in float64.
"""
import sys

import numpy as np
from safetensors.numpy import save_file

LOGITS = np.array([[0.0, -0.5, 2.25, -7.5], [12.0, -14.0, 30.0, -28.0], [60.0, -75.0, 0.0, 1.0]])


def main():
    inputs, init, expected = sys.argv[1:]
    target = np.array([[1.0, 0.0, 0.25, 1.0], [0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.5]])
    assert np.array_equal(LOGITS, LOGITS.astype(np.float16))
    loss = target * np.logaddexp(0, -LOGITS) + (1 - target) * np.logaddexp(0, LOGITS)
    probability = np.where(LOGITS >= 0, 1.0, np.exp(LOGITS)) / (1 + np.exp(-abs(LOGITS)))
    gradient = LOGITS.T @ ((probability - target) / LOGITS.size)
    save_file({"x": LOGITS.astype(np.float32), "t": target.astype(np.float32)}, inputs)
    save_file({"w": np.eye(4, dtype=np.float32)}, init)
    save_file({"loss": np.array(loss.mean()), "each": loss, "grad.w": gradient}, expected)


if __name__ == "__main__":
    main()
