# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the amp ops: gradients, norms, rates, optimizer steps.

Rules of optimizers are written from their definitions in PyTorch, optax and Keras, in float64.
"""
import math
from fractions import Fraction

import numpy as np

from reference import hash32

from .text import Function, Result, Tensor, float_text, largest, letters, rounded, ulp

GRADIENT_KINDS = ("f32", "f16", "bf16")
NARROW_KINDS = ("f16", "bf16")


def scalar(kind, value):
    return Tensor(kind, np.array(value))


def vector(kind, values):
    return Tensor(kind, np.array(values))


class Statement:
    """Text of one op, whose operands are arguments of the function, by letter."""

    def __init__(self, name):
        self.name, self.inputs, self.text = name, [], []

    def words(self, *words):
        self.text += words
        return self

    def argument(self, tensor, around="{}"):
        """A new argument of the function; `around` is what stands about its name."""
        self.inputs.append(tensor)
        self.text.append(around.format(letters(len(self.inputs))[-1]))
        return self

    def op(self, results, types):
        names = ["%r"] if len(results) == 1 else [f"%r{i}" for i in range(len(results))]
        return f"{', '.join(names)} = amp.{self.name} {' '.join(self.text)} {types}".rstrip()

    def function(self, label, results, types, **rest):
        return Function(label, self.inputs, self.op(results, types), results, **rest)


# ===----------------------------------------------------------------------===#
# Gradients
# ===----------------------------------------------------------------------===#


def gradients(kind):
    """Finite numbers of every size, then what is not finite."""
    top = largest(kind)
    finite = [0.0, -0.0, 1.5, -2.25, 0.3, -7.1e-3, 96.0, top, -top, ulp(kind, 0.0), -3 * ulp(kind, 0.0)]
    return vector(kind, finite + [math.inf, -math.inf, math.nan])


def once(values):
    """Rounded to f32: a product or quotient of two such numbers is rounded right even so."""
    return np.array([rounded("f32", float(value)) for value in np.ravel(values)])


def gradient_map(name, label, formula, factor, words=()):
    for kind in GRADIENT_KINDS:
        a, b = gradients(kind), scalar("f32", factor)
        result = Result("f32", once(formula(a.values, b.values)))
        statement = Statement(name).argument(a).words("by").argument(b).words(*words)
        yield statement.function(f"{label}_{kind}", [result], f": {a.type} -> {result.type}")


def unscale_vjp(kind):
    a, b = vector(kind, [1.0, -2.0, 0.75]), scalar("f32", 0.125)
    d = vector("f32", [0.5, -3.0, 96.0])
    result = Result("f32", a.values * b.values)
    statement = Statement("unscale").argument(a).words("by").argument(b)
    return statement.function(
        f"vjp_{kind}",
        [result],
        f": {a.type} -> {result.type}",
        seeds=[d],
        gradients={0: Result(kind, d.values * b.values)},
    )


def unscale_functions():
    yield from gradient_map("unscale", "times", lambda a, f: a * f, 2.0**-16)
    yield from gradient_map("unscale", "odd", lambda a, f: a * f, 1 / 3)
    yield from gradient_map("unscale", "over", lambda a, f: a / f, 3.0, ["divide"])
    yield from (unscale_vjp(kind) for kind in GRADIENT_KINDS)


def clamped(a, limit):
    return np.where(np.isnan(a), a, np.minimum(np.maximum(a, -limit), limit))


def simple(name, label, inputs, results, types):
    """An op that takes its operands by commas."""
    statement = Statement(name)
    for index, tensor in enumerate(inputs):
        statement.argument(tensor, "{}," if index + 1 < len(inputs) else "{}")
    return statement.function(label, results, types)


def row_op(name, kind_of_result, formula, ulps):
    for kind in GRADIENT_KINDS:
        big = 3e38 if kind != "f16" else 6e4
        rows = [[1.0, -2.5, 0.3, 7.0, -0.125], [0.0, -0.0, 0.0, 0.0, 0.0], [big, -big, big, big, 1.0]]
        rows += [[1.0, math.inf, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, math.nan, 5.0], [-1e-7] * 5]
        a = Tensor(kind, np.array(rows))
        result = Result(kind_of_result, formula(a.values), ulps)
        yield simple(name, f"rows_{kind}", [a], [result], f": {a.type} -> {result.type}")


def exact_root(total):
    return math.sqrt(total) if math.isfinite(total) else total


def check_functions():
    parts = {
        "finite": [[9.0, 16.0], [144.0]],
        "odd": [[0.1, 0.2, 0.3], [1e200, 1e-200]],
        "infinite": [[1.0, math.inf], [2.0]],
        "nan": [[1.0], [2.0, math.nan, 3.0]],
        "nothing": [[0.0]],
    }
    for label, groups in parts.items():
        tensors = [vector("f64", group) for group in groups]
        total = sum(value for group in groups for value in group)
        results = [
            Result("i1", np.array(not math.isfinite(total))),
            Result("f64", np.array(exact_root(total)), 2.0),
        ]
        yield simple("combine_check", label, tensors, results, f": {types_of(tensors)}")


def types_of(tensors):
    return ", ".join(tensor.type for tensor in tensors)


def max_functions():
    for label, groups in {
        "two": [[1.0, 7.0], [3.0]],
        "infinite": [[1.0], [math.inf, 2.0]],
        "nan": [[1.0, math.nan], [9.0]],
        "zero": [[0.0]],
    }.items():
        tensors = [vector("f32", group) for group in groups]
        top = np.max(np.concatenate(groups))  # NaN where there is one.
        yield simple("combine_max_abs", label, tensors, [Result("f32", np.array(top))], f": {types_of(tensors)}")


def single(value):
    """A rational number rounded to f32, once."""
    unit = Fraction(ulp("f32", float(value)))
    return round(value / unit) * unit


def torch_norm(values):
    """The order of PyTorch's kernel, every rounding written out."""
    x = [Fraction(float(value)) for value in values]
    whole = len(x) // 8 * 8
    sums = [Fraction(0)] * 8
    for i in range(whole):
        sums[i % 8] = single(sums[i % 8] + single(x[i] * x[i]))
    total = Fraction(0)
    for part in sums:
        total = single(total + part)
    rest = x[whole:]
    if len(rest) >= 4:
        for value in rest[:4]:
            total = single(total + single(value * value))
        rest = rest[4:]
    for value in rest:
        total = single(total + value * value)
    return math.sqrt(float(total))


