# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds `mpc-scale replay` against the documented rules of the systems whose policies it has.

    check_policies.py MPC-SCALE FOLDER [--plant]

Random strings of events under settings that nobody would choose (an interval of 1, scales
that are subnormal or next to the largest, factors of 1e30, a floor above the start), for each
policy in NumPy's float32 or Python's double, whichever the system counts in. Scale, counter
and skips must be equal to the bit. With --plant each expected scale is changed once: then
every policy must fail.
"""
import json
import math
import pathlib
import random
import subprocess
import sys

import numpy as np

TOOL, FOLDER, PLANT = sys.argv[1], pathlib.Path(sys.argv[2]), "--plant" in sys.argv
TRACES, STEPS = 12, 60
MAX = float(np.finfo(np.float32).max)
NORMAL = float(np.finfo(np.float32).tiny)
SINGLES = [65536.0, 1.0, 3.3, 2.0**-100, 2.0**120, 1e-40, 1.4e-45, 3e38, MAX, 0.1, 7.0]
DOUBLES = [65536.0, 1.0, 3.3, 2.0**24, 0.1]
INTERVALS = [1, 2, 3, 7]


def f32(x):
    return float(np.float32(x))


def times(x, y):
    return f32(np.float32(x) * np.float32(y))


def over(x, y):
    return f32(np.float32(x) / np.float32(y))


def finite_or(x, otherwise):
    return x if math.isfinite(x) else otherwise


# Each policy: its settings at random; then a generator, which is sent found_inf (of
# te_delayed: the amax) and yields scale and counter.
def torch_settings(r):
    return {
        "init_scale": r.choice(SINGLES),
        "growth_factor": r.choice([2.0, 1.1, 1e30, 1.0000001, 3.7]),
        "backoff_factor": r.choice([0.5, 0.9, 1e-30, 0.333, 0.0]),
        "growth_interval": r.choice(INTERVALS),
    }


def torch(c):
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
                scale, count = finite_or(f32(scale * c["growth_factor"]), scale), 0
        bad = yield scale, count


def keras_settings(r):
    return {"initial_scale": r.choice(SINGLES), "dynamic_growth_steps": r.choice(INTERVALS)}


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


def jmp_settings(r):
    return {
        "init": r.choice(SINGLES),
        "interval": r.choice(INTERVALS),
        "factor": r.choice([2, 3, 1000]),
        "min_loss_scale": r.choice([1.0, 1e-3, 65536.0]),
    }


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


def flax_settings(r):
    return {
        "init": r.choice(SINGLES),
        "interval": r.choice(INTERVALS),
        "growth_factor": r.choice([2.0, 3.5]),
        "backoff_factor": r.choice([0.5, 0.3]),
        "minimum_scale": r.choice([NORMAL, 1.0, 0.125]),
    }


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


def deepspeed_settings(r):
    return {
        "init_scale": r.choice([*DOUBLES, 2.0**32]),
        "scale_window": r.choice(INTERVALS),
        "min_scale": r.choice([1.0, 0.25, 1e-3]),
        "delayed_shift": r.choice([1, 2, 3]),
        "consecutive_hysteresis": r.choice([True, False]),
        "scale_factor": r.choice([2.0, 1.5, 10.0]),
        "raise_error_at_min_scale": False,
    }


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


def megatron_settings(r):
    return {
        "initial_scale": r.choice(SINGLES),
        "min_scale": r.choice([1.0, 1e-3, 64.0]),
        "growth_factor": r.choice([2.0, 1.5, 1e20]),
        "backoff_factor": r.choice([0.5, 0.25, 0.75]),
        "growth_interval": r.choice(INTERVALS),
        "hysteresis": r.choice([1, 2, 3]),
    }


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


def apex_settings(r):
    return {
        "init_scale": r.choice(DOUBLES),
        "scale_factor": 2.0,
        "scale_window": r.choice(INTERVALS),
        "min_loss_scale": r.choice([None, 1.0, 128.0]),
        "max_loss_scale": r.choice([2.0**24, 100.0, 2.0**30]),
    }


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


def ort_settings(r):
    return {
        "loss_scale": r.choice(DOUBLES),
        "up_scale_window": r.choice(INTERVALS),
        "min_loss_scale": r.choice([1.0, 128.0, 0.1]),
        "max_loss_scale": r.choice([2.0**24, 100.0, 2.0**30]),
    }


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


def backoff_settings(r):
    return {
        "scale_min": r.choice([1.0, 0.125, 64.0]),
        "scale_max": r.choice([16384.0, 2.0**24, 64.0, 1e6]),
        "step_factor": r.choice([2.0, 3.0, 1.5, 10.0]),
        "step_window": r.choice(INTERVALS),
    }


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


def te_settings(r):
    return {
        "margin": r.choice([0, 1, 2, 5]),
        "amax_history_len": r.choice([1, 2, 3, 16]),
        "amax_compute_algo": r.choice(["max", "most_recent"]),
        "fp8_max": r.choice([448.0, 57344.0]),
    }


def te_delayed(c):
    scale, history = 1.0, []
    amax = yield
    while True:
        history = [*history, f32(amax)][-c["amax_history_len"] :]
        amax = history[-1] if c["amax_compute_algo"] == "most_recent" else float(np.max(history))
        if amax > 0 and math.isfinite(amax):
            scale = finite_or(over(over(c["fp8_max"], amax), 2.0 ** c["margin"]), MAX)
        amax = yield scale, None


POLICIES = {
    "torch": (torch_settings, torch),
    "apex_hysteresis": (lambda r: {**torch_settings(r), "hysteresis": r.choice([1, 2, 3, 5])}, torch),
    "tf_keras": (keras_settings, lambda c: keras(c, 1.0, True)),
    "keras3": (keras_settings, lambda c: keras(c, 0.0, False)),
    "jmp": (jmp_settings, jmp),
    "flax": (flax_settings, flax),
    "deepspeed": (deepspeed_settings, deepspeed),
    "megatron": (megatron_settings, megatron),
    "apex": (apex_settings, apex),
    "ort": (ort_settings, ort),
    "openseq2seq_backoff": (backoff_settings, backoff),
    "te_delayed": (te_settings, te_delayed),
}
AMAXES = [1.0, 0.001, 3.3, 0.0, 1e-40, 1e-45, 3e38, math.inf, math.nan, 2.0**-130, 17.0]


def replay(name, config, events):
    """The printed lines of a trace."""
    def write(value):
        return value if math.isfinite(value) else str(value)

    key = "amax" if name == "te_delayed" else "found_inf"
    steps = [{"i": i, "action": "step", key: write(event)} for i, event in enumerate(events)]
    path = FOLDER / f"{name}.json"
    path.write_text(json.dumps({"policy": name, "config": config, "steps": steps}))
    done = subprocess.run([TOOL, "replay", str(path)], capture_output=True, text=True)
    if done.returncode or len(done.stdout.splitlines()) != len(events):
        raise AssertionError(f"exit {done.returncode}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(name, config, events, rule):
    states = rule(config)
    next(states)
    for i, (event, line) in enumerate(zip(events, replay(name, config, events))):
        scale, count = states.send(event)
        if PLANT and i == STEPS // 2:
            scale = np.nextafter(scale, 0.0) if scale else 1.0
        found = float(line["scale"])
        if found != scale or line["counter"] != count:
            raise AssertionError(f"{config}, step {i}: {found!r}, {line['counter']}, expected {scale!r}, {count}")
        if count is not None and line["applied"] == event:
            raise AssertionError(f"{config}, step {i}: applied is {line['applied']}")


failed = 0
for name, (settings, rule) in POLICIES.items():
    # Growth to infinity multiplies it on; a product may be 0 times that.
    np.seterr(all="ignore")
    r = random.Random(name)
    try:
        for _ in range(TRACES):
            chance = r.choice([0.1, 0.3, 0.6])
            amaxes = name == "te_delayed"
            events = [r.choice(AMAXES) if amaxes else r.random() < chance for _ in range(STEPS)]
            check(name, settings(r), events, rule)
        print(f"ok   {name}: {TRACES} traces")
    except AssertionError as error:
        failed += 1
        print(f"FAIL {name}: {error}")
sys.exit(0 if failed == (len(POLICIES) if PLANT else 0) else 1)
