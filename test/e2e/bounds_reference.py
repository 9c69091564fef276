#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and float64 results of a sum of angles, whose cosines are bounded beside the poles of acos.

    python bounds_reference.py INPUTS.safetensors INIT.safetensors EXPECTED.safetensors

The model is sum(acos(clamp(x @ w, -0.9999, 0.9999))) with w the identity, so that x holds the cosines.
"""
import sys

import numpy as np
from safetensors.numpy import save_file

COSINES = np.array([[0.0, -0.5, 0.25, 0.75], [1.0, -1.0, 0.125, 0.5], [-0.25, 0.875, 1.0, -0.75]])
BOUND = np.float64(np.float32(0.9999))


def main():
    inputs, init, expected = sys.argv[1:]
    bounded = np.clip(COSINES, -BOUND, BOUND)
    slope = np.where(bounded == COSINES, -1 / np.sqrt(1 - bounded**2), 0)
    save_file({"x": COSINES.astype(np.float32)}, inputs)
    save_file({"w": np.eye(4, dtype=np.float32)}, init)
    save_file({"loss": np.array(np.arccos(bounded).sum()), "grad.w": COSINES.T @ slope}, expected)


if __name__ == "__main__":
    main()
