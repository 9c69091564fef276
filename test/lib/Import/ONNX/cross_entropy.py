# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds SoftmaxCrossEntropyLoss, as PyTorch's exporter writes its cross_entropy, against NumPy in float64.

    python cross_entropy.py MPC_EVAL_CASES

The exporter writes no label_smoothing but in the record of the call, and probabilities of classes as the target. The
formulas are those of PyTorch's documentation, a place at a time; gradients are their central differences. Then
NumPy takes another smoothing, which every case must notice.
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

WEIGHTS = np.array([0.5, 2.0, 1.0, 0.25, 3.0])
STEP, TOLERANCE = 1e-3, 1e-8


def loss_of(scores, target, weights, ignored, smoothing, reduction):
    rows = np.moveaxis(scores, 1, -1).reshape(-1, scores.shape[1])
    logs = rows - np.log(np.exp(rows).sum(-1, keepdims=True))
    if target.dtype == np.float64:
        shares = np.moveaxis(target, 1, -1).reshape(rows.shape)
        losses, divisor = -(weights * logs * (shares * (1 - smoothing) + smoothing / rows.shape[1])).sum(-1), len(rows)
    else:
        labels, divisor = target.ravel(), 0.0
        losses = np.zeros(len(rows))
        for place in np.flatnonzero(labels != ignored):
            label = labels[place]
            losses[place] = -(1 - smoothing) * weights[label] * logs[place, label]
            losses[place] -= smoothing / rows.shape[1] * (weights * logs[place]).sum()
            divisor += weights[label]
    total = losses.sum()
    # What is not reduced is summed up by weights, so that a place that is another's is noticed.
    return {"mean": total / divisor, "sum": total, "none": losses @ np.arange(1.0, len(rows) + 1)}[reduction]


def cases():
    shapes, kinds = ((4, 5), (2, 5, 3)), ("labels", "ignored", "chances")
    yield from itertools.product(shapes, kinds, (False, True), (0.0, 0.3), ("mean", "sum", "none"))


def target_of(shape, kind, rng):
    if kind == "chances":
        chances = np.exp(rng.standard_normal(shape))
        return chances / chances.sum(1, keepdims=True)
    labels = rng.integers(0, shape[1], (shape[0], *shape[2:]))
    if kind == "ignored":
        labels.ravel()[[1, 2]] = -100
    return labels


def model_of(scores, target, weighted, smoothing, reduction):
    names = ["scores", "target"] + (["weights"] if weighted else [])
    constants = [numpy_helper.from_array(scores, "scores"), numpy_helper.from_array(target, "target")]
    constants += [numpy_helper.from_array(WEIGHTS, "weights")] if weighted else []
    attributes = {} if target.dtype == np.float64 else {"ignore_index": -100}
    node = helper.make_node("SoftmaxCrossEntropyLoss", names, ["l"], name="n", reduction=reduction, **attributes)
    number = {"mean": 1, "sum": 2, "none": 0}[reduction]
    call = f"(args = (%scores, %target, None, {number}, -100, {smoothing}), kwargs = {{}})"
    entry = node.metadata_props.add()
    entry.key = "pkg.torch.onnx.fx_node"
    entry.value = f"%loss : call_function[target=torch.ops.aten.cross_entropy_loss.default]{call}"
    count = target.size if target.dtype != np.float64 else target.size // target.shape[1]
    constants += [
        numpy_helper.from_array(np.array([-1]), "flat"),
        numpy_helper.from_array(np.arange(1.0, count + 1) if reduction == "none" else np.ones(1), "each"),
    ]
    nodes = [
        node,
        helper.make_node("Reshape", ["l", "flat"], ["r"]),
        helper.make_node("Mul", ["r", "each"], ["p"]),
        helper.make_node("ReduceSum", ["p"], ["loss"], keepdims=0),
    ]
    output = helper.make_tensor_value_info("loss", TensorProto.DOUBLE, [])
    graph = helper.make_graph(nodes, "g", [], [output], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def error_of(loss, scores, found):
    """The largest error of the loss that was found and of its gradient, a central difference of the fourth order."""
    gradient = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape):
        moved = np.zeros(scores.shape)
        moved[place] = STEP
        near, far = (loss(scores + n * moved) - loss(scores - n * moved) for n in (1, 2))
        gradient[place] = (8 * near - far) / (12 * STEP)
    return max(abs(float(found["loss"]) - loss(scores)), np.abs(found["grad.scores"] - gradient).max())


def check(index, case, folder, evaluators):
    """What is wrong, and whether another smoothing is noticed."""
    shape, kind, weighted, smoothing, reduction = case
    rng = np.random.default_rng(7)
    scores, target = rng.standard_normal(shape) * 2, target_of(shape, kind, rng)
    weights = WEIGHTS if weighted else np.ones(shape[1])
    work = pathlib.Path(folder, str(index))
    work.mkdir()
    onnx.save(model_of(scores, target, weighted, smoothing, reduction), work / "model.onnx")
    write_safetensors(work / "in.safetensors", {})
    status = evaluators.run(
        work / "stderr", work / "model.onnx", "--threads=1", "--parameter=scores", "--loss=output:loss", "--gradients",
        f"--inputs={work / 'in.safetensors'}", f"--outputs={work / 'out.safetensors'}",
    )  # fmt: skip
    if status != 0:
        return f"exit {status}: {(work / 'stderr').read_text(errors='replace').strip()[:300]}", False
    found = read_safetensors(work / "out.safetensors")

    def error(more):
        return error_of(lambda s: loss_of(s, target, weights, -100, smoothing + more, reduction), scores, found)

    return "" if error(0.0) <= TOLERANCE else f"off by {error(0.0)}", error(0.01) > TOLERANCE


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    flags = parser.parse_args()
    chosen, wrong, seen = list(cases()), 0, 0
    with tempfile.TemporaryDirectory() as folder, Evaluators(flags.tool) as evaluators:
        for index, case in enumerate(chosen):
            fault, sees = check(index, case, folder, evaluators)
            wrong += bool(fault)
            seen += sees
            if fault:
                print(*case, fault)
    print(f"{len(chosen)} losses, {wrong} differ from NumPy")
    print(f"of {len(chosen)} planted errors {len(chosen) - seen} are unseen")
    return 1 if wrong or seen != len(chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
