# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mpc, by the Python package of a build."""
import itertools
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np
from mpc_compiler import __version__, _arrays, load

from . import cases, convolutions, ops, programs

LOW = {"fp32": np.float32, "fp16": np.float16}
PRECISIONS = {
    "step": {
        "fp32": "f32",
        "bf16": "bf16 operands, f32 sums, f32 weights and moments",
        "fp16": "f16 operands, f32 sums, f32 weights and moments, dynamic loss scale",
    },
    "model": {"fp32": "f32", "bf16": "bf16 operands, f32 sums, f32 weights and moments"},
    "contraction": {"fp32": "f32", "bf16": "bf16 in and out, f32 sums", "fp16": "f16 in and out, f32 sums"},
    "attention": {"fp32": "f32", "bf16": "bf16 in and out, f32 softmax", "fp16": "f16 in and out, f32 softmax"},
    "optimizer": {"fp16": "f16 gradients and copies, f32 weights and moments"},
}


def narrow(array, precision):
    """The array in the precision's type, and whether that is bf16, which NumPy has as integers."""
    if precision != "bf16":
        return array.astype(LOW[precision]), False
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16), True


def fault_of(done):
    """The line of a tool that says why."""
    lines = done.stderr.strip().splitlines()
    return next((line for line in lines if "error:" in line), lines[-1])


class Call:
    """A program, its runner, and the calls of one case."""

    def __init__(self, step, run, check, precision, **facts):
        self.step, self.run, self.check, self.precision, self.facts = step, run, check, precision, facts


class Side:
    def __init__(self, threads):
        self.threads, self.version = threads, f"mpc {__version__}"
        self.folder = tempfile.TemporaryDirectory(prefix="mpc-compare-")
        self.tools = pathlib.Path(os.environ["MPC_BUILD"]) / "bin"
        self.compile_s = 0.0  # Of the last program.

    def make(self, case, mode):
        return getattr(self, case["kind"])(case, mode)

    def close(self):
        """A program goes with its call."""

    def compile(self, model, *flags):
        folder = pathlib.Path(self.folder.name)
        if not isinstance(model, pathlib.Path):
            (folder / "model.mlir").write_text(model)
            model = folder / "model.mlir"
        command = [self.tools / "mpc-compile", model, "--cpu=host", *flags, "-o", folder / "program.mpc"]
        begin = time.perf_counter()
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.compile_s = time.perf_counter() - begin
        if done.returncode != 0:
            raise RuntimeError(fault_of(done))
        return load((folder / "program.mpc").read_bytes(), num_threads=self.threads)

    def contraction(self, case, mode):
        step = self.compile(programs.contraction(case, mode), "--eval")
        for name, array in zip("ab", cases.operands(case)):
            step._runner.bind_input(name, *narrow(array, mode))

        def check():
            result = np.empty((case["m"], case["n"]), np.float32)
            step._runner.read_output("c", result)
            return cases.size_of(result)

        return Call(step, step._runner.evaluate, check, PRECISIONS["contraction"][mode])

    def attention(self, case, mode):
        step = self.compile(programs.attention(case, mode), f"--precision={mode}")
        *inputs, gradient = cases.attention_inputs(case)
        for name, array in zip("qkv", inputs):
            step.write_state(name, array)
        step._runner.bind_input("do", *narrow(gradient, mode))

        def check():
            result = np.empty(case["shape"], np.float32)
            step._runner.read_output("dk", result)
            return cases.size_of(result)

        return Call(step, step._runner.step, check, PRECISIONS["attention"][mode])

    def optimizer(self, case, mode):
        step = self.compile(programs.optimizer(case), "--precision=fp32")
        for i, array in enumerate(cases.gpt2_numbers(case, cases.WEIGHT, 4)):
            step.write_state(f"w{i}", array)
        for i, array in enumerate(cases.gpt2_numbers(case, cases.GRADIENT, 5)):
            step._runner.bind_input(f"g{i}", array.astype(np.float16))
        step.lr = 1e-4
        last = {}

        def run():
            last["norm"] = step._runner.step().grad_norm

        return Call(step, run, lambda: last["norm"], PRECISIONS["optimizer"][mode])

    def step(self, case, mode):
        model, name = programs.step(case)
        rule = case["optimizer"]
        scale = ["--loss-scale=dynamic"] if mode == "fp16" else []
        step = self.compile(model, "--loss=cross_entropy", f"--precision={mode}", *programs.optimizer_flags(rule), *scale)
        step.lr = rule["lr"]
        batches = itertools.cycle(cases.batches(case))
        first = []

        def run():
            inputs, target = next(batches)
            loss = step(**{name: inputs, "target": target}).loss
            first.append(loss) if not first else None

        return Call(step, run, lambda: first[0], PRECISIONS["step"][mode])

    def model(self, case, mode):
        folder = self.exported_model(case)
        rule = case["optimizer"]
        loss = (folder / "loss").read_text()
        step = self.compile(folder / "model.pt2", f"--loss=output:{loss}", f"--precision={mode}", *programs.optimizer_flags(rule))
        step.lr = rule["lr"]
        with np.load(folder / "batch.npz") as file:
            losses = cases.FirstLosses(lambda batch=dict(file): step(**batch).loss)
        return Call(step, losses.run, losses.check, PRECISIONS["model"][mode], compile_s=self.compile_s)

    def exported_model(self, case):
        """The folder of a model that PyTorch, in a process of its own, has exported with its batch."""
        folder = pathlib.Path(self.folder.name) / case["name"].replace(" ", "-")
        if not folder.exists():
            folder.mkdir()
            command = [os.environ["MPC_TORCH_PYTHON"], "-B", "-m", "comparison.networks", json.dumps(case), folder]
            done = subprocess.run([str(word) for word in command], cwd=cases.ROOT / "benchmarks", capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return folder

    def convolution(self, case, mode):
        product, precision = mode.split()
        program, names = programs.convolution(case, product, precision)
        step = self.compile(program, f"--precision={precision}")
        numbers = convolutions.operands(case)
        for name in names:
            step._runner.bind_input(name, *narrow(numbers[name], precision))
        shape = convolutions.shapes(case)[{"forward": "y", "input": "x", "weight": "w"}[product]]

        def check():
            result = np.empty(shape, np.float32)
            step._runner.read_output("result", result)
            return cases.size_of(result)

        return Call(step, step._runner.step, check, PRECISIONS["contraction"][precision])

    depthwise = convolution

    def op(self, case, mode):
        """A program of the op, whose inputs lie where they are: a call is the program and little else."""
        what, precision = mode.split()
        called = ops.Called(case, precision)
        model = self.imported(called)
        has_gradients = what == "both"
        program = programs.with_gradients(model, called) if has_gradients else programs.forward(model)
        step = self.compile(program, f"--precision={precision}")
        for name, tensor in programs.bound(model, called, has_gradients).items():
            step._runner.bind_input(name, tensor)
        outputs = [info for entry in step._entries for info in entry.outputs]

        def check():
            results = [_arrays.read(step._runner.read_output, info) for info in outputs]
            return ops.keep(self.folder.name, mode, results)

        return Call(step, step._runner.step, check, precision)

    search = op

    def imported(self, called):
        """The op as PyTorch exports it, in our text."""
        path = pathlib.Path(self.folder.name) / "op.pt2"
        ops.export(called, path)
        done = subprocess.run([self.tools / "mpc-import", path], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(fault_of(done))
        return done.stdout