def vector_norm_functions():
    rng = np.random.default_rng(7)
    for shape in ((1,), (3,), (4,), (8,), (3, 5), (7, 11), (6, 4, 3)):
        a = Tensor("f32", rng.normal(size=shape) * 10)
        result = Result("f32", np.array(torch_norm(a.values.ravel())))
        label = "of_" + "x".join(map(str, shape))
        yield simple("vector_norm", label, [a], [result], f": {a.type}")


def torch_coefficient(norm, bound):
    return min(1.0, bound / (norm + 1e-6)) if not math.isnan(norm) else norm


def keras_coefficient(norm, bound):
    if math.isnan(norm):
        return norm
    return 1.0 if norm <= bound else bound / norm


NORMS = [0.0, 0.5, 1.0, 1.0001, 3.0, 1e10, 1e-30, math.nan]


def coefficient_functions():
    for label, rule in (("torch", torch_coefficient), ("keras", keras_coefficient)):
        words = ["keras"] if label == "keras" else []
        for bound in (1.0, 0.25, 100.0):
            for scale in (None, 1024.0):
                norm = vector("f64", NORMS)
                factor = scale or 1.0
                wanted = [rule(n * factor, bound * factor) for n in NORMS]
                result = Result("f32", np.array(wanted), 2.0)
                statement = Statement("clip_coefficient").argument(norm)
                statement.argument(scalar("f64", bound), "max({})")
                if scale:
                    statement.argument(scalar("f32", scale), "scale({})")
                name = f"{label}_{str(bound).replace('.', '_')}{'_scaled' if scale else ''}"
                yield statement.words(*words).function(name, [result], f": {norm.type} -> {result.type}")


