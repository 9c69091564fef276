# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention whose mask ends before the keys do: what it leaves out is not attended to.

    python attention_mask.py FOLDER

writes KIND.onnx, in.safetensors and KIND.expected.safetensors for masks of floats and of booleans; the results are
softmax(q k^T / sqrt(4) + mask) v over the keys that the mask has, in float64.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import save_file

QUERIES, KEYS, MASKED = 3, 6, 4
SHAPES = {"q": (1, 2, QUERIES, 4), "k": (1, 2, KEYS, 4), "v": (1, 2, KEYS, 3)}
MASKS = {
    "float": (TensorProto.FLOAT, np.array([[0, -1, 0.5, 2], [1, 0, 0, -3], [0, 0, 0, 0]], np.float32)),
    "bool": (TensorProto.BOOL, np.array([[1, 0, 1, 1], [1, 1, 1, 1], [0, 1, 0, 0]], bool)),
}


def attended(inputs, mask):
    q, k, v = (inputs[name].astype(np.float64) for name in "qkv")
    bias = np.where(mask, 0, -np.inf) if mask.dtype == bool else mask
    scores = q @ k[:, :, :MASKED].swapaxes(2, 3) / 2 + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v[:, :, :MASKED]


def write(folder, kind, inputs):
    dtype, mask = MASKS[kind]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in SHAPES.items()]
    values.append(helper.make_tensor_value_info("mask", dtype, mask.shape))
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 2, QUERIES, 3))
    graph = helper.make_graph([helper.make_node("Attention", [*"qkv", "mask"], ["y"])], kind, values, [result])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=11), folder / f"{kind}.onnx")
    save_file({**inputs, "mask": mask}, folder / f"{kind}.safetensors")
    save_file({"y": attended(inputs, mask)}, folder / f"{kind}.expected.safetensors")


def main(folder):
    random = np.random.default_rng(2)
    inputs = {name: random.standard_normal(shape).astype(np.float32) for name, shape in SHAPES.items()}
    for kind in MASKS:
        write(pathlib.Path(folder), kind, inputs)


if __name__ == "__main__":
    main(sys.argv[1])
