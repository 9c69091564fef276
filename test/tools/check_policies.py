# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds `mpc-scale replay` against the documented rules of the systems whose policies it has.

    check_policies.py MPC-SCALE FOLDER

Random strings of events under settings that nobody would choose (an interval of 1, scales
that are subnormal or next to the largest, factors of 1e30, a floor above the start), for each
policy in NumPy's float32 or Python's double, whichever the system counts in. Scale, counter
and skips must be equal to the bit. Then one expected scale of each trace is changed, and every
policy must fail.
"""
import json
import math
import pathlib
import random
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import reference
from reference import MAX, NORMAL
from remembered import Answers

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
ANSWERS = Answers()
TRACES, STEPS = 12, 60
SINGLES = [65536.0, 1.0, 3.3, 2.0**-100, 2.0**120, 1e-40, 1.4e-45, 3e38, MAX, 0.1, 7.0]
DOUBLES = [65536.0, 1.0, 3.3, 2.0**24, 0.1]
INTERVALS = [1, 2, 3, 7]


# The settings of each policy, at random.
def torch_settings(r):
    return {
        "init_scale": r.choice(SINGLES),
        "growth_factor": r.choice([2.0, 1.1, 1e30, 1.0000001, 3.7]),
        "backoff_factor": r.choice([0.5, 0.9, 1e-30, 0.333, 0.0]),
        "growth_interval": r.choice(INTERVALS),
    }


def keras_settings(r):
    return {"initial_scale": r.choice(SINGLES), "dynamic_growth_steps": r.choice(INTERVALS)}


def jmp_settings(r):
    return {
        "init": r.choice(SINGLES),
        "interval": r.choice(INTERVALS),
        "factor": r.choice([2, 3, 1000]),
        "min_loss_scale": r.choice([1.0, 1e-3, 65536.0]),
    }


def flax_settings(r):
    return {
        "init": r.choice(SINGLES),
        "interval": r.choice(INTERVALS),
        "growth_factor": r.choice([2.0, 3.5]),
        "backoff_factor": r.choice([0.5, 0.3]),
        "minimum_scale": r.choice([NORMAL, 1.0, 0.125]),
    }


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


def megatron_settings(r):
    return {
        "initial_scale": r.choice(SINGLES),
        "min_scale": r.choice([1.0, 1e-3, 64.0]),
        "growth_factor": r.choice([2.0, 1.5, 1e20]),
        "backoff_factor": r.choice([0.5, 0.25, 0.75]),
        "growth_interval": r.choice(INTERVALS),
        "hysteresis": r.choice([1, 2, 3]),
    }


def apex_settings(r):
    return {
        "init_scale": r.choice(DOUBLES),
        "scale_factor": 2.0,
        "scale_window": r.choice(INTERVALS),
        "min_loss_scale": r.choice([None, 1.0, 128.0]),
        "max_loss_scale": r.choice([2.0**24, 100.0, 2.0**30]),
    }


def ort_settings(r):
    return {
        "loss_scale": r.choice(DOUBLES),
        "up_scale_window": r.choice(INTERVALS),
        "min_loss_scale": r.choice([1.0, 128.0, 0.1]),
        "max_loss_scale": r.choice([2.0**24, 100.0, 2.0**30]),
    }


def backoff_settings(r):
    return {
        "scale_min": r.choice([1.0, 0.125, 64.0]),
        "scale_max": r.choice([16384.0, 2.0**24, 64.0, 1e6]),
        "step_factor": r.choice([2.0, 3.0, 1.5, 10.0]),
        "step_window": r.choice(INTERVALS),
    }


def te_settings(r):
    return {
        "margin": r.choice([0, 1, 2, 5]),
        "amax_history_len": r.choice([1, 2, 3, 16]),
        "amax_compute_algo": r.choice(["max", "most_recent"]),
        "fp8_max": r.choice([448.0, 57344.0]),
    }


POLICIES = {
    "torch": (torch_settings, reference.torch),
    "apex_hysteresis": (lambda r: {**torch_settings(r), "hysteresis": r.choice([1, 2, 3, 5])}, reference.torch),
    "tf_keras": (keras_settings, lambda c: reference.keras(c, 1.0, True)),
    "keras3": (keras_settings, lambda c: reference.keras(c, 0.0, False)),
    "jmp": (jmp_settings, reference.jmp),
    "flax": (flax_settings, reference.flax),
    "deepspeed": (deepspeed_settings, reference.deepspeed),
    "megatron": (megatron_settings, reference.megatron),
    "apex": (apex_settings, reference.apex),
    "ort": (ort_settings, reference.ort),
    "openseq2seq_backoff": (backoff_settings, reference.backoff),
    "te_delayed": (te_settings, reference.te_delayed),
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
    done = ANSWERS.ask([TOOL, "replay", path], file=path)
    if done.returncode or len(done.stdout.splitlines()) != len(events):
        raise AssertionError(f"exit {done.returncode}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(name, config, events, rule, planted):
    states = rule(config)
    next(states)
    for i, (event, line) in enumerate(zip(events, replay(name, config, events))):
        scale, count = states.send(event)
        if planted and i == STEPS // 2:
            scale = np.nextafter(scale, 0.0) if scale else 1.0
        found = float(line["scale"])
        if found != scale or line["counter"] != count:
            raise AssertionError(f"{config}, step {i}: {found!r}, {line['counter']}, expected {scale!r}, {count}")
        if count is not None and line["applied"] == event:
            raise AssertionError(f"{config}, step {i}: applied is {line['applied']}")


def fault_of(name, planted):
    """What is wrong with a policy; empty where nothing is."""
    settings, rule = POLICIES[name]
    r = random.Random(name)
    try:
        for _ in range(TRACES):
            chance = r.choice([0.1, 0.3, 0.6])
            amaxes = name == "te_delayed"
            events = [r.choice(AMAXES) if amaxes else r.random() < chance for _ in range(STEPS)]
            check(name, settings(r), events, rule, planted)
    except AssertionError as error:
        return str(error)
    return ""


# Growth to infinity multiplies it on; a product may be 0 times that.
np.seterr(all="ignore")
faults = {name: fault_of(name, planted=False) for name in POLICIES}
for name, fault in faults.items():
    print(f"FAIL {name}: {fault}" if fault else f"ok   {name}: {TRACES} traces")
unseen = [name for name in POLICIES if not fault_of(name, planted=True)]
print(f"of {len(POLICIES)} planted errors {len(unseen)} are unseen", *unseen)
sys.exit(1 if any(faults.values()) or unseen else 0)
