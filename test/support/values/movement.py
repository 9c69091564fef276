# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and gradients of ops that move elements, index them or make them up."""
import math

import numpy as np

from .kinds import FLOAT_KINDS, INTEGER_KINDS, UNSIGNED_KINDS, bits_of, edges, wrapped
from .text import FLOATS, Function, Result, Tensor, dense_text

ALL_KINDS = (*FLOAT_KINDS, *INTEGER_KINDS, "i1")


def numbered(kind, shape, edges=True):
    """Distinct elements; of floats a NaN, an infinity and -0 among them, which stay as they are."""
    count = math.prod(shape)
    values = np.arange(1, count + 1) % 2 if kind == "i1" else np.arange(1, count + 1) % 120
    if kind in FLOATS:
        values = values * 0.5
        if edges and count > 4:
            values[1:4] = [math.nan, -math.inf, -0.0]
    return Tensor(kind, values.reshape(shape))


class Move:
    """A movement: its text after the operand, what it does to an array, and the transpose of that."""

    def __init__(self, name, shape, attributes, move, transpose):
        self.name, self.shape, self.attributes = name, shape, attributes
        self.move, self.transpose = move, transpose

    def body(self, op, operand, result):
        return f"%r = nn.{op} %a {self.attributes} : {operand.type} -> {result.type}".replace(
            "  ", " "
        )

    def function(self, op, kind):
        a = numbered(kind, self.shape)
        result = Result(kind, self.move(a.values))
        return Function(f"{self.name}_{kind}", [a], self.body(op, a, result), [result])

    def gradient(self, op):
        a = numbered("f32", self.shape, edges=False)
        result = Result("f32", self.move(a.values))
        seed = Tensor("f32", np.arange(result.values.size).reshape(result.values.shape) - 2.5)
        wanted = Result("f32", self.transpose(seed.values))
        return Function(
            f"{self.name}_vjp", [a], self.body(op, a, result), [result], [seed], {0: wanted}
        )


def sum_to(axes, shape):
    """The sum over what a broadcast repeated."""

    def transpose(d):
        new = tuple(i for i in range(d.ndim) if i not in axes)
        kept = d.sum(axis=new)
        units = tuple(i for i, size in enumerate(shape) if size == 1 and kept.shape[i] != 1)
        return kept.sum(axis=units, keepdims=True) if units else kept

    return transpose


def broadcast(name, shape, axes, to):
    def move(a):
        expanded = [1] * len(to)
        for axis, size in zip(axes, shape):
            expanded[axis] = size
        return np.broadcast_to(a.reshape(expanded), to)

    return Move(name, shape, f"axes {list(axes)}", move, sum_to(axes, shape))


def sliced(name, shape, starts, limits, strides):
    box = tuple(slice(s, l, b) for s, l, b in zip(starts, limits, strides))

    def transpose(d):
        whole = np.zeros(shape)
        whole[box] = d
        return whole

    text = f"{list(starts)} to {list(limits)} by {list(strides)}"
    return Move(name, shape, text, lambda a: a[box], transpose)


def pad_axis(a, axis, low, high, interior, value):
    """Each step is written out for one axis: spread, then surround or crop."""
    a = np.moveaxis(a, axis, 0)
    size = len(a)
    spread = np.full((max(size + (size - 1) * interior, 0), *a.shape[1:]), value, dtype=a.dtype)
    spread[:: interior + 1] = a
    rows = [
        spread[i] if 0 <= i < len(spread) else np.full(a.shape[1:], value, dtype=a.dtype)
        for i in range(-low, len(spread) + high)
    ]
    return np.moveaxis(np.array(rows, dtype=a.dtype).reshape(len(rows), *a.shape[1:]), 0, axis)


