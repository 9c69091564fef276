# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random nn programs fused, unfused and by scalar loops, and compares.

    python random_programs.py FOLDER [--programs=N] [--seed=S] [--batch=N] [--size=LEAST,MOST] [--gradients]

Fused and unfused must have the same bits, and so must scalar loops, and a program whose values are computed again
where nn-recompute finds it cheaper to (rule 6 of docs/semantics/rounding.md). Each op is also held to NumPy's float64
on the operands that mpc itself computed, so that an error does not grow from op to op and the bound can be tight. Several programs share a module; where one fails they are
run alone, and the text of those at fault stays in FOLDER.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys

import numpy as np
from program_generator import FLOATS, Program

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "support"))
import nn_numpy  # noqa: E402

MODES = {"fused": ["--threads=2"], "unfused": ["--no-fuse", "--threads=1"], "naive": ["--naive"]}
UNIT = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}  # Half a unit in the last place, relative.
SMALLEST = {"f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133}
LARGEST = {"f32": 3.4e38, "f16": 65504.0, "bf16": 3.3e38}
STORED = {"f32": "<f4", "f16": "<f2", "i64": "<i8"}


class Failure(Exception):
    pass


# Modules


def random_data(program, seed):
    rng, data = np.random.default_rng(seed), {}
    for value in program.inputs:
        if value.element == "i64":
            data[value.name] = rng.integers(-int(value.bound), int(value.bound), value.shape)
        else:
            data[value.name] = to_stored(rng.uniform(-1, 1, value.shape), value.element)
    return data


def to_stored(array, element):
    if element != "bf16":
        return np.asarray(array).astype(STORED[element])
    return (np.asarray(array, "<f4").view("<u4") & 0xFFFF0000).view("<f4")


def write_safetensors(path, values):
    """`values`: (name, element, array) each."""
    header, blobs, end = {}, [], 0
    for name, element, array in values:
        raw = (np.asarray(array, "<f4").view("<u4") >> 16).astype("<u2") if element == "bf16" else array
        raw = np.ascontiguousarray(raw, None if element == "bf16" else STORED[element]).tobytes()
        header[name] = {"dtype": element.upper(), "shape": list(array.shape), "data_offsets": [end, end + len(raw)]}
        blobs.append(raw)
        end += len(raw)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def argument(value):
    return f'{value.name}: {value.type} {{nn.name = "{value.name[1:]}"}}'


def module_text(programs, outputs):
    arguments = ", ".join(argument(value) for program in programs for value in program.inputs)
    results = ", ".join(f'{value.type} {{nn.name = "{value.name[1:]}"}}' for value in outputs)
    lines = [str(op) for program in programs for op in program.ops]
    names = ", ".join(value.name for value in outputs)
    types = ", ".join(value.type for value in outputs)
    body = "\n".join(lines)
    return f"func.func @model({arguments}) -> ({results}) {{\n{body}\n  return {names} : {types}\n}}\n"


def loss_lines(program):
    """The sum of all outputs, in f32."""
    lines, total = [], None
    for number, value in enumerate(program.outputs):
        if value.element not in FLOATS:
            continue
        name, shape = f"%{program.prefix}loss{number}", "".join(f"{size}x" for size in value.shape)
        lines.append(f"  {name}c = nn.cast {value.name} : {value.type} -> tensor<{shape}f32>")
        axes = ", ".join(str(axis) for axis in range(len(value.shape)))
        lines.append(f"  {name} = nn.reduce_sum {name}c axes [{axes}] : tensor<{shape}f32> -> tensor<f32>")
        if total is not None:
            lines.append(f"  {name}t = nn.add {total}, {name} : tensor<f32>")
        total = name if total is None else f"{name}t"
    return lines, total


def gradient_text(programs):
    """A module whose floating inputs are parameters, and whose result is a loss."""
    parameters, arguments, lines, totals = [], [], [], []
    for program in programs:
        for value in program.inputs:
            if value.element == "i64":
                arguments.append(argument(value))
                continue
            parameters.append(f"nn.parameter @{value.name[1:]} : {value.type} = <external>")
            lines.append(f"  {value.name} = nn.get @{value.name[1:]} : {value.type}")
        losses, total = loss_lines(program)
        lines += [str(op) for op in program.ops] + losses
        totals.append(total)
    while len(totals) > 1:
        name = f"%sum{len(totals)}"
        lines.append(f"  {name} = nn.add {totals.pop()}, {totals.pop()} : tensor<f32>")
        totals.append(name)
    head = f'func.func @model({", ".join(arguments)}) -> (tensor<f32> {{nn.name = "total"}}) {{'
    return "\n".join(parameters + [head] + lines + [f"  return {totals[0]} : tensor<f32>", "}", ""])


class Runner:
    def __init__(self, folder):
        self.folder = folder
        self.repeated = 0  # Ops that nn-recompute has put in.

    def at(self, name):
        return os.path.join(self.folder, name)

    def prepare(self, text, programs, data):
        with open(self.at("program.mlir"), "w") as file:
            file.write(text)
        inputs = [(v.name[1:], v.element, data[v.name]) for program in programs for v in program.inputs]
        write_safetensors(self.at("in.safetensors"), inputs)

    def run(self, flags):
        out = self.at("out.safetensors")
        command = ["mpc-eval", self.at("program.mlir"), f"--inputs={self.at('in.safetensors')}", f"--outputs={out}"]
        done = subprocess.run(command + flags, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Failure(f"{' '.join(flags)}: {done.stderr.strip()}")
        return nn_numpy.read_safetensors(out)

    def evaluate(self, programs, outputs, data, mode):
        self.prepare(module_text(programs, outputs), programs, data)
        return self.run(MODES[mode])

    def evaluate_recomputed(self, programs, outputs, data):
        text = module_text(programs, outputs)
        self.prepare(text, programs, data)
        passes = "builtin.module(func.func(nn-recompute{min-bytes=1}))"
        command = ["mpc-opt", self.at("program.mlir"), f"--pass-pipeline={passes}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"nn-recompute: {done.stderr.strip()}")
        self.repeated += done.stdout.count(" = nn.") - text.count(" = nn.")
        with open(self.at("program.mlir"), "w") as file:
            file.write(done.stdout)
        return self.run(MODES["fused"])

    def differentiate(self, programs, data, mode):
        self.prepare(gradient_text(programs), programs, data)
        gradients = ["--loss=output:total", "--gradients", f"--init={self.at('in.safetensors')}"]
        return self.run(MODES[mode] + gradients)


# Comparison


def same_bits(a, b):
    return np.array_equal(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}")) or bool(
        np.all((a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")) | (np.isnan(a) & np.isnan(b)))
    )


def contract(op, operands, shape):
    return np.asarray(nn_numpy.evaluate_op(op.name, op.attributes, operands, shape, "f64"))


def places_of(indices, size):
    return np.clip(np.where(indices < 0, indices + size, indices), 0, size - 1)


def scatter_add(op, operands, shape):
    axis = op.attributes["axis"]
    result = np.zeros(shape)
    places = places_of(operands[1], shape[axis])
    np.add.at(np.moveaxis(result, axis, 0), places, np.moveaxis(operands[0], axis, 0))
    return result


def scatter_reduce(op, operands):
    result, updates, indices = operands[0].copy(), operands[1], operands[2]
    join = {"max": np.maximum, "min": np.minimum}[op.attributes["kind"]]
    join.at(result, places_of(indices, len(result)), updates)
    return result


def reference(op, operands):
    """The results of `op` in float64."""
    shape = op.results[0].shape
    if op.name == "constant":
        return [np.full(shape, op.attributes["value"])]
    if op.name == "scatter_add":
        return [scatter_add(op, operands, shape)]
    if op.name == "scatter_reduce":
        return [scatter_reduce(op, operands)]
    if op.name == "split":
        axis = op.attributes["axis"]
        return np.split(operands[0], [shape[axis]], axis)
    return [contract(op, operands, shape)]


def error_bound(op, operands, result):
    """What the computation in f32 may be off, before it is rounded to its type."""
    magnitudes = [np.abs(o) if o.dtype.kind == "f" else o for o in operands]
    largest = max((m.max(initial=0.0) for m in magnitudes if m.dtype.kind == "f"), default=0.0)
    if op.name in ("matmul", "linear", "conv"):
        terms = magnitudes[1].size // (result.shape[1] if op.name == "conv" else 1)
        terms = operands[0].shape[-1 - op.attributes.get("transpose_lhs", 0)] if op.name != "conv" else terms
        return (terms + 2) * UNIT["f32"] * contract(op, magnitudes, list(result.shape))
    if op.name == "reduce_sum":
        terms = operands[0].size // max(result.size, 1)
        return (terms + 2) * UNIT["f32"] * magnitudes[0].sum(tuple(op.attributes["axes"]))
    if op.name == "scatter_add":
        return (operands[0].size + 2) * UNIT["f32"] * scatter_add(op, magnitudes, list(result.shape))
    if op.name in ("softmax", "log_softmax"):
        return 1e-6 * (1 + largest)
    if op.name == "layer_norm":  # The mean is a sum along the row; 10 is 1 / sqrt(epsilon).
        terms = np.prod(operands[0].shape[op.attributes["axis"] :])
        mean = 10 * (terms + 128) * UNIT["f32"] * magnitudes[0].max() * magnitudes[1].max()
        return 1e-5 * np.abs(result).max(initial=0.0) + mean
    if op.name == "gelu":
        return 4e-6 * np.maximum(1, magnitudes[0])
    if op.name in nn_numpy.UNARY:
        return 1e-6 * np.abs(result) + 1e-7
    return 0.0


def check_op(op, env, computed):
    """Holds the results of `op` to the reference on the operands that mpc computed."""
    operands = [env[operand.name] for operand in op.operands]
    wide = [o.astype(np.float64) if o.dtype.kind == "f" else o for o in operands]
    with np.errstate(all="ignore"):
        for value, wanted in zip(op.results, reference(op, wide)):
            found = computed.get(value.name[1:])
            if found is None or value.element not in FLOATS:
                env[value.name] = np.asarray(wanted).astype(nn_numpy.DTYPES[value.element])
                continue
            env[value.name] = found
            bound = error_bound(op, wide, wanted)
            bound = bound + UNIT[value.element] * 1.01 * (np.abs(wanted) + bound) + SMALLEST[value.element]
            off = np.abs(found.astype(np.float64) - wanted) > bound
            overflows = np.abs(wanted) + bound >= LARGEST[value.element]
            if np.any((off | (np.isnan(found) != np.isnan(wanted))) & ~overflows & (wanted != found)):
                worst = np.nanargmax(np.abs(found.astype(np.float64) - wanted))
                raise Failure(f"{op}: {found.flat[worst]} is not {np.asarray(wanted).flat[worst]}")


def check_bits(values, results, first, second):
    for value in values:
        name = value.name[1:]
        if not same_bits(results[first][name], results[second][name]):
            raise Failure(f"{value.name}: {first} and {second} have other bits")


def check_ops(programs, data, computed):
    env = dict(data)
    for program in programs:
        for op in program.ops:
            check_op(op, env, computed)


def check_values(runner, programs, data):
    """Only the outputs leave the fused program; of the others every value does, so that each op can be checked."""
    outputs = [value for program in programs for value in program.outputs]
    ops = [op for program in programs for op in program.ops]
    inner = [value for op in ops for value in op.results if value.element in FLOATS and value not in outputs]
    results = {"fused": runner.evaluate(programs, outputs, data, "fused")}
    for mode in ("unfused", "naive"):
        results[mode] = runner.evaluate(programs, outputs + inner, data, mode)
        check_ops(programs, data, results[mode])
    results["recomputed"] = runner.evaluate_recomputed(programs, outputs, data)
    check_bits(outputs, results, "fused", "recomputed")
    check_bits(outputs, results, "fused", "unfused")
    check_bits(outputs + inner, results, "unfused", "naive")


def check_gradients(runner, programs, data):
    results = {mode: runner.differentiate(programs, data, mode) for mode in MODES}
    for mode in ("unfused", "naive"):
        for name, ours in results["fused"].items():
            if not same_bits(ours, results[mode][name]):
                raise Failure(f"{name}: fused and {mode} have other bits")


def check(runner, programs, data, gradients):
    (check_gradients if gradients else check_values)(runner, programs, data)


# Campaign


def make(seed, number, slot, options):
    rng = random.Random(f"{seed}/{number}")
    least, most = options.size
    program = Program(rng, f"p{slot}", rng.randint(least, most), options.gradients)
    return program if program.outputs else make(seed, f"{number}'", slot, options)


def run_batch(runner, numbers, options):
    """The numbers of the programs at fault, with what is wrong."""
    programs = [make(options.seed, number, slot, options) for slot, number in enumerate(numbers)]
    data = {}
    for number, program in zip(numbers, programs):
        data.update(random_data(program, [options.seed, number]))
    try:
        check(runner, programs, data, options.gradients)
        return []
    except Failure as failure:
        if len(numbers) > 1:
            found = [fault for number in numbers for fault in run_batch(runner, [number], options)]
            return found or [(numbers, f"together: {failure}")]
        os.replace(runner.at("program.mlir"), runner.at(f"fault-{options.seed}-{numbers[0]}.mlir"))
        os.replace(runner.at("in.safetensors"), runner.at(f"fault-{options.seed}-{numbers[0]}.safetensors"))
        return [(numbers[0], str(failure))]


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--size", type=lambda text: [int(part) for part in text.split(",")], default=[5, 60])
    parser.add_argument("--gradients", action="store_true")
    return parser.parse_args()


def main():
    options = parse_arguments()
    os.makedirs(options.folder, exist_ok=True)
    runner, faults = Runner(options.folder), 0
    numbers = range(options.first, options.first + options.programs)
    for start in range(0, len(numbers), options.batch):
        for number, fault in run_batch(runner, list(numbers[start : start + options.batch]), options):
            faults += 1
            print(f"seed {options.seed}, program {number}: {fault}", flush=True)
        if sys.stderr.isatty():
            print(f"\r{min(start + options.batch, len(numbers))} of {len(numbers)}", end="", file=sys.stderr, flush=True)
    print(f"{options.programs} programs, {faults} at fault")
    if not options.gradients:
        print(f"{runner.repeated} ops computed again")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