# ===----------------------------------------------------------------------===#
# Tensors of a slab, and their rates
# ===----------------------------------------------------------------------===#


def segments(blocks, values):
    ends = np.cumsum(blocks)
    return [values[end - size : end] for end, size in zip(ends, blocks)]


def segment_functions():
    sums = vector("f64", [9.0, 16.0, 0.1, 0.0, 1e300, math.inf, 2.0])
    for blocks in ([2, 1, 1, 1, 1, 1], [1] * 7, [7], [1, 4, 2]):
        wanted = [exact_root(float(np.sum(part))) for part in segments(blocks, sums.values)]
        result = Result("f64", np.array(wanted), 2.0)
        statement = Statement("segment_norms").argument(sums).words(f"blocks {blocks}")
        label = "blocks_" + "_".join(map(str, blocks))
        yield statement.function(label, [result], f": {sums.type} -> {result.type}")


def scale_segment_functions():
    x = Tensor("f32", (np.arange(24) - 11.5).reshape(6, 4) / 4)
    for blocks, factors in (([1, 2, 3], [0.5, -3.0, 0.0]), ([6], [1 / 3])):
        f = vector("f32", factors)
        rows = np.repeat(f.values, blocks)[:, None]
        result = Result("f32", once(x.values * rows).reshape(x.values.shape))
        statement = Statement("scale_segments").argument(x).words("by").argument(f).words(f"blocks {blocks}")
        yield statement.function(f"factors_{len(blocks)}", [result], f": {x.type}, {f.type}")


PARAMETER_NORMS = [2.0, 0.0, 3.0, 0.0, 1e-3, 50.0, math.nan, 1.0]
GRADIENT_NORMS = [0.5, 1.0, 0.0, 0.0, 1e3, 0.25, 1.0, math.nan]


def ratio_functions():
    p, d = vector("f64", PARAMETER_NORMS), vector("f64", GRADIENT_NORMS)
    wanted = [1.0 if 0.0 in pair else pair[0] / pair[1] for pair in zip(p.values, d.values)]
    result = Result("f32", np.array(wanted))
    yield simple("trust_ratio", "ratios", [p, d], [result], f": {p.type} -> {result.type}")


def openseq2seq_rate(p, g, eta, eps, least, lr):
    rate = np.maximum(eta * p / ((lr or 1.0) * (g + eps)), least)
    return np.minimum(rate, 1.0) if lr else rate


def apex_rate(p, g, eta, eps, decay, lr):
    rate = eta * p / (g + decay * p + eps)
    rate = np.minimum(rate / lr, 1.0) if lr else rate
    return np.where((p == 0) | (g == 0), 1.0, rate)


def larc_functions():
    p, g = vector("f64", PARAMETER_NORMS), vector("f64", GRADIENT_NORMS)
    eta, eps = 0.02, 1e-7
    for word, bound, rule in (("min_update", 1e-3, openseq2seq_rate), ("weight_decay", 0.01, apex_rate)):
        for lr in (None, 0.125):
            wanted = rule(p.values, g.values, eta, eps, bound, lr)
            result = Result("f32", wanted, 1.0)
            statement = Statement("larc_rate").argument(p, "{},").argument(g)
            for name, value in (("eta", eta), ("eps", eps), (word, bound)):
                statement.argument(scalar("f64", value), name + "({})")
            if lr:
                statement.argument(scalar("f32", lr), "lr({})")
            yield statement.function(f"{word}{'_lr' if lr else ''}", [result], f": {p.type} -> {result.type}")


