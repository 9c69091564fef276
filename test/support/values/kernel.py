# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the kernel ops that move data between kernels."""
import numpy as np

from .kinds import bits_of, wrapped
from .movement import ALL_KINDS, numbered
from .text import Function, Result, Tensor


def view_functions():
    for kind in ALL_KINDS:
        for offset, shape in ((0, (4, 6)), (7, (2, 3)), (23, ()), (24, (0,))):
            a = numbered(kind, (3, 8))
            count = int(np.prod(shape))
            part = a.values.ravel()[offset : offset + count].reshape(shape)
            result = Result(kind, part)
            body = f"%r = kernel.view %a[{offset}] : {a.type} -> {result.type}"
            yield Function(f"{kind}_at_{offset}", [a], body, [result])


def packed(parts, offsets, size):
    flat = np.zeros(size)
    for part, offset in zip(parts, offsets):
        flat[offset : offset + part.values.size] = part.values.ravel()
    return flat


def pack_functions():
    for kind in ("f32", "f16", "bf16", "f64"):
        parts = [numbered(kind, (2, 5)), numbered(kind, (7,)), numbered(kind, ())]
        for label, offsets, size in (("dense", (0, 10, 17), 18), ("gaps", (3, 16, 29), 40)):
            result = Result(kind, packed(parts, offsets, size))
            types = ", ".join(part.type for part in parts)
            body = f"%r = kernel.pack %a, %b, %c at {list(offsets)} : {types} -> {result.type}"
            yield Function(f"{kind}_{label}", parts, body, [result])


JOINS = {"": np.add, "product": np.multiply, "maximum": np.maximum, "minimum": np.minimum}


def scattered(updates, indices, start, join):
    """Slice after slice; -1 is the last place, and places beyond the ends are the ends."""
    result = start.copy()
    outer, count, _ = updates.shape
    size = start.shape[1]
    for i in range(outer):
        for j in range(count):
            place = indices[j] if indices.ndim == 1 else indices[i, j]
            place = min(max(place + size if place < 0 else place, 0), size - 1)
            result[i, place] = join(result[i, place], updates[i, j])
    return result


def scatter_functions():
    shared = Tensor("i64", [2, 0, 2, -1, 9, -9])
    own = Tensor("i64", [[0, 1, 2, 3, 0, 0], [3, -4, 17, 2, 2, 1]])
    for kind in ("f32", "f64"):
        for label, indices in (("shared", shared), ("own", own)):
            updates = Tensor(kind, (np.arange(36) - 17.5).reshape(2, 6, 3) / 4)
            start = Tensor(kind, np.arange(24).reshape(2, 4, 3))
            for how, join in JOINS.items():
                result = Result(kind, scattered(updates.values, indices.values, start.values, join))
                body = (
                    f"%r = kernel.scatter ins(%a, %b : {updates.type}, {indices.type})"
                    f" outs(%c : {start.type})" + (f" by {how}" if how else "")
                )
                name = f"{label}_{how}_{kind}" if how else f"{label}_{kind}"
                yield Function(name, [updates, indices, start], body, [result])


def rank_functions():
    """Signed keys, of which some are equal; a row of one, and digits that differ at either end."""
    for kind in ("i8", "i16", "i32", "i64"):
        low, high = -(2 ** (bits_of(kind) - 1)), 2 ** (bits_of(kind) - 1) - 1
        many = [[3, -1, high, -1, 0, low, 3, 1], [low, low + 1, 2, 0, high, -3, high, low]]
        for name, rows in (("one", [[7], [-7]]), ("rows", many)):
            a = Tensor(kind, rows)
            order = [sorted(range(len(row)), key=lambda i: row[i]) for row in rows]
            result = Result("i64", np.argsort(order, axis=1))
            body = f"%e = tensor.empty() : {result.type}\n  %r = kernel.rank ins(%a : {a.type}) outs(%e : {result.type})"
            yield Function(f"{name}_{kind}", [a], body, [result])


def cumsum_functions():
    """Neighbouring elements and neighbouring lines, in both directions; integers wrap around."""
    for kind in ("f32", "bf16", "f64", "i8", "i32"):
        for name, shape, reverse in (("lines", (2, 35, 1), False), ("columns", (1, 18, 3), False), ("reverse", (1, 20, 1), True)):
            numbers = np.arange(np.prod(shape)).reshape(shape) % 5
            a = Tensor(kind, numbers * 0.5 if kind[0] != "i" else numbers * 30)
            flipped = np.flip(a.values, 1) if reverse else a.values
            sums = np.cumsum(flipped, 1)
            sums = np.flip(sums, 1) if reverse else sums
            if kind[0] == "i":
                sums = np.vectorize(lambda x, kind=kind: wrapped(int(x), kind), otypes=[object])(sums)
            how = " reverse" if reverse else ""
            body = f"%e = tensor.empty() : {a.type}\n  %r = kernel.cumsum ins(%a : {a.type}) outs(%e : {a.type}){how}"
            yield Function(f"{name}_{kind}", [a], body, [Result(kind, sums)])


def families():
    return {
        "kernel.view": view_functions(),
        "kernel.pack": pack_functions(),
        "kernel.rank": rank_functions(),
        "kernel.cumsum": cumsum_functions(),
        "kernel.scatter": scatter_functions(),
    }