def padded(name, shape, low, high, interior, value=0.5):
    def pad(a, value):
        for axis in range(len(shape)):
            a = pad_axis(a, axis, low[axis], high[axis], interior[axis], value)
        return a

    def transpose(d):
        # Where each element went, by its number; -1 is padding.
        places = pad(np.arange(math.prod(shape)).reshape(shape), -1)
        result = np.zeros(math.prod(shape))
        np.add.at(result, places[places >= 0], d[places >= 0])
        return result.reshape(shape)

    text = f"low {list(low)} high {list(high)} interior {list(interior)} value {value}"

    def move(a):
        # Of integers, i1 among them, what is left of the point.
        return pad(a, a.dtype.type(value if a.dtype == np.float64 else int(value)))

    return Move(name, shape, text, move, transpose)


class OfOneShape(Move):
    def body(self, op, operand, result):
        return f"%r = nn.{op} %a {self.attributes} : {operand.type}".replace("  ", " ")


def reverse(name, shape, axes):
    return OfOneShape(
        name, shape, f"axes {list(axes)}", lambda a: np.flip(a, axes), lambda d: np.flip(d, axes)
    )


def transpose(name, shape, permutation):
    return Move(
        name,
        shape,
        str(list(permutation)),
        lambda a: np.transpose(a, permutation),
        lambda d: np.transpose(d, np.argsort(permutation)),
    )


def reshape(name, shape, to):
    return Move(name, shape, "", lambda a: a.reshape(to), lambda d: d.reshape(shape))


MOVES = {
    "reshape": [
        reshape("split_and_join", (3, 4, 5), (6, 10)),
        reshape("units", (1, 5, 1), (5,)),
        reshape("scalar", (1, 1), ()),
    ],
    "transpose": [
        transpose("rotation", (3, 4, 5), (2, 0, 1)),
        transpose("matrix", (3, 17), (1, 0)),
        transpose("units", (1, 6, 1), (2, 0, 1)),
        transpose("four", (2, 3, 2, 4), (0, 2, 1, 3)),
    ],
    "broadcast": [
        broadcast("new_axes", (5,), (1,), (3, 5, 2)),
        broadcast("unit_axes", (3, 1, 5), (0, 1, 2), (3, 4, 5)),
        broadcast("unit_and_new", (1, 5), (0, 2), (4, 2, 5)),
        broadcast("scalar", (), (), (3, 2)),
    ],
    "slice": [
        sliced("box", (5, 7), (1, 2), (4, 6), (1, 1)),
        sliced("strides", (7, 9), (1, 0), (7, 8), (2, 3)),
        sliced("last", (6, 2), (5, 1), (6, 2), (1, 1)),
        sliced("nothing", (4, 6, 3), (0, 6, 0), (4, 6, 3), (1, 1, 1)),
        sliced("ragged", (8,), (1,), (8,), (3,)),
    ],
    "pad": [
        padded("around", (3, 5), (1, 0), (2, 2), (0, 0)),
        padded("cropped", (5, 7), (-1, 2), (0, -4), (0, 0), 1.0),
        padded("spread", (3, 4), (1, 0), (1, 0), (1, 2), 0.0),
        padded("spread_and_cropped", (4, 5), (-2, 1), (1, -4), (1, 1)),
        padded("all_axes", (1, 2, 1), (0, 1, 3), (2, 0, 0), (0, 3, 0), 1.0),
    ],
    "reverse": [
        reverse("outer_and_inner", (3, 4, 5), (2, 0)),
        reverse("unit", (1, 9), (0,)),
        reverse("inner", (2, 17), (1,)),
    ],
    "stop_gradient": [OfOneShape("matrix", (3, 5), "", lambda a: a, np.zeros_like)],
}


def movement_functions(op):
    for index, move in enumerate(MOVES[op]):
        for kind in ALL_KINDS if index == 0 else ("f32", "f16"):
            yield move.function(op, kind)
        yield move.gradient(op)


