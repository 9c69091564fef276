# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what surrounds the optimizer's rule to float64: penalties, LARC, averages of weights,
gradients that are there in some steps only, and weights in bf16 that are rounded stochastically.

    check_step_rules.py MPC-SCALE FOLDER [--plant]

Plain gradient descent on cases written to FOLDER, fused and unfused, which must print the
same. With --plant each expectation is changed a little first: then every check must fail.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
PLANT = "--plant" in sys.argv[3:]
LR = float(np.float32(0.1))
SCALE = 1024.0
SHAPES = {"w": (70, 90), "b": (90,), "zero": (5,)}
STEPS = 6
BAD = 3  # This step's gradients hold an infinity.


def make_case(name, **extra):
    rng = np.random.default_rng(list(name.encode()))
    values = {key: rng.normal(0, 0.5, shape).astype(np.float32) for key, shape in SHAPES.items()}
    values["zero"][:] = 0
    steps = []
    for step in range(STEPS):
        scale = SCALE / (2 if step > BAD else 1)
        gradients = {key: rng.normal(0, 0.01, shape).astype(np.float32) for key, shape in SHAPES.items()}
        scaled = {key: gradient * np.float32(scale) for key, gradient in gradients.items()}
        if step == BAD:
            scaled["b"][7] = np.inf
        steps.append((gradients, scaled))
    case = {
        "optimizer": {"name": "sgd", "lr": 0.1},
        "scaler": {"init_scale": SCALE, "growth_interval": 1000},
        "low_dtype": "float32",
        "init_params": [{"name": k, "shape": list(v.shape), "values": v.ravel().tolist()} for k, v in values.items()],
        "steps": [
            {"scaled_grads": {k: {"bits": [f"{b:08x}" for b in g.ravel().view(np.uint32).tolist()]} for k, g in scaled.items()}}
            for _, scaled in steps
        ],
        **extra,
    }
    path = FOLDER / f"{name}.json"
    path.write_text(json.dumps(case))
    return path, values, [gradients for gradients, _ in steps]


def run(path, applied=[step != BAD for step in range(STEPS)]):
    outputs = [
        subprocess.run([TOOL, "step", str(path), *flags], capture_output=True, text=True, check=True).stdout
        for flags in ([], ["--unfused"])
    ]
    assert outputs[0] == outputs[1], f"{path.stem}: fused and unfused differ"
    lines = [json.loads(line) for line in outputs[0].splitlines()]
    assert [line["applied"] for line in lines] == applied
    return lines


def near(found, expected, what, ulp=4):
    """Within `ulp` units of the tensor's largest element."""
    found = np.array(found, np.float64)
    expected = expected.ravel().astype(np.float64) * (1 + 1e-5 if PLANT else 1) + (1e-6 if PLANT else 0)
    unit = np.spacing(np.float32(np.abs(expected).max()))
    worst = np.abs(found - expected).max() / unit
    if not worst <= ulp:
        raise AssertionError(f"{what}: {worst:.3g} units off")


def descend(name, change, **extra):
    """Runs a case; `change` makes of a gradient and its weight what descends."""
    path, values, gradients = make_case(name, **extra)
    weights = {key: value.astype(np.float64) for key, value in values.items()}
    average = None
    for step, line in enumerate(run(path)):
        if step != BAD:
            weights = {k: w - LR * change(k, gradients[step][k].astype(np.float64), w) for k, w in weights.items()}
            if average is None:
                average = dict(weights)
            else:
                average = {k: a + 0.25 * (weights[k] - a) for k, a in average.items()}
        for key in SHAPES:
            near(line["params"][key], weights[key], f"step {step}: {key}")
            if "ema_decay" in extra:
                near(line["slots"][key]["ema"], average[key], f"step {step}: {key}/ema")
            # What follows starts where mpc is: errors must not add up.
            weights[key] = np.array(line["params"][key]).reshape(SHAPES[key])


