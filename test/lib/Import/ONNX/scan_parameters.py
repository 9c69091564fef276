# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Scan whose steps read parameters of the graph around them, which ops behind it read too, against NumPy in float64.

    python scan_parameters.py MPC_EVAL

Prints the differences of the result, and of the gradients to central differences, that are too large.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from node_suite import read_safetensors, write_safetensors
from onnx import TensorProto, helper, numpy_helper

SIZE, STEP = 3, 1e-6


def info(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.DOUBLE, shape)


def body(draws):
    """s' = tanh(s w + e) + c, of which the rest of the graph has w and c; or, with `draws`, a step that cannot be repeated."""
    nodes = [
        helper.make_node("MatMul", ["s", "w"], ["p"]),
        helper.make_node("Add", ["p", "e"], ["q"]),
        helper.make_node("Tanh", ["q"], ["r"]),
        helper.make_node("Add", ["r", "c"], ["t"]),
    ]
    if draws:
        nodes.append(helper.make_node("RandomUniformLike", ["t"], ["u"]))
        nodes += [helper.make_node("Sub", ["u", "u"], ["z"]), helper.make_node("Add", ["t", "z"], ["y"])]
    else:
        nodes.append(helper.make_node("Mul", ["t", "e"], ["y"]))
    return helper.make_graph(nodes, "step", [info("s", [2, SIZE]), info("e", [2, SIZE])], [info("t", [2, SIZE]), info("y", [2, SIZE])])


def model(numbers, steps, draws):
    nodes = [
        helper.make_node("Scan", ["s0", "x"], ["last", "all"], num_scan_inputs=1, body=body(draws)),
        helper.make_node("MatMul", ["last", "w"], ["out"]),
        helper.make_node("Add", ["out", "c"], ["shifted"]),
        helper.make_node("ReduceSum", ["shifted"], ["one"], keepdims=0),
        helper.make_node("ReduceSum", ["all"], ["other"], keepdims=0),
        helper.make_node("Add", ["one", "other"], ["sum"]),
    ]
    initializers = [numpy_helper.from_array(value, name) for name, value in numbers.items() if name != "x"]
    graph = helper.make_graph(nodes, "g", [info("x", [steps, 2, SIZE])], [info("sum", [])], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])


def compute(numbers, draws):
    s, total = numbers["s0"], 0.0
    for e in numbers["x"]:
        s = np.tanh(s @ numbers["w"] + e) + numbers["c"]
        total += (s if draws else s * e).sum()
    return (s @ numbers["w"] + numbers["c"]).sum() + total


def difference(numbers, name, draws):
    """The gradient by central differences."""
    gradient = np.zeros(numbers[name].shape)
    for place in np.ndindex(gradient.shape):
        values = []
        for shift in (STEP, -STEP):
            moved = {**numbers, name: numbers[name].copy()}
            moved[name][place] += shift
            values.append(compute(moved, draws))
        gradient[place] = (values[0] - values[1]) / (2 * STEP)
    return gradient


def check(tool, steps, draws, folder):
    rng = np.random.default_rng(7)
    shapes = {"s0": (2, SIZE), "x": (steps, 2, SIZE), "w": (SIZE, SIZE), "c": (SIZE,)}
    numbers = {name: rng.standard_normal(shape) * 0.5 for name, shape in shapes.items()}
    onnx.save(model(numbers, steps, draws), folder / "model.onnx")
    write_safetensors(folder / "in.safetensors", {"x": numbers["x"]})
    flags = [*(f"--parameter={name}" for name in ("w", "c", "s0")), "--loss=output:sum", "--gradients"]
    files = [f"--inputs={folder / 'in.safetensors'}", f"--outputs={folder / 'out.safetensors'}"]
    done = subprocess.run([tool, folder / "model.onnx", *flags, *files], capture_output=True, text=True)
    if done.returncode != 0:
        return [f"exit {done.returncode}: {done.stderr.strip()[:300]}"]
    found = read_safetensors(folder / "out.safetensors")
    faults = [f"sum {found['sum']}"] if abs(found["sum"] - compute(numbers, draws)) > 1e-10 else []
    for name in ("s0", "w", "c"):
        error = np.abs(found[f"grad.{name}"] - difference(numbers, name, draws)).max()
        faults += [f"gradient of {name} off by {error}"] if error > 1e-7 else []
    return faults


def main():
    wrong = 0
    for steps in (3, 12):
        for draws in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                faults = check(sys.argv[1], steps, draws, pathlib.Path(folder))
            wrong += bool(faults)
            print(f"{steps} steps{' that draw' if draws else ''}:", *faults or ["as NumPy"])
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
