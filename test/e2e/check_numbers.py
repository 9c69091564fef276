#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds ops of a 16-bit tensor and a number against NumPy, bit for bit, with their gradients.

    python check_numbers.py POLICY FOLDER [--plant]

PyTorch computes with the number in f32 and rounds once, to the tensor's type; maximum, minimum,
where and comparisons take it rounded. The policy mpc does the same, but keeps the op in f32 where
the number would be 0, subnormal or infinite. Numbers are constants, or scalars that are learned.
--plant rounds each number first, which must be found out.
"""
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
from safetensors.numpy import load_file, save_file

N = 512
ROOT, TENTH, SMALL, LARGE = (np.float32(v) for v in (1 / np.sqrt(32), 0.1, 1e-8, -3e38))
F32, EXACT = np.float32, {"maximum", "minimum", "greater"}
# Name: the op, the number, which side it is on, whether it is learned.
CASES = {
    "times": ("mul", ROOT, 1, False),
    "times_left": ("mul", ROOT, 0, False),
    "times_small": ("mul", SMALL, 1, False),
    "plus": ("add", TENTH, 1, False),
    "plus_small": ("add", SMALL, 1, False),
    "minus": ("sub", TENTH, 1, False),
    "from": ("sub", TENTH, 0, False),
    "over": ("div", ROOT, 1, False),
    "under": ("div", ROOT, 0, False),
    "times_large": ("mul", LARGE, 1, False),
    "times_learned": ("mul", ROOT, 1, True),
    "minus_learned": ("sub", TENTH, 1, True),
    "over_learned": ("div", ROOT, 1, True),
    "maximum": ("maximum", TENTH, 1, False),
    "minimum": ("minimum", TENTH, 0, False),
    "greater": ("greater", TENTH, 1, False),
}


def model():
    kind = f"tensor<{N}xf32>"
    head, body, total = [], [], None
    for name, (op, number, side, learned) in CASES.items():
        head.append(f"nn.parameter @x_{name} : {kind} = <external>")
        body += [f"%p_{name} = nn.get @x_{name} : {kind}", f'%x_{name} = nn.neg %p_{name} : {kind} loc("low_{name}")']
        if learned:
            head.append(f"nn.parameter @t_{name} : tensor<f32> = <external>")
            body += [
                f"%t_{name} = nn.get @t_{name} : tensor<f32>",
                f"%c_{name} = nn.broadcast %t_{name} axes [] : tensor<f32> -> {kind}",
            ]
        else:
            body.append(f"%c_{name} = nn.constant dense<0x{number.view(np.uint32):08X}> : {kind}")
        both = [f"%x_{name}", f"%c_{name}"]
        operands = ", ".join(both if side else reversed(both))
        if op == "greater":
            body += [
                f"%m_{name} = nn.compare gt {operands} : {kind} -> tensor<{N}xi1>",
                f"%z_{name} = nn.constant dense<0.0> : {kind}",
                f"%y_{name} = nn.select %m_{name}, %x_{name}, %z_{name} : tensor<{N}xi1>, {kind}",
            ]
        else:
            body.append(f"%y_{name} = nn.{op} {operands} : {kind}")
        body += [
            f"%w_{name} = nn.mul %y_{name}, %g_{name} : {kind}",
            f"%s_{name} = nn.reduce_sum %w_{name} axes [0] : {kind} -> tensor<f32>",
        ]
        if total:
            body.append(f"%l_{name} = nn.add {total}, %s_{name} : tensor<f32>")
        total = f"%l_{name}" if total else f"%s_{name}"
    inputs = ", ".join(f'%g_{name}: {kind} {{nn.name = "g_{name}"}}' for name in CASES)
    outputs = ", ".join(f'{kind} {{nn.name = "y_{name}"}}' for name in CASES) + ', tensor<f32> {nn.name = "loss"}'
    results = ", ".join(f"%y_{name}" for name in CASES) + f", {total} : " + ", ".join([kind] * len(CASES)) + ", tensor<f32>"
    return "\n".join(head + [f"func.func @model({inputs}) -> ({outputs}) {{"] + body + [f"return {results}", "}"])


def keeps_f32(policy, number, low):
    """Whether the policy keeps an op in f32 for the number's sake."""
    rounded = np.abs(number.astype(low).astype(F32))
    tiny = np.float32(ml_dtypes.finfo(low).smallest_normal)
    return policy == "mpc" and not tiny <= rounded < np.inf