def penalties():
    def change(key, gradient, weight):
        return gradient if key == "b" else gradient + 0.02 * np.sign(weight) + 2 * 0.03 * weight

    descend("penalties", change, l1=0.02, l2=0.03, no_decay=["b"])


def larc(mode):
    eta, least, epsilon = 0.02, 1e-7, 1e-7

    def change(_, gradient, weight):
        norms = np.sqrt((weight**2).sum()), np.sqrt((gradient**2).sum())
        if mode == "clip":
            return gradient * min(max(eta * norms[0] / (LR * (norms[1] + epsilon)), least), 1.0)
        return gradient * max(eta * norms[0] / (norms[1] + epsilon), least)

    descend(f"larc-{mode}", change, larc={"mode": mode, "eta": eta, "min_update": least, "eps": epsilon})


def presence():
    """Gradients that come and go: where one is null its tensor is left alone, by the decay
    too, and its step count with it, as PyTorch has it. A tensor that never has one has no
    slots, and a step without any is a finite one."""
    there = {"w": range(8), "b": (1, 3, 4, 6), "zero": (0, 4), "never": ()}
    shapes = {"w": (7, 9), "b": (9,), "zero": (5,), "never": (4,)}
    bad, none = 3, 7  # An infinity in b; no gradient at all.
    beta1, beta2, epsilon, decay, rate = 0.9, 0.999, 1e-8, 0.1, 0.01
    rng = np.random.default_rng(21)
    weights = {k: rng.normal(0, 0.5, s).astype(np.float32) for k, s in shapes.items()}
    steps, gradients = [], []
    for step in range(8):
        scale, made, entries = SCALE / (2 if step > bad else 1), {}, {}
        for key, shape in shapes.items():
            made[key] = rng.normal(0, 0.01, shape).astype(np.float32)
            scaled = made[key] * np.float32(scale)
            if key == "b" and step == bad:
                scaled[2] = np.inf
            has = step in there[key] and step != none
            entries[key] = {"bits": [f"{b:08x}" for b in scaled.ravel().view(np.uint32).tolist()]} if has else None
        steps.append({"scaled_grads": entries})
        gradients.append(made)
    case = {
        "optimizer": {"name": "adamw", "lr": rate, "weight_decay": decay},
        "scaler": {"init_scale": SCALE, "growth_interval": 1000},
        "low_dtype": "float32",
        "init_params": [{"name": k, "shape": list(v.shape), "values": v.ravel().tolist()} for k, v in weights.items()],
        "steps": steps,
    }
    path = FOLDER / "presence.json"
    path.write_text(json.dumps(case))
    lines = run(path, [step != bad for step in range(8)])
    now = {k: [w.astype(np.float64), np.zeros(w.shape), np.zeros(w.shape), 0] for k, w in weights.items()}
    for step, line in enumerate(lines):
        for key, state in now.items():
            if step not in there[key] or step in (bad, none):
                continue
            weight, mean, square, count = state
            gradient, count = gradients[step][key].astype(np.float64), count + 1
            mean = beta1 * mean + (1 - beta1) * gradient
            square = beta2 * square + (1 - beta2) * gradient**2
            denominator = np.sqrt(square / (1 - beta2**count)) + epsilon
            weight = weight * (1 - rate * decay) - rate * mean / (1 - beta1**count) / denominator
            now[key] = [weight, mean, square, count]
        for key, (weight, mean, _, _) in now.items():
            near(line["params"][key], weight, f"step {step}: {key}", ulp=16)
            if mean.any():
                near(line["slots"][key]["exp_avg"], mean, f"step {step}: {key}/exp_avg", ulp=16)
        assert line["slots"]["never"] == {}, "what never has a gradient has slots"
    assert lines[-1]["counter"] == 4 and not lines[-1]["found_inf"]


def ema():
    descend("ema", lambda key, gradient, weight: gradient, ema_decay=0.75)


