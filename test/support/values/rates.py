# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the amp ops on the tensors of a slab: norms, rates, penalties, averages."""
import math

import numpy as np

from .gradients import GRADIENT_KINDS, exact_root, once
from .statement import Statement, scalar, simple, vector
from .text import Result, Tensor


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


def families():
    return {
        "amp.segment_norms": segment_functions(),
        "amp.scale_segments": scale_segment_functions(),
        "amp.trust_ratio": ratio_functions(),
        "amp.larc_rate": larc_functions(),
        "amp.larc_decay": larc_decay_functions(),
        "amp.add_penalty": penalty_functions(),
        "amp.average_weight": average_weight_functions(),
        "amp.average": average_functions(),
    }
