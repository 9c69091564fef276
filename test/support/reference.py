# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers, loss-scale policies and roundings in NumPy, as their systems document them.

What tests judge mpc by: nothing here calls mpc or was written from its sources. Optimizers
compute in float64; policies in float32 or in Python's double, whichever their system counts in.
"""
import math

import numpy as np

MAX = float(np.finfo(np.float32).max)
NORMAL = float(np.finfo(np.float32).tiny)  # The least normal number.


# --- gradients ----------------------------------------------------------------------------------


def global_norm(gradients):
    return np.sqrt(sum((g * g).sum() for g in gradients.values()))


def clip(gradients, bound):
    """PyTorch's clip_grad_norm_."""
    factor = min(1.0, bound / (global_norm(gradients) + 1e-6))
    return {key: gradient * factor for key, gradient in gradients.items()}


# --- optimizers ---------------------------------------------------------------------------------


class Optimizer:
    """Moves the weights that have a gradient; what has none keeps its slots and its count."""

    def __init__(self, rate, decay=0.0):
        self.rate, self.decay = rate, decay
        self.slots, self.counts = {}, {}  # Of a tensor, by its name.

    def step(self, weights, gradients):
        for key, gradient in gradients.items():
            slots = self.slots.setdefault(key, {name: np.zeros_like(gradient) for name in self.names()})
            self.counts[key] = self.counts.get(key, 0) + 1
            weights[key] = self.move(weights[key], gradient, slots, self.counts[key])


class Sgd(Optimizer):
    def __init__(self, rate, momentum=0.0, decay=0.0):
        super().__init__(rate, decay)
        self.momentum = momentum

    def names(self):
        return ["momentum_buffer"] if self.momentum else []

    def move(self, weight, gradient, slots, count):
        gradient = gradient + self.decay * weight
        if self.momentum:
            gradient = slots["momentum_buffer"] = self.momentum * slots["momentum_buffer"] + gradient
        return weight - self.rate * gradient


class RmsProp(Optimizer):
    """PyTorch's, which is Hinton's with epsilon outside of the root."""

    def __init__(self, rate, alpha, epsilon, decay=0.0, centered=False, momentum=0.0):
        super().__init__(rate, decay)
        self.alpha, self.epsilon, self.centered, self.momentum = alpha, epsilon, centered, momentum

    def names(self):
        optional = {"grad_avg": self.centered, "momentum_buffer": self.momentum}
        return ["square_avg", *(name for name, there in optional.items() if there)]

    def move(self, weight, gradient, slots, count):
        def average(name, value):
            slots[name] = self.alpha * slots[name] + (1 - self.alpha) * value
            return slots[name]

        gradient = gradient + self.decay * weight
        variance = average("square_avg", gradient**2)
        if self.centered:
            variance = variance - average("grad_avg", gradient) ** 2
        change = gradient / (np.sqrt(variance) + self.epsilon)
        if self.momentum:
            change = slots["momentum_buffer"] = self.momentum * slots["momentum_buffer"] + change
        return weight - self.rate * change


class AdamW(Optimizer):
    """With decoupled decay (Loshchilov and Hutter); without decay it is Adam."""

    def __init__(self, rate, decay=0.0, betas=(0.9, 0.999), epsilon=1e-8):
        super().__init__(rate, decay)
        self.betas, self.epsilon = betas, epsilon

    def names(self):
        return ["exp_avg", "exp_avg_sq"]

    def spread(self, gradient, mean):
        """What the second moment is the average square of."""
        return gradient

    def move(self, weight, gradient, slots, count):
        first, second = self.betas
        mean = slots["exp_avg"] = first * slots["exp_avg"] + (1 - first) * gradient
        square = self.spread(gradient, mean) ** 2
        square = slots["exp_avg_sq"] = second * slots["exp_avg_sq"] + (1 - second) * square
        return weight * (1 - self.rate * self.decay) - self.change(mean, square, count)

    def change(self, mean, square, count):
        mean, square = (m / (1 - beta**count) for m, beta in zip((mean, square), self.betas))
        return self.rate * mean / (np.sqrt(square) + self.epsilon)


