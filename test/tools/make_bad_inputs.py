# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small models and data files, one good, the others each with one fault, into a folder.

    python make_bad_inputs.py FOLDER
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

BATCH, WIDTH, CLASSES = 4, 3, 2


def value(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))


def save_model(name, nodes, outputs, inputs=(value("x", BATCH, WIDTH),), weights=((WIDTH, CLASSES),)):
    initializers = [numpy_helper.from_array(np.ones(shape, np.float32), "w") for shape in weights]
    graph = helper.make_graph(nodes, name, list(inputs), outputs, initializer=initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    with open(f"{name}.onnx", "wb") as file:
        file.write(model.SerializeToString())


def save_models():
    matmul = helper.make_node("MatMul", ["x", "w"], ["y"], name="first")
    relu = helper.make_node("Relu", ["y"], ["z"], name="second")
    logits = value("y", BATCH, CLASSES)
    save_model("good", [matmul], [logits])
    save_model("two-outputs", [matmul, relu], [logits, value("z", BATCH, CLASSES)])
    save_model("loss-output", [helper.make_node("MatMul", ["x", "w"], ["loss"], name="first")], [value("loss", BATCH, CLASSES)])
    save_model("unknown-op", [helper.make_node("Frobnicate", ["x"], ["y"], name="middle")], [logits], weights=())
    save_model("undefined", [helper.make_node("Add", ["x", "nowhere"], ["y"], name="first")], [logits], weights=())
    save_model("misfit", [matmul], [logits], weights=((WIDTH + 2, CLASSES),))
    save_model("no-parameter", [helper.make_node("Relu", ["x"], ["y"])], [value("y", BATCH, WIDTH)], weights=())
    save_model("open", [matmul], [value("y", "N", CLASSES)], inputs=[value("x", "N", WIDTH)])
    with open("fault.mlir", "w") as file:
        file.write("func.func @model(%x: tensor<4x3xf32>) {\n  %y = nn.nothing %x\n}\n")
    with open("misfit.mlir", "w") as file:
        file.write("func.func @model(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {\n  return %x, %x : tensor<4x3xf32>, tensor<4x3xf32>\n}\n")
    with open("good.onnx", "rb") as file:
        whole = file.read()
    for name, content in (("cut", whole[:-20]), ("text", b"# not a model at all\n"), ("empty", b"")):
        with open(f"{name}.onnx", "wb") as file:
            file.write(content)


def save_data():
    x = np.zeros((2 * BATCH, WIDTH), np.float32)
    target = np.zeros(2 * BATCH, np.int64)
    files = {
        "good": {"x": x, "target": target},
        "no-x": {"target": target},
        "no-target": {"x": x},
        "float-target": {"x": x, "target": target.astype(np.float32)},
        "wrong-shape": {"x": x[:, 1:].copy(), "target": target},
        "other-count": {"x": x, "target": target[1:].copy()},
        "too-few": {"x": x[:1].copy(), "target": target[:1].copy()},
        "label": {"x": x, "target": target + CLASSES},
        "negative-label": {"x": x, "target": target - 1},
        "batch": {"x": x[:BATCH].copy(), "target": target[:BATCH].copy()},
        "float-batch": {"x": x[:BATCH].copy(), "target": np.zeros(BATCH, np.float32)},
        "batch-label": {"x": x[:BATCH].copy(), "target": target[:BATCH] + CLASSES},
        "init-shape": {"w": np.zeros((CLASSES, WIDTH), np.float32)},
        "init-int": {"w": np.zeros((WIDTH, CLASSES), np.int64)},
        "init-other": {"v": np.zeros((WIDTH, CLASSES), np.float32)},
    }
    for name, tensors in files.items():
        save_file(tensors, f"{name}.safetensors")
    texts = {
        "text.safetensors": "not tensors at all\n",
        "policy.txt": "base mpc\nallow op sofmax\n",
        "overlap.txt": "allow node ?*\ndeny node *\n",
    }
    for name, text in texts.items():
        with open(name, "w") as file:
            file.write(text)


os.chdir(sys.argv[1])
save_models()
save_data()
