# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and gradients of elementwise ops."""
import math

import numpy as np

from .text import FLOATS, Function, Result, Tensor, largest, ulp

INF, NAN = math.inf, math.nan
FLOAT_KINDS = ("f32", "f64", "f16", "bf16")
SIGNED_KINDS = ("i8", "i16", "i32", "i64")
UNSIGNED_KINDS = ("ui8", "ui16", "ui32", "ui64")
INTEGER_KINDS = SIGNED_KINDS + UNSIGNED_KINDS

erf = np.vectorize(math.erf, otypes=[np.float64])
erfc = np.vectorize(math.erfc, otypes=[np.float64])


def sigmoid(x):
    return np.where(
        x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x)))
    )


def mish_slope(x):
    gate = np.logaddexp(0, x)
    bend = 1 / np.cosh(np.minimum(gate, 700)) ** 2
    return np.tanh(gate) + x * sigmoid(x) * bend


def normal_cdf(x):
    return erfc(-x / math.sqrt(2)) / 2


def gelu_bend(x):
    return math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)


def gelu_tanh_slope(x):
    bend = np.tanh(gelu_bend(x))
    # Beyond 30 the second term is less than any number.
    near = np.clip(x, -30, 30)
    slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * near**2)
    return (1 + bend) / 2 + near * (1 - bend**2) * slope / 2


def normal_density(x):
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


class Unary:
    """An op's formula, its derivative, and where they are held.

    `ulps`: of f32 and f64; 16-bit results are computed in f32 and rounded once, so that they
    may be off by half a unit and that error. `at` and `slope_at`: from which magnitude on an
    error is relative; below, it is that of the numbers that cancel. `points`: the arguments, where
    they are not those of all. `settings`: what the op takes beside its operand, as MLIR writes it."""

    def __init__(
        self,
        formula,
        slope,
        ulps,
        near=True,
        signed=True,
        beyond=(-INF, INF, NAN),
        at=0.0,
        slope_at=0.0,
        slope_ulps=None,
        slope_powers=0,
        points=None,
        settings="",
    ):
        self.points, self.settings = points, settings
        self.formula, self.slope, self.ulps = formula, slope, ulps
        self.near, self.signed, self.beyond = near, signed, beyond
        self.at, self.slope_at = at, slope_at
        self.slope_ulps = 2 * ulps + 2 if slope_ulps is None else slope_ulps
        # How often a 16-bit gradient is multiplied by the rounded result.
        self.slope_powers = slope_powers

    def finite(self, kind):
        """Subnormal, small, moderate, around 100 and large, of both signs."""
        if self.points:
            return list(self.points)
        digits, least, _ = FLOATS[kind]
        normal = math.ldexp(1.0, least)
        tiny = [ulp(kind, 0.0), 0.75 * normal, normal] if self.near else []
        points = tiny + [1e-3, 0.5, 1.0, 2.75, 10.5, 87.5, 88.75, 100.0, 1e4, largest(kind)]
        points += [-x for x in points] if self.signed else []
        return points


def plain(formula, slope, **options):
    """An op without rounding of its own: neg, abs, relu, ..."""
    return Unary(formula, slope, 0, slope_ulps=0, **options)


# Within [-1, 1], and where squares overflow in no type.
UNIT = [x * s for x in (0.0, 1e-3, 0.5, 0.75, 1.0) for s in (1, -1)]
MODERATE = UNIT + [x * s for x in (1.5, 10.5, 87.5, 100.0) for s in (1, -1)]

