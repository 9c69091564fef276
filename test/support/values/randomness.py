# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of ops that draw random numbers, and the gradient of dropout."""
import numpy as np

import philox

from .text import FLOATS, Function, Result, Tensor, rounded

KEY, STEP, BATCH = 0x1234_5678_9ABC, 41, 3


def signed(word, bits=32):
    return word - (1 << bits) if word >> (bits - 1) else word


def operands_of(key, stream, step, batch):
    """Key, counters as far as this stream, and batch."""
    words = [0] * stream + [(stream << 32 | step) % (1 << 64)]
    wide = lambda value: signed(value % (1 << 64), 64)
    return [Tensor("i64", wide(key)), Tensor("i64", [wide(w) for w in words]), Tensor("i64", wide(batch))]


def key_text(names, operands):
    return f"key({', '.join(names)} : {', '.join(tensor.type for tensor in operands)})"


def counters_functions():
    """Also of a step beyond 32 bits."""
    for step in (STEP, (5 << 32) + 7, -1):
        words = [signed(i << 32 | step % (1 << 32), 64) for i in range(5)]
        result = Result("i64", words)
        body = f"%r = nn.random_counters %a : {result.type}"
        yield Function(f"step_{step % 1000}", [Tensor("i64", step)], body, [result])


def known_answer_functions():
    """A run: `batch` is the first half of the counter but for the lane, and a lane has a block."""
    for name, (counter, key, block) in zip(("zeros", "ones", "pi"), philox.KNOWN_ANSWERS):
        key, (batch, lane) = key[0] | key[1] << 32, divmod(counter[0] | counter[1] << 32, 16)
        operands = operands_of(key, 0, counter[2] << 32 | counter[3], batch)
        run = philox.bits((1, 64), key, counter[3], batch, counter[2])
        run[0, lane::16] = block
        result = Result("i32", run.view(np.int32))
        body = f"%r = nn.random_bits stream 0 {key_text(['%a', '%b', '%c'], operands)} : {result.type}"
        yield Function(f"known_answer_{name}", operands, body, [result])