def concat_functions():
    for axis, shapes in (
        (1, [(2, 3), (2, 1), (2, 4)]),
        (0, [(1, 5), (3, 5)]),
        (2, [(2, 1, 8), (2, 1, 8)]),
    ):
        for kind in ALL_KINDS if axis == 1 else ("f32",):
            parts = [numbered(kind, shape) for shape in shapes]
            yield concat(f"axis_{axis}_{kind}", axis, parts)
    parts = [numbered("f32", shape, edges=False) for shape in ((2, 3), (2, 1))]
    seed = Tensor("f32", np.arange(8).reshape(2, 4))
    yield concat(
        "vjp",
        1,
        parts,
        [seed],
        {0: Result("f32", seed.values[:, :3]), 1: Result("f32", seed.values[:, 3:])},
    )


def concat(name, axis, parts, *gradient):
    result = Result(parts[0].kind, np.concatenate([part.values for part in parts], axis))
    names = ", ".join(f"%{chr(ord('a') + i)}" for i in range(len(parts)))
    body = (
        f"%r = nn.concat {names} axis({axis}) : {', '.join(p.type for p in parts)} -> {result.type}"
    )
    return Function(name, parts, body, [result], *gradient)


def split(name, axis, a, sizes, *gradient):
    parts = [Result(a.kind, part) for part in np.split(a.values, np.cumsum(sizes)[:-1], axis)]
    names = ", ".join(f"%r{i}" for i in range(len(parts)))
    body = f"{names} = nn.split %a axis({axis}) : {a.type} -> {', '.join(p.type for p in parts)}"
    return Function(name, [a], body, parts, *gradient)


def split_functions():
    for kind in ALL_KINDS:
        yield split(f"uneven_{kind}", 0, numbered(kind, (5, 3)), (2, 1, 2))
    yield split("inner_f32", 2, numbered("f32", (2, 1, 9)), (1, 8))
    seeds = [Tensor("f32", [[1.0], [2.0]]), Tensor("f32", [[3.0, -4.0], [5.0, 6.0]])]
    joined = Result("f32", np.concatenate([seed.values for seed in seeds], 1))
    yield split("vjp", 1, numbered("f32", (2, 3), edges=False), (1, 2), seeds, {0: joined})


# ===----------------------------------------------------------------------===#
# Indexing
# ===----------------------------------------------------------------------===#

# Repeated, from the end, and out of range on both sides.
INDICES = np.array([[1, -1, 1], [9, -9, 0]])


def resolved(indices, size):
    """Negative ones count from the end; what is out of range is the nearest that is not."""
    return np.clip(np.where(indices < 0, indices + size, indices), 0, size - 1)


def gathered(a, indices, axis, batch):
    """output[p, i, q] = input[p, indices[p.., i], q], written out."""
    rows = resolved(indices, a.shape[axis])
    if batch == 0:
        return np.take(a, rows, axis=axis)
    return np.stack([gathered(a[p], indices[p], axis - 1, batch - 1) for p in range(a.shape[0])])


def scattered(updates, indices, axis, batch, shape):
    """The transpose: by which elements gather reads, each number's place found by moving numbers."""
    places = gathered(np.arange(math.prod(shape)).reshape(shape), indices, axis, batch)
    result = np.zeros(math.prod(shape))
    np.add.at(result, places.ravel(), updates.ravel())
    return result.reshape(shape)


GATHERS = [
    ("rows", (4, 3), 0, 0),
    ("behind", (2, 5, 3), 1, 0),
    ("batch", (2, 5, 3), 1, 1),
    ("one_row", (1, 7), 0, 0),
]


def index_text(op, operand, ids, axis, batch, result):
    tail = f"axis({axis})" + (f" batch({batch})" if batch else "")
    return f"%r = nn.{op} %a, %b {tail} : {operand.type}, {ids.type} -> {result.type}"


def indices_of(kind, values):
    """A tensor of them, and what they count as: without a sign -1 is beyond every axis."""
    if kind not in UNSIGNED_KINDS:
        return Tensor(kind, values), values
    seen = np.vectorize(lambda x: wrapped(int(x), kind), otypes=[object])(np.asarray(values, dtype=object))
    return Tensor(kind, seen), np.minimum(seen, 10**6).astype(np.int64)