def larc_decay_functions():
    p, g = vector("f64", PARAMETER_NORMS), vector("f64", GRADIENT_NORMS)
    wanted = np.where((p.values == 0) | (g.values == 0), 0.0, 0.01)
    result = Result("f32", wanted)
    statement = Statement("larc_decay").argument(p, "{},").argument(g)
    statement.argument(scalar("f64", 0.01), "weight_decay({})")
    yield statement.function("decays", [result], f": {p.type} -> {result.type}")


WEIGHTS = [1.0, -2.5, 0.0, -0.0, 0.3, 1e3]


def penalty_functions():
    for kind in GRADIENT_KINDS:
        for stored in ("f32", "bf16"):
            g, w = vector(kind, [0.5, 0.25, -1.0, 2.0, 0.7, -3.0]), vector(stored, WEIGHTS)
            l1, l2 = 0.01, 0.125
            wanted = g.values + 2 * l2 * w.values + l1 * np.sign(w.values)
            result = Result("f32", wanted, 1.0, 1.0)
            statement = Statement("add_penalty").argument(g).words("of").argument(w)
            statement.argument(scalar("f64", l1), "l1({})").argument(scalar("f64", l2), "l2({})")
            types = f": {g.type}, {w.type} -> {result.type}"
            yield statement.function(f"of_{kind}_{stored}", [result], types)


def average_weight_functions():
    for decay, step in ((0.999, 0.0), (0.999, 1.0), (0.25, 7.0)):
        statement = Statement("average_weight").argument(scalar("f64", decay))
        statement.argument(scalar("f64", step), "step({})")
        result = Result("f32", np.array(1.0 if step == 0 else 1 - decay))
        yield statement.function(f"step_{int(step)}", [result], "")


def average_functions():
    for kind in ("f32", "bf16"):
        for weight in (1.0, 0.125, 0.001):
            for skip in (None, False, True):
                w, average = vector(kind, WEIGHTS), vector("f32", [0.5, 2.0, -1.0, 3.0, 0.1, 1e-3])
                moved = average.values + weight * (w.values - average.values)
                moved = w.values if weight == 1.0 else moved
                result = Result("f32", average.values if skip else moved, 1.0, 1.0)
                statement = Statement("average").argument(w).words("to").argument(average)
                statement.argument(scalar("f32", weight), "weight({})")
                if skip is not None:
                    statement.argument(scalar("i1", skip), "skip({})")
                label = f"{kind}_{int(weight * 1000)}{'' if skip is None else f'_{skip}'.lower()}"
                yield statement.function(label, [result], f": {w.type}, {average.type}")


# ===----------------------------------------------------------------------===#
# Rounding
# ===----------------------------------------------------------------------===#


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


def add_gradient_functions():
    for kind in GRADIENT_KINDS:
        g, total = gradients(kind), vector("f32", [1.0, -0.0, 1e-3, 7.5, -0.3, 0.0, 4.0, 1.0, 2.0, 0.0, 0.0, 1.0, math.inf, 2.0])
        result = Result("f32", once(g.values + total.values))
        statement = Statement("add_gradient").argument(g).words("to").argument(total)
        yield statement.function(f"of_{kind}", [result], f": {g.type}, {total.type}")


# ===----------------------------------------------------------------------===#
# Steps
# ===----------------------------------------------------------------------===#


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


class Rule:
    """One optimizer: `move` takes hyper-parameters h, the number t of this step from 1, weights,
    gradients and slots, and yields the new weights (lamb: the direction) and slots."""

    def __init__(self, hyper, slots, move, powers=0):
        self.hyper, self.slots, self.move, self.powers = hyper, slots, move, powers

    def state(self, t):
        """Before step t: how many there were, and the powers of the betas."""
        return [t - 1.0] + [h ** (t - 1.0) for h in self.hyper[: self.powers]]

    def state_after(self, t):
        return self.state(t + 1)


def sgd(flags):
    def move(h, lr, t, w, g, slots):
        momentum, dampening, decay = h
        g = g + decay * w
        if "momentum" not in flags:
            return w - lr * g, []
        velocity = g if t == 1 else momentum * slots[0] + (1 - dampening) * g
        step = g + momentum * velocity if "nesterov" in flags else velocity
        return w - lr * step, [velocity]

    return Rule([0.9, 0.25, 0.125], int("momentum" in flags), move)


