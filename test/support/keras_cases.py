# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records steps of Keras' optimizers with a parameter that never has a gradient, as cases of `mpc-scale step`.

    KERAS_BACKEND=torch python keras_cases.py FOLDER

writes NAME.json. They lie in test/Inputs/loss_scale/optimizer, where test/tools/mpc-scale-step.test runs them. Needs keras
and torch; by hand. Keras makes the slots of all parameters before the first step. Gradients have one sign and weights the
other, so that nothing cancels and ulps mean what they say.
"""
import json
import pathlib
import sys

import keras
import numpy as np

SHAPES = {"w": (3, 4), "b": (4,), "g": (2,)}
ABSENT, SCALE, STEPS = "g", 1024.0, 4
# The rule, its arguments, and the names that we and Keras give its slots.
ADAM = {"m": "_momentums", "v": "_velocities"}
CASES = {
    "keras3_sgd_absent": ("SGD", {"learning_rate": 0.1, "momentum": 0.9}, {"momentum": "momentums"}),
    "keras3_adam_absent": ("Adam", {"learning_rate": 0.01, "beta_1": 0.8}, ADAM),
    "keras3_adamw_absent": ("AdamW", {"learning_rate": 0.01, "weight_decay": 0.05, "amsgrad": True},
                            {**ADAM, "vhat": "_velocity_hats"}),
}


def entry(values):
    return {"values": [float(value) for value in np.asarray(keras.ops.convert_to_numpy(values), np.float32).ravel()]}


def record(name):
    rule, arguments, slots = CASES[name]
    rng = np.random.default_rng(list(name.encode()))
    variables = {key: keras.Variable(-rng.uniform(1, 2, shape).astype(np.float32)) for key, shape in SHAPES.items()}
    init = [{"name": key, "shape": list(SHAPES[key]), **entry(value)} for key, value in variables.items()]
    optimizer = getattr(keras.optimizers, rule)(**arguments)
    optimizer.build(list(variables.values()))
    steps = []
    for t in range(STEPS):
        scaled = {key: (rng.uniform(0.5, 2, SHAPES[key]) * SCALE).astype(np.float16) for key in SHAPES if key != ABSENT}
        gradients = [keras.ops.convert_to_tensor(scaled[key].astype(np.float32) / np.float32(SCALE)) if key in scaled else None
                     for key in SHAPES]
        optimizer.apply(gradients, list(variables.values()))
        state = {key: {ours: entry(getattr(optimizer, theirs)[number]) for ours, theirs in slots.items()}
                 for number, key in enumerate(SHAPES)}
        steps.append({
            "t": t, "scale_before": SCALE,
            "scaled_grads": {key: None if key == ABSENT else
                             {"dtype": "float16", "values": [float(v) for v in scaled[key].ravel()]} for key in SHAPES},
            "expected": {"found_inf": False, "applied": True, "scale_after": SCALE,
                         "params": {key: entry(value) for key, value in variables.items()}, "optimizer_state": state}})
    return {
        "schema": "mpc-optimizer-step/1", "id": name,
        "reference": {"system": "keras.optimizers", "version": keras.__version__, "kind": "executed"},
        "optimizer": {"name": rule.lower(), **arguments},
        "scaler": {"policy": "keras3", "init_scale": SCALE, "growth_interval": 2000}, "low_dtype": "float16",
        "tolerance": {"ulp": 4, "why": "order of operations and fused multiply-add may differ"},
        "init_params": init, "steps": steps}


def write(case, path):
    """Parameters and steps a line each."""
    lists = ("init_params", "steps")
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in case.items() if key not in lists]
    for key in lists:
        rows = ",\n".join("    " + json.dumps(row) for row in case[key])
        lines.append(f'  "{key}": [\n{rows}\n  ]')
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


for name in CASES:
    write(record(name), pathlib.Path(sys.argv[1]) / f"{name}.json")