def long_gather(kind="ui8"):
    """Places that the index type holds without its sign alone."""
    a = Tensor("f32", np.arange(2 ** bits_of(kind) - 3) * 0.5)
    ids, places = indices_of(kind, [0, 2 ** (bits_of(kind) - 1), 2 ** bits_of(kind) - 5, -1])
    result = Result("f32", gathered(a.values, places, 0, 0))
    return Function(f"long_{kind}", [a, ids], index_text("gather", a, ids, 0, 0, result), [result])


def gather_functions():
    for name, shape, axis, batch in GATHERS:
        for kind in ALL_KINDS if name == "rows" else ("f32",):
            for index_kind in INTEGER_KINDS if kind == "f32" and name == "rows" else ("i64",):
                a, (ids, places) = numbered(kind, shape), indices_of(index_kind, INDICES)
                result = Result(kind, gathered(a.values, places, axis, batch))
                yield Function(
                    f"{name}_{kind}_by_{index_kind}",
                    [a, ids],
                    index_text("gather", a, ids, axis, batch, result),
                    [result],
                )
        a, ids = numbered("f32", shape, edges=False), Tensor("i64", INDICES)
        result = Result("f32", gathered(a.values, INDICES, axis, batch))
        seed = Tensor("f32", np.arange(result.values.size).reshape(result.values.shape) - 3)
        wanted = Result("f32", scattered(seed.values, INDICES, axis, batch, shape))
        yield Function(
            f"{name}_vjp",
            [a, ids],
            index_text("gather", a, ids, axis, batch, result),
            [result],
            [seed],
            {0: wanted},
        )
    yield frozen_gather()
    yield frozen_gather_of_batches()


def frozen_gather():
    """The slice of the frozen index takes no gradient."""
    a, ids = numbered("f32", (4, 3), edges=False), Tensor("i64", [[1, 2, 1], [0, 3, 1]])
    result = Result("f32", a.values[ids.values])
    seed = Tensor("f32", np.arange(18.0).reshape(2, 3, 3) - 3)
    wanted = scattered(seed.values, ids.values, 0, 0, (4, 3))
    wanted[1] = 0.0
    body = f"%r = nn.gather %a, %b axis(0) frozen(1) : {a.type}, {ids.type} -> {result.type}"
    return Function("frozen_vjp", [a, ids], body, [result], [seed], {0: Result("f32", wanted)})


def frozen_gather_of_batches():
    """The same behind a batch, whose sizes fit other axes of the result as well."""
    shape, places = (3, 4, 3), np.array([[1, 2, 1], [0, 1, 3], [3, 0, 2]])
    a, ids = numbered("f32", shape, edges=False), Tensor("i64", places)
    result = Result("f32", gathered(a.values, places, 1, 1))
    seed = Tensor("f32", np.arange(27.0).reshape(result.values.shape) - 3)
    wanted = scattered(seed.values, places, 1, 1, shape)
    wanted[:, 1] = 0.0
    body = f"%r = nn.gather %a, %b axis(1) batch(1) frozen(1) : {a.type}, {ids.type} -> {result.type}"
    return Function("frozen_batch_vjp", [a, ids], body, [result], [seed], {0: Result("f32", wanted)})


def scatter_functions():
    for name, shape, axis, batch in GATHERS:
        for kind in FLOAT_KINDS if name == "rows" else ("f32",):
            for index_kind in INTEGER_KINDS if kind == "f32" and name == "rows" else ("i64",):
                yield scatter(
                    f"{name}_{kind}_by_{index_kind}", kind, index_kind, (shape, axis, batch)
                )
        yield scatter(f"{name}_vjp", "f32", "i64", (shape, axis, batch), gradient=True)
    for kind in INTEGER_KINDS:
        yield scattered_integers(kind)


def edge_rows(kind, count):
    """Rows of three: small numbers, and those around half and all of the bits."""
    return np.resize(np.array(edges(kind), dtype=object), (count, 3))


