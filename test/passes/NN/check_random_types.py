#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the types of random programs under torch-cpu against those that PyTorch gives them.

    python check_random_types.py torch_cpu_programs.json FOLDER

A program is a list of [op, operand, operand, number]; operands 0 and 1 are f32 inputs, the others
results of ops before. `f16` and `bf16` hold the type of each result in a run of PyTorch under
torch.autocast("cpu"). PyTorch's documented rule of promotion must say the same of each; then it says
what further programs have, which mix scalars (tensors of no dimensions) and numbers in more ways.
Prints each difference, and exits 1 where there is one.
"""
import json
import pathlib
import random
import re
import subprocess
import sys

T, ROW, MASK = "tensor<4x4xf32>", "tensor<4xf32>", "tensor<4x4xi1>"
UNARY = ("tanh", "relu", "gelu", "exp")
BINARY = ("add", "sub", "mul", "pow", "maximum")
# What each op is given besides 16-bit or f32 tensors: scalars, which are t, the sum of an operand or
# that sum times a number or t; and how that meets the other operand.
SCALARS = ("learned", "sum", "scaled_sum", "number_sum")
MEETINGS = ("add", "sub", "mul", "div", "pow", "maximum", "minimum", "where", "from", "alone")
PARAMETERS = {"w": T, "b": ROW, "t": "tensor<f32>"}


def meeting(scalar, op, number):
    """MLIR of an operand and a scalar that meet in `op`."""
    f = "tensor<f32>"
    lines = [f"$s = nn.reduce_sum $b axes [0, 1] : {T} -> {f}", f"$n = nn.constant dense<{number:e}> : {f}"]
    value = {"learned": "%t", "sum": "$s", "scaled_sum": "$u", "number_sum": "$u"}[scalar]
    if value == "$u":
        lines.append(f"$u = nn.mul $s, {'%t' if scalar == 'scaled_sum' else '$n'} : {f}")
    lines.append(f"$h = nn.broadcast {value} axes [] : {f} -> {T}")
    if op == "alone":
        return lines[:-1] + [lines[-1].replace("$h", "$r")]
    if op == "where":
        return lines + [f"$g = nn.compare gt $a, $h : {T} -> {MASK}", f"$r = nn.select $g, $h, $a : {MASK}, {T}"]
    return lines + [f"$r = nn.sub $h, $a : {T}" if op == "from" else f"$r = nn.{op} $a, $h : {T}"]


def statements(i, op, a, b, number):
    """MLIR of op `i`: its last statement defines $r. The other names are for what it needs."""
    if ":" in op:
        return meeting(*op.split(":"), number)
    along = f"axes [1] : {ROW} -> {T}"
    rows = f"axes [0] : {ROW} -> {T}"
    if op in UNARY:
        return [f"$r = nn.{op} $a : {T}"]
    if op in BINARY:
        return [f"$r = nn.{op} $a, $b : {T}"]
    return {
        "matmul": [f"$r = nn.matmul $a, $b : {T}, {T} -> {T}"],
        "linear": [f"$r = nn.linear $a, %w : {T}, {T} -> {T}"],
        # As exporters write a layer: the product, and the sum with its bias.
        "bias": [
            f"$h = nn.matmul $a, %w transpose_rhs : {T}, {T} -> {T}",
            f"$g = nn.broadcast %b {along}",
            f"$r = nn.add $h, $g : {T}",
        ],
        "softmax": [f"$r = nn.softmax $a axis(1) : {T}"],
        "log_softmax": [f"$r = nn.log_softmax $a axis(1) : {T}"],
        "layer_norm": [f"$r = nn.layer_norm $a axis(1) epsilon(1.0e-5) : {T}"],
        "cat": [
            f"$h = nn.concat $a, $b axis(0) : {T}, {T} -> tensor<8x4xf32>",
            f"$r = nn.slice $h [0, 0] to [4, 4] by [1, 1] : tensor<8x4xf32> -> {T}",
        ],
        "where": [
            f"$h = nn.compare gt $a, $b : {T} -> {MASK}",
            f"$r = nn.select $h, $a, $b : {MASK}, {T}",
        ],
        "times_number": [f"$h = nn.constant dense<{number:e}> : {T}", f"$r = nn.mul $a, $h : {T}"],
        "plus_number": [f"$h = nn.constant dense<{number:e}> : {T}", f"$r = nn.add $a, $h : {T}"],
        "number_minus": [f"$h = nn.constant dense<{number:e}> : {T}", f"$r = nn.sub $h, $a : {T}"],
        "times_parameter": [f"$r = nn.mul $a, %w : {T}"],
        "times_scalar": [
            f"$h = nn.broadcast %t axes [] : tensor<f32> -> {T}",
            f"$r = nn.mul $a, $h : {T}",
        ],
        "transpose": [f"$r = nn.transpose $a [1, 0] : {T} -> {T}"],
        "reshape": [
            f"$h = nn.reshape $a : {T} -> tensor<16xf32>",
            f"$r = nn.reshape $h : tensor<16xf32> -> {T}",
        ],
        "max": [f"$h = nn.reduce_max $a axes [1] : {T} -> {ROW}", f"$r = nn.broadcast $h {rows}"],
        "sum": [f"$h = nn.reduce_sum $a axes [1] : {T} -> {ROW}", f"$r = nn.broadcast $h {rows}"],
        "plus_max": [
            f"$h = nn.reduce_max $b axes [1] : {T} -> {ROW}",
            f"$g = nn.broadcast $h {rows}",
            f"$r = nn.add $a, $g : {T}",
        ],
    }[op]


def function(name, ops):
    results = ", ".join(f"%v{i + 2}" for i in range(len(ops)))
    types = ", ".join([T] * len(ops))
    lines = [f"func.func @{name}(%v0: {T}, %v1: {T}) -> ({types}) {{"]
    lines += [f"%{name} = nn.get @{name} : {kind}" for name, kind in PARAMETERS.items()]
    for i, (op, a, b, number) in enumerate(ops):
        names = {"$r": f"%v{i + 2}", "$a": f"%v{a}", "$b": f"%v{b}"} | {f"${x}": f"%{x}{i}" for x in "hgsnu"}
        body = statements(i, op, a, b, number)
        body[-1] += f' loc("{name}@{i}")'
        lines += [re.sub(r"\$\w", lambda m: names[m[0]], line) for line in body]
    return "\n".join(lines + [f"return {results} : {types}", "}"])


def promoted(types):
    return types[0] if len(set(types)) == 1 else "f32"


def torch_type(op, a, b, low):
    """PyTorch's promotion (torch.result_type): tensors that have dimensions decide; a scalar where
    there are none; a number never. On the CPU's lists of autocast are products, which run low."""
    if op in ("matmul", "linear", "bias"):
        return low
    if op.endswith(":alone"):
        return {"learned": "f32", "scaled_sum": promoted([b, "f32"])}.get(op.split(":")[0], b)
    binary = {"add", "sub", "mul", "pow", "maximum", "cat", "where", "plus_max"}
    return promoted([a, b] if op in binary else [a, "f32"] if op == "times_parameter" else [a])


