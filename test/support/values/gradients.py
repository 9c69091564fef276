# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the amp ops on gradients: unscale, clip, finite check and norms."""
import math
from fractions import Fraction

import numpy as np

from .statement import Statement, scalar, simple, types_of, vector
from .text import Result, Tensor, largest, rounded, ulp

GRADIENT_KINDS = ("f32", "f16", "bf16")


def gradients(kind):
    """Finite numbers of every size, then what is not finite."""
    top = largest(kind)
    finite = [0.0, -0.0, 1.5, -2.25, 0.3, -7.1e-3, 96.0, top, -top, ulp(kind, 0.0), -3 * ulp(kind, 0.0)]
    return vector(kind, finite + [math.inf, -math.inf, math.nan])


def once(values):
    """Rounded to f32: a product or quotient of two such numbers is rounded right even so."""
    return np.array([rounded("f32", float(value)) for value in np.ravel(values)])


def gradient_map(name, label, formula, factor, words=()):
    for kind in GRADIENT_KINDS:
        a, b = gradients(kind), scalar("f32", factor)
        result = Result("f32", once(formula(a.values, b.values)))
        statement = Statement(name).argument(a).words("by").argument(b).words(*words)
        yield statement.function(f"{label}_{kind}", [result], f": {a.type} -> {result.type}")


def unscale_vjp(kind):
    a, b = vector(kind, [1.0, -2.0, 0.75]), scalar("f32", 0.125)
    d = vector("f32", [0.5, -3.0, 96.0])
    result = Result("f32", a.values * b.values)
    statement = Statement("unscale").argument(a).words("by").argument(b)
    return statement.function(
        f"vjp_{kind}",
        [result],
        f": {a.type} -> {result.type}",
        seeds=[d],
        gradients={0: Result(kind, d.values * b.values)},
    )


def unscale_functions():
    yield from gradient_map("unscale", "times", lambda a, f: a * f, 2.0**-16)
    yield from gradient_map("unscale", "odd", lambda a, f: a * f, 1 / 3)
    yield from gradient_map("unscale", "over", lambda a, f: a / f, 3.0, ["divide"])
    yield from (unscale_vjp(kind) for kind in GRADIENT_KINDS)


def clamped(a, limit):
    return np.where(np.isnan(a), a, np.minimum(np.maximum(a, -limit), limit))


def row_op(name, kind_of_result, formula, ulps):
    for kind in GRADIENT_KINDS:
        big = 3e38 if kind != "f16" else 6e4
        rows = [[1.0, -2.5, 0.3, 7.0, -0.125], [0.0, -0.0, 0.0, 0.0, 0.0], [big, -big, big, big, 1.0]]
        rows += [[1.0, math.inf, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, math.nan, 5.0], [-1e-7] * 5]
        a = Tensor(kind, np.array(rows))
        result = Result(kind_of_result, formula(a.values), ulps)
        yield simple(name, f"rows_{kind}", [a], [result], f": {a.type} -> {result.type}")


def exact_root(total):
    return math.sqrt(total) if math.isfinite(total) else total


def check_functions():
    parts = {
        "finite": [[9.0, 16.0], [144.0]],
        "odd": [[0.1, 0.2, 0.3], [1e200, 1e-200]],
        "infinite": [[1.0, math.inf], [2.0]],
        "nan": [[1.0], [2.0, math.nan, 3.0]],
        "nothing": [[0.0]],
    }
    for label, groups in parts.items():
        tensors = [vector("f64", group) for group in groups]
        total = sum(value for group in groups for value in group)
        results = [
            Result("i1", np.array(not math.isfinite(total))),
            Result("f64", np.array(exact_root(total)), 2.0),
        ]
        yield simple("combine_check", label, tensors, results, f": {types_of(tensors)}")


def max_functions():
    for label, groups in {
        "two": [[1.0, 7.0], [3.0]],
        "infinite": [[1.0], [math.inf, 2.0]],
        "nan": [[1.0, math.nan], [9.0]],
        "zero": [[0.0]],
    }.items():
        tensors = [vector("f32", group) for group in groups]
        top = np.max(np.concatenate(groups))  # NaN where there is one.
        yield simple("combine_max_abs", label, tensors, [Result("f32", np.array(top))], f": {types_of(tensors)}")


def single(value):
    """A rational number rounded to f32, once."""
    unit = Fraction(ulp("f32", float(value)))
    return round(value / unit) * unit


