#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds evaluations over a file against float64 NumPy.

    python evaluate_data.py data DIR
    python evaluate_data.py check DIR METRICS CHECKPOINT [--rtol=X] [--sum] [--smoothing=X]
                                  [--weights] [--ignore=N] [--averages]
    python evaluate_data.py own DIR
    python evaluate_data.py check-own DIR METRICS CHECKPOINT
    python evaluate_data.py best METRICS COLUMN min|max
    python evaluate_data.py bits METRICS OTHER [COLUMN...]

`check` evaluates Inputs/evaluated.mlir with the weights of a checkpoint, without dropout and by
running statistics, on all samples of eval.safetensors, and compares with what the metrics have in
the row of the step before it; with --averages by the averages that it has of the weights. `own`
writes steps that a module writes out, one without an evaluation, one with the loss of a batch, and
one with a number of each sample besides, which `check-own` evaluates. `best` prints the step behind
which a column was best, `bits` the columns that two files have and that differ.
"""
import argparse
import csv
import os
import pathlib
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

INPUTS = pathlib.Path(__file__).resolve().parents[1] / "Inputs"
BATCH, TRAINED, EVALUATED, EPSILON = 16, 320, 45, 1e-5
CLASS_WEIGHTS = np.array([1, 2, 0.5, 1, 1, 3, 1, 0.25, 1, 1])


OWN = """\
nn.parameter @w : tensor<10x64xf32> = #nn.init<uniform 0.125>
amp.scaler @scaler policy("dynamic") settings {}
amp.optimizer @optimizer kind("sgd") hyper {} trains [@w]
func.func private @loss(%x: tensor<16x64xf32>, %target: tensor<16xi64>) -> tensor<f32> {
  %w = nn.get @w : tensor<10x64xf32>
  %y = nn.linear %x, %w : tensor<16x64xf32>, tensor<10x64xf32> -> tensor<16x10xf32>
  %loss = nn.cross_entropy %y, %target axis(1) : tensor<16x10xf32>, tensor<16xi64> -> tensor<f32>
  return %loss : tensor<f32>
}
func.func @step(%x: tensor<16x64xf32> {nn.name = "x"}, %target: tensor<16xi64> {nn.name = "target"},
                %lr: tensor<f32> {nn.name = "lr"})
    -> (tensor<f32> {nn.name = "loss"}, tensor<i1> {nn.name = "found_inf"}) {
  %scale = amp.get_scale @scaler : tensor<f32>
  %loss, %g = nn.vjp @loss(%x, %target) seed(%scale) wrt [@w]
      : (tensor<16x64xf32>, tensor<16xi64>), (tensor<f32>) -> tensor<f32>, tensor<10x64xf32>
  %inverse = amp.inverse_scale %scale : tensor<f32>
  %all = amp.gather %g : tensor<10x64xf32> -> !amp.gradients<@optimizer>
  %u = amp.unscale %all by %inverse : !amp.gradients<@optimizer>
  %found, %norm = amp.check %u : !amp.gradients<@optimizer>
  amp.apply %u lr(%lr) skip(%found) : !amp.gradients<@optimizer>
  %good, %error = amp.update_scale @scaler found(%found)
  return %loss, %found : tensor<f32>, tensor<i1>
}
"""
OWN_EVALUATION = """\
func.func @eval(%x: tensor<16x64xf32> {nn.name = "x"}, %target: tensor<16xi64> {nn.name = "target"})
    -> (tensor<f32> {nn.name = "mean"}) {
  %w = nn.get @w : tensor<10x64xf32>
  %y = nn.linear %x, %w : tensor<16x64xf32>, tensor<10x64xf32> -> tensor<16x10xf32>
  %loss = nn.cross_entropy %y, %target axis(1) : tensor<16x10xf32>, tensor<16xi64> -> tensor<f32>
  return %loss : tensor<f32>
}
"""


def make_own(directory):
    # The same with a result of each sample.
    rows = OWN_EVALUATION.replace("nn.name = \"mean\"}", "nn.name = \"mean\"}, tensor<16xf32> {nn.name = \"size\"}")
    rows = rows.replace("  return %loss : tensor<f32>", """\
  %squares = nn.mul %y, %y : tensor<16x10xf32>
  %size = nn.reduce_sum %squares axes [1] : tensor<16x10xf32> -> tensor<16xf32>
  return %loss, %size : tensor<f32>, tensor<16xf32>""")
    for name, text in (("bare.mlir", OWN), ("own.mlir", OWN + OWN_EVALUATION), ("rows.mlir", OWN + rows)):
        pathlib.Path(directory, name).write_text(text)


def evaluate_own(w, x, target):
    """The mean over whole batches of their losses, and that over samples of the squares of their logits."""
    logits = x @ w.T
    logs = logits - logits.max(1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(1, keepdims=True))
    losses = -logs[np.arange(len(x)), target]
    whole = len(x) // BATCH * BATCH
    return {"eval_mean": losses[:whole].reshape(-1, BATCH).mean(1).mean(), "eval_size": (logits**2).sum(1).mean()}


def make_data(directory):
    digits = np.load(INPUTS / "digits.npz")
    x = digits["x"].astype(np.float32) / 16
    target = digits["y"].astype(np.int64)
    save = lambda name, begin, end: save_file(
        {"x": x[begin:end], "target": target[begin:end]}, os.path.join(directory, name))
    save("data.safetensors", 0, TRAINED)
    save("eval.safetensors", TRAINED, TRAINED + EVALUATED)
    save("few.safetensors", TRAINED, TRAINED + 5)
    save("whole.safetensors", TRAINED, TRAINED + 2 * BATCH)


def logits_of(weights, x):
    hidden = x @ weights["inner"].T
    normal = (hidden - weights["mean"]) / np.sqrt(weights["variance"] + EPSILON)
    return np.tanh(normal * weights["scale"] + weights["bias"]) @ weights["outer"].T


def evaluate(weights, x, target, args):
    """What the columns eval_* must have."""
    logits = logits_of(weights, x)
    logs = logits - logits.max(1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(1, keepdims=True))
    counted = target != args.ignore
    logs, labels = logs[counted], target[counted]
    share = CLASS_WEIGHTS if args.weights else np.ones(10)
    picked = -logs[np.arange(len(labels)), labels]
    losses = (1 - args.smoothing) * share[labels] * picked - args.smoothing / 10 * (share * logs).sum(1)
    size = (logits**2).sum(1)
    whole = len(x) // BATCH * BATCH
    values = {
        "loss": losses.sum() / (1 if args.sum else share[labels].sum()),
        "accuracy": (logits[counted].argmax(1) == labels).mean(),
        "perplexity": np.exp(picked.mean()),
        "size": size.mean(),
        "spread": size[:whole].reshape(-1, BATCH).max(1).mean() if whole else np.nan,
    }
    return {"eval_" + name: value for name, value in values.items()}


def report(row, expected, step, rtol):
    faults = 0
    for name, value in expected.items():
        error = abs(float(row[name]) - value) / max(abs(value), 1e-30)
        fine = error <= rtol
        faults += not fine
        print(f"{'ok  ' if fine else 'FAIL'} {name} step {step}: {row[name]}, expected {value:.9g}")
    sys.exit(faults > 0)


def check_own(directory, metrics, checkpoint):
    with safe_open(checkpoint, "np") as file:
        step, w = int(file.metadata()["step"]), file.get_tensor("w").astype(np.float64)
    data = load_file(os.path.join(directory, "eval.safetensors"))
    row = list(csv.DictReader(open(metrics)))[step - 1]
    expected = evaluate_own(w, data["x"].astype(np.float64), data["target"])
    report(row, {name: value for name, value in expected.items() if name in row}, step, 2e-6)


def check(args):
    with safe_open(args.checkpoint, "np") as file:
        step = int(file.metadata()["step"])
        # NumPy has no bfloat16, of which there are averages.
        wide = (name for name in file.keys() if file.get_slice(name).get_dtype() == "F32")
        weights = {name: file.get_tensor(name).astype(np.float64) for name in wide}
    if args.averages:
        weights |= {name: weights[f"{name}/ema"] for name in ("inner", "scale", "bias", "outer")}
    data = load_file(os.path.join(args.dir, "eval.safetensors"))
    expected = evaluate(weights, data["x"].astype(np.float64), data["target"], args)
    report(list(csv.DictReader(open(args.metrics)))[step - 1], expected, step, args.rtol)


def best(path, column, goal):
    values = [(float(row[column]), -int(row["step"])) for row in csv.DictReader(open(path)) if row[column]]
    # The first of equal ones.
    found = min(values, key=lambda v: (v[0], -v[1])) if goal == "min" else max(values)
    print(1 - found[1])


def bits(path, other, columns):
    ours, theirs = (list(csv.DictReader(open(name))) for name in (path, other))
    columns = columns or [name for name in ours[0] if name in theirs[0] and name != "step_ms"]
    differ = [name for name in columns if [row[name] for row in ours] != [row[name] for row in theirs]]
    print(f"{len(ours)} and {len(theirs)} rows, differ:", ", ".join(differ) or "none")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    parser.add_argument("metrics")
    parser.add_argument("checkpoint")
    parser.add_argument("--rtol", type=float, default=2e-6)
    parser.add_argument("--smoothing", type=float, default=0.0)
    parser.add_argument("--ignore", type=int, default=-100)
    parser.add_argument("--sum", action="store_true")
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--averages", action="store_true")
    command, *rest = sys.argv[1:]
    if command == "data":
        make_data(*rest)
    elif command == "own":
        make_own(*rest)
    elif command == "check-own":
        check_own(*rest)
    elif command == "check":
        check(parser.parse_args(rest))
    elif command == "best":
        best(*rest)
    else:
        bits(rest[0], rest[1], rest[2:])


if __name__ == "__main__":
    main()
