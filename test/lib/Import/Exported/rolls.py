# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rolls of exported programs move every element to where numpy.roll has it.

    python rolls.py mpc-eval FOLDER
"""
import json
import pathlib
import subprocess
import sys

import numpy as np
from refusals import Program, X, archive
from safetensors.numpy import load_file, save_file

# Shapes, shifts and axes. Runs of 16 elements and more are read by the place that each comes from,
# where several axes move; others are pieces, axis by axis.
CASES = [
    ((2, 5, 7, 16), (2, -3), (1, 2)),
    ((2, 5, 7, 16), (1, 4), (-2, -3)),
    ((2, 5, 7, 16), (13, -16), (1, 2)),
    ((2, 5, 7, 16), (2, 1, 2), (1, 2, 1)),
    ((2, 5, 7, 16), (3, 2, -3), (1, 2, 1)),
    ((3, 4, 16), (-1, 1), (0, 1)),
    ((3, 4, 5, 16), (1, 2), (0, 2)),
    ((2, 5, 7, 15), (2, -3), (1, 2)),
    ((3, 7), (2, -4), (0, 1)),
    ((3, 7), (-5,), (1,)),
    ((3, 7), (4,), ()),
    ((3, 7), (22, -21), (0, 1)),
]


def numbers(shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def program():
    made = Program()
    outputs = []
    for shape, shifts, axes in CASES:
        x = X(*shape)
        arguments = {"shifts": list(shifts), **({"dims": list(axes)} if axes else {})}
        outputs.append(made.call("roll.default", [x], self=x, **arguments))
    made.outputs = outputs
    return made.json(), outputs


def main():
    mpc_eval, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    text, outputs = program()
    archive(folder / "rolls.pt2", {"models/model.json": json.dumps(text), "byteorder": "little"})
    save_file({f"x{i}": numbers(shape) for i, (shape, _, _) in enumerate(CASES)}, folder / "in.safetensors")
    subprocess.run([mpc_eval, folder / "rolls.pt2", f"--inputs={folder / 'in.safetensors'}",
                    f"--outputs={folder / 'out.safetensors'}"], check=True)
    found, faults = load_file(folder / "out.safetensors"), 0
    for name, (shape, shifts, axes) in zip(outputs, CASES):
        wanted = np.roll(numbers(shape), shifts if axes else shifts[0], axes or None)
        if not np.array_equal(found[name], wanted):
            faults += 1
            print(f"roll of {shape} by {shifts} along {axes} differs")
    print(f"{len(CASES)} rolls, {faults} faults")


if __name__ == "__main__":
    main()