class AdaBelief(AdamW):
    """Zhuang and others, without the epsilon inside the second moment."""

    def spread(self, gradient, mean):
        return gradient - mean


class KerasAdam(AdamW):
    """Epsilon is added to the root that is not corrected; all tensors share `iterations`."""

    def __init__(self, rate):
        super().__init__(rate, epsilon=1e-7)
        self.iterations = 0

    def step(self, weights, gradients):
        self.iterations += 1
        super().step(weights, gradients)

    def change(self, mean, square, count):
        first, second = self.betas
        size = self.rate * np.sqrt(1 - second**self.iterations) / (1 - first**self.iterations)
        return size * mean / (np.sqrt(square) + self.epsilon)


# --- stochastic rounding ------------------------------------------------------------------------


def hash32(x):
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = ((x ^ (x >> shift)) * factor) & 0xFFFFFFFF
    return x ^ (x >> 16)


def rounded(value, seed, step, places, salt=0, f16=False):
    """bf16 or f16 by the bits that amp.rounding_key specifies."""
    key = salt
    for word in (seed & 0xFFFFFFFF, seed >> 32, step, 0):
        key = hash32((hash32(key) + word) & 0xFFFFFFFF)
    random = hash32((key + places * 0x9E3779B9) & 0xFFFFFFFF) >> 16
    if not f16:
        bits = (value.ravel().view(np.uint32).astype(np.uint64) + random) & 0xFFFF0000
        return bits.astype(np.uint32).view(np.float32).reshape(value.shape)
    size = np.abs(value.ravel())
    bits = (size.view(np.uint32).astype(np.uint64) + (random >> 3)) & 0xFFFFE000
    normal = np.minimum(bits.astype(np.uint32).view(np.float32), np.float32(65504))
    units = size.astype(np.float64) * 2.0**24
    small = (np.floor(units) + (random < (units - np.floor(units)) * 2.0**16)) * 2.0**-24
    result = np.where(size < 2.0**-14, small, normal).astype(np.float32)
    return np.copysign(result, value.ravel()).reshape(value.shape)


def neighbours(value, f16):
    """The numbers of the type at and next to `value`, by magnitude."""
    if not f16:
        bits = np.abs(value).view(np.uint32) & np.uint32(0xFFFF0000)
        return bits.view(np.float32), (bits + np.uint32(0x10000)).view(np.float32)
    nearest = np.abs(value).astype(np.float16)
    down = np.where(nearest > np.abs(value), np.nextafter(nearest, np.float16(0)), nearest)
    return down.astype(np.float32), np.nextafter(down, np.float16(np.inf)).astype(np.float32)


# --- loss-scale policies ------------------------------------------------------------------------


def f32(x):
    return float(np.float32(x))


def times(x, y):
    return f32(np.float32(x) * np.float32(y))


def over(x, y):
    return f32(np.float32(x) / np.float32(y))


def finite_or(x, otherwise):
    return x if math.isfinite(x) else otherwise


# Each rule is a generator of what it is configured by, under its system's own names: it is sent
# found_inf (te_delayed: the amax) of a step, and yields the scale and the counter after it.
def torch(c, cap=math.inf):
    scale, count = f32(c["init_scale"]), 0
    left = tolerated = c.get("hysteresis", 1)
    bad = yield
    while True:
        if bad:
            count, left = 0, left - 1
            scale = f32(scale * c["backoff_factor"]) if left <= 0 else scale
        else:
            count, left = count + 1, tolerated
            if count == c["growth_interval"]:
                grown = f32(scale * c["growth_factor"])
                scale, count = min(finite_or(grown, scale), cap), 0
        bad = yield scale, count


