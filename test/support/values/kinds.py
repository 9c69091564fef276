# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types by family, and the integers that each has."""
import numpy as np

FLOAT_KINDS = ("f32", "f64", "f16", "bf16")
SIGNED_KINDS = ("i8", "i16", "i32", "i64")
UNSIGNED_KINDS = ("ui8", "ui16", "ui32", "ui64")
INTEGER_KINDS = SIGNED_KINDS + UNSIGNED_KINDS


def pairs(values):
    a, b = np.meshgrid(values, values, indexing="ij")
    return a.ravel(), b.ravel()


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


def tolerance(kind, ulps):
    """16-bit results are rounded once from f32, whose error is 2^-13 of a unit at most."""
    if ulps == 0 or kind in ("f32", "f64"):
        return ulps
    return 0.5 + ulps / 2**13
