# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds ONNX's recurrent layers against NumPy in float64, which runs each sample by itself, over its own length.

    python recurrent.py MPC_EVAL_CASES STEPS

Then each sample is a step longer or shorter in NumPy alone, which every case of several lengths must notice.
"""
import argparse
import itertools
import pathlib
import sys
import tempfile

import numpy as np
import onnx
from node_suite import Evaluators, read_safetensors, write_safetensors
from onnx import TensorProto, helper, numpy_helper

BATCH, WIDTH, HIDDEN = 4, 3, 2
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
TOLERANCE = 1e-12

#: Name: the function of x, alpha and beta; what the file says of alpha and beta; their defaults.
FUNCTIONS = {
    "Affine": (lambda x, a, b: a * x + b, (1.0, 0.0)),
    "Elu": (lambda x, a, b: np.where(x < 0, a * np.expm1(np.minimum(x, 0)), x), (1.0, None)),
    "HardSigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), (np.float64(np.float32(0.2)), 0.5)),
    "LeakyRelu": (lambda x, a, b: np.where(x < 0, a * x, x), (np.float64(np.float32(0.01)), None)),
    "Relu": (lambda x, a, b: np.maximum(x, 0), (None, None)),
    "ScaledTanh": (lambda x, a, b: a * np.tanh(b * x), ("given", "given")),
    "Sigmoid": (lambda x, a, b: 1 / (1 + np.exp(-x)), (None, None)),
    "Softplus": (lambda x, a, b: np.log1p(np.exp(x)), (None, None)),
    "Softsign": (lambda x, a, b: x / (1 + np.abs(x)), (None, None)),
    "Tanh": (lambda x, a, b: np.tanh(x), (None, None)),
    "ThresholdedRelu": (lambda x, a, b: np.where(x > a, x, 0), (1.0, None)),
}


def functions_of(op, directions, attributes):
    """For each direction its functions, which take their settings from the attributes in order."""
    names = attributes.get("activations", DEFAULTS[op])
    names = list(itertools.islice(itertools.cycle(names), directions * len(DEFAULTS[op])))
    alphas, betas = (iter(attributes.get(f"activation_{which}", [])) for which in ("alpha", "beta"))
    clip, made = np.float64(np.float32(attributes.get("clip", np.inf))), []
    for name in names:
        function, (alpha, beta) = next(v for k, v in FUNCTIONS.items() if k.lower() == name.lower())
        a = None if alpha is None else np.float64(np.float32(next(alphas, alpha)))
        b = None if beta is None else np.float64(np.float32(next(betas, beta)))
        made.append(lambda x, f=function, a=a, b=b: f(np.clip(x, -clip, clip), a, b))
    return [made[i : i + len(DEFAULTS[op])] for i in range(0, len(made), len(DEFAULTS[op]))]


def step(op, attributes, functions, x, h, c, w, r, bias, peephole):
    wb, rb = np.split(bias, 2)
    if op == "RNN":
        return functions[0](w @ x + wb + r @ h + rb), c
    if op == "GRU":
        (wz, wr, wh), (rz, rr, rh) = np.split(w, 3), np.split(r, 3)
        (bz, br, bh), (cz, cr, ch) = np.split(wb, 3), np.split(rb, 3)
        z, reset = functions[0](wz @ x + bz + rz @ h + cz), functions[0](wr @ x + br + rr @ h + cr)
        inner = reset * (rh @ h + ch) if attributes.get("linear_before_reset") else rh @ (reset * h) + ch
        return (1 - z) * functions[1](wh @ x + bh + inner) + z * h, c
    i, o, f, g = np.split(w @ x + wb + r @ h + rb, 4)
    pi, po, pf = np.split(peephole, 3)
    i = functions[0](i + pi * c)
    f = 1 - i if attributes.get("input_forget") else functions[0](f + pf * c)
    c = f * c + i * functions[1](g)
    return functions[0](o + po * c) * functions[2](c), c


def lengths_of(steps):
    return [steps, 0, 2, steps - 1]


def reference(op, attributes, lengths, x, w, r, b, h0, c0, p):
    """Y, Y_h and Y_c with the steps first."""
    directions = len(w)
    functions = functions_of(op, directions, attributes)
    y, last, cells = np.zeros((len(x), directions, BATCH, HIDDEN)), h0.copy(), c0.copy()
    for d, sample in itertools.product(range(directions), range(BATCH)):
        times = list(range(lengths[sample]))
        if d == 1 or attributes.get("direction") == "reverse":
            times.reverse()
        h, c = h0[d, sample], c0[d, sample]
        for time in times:
            h, c = step(op, attributes, functions[d], x[time, sample], h, c, w[d], r[d], b[d], p[d])
            y[time, d, sample] = h
        last[d, sample], cells[d, sample] = h, c
    return [y, last] + ([cells] if op == "LSTM" else [])


def cases():
    """Op, attributes, and whether the lengths are a constant, an input, or left out."""
    for op, direction, how in itertools.product(GATES, ("forward", "reverse", "bidirectional"), ("constant", "input")):
        yield op, {"direction": direction}, how
    for op in GATES:
        yield op, {"layout": 1, "direction": "bidirectional"}, "input"
        yield op, {"clip": 0.4}, None
    yield "LSTM", {"input_forget": 1}, None
    yield "GRU", {"linear_before_reset": 1}, "input"
    for name, (_, settings) in FUNCTIONS.items():
        yield "RNN", {"activations": [name]} | given(settings, 1.5), None
        if "given" not in settings:
            yield "RNN", {"activations": [name.lower()], "direction": "reverse"}, None
    # Settings go to the functions that have them, in order; here f and h of the second direction.
    names = ["Sigmoid", "Affine", "Relu", "HardSigmoid", "Tanh", "Elu"]
    settings = {"activation_alpha": [0.5, 0.3, 0.7], "activation_beta": [0.1, 0.4]}
    yield "LSTM", {"activations": names, "direction": "bidirectional"} | settings, "constant"


def given(settings, value):
    names = [name for name, setting in zip(("alpha", "beta"), settings) if setting is not None]
    return {f"activation_{name}": [value] for name in names}


def inputs_of(op, directions, steps):
    rng = np.random.default_rng(3)
    g, shapes = GATES[op] * HIDDEN, {"x": (steps, BATCH, WIDTH)}
    shapes |= {"w": (directions, g, WIDTH), "r": (directions, g, HIDDEN), "b": (directions, 2 * g)}
    shapes |= {name: (directions, BATCH, HIDDEN) for name in ("h", "c")} | {"p": (directions, 3 * HIDDEN)}
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


def model_of(op, attributes, how, inputs):
    names = ["x", "w", "r", "b", "lengths" if how else "", "h"] + (["c", "p"] if op == "LSTM" else [])
    given = [helper.make_tensor_value_info("lengths", TensorProto.INT32, [BATCH])] if how == "input" else []
    constants = [numpy_helper.from_array(array, name) for name, array in inputs.items() if name in names]
    if how == "constant":
        constants.append(numpy_helper.from_array(np.array(lengths_of(len(inputs["x"])), np.int32), "lengths"))
    results = ["y", "last"] + (["cells"] if op == "LSTM" else [])
    node = helper.make_node(op, names, results, name="n", hidden_size=HIDDEN, **attributes)
    outputs = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, None) for name in results]
    graph = helper.make_graph([node], "g", given, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])


def expected(case, inputs, planted):
    """What NumPy makes of the inputs, laid out as the node's results are."""
    op, attributes, how = case
    peephole = inputs["p"] if op == "LSTM" else None
    steps = len(inputs["x"])
    lengths = [abs(length - planted) for length in lengths_of(steps)] if how else [steps] * BATCH
    wanted = reference(
        op, attributes, lengths, *(inputs[name] for name in "xwrbhc"), peephole if op == "LSTM" else inputs["p"]
    )  # fmt: skip
    if attributes.get("layout"):
        wanted = [wanted[0].transpose(2, 0, 1, 3), *(state.transpose(1, 0, 2) for state in wanted[1:])]
    return wanted


