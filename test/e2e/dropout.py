# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model with dropout, and its training in float64 NumPy with the same masks.

    python dropout.py make FOLDER                       writes dropout.onnx, plain.onnx, data
    python dropout.py check FOLDER METRICS CHECKPOINT   [--seed=N] [--window=N] [--off]

The masks are drawn by test/support/philox.py, from the seed, the number of applied steps, the
batch of the window, the op and the place. Losses and weights are compared within 2e-5 of the
largest number of each; a wrong mask is off by far more.
"""
import argparse
import csv
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file, save_file

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import philox
import reference as rules

ROWS, BATCH, INPUTS, HIDDEN, CLASSES = 96, 16, 8, 24, 4
LR, MOMENTUM, TOLERANCE = 0.1, 0.9, 2e-5
RATIOS = (np.float32(0.25), np.float32(0.1))  # Of the input, of the hidden layer.


def first_weights():
    rng = np.random.default_rng(3)
    shapes = {"w1": (HIDDEN, INPUTS), "b1": (HIDDEN,), "w2": (CLASSES, HIDDEN), "b2": (CLASSES,)}
    return {name: rng.uniform(-0.5, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def data():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(ROWS, INPUTS)).astype(np.float32)
    x[3] *= 60  # Its gradient overflows in f32 at a scale of 3e38, and not much below.
    return {"x": x, "target": rng.integers(0, CLASSES, ROWS)}


# --- the model ----------------------------------------------------------------------------------


def dropout_node(source, result, ratio):
    return helper.make_node("Dropout", [source, ratio, "training"], [result], name=f"drop_{result}")


def model(drops):
    """Of any batch; without dropout the rest of it."""
    gemm = lambda x, layer, y: helper.make_node("Gemm", [x, f"w{layer}", f"b{layer}"], [y], transB=1)
    nodes = [
        gemm("xd" if drops else "x", 1, "a"),
        helper.make_node("Relu", ["a"], ["h"]),
        gemm("hd" if drops else "h", 2, "logits"),
    ]
    initializers = [numpy_helper.from_array(w, name) for name, w in first_weights().items()]
    if drops:
        nodes.insert(0, dropout_node("x", "xd", "ratio0"))
        nodes.insert(3, dropout_node("h", "hd", "ratio1"))
        initializers += [numpy_helper.from_array(r, f"ratio{i}") for i, r in enumerate(RATIOS)]
        initializers.append(numpy_helper.from_array(np.array(True), "training"))
    value = lambda name, width: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", width])
    graph = helper.make_graph(nodes, "g", [value("x", INPUTS)], [value("logits", CLASSES)], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])


def make(folder):
    onnx.save(model(drops=True), folder / "dropout.onnx")
    onnx.save(model(drops=False), folder / "plain.onnx")
    save_file(data(), folder / "data.safetensors")


# --- the same in NumPy --------------------------------------------------------------------------


def masks(rows, seed, step, batch):
    """What each element of the input and of the hidden layer is multiplied with."""
    shapes = ((rows, INPUTS), (rows, HIDDEN))
    return [
        philox.dropout_factor(shape, ratio, seed, step, batch, stream)
        for stream, (shape, ratio) in enumerate(zip(shapes, RATIOS))
    ]


def loss_and_gradients(w, x, target, factors):
    rows = np.arange(len(x))
    xd = x * factors[0]
    a = xd @ w["w1"].T + w["b1"]
    hd = np.maximum(a, 0) * factors[1]
    logits = hd @ w["w2"].T + w["b2"]
    logits -= logits.max(axis=1, keepdims=True)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    loss = (np.log(np.exp(logits).sum(axis=1)) - logits[rows, target]).mean()
    p[rows, target] -= 1
    d = p / len(x)
    da = (d @ w["w2"]) * factors[1] * (a > 0)
    return loss, {"w1": da.T @ xd, "b1": da.sum(0), "w2": d.T @ hd, "b2": d.sum(0)}


def train(steps, window, seed, drops, skipped):
    """Losses and weights; `skipped` says which steps change nothing."""
    samples, w = data(), {name: value.astype(np.float64) for name, value in first_weights().items()}
    optimizer, losses, size, applied = rules.Sgd(LR, momentum=MOMENTUM), [], BATCH // window, 0
    for step in range(steps):
        parts = []
        for batch in range(window):
            start = (step * BATCH + batch * size) % ROWS
            rows = slice(start, start + size)
            factors = masks(size, seed, applied, batch) if drops else (1.0, 1.0)
            parts.append(loss_and_gradients(w, samples["x"][rows].astype(np.float64), samples["target"][rows], factors))
        losses.append(np.mean([loss for loss, _ in parts]))
        if not skipped[step]:
            optimizer.step(w, {k: np.mean([g[k] for _, g in parts], axis=0) for k in w})
            applied += 1
    return losses, w


def compare(what, got, wanted):
    largest = np.abs(wanted).max()
    error = np.abs(np.asarray(got, dtype=np.float64) - wanted).max() / largest
    print(f"{'ok  ' if error <= TOLERANCE else 'FAIL'} {what}")
    return error <= TOLERANCE


def check(arguments):
    with open(arguments.metrics) as file:
        rows = list(csv.DictReader(file))
    skipped = [row["skipped"] == "1" for row in rows]
    losses, weights = train(len(rows), arguments.window, arguments.seed, not arguments.off, skipped)
    state = load_file(arguments.checkpoint)
    passed = [compare("losses", [float(row["loss"]) for row in rows], np.array(losses))]
    passed += [compare(name, state[name], weights[name]) for name in weights]
    print(f"skipped {sum(skipped)}")
    return 0 if all(passed) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["make", "check"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("metrics", nargs="?")
    parser.add_argument("checkpoint", nargs="?")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--window", type=int, default=1)
    parser.add_argument("--off", action="store_true")
    arguments = parser.parse_args()
    return make(arguments.folder) if arguments.command == "make" else check(arguments)


if __name__ == "__main__":
    sys.exit(main())
