# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model with ops of a custom domain, and what it computes, in float64 NumPy.

    python op_library.py FOLDER     writes model.onnx, in.safetensors, expected.safetensors and bad_*.onnx

The gradients are central differences of the loss in float64.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

STEP = 1e-6


def weights():
    rng = np.random.default_rng(3)
    shapes = {"w1": (5, 6), "gate": (6, 6), "w2": (6, 3)}
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def inputs():
    rng = np.random.default_rng(5)
    return {"x": rng.normal(size=(4, 5)).astype(np.float32), "target": rng.normal(size=(4, 3)).astype(np.float32)}


def squareplus(x, b):
    return (x + np.sqrt(x * x + b)) / 2


def logits(w, x):
    h = squareplus(x @ w["w1"], 1.5)
    return squareplus((h / (1 + np.exp(-(h @ w["gate"])))) @ w["w2"], 0.25)


def loss(w, data):
    return np.mean((logits(w, data["x"]) - data["target"]) ** 2)


def gradient(w, name, data):
    result = np.zeros(w[name].shape)
    for place in np.ndindex(result.shape):
        values = []
        for step in (STEP, -STEP):
            moved = dict(w, **{name: w[name].copy()})
            moved[name][place] += step
            values.append(loss(moved, data))
        result[place] = (values[0] - values[1]) / (2 * STEP)
    return result


def expected():
    w = {name: array.astype(np.float64) for name, array in weights().items()}
    data = {name: array.astype(np.float64) for name, array in inputs().items()}
    result = {"eval.logits": logits(w, data["x"]), "loss": np.array(loss(w, data))}
    result |= {f"grad.{name}": gradient(w, name, data) for name in w}
    return {name: array.astype(np.float32) for name, array in result.items()}


def custom(kind, operands, results, **attributes):
    return helper.make_node(kind, operands, results, name=f"node_{results[0]}", domain="acme", **attributes)


def model(*nodes):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 5])
    y = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [4, 3])
    nodes = [helper.make_node("MatMul", ["x", "w1"], ["a"], name="first"), *nodes]
    tensors = [numpy_helper.from_array(array, name) for name, array in weights().items()]
    graph = helper.make_graph(nodes, "g", [x], [y], tensors)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("acme", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def whole(first):
    return model(
        first,
        custom("Gate", ["h", "gate"], ["g", ""]),
        helper.make_node("MatMul", ["g", "w2"], ["c"], name="last"),
        custom("SquarePlus", ["c"], ["logits"], b=0.25),
    )


def main(folder):
    onnx.save(whole(custom("SquarePlus", ["a"], ["h"], b=1.5)), folder / "model.onnx")
    save_file(inputs(), folder / "in.safetensors")
    save_file(expected(), folder / "expected.safetensors")
    bad = {
        "op": custom("Swoosh", ["a"], ["h"]),
        "signature": custom("SquarePlus", ["x"], ["h"], b=1.5),
        "attribute": custom("SquarePlus", ["a"], ["h"]),
        "kind": custom("SquarePlus", ["a"], ["h"], b=2),
        "more": custom("SquarePlus", ["a"], ["h"], b=1.5, c=1.0),
        "outputs": custom("SquarePlus", ["a"], ["h", "i"], b=1.5),
    }
    for name, node in bad.items():
        onnx.save(whole(node), folder / f"bad_{name}.onnx")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
