# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of one step of every optimizer: `amp.prepare` and `amp.update`.

The rules are written from their definitions in PyTorch, optax and Keras, in float64.
"""
import math

import numpy as np

from .statement import scalar, types_of, vector
from .text import Function, Result, letters


class Rule:
    """One optimizer: `move` takes hyper-parameters h, the number t of this step from 1, weights,
    gradients and slots, and yields the new weights (lamb: the direction) and slots. State are the
    powers of those of h that `powers` numbers, and what `kept` says of h and t. h[decay] is the
    weight decay, where there is one."""

    def __init__(self, hyper, slots, move, decay, powers=(), kept=lambda h, t: []):
        self.hyper, self.slots, self.move, self.decay = hyper, slots, move, decay
        self.powers, self.kept = powers, kept

    def state(self, t):
        """Before step t: how many there were, the powers of the betas, and what else is kept."""
        return [t - 1.0] + [self.hyper[i] ** (t - 1.0) for i in self.powers] + self.kept(self.hyper, t)

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

    return Rule([0.9, 0.25, 0.125], int("momentum" in flags), move, decay=2)


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

    return Rule([0.75, 0.875, 1e-3, 0.125], 3 if "amsgrad" in flags else 2, move, decay=3, powers=(0, 1))


def adamax(flags):
    def move(h, lr, t, w, g, slots):
        g = g + h[3] * w
        mean = h[0] * slots[0] + (1 - h[0]) * g
        top = np.maximum(h[1] * slots[1], np.abs(g) + h[2])
        return w - lr / (1 - h[0] ** t) * mean / top, [mean, top]

    return Rule([0.75, 0.875, 1e-3, 0.125], 2, move, decay=3, powers=(0,))


def nadam(flags):
    def momentum(h, t):
        return h[0] * (1 - 0.5 * 0.96 ** (t * h[4]))

    def product(h, t):
        """Of the steps before t, as PyTorch keeps it: in float32."""
        found = np.float32(1)
        for step in range(1, t):
            found *= np.float32(momentum(h, step))
        return float(found)

    def move(h, lr, t, w, g, slots):
        if "decoupled_weight_decay" in flags:
            w = w - lr * h[3] * w
        else:
            g = g + h[3] * w
        new = moments(h, g, slots)
        root = np.sqrt(new[1] / (1 - h[1] ** t)) + h[2]
        of_gradient = (1 - momentum(h, t)) / (1 - product(h, t + 1))
        of_mean = momentum(h, t + 1) / (1 - product(h, t + 1) * momentum(h, t + 1))
        return w - lr * (of_gradient * g + of_mean * new[0]) / root, new

    return Rule([0.75, 0.875, 1e-3, 0.125, 2.5], 2, move, decay=3, powers=(1,), kept=lambda h, t: [product(h, t)])


def radam(flags):
    def move(h, lr, t, w, g, slots):
        if "decoupled_weight_decay" in flags:
            w = w - lr * h[3] * w
        else:
            g = g + h[3] * w
        new = moments(h, g, slots)
        limit = 2 / (1 - h[1]) - 1
        length = limit - 2 * t * h[1] ** t / (1 - h[1] ** t)
        size = lr / (1 - h[0] ** t)
        if length > 5:
            size *= math.sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length))
            size = size * math.sqrt(1 - h[1] ** t) / (np.sqrt(new[1]) + h[2])
        return w - size * new[0], new

    return Rule([0.75, 0.875, 1e-3, 0.125], 2, move, decay=3, powers=(0, 1))


def adagrad(flags):
    def move(h, lr, t, w, g, slots):
        g = g + h[1] * w
        total = slots[0] + g * g
        return w - lr / (1 + (t - 1) * h[0]) * g / (np.sqrt(total) + h[3]), [total]

    return Rule([0.25, 0.125, 0.5, 1e-3], 1, move, decay=1)


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

    return Rule([0.75, 1e-3, 0.125, 0.5], 1 + len(set(flags) & {"momentum", "centered"}), move, decay=2)


def adadelta(flags):
    def move(h, lr, t, w, g, slots):
        rho, eps, decay = h
        g = g + decay * w
        square = rho * slots[0] + (1 - rho) * g * g
        delta = np.sqrt(slots[1] + eps) / np.sqrt(square + eps) * g
        return w - lr * delta, [square, rho * slots[1] + (1 - rho) * delta * delta]

    return Rule([0.75, 1e-3, 0.125], 2, move, decay=2)


def rprop(flags):
    def move(h, lr, t, w, g, slots):
        minus, plus, least, most = h
        product = g * slots[0]
        size = np.full_like(w, lr) if t == 1 else slots[1]
        size = np.clip(size * np.where(product > 0, plus, np.where(product < 0, minus, 1)), least, most)
        g = np.where(product < 0, 0, g)
        return w - np.sign(g) * size, [g, size]

    return Rule([0.25, 1.5, 0.75, 2.5], 2, move, decay=None)


def asgd(flags):
    def eta(h, t):
        """Of step t, as PyTorch keeps it: in float32."""
        return LR if t == 1 else float(np.float32(LR / (1 + h[0] * LR * (t - 1)) ** h[1]))

    def mu(h, t):
        return float(np.float32(1 / max(1, t - 1 - h[2])))

    def move(h, lr, t, w, g, slots):
        g = g + h[3] * w
        w = w * (1 - h[0] * eta(h, t)) - eta(h, t) * g
        return w, [slots[0] + mu(h, t) * (w - slots[0])]

    # What is kept before the first step is never read.
    return Rule([0.25, 0.75, 4.5, 0.125], 1, move, decay=3,
                kept=lambda h, t: [eta(h, t) if t > 1 else 0.0, mu(h, t)])


def lamb(flags):
    def move(h, lr, t, w, g, slots):
        new = moments(h, g, slots)
        mean, square = new[0] / (1 - h[0] ** t), new[1] / (1 - h[1] ** t)
        return mean / (np.sqrt(square) + h[2]) + h[3] * w, new

    return Rule([0.75, 0.875, 1e-3, 0.125], 2, move, decay=3, powers=(0, 1))


def keras_sgd(flags):
    def move(h, lr, t, w, g, slots):
        momentum, decay = h
        w = w - lr * decay * w
        if "momentum" not in flags:
            return w - lr * g, []
        velocity = momentum * slots[0] - lr * g
        return w + (momentum * velocity - lr * g if "nesterov" in flags else velocity), [velocity]

    return Rule([0.75, 0.125], int("momentum" in flags), move, decay=1)


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

    return Rule([0.75, 0.875, 1e-3, 0.125], 3 if "amsgrad" in flags else 2, move, decay=3, powers=(0, 1))


def lion(flags):
    def move(h, lr, t, w, g, slots):
        w = w - lr * h[2] * w
        direction = h[0] * slots[0] + (1 - h[0]) * g
        return w - lr * np.sign(direction), [h[1] * slots[0] + (1 - h[1]) * g]

    return Rule([0.75, 0.875, 0.125], 1, move, decay=2)


RULES = {
    "sgd": (sgd, ([], ["momentum"], ["momentum", "nesterov"], ["maximize"])),
    "adam": (lambda flags: adam(flags, False), ([], ["amsgrad"], ["maximize"])),
    "adamw": (lambda flags: adam(flags, True), ([], ["amsgrad"])),
    "adamax": (adamax, ([], ["maximize"])),
    "nadam": (nadam, ([], ["decoupled_weight_decay"], ["maximize"])),
    "radam": (radam, ([], ["decoupled_weight_decay"], ["maximize"])),
    "asgd": (asgd, ([], ["maximize"])),
    "adagrad": (adagrad, ([],)),
    "rmsprop": (rmsprop, ([], ["momentum"], ["centered"], ["momentum", "centered"])),
    "adadelta": (adadelta, ([], ["maximize"])),
    "rprop": (rprop, ([], ["maximize"])),
    "lion": (lion, ([], ["maximize"])),
    "lamb": (lamb, ([], ["maximize"])),
    "keras-sgd": (keras_sgd, ([], ["momentum"], ["momentum", "nesterov"])),
    "keras-adam": (keras_adam, ([], ["amsgrad"])),
    "keras-adamw": (keras_adam, ([],)),
}
HOW_MANY_SCALARS = {
    "sgd": 5, "adam": 8, "adamw": 8, "adamax": 5, "nadam": 9, "radam": 11, "asgd": 4, "adagrad": 3, "rmsprop": 6,
    "adadelta": 5, "rprop": 6, "lion": 6, "lamb": 9,
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
        order = {"adagrad": [1], "rmsprop": [1, 0, 0], "adadelta": [1, 2], "rprop": [0, 1]}.get(kind, [0, 1, 2])
        self.slots = [vector("f32", start[order[i]]) for i in range(self.rule.slots)]

    def label(self):
        parts = [self.kind.replace("-", "_"), *self.flags, f"step{self.t}"]
        parts += ["no_decay"] * (not self.decay) + [f"skip_{self.skip}".lower()] * (self.skip is not None)
        parts += ["counted"] * self.counts + [self.g.kind] * (self.g.kind != "f32")
        return "_".join(parts + [self.low] * bool(self.low))

    def moved(self):
        hyper = list(self.rule.hyper)
        if not self.decay and self.rule.decay is not None:
            hyper[self.rule.decay] = 0.0
        g = -self.g.values if "maximize" in self.flags else self.g.values
        slots = [slot.values for slot in self.slots]
        return self.rule.move(hyper, LR, self.t, self.w.values, g, slots)

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
    yield Step("radam", [], t=9)  # Long enough to be rectified.
    yield Step("asgd", [], t=9)  # Old enough to be averaged.
    yield Step("sgd", ["momentum"], t=1, gradient="bf16", low="f16")


def counted_steps():
    for kind in ("adamw", "sgd", "keras-adam"):
        for skip in (True, False):
            yield Step(kind, [], skip=skip, counts=True)


def families():
    return {
        "amp.update": (step.function() for step in steps()),
        "amp.prepare": (step.function() for step in counted_steps()),
    }
