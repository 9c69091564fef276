# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the gradients of ONNX ops that are compositions of nn ops against central differences in float64.

    python gradients.py MPC_EVAL_CASES [--only=REGEX] [--plant]

Each case is one node. Its floating inputs are x + t v, along a random direction v; t is a parameter. One model has the
node three times, at t, t + h and t - h, each followed by a weighted sum: mpc-eval gives the gradient of the first by t
and the values of the others. What the values are is the node suite's to say. --plant turns the direction of the second
and third by a percent, which every case must notice.
"""
import argparse
import concurrent.futures
import pathlib
import re
import sys
import tempfile

import numpy as np
import onnx
from gradient_cases import CASES
from node_suite import Evaluators, read_safetensors, write_safetensors
from onnx import TensorProto, helper, numpy_helper

STEP = 1e-6
# Of a central difference in float64: h^2 and the rounding over h.
TOLERANCE = 1e-7


def initializer(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def copy_at(case, index, shift, inputs, planted):
    """The nodes of one copy, and the constants that they read; its result is `sum{index}`."""
    rng = np.random.default_rng(11)
    constants = [initializer(f"h{index}", np.float64(shift * STEP))]
    nodes, names = [helper.make_node("Add", ["t", f"h{index}"], [f"t{index}"])], []
    for name, array in inputs.items():
        own = f"{name}_{index}"
        names.append(own if array is not None else "")
        if array is None:
            continue
        if array.dtype != np.float64 or name in case.fixed:
            constants.append(initializer(own, array))
            continue
        direction = rng.standard_normal(array.shape) * (1.01 if planted and shift else 1.0)
        constants += [initializer(f"x_{own}", array), initializer(f"v_{own}", direction)]
        nodes += [
            helper.make_node("Mul", [f"v_{own}", f"t{index}"], [f"d_{own}"]),
            helper.make_node("Add", [f"x_{own}", f"d_{own}"], [own]),
        ]
    results = [f"y{i}_{index}" if i in case.outputs else "" for i in range(max(case.outputs) + 1)]
    nodes.append(helper.make_node(case.op, names, results, name=f"n{index}", domain=case.domain, **case.attributes))
    total = None
    for number in case.outputs:
        # A weighted sum of any shape: by elements that change from place to place.
        y, flat, weighted, summed = (f"{what}{number}_{index}" for what in ("y", "flat", "weighted", "summed"))
        nodes += [
            helper.make_node("Reshape", [y, "all"], [flat]),
            helper.make_node("Sin", [flat], [f"sin_{flat}"]),
            helper.make_node("CumSum", [f"sin_{flat}", "first"], [weighted]),
            helper.make_node("ReduceMean", [weighted], [summed], keepdims=0),
        ]
        if total:
            nodes.append(helper.make_node("Add", [total, summed], [f"total_{number}_{index}"]))
        total = f"total_{number}_{index}" if total else summed
    nodes.append(helper.make_node("Identity", [total], [f"sum{index}"]))
    return nodes, constants


def model_of(case, planted):
    nodes, constants = [], [
        initializer("t", np.float64(0.0)),
        initializer("all", np.array([-1])),
        initializer("first", np.array(0)),
    ]
    inputs = case.inputs(np.random.default_rng(5))
    for index, shift in enumerate((0, 1, -1)):
        more, numbers = copy_at(case, index, shift, inputs, planted)
        nodes += more
        constants += numbers
    outputs = [helper.make_tensor_value_info(f"sum{i}", TensorProto.DOUBLE, []) for i in range(3)]
    graph = helper.make_graph(nodes, "g", [], outputs, constants)
    opsets = [helper.make_opsetid("", case.opset)]
    if case.domain:
        opsets.append(helper.make_opsetid(case.domain, 1))
    return helper.make_model(graph, opset_imports=opsets)


def check(case, evaluators, folder, planted):
    """What is wrong; empty where nothing is."""
    work = pathlib.Path(folder, re.sub(r"\W+", "_", case.name))
    work.mkdir()
    onnx.save(model_of(case, planted), work / "model.onnx")
    write_safetensors(work / "in.safetensors", {})
    status = evaluators.run(
        work / "stderr", work / "model.onnx", "--threads=1", "--parameter=t", "--loss=output:sum0", "--gradients",
        f"--inputs={work / 'in.safetensors'}", f"--outputs={work / 'out.safetensors'}",
    )  # fmt: skip
    if status != 0:
        return f"exit {status}: {(work / 'stderr').read_text(errors='replace').strip()[:400]}"
    found = read_safetensors(work / "out.safetensors")
    gradient = float(found["grad.t"])
    wanted = float(found["sum1"] - found["sum2"]) / (2 * STEP)
    if wanted == 0.0:
        return "the case has no gradient"
    error = abs(gradient - wanted) / max(abs(wanted), 1.0)
    return "" if error <= TOLERANCE else f"gradient {gradient}, central difference {wanted}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--only", default="")
    parser.add_argument("--plant", action="store_true")
    flags = parser.parse_args()
    cases = [case for case in CASES if re.search(flags.only, case.name)]
    pool = concurrent.futures.ThreadPoolExecutor(2)
    with tempfile.TemporaryDirectory() as folder, Evaluators(flags.tool) as evaluators, pool:
        faults = list(pool.map(lambda case: check(case, evaluators, folder, flags.plant), cases))
    for case, fault in zip(cases, faults):
        if fault:
            print(f"{case.name}: {fault}")
    wrong = sum(bool(fault) for fault in faults)
    print(f"{len(cases)} gradients, {wrong} differ from central differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
