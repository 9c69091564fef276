# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and gradients of loops, by loops of Python.

Numbers are small multiples of 1/8, so that turns lose no digits in f32.
"""
import numpy as np

from .contractions import eighths
from .text import Function, Result, Tensor, type_of


def order(turns, backwards):
    return range(turns - 1, -1, -1) if backwards else range(turns)


class Recurrence:
    """carried h' = (h wT + b + x) / 2 and yielded y = h' x, over the first axis of x."""

    batch, size = 2, 3

    def __init__(self, turns, backwards=False, keeps=False, yields=True):
        self.turns, self.backwards, self.keeps, self.yields = turns, backwards, keeps, yields
        words = ["back" if backwards else "", "keeps" if keeps else "", "" if yields else "silent"]
        self.name = "_".join(["turns", str(turns), *filter(None, words)])

    def compute(self, h, x, w, b):
        states, outputs = np.zeros(x.shape), np.zeros(x.shape)
        for t in order(self.turns, self.backwards):
            h = (h @ w.T + b + x[t]) / 2
            states[t], outputs[t] = h, h * x[t]
        return h, states, outputs

    def transpose(self, h, x, w, b, d_last, d_states, d_outputs):
        _, states, _ = self.compute(h, x, w, b)
        dh, dx, dw, db = d_last, np.zeros(x.shape), np.zeros(w.shape), np.zeros(b.shape)
        before = {}
        for t in order(self.turns, self.backwards):
            before[t], h = h, states[t]
        for t in order(self.turns, not self.backwards):
            dx[t] += d_outputs[t] * states[t]
            dz = (dh + d_states[t] + d_outputs[t] * x[t]) / 2
            dx[t] += dz
            dw += dz.T @ before[t]
            db += dz.sum(0)
            dh = dz @ w
        return dh, dx, dw, db

    def callee(self, kind):
        entry, w, b = (type_of(s, kind) for s in ((self.batch, self.size), (self.size, self.size), (self.size,)))
        results = [entry] * (2 if self.yields else 1)
        values = "%n, %y" if self.yields else "%n"
        y = f"  %y = nn.mul %n, %x : {entry}\n" if self.yields else ""
        return (
            f"func.func private @turn_of_{self.name}_{kind}(%h: {entry}, %x: {entry}, %w: {w}, %b: {b})"
            f" -> ({', '.join(results)}) {{\n"
            f"  %half = nn.constant dense<0.5> : {entry}\n"
            f"  %p = nn.linear %h, %w bias %b : {b} : {entry}, {w} -> {entry}\n"
            f"  %z = nn.add %p, %x : {entry}\n"
            f"  %n = nn.mul %z, %half : {entry}\n{y}"
            f"  return {values} : {', '.join(results)}\n}}\n"
        )

    def function(self, kind, gradient):
        stack = (self.turns, self.batch, self.size)
        shapes = (stack[1:], stack, (self.size, self.size), (self.size,))
        inputs = [eighths(kind, shape, i) for i, shape in enumerate(shapes)]
        last, states, outputs = self.compute(*(t.values for t in inputs))
        results = [Result(kind, states if self.keeps else last)]
        results += [Result(kind, outputs)] if self.yields else []
        types = ", ".join(result.type for result in results)
        names = ", ".join(["%r"] if len(results) == 1 else [f"%r{i}" for i in range(len(results))])
        body = (
            f"{names} = nn.scan @turn_of_{self.name}_{kind} turns({self.turns})"
            f"{' reversed' if self.backwards else ''} inits(%a) stacks(%b) constants(%c, %d) : "
            f"({', '.join(t.type for t in inputs)}) -> ({types})"
        )
        callee = self.callee(kind)
        name = f"{self.name}_{kind}"
        if not gradient:
            return Function(name, inputs, body, results, callees=callee)
        seeds = [eighths(kind, result.values.shape, 7 + i) for i, result in enumerate(results)]
        none = np.zeros(stack)
        d_first = seeds[0].values
        d_last, d_states = (np.zeros(stack[1:]), d_first) if self.keeps else (d_first, none)
        d_outputs = seeds[1].values if self.yields else none
        wanted = self.transpose(*(t.values for t in inputs), d_last, d_states, d_outputs)
        # What turns add up loses digits in f32.
        gradients = {i: Result(kind, value, ulps=2.0, at=abs(value).max()) for i, value in enumerate(wanted)}
        return Function(f"{name}_vjp", inputs, body, results, seeds, gradients, callee)


def count_function():
    """Integers that are carried, and a stack of them."""
    x = Tensor("i64", [[1, 2], [3, 4], [5, 6]])
    callee = (
        "func.func private @turn_of_count(%n: tensor<2xi64>, %x: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>) {\n"
        "  %s = nn.add %n, %x : tensor<2xi64>\n  %p = nn.mul %s, %x : tensor<2xi64>\n"
        "  return %s, %p : tensor<2xi64>, tensor<2xi64>\n}\n"
    )
    body = (
        "%r0, %r1 = nn.scan @turn_of_count turns(3) inits(%a) stacks(%b) : "
        "(tensor<2xi64>, tensor<3x2xi64>) -> (tensor<2xi64>, tensor<3x2xi64>)"
    )
    sums = np.cumsum(x.values, 0) + 10
    return Function("count", [Tensor("i64", [10, 10]), x], body,
                    [Result("i64", sums[-1]), Result("i64", sums * x.values)], callees=callee)


class Nested:
    """h' = w h + x of a loop, in each turn of which another goes over the same constants: h' = h + w."""

    outer, inner = 2, 3

    def function(self):
        kind, entry, w = "f32", type_of((2,), "f32"), type_of((3, 2), "f32")
        callee = (
            f"func.func private @inner_turn(%h: {entry}, %w: {entry}) -> {entry} {{\n"
            f"  %s = nn.mul %h, %w : {entry}\n  return %s : {entry}\n}}\n"
            f"func.func private @outer_turn(%h: {entry}, %x: {entry}, %w: {w}) -> {entry} {{\n"
            f"  %l = nn.scan @inner_turn turns(3) inits(%h) stacks(%w) : ({entry}, {w}) -> {entry}\n"
            f"  %s = nn.add %l, %x : {entry}\n  return %s : {entry}\n}}\n"
        )
        inputs = [eighths(kind, shape, i) for i, shape in enumerate(((2,), (2, 2), (3, 2)))]
        h, x, weights = (t.values for t in inputs)
        before = []
        for t in range(self.outer):
            before.append(h)
            h = h * weights.prod(0) + x[t]
        seed = eighths(kind, (2,), 9)
        d, dx, dw = seed.values, np.zeros(x.shape), np.zeros(weights.shape)
        for t in reversed(range(self.outer)):
            dx[t] = d
            for i in range(self.inner):
                dw[i] += d * before[t] * np.delete(weights, i, 0).prod(0)
            d = d * weights.prod(0)
        body = f"%r = nn.scan @outer_turn turns(2) inits(%a) stacks(%b) constants(%c) : ({', '.join(t.type for t in inputs)}) -> {entry}"
        wanted = {i: Result(kind, value, ulps=2.0, at=abs(value).max()) for i, value in enumerate((d, dx, dw))}
        return Function("nested", inputs, body, [Result(kind, h)], [seed], wanted, callee)


class Products:
    """h' = (h w + x) / 2, with either factor transposed or in the other's place, and by several at once."""

    turns = 3

    def __init__(self, transposes, weight_first=False, batch=()):
        self.transposes, self.weight_first, self.shape = transposes, weight_first, (*batch, 3, 3)
        words = ["lhs" if transposes[0] else "", "rhs" if transposes[1] else "", "first" if weight_first else "", *map(str, batch)]
        self.name = "_".join(["products", *filter(None, words)])

    def factors(self, h, w):
        both = (w, h) if self.weight_first else (h, w)
        return [f.swapaxes(-1, -2) if t else f for f, t in zip(both, self.transposes)]

    def transpose(self, h, w, d):
        """The gradients of h and w of one turn, from that of their product."""
        lhs, rhs = self.factors(h, w)
        both = [d @ rhs.swapaxes(-1, -2), lhs.swapaxes(-1, -2) @ d]
        both = [f.swapaxes(-1, -2) if t else f for f, t in zip(both, self.transposes)]
        return both[::-1] if self.weight_first else both

    def callee(self):
        entry = type_of(self.shape, "f32")
        words = "".join(f" {word}" for word, t in zip(("transpose_lhs", "transpose_rhs"), self.transposes) if t)
        factors = "%w, %h" if self.weight_first else "%h, %w"
        return (
            f"func.func private @turn_of_{self.name}(%h: {entry}, %x: {entry}, %w: {entry}) -> {entry} {{\n"
            f"  %half = nn.constant dense<0.5> : {entry}\n"
            f"  %p = nn.matmul {factors}{words} : {entry}, {entry} -> {entry}\n"
            f"  %z = nn.add %p, %x : {entry}\n  %n = nn.mul %z, %half : {entry}\n  return %n : {entry}\n}}\n"
        )

    def function(self):
        stack = (self.turns, *self.shape)
        inputs = [eighths("f32", shape, i) for i, shape in enumerate((self.shape, stack, self.shape))]
        h, x, w = (t.values for t in inputs)
        before = []
        for t in range(self.turns):
            before.append(h)
            lhs, rhs = self.factors(h, w)
            h = (lhs @ rhs + x[t]) / 2
        seed = eighths("f32", self.shape, 9)
        d, dx, dw = seed.values, np.zeros(stack), np.zeros(w.shape)
        for t in reversed(range(self.turns)):
            dx[t] = d / 2
            d, more = self.transpose(before[t], w, d / 2)
            dw += more
        body = (f"%r = nn.scan @turn_of_{self.name} turns({self.turns}) inits(%a) stacks(%b) constants(%c) : "
                f"({', '.join(t.type for t in inputs)}) -> {type_of(self.shape, 'f32')}")
        wanted = {i: Result("f32", value, ulps=4.0, at=abs(value).max()) for i, value in enumerate((d, dx, dw))}
        result = Result("f32", h, ulps=2.0, at=abs(h).max())
        return Function(self.name, inputs, body, [result], [seed], wanted, self.callee())


def scan_functions():
    for turns in (1, 2, 3, 5):
        for backwards in (False, True):
            for keeps in (False, True):
                yield Recurrence(turns, backwards, keeps).function("f32", gradient=True)
    yield Recurrence(4, yields=False).function("f32", gradient=True)
    yield Recurrence(4, keeps=True, yields=False).function("f64", gradient=True)
    yield Recurrence(6, backwards=True).function("f64", gradient=False)
    yield count_function()
    yield Nested().function()
    for transposes in ((False, False), (False, True), (True, False), (True, True)):
        for weight_first in (False, True):
            yield Products(transposes, weight_first).function()
    yield Products((False, True), batch=(2,)).function()
    yield Products((True, False), weight_first=True, batch=(2,)).function()


def families():
    return {"scan": list(scan_functions())}
