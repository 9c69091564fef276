# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and gradients of elementwise ops of several operands."""
import math

import numpy as np

from .kinds import FLOAT_KINDS, INTEGER_KINDS, edges, pairs, tolerance, wrapped
from .text import FLOATS, Function, Result, Tensor, largest, ulp

INF, NAN = math.inf, math.nan


def not_a_number_first(choose):
    """The larger or smaller of two; NaN if either is, and -0 below 0."""

    def choice(a, b):
        signed = np.where(
            np.signbit(a) == np.signbit(b),
            a,
            choose(np.copysign(1.0, a), np.copysign(1.0, b)) * 0.0,
        )
        result = np.where((a == 0) & (b == 0), signed, choose(a, b))
        return np.where(np.isnan(a) | np.isnan(b), NAN, result)

    return choice


# Formula, derivative by each operand, and units in the last place of each.
BINARY = {
    "add": (lambda a, b: a + b, lambda a, b: (1.0 + 0 * a, 1.0 + 0 * b), 0, 0),
    "sub": (lambda a, b: a - b, lambda a, b: (1.0 + 0 * a, -1.0 + 0 * b), 0, 0),
    "mul": (lambda a, b: a * b, lambda a, b: (b, a), 0, 0),
    "div": (lambda a, b: a / b, lambda a, b: (1 / b, -a / (b * b)), 0, 3),
    "rem": (np.fmod, lambda a, b: (1.0 + 0 * a, -np.rint((a - np.fmod(a, b)) / b)), 0, 0),
    # In f64 it is exp(b log a), whose error grows with |b log a|.
    "pow": (np.power, lambda a, b: (b * np.power(a, b - 1), np.power(a, b) * np.log(a)), 8, 24),
    "maximum": (
        not_a_number_first(np.maximum),
        lambda a, b: (
            np.where(a > b, 1.0, np.where(a == b, 0.5, 0.0)),
            np.where(b > a, 1.0, np.where(a == b, 0.5, 0.0)),
        ),
        0,
        0,
    ),
    "minimum": (
        not_a_number_first(np.minimum),
        lambda a, b: (
            np.where(a < b, 1.0, np.where(a == b, 0.5, 0.0)),
            np.where(b < a, 1.0, np.where(a == b, 0.5, 0.0)),
        ),
        0,
        0,
    ),
}


def binary_operands(op, kind):
    """All pairs of edge values, sums and products of which round and overflow."""
    digits, least, _ = FLOATS[kind]
    values = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.3,
        97.0,
        largest(kind),
        math.ldexp(1.0, least),
        -ulp(kind, 0.0),
        INF,
        -INF,
        NAN,
    ]
    if op == "pow":
        values = [0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, 7.25, -2.5, INF, -INF, NAN]
    if op == "rem":
        values = [0.0, -0.0, 1.0, -1.5, 0.3, 97.0, -1e-3, 2.5, INF, -INF, NAN]
    return (Tensor(kind, x) for x in pairs(values))


def gradient_operands(op, kind):
    values = [1.0, -1.5, 0.3, 97.0, -100.0, 1e-3]
    if op == "pow":
        values = [1.0, 0.3, 2.5, 3.0, 1.75]
    a, b = pairs(values)
    return Tensor(kind, a), Tensor(kind, b)


def binary_functions(op):
    formula, slopes, ulps, slope_ulps = BINARY[op]
    for kind in FLOAT_KINDS:
        a, b = binary_operands(op, kind)
        body = f"%r = nn.{op} %a, %b : {a.type}"
        yield Function(
            kind, [a, b], body, [Result(kind, formula(a.values, b.values), tolerance(kind, ulps))]
        )
        x, y = gradient_operands(op, kind)
        seed = Tensor(kind, np.resize([1.0, -0.5, 0.75], x.values.shape))
        allowed = slope_ulps
        if slope_ulps and kind in ("f16", "bf16"):
            allowed = 1.51  # The rounded result is a factor.
        by_a, by_b = (seed.values * slope + 0.0 for slope in slopes(x.values, y.values))
        # Where the base is near 1 its logarithm is what little remains of it.
        yield Function(
            f"{kind}_vjp",
            [x, y],
            f"%r = nn.{op} %a, %b : {x.type}",
            [Result(kind, formula(x.values, y.values), tolerance(kind, ulps))],
            [seed],
            {0: Result(kind, by_a, allowed), 1: Result(kind, by_b, allowed)},
        )
    yield from integer_functions(op)


def truncated_quotient(a, b):
    """Towards zero; by zero it is zero here."""
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


INTEGER = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": truncated_quotient,
    "rem": lambda a, b: a - truncated_quotient(a, b) * b,
    "pow": lambda a, b: a**b,
    "maximum": max,
    "minimum": min,
}


def integer_functions(op):
    for kind in INTEGER_KINDS:
        a, b = pairs(np.array(edges(kind), dtype=object))
        if op == "pow":
            a, b = pairs(np.array([0, 1, -1, 2, -3, 5, 7], dtype=object))
            a, b = wrapped(a[b >= 0], kind), b[b >= 0]
        want = [wrapped(INTEGER[op](int(x), int(y)), kind) for x, y in zip(a, b)]
        left, right = Tensor(kind, a), Tensor(kind, b)
        yield Function(
            kind, [left, right], f"%r = nn.{op} %a, %b : {left.type}", [Result(kind, want)]
        )


COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def compare_functions():
    for kind in (*FLOAT_KINDS, *INTEGER_KINDS, "i1"):
        values = [0.0, -0.0, 1.0, -2.0, INF, -INF, NAN]
        if kind not in FLOATS:
            values = [0, 1] if kind == "i1" else np.array(edges(kind), dtype=object)
        a, b = (Tensor(kind, x) for x in pairs(values))
        body = "\n  ".join(
            f"%r{i} = nn.compare {name} %a, %b : {a.type} -> tensor<{a.values.size}xi1>"
            for i, name in enumerate(COMPARE)
        )
        yield Function(
            kind,
            [a, b],
            body,
            [Result("i1", holds(a.values, b.values)) for holds in COMPARE.values()],
        )


def select_functions():
    for kind in (*FLOAT_KINDS, *INTEGER_KINDS, "i1"):
        mask = Tensor("i1", [True, False, False, True])
        a = Tensor(
            kind,
            [1, 0, 1, 1] if kind == "i1" else [1, 2, 3, -0.0] if kind in FLOATS else [1, 2, 3, 4],
        )
        b = Tensor(
            kind,
            (
                [0, 1, 0, 0]
                if kind == "i1"
                else [-1, NAN, -INF, 7] if kind in FLOATS else edges(kind)[-4:]
            ),
        )
        body = f"%r = nn.select %a, %b, %c : {mask.type}, {a.type}"
        yield Function(
            kind, [mask, a, b], body, [Result(kind, np.where(mask.values, a.values, b.values))]
        )
    mask, x = Tensor("i1", [True, False]), Tensor("f32", [3.0, 4.0])
    yield Function(
        "f32_vjp",
        [mask, x, x],
        f"%r = nn.select %a, %b, %c : {mask.type}, {x.type}",
        [Result("f32", [3.0, 4.0])],
        [Tensor("f32", [0.5, NAN])],
        {1: Result("f32", [0.5, 0.0]), 2: Result("f32", [0.0, NAN])},
    )


def families():
    """The functions of each op's file."""
    files = {op: list(binary_functions(op)) for op in BINARY}
    files["compare"] = list(compare_functions())
    files["select"] = list(select_functions())
    return files
