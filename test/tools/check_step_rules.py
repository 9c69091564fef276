# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what surrounds the optimizer's rule to float64: penalties, LARC, averages of weights,
gradients that are there in some steps only, and what is kept in 16 bits, rounded stochastically:
weights and the optimizer's slots.

    check_step_rules.py MPC-SCALE FOLDER

Plain gradient descent on cases written to FOLDER, fused and unfused, which must print the
same. Then each expectation is changed a little, and every check must fail.
"""
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import reference
from reference import neighbours, rounded
from remembered import Answers

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
ANSWERS = Answers()
PLANT = False  # Whether expectations are changed.
LR = float(np.float32(0.1))
SCALE = 1024.0
SHAPES = {"w": (70, 90), "b": (90,), "zero": (5,)}
STEPS = 6
BAD = 3  # This step's gradients hold an infinity.


def make_case(name, size=0.01, still=(), **extra):
    """`still` lists (step, tensor) whose gradients are all zero."""
    rng = np.random.default_rng(list(name.encode()))
    values = {key: rng.normal(0, 0.5, shape).astype(np.float32) for key, shape in SHAPES.items()}
    values["zero"][:] = 0
    steps = []
    for step in range(STEPS):
        scale = SCALE / (2 if step > BAD else 1)
        gradients = {key: rng.normal(0, size, shape).astype(np.float32) for key, shape in SHAPES.items()}
        for key in SHAPES:
            gradients[key] *= np.float32((step, key) not in still)
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


def wide(tensors):
    return {key: tensor.astype(np.float64) for key, tensor in tensors.items()}


def output_of(path, *flags):
    done = ANSWERS.ask([TOOL, "step", path, *flags], file=path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(path, applied=[step != BAD for step in range(STEPS)]):
    outputs = [output_of(path, *flags) for flags in ([], ["--unfused"])]
    assert outputs[0] == outputs[1], f"{path.stem}: fused and unfused differ"
    lines = [json.loads(line) for line in outputs[0].splitlines()]
    assert [line["applied"] for line in lines] == applied, "another step is skipped"
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
    weights, optimizer, average = wide(values), reference.Sgd(LR), None
    for step, line in enumerate(run(path)):
        if step != BAD:
            optimizer.step(weights, {k: change(k, g, weights[k]) for k, g in wide(gradients[step]).items()})
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


def apex_larc(mode):
    """Norms of 0 are skipped: the zero tensor descends by its gradient alone."""
    eta, decay, epsilon = 0.02, 0.05, 1e-8

    def change(key, gradient, weight):
        norms = np.sqrt((weight**2).sum()), np.sqrt((gradient**2).sum())
        if not norms[0] or not norms[1]:
            return gradient
        taken = 0.0 if key == "b" else decay
        rate = eta * norms[0] / (norms[1] + norms[0] * taken + epsilon)
        rate = min(rate / LR, 1.0) if mode == "apex-clip" else rate
        return rate * (gradient + taken * weight)

    optimizer = {"name": "sgd", "lr": 0.1, "weight_decay": decay}
    descend(f"larc-{mode}", change, larc={"mode": mode}, optimizer=optimizer, no_decay=["b"])


def larc_without_epsilon():
    """A gradient of zeros has no rate where nothing is added to its norm: 0 * inf is NaN, which is
    found in what is applied, whatever point the policy itself checks at. Rates of at most 1 and
    Apex' rule are numbers."""
    for policy in ("torch", "dynamic", "keras", "backoff", "deepspeed"):
        for mode in ("clip", "scale", "apex-scale"):
            path, values, _ = make_case(
                f"still-{policy}-{mode}", still=[(0, "w"), (4, "b")], larc={"mode": mode, "eps": 0},
                optimizer={"name": "sgd", "lr": 0.1, "weight_decay": 0.0})
            case = json.loads(path.read_text())
            case["scaler"] = {"policy": policy, "init_scale": SCALE, "growth_interval": 1000}
            path.write_text(json.dumps(case))
            skipped = [0, BAD, 4] if mode == "scale" else [BAD]
            lines = run(path, [step not in skipped for step in range(STEPS)])
            for key, value in values.items():
                assert np.isfinite(np.array(lines[-1]["params"][key], np.float64)).all(), f"{policy}: {key}"
                if 0 in skipped:
                    near(lines[0]["params"][key], value, f"{policy}: {key}", ulp=0.5)


