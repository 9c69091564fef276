# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records steps of PyTorch's optimizers, behind its GradScaler, as cases of `mpc-scale step`.

    python optimizer_cases.py FOLDER [NAME...]

writes NAME.json. They lie in test/Inputs/loss_scale/optimizer, where test/tools/mpc-scale-step.test runs them. Needs torch
and numpy; by hand.
"""
import json
import pathlib
import sys

import numpy as np
import torch

SHAPES = {"w": (3, 4), "b": (4,), "g": (1,)}
# Groups of parameters beside those with the arguments of the rule itself.
UNDECAYED = {"params": ["b", "g"], "weight_decay": 0.0}
FASTER = {"params": ["b"], "lr": 0.3}
BOTH = {"params": ["g", "w"], "lr": 0.002, "weight_decay": 0.3}
SCALE, STEPS = 1024.0, 8
# The rule, its arguments, the case's steps whose gradients hold an inf or a NaN, and how far one may be off.
CASES = {
    "nadam": ("NAdam", {"lr": 0.01, "betas": [0.8, 0.95], "weight_decay": 0.1, "momentum_decay": 0.1}, {0: "inf", 4: "nan"}, 2),
    "nadam_decoupled": ("NAdam", {"lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
                        {}, 2),
    "radam": ("RAdam", {"lr": 0.01, "weight_decay": 0.1}, {0: "inf", 4: "nan"}, 2),
    "radam_decoupled": ("RAdam", {"lr": 0.01, "betas": [0.8, 0.9], "eps": 1e-6, "weight_decay": 0.1,
                                  "decoupled_weight_decay": True, "maximize": True}, {}, 2),
    "rprop": ("Rprop", {"lr": 0.01, "etas": [0.4, 1.5], "step_sizes": [0.008, 0.02]}, {0: "inf", 4: "nan"}, 1),
    "rprop_maximize": ("Rprop", {"lr": 0.01, "maximize": True}, {}, 1),
    "asgd": ("ASGD", {"lr": 0.05}, {0: "nan"}, 2),
    # Weights fall to a thousandth at each step: one is not the one before plus their difference.
    "asgd_falling": ("ASGD", {"lr": 0.5, "lambd": 1.998, "alpha": 0.0}, {}, 2),
    "asgd_averaged": ("ASGD", {"lr": 0.05, "lambd": 0.1, "alpha": 0.6, "t0": 2, "weight_decay": 0.1, "maximize": True},
                      {0: "inf", 4: "nan"}, 2),
    "sgd_groups": ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "groups": [FASTER, UNDECAYED | {"params": ["g"]}]},
                   {0: "inf", 4: "nan"}, 2),
    "adamw_groups": ("AdamW", {"lr": 0.01, "weight_decay": 0.1, "groups": [UNDECAYED]}, {0: "inf", 4: "nan"}, 4),
    "adamw_rates": ("AdamW", {"lr": 0.01, "weight_decay": 0.1, "groups": [FASTER, BOTH]}, {}, 4),
    "rprop_groups": ("Rprop", {"lr": 0.01, "groups": [FASTER]}, {0: "nan"}, 1),
    "nadam_groups": ("NAdam", {"lr": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True, "groups": [BOTH]}, {}, 4),
    "asgd_groups": ("ASGD", {"lr": 0.05, "t0": 2, "weight_decay": 0.1, "groups": [{"params": ["b"], "weight_decay": 0.4}]}, {}, 2),
    "adadelta": ("Adadelta", {"lr": 1.0}, {}, 4),
    "adadelta_wd": ("Adadelta", {"lr": 0.5, "rho": 0.8, "eps": 1e-4, "weight_decay": 0.1}, {2: "inf"}, 4),
    "adadelta_maximize": ("Adadelta", {"lr": 0.5, "maximize": True}, {0: "nan"}, 4),
}
WHY = ("PyTorch's sqrt and reciprocal of vectors are not all rounded correctly, and a fused multiply-add and the order of a "
       "product may differ; skip, found_inf, scale, counter and step counts must be exact")


def entry(values):
    array = np.asarray(values.detach().numpy(), np.float32).ravel()
    return {"values": [number(value) for value in array],
            "bits": [f"0x{bits:08x}" for bits in array.view(np.uint32).tolist()]}


def number(value):
    """JSON has no infinities."""
    return float(value) if np.isfinite(value) else str(float(value))


def low(gradient):
    """A scaled gradient as the backward pass has it, in f16."""
    array = gradient.ravel()
    return {"dtype": "float16", "values": [number(value) for value in array],
            "bits": [f"0x{bits:04x}" for bits in array.view(np.uint16).tolist()]}


def state_of(optimizer, parameter):
    return {name: float(value) if value.dim() == 0 else entry(value)
            for name, value in optimizer.state[parameter].items() if torch.is_tensor(value)}


def gradients_of(rng, scale, bad):
    found = {name: (rng.normal(0, 1, shape) * scale).astype(np.float16) for name, shape in SHAPES.items()}
    if bad:
        found["b"][1] = np.float16(bad)
    # Zeros, which some rules treat apart.
    found["w"][2, 3] = 0
    return found


def in_groups(parameters, groups):
    """As torch takes them: each group with its parameters, behind the parameters of none."""
    own = {key for group in groups for key in group["params"]}
    rest = [parameters[key] for key in parameters if key not in own]
    return [{"params": rest}] * bool(rest) + [
        {**group, "params": [parameters[key] for key in group["params"]]} for group in groups]


def record(name):
    rule, arguments, bad_steps, ulp = CASES[name]
    arguments = dict(arguments)
    groups = arguments.pop("groups", [])
    rng = np.random.default_rng(list(name.encode()))
    parameters = {key: torch.nn.Parameter(torch.tensor(rng.normal(0, 1, shape).astype(np.float32)))
                  for key, shape in SHAPES.items()}
    optimizer = getattr(torch.optim, rule)(in_groups(parameters, groups), foreach=False, **arguments)
    scaler = torch.amp.GradScaler("cpu", init_scale=SCALE)
    scaler.scale(torch.zeros(()))
    init = [{"name": key, "shape": list(p.shape), **entry(p)} for key, p in parameters.items()]
    steps = []
    for t in range(STEPS):
        before = scaler.get_scale()
        scaled = gradients_of(rng, before / (t + 1), bad_steps.get(t))
        for key, p in parameters.items():
            p.grad = torch.tensor(scaled[key].astype(np.float32))
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        steps.append({
            "t": t, "scale_before": before, "scaled_grads": {key: low(g) for key, g in scaled.items()},
            "expected": {
                "found_inf": t in bad_steps, "applied": t not in bad_steps, "scale_after": scaler.get_scale(),
                "counter_after": scaler._get_growth_tracker(), "params": {key: entry(p) for key, p in parameters.items()},
                "optimizer_state": {key: state_of(optimizer, p) for key, p in parameters.items()}}})
    return {
        "schema": "mpc-optimizer-step/1", "id": name,
        "reference": {"system": "torch.optim + torch.amp.GradScaler", "version": torch.__version__.split("+")[0],
                      "kind": "executed", "device": "cpu", "foreach": False},
        "optimizer": {"name": rule.lower(), **arguments}, **({"groups": groups} if groups else {}),
        "scaler": {"enabled": True, "init_scale": SCALE, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2000},
        "low_dtype": "float16", "accumulate": 1, "tolerance": {"ulp": ulp, "why": WHY}, "init_params": init, "steps": steps}


def write(case, path):
    """Parameters and steps a line each."""
    lists = ("init_params", "steps")
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in case.items() if key not in lists]
    for key in lists:
        rows = ",\n".join("    " + json.dumps(row) for row in case[key])
        lines.append(f'  "{key}": [\n{rows}\n  ]')
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


for name in sys.argv[2:] or CASES:
    write(record(name), pathlib.Path(sys.argv[1]) / f"{name}.json")