def scattered_integers(kind):
    """Sums in Python's integers, wrapped around."""
    ids, updates = Tensor("i64", PLACES), edge_rows(kind, len(PLACES))
    sums = np.zeros((4, 3), dtype=object)
    for place, update in zip(resolved(PLACES, 4), updates):
        sums[place] += update
    a, result = Tensor(kind, updates), Result(kind, wrapped(sums, kind))
    return Function(kind, [a, ids], index_text("scatter_add", a, ids, 0, 0, result), [result])


def scatter(name, kind, index_kind, place, gradient=False):
    shape, axis, batch = place
    ids, places = indices_of(index_kind, INDICES)
    count = gathered(np.zeros(shape), places, axis, batch)
    # Sums of eighths are exact in f32, so that 16 bits round them once.
    updates = Tensor(kind, (np.arange(count.size).reshape(count.shape) * 5 - 13) / 8)
    result = Result(kind, scattered(updates.values, places, axis, batch, shape))
    body = index_text("scatter_add", updates, ids, axis, batch, result)
    if not gradient:
        return Function(name, [updates, ids], body, [result])
    seed = Tensor(kind, np.arange(result.values.size).reshape(shape) + 0.5)
    wanted = Result(kind, gathered(seed.values, INDICES, axis, batch))
    return Function(name, [updates, ids], body, [result], [seed], {0: wanted})


PLACES = np.array([1, -1, 1, 9, -9, 0])
JOINS = {"mul": np.multiply, "max": np.maximum, "min": np.minimum}


def joined(kind, a, updates):
    result = a.copy()
    for place, update in zip(resolved(PLACES, len(a)), updates):
        result[place] = JOINS[kind](result[place], update)
    return result


def shares(kind, a, updates, seed):
    """Each element's part of the cotangent: one by one, what the others leave of it."""
    result, places = joined(kind, a, updates), resolved(PLACES, len(a))
    da, du = np.zeros(a.shape), np.zeros(updates.shape)
    for row, column in np.ndindex(*a.shape):
        elements = [(da, (row, column), a[row, column])]
        elements += [(du, (i, column), updates[i, column]) for i in np.flatnonzero(places == row)]
        values = np.array([value for _, _, value in elements])
        for number, (gradient, place, value) in enumerate(elements):
            part = np.delete(values, number).prod()
            if kind != "mul":
                part = (value == result[row, column]) / (values == result[row, column]).sum()
            # Of zeros none is negative.
            gradient[place] = seed[row, column] * part + 0.0
    return da, du


def scatter_reduce_functions():
    for kind in JOINS:
        for element in FLOAT_KINDS:
            # Products of a few halves are exact in f32. Zeros, ones among several and one alone.
            a = Tensor(element, (np.arange(12).reshape(4, 3) % 5 - 1) / 2)
            u = Tensor(element, (np.arange(18).reshape(6, 3) % 7 - 2) / 2)
            ids = Tensor("i64", PLACES)
            body = f"%r = nn.scatter_reduce {kind} %a, %b, %c : {a.type}, {u.type}, {ids.type}"
            result = Result(element, joined(kind, a.values, u.values))
            yield Function(f"{kind}_{element}", [a, u, ids], body, [result])
            if element == "f32":
                seed = Tensor(element, np.arange(12).reshape(4, 3) - 4.5)
                da, du = shares(kind, a.values, u.values, seed.values)
                wanted = {0: Result(element, da), 1: Result(element, du)}
                yield Function(f"{kind}_vjp", [a, u, ids], body, [result], [seed], wanted)
                # What is updated is read once more.
                twice = f"%p = nn.add %a, %a : {a.type}\n  %r0{body[2:].replace('%a', '%p')}\n  %r1 = nn.sub %r0, %p : {a.type}"
                both = joined(kind, 2 * a.values, u.values)
                results = [Result(element, both), Result(element, both - 2 * a.values)]
                yield Function(f"{kind}_and_old", [a, u, ids], twice, results)
        for element in INTEGER_KINDS:
            a, updates = edge_rows(element, 4)[::-1], edge_rows(element, len(PLACES))
            result = Result(element, wrapped(joined(kind, a, updates), element))
            a, u, ids = Tensor(element, a), Tensor(element, updates), Tensor("i64", PLACES)
            body = f"%r = nn.scatter_reduce {kind} %a, %b, %c : {a.type}, {u.type}, {ids.type}"
            yield Function(f"{kind}_{element}", [a, u, ids], body, [result])


