# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and gradients of softmax, normalizations and the cross entropy."""
import math

import numpy as np

from .contractions import eighths
from .kinds import FLOAT_KINDS, INTEGER_KINDS
from .text import Function, Result, Tensor, float_text


def soft(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_soft(x, axis):
    low = x - x.max(axis, keepdims=True)
    return low - np.log(np.exp(low).sum(axis, keepdims=True))


def soft_gradient(x, d, axis):
    y = soft(x, axis)
    return y * (d - (d * y).sum(axis, keepdims=True))


def log_soft_gradient(x, d, axis):
    return d - soft(x, axis) * d.sum(axis, keepdims=True)


def few(kind, ulps):
    """16-bit results are computed in f32 and rounded once."""
    return 0.51 if kind in ("f16", "bf16") else ulps


ROWS = [
    [0.0, 1.0, -2.0, 0.5],
    [100.0, -100.0, 99.0, 0.0],
    [88.0, 89.0, 104.0, 87.0],
    [1e4, -1e4, 1e4, 9e3],
    [3.0, 3.0, 3.0, 3.0],
    [1e-6, -1e-6, 0.0, -0.0],
]
EDGES = [
    [-math.inf, 1.0, 2.0, -math.inf],
    [-math.inf] * 4,
    [math.nan, 1.0, 2.0, 3.0],
    [math.inf, 1.0, 2.0, 3.0],
]


def softmax_function(op, name, a, axis, formula, gradient=None):
    value = Result(
        a.kind, formula[0](a.values, axis), few(a.kind, 4), 1.0 if op == "log_softmax" else 0.0
    )
    body = f"%r = nn.{op} %a axis({axis}) : {a.type}"
    if gradient is None:
        return Function(name, [a], body, [value])
    d = Tensor(a.kind, np.resize([1.0, -0.5, 0.75, 2.0, 0.25], a.values.shape))
    # A 16-bit gradient reads the rounded result.
    wanted = Result(
        a.kind, gradient(a.values, d.values, axis), 2.0 if a.kind in ("f16", "bf16") else 8.0, 2.0
    )
    return Function(name, [a], body, [value], [d], {0: wanted})


def softmax_functions(op, formula, gradient):
    for kind in FLOAT_KINDS:
        rows = Tensor(kind, ROWS + EDGES)
        yield softmax_function(op, f"rows_{kind}", rows, 1, [formula])
        yield softmax_function(op, f"rows_{kind}_vjp", Tensor(kind, ROWS), 1, [formula], gradient)
        yield softmax_function(op, f"columns_{kind}", Tensor(kind, rows.values.T), 0, [formula])
        if kind in ("f64", "bf16"):
            continue
        yield softmax_function(op, f"middle_{kind}", eighths(kind, (2, 5, 3), 1), 1, [formula])
        yield softmax_function(op, f"unit_{kind}", eighths(kind, (3, 1), 2), 1, [formula])
        yield softmax_function(op, f"long_{kind}", eighths(kind, (2, 70), 3), 1, [formula])
        yield softmax_function(
            op, f"columns_{kind}_vjp", Tensor(kind, np.array(ROWS).T), 0, [formula], gradient
        )


# ===----------------------------------------------------------------------===#
# Layer normalization
# ===----------------------------------------------------------------------===#


def normalized(x, axes, epsilon):
    deviation = x - x.mean(axes, keepdims=True)
    return deviation / np.sqrt((deviation**2).mean(axes, keepdims=True) + epsilon), 1 / np.sqrt(
        (deviation**2).mean(axes, keepdims=True) + epsilon
    )


def normalization_gradient(y, rstd, d, axes):
    """Of the input, where `d` is the cotangent of what is normalized."""
    return rstd * (d - d.mean(axes, keepdims=True) - y * (d * y).mean(axes, keepdims=True))


def layer_norm(name, x, axis, epsilon, scale, bias, gradient=False):
    axes = tuple(range(axis, x.values.ndim))
    y, rstd = normalized(x.values, axes, epsilon)
    s, b = (t.values if t else other for t, other in ((scale, 1.0), (bias, 0.0)))
    operands = [x] + [t for t in (scale, bias) if t]
    names = iter("bc")
    extra = "".join(
        f" {word} %{next(names)} : {t.type}" for word, t in (("scale", scale), ("bias", bias)) if t
    )
    body = f"%r = nn.layer_norm %a{extra} axis({axis}) epsilon({float_text(epsilon, 'f64')}) : {x.type}"
    value = Result(x.kind, y * s + b, few(x.kind, 6), 2.0)
    if not gradient:
        return Function(name, operands, body, [value])
    d = Tensor(x.kind, np.resize([1.0, -0.5, 0.75, 2.0, 0.25], x.values.shape))
    outer = tuple(range(axis))
    narrow = x.kind in ("f16", "bf16")
    wanted = {
        0: Result(
            x.kind,
            normalization_gradient(y, rstd, d.values * s, axes),
            1.0 if narrow else 24.0,
            float(rstd.max()),
        )
    }
    if scale:
        wanted[len(wanted)] = Result(
            scale.kind, (d.values * y).sum(outer), 1.0 if narrow else 16.0, 4.0
        )
    if bias:
        wanted[len(wanted)] = Result(bias.kind, d.values.sum(outer), 0.0)
    return Function(name + "_vjp", operands, body, [value], [d], wanted)


def layer_norm_functions():
    for kind in FLOAT_KINDS:
        x = eighths(kind, (3, 8), 1)
        # Around 100 and around -10000: the mean of eight multiples of 1/8 is exact.
        moved = Tensor(
            kind, x.values + np.array([[100.0], [-100.0], [10.0]]) if kind != "bf16" else x.values
        )
        scale, bias = eighths(kind, (8,), 2), eighths(kind, (8,), 3)
        # A gradient yields the output too.
        yield layer_norm(f"plain_{kind}", moved, 1, 1e-3, None, None)
        yield layer_norm(f"both_{kind}", moved, 1, 1e-5, scale, bias, gradient=True)
        flat = Tensor(kind, [[3.0] * 8, [0.0] * 8])
        yield layer_norm(f"constant_rows_{kind}", flat, 1, 1e-3, scale, bias)
        if kind in ("f64", "bf16"):
            continue
        yield layer_norm(f"plain_{kind}", moved, 1, 1e-3, None, None, gradient=True)
        yield layer_norm(f"scale_{kind}", x, 1, 1e-5, scale, None, gradient=True)
        shape = (3, 4, 2)
        yield layer_norm(
            f"two_axes_{kind}",
            eighths(kind, shape, 4),
            1,
            1e-3,
            eighths(kind, shape[1:], 5),
            eighths(kind, shape[1:], 6),
            gradient=True,
        )
        yield layer_norm(f"unit_{kind}", eighths(kind, (3, 1), 7), 1, 1e-3, None, None)


# ===----------------------------------------------------------------------===#
# Root mean square normalization
# ===----------------------------------------------------------------------===#


def rms_gradient(y, factor, d, axes):
    """Of the input, where `d` is the cotangent of what is normalized."""
    return factor * (d - y * (d * y).mean(axes, keepdims=True))


def rms_norm(name, x, axis, epsilon, scale, gradient=False):
    axes = tuple(range(axis, x.values.ndim))
    factor = 1 / np.sqrt((x.values**2).mean(axes, keepdims=True) + epsilon)
    y, s = x.values * factor, scale.values if scale else 1.0
    operands = [x] + ([scale] if scale else [])
    extra = f" scale %b : {scale.type}" if scale else ""
    body = f"%r = nn.rms_norm %a{extra} axis({axis}) epsilon({float_text(epsilon, 'f64')}) : {x.type}"
    value = Result(x.kind, y * s, few(x.kind, 6), 2.0)
    if not gradient:
        return Function(name, operands, body, [value])
    d = Tensor(x.kind, np.resize([1.0, -0.5, 0.75, 2.0, 0.25], x.values.shape))
    narrow = x.kind in ("f16", "bf16")
    wanted = {
        0: Result(
            x.kind,
            rms_gradient(y, factor, d.values * s, axes),
            1.0 if narrow else 24.0,
            float(factor.max()),
        )
    }
    if scale:
        wanted[1] = Result(
            scale.kind, (d.values * y).sum(tuple(range(axis))), 1.0 if narrow else 16.0, 4.0
        )
    return Function(name + "_vjp", operands, body, [value], [d], wanted)


def rms_norm_functions():
    for kind in FLOAT_KINDS:
        x, scale = eighths(kind, (3, 8), 1), eighths(kind, (8,), 2)
        # Squares that f16 does not hold, of numbers that it holds.
        large = Tensor(kind, x.values * 4096.0 + 512.0)
        small = Tensor(kind, x.values * 2.0**-14)
        yield rms_norm(f"plain_{kind}", x, 1, 1e-3, None)
        yield rms_norm(f"large_{kind}", large, 1, 1e-6, scale, gradient=True)
        yield rms_norm(f"small_{kind}", small, 1, 1e-12, scale)
        yield rms_norm(f"zeros_{kind}", Tensor(kind, np.zeros((2, 8))), 1, 1e-3, scale)
        yield rms_norm(f"scale_{kind}", x, 1, 1e-5, scale, gradient=True)
        if kind in ("f64", "bf16"):
            continue
        yield rms_norm(f"plain_{kind}", x, 1, 1e-3, None, gradient=True)
        both = eighths(kind, (4, 2), 5)
        yield rms_norm(f"two_axes_{kind}", eighths(kind, (3, 4, 2), 4), 1, 1e-3, both, gradient=True)
        yield rms_norm(f"unit_{kind}", eighths(kind, (3, 1), 7), 1, 1e-3, None)


# ===----------------------------------------------------------------------===#
# Batch normalization
# ===----------------------------------------------------------------------===#


def along(vector, axis, rank):
    return vector.reshape([-1 if i == axis else 1 for i in range(rank)])


def vectors(kind, count):
    """Scale, bias, mean and variance."""
    return [
        eighths(kind, (count,), 2),
        eighths(kind, (count,), 3),
        eighths(kind, (count,), 4),
        Tensor(kind, 0.25 + np.arange(count)),
    ]


def batch_text(op, operands, axis, epsilon, momentum, results, flag=""):
    names = ", ".join(f"%{c}" for c in "abcde")
    values = "%r" if len(results) == 1 else ", ".join(f"%r{i}" for i in range(len(results)))
    return (
        f"{values} = nn.{op} {names} axis({axis}) epsilon({float_text(epsilon, 'f64')}) momentum({momentum}){flag} : "
        f"({', '.join(t.type for t in operands)}) -> "
        + (results[0].type if len(results) == 1 else f"({', '.join(r.type for r in results)})")
    )


def batch_norm(name, kind, own, axis=1, shape=(2, 3, 4), gradient=False):
    x, operands = eighths(kind, shape, 1), vectors(own, shape[axis])
    scale, bias, mean, variance = (along(t.values, axis, len(shape)) for t in operands)
    epsilon, axes = 1e-3, tuple(i for i in range(len(shape)) if i != axis)
    rstd = 1 / np.sqrt(variance + epsilon)
    y = (x.values - mean) * rstd
    value = Result(kind, y * scale + bias, few(kind, 6), 8.0)
    body = batch_text("batch_norm", [x, *operands], axis, epsilon, 0.1, [value])
    if not gradient:
        return Function(name, [x, *operands], body, [value])
    d = Tensor(kind, np.resize([1.0, -0.5, 0.75, 2.0, 0.25], shape))
    by = {
        0: d.values * scale * rstd,
        1: (d.values * y).sum(axes),
        2: d.values.sum(axes),
        3: -(d.values * scale * rstd).sum(axes),
        4: -0.5 * (d.values * scale * y * rstd**2).sum(axes),
    }
    wanted = {
        i: Result(kind if i == 0 else own, v, few(kind if i == 0 else own, 16.0) + 0.5, 8.0)
        for i, v in by.items()
    }
    return Function(name, [x, *operands], body, [value], [d], wanted)


def batch_norm_functions():
    for kind in FLOAT_KINDS:
        own = kind if kind == "f64" else "f32"
        yield batch_norm(f"vjp_{kind}", kind, own, gradient=True)
        if kind in ("f64", "bf16"):
            continue
        yield batch_norm(f"last_{kind}", kind, own, axis=2, shape=(2, 3, 5))
        yield batch_norm(f"flat_{kind}", kind, own, axis=1, shape=(1, 70))
        yield batch_norm(f"own_type_{kind}", kind, kind)


def batch_training(name, kind, sample, axis=1, shape=(2, 3, 4), gradient=False):
    own = "f64" if kind == "f64" else "f32"
    # Sums of squares are exact in f32 too; the offset is what the mean has to take away.
    x, operands = Tensor(kind, eighths(kind, shape, 1).values + 6.0), vectors(own, shape[axis])
    scale, bias = (along(t.values, axis, len(shape)) for t in operands[:2])
    epsilon, axes, momentum = 1e-3, tuple(i for i in range(len(shape)) if i != axis), 0.25
    y, rstd = normalized(x.values, axes, epsilon)
    mean, variance = x.values.mean(axes), x.values.var(axes, ddof=1 if sample else 0)
    running = [
        (1 - momentum) * old.values + momentum * new
        for old, new in zip(operands[2:], (mean, variance))
    ]
    results = [
        Result(kind, y * scale + bias, few(kind, 8), 4.0),
        Result(own, mean, 2),
        Result(own, rstd.ravel(), 4),
        Result(own, running[0], 2, 2.0),
        Result(own, running[1], 4),
    ]
    body = batch_text(
        "batch_norm_training",
        [x, *operands],
        axis,
        epsilon,
        momentum,
        results,
        " sample_variance" if sample else "",
    )
    if not gradient:
        return Function(name, [x, *operands], body, results)
    d = Tensor(kind, np.resize([1.0, -0.5, 0.75, 2.0, 0.25], shape))
    seeds = [d] + [Tensor(own, np.zeros(shape[axis])) for _ in range(4)]
    by = {
        0: normalization_gradient(y, rstd, d.values * scale, axes),
        1: (d.values * y).sum(axes),
        2: d.values.sum(axes),
    }
    wanted = {
        i: Result(kind if i == 0 else own, v, few(kind if i == 0 else own, 24.0) + 0.5, 8.0)
        for i, v in by.items()
    }
    return Function(name, [x, *operands], body, results, seeds, wanted)


def batch_training_functions():
    for kind in FLOAT_KINDS:
        yield batch_training(f"sample_{kind}_vjp", kind, True, gradient=True)
        yield batch_training(f"population_{kind}", kind, False)
        if kind == "f32":
            yield batch_training(f"last_{kind}", kind, False, axis=2, shape=(2, 3, 5))


# ===----------------------------------------------------------------------===#
# Cross entropy
# ===----------------------------------------------------------------------===#


def cross_entropy(logits, target, axis, ignored):
    """Loss, and its gradient: softmax less one where the label is, over the rows that count."""
    rows = np.moveaxis(logits, axis, -1).reshape(-1, logits.shape[axis])
    labels = target.ravel()
    counts = np.ones(labels.shape, dtype=bool) if ignored is None else labels != ignored
    most = rows.max(1)
    losses = np.log(np.exp(rows - most[:, None]).sum(1)) + most
    gradient = soft(rows, 1)
    for i, label in enumerate(labels):
        if counts[i] and 0 <= label < rows.shape[1]:
            losses[i] -= rows[i, label]
            gradient[i, label] -= 1
    gradient = gradient * counts[:, None] / counts.sum()
    shape = np.moveaxis(logits, axis, -1).shape
    return losses[counts].sum() / counts.sum(), np.moveaxis(gradient.reshape(shape), -1, axis)


LABELS = [
    ("rows", (6, 4), 1, [0, 3, 2, 1, 1, 0], None),
    ("outside", (6, 4), 1, [0, 4, -1, 1, 99, 3], None),
    ("ignored", (6, 4), 1, [0, -100, 2, -100, 1, 1], -100),
    ("inside_ignored", (6, 4), 1, [0, 2, 2, 1, 1, 3], 2),
    ("middle", (2, 5, 3), 1, [[0, 4, 2], [1, 1, 3]], None),
    ("one_class", (3, 1), 1, [0, 0, 0], None),
]


def cross_entropy_functions():
    for name, shape, axis, labels, ignored in LABELS:
        for kind in FLOAT_KINDS if name in ("rows", "ignored") else ("f32",):
            x = Tensor(kind, ROWS) if shape == (6, 4) else eighths(kind, shape, 1)
            for label_kind in (
                ("i64", "i32", "i8") if kind == "f32" and name == "outside" else ("i64",)
            ):
                target = Tensor(label_kind, np.array(labels))
                loss, gradient = cross_entropy(x.values, target.values, axis, ignored)
                largest = np.abs(x.values).max()
                value = Result(kind, loss, 1.0 if kind in ("f16", "bf16") else 4.0, float(largest))
                tail = f"axis({axis})" + (
                    f" ignore_index({ignored})" if ignored is not None else ""
                )
                body = (
                    f"%r = nn.cross_entropy %a, %b {tail} : {x.type}, {target.type} -> {value.type}"
                )
                seed = Tensor(kind, 0.75)
                wanted = Result(
                    kind, 0.75 * gradient, 1.0 if kind in ("f16", "bf16") else 8.0, 0.25
                )
                yield Function(
                    f"{name}_{kind}_{label_kind}", [x, target], body, [value], [seed], {0: wanted}
                )


def families():
    return {
        "softmax": list(softmax_functions("softmax", soft, soft_gradient)),
        "log_softmax": list(softmax_functions("log_softmax", log_soft, log_soft_gradient)),
        "layer_norm": list(layer_norm_functions()),
        "rms_norm": list(rms_norm_functions()),
        "batch_norm": list(batch_norm_functions()),
        "batch_norm_training": list(batch_training_functions()),
        "cross_entropy": list(cross_entropy_functions()),
    }