def torch_types(ops, low):
    types = ["f32", "f32"]
    for op, a, b, _ in ops:
        types.append(torch_type(op, types[a], types[b], low))
    return types[2:]


def further_programs(count):
    """Programs in which most ops meet a scalar."""
    rng = random.Random(11)
    for _ in range(count):
        ops = []
        for i in range(10):
            op = rng.choice(("matmul", "tanh", "add", "mul")) if rng.random() < 0.3 else (
                f"{rng.choice(SCALARS)}:{rng.choice(MEETINGS)}"
            )
            ops.append([op, rng.randrange(i + 2), rng.randrange(i + 2), rng.choice((0.5, 0.17, 1e-8, 3.0))])
        yield {"ops": ops} | {low: torch_types(ops, low) for low in ("f16", "bf16")}


def types_of(module, precision):
    """{(program, op): the type of its result}; of an op and its casts the last line says."""
    pipeline = f"builtin.module(func.func(canonicalize),nn-autocast{{precision={precision} policy=torch-cpu}})"
    ran = subprocess.run(
        ["mpc-opt", module, f"--pass-pipeline={pipeline}", "--mlir-print-debuginfo", "--mlir-print-local-scope"],
        capture_output=True,
        text=True,
    )
    if ran.returncode != 0:
        sys.exit(f"mpc-opt failed: {ran.stderr[:2000]}")
    found = {}
    for line in ran.stdout.splitlines():
        place = re.search(r'loc\((?:fused\[)?"p(\d+)@(\d+)"', line)
        if place and " = nn." in line:
            kinds = re.findall(r"x(f32|f16|bf16)>", line.split(" loc(")[0])
            found[int(place[1]), int(place[2])] = kinds[-1]
    return found


def main():
    recorded, folder = sys.argv[1:]
    programs = json.loads(pathlib.Path(recorded).read_text())
    faults = [
        f"program {n} in {low}: the rule gives {torch_types(program['ops'], low)}, PyTorch gave {program[low]}"
        for n, program in enumerate(programs)
        for low in ("f16", "bf16")
        if torch_types(program["ops"], low) != program[low]
    ]
    programs += further_programs(60)
    module = pathlib.Path(folder, "programs.mlir")
    parameters = [f"nn.parameter @{name} : {kind} = <zeros>" for name, kind in PARAMETERS.items()]
    module.write_text("\n".join(parameters + [function(f"p{n}", p["ops"]) for n, p in enumerate(programs)]))
    checks = 0
    for low, precision in (("f16", "fp16"), ("bf16", "bf16")):
        found = types_of(module, precision)
        for n, program in enumerate(programs):
            for i, wanted in enumerate(program[low]):
                ours = found.get((n, i))  # The canonicalizer folds some: they have no line.
                checks += ours is not None
                if ours not in (None, wanted):
                    faults.append(f"program {n}, op {i} {program['ops'][i]}: {ours}, PyTorch has {wanted}")
    print("\n".join(faults + [f"{checks} results, {len(faults)} differ from PyTorch"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