def moments(h, g, slots):
    return [h[0] * slots[0] + (1 - h[0]) * g, h[1] * slots[1] + (1 - h[1]) * g * g]


def adam(flags, decoupled):
    def move(h, lr, t, w, g, slots):
        if decoupled:
            w = w - lr * h[3] * w
        else:
            g = g + h[3] * w
        new = moments(h, g, slots)
        square = new[1]
        if "amsgrad" in flags:
            new.append(np.maximum(slots[2], square))
            square = new[2]
        root = np.sqrt(square / (1 - h[1] ** t)) + h[2]
        return w - lr * (new[0] / (1 - h[0] ** t)) / root, new

    return Rule([0.75, 0.875, 1e-3, 0.125], 3 if "amsgrad" in flags else 2, move, powers=2)


def adamax(flags):
    def move(h, lr, t, w, g, slots):
        g = g + h[3] * w
        mean = h[0] * slots[0] + (1 - h[0]) * g
        top = np.maximum(h[1] * slots[1], np.abs(g) + h[2])
        return w - lr / (1 - h[0] ** t) * mean / top, [mean, top]

    return Rule([0.75, 0.875, 1e-3, 0.125], 2, move, powers=1)


def adagrad(flags):
    def move(h, lr, t, w, g, slots):
        g = g + h[1] * w
        total = slots[0] + g * g
        return w - lr / (1 + (t - 1) * h[0]) * g / (np.sqrt(total) + h[3]), [total]

    return Rule([0.25, 0.125, 0.5, 1e-3], 1, move)


def rmsprop(flags):
    def move(h, lr, t, w, g, slots):
        alpha, eps, decay, momentum = h
        g, rest = g + decay * w, list(slots[1:])
        new = [alpha * slots[0] + (1 - alpha) * g * g]
        velocity = rest.pop(0) if "momentum" in flags else None
        variance, mean = new[0], None
        if "centered" in flags:
            mean = alpha * rest.pop(0) + (1 - alpha) * g
            variance = variance - mean * mean
        change = g / (np.sqrt(variance) + eps)
        if velocity is not None:
            change = momentum * velocity + change
            new.append(change)
        return w - lr * change, new + ([mean] if mean is not None else [])

    return Rule([0.75, 1e-3, 0.125, 0.5], 1 + len(set(flags) & {"momentum", "centered"}), move)


def lamb(flags):
    def move(h, lr, t, w, g, slots):
        new = moments(h, g, slots)
        mean, square = new[0] / (1 - h[0] ** t), new[1] / (1 - h[1] ** t)
        return mean / (np.sqrt(square) + h[2]) + h[3] * w, new

    return Rule([0.75, 0.875, 1e-3, 0.125], 2, move, powers=2)


def keras_sgd(flags):
    def move(h, lr, t, w, g, slots):
        momentum, decay = h
        w = w - lr * decay * w
        if "momentum" not in flags:
            return w - lr * g, []
        velocity = momentum * slots[0] - lr * g
        return w + (momentum * velocity - lr * g if "nesterov" in flags else velocity), [velocity]

    return Rule([0.75, 0.125], int("momentum" in flags), move)


def keras_adam(flags):
    def move(h, lr, t, w, g, slots):
        w = w - lr * h[3] * w
        new = moments(h, g, slots)
        square = new[1]
        if "amsgrad" in flags:
            new.append(np.maximum(slots[2], square))
            square = new[2]
        size = lr * math.sqrt(1 - h[1] ** t) / (1 - h[0] ** t)
        return w - size * new[0] / (np.sqrt(square) + h[2]), new

    return Rule([0.75, 0.875, 1e-3, 0.125], 3 if "amsgrad" in flags else 2, move, powers=2)