def overflowing_penalty():
    """Penalties beyond f32, of weights that are not: nothing of them is applied."""
    path, values, _ = make_case("overflow", l2=3e38)
    case = json.loads(path.read_text())
    case["init_params"][0]["values"][5] = 10.0
    case["scaler"]["policy"] = "torch"
    path.write_text(json.dumps(case))
    lines = run(path, [False] * STEPS)
    near(lines[-1]["params"]["b"], values["b"], "b", ulp=0.5)


def large_gradient():
    """The square of a finite gradient is finite in f64, not in f32."""
    path, values, gradients = make_case("large", size=1e25, optimizer={"name": "sgd", "lr": 1e-26})
    weights, optimizer = wide(values), reference.Sgd(1e-26)
    for step, line in enumerate(run(path)):
        if step != BAD:
            optimizer.step(weights, wide(gradients[step]))
        for key in SHAPES:
            near(line["params"][key], weights[key], f"step {step}: {key}")


def rmsprop(name, centered=False, momentum=0.0):
    """PyTorch's rule, slots included."""
    rate, alpha, epsilon, decay = 0.01, 0.9, 1e-6, 0.05
    settings = {"alpha": alpha, "eps": epsilon, "weight_decay": decay, "centered": centered, "momentum": momentum}
    path, values, gradients = make_case(name, optimizer={"name": "rmsprop", "lr": rate, **settings})
    weights, optimizer = wide(values), reference.RmsProp(rate, alpha, epsilon, decay, centered, momentum)
    # Where gradient and decay cancel, f32 has few digits left of what is divided.
    units = {"square_avg": 16, "grad_avg": 16, "momentum_buffer": 2048}
    for step, line in enumerate(run(path)):
        if step != BAD:
            optimizer.step(weights, wide(gradients[step]))
        for key in SHAPES:
            near(line["params"][key], weights[key], f"step {step}: {key}", ulp=32)
            for slot, value in optimizer.slots[key].items():
                near(line["slots"][key][slot], value, f"step {step}: {key}/{slot}", ulp=units[slot])


def keras_iterations(policy):
    """tf_keras' wrapper advances `iterations` where it skips a step, and Adam corrects its moments
    by them; Keras 3 leaves the inner optimizer alone."""
    path, values, gradients = make_case(f"iterations-{policy}", optimizer={"name": "keras-adam", "lr": 0.01})
    case = json.loads(path.read_text())
    case["scaler"]["policy"] = policy
    path.write_text(json.dumps(case))
    weights, optimizer = wide(values), reference.KerasAdam(0.01)
    for step, line in enumerate(run(path)):
        if step != BAD:
            optimizer.step(weights, wide(gradients[step]))
        elif policy == "keras":
            optimizer.iterations += 1
        for key in SHAPES:
            # Keras has 1 - beta2^t in f32, with 4 digits at first; a count that is one off is 10^4 units.
            near(line["params"][key], weights[key], f"step {step}: {key}", ulp=1024)
            assert line["slots"][key]["step"] == [optimizer.iterations], "iterations"


def absent_penalty():
    """A tensor without gradient in a step has no penalty either: the norm that gradients are
    clipped to is of what there is."""
    path, values, gradients = make_case("absent", l2=0.03, clip_global_norm=0.5)
    case = json.loads(path.read_text())
    for step in (1, 4):
        case["steps"][step]["scaled_grads"]["w"] = None
    path.write_text(json.dumps(case))
    weights, optimizer = wide(values), reference.Sgd(LR)
    for step, line in enumerate(run(path)):
        there = [k for k in SHAPES if k != "w" or step not in (1, 4)]
        if step != BAD:
            sums = {k: gradients[step][k].astype(np.float64) + 0.06 * weights[k] for k in there}
            optimizer.step(weights, reference.clip(sums, 0.5))
        for key in SHAPES:
            near(line["params"][key], weights[key], f"step {step}: {key}")
            weights[key] = np.array(line["params"][key]).reshape(SHAPES[key])


