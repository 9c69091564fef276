#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the infinities in f16 of the first step of range_products against a file of metrics.

    python check_range.py range_products METRICS.csv

The model is last(h / (1 + |h * h.flip(-1)| / 1000)) of h = first(x): h is rounded to f16, and so is the product.
"""
import csv
import sys

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import load_file


def main():
    path, metrics = sys.argv[1:]
    weights = {t.name: numpy_helper.to_array(t) for t in onnx.load(path + ".onnx").graph.initializer}
    x = load_file(path + ".safetensors")["x"].astype(np.float16).astype(np.float32)
    with np.errstate(over="ignore"):
        h = (x @ weights["first.weight"].astype(np.float16).astype(np.float32).T).astype(np.float16)
        infinite = int(np.isinf(h * h[:, ::-1]).sum())
    with open(metrics, newline="") as file:
        rows = list(csv.DictReader(file))
    found = [float(row["hidden_inf"]) for row in rows]
    skipped = [int(row["skipped"]) for row in rows]
    print(f"expected {infinite}, found {found[0]:g}, skipped {skipped}")
    return infinite == 0 or found[0] != infinite or any(skipped)


if __name__ == "__main__":
    sys.exit(main())