def check(index, case, steps, folder, evaluators):
    """What is wrong, and whether lengths that are off by one are noticed."""
    op, attributes, how = case
    inputs = inputs_of(op, 2 if attributes.get("direction") == "bidirectional" else 1, steps)
    wanted, planted = (expected(case, inputs, planted) for planted in (0, 1))
    if attributes.get("layout"):
        inputs |= {name: np.ascontiguousarray(np.swapaxes(inputs[name], 0, 1)) for name in "xhc"}
    work = pathlib.Path(folder, str(index))
    work.mkdir()
    onnx.save(model_of(op, attributes, how, inputs), work / "model.onnx")
    given = {"lengths": np.array(lengths_of(steps), np.int32)} if how == "input" else {}
    write_safetensors(work / "in.safetensors", given)
    status = evaluators.run(
        work / "stderr", work / "model.onnx", "--threads=1", f"--inputs={work / 'in.safetensors'}",
        f"--outputs={work / 'out.safetensors'}",
    )  # fmt: skip
    if status != 0:
        return f"exit {status}: {(work / 'stderr').read_text(errors='replace').strip()[:300]}", False
    found = read_safetensors(work / "out.safetensors")

    def errors(values):
        return [np.abs(found[name] - value).max() for name, value in zip(("y", "last", "cells"), values)]

    fault = "" if max(errors(wanted)) <= TOLERANCE else f"off by {errors(wanted)}"
    return fault, max(errors(planted)) > TOLERANCE


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("steps", type=int)
    flags = parser.parse_args()
    chosen = list(cases())
    wrong, seen = 0, 0
    with tempfile.TemporaryDirectory() as folder, Evaluators(flags.tool) as evaluators:
        for index, case in enumerate(chosen):
            fault, sees = check(index, case, flags.steps, folder, evaluators)
            wrong += bool(fault)
            seen += bool(sees and case[2])
            if fault:
                print(*case, fault)
    print(f"{len(chosen)} layers, {wrong} differ from NumPy")
    planted = sum(bool(how) for _, _, how in chosen)
    print(f"of {planted} planted errors {planted - seen} are unseen")
    return 1 if wrong or seen != planted else 0


if __name__ == "__main__":
    sys.exit(main())
