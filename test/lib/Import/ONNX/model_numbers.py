# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports a model and compares its outputs with the recorded float64 reference.

    python model_numbers.py MODEL.onnx REFERENCE.safetensors FOLDER

FOLDER takes the imported module. Prints `OUTPUT: within TOLERANCE` or the largest difference.
"""
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
import nn_numpy  # noqa: E402

# Every value is rounded to f32 once; the references were rounded from float64.
TOLERANCE = 2e-6


def main(model, reference, folder):
    module = pathlib.Path(folder, "module.mlir")
    subprocess.run(["mpc-import", model, "-o", module], check=True)
    generic = subprocess.run(
        ["mpc-opt", "--mlir-print-op-generic", module], check=True, capture_output=True, text=True
    ).stdout
    recorded = nn_numpy.read_safetensors(reference)
    inputs = {name[3:]: value for name, value in recorded.items() if name.startswith("in.")}
    inputs["target"] = recorded["target"]
    parameters = nn_numpy.read_safetensors(module.with_suffix(".safetensors"))
    expected = {"logits": recorded["eval.logits"], "loss": recorded["train.loss"]}
    for name, value in nn_numpy.evaluate(generic, inputs, parameters).items():
        difference = float(np.abs(value - expected[name]).max())
        verdict = f"within {TOLERANCE}" if difference <= TOLERANCE else f"differs by {difference}"
        print(f"{name}: {verdict}")


if __name__ == "__main__":
    main(*sys.argv[1:])