RULES = {
    "sgd": (sgd, ([], ["momentum"], ["momentum", "nesterov"], ["maximize"])),
    "adam": (lambda flags: adam(flags, False), ([], ["amsgrad"], ["maximize"])),
    "adamw": (lambda flags: adam(flags, True), ([], ["amsgrad"])),
    "adamax": (adamax, ([], ["maximize"])),
    "adagrad": (adagrad, ([],)),
    "rmsprop": (rmsprop, ([], ["momentum"], ["centered"], ["momentum", "centered"])),
    "lamb": (lamb, ([], ["maximize"])),
    "keras-sgd": (keras_sgd, ([], ["momentum"], ["momentum", "nesterov"])),
    "keras-adam": (keras_adam, ([], ["amsgrad"])),
    "keras-adamw": (keras_adam, ([],)),
}
HOW_MANY_SCALARS = {
    "sgd": 5, "adam": 8, "adamw": 8, "adamax": 5, "adagrad": 3, "rmsprop": 6, "lamb": 9,
    "keras-sgd": 3, "keras-adam": 6, "keras-adamw": 6,
}  # fmt: skip
LR = 0.25


class Step:
    """`amp.prepare` and `amp.update` of one optimizer, one after the other."""

    def __init__(self, kind, flags, t=3, decay=True, skip=None, counts=False, gradient="f32", low=None):
        self.kind, self.flags, self.t, self.decay, self.skip = kind, flags, t, decay, skip
        self.counts, self.low = counts, low
        self.rule = RULES[kind][0](flags)
        self.w = vector("f32", [1.0, -2.5, 0.75, 3.0, -0.5])
        self.g = vector(gradient, [0.5, 1.25, -3.0, 0.0, 2.0])
        start = [[0.25, -0.5, 1.0, 0.125, -2.0], [5.0, 2.0, 6.0, 1.5, 7.0], [5.5, 1.0, 9.0, 1.0, 8.0]]
        order = [1, 0, 0] if kind in ("adagrad", "rmsprop") else [0, 1, 2]
        self.slots = [vector("f32", start[order[i]]) for i in range(self.rule.slots)]

    def label(self):
        parts = [self.kind.replace("-", "_"), *self.flags, f"step{self.t}"]
        parts += ["no_decay"] * (not self.decay) + [f"skip_{self.skip}".lower()] * (self.skip is not None)
        parts += ["counted"] * self.counts + [self.g.kind] * (self.g.kind != "f32")
        return "_".join(parts + [self.low] * bool(self.low))

    def moved(self):
        hyper = list(self.rule.hyper)
        if not self.decay:
            hyper[self.decay_index()] = 0.0
        g = -self.g.values if "maximize" in self.flags else self.g.values
        slots = [slot.values for slot in self.slots]
        return self.rule.move(hyper, LR, self.t, self.w.values, g, slots)

    def decay_index(self):
        return {"sgd": 2, "adagrad": 1, "rmsprop": 2, "keras-sgd": 1}.get(self.kind, 3)

    def update_results(self):
        new, slots = self.moved()
        # A direction is as if nothing were skipped: what uses it is.
        if self.skip and self.kind != "lamb":
            new = self.w.values
        slots = [s.values for s in self.slots] if self.skip else slots
        results = [Result("f32", new, 8.0, 1.0)] + [Result("f32", slot, 4.0, 0.25) for slot in slots]
        if self.low:
            results.append(Result(self.low, new, 0.51, 1.0))
        return results

    def state_results(self):
        moves = self.counts or not self.skip
        state = self.rule.state_after(self.t) if moves else self.rule.state(self.t)
        results = [Result("f64", np.array(value), 8.0) for value in state]
        if self.counts:
            results.append(Result("f64", np.array(self.t - 1.0 if self.skip else self.t)))
        return results

    def function(self):
        state = [scalar("f64", value) for value in self.rule.state(self.t)]
        state += [scalar("f64", self.t - 1.0)] * self.counts
        hyper = [scalar("f64", value) for value in self.rule.hyper]
        skip = [] if self.skip is None else [scalar("i1", self.skip)]
        inputs = [scalar("f64", LR), *skip, *state, *hyper, self.g, self.w, *self.slots]
        low = [vector(self.low, [0.0] * 5)] if self.low else []
        names = letters(len(inputs) + len(low))
        taken = iter(names)

        def take(tensors):
            return ", ".join(next(taken) for _ in tensors)

        lr, skipped = next(taken), f" skip({take(skip)})" if skip else ""
        flags = "[" + ", ".join(f'"{flag}"' for flag in self.flags) + "]"
        states, updates = self.state_results(), self.update_results()
        scalars = HOW_MANY_SCALARS[self.kind]
        prepared = f"({types_of(inputs[: 1 + len(skip) + len(state) + len(hyper)])})"
        made = ", ".join(["tensor<f64>"] * len(states) + ["tensor<f32>"] * scalars)
        values = [f"%r{i}" for i in range(len(states))] + [f"%s{i}" for i in range(scalars)]
        text = (
            f'{", ".join(values)} = amp.prepare "{self.kind}" flags {flags} lr({lr}){skipped} state({take(state)})'
            f" hyper({take(hyper)}){' counts_skips' if self.counts else ''} : {prepared} -> ({made})\n  "
        )
        results = [f"%r{len(states) + i}" for i in range(len(updates))]
        operands = [self.g, *skip, *[scalar("f32", 0.0)] * scalars, self.w, *self.slots, *low]
        text += (
            f'{", ".join(results)} = amp.update "{self.kind}" flags {flags} decay({str(self.decay).lower()})'
            f" gradient({take([0])}){skipped} scalars({', '.join(values[len(states):])})"
            f" parameter({take([0])}) slots({take(self.slots)})"
            f"{f' low({take([0])})' if low else ''} : ({types_of(operands)}) -> ({types_of(updates)})"
        )
        return Function(self.label(), inputs + low, text, states + updates)