UNARY = {
    "neg": plain(lambda x: -x, lambda x: -np.ones_like(x)),
    "abs": plain(np.abs, np.sign),
    "sign": plain(lambda x: np.where(x == 0, x, np.sign(x)), np.zeros_like),
    "relu": plain(
        lambda x: np.where(np.isnan(x), x, np.where(x > 0, x, 0.0)),
        lambda x: np.where(x > 0, 1.0, 0.0),
    ),
    "tanh": Unary(
        np.tanh,
        lambda x: 1 / np.cosh(np.minimum(np.abs(x), 700)) ** 2,
        2,
        slope_at=1.0,
        slope_powers=2,
    ),
    "sigmoid": Unary(
        sigmoid, lambda x: sigmoid(x) * sigmoid(-x), 4, slope_at=1.0, slope_powers=2
    ),
    "erf": Unary(erf, lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x), 1, slope_ulps=100),
    "sqrt": Unary(
        np.sqrt,
        lambda x: 0.5 / np.sqrt(x),
        0,
        signed=False,
        beyond=(-1.0, -0.0, INF, -INF, NAN),
        slope_ulps=2,
        slope_powers=1,
    ),
    "sin": Unary(np.sin, np.cos, 1),
    "cos": Unary(np.cos, lambda x: -np.sin(x), 1),
    "exp": Unary(np.exp, np.exp, 1, slope_powers=1),
    "log": Unary(
        np.log, lambda x: 1 / x, 1, signed=False, beyond=(0.0, -0.0, -1.0, INF, -INF, NAN)
    ),
    "softplus": Unary(lambda x: np.logaddexp(0, x), sigmoid, 2),
    "floor": plain(np.floor, np.zeros_like),
    "ceil": plain(np.ceil, np.zeros_like),
    "round": plain(np.rint, np.zeros_like),
    "tan": Unary(np.tan, lambda x: 1 + np.tan(x) ** 2, 4, slope_powers=2),
    "asin": Unary(np.arcsin, lambda x: 1 / np.sqrt(1 - x * x), 4, points=UNIT, beyond=(-1.5, NAN)),
    "acos": Unary(np.arccos, lambda x: -1 / np.sqrt(1 - x * x), 4, points=UNIT, beyond=(1.5, NAN)),
    "atan": Unary(np.arctan, lambda x: 1 / (1 + x * x), 4),
    "sinh": Unary(np.sinh, np.cosh, 4),
    "cosh": Unary(np.cosh, np.sinh, 4),
    "asinh": Unary(np.arcsinh, lambda x: 1 / np.sqrt(1 + x * x), 4, points=MODERATE),
    "acosh": Unary(
        np.arccosh,
        lambda x: 1 / np.sqrt((x - 1) * (x + 1)),
        4,
        beyond=(0.5, INF, NAN),
        points=(1.0, 1.125, 1.5, 2.75, 10.5, 100.0, 1e4),
        signed=False,
    ),
    "atanh": Unary(np.arctanh, lambda x: 1 / (1 - x * x), 4, points=UNIT, beyond=(-1.5, NAN)),
    "mish": Unary(
        lambda x: x * np.tanh(np.logaddexp(0, x)),
        mish_slope,
        6,
        beyond=(0.0, -0.0, INF, NAN),
        at=1e-30,
        slope_at=1.0,
        slope_ulps=16,
    ),
    "softsign": Unary(lambda x: x / (1 + np.abs(x)), lambda x: 1 / (1 + np.abs(x)) ** 2, 2),
    "hard_swish": Unary(
        lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
        lambda x: np.where(x < -3, 0.0, np.where(x > 3, 1.0, x / 3 + 0.5)),
        2,
        beyond=(0.0, -0.0, INF, NAN),
        at=1.0,
        slope_at=1.0,
        slope_ulps=2,
    ),
    "hard_sigmoid": Unary(
        lambda x: np.clip(0.2 * x + 0.5, 0, 1),
        lambda x: np.where(np.abs(x) < 2.5, 0.2, 0.0),
        2,
        at=1.0,
        slope_ulps=1,
        settings="alpha 0.2 beta 0.5",
    ),
    # Products by powers of two are exact.
    "swish": Unary(
        lambda x: x * sigmoid(0.5 * x),
        lambda x: sigmoid(0.5 * x) * (1 + 0.5 * x * sigmoid(-0.5 * x)),
        4,
        beyond=(0.0, -0.0, INF, NAN),
        at=1e-30,
        slope_at=1.0,
        slope_ulps=16,
        settings="alpha 0.5",
    ),
    "leaky_relu": plain(
        lambda x: np.where(x > 0, x, 0.25 * x),
        lambda x: np.where(x > 0, 1.0, 0.25),
        settings="alpha 0.25",
    ),
    "elu": Unary(
        lambda x: 1.25 * np.where(x > 0, x, 1.5 * np.expm1(np.minimum(x, 0) / 0.5)),
        lambda x: 1.25 * np.where(x > 0, 1.0, 3.0 * np.exp(np.minimum(x, 0) / 0.5)),
        4,
        slope_at=1.0,
        settings="alpha 1.5 scale 1.25 width 0.5",
    ),
    "rsqrt": Unary(
        lambda x: 1 / np.sqrt(x),
        lambda x: -0.5 * x**-1.5,
        1,
        signed=False,
        beyond=(0.0, -0.0, -1.0, INF, NAN),
        slope_powers=3,
    ),
    "reciprocal": Unary(
        lambda x: 1 / x,
        lambda x: -1 / x**2,
        0,
        beyond=(0.0, -0.0, INF, -INF, NAN),
        slope_ulps=2,
        slope_powers=2,
    ),
    "gelu": Unary(
        lambda x: x * normal_cdf(x),
        lambda x: normal_cdf(x) + x * normal_density(x),
        4,
        beyond=(0.0, -0.0, INF, NAN),
        at=0.5,
        slope_at=1.0,
        slope_ulps=4,
    ),
    "gelu tanh": Unary(
        lambda x: 0.5 * x * (1 + np.tanh(gelu_bend(x))),
        gelu_tanh_slope,
        4,
        beyond=(0.0, -0.0, INF, NAN),
        at=0.5,
        slope_at=1.0,
        slope_ulps=8,
    ),
}


