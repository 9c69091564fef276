# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Labels and rows that PyTorch refuses are refused, and what it ignores is not.

    python labels.py mpc-eval FOLDER

writes FOLDER/labels.pt2, and evaluates it with each integer input in turn out of its range.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np
from refusals import Program, X, archive
from safetensors.numpy import save_file

# What PyTorch 2.15 takes: "Target 3 is out of bounds" of cross_entropy and nll_loss, "index out of range in self" of
# embedding, whose rows have no negative numbers; -100 is ignored.
TAKEN = {"x1": (0, 2, -100), "x2": (0, 2, -100), "x3": (0, 2, 1), "x4": (0, 4), "x6": (0, 9, -1), "x7": (0, 9, -1)}
REFUSED = {"x1": (3, -1, -99), "x2": (3, -1, 1 << 40), "x3": (3, -100), "x4": (5, -1)}
# Elements by their number, where a part of the labels is read: x6 but for the first, x7 as language models shift them,
# its first column for nothing, x8 but for its last row and column, which are transposed.
TAKEN_AT = {("x6", 1): (2, -100), ("x7", 4): (7, -1), ("x7", 3): (2, -100), ("x8", 2): (9,), ("x8", 9): (9,)}
REFUSED_AT = {("x6", 1): (3, -1), ("x6", 6): (3,), ("x7", 1): (3, -1), ("x7", 3): (9,), ("x7", 7): (3,),
              ("x8", 0): (3,), ("x8", 7): (-1,)}


def program():
    made = Program()
    f32 = lambda *sizes: made.tensor(X(*sizes))["name"]
    i64 = lambda *sizes: made.tensor(X(*sizes, dtype="i64"))["name"]
    scores, shaped, smooth, weighted, rows, table, part = f32(6, 3), i64(2, 3), i64(6), i64(6), i64(4), f32(5, 2), i64(7)
    shifted, turned, more = i64(2, 4), i64(4, 3), f32(8, 3)
    part_of = lambda x, sizes, dim, start, end: made.call("slice.Tensor", [X(*sizes, dtype="i64")], self=x, dim=dim,
                                                          start=start, end=end)
    padded = made.call("constant_pad_nd.default", [X(2, 5, dtype="i64")], self=shifted, pad=[0, 1], value=-100)
    next_labels = made.call("view.default", [X(8, dtype="i64")], self=part_of(padded, [2, 4], 1, 1, 5), size=[8])
    corner = part_of(part_of(turned, [3, 3], 0, 0, 3), [3, 2], 1, 0, 2)
    across = made.call("transpose.int", [X(2, 3, dtype="i64")], self=corner, dim0=0, dim1=1)
    flat = made.call("view.default", [X(6, dtype="i64")], self=shaped, size=[6])
    outputs = [
        made.call("cross_entropy_loss.default", [X()], self=scores, target=flat),
        made.call("cross_entropy_loss.default", [X()], self=scores, target=smooth, label_smoothing=0.1),
        # An ignored label that names a class.
        made.call("nll_loss_nd.default", [X()], self=scores, target=weighted, ignore_index=1),
        made.call("embedding.default", [X(4, 2)], weight=table, indices=rows),
        made.call("cross_entropy_loss.default", [X()], self=scores, target=part_of(part, [6], 0, 1, 7)),
        made.call("cross_entropy_loss.default", [X()], self=more, target=next_labels),
        made.call("cross_entropy_loss.default", [X()], self=scores,
                  target=made.call("reshape.default", [X(6, dtype="i64")], self=across, shape=[6])),
    ]
    made.outputs = outputs
    return made.json()


def evaluate(mpc_eval, folder, change=None):
    inputs = {"x0": np.zeros((6, 3), np.float32), "x1": np.zeros((2, 3), np.int64), "x2": np.zeros(6, np.int64),
              "x3": np.zeros(6, np.int64), "x4": np.zeros(4, np.int64), "x5": np.zeros((5, 2), np.float32),
              "x6": np.zeros(7, np.int64), "x7": np.zeros((2, 4), np.int64), "x8": np.zeros((4, 3), np.int64),
              "x9": np.zeros((8, 3), np.float32)}
    if change:
        name, place, value = change
        inputs[name].flat[place] = value
    save_file(inputs, folder / "in.safetensors")
    return subprocess.run([mpc_eval, folder / "labels.pt2", f"--inputs={folder / 'in.safetensors'}",
                           f"--outputs={folder / 'out.safetensors'}"], capture_output=True, text=True)


def main():
    mpc_eval, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    archive(folder / "labels.pt2", {"models/model.json": json.dumps(program()), "byteorder": "little"})
    taken = {(name, 0): values for name, values in TAKEN.items()} | TAKEN_AT
    refused = {(name, 0): values for name, values in REFUSED.items()} | REFUSED_AT
    faults = 0
    for (name, place), values in taken.items():
        for value in values:
            run = evaluate(mpc_eval, folder, (name, place, value))
            if run.returncode != 0:
                faults += 1
                print(f"{name}[{place}] = {value}: {run.stderr}")
    for (name, place), values in refused.items():
        for value in values:
            run = evaluate(mpc_eval, folder, (name, place, value))
            if run.returncode != 1 or f"tensor '{name}', element {place}: {value} is not in 0 to" not in run.stderr:
                faults += 1
                print(f"{name}[{place}] = {value}: exit {run.returncode}, {run.stderr}")
    print(f"{sum(map(len, taken.values()))} taken, {sum(map(len, refused.values()))} refused, {faults} faults")


if __name__ == "__main__":
    main()