def slots_from_start():
    """PyTorch's Adagrad makes its state when it is built."""
    path, _, _ = make_case("adagrad", optimizer={"name": "adagrad", "lr": 0.1, "initial_accumulator_value": 0.25})
    case = json.loads(path.read_text())
    for step in case["steps"]:
        step["scaled_grads"]["zero"] = None
    path.write_text(json.dumps(case))
    for line in run(path):
        near(line["slots"]["zero"]["sum"], np.full(5, 0.25), "zero/sum")
        assert line["slots"]["zero"]["step"] == [0], "zero has seen a step"


def presence():
    """Gradients that come and go: where one is null its tensor is left alone, by the decay
    too, and its step count with it, as PyTorch has it. A tensor that never has one has no
    slots, and a step without any is a finite one."""
    there = {"w": range(8), "b": (1, 3, 4, 6), "zero": (0, 4), "never": ()}
    shapes = {"w": (7, 9), "b": (9,), "zero": (5,), "never": (4,)}
    bad, none = 3, 7  # An infinity in b; no gradient at all.
    decay, rate = 0.1, 0.01
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
    now, optimizer = wide(weights), reference.AdamW(rate, decay)
    for step, line in enumerate(lines):
        if step not in (bad, none):
            optimizer.step(now, wide({k: g for k, g in gradients[step].items() if step in there[k]}))
        for key, weight in now.items():
            near(line["params"][key], weight, f"step {step}: {key}", ulp=16)
            if key in optimizer.slots:
                mean = optimizer.slots[key]["exp_avg"]
                near(line["slots"][key]["exp_avg"], mean, f"step {step}: {key}/exp_avg", ulp=16)
        assert line["slots"]["never"] == {}, "what never has a gradient has slots"
    assert lines[-1]["counter"] == 4 and not lines[-1]["found_inf"]


def ema():
    descend("ema", lambda key, gradient, weight: gradient, ema_decay=0.75)


def narrow_slots(name, f16, rule, size, optimizer):
    """Each slot must be what NumPy makes of the last one, rounded by the bits that are
    specified; but where the last bit of f32, in which rules compute, decides."""
    seed = 987654321
    path, _, gradients = make_case(
        f"slots-{name}", size, slot_dtype="float16" if f16 else "bfloat16", rounding_seed=seed,
        optimizer={"lr": 0.01, **optimizer})
    applied, others, count, errors = 0, 0, 0, []
    names = rule.names()
    state = {key: {slot: np.zeros(shape) for slot in names} for key, shape in SHAPES.items()}
    for step, line in enumerate(run(path)):
        place = 0
        for key, shape in SHAPES.items():
            found = {slot: np.array(line["slots"][key][slot], np.float32).reshape(shape) for slot in names}
            if step == BAD:
                assert all((found[slot] == state[key][slot]).all() for slot in names), "a skipped step moved a slot"
                continue
            rule.slots[key] = exact = wide(state[key])
            rule.step({key: 0.0}, {key: gradients[step][key].astype(np.float64)})
            size = found[names[0]].size
            places = np.arange(place, place + size, dtype=np.uint64)
            for index, slot in enumerate(names):
                value = exact[slot].astype(np.float32)
                expected = rounded(value, seed, applied + (1 if PLANT else 0), places, (index + 1) << 16, f16)
                others += np.count_nonzero(found[slot] != expected)
                count += size
                down, up = neighbours(value, f16)
                magnitude = np.abs(found[slot])
                slack = np.spacing(np.abs(value))  # Of f32.
                assert ((magnitude >= down - slack) & (magnitude <= up + slack)).all(), f"{key}/{slot} is no neighbour"
                errors.append(((magnitude - np.abs(exact[slot])) / (up - down)).ravel())
            place = (place + size + 31) // 32 * 32
            state[key] = found
        applied += step != BAD
    assert others <= count // 500, f"{others} of {count} elements are rounded otherwise"
    errors = np.concatenate(errors)
    # Errors of a rounding without bias are in (-1, 1), of variance 1/4 at most.
    assert abs(errors.mean()) < 4 * 0.5 / np.sqrt(errors.size), f"errors have a mean of {errors.mean():.3g} units"


