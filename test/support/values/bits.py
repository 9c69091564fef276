# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of ops on the bits of integers."""
import struct

import numpy as np

from .kinds import INTEGER_KINDS, bits_of, edges, pairs, wrapped
from .text import Function, Result, Tensor


def shifted_left(a, b, kind):
    return a << min(b % 2 ** bits_of(kind), bits_of(kind))


def shifted_right(a, b, kind):
    """Of Python's integers, which keep their sign."""
    return a >> min(b % 2 ** bits_of(kind), bits_of(kind))


BITWISE = {
    "bit_and": lambda a, b, _: a & b,
    "bit_or": lambda a, b, _: a | b,
    "bit_xor": lambda a, b, _: a ^ b,
    "shift_left": shifted_left,
    "shift_right": shifted_right,
}


def bitwise_functions(op):
    for kind in INTEGER_KINDS:
        values = edges(kind)
        if op.startswith("shift"):
            values += [bits_of(kind) - 1, bits_of(kind)]
        a, b = pairs(np.array(values, dtype=object))
        want = [wrapped(BITWISE[op](int(x), int(y), kind), kind) for x, y in zip(a, b)]
        left, right = Tensor(kind, a), Tensor(kind, b)
        body = f"%r = nn.{op} %a, %b : {left.type}"
        yield Function(kind, [left, right], body, [Result(kind, want)])


# Numbers that no other type of their length writes alike.
NUMBERS = [0.0, -0.0, 1.0, -2.5, 0.1, 65504.0, -1e-4]
CODES = {"f16": "e", "f32": "f", "f64": "d"}
SAME_LENGTH = (("f16", "i16", "ui16"), ("bf16", "i16", "ui16"), ("f32", "i32", "ui32"), ("f64", "i64", "ui64"))


def bits_of_float(kind, value):
    if kind == "bf16":
        return bits_of_float("f32", value) >> 16
    return int.from_bytes(struct.pack("<" + CODES[kind], value), "little")


def bitcast(source, target, values, want):
    a, result = Tensor(source, values), Result(target, want)
    body = f"%r = nn.bitcast %a : {a.type} -> {result.type}"
    return Function(f"{source}_to_{target}", [a], body, [result])


def bitcast_functions():
    for real, signed, unsigned in SAME_LENGTH:
        numbers = Tensor(real, NUMBERS).values
        bits = [bits_of_float(real, float(x)) for x in numbers]
        for kind in (signed, unsigned):
            integers = [wrapped(x, kind) for x in bits]
            yield bitcast(real, kind, numbers, integers)
            yield bitcast(kind, real, integers, numbers)
    for length in (8, 16, 32, 64):
        signed, unsigned = f"i{length}", f"ui{length}"
        yield bitcast(signed, unsigned, edges(signed), [wrapped(x, unsigned) for x in edges(signed)])
        yield bitcast(unsigned, signed, edges(unsigned), [wrapped(x, signed) for x in edges(unsigned)])
    yield bitcast("i1", "ui8", [True, False], [1, 0])
    yield bitcast("ui8", "i1", [0, 1, 2, 255], [False, True, True, True])


def families():
    """The functions of each op's file."""
    return {op: list(bitwise_functions(op)) for op in BITWISE} | {"bitcast": list(bitcast_functions())}