def tolerance(kind, ulps):
    """16-bit results are rounded once from f32, whose error is 2^-13 of a unit at most."""
    if ulps == 0 or kind in ("f32", "f64"):
        return ulps
    return 0.5 + ulps / 2**13


def unary_functions(op):
    mnemonic, _, variant = op.partition(" ")
    entry = UNARY[op]

    def text(a):
        words = [f"%r = nn.{mnemonic} %a", variant, entry.settings, f": {a.type}"]
        return " ".join(word for word in words if word)

    for kind in FLOAT_KINDS:
        a = Tensor(
            kind,
            entry.finite(kind)
            + list(entry.beyond)
            + ([0.0, -0.0] if entry.signed and 0.0 not in entry.beyond else []),
        )
        body = text(a)
        ulps = tolerance(kind, entry.ulps)
        suffix = kind + ("_" + variant if variant else "")
        yield Function(
            suffix,
            [a],
            body,
            [Result(kind, entry.formula(a.values), ulps, entry.at)],
        )
        yield unary_gradient(entry, kind, suffix, text)


def unary_gradient(entry, kind, suffix, text):
    x = Tensor(kind, entry.finite(kind))
    seed = Tensor(kind, np.resize([1.0, -0.5, 0.75], x.values.shape))
    # What is zero by selection has no sign of a factor.
    slope = seed.values * entry.slope(x.values) + 0.0
    value = Result(
        kind, entry.formula(x.values), tolerance(kind, entry.ulps), entry.at
    )
    allowed = entry.slope_ulps
    if kind in ("f16", "bf16"):
        allowed = 0 if entry.slope_ulps == 0 else 0.51 + entry.slope_powers
    gradient = Result(kind, slope, allowed, entry.slope_at)
    return Function(f"{suffix}_vjp", [x], text(x), [value], [seed], {0: gradient})


# ===----------------------------------------------------------------------===#
# Binary ops
# ===----------------------------------------------------------------------===#


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


def pairs(values):
    a, b = np.meshgrid(values, values, indexing="ij")
    return a.ravel(), b.ravel()


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


def bits_of(kind):
    return int(kind.lstrip("ui"))


def least(kind):
    return 0 if kind in UNSIGNED_KINDS else -(2 ** (bits_of(kind) - 1))


def wrapped(value, kind):
    return (value - least(kind)) % 2 ** bits_of(kind) + least(kind)


def edges(kind):
    """Small numbers, and those around half and all of the bits."""
    half = 2 ** (bits_of(kind) - 1)
    values = [0, 1, -1, 3, -7, 100, half - 1, -half]
    return [wrapped(value, kind) for value in values]


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


