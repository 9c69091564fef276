# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and gradients of attention, at the nn level and of kernels."""
import numpy as np

import philox

from .contractions import eighths
from .kinds import FLOAT_KINDS
from .randomness import BATCH, KEY, STEP, key_text, operands_of
from .text import Function, Result, Tensor

B, H, G, T, S, D, E = 2, 4, 2, 5, 7, 3, 2
SCALE = 0.5
STREAM = 2


def seen_by(rows, keys, causal, window):
    """Which key each query sees, as far as places say."""
    i, j = np.arange(rows)[:, None], np.arange(keys)[None, :]
    seen = np.ones((rows, keys), dtype=bool)
    if causal:
        seen &= j <= i
    if window:
        seen &= i - j < window
    return seen


class Problem:
    """Attention in float64: of each group of heads, with logits that are written out."""

    def __init__(self, kind, causal=False, window=None, mask=None, dropout=None, softcap=None):
        self.softcap = softcap
        self.kind, self.causal, self.window, self.dropout = kind, causal, window, dropout
        self.factor = 1.0
        if dropout:
            self.factor = philox.dropout_factor((B, H, T, S), dropout, KEY, STEP, BATCH, STREAM)
        self.row = "f64" if kind == "f64" else "f32"
        self.query = eighths(kind, (B, H, T, D), 1)
        self.key = eighths(kind, (B, G, S, D), 2)
        self.value = eighths(kind, (B, G, S, E), 3)
        self.seed = eighths(kind, (B, H, T, E), 4)
        self.mask = None
        if mask == "i1":
            # One row of keys for all heads, and a query without a key.
            allowed = (np.arange(B * T * S) % 3 != 1).reshape(B, 1, T, S)
            allowed[1, 0, 2] = False
            self.mask = Tensor("i1", allowed)
        elif mask:
            self.mask = eighths(mask, (1, H, T, S), 5)
        self.solve()

    def solve(self):
        repeat = lambda x: np.repeat(x.values, H // G, axis=1)
        q, k, v = self.query.values, repeat(self.key), repeat(self.value)
        logits = np.einsum("bhid,bhjd->bhij", q, k) * SCALE
        slope = 1.0
        if self.softcap:
            slope = 1 - np.tanh(logits / self.softcap) ** 2
            logits = self.softcap * np.tanh(logits / self.softcap)
        seen = np.broadcast_to(seen_by(T, S, self.causal, self.window), logits.shape)
        if self.mask is not None and self.mask.kind == "i1":
            seen = seen & self.mask.values
        elif self.mask is not None:
            logits = logits + self.mask.values
        self.row_max = np.where(seen, logits, -np.inf).max(-1)
        shift = np.where(np.isinf(self.row_max), 0, self.row_max)[..., None]
        weights = np.where(seen, np.exp(logits - shift), 0)
        self.row_sum = total = weights.sum(-1)
        p = weights / np.where(total == 0, 1, total)[..., None]
        self.output = np.einsum("bhij,bhje->bhie", p * self.factor, v)
        d = self.seed.values
        self.delta = (d * self.output).sum(-1)
        ds = p * (self.factor * np.einsum("bhie,bhje->bhij", d, v) - self.delta[..., None])
        group = lambda x: x.reshape(B, G, H // G, S, -1).sum(2)
        self.d_query = SCALE * np.einsum("bhij,bhjd->bhid", ds * slope, k)
        self.d_key = group(SCALE * np.einsum("bhij,bhid->bhjd", ds * slope, q))
        self.d_value = group(np.einsum("bhij,bhie->bhje", p * self.factor, d))
        self.d_logits = ds

    def operands(self):
        return [self.query, self.key, self.value] + ([] if self.mask is None else [self.mask])

    def random(self):
        return operands_of(KEY, STREAM, STEP, BATCH) if self.dropout else []

    def flags(self, names):
        """What follows the scale, with the operands %`names` to draw by."""
        text = f" softcap({self.softcap:e})" if self.softcap else ""
        text += " causal" if self.causal else ""
        text += f" window({self.window})" if self.window else ""
        if self.dropout:
            text += f" dropout({self.dropout:e}) stream {STREAM} {key_text(names, self.random())}"
        return text

    def result(self, values, ulps=6.0):
        """A sum of products of numbers up to 4; weights of 16 bits may be rounded on the way."""
        return Result(self.kind, values, 2.5 if self.kind in ("f16", "bf16") else 4 * ulps, 2.0)

    def forward(self):
        rows = [Result(self.row, x, 8.0, 2.0) for x in (self.row_max, self.row_sum)]
        return [self.result(self.output), *rows]

    def rows(self):
        return [Tensor(self.row, x) for x in (self.row_max, self.row_sum, self.delta)]

    def gradients(self):
        return [self.result(x, 12.0) for x in (self.d_query, self.d_key, self.d_value)]


def types_of(tensors):
    return ", ".join(tensor.type for tensor in tensors)


def problems():
    for kind in FLOAT_KINDS:
        yield f"plain_{kind}", Problem(kind)
        yield f"causal_{kind}", Problem(kind, causal=True)
    yield "window_f32", Problem("f32", causal=True, window=2)
    yield "allowed_f32", Problem("f32", mask="i1")
    yield "allowed_bf16", Problem("bf16", mask="i1")
    yield "bias_f32", Problem("f32", causal=True, mask="f32")
    yield "bias_f16", Problem("f16", mask="f32")
    yield "softcap_f32", Problem("f32", causal=True, softcap=2.0)
    yield "softcap_bias_f16", Problem("f16", mask="f32", softcap=5.0)
    yield "softcap_f64", Problem("f64", softcap=1.5)
    yield "dropout_f32", Problem("f32", causal=True, dropout=0.25)
    yield "dropout_bf16", Problem("bf16", mask="i1", dropout=0.5)
    yield "dropout_bias_f64", Problem("f64", mask="f32", dropout=0.5)


def named(count):
    return [f"%{letter}" for letter in "abcdefghijkl"[:count]]


def attention_functions():
    for name, p in problems():
        tensors, random = p.operands(), p.random()
        given = tensors + random
        mask = f" mask %d : {p.mask.type}" if p.mask is not None else ""
        flags = p.flags(named(len(given))[len(tensors) :])
        results = p.forward()
        body = (
            f"%r0, %r1, %r2 = nn.attention %a, %b, %c{mask} scale({SCALE:e}){flags}"
            f" : {types_of(given[:3])} -> {types_of(results)}"
        )
        yield Function(name, given, body, results)
        wanted = dict(enumerate(p.gradients()))
        if p.mask is not None and p.mask.kind != "i1":
            # The sum of a row's output times its gradient is of an output that is rounded.
            ulps = 2048.0 if p.kind == "f16" else 64.0
            wanted[3] = Result(p.mask.kind, p.d_logits.sum(0, keepdims=True), ulps, 4.0)
        zeros = Tensor(p.row, np.zeros((B, H, T)))
        seeds = [p.seed, zeros, zeros]
        yield Function(f"{name}_vjp", given, body, results, seeds, wanted)


def gradient_functions():
    for name, p in problems():
        tensors, rows = p.operands(), p.rows() + [p.seed]
        given = tensors + rows + p.random()
        names = named(len(given))[len(tensors) :]
        rest = names[:4]
        mask = f" mask %d : {p.mask.type}" if p.mask is not None else ""
        flags = p.flags(names[4:])
        results = p.gradients()
        types = types_of(tensors[:3] + rows)
        body = (
            f"%r0, %r1, %r2 = nn.attention_gradient %a, %b, %c{mask} row_max {rest[0]}"
            f" row_sum {rest[1]} delta {rest[2]} d_output {rest[3]} scale({SCALE:e}){flags}"
            f" : {types} -> {types_of(results)}"
        )
        yield Function(name, given, body, results)


# ===----------------------------------------------------------------------===#
# Kernels
# ===----------------------------------------------------------------------===#

WHOLE = "affine_map<(b, h, i, d) -> (b, h, i, d)>"
ROWS = "affine_map<(b, h, i) -> (b, h, i)>"
SCALAR = "affine_map<() -> ()>"


def settings(p):
    sizes = ", ".join(str(size) for size in (B, H, G, T, S, D, E))
    window = f" window {p.window}" if p.window else ""
    dropout = f" dropout {p.dropout:e}" if p.dropout else ""
    cap = f" softcap {p.softcap:e}" if p.softcap else ""
    return f"sizes [{sizes}] scale {SCALE:e}{cap}{' causal' if p.causal else ''}{window}{dropout}"


def empties(results):
    lines = [f"%e{i} = tensor.empty() : {r.type}\n  " for i, r in enumerate(results)]
    return "".join(lines), ", ".join(f"%e{i}" for i in range(len(results)))


def kernel_problems():
    for kind in ("f32", "f16", "bf16"):
        yield f"plain_{kind}", Problem(kind)
    yield "window_f32", Problem("f32", causal=True, window=2)
    yield "softcap_f32", Problem("f32", softcap=2.0)
    yield "dropout_f32", Problem("f32", dropout=0.25)


def scalars(p):
    """What a kernel's dropout draws by: of the counters that of the stream."""
    if not p.dropout:
        return []
    key, counters, batch = p.random()
    return [key, Tensor("i64", int(counters.values[STREAM])), batch]


def kernel_function(op, name, p, inputs, input_maps, results, result_maps):
    lines, outs = empties(results)
    given = inputs + scalars(p)
    names = named(len(given))
    random = names[len(inputs) :]
    drawn = f" random({', '.join(random)} : {types_of(scalars(p))})" if random else ""
    maps = ", ".join(input_maps + [SCALAR] * len(random) + result_maps)
    body = (
        f"{lines}{', '.join(f'%r{i}' for i in range(len(results)))} = {op}"
        f" ins({', '.join(names[: len(inputs)])} : {types_of(inputs)}){drawn}"
        f" outs({outs} : {types_of(results)}) {settings(p)}"
        f" maps [{maps}] -> {types_of(results)}"
    )
    return Function(name, given, body, results)


def kernel_functions():
    for name, p in kernel_problems():
        yield kernel_function(
            "kernel.attention", name, p, p.operands(), [WHOLE] * 3, p.forward(), [WHOLE] + [ROWS] * 2
        )


def kernel_gradient_functions():
    for name, p in kernel_problems():
        inputs, maps = p.operands() + p.rows() + [p.seed], [WHOLE] * 3 + [ROWS] * 3 + [WHOLE]
        yield kernel_function("kernel.attention_gradient", name, p, inputs, maps, p.gradients(), [WHOLE] * 3)


def families():
    return {
        "attention": list(attention_functions()),
        "attention_gradient": list(gradient_functions()),
        "kernel.attention": list(kernel_functions()),
        "kernel.attention_gradient": list(kernel_gradient_functions()),
    }
