# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and gradients of contractions, reductions and windows.

Operands are small multiples of 1/8, whose sums are exact in f32: a result is that sum rounded
once, to the bit, in whatever order it was added up.
"""
import math

import numpy as np

from .kinds import FLOAT_KINDS, INTEGER_KINDS, edges, least, wrapped
from .movement import pad_axis
from .text import FLOATS, Function, Result, Tensor, largest


def eighths(kind, shape, seed):
    """Exact in all types; the generator is a linear congruence, so that no library decides."""
    count, state, values = math.prod(shape), 12345 + seed, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        values.append(((state >> 16) % 33 - 16) / 8)
    return Tensor(kind, np.array(values).reshape(shape))


def typed(op, operands, tail, result):
    """`%r = nn.op %a, %b bias %c : ... : types -> type`."""
    bias = f" bias %c : {operands[2].type}" if len(operands) > 2 else ""
    types = ", ".join(operand.type for operand in operands[:2])
    return f"%r = nn.{op} %a, %b{tail[0]}{bias}{tail[1]} : {types} -> {result.type}"


# ===----------------------------------------------------------------------===#
# Matrix products
# ===----------------------------------------------------------------------===#


def transposed(a, swap):
    return np.swapaxes(a, -1, -2) if swap else a


def matmul(name, kind, operands, flags=(False, False), gradient=False):
    a, b = (transposed(t.values, swap) for t, swap in zip(operands, flags))
    value = np.matmul(a, b) + (operands[2].values if len(operands) > 2 else 0)
    result = Result(kind, value)
    tail = "".join(
        text
        for text, given in ((" transpose_lhs", flags[0]), (" transpose_rhs", flags[1]))
        if given
    )
    body = typed("matmul", operands, (tail, ""), result)
    if not gradient:
        return Function(name, operands, body, [result])
    d = eighths(kind, value.shape, 9)
    wanted = {
        0: Result(kind, transposed(np.matmul(d.values, np.swapaxes(b, -1, -2)), flags[0])),
        1: Result(kind, transposed(np.matmul(np.swapaxes(a, -1, -2), d.values), flags[1])),
    }
    if len(operands) > 2:
        wanted[2] = Result(kind, d.values.reshape(-1, d.values.shape[-1]).sum(0))
    return Function(name, operands, body, [result], [d], wanted)


SWAPS = ((False, False), (True, False), (False, True), (True, True))
SHAPES = ((1, 1, 1), (1, 70, 1), (17, 1, 33), (8, 64, 16), (1, 3, 40), (19, 5, 1), (1, 0, 1))


def matmul_functions():
    for kind in FLOAT_KINDS:
        for swaps in SWAPS if kind in ("f32", "f16") else SWAPS[1:2]:
            shapes = [(2, 9, 3) if swaps[0] else (2, 3, 9), (2, 5, 9) if swaps[1] else (2, 9, 5)]
            operands = [eighths(kind, shape, i) for i, shape in enumerate(shapes)] + [
                eighths(kind, (5,), 3)
            ]
            name = f"batch_{kind}_{int(swaps[0])}{int(swaps[1])}"
            # The gradients of a function stand beside its results.
            yield matmul(name, kind, operands, swaps, gradient=kind in ("f32", "f16"))
        for shape in SHAPES if kind == "f32" else SHAPES[2:4]:
            m, k, n = shape
            yield matmul(
                f"shape_{m}_{k}_{n}_{kind}",
                kind,
                [eighths(kind, (m, k), 1), eighths(kind, (k, n), 2)],
            )
        yield matmul(f"edges_{kind}", kind, edge_operands(kind))


def edge_operands(kind):
    """Rows: not finite, a product that overflows, and small terms behind a large one, which a sum in
    16 bits would lose."""
    digits = FLOATS[kind][0] if kind in ("f16", "bf16") else 10
    big = 2.0**digits
    rows = [
        [math.inf, 1.0, 0.0, 0.0],
        [math.nan, 0.0, 0.0, 0.0],
        [largest(kind), largest(kind), 0.0, 0.0],
        [big, 1.0, 1.0, 1.0],
    ]
    columns = [[1.0, 0.0, -1.0], [1.0, 1.0, -1.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.5]]
    return [Tensor(kind, rows), Tensor(kind, columns)]


def linear(name, kind, operands, gradient=False):
    x, w = operands[0].values, operands[1].values
    value = x @ w.T + (operands[2].values if len(operands) > 2 else 0)
    result = Result(kind, value)
    body = typed("linear", operands, ("", ""), result)
    if not gradient:
        return Function(name, operands, body, [result])
    d = eighths(kind, value.shape, 7)
    rows, flat = d.values.reshape(-1, w.shape[0]), x.reshape(-1, w.shape[1])
    wanted = {0: Result(kind, d.values @ w), 1: Result(kind, rows.T @ flat)}
    if len(operands) > 2:
        wanted[2] = Result(kind, rows.sum(0))
    return Function(name, operands, body, [result], [d], wanted)


def linear_functions():
    for kind in FLOAT_KINDS:
        for name, shape, out, bias in (
            ("plain", (3, 4), 5, False),
            ("bias", (2, 3, 17), 6, True),
            ("vector", (4,), 5, True),
            ("unit", (1, 1), 1, True),
        ):
            operands = [eighths(kind, shape, 1), eighths(kind, (out, shape[-1]), 2)]
            operands += [eighths(kind, (out,), 3)] if bias else []
            if kind in ("f32", "f16") or name == "bias":
                yield linear(f"{name}_{kind}", kind, operands, gradient=True)
        a, b = edge_operands(kind)
        yield linear(f"edges_{kind}", kind, [a, Tensor(kind, b.values.T)])


# ===----------------------------------------------------------------------===#
# Convolutions
# ===----------------------------------------------------------------------===#


class Convolution:
    """output[n, o, y] = sum_{c, k} input[n, g(o) + c, y * strides + k * dilations - low] * weight[o, c, k]"""

    def __init__(
        self, name, input_shape, weight_shape, strides, low, high, dilations, groups=1, bias=False
    ):
        self.name, self.input_shape, self.weight_shape = name, input_shape, weight_shape
        self.strides, self.low, self.high, self.dilations = strides, low, high, dilations
        self.groups, self.bias = groups, bias
        self.output = tuple(
            (size + l + h - (k - 1) * d - 1) // s + 1
            for size, l, h, k, d, s in zip(
                input_shape[2:], low, high, weight_shape[2:], dilations, strides
            )
        )

    def text(self):
        return (
            f" strides {list(self.strides)} low {list(self.low)} high {list(self.high)} "
            f"dilations {list(self.dilations)} groups({self.groups})"
        )

    def terms(self):
        """Which channels and places of input and output each element of a kernel joins."""
        outputs, inputs = self.weight_shape[0] // self.groups, self.weight_shape[1]
        for y in np.ndindex(self.output):
            for k in np.ndindex(self.weight_shape[2:]):
                x = tuple(
                    yi * s + ki * d - l
                    for yi, s, ki, d, l in zip(y, self.strides, k, self.dilations, self.low)
                )
                if any(not 0 <= xi < size for xi, size in zip(x, self.input_shape[2:])):
                    continue
                for g in range(self.groups):
                    o = slice(g * outputs, (g + 1) * outputs)
                    c = slice(g * inputs, (g + 1) * inputs)
                    yield (slice(None), c, *x), (o, slice(None), *k), (slice(None), o, *y)

    def compute(self, x, w, bias):
        out = np.zeros((x.shape[0], w.shape[0], *self.output))
        for at_x, at_w, at_y in self.terms():
            out[at_y] += x[at_x] @ w[at_w].T
        return out + (bias.reshape(-1, *[1] * len(self.output)) if bias is not None else 0)

    def transpose(self, x, w, d):
        dx, dw = np.zeros(x.shape), np.zeros(w.shape)
        for at_x, at_w, at_y in self.terms():
            dx[at_x] += d[at_y] @ w[at_w]
            dw[at_w] += d[at_y].T @ x[at_x]
        return dx, dw

    def function(self, kind, gradient):
        operands = [eighths(kind, self.input_shape, 1), eighths(kind, self.weight_shape, 2)]
        operands += [eighths(kind, (self.weight_shape[0],), 3)] if self.bias else []
        x, w = operands[0].values, operands[1].values
        result = Result(kind, self.compute(x, w, operands[2].values if self.bias else None))
        body = typed("conv", operands, ("", self.text()), result)
        name = f"{self.name}_{kind}"
        if not gradient:
            return Function(name, operands, body, [result])
        d = eighths(kind, result.values.shape, 4)
        dx, dw = self.transpose(x, w, d.values)
        wanted = {0: Result(kind, dx), 1: Result(kind, dw)}
        if self.bias:
            wanted[2] = Result(kind, d.values.sum((0, *range(2, d.values.ndim))))
        return Function(name, operands, body, [result], [d], wanted)


CONVOLUTIONS = [
    Convolution("line", (2, 3, 7), (4, 3, 3), [1], [0], [0], [1]),
    Convolution("line_all", (2, 3, 8), (4, 3, 3), [2], [2], [1], [2], bias=True),
    Convolution("line_cropped", (1, 2, 9), (3, 2, 2), [1], [-1], [-2], [1]),
    Convolution("plane", (2, 3, 5, 6), (4, 3, 2, 3), [1, 1], [0, 0], [0, 0], [1, 1], bias=True),
    Convolution("plane_rest", (1, 2, 6, 7), (3, 2, 3, 2), [2, 3], [0, 0], [0, 0], [1, 1]),
    Convolution("plane_all", (2, 4, 7, 6), (6, 2, 3, 2), [2, 1], [1, 2], [2, 1], [1, 2], 2, True),
    Convolution("depthwise", (2, 3, 5, 5), (6, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1], 3),
    Convolution("point", (1, 5, 3, 3), (7, 5, 1, 1), [1, 1], [0, 0], [0, 0], [1, 1]),
    Convolution("whole", (2, 2, 3, 4), (3, 2, 3, 4), [1, 1], [0, 0], [0, 0], [1, 1], bias=True),
    Convolution(
        "space", (1, 2, 3, 4, 3), (2, 2, 2, 2, 2), [1, 2, 1], [0, 1, 0], [1, 0, 0], [1, 1, 2]
    ),
    # A channel each, of numbers that fill no vector, with more padding than half of a window.
    Convolution("channels", (2, 5, 7, 6), (5, 1, 3, 3), [2, 1], [2, 3], [3, 2], [1, 2], 5, True),
    Convolution("channels_five", (1, 9, 6, 3), (9, 1, 5, 5), [2, 2], [2, 2], [2, 2], [1, 1], 9),
    Convolution("channels_line", (3, 6, 11), (6, 1, 4), [1], [3], [0], [2], 6),
    Convolution(
        "channels_space", (1, 4, 3, 4, 3), (4, 1, 2, 3, 2), [1, 2, 1], [1, 1, 0], [1, 0, 1], [1, 1, 1], 4
    ),
]


def conv_kinds(index, convolution):
    """All kinds of the cropped one, those that are summed in f32 of the first with a channel each."""
    if convolution.name == "channels":
        return ("f32", "f16", "bf16")
    return FLOAT_KINDS if index == 2 else ("f32",)


class PaddedConvolution(Convolution):
    """A convolution of what nn.pad makes of the input; `pad` is its low, high, interior and value."""

    def __init__(self, name, input_shape, pad, weight_shape):
        self.given, self.pad = input_shape, pad
        axes = len(weight_shape) - 2
        padded = self.prepare(np.zeros(input_shape)).shape
        super().__init__(name, padded, weight_shape, [1] * axes, [0] * axes, [0] * axes, [1] * axes)

    def prepare(self, x):
        low, high, interior, value = self.pad
        for axis in range(x.ndim):
            x = pad_axis(x, axis, low[axis], high[axis], interior[axis], value)
        return x

    def function(self, kind, gradient):
        x, w = eighths(kind, self.given, 1), eighths(kind, self.weight_shape, 2)
        padded = Tensor(kind, self.prepare(x.values))
        result = Result(kind, self.compute(padded.values, w.values, None))
        low, high, interior, value = self.pad
        body = (
            f"%p = nn.pad %a low {low} high {high} interior {interior} value {value} : {x.type} -> {padded.type}\n"
            f"  %r = nn.conv %p, %b{self.text()} : {padded.type}, {w.type} -> {result.type}"
        )
        return Function(f"{self.name}_{kind}", [x, w], body, [result])


# With as many channels as convolutions have that read windows of a copy.
PADDED = [
    PaddedConvolution("padded", (2, 16, 5, 6), ([0, 0, 1, 1], [0, 0, 1, 2], [0] * 4, 0.0), (16, 16, 3, 3)),
    PaddedConvolution("padded_value", (2, 16, 5, 6), ([0, 0, 1, 1], [0, 0, 1, 1], [0] * 4, 0.5), (16, 16, 3, 3)),
    PaddedConvolution("padded_between", (2, 16, 3, 4), ([0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1], 0.0), (16, 16, 3, 3)),
    PaddedConvolution("padded_cropped", (2, 16, 6, 7), ([0, 0, -1, 1], [0, 0, 1, -2], [0] * 4, 0.0), (16, 16, 3, 3)),
    # Along axes on which no window slides.
    PaddedConvolution("padded_lines", (2, 16, 5, 6), ([0, 0, 1, 1], [0, 0, 1, 1], [0] * 4, 0.0), (16, 16, 1, 5)),
    PaddedConvolution("padded_images", (2, 16, 5, 6), ([1, 0, 1, 1], [1, 0, 1, 1], [0] * 4, 0.0), (16, 16, 3, 3)),
    PaddedConvolution("padded_channels", (2, 12, 5, 6), ([0, 2, 1, 1], [0, 2, 1, 1], [0] * 4, 0.0), (16, 16, 3, 3)),
]


def conv_functions():
    for convolution in PADDED:
        for kind in ("f32", "bf16"):
            yield convolution.function(kind, gradient=False)
    for index, convolution in enumerate(CONVOLUTIONS):
        for kind in conv_kinds(index, convolution):
            gradient = convolution.name.startswith("channels") or (kind == "f32" and index in (1, 5, 6, 9))
            yield convolution.function(kind, gradient=gradient)


# ===----------------------------------------------------------------------===#
# Reductions
# ===----------------------------------------------------------------------===#

AXES = [
    ("inner", (3, 5, 4), (2,)),
    ("outer", (3, 5, 4), (0,)),
    ("middle", (3, 5, 4), (1,)),
    ("two", (3, 5, 4), (0, 2)),
    ("all", (3, 5, 4), (0, 1, 2)),
    ("unit", (4, 1), (1,)),
    ("row", (1, 70), (1,)),
    ("column", (70, 3), (0,)),
]


def reduce(op, name, a, axes, value, gradient=None):
    result = Result(a.kind, value)
    body = f"%r = nn.{op} %a axes {list(axes)} : {a.type} -> {result.type}"
    if gradient is None:
        return Function(name, [a], body, [result])
    d = Tensor(a.kind, (np.arange(result.values.size).reshape(result.values.shape) - 1.5))
    return Function(
        name,
        [a],
        body,
        [result],
        [d],
        {0: Result(a.kind, gradient(np.expand_dims(d.values, axes)))},
    )


def reduction_edges(kind):
    big = 2.0 ** FLOATS[kind][0] if kind in ("f16", "bf16") else 1024.0
    top = largest(kind)
    return Tensor(
        kind,
        [
            [1.0, math.nan, 2.0, 3.0],
            [math.inf, 1.0, 1.0, 1.0],
            [-math.inf, -5.0, 0.0, 1.0],
            [math.inf, -math.inf, 0.0, 1.0],
            [top, top, 0.0, 0.0],
            (
                [top, top, -top, 0.0]
                if kind in ("f16", "bf16") and top < 1e30
                else [1.0, 2.0, 3.0, 4.0]
            ),
            [big, 1.0, 1.0, 1.0],
            [-1.0, -2.0, -3.0, -4.0],
            [-math.inf] * 4,
        ],
    )


def integer_reductions(op, join, neutral=None):
    """Wrapping around; `neutral`, or the least number, of none."""
    kinds = INTEGER_KINDS if neutral is not None else (*INTEGER_KINDS, "i1")
    for kind in kinds:
        lowest = 0 if kind == "i1" else least(kind)
        rows = [[0, 1, 1], [0, 0, 0]] if kind == "i1" else [edges(kind)[:5], edges(kind)[3:]]
        a = Tensor(kind, np.array(rows, dtype=object))
        want = [join(int(x) for x in row) for row in rows]
        yield reduce(op, kind, a, (1,), want if kind == "i1" else [wrapped(x, kind) for x in want])
        yield reduce(op, f"columns_{kind}", Tensor(kind, a.values.T), (0,), want if kind == "i1" else [wrapped(x, kind) for x in want])
        none = Tensor(kind, np.zeros((2, 0)))
        yield reduce(op, f"of_none_{kind}", none, (1,), [lowest if neutral is None else neutral] * 2)


def product_gradient(values, axes, d):
    """The product of the others, element by element."""
    result = np.empty_like(values)
    for place in np.ndindex(values.shape):
        others = values.copy()
        others[place] = 1.0
        result[place] = others.prod(axis=axes, keepdims=True)[
            tuple(0 if axis in axes else i for axis, i in enumerate(place))
        ]
    return d * result


def product_functions():
    for kind in FLOAT_KINDS:
        for name, shape, axes in AXES[:2]:
            signs = np.resize([1.0, -0.5, 2.0, 0.25, -1.0, 4.0, -2.0], math.prod(shape))
            # One zero in some products, two in others.
            signs[:: max(len(signs) // 3, 1)] = 0.0
            a = Tensor(kind, signs.reshape(shape))
            yield reduce(
                "reduce_prod",
                f"{name}_{kind}",
                a,
                axes,
                a.values.prod(axis=axes),
                lambda d, a=a, axes=axes: product_gradient(a.values, axes, d) + 0.0,
            )
        a = Tensor(kind, [[1.0, math.nan], [math.inf, 0.0], [-2.0, math.inf], [largest(kind), 2.0], [0.3, 0.7]])
        yield reduce("reduce_prod", f"edges_{kind}", a, (1,), a.values.prod(1))
        none = Tensor(kind, np.zeros((2, 0)))
        yield reduce("reduce_prod", f"of_none_{kind}", none, (1,), [1.0, 1.0])


def sum_functions():
    for kind in FLOAT_KINDS:
        for name, shape, axes in AXES if kind in ("f32", "f16") else AXES[:2]:
            a = eighths(kind, shape, 1)
            yield reduce(
                "reduce_sum",
                f"{name}_{kind}",
                a,
                axes,
                a.values.sum(axes),
                lambda d, a=a: np.broadcast_to(d, a.values.shape),
            )
        a = reduction_edges(kind)
        yield reduce("reduce_sum", f"edges_{kind}", a, (1,), a.values.sum(1))
        yield reduce(
            "reduce_sum", f"edge_columns_{kind}", Tensor(kind, a.values.T), (0,), a.values.sum(1)
        )


# Shape, axis and direction of sums up to each element: blocks, runs of blocks, neighbouring lines with a rest.
CUMSUMS = [
    ("row", (2, 40), 1, False),
    ("reverse", (2, 40), 1, True),
    ("long_row", (1, 300), 1, False),
    ("long_reverse", (1, 289), 1, True),
    ("columns", (2, 35, 20), 1, False),
    ("reverse_columns", (19, 3), 0, True),
    ("one", (3, 1), 1, False),
    ("none", (2, 0), 1, False),
]


def cumsum_of(values, axis, reverse):
    flipped = np.flip(values, axis) if reverse else values
    sums = np.cumsum(flipped, axis)
    return np.flip(sums, axis) if reverse else sums


def cumsum_function(name, a, axis, reverse, gradient=False):
    result = Result(a.kind, cumsum_of(a.values, axis, reverse))
    body = f"%r = nn.cumsum %a axis({axis}) {'reverse ' if reverse else ''}: {result.type}"
    if not gradient:
        return Function(name, [a], body, [result])
    d = Tensor(a.kind, (np.arange(a.values.size).reshape(a.values.shape) % 7) - 2.5)
    wanted = Result(a.kind, cumsum_of(d.values, axis, not reverse))
    return Function(name, [a], body, [result], [d], {0: wanted})


def cumsum_functions():
    for kind in FLOAT_KINDS:
        for name, shape, axis, reverse in CUMSUMS:
            a = eighths(kind, shape, 1)
            yield cumsum_function(f"{name}_{kind}", a, axis, reverse, gradient=kind == "f32" and a.values.size > 0)
    for kind in INTEGER_KINDS:
        rows = [[*edges(kind)[:5]], [*edges(kind)[3:8]]]
        rows = [row[: min(map(len, rows))] for row in rows]
        want = [[wrapped(sum(map(int, row[: i + 1])), kind) for i in range(len(row))] for row in rows]
        a = Tensor(kind, np.array(rows, dtype=object))
        yield Function(kind, [a], f"%r = nn.cumsum %a axis(1) : {a.type}", [Result(kind, np.array(want, dtype=object))])


def long_rows(kind):
    """Rows whose greatest element is in any of the places that vectors and accumulators have, or NaN."""
    values = -(np.arange(24 * 331).reshape(24, 331) % 7.0) - 1
    for row, place in enumerate(range(0, 331, 15)):
        values[row, place] = row / 8
    values[22, 200] = math.nan
    values[23, :] = -math.inf
    return Tensor(kind, values)


def max_functions():
    for kind in FLOAT_KINDS:
        for name, shape, axes in AXES if kind in ("f32", "f16") else AXES[:2]:
            a = eighths(kind, shape, 1)
            most = a.values.max(axes)
            holds = a.values == np.expand_dims(most, axes)
            share = holds / holds.sum(axes, keepdims=True)
            # Thirds are rounded once.
            yield reduce(
                "reduce_max", f"{name}_{kind}", a, axes, most, lambda d, share=share: d * share
            )
        a = reduction_edges(kind)
        yield reduce("reduce_max", f"edges_{kind}", a, (1,), a.values.max(1))
        rows = long_rows(kind)
        yield reduce("reduce_max", f"long_{kind}", rows, (1,), rows.values.max(1))
        yield reduce(
            "reduce_max", f"edge_columns_{kind}", Tensor(kind, a.values.T), (0,), a.values.max(1)
        )


# ===----------------------------------------------------------------------===#
# Windows
# ===----------------------------------------------------------------------===#


def most_of(window):
    """Of (value, place) the first maximum; NaN is largest, and of several the last."""
    best = window[0]
    for value, place in window[1:]:
        if value > best[0] or math.isnan(value):
            best = value, place
    return best


def pool(x, shape, strides, low, high, dilations):
    """Value and flat place of each window's maximum; padding is -inf and never named."""
    spatial = x.shape[2:]
    out = tuple(
        (size + l + h - (k - 1) * d - 1) // s + 1
        for size, l, h, k, d, s in zip(spatial, low, high, shape, dilations, strides)
    )
    value, place = np.zeros((*x.shape[:2], *out)), np.zeros((*x.shape[:2], *out), dtype=np.int64)
    for at in np.ndindex(value.shape):
        window = []
        for k in np.ndindex(*shape):
            p = tuple(
                y * s + ki * d - l for y, s, ki, d, l in zip(at[2:], strides, k, dilations, low)
            )
            if all(0 <= pi < size for pi, size in zip(p, spatial)):
                window.append((x[at[:2] + p], np.ravel_multi_index(p, spatial)))
        value[at], place[at] = most_of(window)
    return value, place


