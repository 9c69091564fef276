# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models that rank the elements of rows into a folder, each with its inputs and results.

    python rank.py FOLDER
"""
import os
import sys

import numpy as np
from safetensors.numpy import save_file

KINDS = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32, "i64": np.int64}


def values(rows, size, kind, random):
    if kind[0] == "i":
        limits = np.iinfo(KINDS[kind])
        row = random.integers(limits.min, limits.max, (rows, size), KINDS[kind], endpoint=True)
    else:
        row = (random.standard_normal((rows, size)) * 100).astype(KINDS[kind])
        special = np.array([np.nan, -np.inf, np.inf, 0.0, -0.0, -np.nan], KINDS[kind])
        row = np.where(random.random((rows, size)) < 0.1, random.choice(special, (rows, size)), row)
    # A third of the elements are equal to others.
    row[:, ::3] = row[:, random.integers(0, size, len(range(0, size, 3)))]
    return row


def ranks(x, descending):
    """NumPy sorts NaN to the end. Down is up of the reversed row, read backwards, so that ties stay."""
    if descending:
        return x.shape[1] - 1 - ranks(x[:, ::-1], False)[:, ::-1]
    return np.argsort(np.argsort(x, axis=1, kind="stable"), axis=1)


def write(name, rows, size):
    random = np.random.default_rng(size)
    tensors, arguments, results, body, returned = {}, [], [], [], []
    for kind in KINDS:
        x, r = f"tensor<{rows}x{size}x{kind}>", f"tensor<{rows}x{size}xi64>"
        tensors[kind] = values(rows, size, kind, random)
        arguments.append(f'%{kind}: {x} {{nn.name = "{kind}"}}')
        for word in ("up", "down"):
            tensors[f"{word}_{kind}"] = ranks(tensors[kind], word == "down")
            results.append(f'{r} {{nn.name = "{word}_{kind}"}}')
            body.append(f"  %{word}_{kind} = nn.rank %{kind}{' descending' * (word == 'down')} : {x} -> {r}")
            returned.append((f"%{word}_{kind}", r))
    save_file(tensors, f"{name}.safetensors")
    with open(f"{name}.mlir", "w") as file:
        file.write(f"func.func @model({', '.join(arguments)}) -> ({', '.join(results)}) {{\n" + "\n".join(body))
        file.write(f"\n  return {', '.join(v for v, _ in returned)} : {', '.join(t for _, t in returned)}\n}}\n")


def main():
    os.chdir(sys.argv[1])
    write("rows_1", 1, 1)
    write("rows_2", 3, 2)
    write("rows_1000", 5, 1000)
    write("rows_32000", 1, 32000)


if __name__ == "__main__":
    main()
