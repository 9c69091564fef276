# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models, and the programs that mpc-compile makes of them."""
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BUILD = pathlib.Path(os.environ["MPC_BUILD"])
BATCH, FEATURES, CLASSES = 8, 6, 4
_FOLDER = tempfile.TemporaryDirectory()
_MADE = {}


def folder():
    """Where files of this run lie."""
    return pathlib.Path(_FOLDER.name)


def weights(seed=0):
    random = np.random.default_rng(seed)
    return {
        "fc.weight": (random.standard_normal((CLASSES, FEATURES)) * 0.5).astype(np.float32),
        "fc.bias": (random.standard_normal(CLASSES) * 0.1).astype(np.float32),
    }


def batch(seed=1):
    """x float32[8, 6] and labels int64[8]."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((BATCH, FEATURES)).astype(np.float32)
    return x, random.integers(0, CLASSES, BATCH)


def save(name, nodes, initializers, outputs, shape=(BATCH, FEATURES)):
    """A model of opset 20 with one input x; gives its path."""
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(*output) for output in outputs],
        [numpy_helper.from_array(value, key) for key, value in initializers.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 9
    path = folder() / f"{name}.onnx"
    onnx.save(model, path)
    return path


def linear(name="linear", batch=BATCH):
    """x @ W.T + b"""
    nodes = [helper.make_node("Gemm", ["x", "fc.weight", "fc.bias"], ["logits"], transB=1)]
    outputs = [("logits", TensorProto.FLOAT, (batch, CLASSES))]
    return save(name, nodes, weights(), outputs, shape=(batch, FEATURES))


def open_linear():
    """The same for batches of any size."""
    return linear("open", "N")


def compiled(*flags, model=linear):
    """Path of the program of a model, made once for each list of flags."""
    key = (model, flags)
    if key not in _MADE:
        path = folder() / f"{len(_MADE)}.mpc"
        command = [BUILD / "bin/mpc-compile", model(), *flags, "-o", path]
        subprocess.run(command, check=True, env={**os.environ, "MPC_CACHE_DIR": ""})
        _MADE[key] = path
    return _MADE[key]