def steps():
    for kind, (_, variants) in RULES.items():
        for flags in variants:
            yield Step(kind, flags)
        yield Step(kind, variants[0], t=1)
        yield Step(kind, variants[-1], decay=False)
        yield Step(kind, variants[-1], skip=True)
        yield Step(kind, variants[-1], skip=False, gradient="f16", low=None if kind == "lamb" else "bf16")
    yield Step("sgd", ["momentum"], t=1, gradient="bf16", low="f16")


def counted_steps():
    for kind in ("adamw", "sgd", "keras-adam"):
        for skip in (True, False):
            yield Step(kind, [], skip=skip, counts=True)


def families():
    return {
        "amp.unscale": unscale_functions(),
        "amp.clip": gradient_map("clip", "by", lambda a, f: a * f, 0.3),
        "amp.clamp": gradient_map("clamp", "within", clamped, 2.0),
        "amp.square_sums": row_op("square_sums", "f64", lambda a: (a * a).sum(1), 4.0),
        "amp.block_max_abs": row_op("block_max_abs", "f32", lambda a: np.abs(a).max(1), 0.0),
        "amp.combine_check": check_functions(),
        "amp.combine_max_abs": max_functions(),
        "amp.vector_norm": vector_norm_functions(),
        "amp.clip_coefficient": coefficient_functions(),
        "amp.segment_norms": segment_functions(),
        "amp.scale_segments": scale_segment_functions(),
        "amp.trust_ratio": ratio_functions(),
        "amp.larc_rate": larc_functions(),
        "amp.larc_decay": larc_decay_functions(),
        "amp.add_penalty": penalty_functions(),
        "amp.average_weight": average_weight_functions(),
        "amp.average": average_functions(),
        "amp.rounding_key": rounding_key_functions(),
        "amp.saturate_cast": saturate_functions(),
        "amp.add_gradient": add_gradient_functions(),
        "amp.descend": descend_functions(),
        "amp.update": (step.function() for step in steps()),
        "amp.prepare": (step.function() for step in counted_steps()),
    }
