#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks outputs that were cast to a type, and the loss that is computed from them.

    python check_output_dtype.py INPUTS.safetensors DECLARED.safetensors CAST.safetensors TYPE

The logits of CAST are those of DECLARED, rounded to TYPE; its loss is the mean cross entropy of
them, in f64, to f32's precision. Prints what does not hold, and exits 1.
"""
import json
import struct
import sys

import numpy as np


def load(path):
    """{name: (type, array of f64 or int)}, also of bf16, which numpy lacks."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        raw = data[8 + size + begin : 8 + size + end]
        kind = entry["dtype"]
        if kind == "BF16":
            values = (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            values = np.frombuffer(raw, {"F16": np.float16, "F32": np.float32, "I64": np.int64}[kind])
        tensors[name] = (kind, values.reshape(entry["shape"]))
    return tensors


def rounded(values, kind):
    """f32 to the nearest value of the type, ties to even."""
    if kind == "F16":
        return values.astype(np.float16)
    if kind == "BF16":
        bits = values.view(np.uint32).astype(np.uint64)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return values


def cross_entropy(logits, target):
    logits = logits.astype(np.float64)
    top = logits.max(axis=1, keepdims=True)
    sums = np.log(np.exp(logits - top).sum(axis=1)) + top[:, 0]
    return (sums - logits[np.arange(len(target)), target]).mean()


def main():
    inputs, declared, cast, kind = sys.argv[1:]
    target = load(inputs)["target"][1]
    before, after = load(declared), load(cast)
    found, logits = after["logits"]
    faults = []
    if found != kind:
        faults.append(f"logits is {found}, expected {kind}")
    elif not np.array_equal(logits, rounded(before["logits"][1], kind)):
        faults.append("logits are not the declared ones, rounded")
    expected = cross_entropy(logits, target)
    loss_type, loss = after["loss"]
    if loss_type != "F32" or abs(float(loss) - expected) > 4e-7 * expected:
        faults.append(f"loss is {float(loss)} ({loss_type}), expected {expected}")
    faults += [f"{name} is {entry[0]}" for name, entry in after.items() if name.startswith("grad.") and entry[0] != "F32"]
    print("\n".join(faults) or f"{kind}: loss {float(loss)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