def bits_functions():
    yield from known_answer_functions()
    # Also over rows that no vector fills, and where the lower half of the counter overflows.
    for name, shape, batch, draw in (
        ("scalar", (), 3, 0),
        ("line", (37,), 0, 0),
        ("box", (3, 2, 19), 5, 1),
        ("runs", (2, 3, 150), 2, 0),
        ("joined", (2, 5, 3, 7), 1, 3),
        ("carry", (5, 7), (1 << 32) // 80, 0),
    ):
        drawn = philox.bits(shape, KEY, STEP, batch, 3, draw).view(np.int32)
        result, operands = Result("i32", drawn), operands_of(KEY, 3, STEP, batch)
        keyed = key_text(["%a", "%b", "%c"], operands)
        body = f"%r = nn.random_bits stream 3 draw {draw} {keyed} : {result.type}"
        yield Function(name, operands, body, [result])


def uniform_functions():
    words = np.array([0, 255, 256, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], dtype=np.uint32)
    a = Tensor("i32", words.view(np.int32))
    result = Result("f32", (words >> 8) * 2.0**-24)
    yield Function("ends", [a], f"%r = nn.uniform %a : {a.type} -> {result.type}", [result])


def dropout_operand(kind, shape):
    values = np.linspace(-4.0, 4.0, int(np.prod(shape))).reshape(shape)
    return Tensor(kind, values)


def dropout_body(a, ratio, keyed=True):
    key = key_text(["%b", "%c", "%d"], operands_of(KEY, 2, STEP, BATCH)) + " " if keyed else ""
    return f"%r = nn.dropout %a ratio {ratio!r} stream 2 {key}: {a.type}"


def dropped(a, ratio):
    """Computed in f32, or f64, and rounded once to the element type."""
    factor = philox.dropout_factor(a.values.shape, ratio, KEY, STEP, BATCH, stream=2)
    compute = "f64" if a.kind == "f64" else "f32"
    return np.vectorize(lambda x: rounded(compute, x))(a.values * factor)


def dropout_functions():
    operands = operands_of(KEY, 2, STEP, BATCH)
    for kind in FLOATS:
        a = dropout_operand(kind, (5, 13))
        result = Result(kind, dropped(a, 0.25))
        yield Function(kind, [a, *operands], dropout_body(a, 0.25), [result])
    for name, ratio in (("none", 0.0), ("most", 0.9), ("all", 1.0)):
        a = dropout_operand("f32", (40,))
        result = Result("f32", dropped(a, ratio))
        yield Function(name, [a, *operands], dropout_body(a, ratio), [result])
    yield from dropout_runs(operands)
    yield from dropout_edges(operands)
    a = dropout_operand("f32", (2, 3, 5))
    yield Function("without_key", [a], dropout_body(a, 0.5, keyed=False), [Result("f32", a.values)])
    seed = Tensor("f32", np.arange(30.0).reshape(2, 3, 5) - 14.5)
    yield Function(
        "vjp",
        [a, *operands],
        dropout_body(a, 0.25),
        [Result("f32", dropped(a, 0.25))],
        [seed],
        {0: Result("f32", dropped(seed, 0.25))},
    )


def dropout_runs(operands):
    """Lines of several runs and a rest, by themselves and summed: an iteration has a run."""
    a = dropout_operand("f32", (3, 5 * 32 + 7))
    kept = dropped(a, 0.25)
    yield Function("runs", [a, *operands], dropout_body(a, 0.25), [Result("f32", kept)])
    body = dropout_body(a, 0.25).replace("%r =", "%x =")
    body += f"\n  %r = nn.reduce_sum %x axes [1] : {a.type} -> tensor<3xf32>"
    yield Function("sums_of_runs", [a, *operands], body, [Result("f32", kept.sum(1), 64.0, 4.0)])


def dropout_edges(operands):
    """What is not finite is seen where it is dropped, too."""
    a = Tensor("f32", [np.inf, -np.inf, np.nan] * 8)
    result = Result("f32", a.values * philox.dropout_factor((24,), 0.5, KEY, STEP, BATCH, 2))
    yield Function("not_finite", [a, *operands], dropout_body(a, 0.5), [result])


def block_functions():
    """The known answers, in a body over vectors of words."""
    answers = philox.KNOWN_ANSWERS
    words = [[counter[i] for counter, _, _ in answers] for i in range(4)]
    words += [[key[i] for _, key, _ in answers] for i in range(2)]
    given = [Tensor("i32", [signed(word) for word in row]) for row in words]
    results = [Result("i32", [signed(block[i]) for _, _, block in answers]) for i in range(4)]
    kind, line = given[0].type, "affine_map<(d) -> (d)>"
    empties = "".join(f"%e{i} = tensor.empty() : {kind}\n  " for i in range(4))
    names = lambda prefix, count: ", ".join(f"%{prefix}{i}" for i in range(count))
    arguments = ", ".join(f"%{prefix}{i}: i32" for prefix, count in (("x", 6), ("y", 4)) for i in range(count))
    body = f"""{empties}%r0, %r1, %r2, %r3 = linalg.generic
      {{indexing_maps = [{', '.join([line] * 10)}], iterator_types = ["parallel"]}}
      ins(%a, %b, %c, %d, %e, %f : {', '.join([kind] * 6)}) outs({names('e', 4)} : {', '.join([kind] * 4)}) {{
    ^bb0({arguments}):
      %w:4 = kernel.philox %x0, %x1, %x2, %x3 key %x4, %x5
      linalg.yield %w#0, %w#1, %w#2, %w#3 : i32, i32, i32, i32
    }} -> ({', '.join([kind] * 4)})"""
    yield Function("known_answers", given, body, results)


def families():
    return {
        "kernel.philox": list(block_functions()),
        "random_counters": list(counters_functions()),
        "random_bits": list(bits_functions()),
        "uniform": list(uniform_functions()),
        "dropout": list(dropout_functions()),
    }
