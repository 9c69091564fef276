# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An infinity or NaN in any gradient element at any step, for each optimizer: nothing but
the loss scale changes on that step, and what follows is as if it had never been.

    check_injection.py MPC-SCALE FOLDER

A case is a list of good steps; the same case is run again with bad steps between them,
one for each element of each gradient and each of inf, -inf and NaN, first and last steps
included. Its good steps must print the weights and slots of the undisturbed run, to the
last digit, fused and unfused. Then one weight of the undisturbed run is changed, and every
case must fail.
"""
import concurrent.futures
import itertools
import json
import os
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from remembered import Answers

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
ANSWERS = Answers()
SMALL = {"w": (3, 2), "b": (2,), "s": ()}
# The finite check goes by blocks of 4096 elements.
LARGE = {"w": (2, 4100), "b": (3,)}
EDGES = {"w": (0, 4095, 4096, 8191, 8192, 8199), "b": (2,)}
# Scales are powers of two, gradients f32: scaling and unscaling are exact.
SCALER = {"policy": "torch", "init_scale": 2.0**60, "backoff_factor": 0.5, "growth_interval": 100000}
OPTIMIZERS = {
    "sgd": {"name": "sgd", "lr": 0.1},
    "sgd-nesterov": {"name": "sgd", "lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
    "sgd-dampening": {"name": "sgd", "lr": 0.1, "momentum": 0.9, "dampening": 0.5, "maximize": True},
    "adam": {"name": "adam", "lr": 0.01, "weight_decay": 0.1, "amsgrad": True},
    "adamw": {"name": "adamw", "lr": 0.01},
    "adamax": {"name": "adamax", "lr": 0.01},
    "nadam": {"name": "nadam", "lr": 0.01, "momentum_decay": 0.5},
    "radam": {"name": "radam", "lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True},
    "asgd": {"name": "asgd", "lr": 0.1, "lambd": 0.1, "t0": 2, "weight_decay": 0.01},
    "adagrad": {"name": "adagrad", "lr": 0.01, "lr_decay": 0.1},
    "rmsprop": {"name": "rmsprop", "lr": 0.01, "centered": True, "momentum": 0.5},
    "adadelta": {"name": "adadelta", "lr": 0.5, "weight_decay": 0.1},
    "rprop": {"name": "rprop", "lr": 0.01},
    "lion": {"name": "lion", "lr": 0.01, "weight_decay": 0.1},
    "lamb": {"name": "lamb", "lr": 0.01},
    "keras-sgd": {"name": "keras-sgd", "lr": 0.1, "momentum": 0.9, "nesterov": True},
    "keras-adam": {"name": "keras-adam", "lr": 0.01, "amsgrad": True},
    "keras-adamw": {"name": "keras-adamw", "lr": 0.01},
}
# What surrounds the rule must skip as well.
AROUND = {
    "adamw-around": {"l1": 0.01, "l2": 0.02, "ema_decay": 0.9, "clip_global_norm": 0.05},
    "adamw-bf16": {"master_weights": False, "rounding_seed": 3, "ema_decay": 0.9, "larc": {"mode": "clip"}},
    "adamw-slots": {"slot_dtype": "bfloat16", "rounding_seed": 3, "larc": {"mode": "apex-clip"}},
    "adamw-norms": {"clip": {"clipnorm": 0.02}},
    "adamw-accumulate": {"accumulate": 2},
}


def bits(values):
    return {"bits": [f"{b:08x}" for b in np.asarray(values, np.float32).ravel().view(np.uint32).tolist()]}


def positions(shapes):
    """Where a bad number is put, and which: on several elements at once, too."""
    for bad, (name, shape) in itertools.product((np.inf, -np.inf, np.nan), shapes.items()):
        for index in EDGES[name] if shapes is LARGE else range(int(np.prod(shape))):
            yield {name: {index: bad}}
    yield {"w": {0: np.inf, 1: -np.inf}, "b": {0: np.nan}}


def write_case(name, optimizer, extra, shapes, disturbed):
    rng = np.random.default_rng(11)
    batches = extra.get("accumulate", 1)
    scale, steps, good = SCALER["init_scale"], [], []

    def add(gradients, places):
        batch_of_bad = len(steps) % batches
        entries = {}
        for key, gradient in gradients.items():
            scaled = [np.ravel(g) * np.float32(scale) for g in gradient]
            for index, bad in places.get(key, {}).items():
                scaled[batch_of_bad][index] = bad
            entries[key] = [bits(g) for g in scaled] if batches > 1 else bits(scaled[0])
        steps.append({"scaled_grads": entries})

    init = [{"name": k, "shape": list(s), "values": rng.normal(0, 1, s).astype(np.float32).ravel().tolist()} for k, s in shapes.items()]
    for number, places in enumerate(positions(shapes)):
        gradients = {k: rng.normal(0, 0.1, (batches, *s)).astype(np.float32) for k, s in shapes.items()}
        if disturbed:
            add(gradients, places)
            scale *= SCALER["backoff_factor"]
        # Bad steps come alone, in pairs, and before the first good one.
        if number % 3 != 1:
            good.append(len(steps))
            add(gradients, {})
    case = {"optimizer": optimizer, "scaler": SCALER, "low_dtype": "float32", "init_params": init, "steps": steps, **extra}
    path = FOLDER / f"{name}{'-disturbed' if disturbed else ''}.json"
    path.write_text(json.dumps(case))
    return path, good


def run(path, flags):
    done = ANSWERS.ask([TOOL, "step", path, *flags], file=path)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def state(line):
    # As text: NaN and -0 count.
    return json.dumps([line["params"], line["slots"]])


def check(name, optimizer, extra, shapes, planted):
    calm_path, _ = write_case(name, optimizer, extra, shapes, disturbed=False)
    path, good = write_case(name, optimizer, extra, shapes, disturbed=True)
    first = None
    for flags in ([], ["--unfused"]):
        calm, lines = run(calm_path, flags), run(path, flags)
        if planted:
            calm[3]["params"]["b"][1] *= 1.01
        states = [state(line) for line in lines]
        assert first is None or states == first, "fused and unfused differ"
        first = states
        assert len(calm) == len(good), "steps are missing"
        before, scale = None, SCALER["init_scale"]
        for index, line in enumerate(lines):
            is_good = index in good
            assert line["found_inf"] != is_good and line["applied"] == is_good, f"step {index}: found_inf {line['found_inf']}"
            scale *= 1 if is_good else SCALER["backoff_factor"]
            assert line["scale"] == scale, f"step {index}: scale {line['scale']}, expected {scale}"
            if is_good:
                assert states[index] == state(calm[good.index(index)]), f"step {index}: not as if the bad steps had never been"
            elif before is not None:
                assert states[index] == before, f"step {index}: a skipped step changed state"
            before = states[index]
        assert len({state(line) for line in calm}) == len(calm), "good steps change nothing"
    return len(lines) - len(good)


cases = [(name, optimizer, {}, SMALL) for name, optimizer in OPTIMIZERS.items()]
cases += [(name, OPTIMIZERS["adamw"], extra, SMALL) for name, extra in AROUND.items()]
cases += [("lamb-bf16", OPTIMIZERS["lamb"], AROUND["adamw-bf16"], SMALL)]
cases += [(f"{name}-blocks", OPTIMIZERS[name], {}, LARGE) for name in ("sgd", "lamb")]


def judge(case):
    """What a case says, whether it holds, and whether it sees the planted error."""
    try:
        line, holds = f"ok   {case[0]}: {check(*case, planted=False)} bad steps", True
    except AssertionError as error:
        line, holds = f"FAIL {case[0]}: {error}", False
    try:
        check(*case, planted=True)
        return line, holds, False
    except AssertionError:
        return line, holds, True


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    lines, hold, see = zip(*pool.map(judge, cases))
print(*lines, sep="\n")
print(f"{sum(hold)} of {len(cases)} hold")
print(f"of {len(cases)} planted errors {len(cases) - sum(see)} are unseen")
sys.exit(0 if all(hold) and all(see) else 1)
