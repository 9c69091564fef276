# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the inputs of the reference runs against each other.

    python reference_inputs.py INPUTS
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper

inputs = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(inputs))
sys.dont_write_bytecode = True
import training_data

for name in ("chargpt", "digits-cnn", "digits-mlp"):
    model = onnx.load(inputs / "workloads" / f"{name}.onnx")
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    drawn = training_data.weights(name)
    for parameter, value in drawn.items():
        np.testing.assert_array_equal(value, held[parameter], err_msg=f"{name} {parameter}", strict=True)
    batches = training_data.batches(name, 50)
    sums = ", ".join(f"{key} {float(value.sum(dtype=np.float64)):.9g}" for key, value in sorted(batches.items()))
    print(f"{name}: {len(drawn)} weights equal; sums of 50 batches: {sums}")
