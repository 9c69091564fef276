# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of casts from and to every type."""
import math

import numpy as np

from .kinds import FLOAT_KINDS, INTEGER_KINDS, UNSIGNED_KINDS, bits_of, tolerance, wrapped
from .text import FLOATS, Function, Result, Tensor, largest, ulp

INF, NAN = math.inf, math.nan


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
    yield from chained_casts()
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


def chained_casts():
    """Integers through f64, which holds them, are rounded once: a little more than halfway is up. One cast, which goes by
    way of f32, would lose the little more."""
    for source, top in (("i32", 30), ("i64", 40), ("ui32", 31)):
        base, half = 2**top, 2 ** (top - FLOATS["bf16"][0])
        a = Tensor(source, [base + half + 1, base + 3 * half - 1, base + half])
        middle, result = "tensor<3xf64>", Result("bf16", a.values.astype(np.float64))
        body = f"%m = nn.cast %a : {a.type} -> {middle}\n  %r = nn.cast %m : {middle} -> {result.type}"
        yield Function(f"{source}_by_f64_to_bf16", [a], body, [result])


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
    return {"cast": list(cast_functions())}
