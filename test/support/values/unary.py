# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and gradients of elementwise ops of one operand."""
import math

import numpy as np

from .kinds import FLOAT_KINDS, tolerance
from .text import FLOATS, Function, Result, Tensor, largest, ulp

INF, NAN = math.inf, math.nan

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

# What 1 + x loses.
LITTLE = [x * s for x in (0.0, 2.0**-14, 1e-3) for s in (1, -1)]

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
    "log1p": Unary(
        np.log1p,
        lambda x: 1 / (1 + x),
        4,
        beyond=(-1.0, -2.0, INF, -INF, NAN),
        points=(*LITTLE, 0.5, -0.5, 1.0, 2.75, 100.0, 1e4),
    ),
    "expm1": Unary(
        np.expm1, np.exp, 8, points=(*LITTLE, *(x * s for x in (0.5, 1.0, 2.75, 10.5) for s in (1, -1)))
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


def families():
    """The functions of each op's file."""
    files = {op: list(unary_functions(op)) for op in UNARY if " " not in op}
    files["gelu"] += unary_functions("gelu tanh")
    return files