def expected(name, policy, low, x, g, planted):
    """The op's result, the gradients of x and of the number before it is rounded."""
    op, number, side, learned = CASES[name]
    wide = not learned and keeps_f32(policy, number, low)
    to = (lambda v: v.astype(F32)) if wide else (lambda v: v.astype(low).astype(F32))
    x, d = (-x).astype(low).astype(F32), to(g)
    c = to(number) if (op in EXACT or planted) else number
    a, b = (x, c) if side else (c, x)
    if op in ("add", "sub"):
        y = to(a + b if op == "add" else a - b)
        da, db = d, (d if op == "add" else -d)
    elif op == "mul":
        y, da, db = to(a * b), d * b, d * a
    elif op == "div":
        y = to(a / b)
        da = d / b
        db = -(da * y)
    elif op == "greater":
        y, da, db = np.where(x > c, x, F32(0)), np.where(x > c, d, F32(0)), None
    else:
        y = to(np.maximum(a, b) if op == "maximum" else np.minimum(a, b))
        first = a > b if op == "maximum" else a < b
        da, db = (np.where(a == b, d * F32(0.5), np.where(w, d, F32(0))) for w in (first, ~first))
    dx, dc = (da, db) if side else (db, da)
    return y, -to(dx).astype(low).astype(F32), dc


def check(policy, precision, low, folder, planted):
    rng = np.random.default_rng(5)
    draw = lambda: (rng.uniform(0.05, 4.0, N) * rng.choice([-1.0, 1.0], N)).astype(F32)
    x, g = ({name: draw() for name in CASES} for _ in "xg")
    for name in CASES:
        x[name][::7] = -TENTH  # What equals the rounded number.
    path = lambda name: str(folder / f"{name}.safetensors")
    learned = {f"t_{name}": np.array(c[1]) for name, c in CASES.items() if c[3]}
    save_file({f"x_{name}": v for name, v in x.items()} | learned, path("init"))
    save_file({f"g_{name}": v for name, v in g.items()}, path("in"))
    command = ["mpc-eval", str(folder / "model.mlir"), "--loss=output:loss", "--gradients", "--lower=^low_"]
    command += [f"--precision={precision}", f"--autocast-policy={policy}", f"--inputs={path('in')}"]
    subprocess.run(command + [f"--init={path('init')}", f"--outputs={path('out')}"], check=True, stderr=subprocess.DEVNULL)
    found = load_file(path("out"))
    for name, (_, _, _, is_learned) in CASES.items():
        with np.errstate(over="ignore", invalid="ignore"):
            y, dx, dc = expected(name, policy, low, x[name], g[name], planted)
        for what, ours, wanted in (("y_", found[f"y_{name}"], y), ("grad.x_", found[f"grad.x_{name}"], dx)):
            differ = (ours != wanted) & ~(np.isnan(ours) & np.isnan(wanted))
            if differ.any():
                i = np.flatnonzero(differ)[0]
                yield f"{policy} {precision} {what}{name}: {differ.sum()} of {N}, at {i} {ours[i]!r}, NumPy {wanted[i]!r}"
        if is_learned:  # Summed in f32: 1e-6 of the sum of magnitudes.
            ours, wanted = found[f"grad.t_{name}"], dc.astype(np.float64).sum()
            if abs(ours - wanted) > 1e-6 * np.abs(dc).sum():
                yield f"{policy} {precision} grad.t_{name}: {ours}, NumPy {wanted}"


def main():
    policy, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    (folder / "model.mlir").write_text(model())
    lows = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16}
    faults = [f for p, low in lows.items() for f in check(policy, p, low, folder, "--plant" in sys.argv)]
    print("\n".join(faults + [f"{policy}: {len(CASES)} ops in two types, {len(faults)} differ from NumPy"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