def torch_norm(values):
    """The order of PyTorch's kernel, every rounding written out."""
    x = [Fraction(float(value)) for value in values]
    whole = len(x) // 8 * 8
    sums = [Fraction(0)] * 8
    for i in range(whole):
        sums[i % 8] = single(sums[i % 8] + single(x[i] * x[i]))
    total = Fraction(0)
    for part in sums:
        total = single(total + part)
    rest = x[whole:]
    if len(rest) >= 4:
        for value in rest[:4]:
            total = single(total + single(value * value))
        rest = rest[4:]
    for value in rest:
        total = single(total + value * value)
    return math.sqrt(float(total))


def vector_norm_functions():
    rng = np.random.default_rng(7)
    for shape in ((1,), (3,), (4,), (8,), (3, 5), (7, 11), (6, 4, 3), (1601,)):
        a = Tensor("f32", rng.normal(size=shape) * 10)
        result = Result("f32", np.array(torch_norm(a.values.ravel())))
        label = "of_" + "x".join(map(str, shape))
        yield simple("vector_norm", label, [a], [result], f": {a.type}")


def torch_coefficient(norm, bound):
    return min(1.0, bound / (norm + 1e-6)) if not math.isnan(norm) else norm


def keras_coefficient(norm, bound):
    if math.isnan(norm):
        return norm
    return 1.0 if norm <= bound else bound / norm


NORMS = [0.0, 0.5, 1.0, 1.0001, 3.0, 1e10, 1e-30, math.nan]


def coefficient_functions():
    for label, rule in (("torch", torch_coefficient), ("keras", keras_coefficient)):
        words = ["keras"] if label == "keras" else []
        for bound in (1.0, 0.25, 100.0):
            for scale in (None, 1024.0):
                norm = vector("f64", NORMS)
                factor = scale or 1.0
                wanted = [rule(n * factor, bound * factor) for n in NORMS]
                result = Result("f32", np.array(wanted), 2.0)
                statement = Statement("clip_coefficient").argument(norm)
                statement.argument(scalar("f64", bound), "max({})")
                if scale:
                    statement.argument(scalar("f32", scale), "scale({})")
                name = f"{label}_{str(bound).replace('.', '_')}{'_scaled' if scale else ''}"
                yield statement.words(*words).function(name, [result], f": {norm.type} -> {result.type}")


def add_gradient_functions():
    for kind in GRADIENT_KINDS:
        g, total = gradients(kind), vector("f32", [1.0, -0.0, 1e-3, 7.5, -0.3, 0.0, 4.0, 1.0, 2.0, 0.0, 0.0, 1.0, math.inf, 2.0])
        result = Result("f32", once(g.values + total.values))
        statement = Statement("add_gradient").argument(g).words("to").argument(total)
        yield statement.function(f"of_{kind}", [result], f": {g.type}, {total.type}")


def add_pairs_functions():
    """A binary counter of three parts, before each of the seven batches of a window."""
    for kind in GRADIENT_KINDS:
        g = gradients(kind)
        size = len(g.values)
        parts = [vector("f32", [start + 0.125 * i for i in range(size)]) for start in (-3.0, 0.3, 1e6)]
        for count in range(7):
            carry, level = once(g.values).astype(np.float32), 0
            while count >> level & 1:
                carry, level = (parts[level].values.astype(np.float32) + carry).astype(np.float32), level + 1
            sums = [part.values for part in parts]
            sums[level] = carry
            results = [Result("f32", once(values)) for values in sums]
            statement = Statement("add_pairs").argument(g)
            statement.argument(scalar("f64", count), "count({})").words("to")
            for i, part in enumerate(parts):
                statement.argument(part, "{}" if i == 2 else "{},")
            types = ", ".join(part.type for part in parts)
            yield statement.function(
                f"of_{kind}_{count}", results, f": {g.type}, {types} -> {', '.join(r.type for r in results)}")


def families():
    return {
        "amp.unscale": unscale_functions(),
        "amp.clip": gradient_map("clip", "by", lambda a, f: a * f, 0.3),
        "amp.clamp": gradient_map("clamp", "within", clamped, 2.0),
        "amp.square_sums": row_op("square_sums", "f64", lambda a: (a * a).sum(1), 4.0),
        "amp.block_max_abs": row_op("block_max_abs", "f32", lambda a: np.abs(a).max(1), 0.0),
        "amp.combine_check": check_functions(),
        "amp.combine_max_abs": max_functions(),
        "amp.vector_norm": vector_norm_functions(),
        "amp.clip_coefficient": coefficient_functions(),
        "amp.add_gradient": add_gradient_functions(),
        "amp.add_pairs": add_pairs_functions(),
    }
