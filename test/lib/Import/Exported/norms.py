# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalizations of exported programs keep their statistics in f32 where the tensors are f16.

    python norms.py mpc-eval FOLDER

Deviations are some hundreds, whose squares f16 does not have. Results are held against float64.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np
from refusals import Program, X, archive
from safetensors.numpy import load_file, save_file

SHAPE, GROUPS, EPSILON = (3, 4, 5), 2, 1e-5
# A step of f16 is 2^-11 of a number; the result is rounded once, and the scale and the shift are of f16.
TOLERANCE = 2**-10
STATISTICS = {"weight": None, "bias": None, "running_mean": None, "running_var": None}


def normalized(x, axes):
    deviations = x - x.mean(axes, keepdims=True)
    return deviations / np.sqrt((deviations**2).mean(axes, keepdims=True) + EPSILON)


def scaled(x, weight, bias):
    return x * weight[:, None] + bias[:, None]


def wanted(x, weight, bias):
    """Each op's name, and what it is in float64."""
    groups = normalized(x.reshape(3, GROUPS, -1), 2).reshape(SHAPE)
    return {
        "batch": normalized(x, (0, 2)),
        "scaled batch": scaled(normalized(x, (0, 2)), weight, bias),
        "group": scaled(groups, weight, bias),
        "instance": scaled(normalized(x, 2), weight, bias),
    }


def program():
    made = Program()
    x, weight, bias = X(*SHAPE, dtype="f16"), X(4, dtype="f16"), X(4, dtype="f16")
    for tensor in (x, weight, bias):
        made.tensor(tensor)
    given = {"input": "x0", "weight": "x1", "bias": "x2"}
    batch = {"training": True, "momentum": 0.1, "eps": EPSILON, "cudnn_enabled": False}
    outputs = [
        made.call("batch_norm.default", [x], **{"input": "x0", **STATISTICS, **batch}),
        made.call("batch_norm.default", [x], **{**STATISTICS, **given, **batch}),
        made.call("group_norm.default", [x], **given, num_groups=GROUPS, eps=EPSILON),
        made.call("instance_norm.default", [x], **{**STATISTICS, **given}, use_input_stats=True, momentum=0.1, eps=EPSILON,
                  cudnn_enabled=False),
    ]
    made.outputs = outputs
    return made.json(), outputs


def main():
    mpc_eval, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    text, outputs = program()
    archive(folder / "norms.pt2", {"models/model.json": json.dumps(text), "byteorder": "little"})
    rng = np.random.default_rng(1)
    x = rng.uniform(-600, 600, SHAPE).astype(np.float16)
    weight, bias = (rng.uniform(0.5, 2, 4).astype(np.float16) for _ in range(2))
    save_file({"x0": x, "x1": weight, "x2": bias}, folder / "in.safetensors")
    subprocess.run([mpc_eval, folder / "norms.pt2", f"--inputs={folder / 'in.safetensors'}",
                    f"--outputs={folder / 'out.safetensors'}"], check=True)
    found, faults = load_file(folder / "out.safetensors"), 0
    for name, (op, value) in zip(outputs, wanted(*(t.astype(np.float64) for t in (x, weight, bias))).items()):
        worst = np.abs(found[name].astype(np.float64) - value) / (np.abs(value) + 1)
        if not worst.max() <= TOLERANCE:
            faults += 1
            print(f"{op}: off by {worst.max()}")
    print(f"{len(outputs)} norms, {faults} faults")


if __name__ == "__main__":
    main()