def hash32(x):
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = ((x ^ (x >> shift)) * factor) & 0xFFFFFFFF
    return x ^ (x >> 16)


def rounded(value, seed, step, places):
    """bf16 by the bits that amp.rounding_key specifies."""
    key = 0
    for word in (seed & 0xFFFFFFFF, seed >> 32, step, 0):
        key = hash32((hash32(key) + word) & 0xFFFFFFFF)
    random = hash32((key + places * 0x9E3779B9) & 0xFFFFFFFF) >> 16
    bits = (value.ravel().view(np.uint32).astype(np.uint64) + random) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).reshape(value.shape)


def bias_of(stored, exact):
    """The mean error in standard errors of a rounding without bias, with which an error of
    f * unit has the variance f (1 - f) unit^2."""
    down = (exact.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)
    up = ((exact.view(np.uint32) & np.uint32(0xFFFF0000)) + np.uint32(0x10000)).view(np.float32).astype(np.float64)
    fraction = (exact - down) / (up - down)
    assert np.all((stored == down) | (stored == up)), "a weight is none of the two neighbours"
    error = (stored - exact) / np.abs(up - down)
    return abs(error.mean()) / np.sqrt((fraction * (1 - fraction)).mean() / error.size)


def stochastic():
    seed = 0x123456789A
    path, values, gradients = make_case("stochastic", master_weights=False, rounding_seed=seed)
    lines = run(path)
    # On the way in: to nearest, which NumPy does by adding half a unit.
    weight = {}
    for key, value in values.items():
        bits = value.view(np.uint32).astype(np.uint64)
        bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
        weight[key] = bits.astype(np.uint32).view(np.float32)
    applied, worst = 0, 0.0
    for step, line in enumerate(lines):
        found = {k: np.array(line["params"][k], np.float32).reshape(SHAPES[k]) for k in SHAPES}
        if step == BAD:
            assert all((found[k] == weight[k]).all() for k in SHAPES), "a skipped step moved a weight"
            continue
        place = 0
        for key in SHAPES:
            exact = (weight[key].astype(np.float64) - LR * gradients[step][key].astype(np.float64)).astype(np.float32)
            places = np.arange(place, place + exact.size, dtype=np.uint64)
            expected = rounded(exact, seed, applied + (1 if PLANT else 0), places)
            assert (found[key] == expected).all(), f"step {step}: {key}: {np.count_nonzero(found[key] != expected)} differ"
            place = (place + exact.size + 31) // 32 * 32
            if key == "w":
                worst = max(worst, bias_of(found[key], exact))
        weight = found
        applied += 1
    assert worst < 4, f"the mean error is {worst:.1f} standard errors"


def bias():
    """The judge of `stochastic` is one: it finds out rounding towards zero and to nearest."""
    rng = np.random.default_rng(5)
    exact = (1 + rng.random(20000) / 4).astype(np.float32)
    assert bias_of(rounded(exact, 1, 2, np.arange(20000, dtype=np.uint64)), exact) < (0 if PLANT else 4)
    truncated = (exact.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    assert bias_of(truncated, exact) > 4
    small = np.float32(1) + (rng.random(20000) / 1024).astype(np.float32)
    assert bias_of(np.ones_like(small), small) > 4


CHECKS = {
    "penalties": penalties,
    "larc clip": lambda: larc("clip"),
    "larc scale": lambda: larc("scale"),
    "average": ema,
    "gradients that come and go": presence,
    "stochastic rounding": stochastic,
    "bias": bias,
}
failed = 0
for name, check in CHECKS.items():
    try:
        check()
        print(f"ok   {name}")
    except (AssertionError, subprocess.CalledProcessError) as error:
        failed += 1
        print(f"FAIL {name}: {getattr(error, 'stderr', None) or error}")
sys.exit(0 if failed == (len(CHECKS) if PLANT else 0) else 1)