def keras(c, floor, guarded):
    scale, count = f32(c["initial_scale"]), 0
    bad = yield
    while True:
        count = 0 if bad else count + 1
        if bad:
            scale = max(times(scale, 0.5), floor)
        elif count == c["dynamic_growth_steps"]:
            grown = times(scale, 2)
            scale, count = finite_or(grown, scale) if guarded else grown, 0
        bad = yield scale, count


def jmp(c):
    scale, count = f32(c["init"]), 0
    bad = yield
    while True:
        if bad:
            scale, count = max(f32(c["min_loss_scale"]), over(scale, c["factor"])), 0
        else:
            if count == c["interval"] - 1:
                scale = finite_or(times(scale, c["factor"]), scale)
            count = (count + 1) % c["interval"]
        bad = yield scale, count


def flax(c):
    scale, count = f32(c["init"]), 0
    bad = yield
    while True:
        if bad:
            scale, count = max(times(scale, c["backoff_factor"]), f32(c["minimum_scale"])), 0
        elif count == c["interval"]:
            scale, count = min(times(scale, c["growth_factor"]), MAX), 0
        else:
            count += 1
        bad = yield scale, count


def deepspeed(c):
    scale, left, step, last = c["init_scale"], c["delayed_shift"], 0, -1
    bad = yield
    while True:
        stable = step - last - 1
        grows = not bad and stable > 0 and stable % c["scale_window"] == 0
        if bad:
            last = step
            if left == 1:
                scale = max(scale / c["scale_factor"], c["min_scale"])
            else:
                left -= 1
        elif c["consecutive_hysteresis"] or grows:
            left = c["delayed_shift"]
        scale = scale * c["scale_factor"] if grows else scale
        step += 1
        bad = yield scale, step - last - 1


def megatron(c):
    scale, count, left = f32(c["initial_scale"]), 0, c["hysteresis"]
    bad = yield
    while True:
        count, left = (0, left - 1) if bad else (count + 1, left)
        if bad and left <= 0:
            scale = max(times(scale, c["backoff_factor"]), f32(c["min_scale"]))
        if count == c["growth_interval"]:
            scale, count, left = times(scale, c["growth_factor"]), 0, c["hysteresis"]
        bad = yield scale, count


def apex(c):
    scale, count = min(c["max_loss_scale"], c["init_scale"]), 0
    bad = yield
    while True:
        count = 0 if bad else count + 1
        if bad:
            scale = max(c["min_loss_scale"] or 0.0, scale / 2)
        if count == c["scale_window"]:
            scale, count = min(c["max_loss_scale"], scale * 2), 0
        bad = yield scale, count


def ort(c):
    scale, count = c["loss_scale"], 0
    bad = yield
    while True:
        count = 0 if bad else count + 1
        if bad:
            scale = max(c["min_loss_scale"], scale / 2)
        elif count >= c["up_scale_window"]:
            scale, count = min(c["max_loss_scale"], scale * 2), 0
        bad = yield scale, count


def backoff(c):
    scale, step, last = f32(c["scale_max"]), 0, -1
    bad = yield
    while True:
        last = step if bad else last
        if bad:
            scale = over(scale, c["step_factor"])
        elif (step - last) % c["step_window"] == 0:
            scale = times(scale, c["step_factor"])
        scale = max(min(scale, f32(c["scale_max"])), f32(c["scale_min"]))
        step += 1
        bad = yield scale, (step - last - 1) % c["step_window"]


def te_delayed(c):
    scale, history = 1.0, []
    amax = yield
    while True:
        history = [*history, f32(amax)][-c["amax_history_len"] :]
        amax = history[-1] if c["amax_compute_algo"] == "most_recent" else float(np.max(history))
        if amax > 0 and math.isfinite(amax):
            scale = finite_or(over(over(c["fp8_max"], amax), 2.0 ** c["margin"]), MAX)
        amax = yield scale, None