# ===----------------------------------------------------------------------===#
# Casts
# ===----------------------------------------------------------------------===#


def cast_points(source, target):
    """Halves between neighbours of the target, its ends, and what lies beyond them."""
    points = [0.0, -0.0, 1.0, -2.5, 0.1, INF, -INF, NAN, largest(source), ulp(source, 0.0)]
    digits, least, _ = FLOATS[target]
    step = math.ldexp(1.0, 1 - digits)
    for base in (1.0, -3.0, math.ldexp(1.0, least), math.ldexp(1.0, least - 3)):
        unit = ulp(target, base)
        points += [base + unit / 2, base + 3 * unit / 2, base + unit * (0.5 + step / 4)]
    top = largest(target)
    return points + [top, top + ulp(target, top) / 2, top + ulp(target, top) * 0.49]


def cast_function(source, target, values, want):
    a = Tensor(source, values)
    result = Result(target, want(a.values))
    body = f"%r = nn.cast %a : {a.type} -> {result.type}"
    return Function(f"{source}_to_{target}", [a], body, [result])


def cast_functions():
    for source in FLOAT_KINDS:
        for target in FLOAT_KINDS:
            if source != target:
                yield cast_function(source, target, cast_points(source, target), lambda x: x)
        yield cast_function(source, "i1", [0.0, -0.0, 0.5, -1.0, INF, NAN], lambda x: x != 0)
        for target in INTEGER_KINDS:
            values = [0.0, -0.0, 0.99, -0.99, 1.5, 2.5, 100.0]
            values += [200.0, 255.0] if target in UNSIGNED_KINDS else [-1.5, -128.0]
            yield cast_function(source, target, values, np.trunc)
        if source in ("f32", "f64"):
            wide = [2.0**31, 2.0**32 - 256, 2.0**63, 2.0**64 - 2.0**40]
            yield from large_casts(source, wide)
    yield from integer_casts()
    x, seed = Tensor("f32", [1.0, 1e-9]), Tensor("f16", [0.25, 3.0])
    yield Function(
        "f32_to_f16_vjp",
        [x],
        f"%r = nn.cast %a : {x.type} -> {seed.type}",
        [Result("f16", x.values)],
        [seed],
        {0: Result("f32", seed.values)},
    )


def large_casts(source, values):
    """What is too large for the signed integers of the length."""
    for target in ("ui32", "ui64"):
        fits = [x for x in values if x < 2 ** bits_of(target)]
        function = cast_function(
            source, target, fits, lambda x: np.array([int(v) for v in x], dtype=object)
        )
        function.name += "_large"
        yield function


def integer_casts():
    for source in INTEGER_KINDS:
        top = 2 ** (bits_of(source) - 1)
        values = [0, 1, -1, 77, top - 1, -top, (top - 1) // 3 * 2 + 1]
        values = [wrapped(value, source) for value in values]
        for target in FLOAT_KINDS:
            # Wider integers are rounded to f32 on their way to 16 bits.
            ulps = tolerance(target, 1) if target in ("f16", "bf16") else 0
            a = Tensor(source, values)
            result = Result(target, a.values.astype(np.float64), ulps)
            yield Function(
                f"{source}_to_{target}",
                [a],
                f"%r = nn.cast %a : {a.type} -> {result.type}",
                [result],
            )
        for target in INTEGER_KINDS:
            if source != target:
                yield cast_function(
                    source, target, values, lambda x, t=target: [wrapped(int(v), t) for v in x]
                )
        yield cast_function(source, "i1", values, lambda x: x != 0)
    for target in (*FLOAT_KINDS, *INTEGER_KINDS):
        yield cast_function("i1", target, [True, False], lambda x: x.astype(np.int64))


def families():
    """The functions of each op's file."""
    files = {op: list(unary_functions(op)) for op in UNARY if " " not in op}
    files["gelu"] += unary_functions("gelu tanh")
    files |= {op: list(binary_functions(op)) for op in BINARY}
    files["compare"] = list(compare_functions())
    files["select"] = list(select_functions())
    files["cast"] = list(cast_functions())
    return files