def long_row(kind):
    """A row that is sorted and not compared pair by pair, with many equal elements."""
    row = (np.arange(67) * 29 % 23 - 11.0) * np.where(np.arange(67) % 5, 1, 10)
    if kind in FLOATS:
        row[[3, 40]], row[[17, 60]], row[20], row[[30, 8]] = math.nan, -0.0, math.inf, -math.inf
    return [row]


def rank_functions():
    for kind in (*FLOAT_KINDS, *INTEGER_KINDS):
        values = np.array([[3.0, -1, 2, -1, 7], [0, 0, 0, 5, -4]])
        if kind in FLOATS:
            values = np.concatenate([values, [[math.nan, 1, -math.inf, math.nan, math.inf]]])
        yield from ranks(kind, values, "")
        yield from ranks(kind, long_row(kind), "long_")


def ranks(kind, values, name):
    a = Tensor(kind, values)
    if kind not in FLOATS:
        values = [[int(v) for v in row] for row in a.values]
    for word, sign in (("", 1), (" descending", -1)):
        # NaN is the last, and of the first sorted backwards the first.
        keys = [[(sign * (v != v), 0 if v != v else sign * v) for v in row] for row in values]
        order = [sorted(range(len(row)), key=lambda i: row[i]) for row in keys]
        result = Result("i64", np.argsort(order, axis=1))
        body = f"%r = nn.rank %a{word} : {a.type} -> {result.type}"
        yield Function(f"{name}{word.strip() or 'ascending'}_{kind}", [a], body, [result])


def iota_functions():
    for kind in INTEGER_KINDS:
        for axis in (0, 1, 2):
            result = Result(kind, np.indices((2, 3, 5))[axis])
            # An entry takes an argument, which is passed on.
            a = Tensor(kind, 7)
            yield Function(
                f"axis_{axis}_{kind}",
                [a],
                f"%r0 = nn.iota axis({axis}) : {result.type}\n  %r1 = nn.reshape %a : {a.type} -> tensor<1x{kind}>",
                [result, Result(kind, [7])],
            )


def constant_functions():
    for kind in ALL_KINDS:
        a = numbered(kind, (2, 3))
        again = Result(kind, a.values)
        body = f"%r0 = nn.constant {dense_text(a.values, kind)}\n  %r1 = nn.reshape %a : {a.type} -> tensor<3x2x{kind}>"
        yield Function(kind, [a], body, [again, Result(kind, a.values.reshape(3, 2))])
        one = Tensor(kind, [1, 1, 1, 1])
        body = f"%r0 = nn.constant dense<{'true' if kind == 'i1' else '1.0' if kind in FLOATS else 1}> : {one.type}\n  %r1 = nn.reshape %a : {a.type} -> tensor<3x2x{kind}>"
        yield Function(
            f"splat_{kind}",
            [a],
            body,
            [Result(kind, one.values), Result(kind, a.values.reshape(3, 2))],
        )


def families():
    files = {op: list(movement_functions(op)) for op in MOVES}
    files["concat"] = list(concat_functions())
    files["split"] = list(split_functions())
    files["gather"] = [*gather_functions(), long_gather()]
    files["scatter_add"] = list(scatter_functions())
    files["scatter_reduce"] = list(scatter_reduce_functions())
    files["rank"] = list(rank_functions())
    files["iota"] = list(iota_functions())
    files["constant"] = list(constant_functions())
    return files
