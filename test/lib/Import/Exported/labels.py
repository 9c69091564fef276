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
TAKEN = {"x1": (0, 2, -100), "x2": (0, 2, -100), "x3": (0, 2, 1), "x4": (0, 4), "x6": (0, 9, -1)}
REFUSED = {"x1": (3, -1, -99), "x2": (3, -1, 1 << 40), "x3": (3, -100), "x4": (5, -1)}


def program():
    made = Program()
    f32 = lambda *sizes: made.tensor(X(*sizes))["name"]
    i64 = lambda *sizes: made.tensor(X(*sizes, dtype="i64"))["name"]
    scores, shaped, smooth, weighted, rows, table, part = f32(6, 3), i64(2, 3), i64(6), i64(6), i64(4), f32(5, 2), i64(7)
    flat = made.call("view.default", [X(6, dtype="i64")], self=shaped, size=[6])
    outputs = [
        made.call("cross_entropy_loss.default", [X()], self=scores, target=flat),
        made.call("cross_entropy_loss.default", [X()], self=scores, target=smooth, label_smoothing=0.1),
        # An ignored label that names a class.
        made.call("nll_loss_nd.default", [X()], self=scores, target=weighted, ignore_index=1),
        made.call("embedding.default", [X(4, 2)], weight=table, indices=rows),
        # Of a part nothing is known of the rest.
        made.call("cross_entropy_loss.default", [X()], self=scores,
                  target=made.call("slice.Tensor", [X(6, dtype="i64")], self=part, dim=0, start=1, end=7)),
    ]
    made.outputs = outputs
    return made.json()


def evaluate(mpc_eval, folder, change=None):
    inputs = {"x0": np.zeros((6, 3), np.float32), "x1": np.zeros((2, 3), np.int64), "x2": np.zeros(6, np.int64),
              "x3": np.zeros(6, np.int64), "x4": np.zeros(4, np.int64), "x5": np.zeros((5, 2), np.float32),
              "x6": np.zeros(7, np.int64)}
    if change:
        name, value = change
        inputs[name].flat[0] = value
    save_file(inputs, folder / "in.safetensors")
    return subprocess.run([mpc_eval, folder / "labels.pt2", f"--inputs={folder / 'in.safetensors'}",
                           f"--outputs={folder / 'out.safetensors'}"], capture_output=True, text=True)


def main():
    mpc_eval, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    archive(folder / "labels.pt2", {"models/model.json": json.dumps(program()), "byteorder": "little"})
    faults = 0
    for name, values in TAKEN.items():
        for value in values:
            run = evaluate(mpc_eval, folder, (name, value))
            if run.returncode != 0:
                faults += 1
                print(f"{name} = {value}: {run.stderr}")
    for name, values in REFUSED.items():
        for value in values:
            run = evaluate(mpc_eval, folder, (name, value))
            if run.returncode != 1 or f"tensor '{name}', element 0: {value} is not in 0 to" not in run.stderr:
                faults += 1
                print(f"{name} = {value}: exit {run.returncode}, {run.stderr}")
    print(f"{sum(map(len, TAKEN.values()))} taken, {sum(map(len, REFUSED.values()))} refused, {faults} faults")


if __name__ == "__main__":
    main()