POOLS = [
    ("line", (2, 3, 7), ([2], [2], [0], [0], [1])),
    ("plane", (1, 2, 6, 7), ([3, 3], [2, 2], [1, 0], [2, 0], [1, 1])),
    ("dilation", (1, 2, 6, 7), ([3, 2], [1, 1], [2, 1], [2, 0], [2, 3])),
    ("unit", (1, 1, 4, 4), ([1, 1], [1, 1], [0, 0], [0, 0], [1, 1])),
]


def pool_functions():
    for kind in FLOAT_KINDS:
        for name, shape, window in POOLS:
            a = eighths(kind, shape, 1)
            yield pool_function(f"{name}_{kind}", a, window, gradient=kind == "f32")
            yield pool_function(f"{name}_{kind}_values", a, window, places=False)
        a = eighths(kind, (1, 1, 7), 2)
        a.values[0, 0, :] = [math.nan, -math.inf, -math.inf, 1.0, math.inf, math.nan, math.nan]
        yield pool_function(f"edges_{kind}", a, ([3], [1], [0], [0], [1]))
        yield pool_function(f"edges_{kind}_values", a, ([3], [1], [0], [0], [1]), places=False)


def pool_function(name, a, window, gradient=False, places=True):
    """`places`: whether the positions of maxima are a result too, and not unused."""
    value, place = pool(a.values, *window)
    results = [Result(a.kind, value), Result("i64", place)]
    names = ("window", "strides", "low", "high", "dilations")
    attributes = " ".join(f"{n} {list(v)}" for n, v in zip(names, window))
    names = "%r0, %r1" if places else "%r, %places"
    body = f"{names} = nn.max_pool %a {attributes} : {a.type} -> {results[0].type}, {results[1].type}"
    if not places:
        return Function(name, [a], body, results[:1])
    if not gradient:
        return Function(name, [a], body, results)
    d = Tensor(a.kind, np.arange(value.size).reshape(value.shape) - 2.5)
    wanted = np.zeros(a.values.shape)
    flat = wanted.reshape(*wanted.shape[:2], -1)
    for at in np.ndindex(value.shape):
        flat[at[0], at[1], place[at]] += d.values[at]
    return Function(name, [a], body, results, [d], {0: Result(a.kind, wanted)})


def families():
    return {
        "matmul": list(matmul_functions()),
        "linear": list(linear_functions()),
        "conv": list(conv_functions()),
        "reduce_sum": [*sum_functions(), *integer_reductions("reduce_sum", sum, 0)],
        "cumsum": list(cumsum_functions()),
        "reduce_max": [*max_functions(), *integer_reductions("reduce_max", max)],
        "reduce_prod": [*product_functions(), *integer_reductions("reduce_prod", math.prod, 1)],
        "max_pool": list(pool_functions()),
    }
