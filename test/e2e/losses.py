# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds each loss of mpc-eval and its gradient against float64 NumPy.

    python losses.py FOLDER PRECISION

The formulas are those of PyTorch's documentation, written here a sample at a time; gradients are
their central differences. The model adds a parameter to its input, through a product with 1 that
runs in the low type, and its outputs are what NumPy starts from: so the loss is compared within
f32 in every precision, a gradient within one rounding to the low type.
"""
import itertools
import pathlib
import re
import subprocess
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

# Relative to the largest: of the loss, and of the gradient that the low type has rounded.
LOSS_TOLERANCE = 1e-5
GRADIENT_TOLERANCE = {"fp32": 2e-5, "fp16": 2**-10, "bf16": 2**-7}

MODEL = """\
nn.parameter @w : tensor<{shape}xf32> = #nn.init<zeros>
func.func @model(%x: tensor<{shape}xf32> {{nn.name = "x"}}) -> (tensor<{shape}xf32> {{nn.name = "y"}}) {{
  %w = nn.get @w : tensor<{shape}xf32>
  %s = nn.add %x, %w : tensor<{shape}xf32>
  %f = nn.reshape %s : tensor<{shape}xf32> -> tensor<{count}x1xf32>
  %one = nn.constant dense<1.0> : tensor<1x1xf32>
  %p = nn.matmul %f, %one : tensor<{count}x1xf32>, tensor<1x1xf32> -> tensor<{count}x1xf32>
  %y = nn.reshape %p : tensor<{count}x1xf32> -> tensor<{shape}xf32>
  return %y : tensor<{shape}xf32>
}}
"""


# --- losses, as PyTorch documents them ----------------------------------------------------------


def log_softmax(scores):
    shifted = scores - scores.max()
    return shifted - np.log(np.exp(shifted).sum())


def label_loss(scores, labels, normalize, weights=None, ignore=-100, smoothing=0.0, reduction="mean"):
    """Classes on axis 1; a loop over places."""
    rows = np.moveaxis(scores, 1, -1).reshape(-1, scores.shape[1])
    weights = np.ones(scores.shape[1]) if weights is None else np.array(weights)
    losses, divisor = 0.0, 0.0
    for row, label in zip(rows, labels.ravel()):
        if label == ignore:
            continue
        logs = log_softmax(row) if normalize else row
        losses -= (1 - smoothing) * weights[label] * logs[label]
        losses -= smoothing / len(row) * (weights * logs).sum()
        divisor += weights[label]
    with np.errstate(invalid="ignore"):
        return losses if reduction == "sum" else np.float64(losses) / divisor


def probability_loss(scores, target, weights=None, smoothing=0.0, reduction="mean"):
    """Against probabilities of the classes, on axis 1."""
    classes = scores.shape[1]
    rows, shares = (np.moveaxis(t, 1, -1).reshape(-1, classes) for t in (scores, target.astype(np.float64)))
    weights, losses = np.ones(classes) if weights is None else np.array(weights), 0.0
    for row, share in zip(rows, shares):
        losses -= (weights * log_softmax(row) * ((1 - smoothing) * share + smoothing / classes)).sum()
    return losses if reduction == "sum" else losses / len(rows)


def huber(d, delta):
    return 0.5 * d * d if abs(d) < delta else delta * (abs(d) - 0.5 * delta)


def smooth_l1(d, beta):
    return 0.5 * d * d / beta if abs(d) < beta else abs(d) - 0.5 * beta


def bce(x, t):
    """The logarithm of a sigmoid as -log(1 + exp(-x)), in whichever form is exact."""
    return t * np.logaddexp(0, -x) + (1 - t) * np.logaddexp(0, x)


def kl(x, t):
    return (t * np.log(t) if t > 0 else 0.0) - t * x


def element_loss(function, reduction="mean"):
    def loss(y, target):
        values = [function(a, b) for a, b in zip(y.ravel(), target.ravel())]
        return np.sum(values) / {"mean": y.size, "sum": 1, "batchmean": len(y)}[reduction]

    return loss


# --- cases --------------------------------------------------------------------------------------


def labels_of(shape, kind, rng):
    labels = rng.integers(0, shape[1], (shape[0], *shape[2:]))
    if kind == "some ignored":
        labels.ravel()[[1, 4]] = -100
    if kind == "all ignored":
        labels[...] = -100
    return labels


def label_cases():
    w = (0.5, 2.0, 1.0, 0.25, 3.0)
    text = ",".join(map(str, w))
    options = [
        ("", {}),
        ("--ignore-index=2", {"ignore": 2}),
        (f"--class-weights={text}", {"weights": w}),
        ("--label-smoothing=0.1", {"smoothing": 0.1}),
        (f"--class-weights={text} --label-smoothing=0.3 --ignore-index=1", {"weights": w, "smoothing": 0.3, "ignore": 1}),
        ("--label-smoothing=1", {"smoothing": 1.0}),
    ]
    for name, normalize in (("cross_entropy", True), ("nll", False)):
        for flags, arguments in options:
            if not normalize and "smoothing" in arguments:
                continue
            for reduction in ("mean", "sum"):
                for shape, kind in (((6, 5), "some ignored" if "ignore" not in arguments else "all count"), ((2, 5, 3, 4), "all count")):
                    yield (
                        f"--loss={name} --reduction={reduction} {flags}",
                        shape,
                        kind,
                        lambda y, t, n=normalize, a=arguments, r=reduction: label_loss(y, t, n, reduction=r, **a),
                    )
    flags = "--loss=cross_entropy"
    yield flags, (3, 5), "all ignored", lambda y, t: label_loss(y, t, True)
    yield f"{flags} --reduction=sum", (3, 5), "all ignored", lambda y, t: 0.0


def probability_cases():
    w = (0.5, 2.0, 1.0, 0.25, 3.0)
    options = [("", {}), (f"--class-weights={','.join(map(str, w))} --label-smoothing=0.3", {"weights": w, "smoothing": 0.3})]
    for (flags, arguments), reduction, shape in itertools.product(options, ("mean", "sum"), ((6, 5), (2, 5, 3, 4))):
        loss = lambda y, t, a=arguments, r=reduction: probability_loss(y, t, reduction=r, **a)
        yield f"--loss=cross_entropy --reduction={reduction} {flags}", shape, "chances", loss


def element_cases():
    functions = [
        ("mse", "", lambda x, t: (x - t) ** 2),
        ("l1", "", lambda x, t: abs(x - t)),
        ("huber", "", lambda x, t: huber(x - t, 1.0)),
        ("huber", "--loss-delta=0.5", lambda x, t: huber(x - t, 0.5)),
        ("smooth_l1", "", lambda x, t: smooth_l1(x - t, 1.0)),
        ("smooth_l1", "--loss-delta=2", lambda x, t: smooth_l1(x - t, 2.0)),
        ("smooth_l1", "--loss-delta=0", lambda x, t: abs(x - t)),
        ("bce", "", bce),
        ("kl", "", kl),
    ]
    for name, flags, function in functions:
        for reduction in ("mean", "sum") + (("batchmean",) if name == "kl" else ()):
            kind = "chances" if name in ("bce", "kl") else "numbers"
            yield f"--loss={name} --reduction={reduction} {flags}", (4, 7), kind, element_loss(function, reduction)


def target_of(shape, kind, rng):
    if kind == "numbers":
        return rng.normal(size=shape).astype(np.float32)
    if kind == "chances":
        chances = rng.uniform(size=shape).astype(np.float32)
        chances.ravel()[[0, 3, 9]] = 0, 1, 0
        return chances
    return labels_of(shape, kind, rng)


# --- the comparison -----------------------------------------------------------------------------


def central_differences(loss, y, target, h=1e-5):
    gradient = np.zeros_like(y)
    for index in np.ndindex(y.shape):
        moved = []
        for sign in (1, -1):
            z = y.copy()
            z[index] += sign * h
            moved.append(loss(z, target))
        gradient[index] = (moved[0] - moved[1]) / (2 * h)
    return gradient


def evaluate(folder, flags, shape, x, target, precision):
    model = folder / "model.mlir"
    model.write_text(MODEL.format(shape="x".join(map(str, shape)), count=int(np.prod(shape))))
    save_file({"x": x, "target": target}, folder / "in.safetensors")
    command = ["mpc-eval", model, f"--inputs={folder / 'in.safetensors'}", "--gradients", *flags.split()]
    subprocess.run([*command, f"--precision={precision}", f"--outputs={folder / 'out.safetensors'}"], check=True)
    return load_file(folder / "out.safetensors")


def error(found, wanted):
    largest = np.abs(wanted).max()
    return np.abs(found - wanted).max() / (largest if largest > 0 else 1.0)


def fault(found, loss, target, precision):
    """What is wrong, or nothing."""
    y = found["y"].astype(np.float64)
    wanted = np.float64(loss(y, target))
    if np.isnan(wanted):
        return "" if np.isnan(found["loss"]) else f"loss {found['loss']}, expected NaN"
    if error(found["loss"].astype(np.float64), wanted) > LOSS_TOLERANCE:
        return f"loss {found['loss']}, expected {wanted}"
    gradient = central_differences(loss, y, target)
    off = error(found["grad.w"].astype(np.float64), gradient)
    return f"gradient is off by {off}" if off > GRADIENT_TOLERANCE[precision] else ""


def missing(cases):
    """The losses of the table that no case has; `output` is the model's own."""
    table = subprocess.run(["mpc-compile", "--list-losses"], check=True, capture_output=True, text=True).stdout
    known = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) - {"output"}
    return sorted(known - {re.match(r"--loss=(\w+)", flags).group(1) for flags, *_ in cases})


def main(folder, precision):
    folder, rng, faults, count = pathlib.Path(folder), np.random.default_rng(5), 0, 0
    cases = [*label_cases(), *probability_cases(), *element_cases()]
    for name in missing(cases):
        print(f"FAIL {name} has no case")
        faults += 1
    for flags, shape, kind, loss in cases:
        x, target = rng.normal(size=shape).astype(np.float32) * 2, target_of(shape, kind, rng)
        what = fault(evaluate(folder, flags, shape, x, target, precision), loss, target, precision)
        count, faults = count + 1, faults + bool(what)
        if what:
            print(f"FAIL {flags} on {shape}, {kind}: {what}")
    print(f"{count} losses, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
