# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of exported programs where they are infinite, undefined, or pass over NaN.

    python ends.py mpc-eval FOLDER

The values are those that PyTorch documents; of matrices of which it raises an error they are this importer's.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np
from refusals import Program, X, archive
from safetensors.numpy import load_file, save_file

NAN, INF = np.nan, np.inf
GIVEN = {
    "ends": [-1.0, 1.0, 1.5, 0.0],
    "poles": [0.0, -1.0, -2.0, 1.0],
    "one": [NAN, 1.0, NAN, -0.0],
    "other": [2.0, NAN, NAN, 0.0],
    "run": [1.0, NAN, 3.0, INF],
    "singular": [[1.0, 2.0], [2.0, 4.0]],
    "swapped": [[0.0, 2.0], [4.0, 0.0]],
    "indefinite": [[1.0, 2.0], [2.0, 1.0]],
}
MATRIX, VECTOR = X(2, 2), X(4)
#: A name, the op, its results, its arguments, and the values of each result.
CASES = [
    ("erfinv", "erfinv.default", [VECTOR], {"self": "ends"}, [[-INF, INF, NAN, 0.0]]),
    ("digamma", "digamma.default", [VECTOR], {"self": "poles"}, [[-INF, NAN, NAN, -0.5772156649]]),
    ("lgamma", "lgamma.default", [VECTOR], {"self": "poles"}, [[INF, INF, INF, 0.0]]),
    ("fmax", "fmax.default", [VECTOR], {"self": "one", "other": "other"}, [[2.0, 1.0, NAN, 0.0]]),
    ("fmin", "fmin.default", [VECTOR], {"self": "one", "other": "other"}, [[2.0, 1.0, NAN, 0.0]]),
    ("cummax", "cummax.default", [VECTOR, X(4, dtype="i64")], {"self": "run", "dim": 0}, [[1.0, NAN, NAN, NAN], [0, 1, 1, 1]]),
    ("cummin", "cummin.default", [VECTOR, X(4, dtype="i64")], {"self": "run", "dim": 0}, [[1.0, NAN, NAN, NAN], [0, 1, 1, 1]]),
    ("slogdet", "linalg_slogdet.default", [X(), X()], {"A": "singular"}, [0.0, -INF]),
    ("slogdet of swapped rows", "linalg_slogdet.default", [X(), X()], {"A": "swapped"}, [-1.0, np.log(8.0)]),
    ("logdet", "logdet.default", [X()], {"self": "swapped"}, [NAN]),
    ("logdet of 0", "logdet.default", [X()], {"self": "singular"}, [-INF]),
    ("inverse", "linalg_inv.default", [MATRIX], {"A": "singular"}, [[[NAN, NAN], [NAN, NAN]]]),
    ("inverse of swapped rows", "linalg_inv.default", [MATRIX], {"A": "swapped"}, [[[0.0, 0.25], [0.5, 0.0]]]),
    ("cholesky", "linalg_cholesky.default", [MATRIX], {"self": "indefinite"}, [[[NAN, NAN], [NAN, NAN]]]),
]


def program():
    made, inputs = Program(), {}
    for index, (name, value) in enumerate(GIVEN.items()):
        made.tensor(X(*np.shape(value)))
        inputs[name] = f"x{index}"
    outputs = []
    for _, op, results, arguments, _ in CASES:
        called = {key: inputs.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()}
        made.call(op, results, **called)
        outputs.append(list(made.values)[-len(results) :])  # What was called last.
    made.outputs = [name for names in outputs for name in names]
    return made.json(), outputs, inputs


def main():
    mpc_eval, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    text, outputs, inputs = program()
    archive(folder / "ends.pt2", {"models/model.json": json.dumps(text), "byteorder": "little"})
    save_file({inputs[name]: np.array(value, np.float32) for name, value in GIVEN.items()}, folder / "in.safetensors")
    subprocess.run([mpc_eval, folder / "ends.pt2", f"--inputs={folder / 'in.safetensors'}",
                    f"--outputs={folder / 'out.safetensors'}"], check=True)
    found, faults = load_file(folder / "out.safetensors"), 0
    for names, (case, _, _, _, values) in zip(outputs, CASES):
        for name, value in zip(names, values):
            if not np.allclose(found[name], value, rtol=1e-6, atol=1e-9, equal_nan=True):
                faults += 1
                print(f"{case}: {found[name].tolist()}, expected {value}")
    print(f"{len(CASES)} cases, {faults} faults")


if __name__ == "__main__":
    main()