def no_stagnation():
    """1000 equal gradients and a beta2 of 0.999: to nearest, bf16 stops at a third of the
    square, where what is added is less than half a unit."""
    size, steps, gradient = 256, 1000, 0.5
    case = {
        "optimizer": {"name": "adamw", "lr": 1e-3, "weight_decay": 0.0},
        "scaler": {"enabled": False}, "low_dtype": "float32", "slot_dtype": "bfloat16", "rounding_seed": 3,
        "init_params": [{"name": "w", "shape": [size], "values": [0.0] * size}],
        "steps": [{"scaled_grads": {"w": {"values": [gradient] * size}}}] * steps,
    }
    path = FOLDER / "stagnation.json"
    path.write_text(json.dumps(case))
    square = np.array(json.loads(output_of(path).splitlines()[-1])["slots"]["w"]["exp_avg_sq"])
    expected = gradient**2 * (1 - 0.999**steps) * (2 if PLANT else 1)
    assert abs(square.mean() / expected - 1) < 0.02, f"{square.mean():.4f} instead of {expected:.4f}"


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
    "larc apex-clip": lambda: apex_larc("apex-clip"),
    "larc apex-scale": lambda: apex_larc("apex-scale"),
    "larc of zeros without epsilon": larc_without_epsilon,
    "penalty beyond f32": overflowing_penalty,
    "gradients of 1e25": large_gradient,
    "rmsprop": lambda: rmsprop("rmsprop"),
    "rmsprop, centered": lambda: rmsprop("rmsprop-centered", centered=True),
    "rmsprop with momentum": lambda: rmsprop("rmsprop-momentum", momentum=0.9),
    "rmsprop, centered, with momentum": lambda: rmsprop("rmsprop-both", centered=True, momentum=0.9),
    "iterations of tf_keras": lambda: keras_iterations("keras"),
    "iterations of Keras 3": lambda: keras_iterations("keras3"),
    "penalty of what is absent": absent_penalty,
    "average": ema,
    "gradients that come and go": presence,
    "slots from the start": slots_from_start,
    "adamw's slots in bf16": lambda: narrow_slots(
        "adamw", False, reference.AdamW(0.01, betas=(0.9, 0.99)), 0.01,
        {"name": "adamw", "betas": [0.9, 0.99], "weight_decay": 0.1}),
    "sgd's slot in bf16": lambda: narrow_slots("sgd", False, reference.Sgd(0.01, momentum=0.9), 0.01, {"name": "sgd", "momentum": 0.9}),
    "sgd's slot in f16": lambda: narrow_slots("sgd16", True, reference.Sgd(0.01, momentum=0.9), 0.01, {"name": "sgd", "momentum": 0.9}),
    "sgd's slot in f16, subnormal": lambda: narrow_slots(
        "sgd16-small", True, reference.Sgd(0.01, momentum=0.9), 1e-6, {"name": "sgd", "momentum": 0.9}),
    "no stagnation": no_stagnation,
    "stochastic rounding": stochastic,
    "bias": bias,
}


def fault_of(check):
    """What `check` finds; empty where it finds nothing."""
    try:
        check()
    except AssertionError as error:
        return str(error) or "an assertion failed"
    return ""


faults = {name: fault_of(check) for name, check in CHECKS.items()}
for name, fault in faults.items():
    print(f"FAIL {name}: {fault}" if fault else f"ok   {name}")
PLANT = True
unseen = [name for name, check in CHECKS.items() if not fault_of(check)]
print(f"of {len(CHECKS)} planted errors {len(unseen)} are unseen", *unseen)
sys.exit(1 if any(faults.values()) or unseen else 0)
