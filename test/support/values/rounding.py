# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the amp ops that round weights: keys, copies of 16 bits, plain descent."""
import math

import numpy as np

from reference import hash32

from .statement import Statement, scalar, simple, types_of, vector
from .text import Result, largest, rounded, ulp

NARROW_KINDS = ("f16", "bf16")


def signed(word):
    return word - 2**32 if word >= 2**31 else word


def rounding_key(seed, step, salt):
    key = salt
    for word in (seed % 2**32, seed // 2**32, step % 2**32, step // 2**32):
        key = hash32((hash32(key) + word) % 2**32)
    return key


def rounding_key_functions():
    for seed, step, salt in ((0, 0, 0), (1, 2, 3), (2**40 + 5, 2**33 + 1, 17), (2**53 - 1, 1000, 1)):
        statement = Statement("rounding_key").argument(scalar("f64", seed))
        statement.argument(scalar("f64", step), "step({})").words(f"salt {salt}")
        result = Result("i32", np.array(signed(rounding_key(seed, step, salt))))
        yield statement.function(f"seed_{seed}_step_{step}", [result], "")


def stochastic_bf16(values, key):
    """Of finite numbers: the random half word is added to the bits that go."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    places = np.arange(bits.size, dtype=object)
    random = [hash32((key + int(i) * 0x9E3779B9) % 2**32) >> 16 for i in places]
    kept = (bits + np.array(random, dtype=np.uint64)) & 0xFFFF0000
    return kept.astype(np.uint32).view(np.float32).astype(np.float64)


def saturated(kind, values):
    """To nearest even; what is finite stays finite."""
    top = largest(kind)
    near = [rounded(kind, float(value)) for value in values]
    return np.array([math.copysign(top, v) if math.isfinite(v) and math.isinf(n) else n for v, n in zip(values, near)])


def saturate_functions():
    for kind in NARROW_KINDS:
        top = largest(kind)
        half = top + ulp(kind, top) / 2
        values = [1.0, -0.0, 1 / 3, top, -top, half, -half, 1e38, -3.4e38, 2.5 * ulp(kind, 0.0)]
        a = vector("f32", values + [math.inf, -math.inf, math.nan])
        result = Result(kind, saturated(kind, a.values))
        yield simple("saturate_cast", f"to_{kind}", [a], [result], f": {a.type} -> {result.type}")


def descend(label, stored, skip=None, low=None, saturate=False):
    """Exact in f32, so that every rounding can be told."""
    direction = vector("f32", [1.0, -2.0, 0.5, 4.0, 1.0, -1.0])
    w, lr = vector(stored, [1.0, 2.5, -0.375, 65504.0, -3.0, 65504.0 if stored == "f32" else 64.0]), 0.015625
    key = 0x1234567
    moved = w.values - lr * direction.values
    if low == "f16":
        moved[3], w.values[3], direction.values[3] = 70000.0, 69984.0, -1024.0
    if stored == "bf16":
        moved = stochastic_bf16(moved, key)
    new = w.values if skip else moved
    results = [Result(stored, new)]
    statement = Statement("descend").argument(w).words("by").argument(direction)
    statement.argument(scalar("f32", lr), "lr({})")
    if skip is not None:
        statement.argument(scalar("i1", skip), "skip({})")
    if stored == "bf16":
        statement.argument(scalar("i32", key), "key({})")
    if low:
        statement.argument(vector(low, [0.0] * 6), "low({})")
        copy = saturated(low, new) if saturate else [rounded(low, float(v)) for v in new]
        results.append(Result(low, np.array(copy)))
    # What is updated stands first in the text, and is declared behind the scalars.
    scalars = [tensor for tensor in statement.inputs if not tensor.values.shape]
    copies = statement.inputs[2 + len(scalars) :]
    operands = types_of([direction, *scalars, w, *copies])
    words = ["saturate"] if saturate else []
    return statement.words(*words).function(label, results, f": ({operands}) -> ({types_of(results)})")


def descend_functions():
    yield descend("plain", "f32")
    yield descend("applied", "f32", skip=False)
    yield descend("skipped", "f32", skip=True, low="bf16")
    yield descend("f16", "f32", low="f16")
    yield descend("saturated", "f32", low="f16", saturate=True)
    yield descend("stochastic", "bf16")
    yield descend("stochastic_skipped", "bf16", skip=True)


def families():
    return {
        "amp.rounding_key": rounding_key_functions(),
        "amp.saturate_cast": saturate_functions(),
        "amp.descend": descend_functions(),
    }
