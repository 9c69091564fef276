# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model that divides rows by their norms, one of which is 0, with its float64 results.

    python zero_norm.py MODEL.onnx NUMBERS.safetensors

The model is sum(x * w / max(norm(w), 0.5)), a norm for each row. Where a norm is below its bound, the row is divided by
the bound, and no gradient goes through the norm.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

W = np.array([[1.0, -2.0, 2.0], [0.0, 0.0, 0.0], [0.5, 0.25, -1.0]], np.float32)
X = np.array([[1.0, 3.0, -1.0], [2.0, -1.0, 0.5], [-2.0, 1.0, 4.0]], np.float32)
BOUND = 0.5


def model():
    nodes = [
        helper.make_node("ReduceL2", ["w", "axes"], ["norm"], keepdims=1),
        helper.make_node("Clip", ["norm", "bound"], ["bounded"]),
        helper.make_node("Div", ["w", "bounded"], ["unit"]),
        helper.make_node("Mul", ["unit", "x"], ["product"]),
        helper.make_node("ReduceSum", ["product"], ["loss"], keepdims=0),
    ]
    known = {"w": W, "axes": np.array([1]), "bound": np.float32(BOUND)}
    graph = helper.make_graph(
        nodes,
        "norms",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in known.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def gradient(w, x):
    norm = np.linalg.norm(w)
    if norm < BOUND:
        return x / BOUND
    return (x - w * (w @ x) / norm**2) / norm


def main():
    onnx.save(model(), sys.argv[1])
    w, x = W.astype(np.float64), X.astype(np.float64)
    bounded = np.maximum(np.linalg.norm(w, axis=1, keepdims=True), BOUND)
    gradients = np.stack([gradient(*rows) for rows in zip(w, x)])
    save_file({"x": X, "loss": np.array((w / bounded * x).sum()), "grad.w": gradients}, sys.argv[2])


if __name__ == "__main__":
    main()
