# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data for exports/roles.onnx, and what a checkpoint of its training must hold.

    python exporter_roles.py data FILE.safetensors
    python exporter_roles.py check FOLDER MODEL.onnx
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import load_file, save_file


def write_data(path):
    numbers = np.random.default_rng(7).standard_normal((4, 4, 8))
    save_file({"x": numbers.astype(np.float32)}, path)


def check(folder, model):
    newest = max(pathlib.Path(folder).glob("*.safetensors"))
    state = load_file(newest)
    faults = []
    for tensor in onnx.load(model).graph.initializer:
        before = numpy_helper.to_array(tensor)
        if tensor.name not in state:
            faults.append(f"{tensor.name} is not in {newest.name}")
            continue
        stays = np.array_equal(before, state[tensor.name].reshape(before.shape))
        if stays != (tensor.name in ("mean", "pe")):
            faults.append(f"{tensor.name} {'stays' if stays else 'is trained'}")
    print("\n".join(faults) or "as the record says")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(write_data(sys.argv[2]) if sys.argv[1] == "data" else check(*sys.argv[2:]))
