#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step costs over the C ABI and from Python, against mpc-train; and a warm start.

    .venv/bin/python benchmarks/step_cost.py [--build=build] [--steps=500]

Prints medians of one step in microseconds, of one thread, and what C and Python take more than
mpc-train; then how long mpc-train takes to have its program, compiled and from the compile cache.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from safetensors.numpy import save_file

SOURCE = pathlib.Path(__file__).resolve().parents[1]
LIMIT = 20.0  # Microseconds more than mpc-train, for C and for Python.


def run(*command, **environment):
    return subprocess.run(
        [str(word) for word in command], check=True, capture_output=True, text=True,
        env={**os.environ, **environment},
    ).stdout


def small_model(folder):
    """A model whose step is short, so that what lies around it is seen."""
    text = """
    nn.parameter @w : tensor<10x64xf32> = #nn.init<uniform 0.1>
    func.func @model(%x: tensor<16x64xf32> {nn.name = "x"})
        -> (tensor<16x10xf32> {nn.name = "logits"}) {
      %w = nn.get @w : tensor<10x64xf32>
      %y = nn.linear %x, %w : tensor<16x64xf32>, tensor<10x64xf32> -> tensor<16x10xf32>
      return %y : tensor<16x10xf32>
    }
    """
    path = folder / "small.mlir"
    path.write_text(text)
    return path


def of_mpc_train(tools, model, data, steps):
    line = run(tools / "mpc-train", model, f"--data={data}", f"--steps={steps}", "--threads=1",
               "--order=sequential", "--json", "--optimizer=sgd", MPC_CACHE_DIR="")
    return 1000 * json.loads(line.splitlines()[-1])["step_ms_median"]


def of_python(program, x, target, steps):
    sys.path.insert(0, str(BUILD / "python"))
    import mpc_compiler

    step = mpc_compiler.load(program, num_threads=1)
    step.lr = 0.01
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        step(x, target)
        times.append(1e6 * (time.perf_counter() - start))
    return statistics.median(times)


def compile_c(folder):
    program = folder / "step_cost"
    library = BUILD / "lib"
    run("cc", "-O2", "-std=gnu11", SOURCE / "benchmarks/step_cost.c", "-o", program,
        f"-I{SOURCE / 'include'}", f"-L{library}", "-lmpc-runtime", f"-Wl,-rpath,{library}")
    return program


def start_seconds(tools, model, data, cache):
    line = run(tools / "mpc-train", model, f"--data={data}", "--steps=1", "--json",
               "--precision=fp16", MPC_CACHE_DIR=str(cache))
    return json.loads(line.splitlines()[-1])["compile_s"]


def main():
    global BUILD
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build")
    parser.add_argument("--steps", type=int, default=500)
    arguments = parser.parse_args()
    BUILD = arguments.build.resolve()
    tools = BUILD / "bin"
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        in_c = compile_c(folder)
        models = {"small": (small_model(folder), 16, 64),
                  "digits-mlp": (SOURCE / "test/Inputs/workloads/digits-mlp.onnx", 256, 64)}
        print(f"{'one step, us':14}{'mpc-train':>12}{'C':>10}{'Python':>10}{'C more':>10}"
              f"{'Python more':>14}")
        for name, (model, batch, features) in models.items():
            x = np.zeros((batch, features), np.float32)
            target = np.zeros(batch, np.int64)
            data, program = folder / f"{name}.safetensors", folder / f"{name}.mpc"
            save_file({"x": x, "target": target}, data)
            run(tools / "mpc-compile", model, "--optimizer=sgd", "--cpu=host", "-o", program)
            steps = arguments.steps
            # Turn by turn: a loaded machine is slow to all of them.
            rounds = [(of_mpc_train(tools, model, data, steps),
                       float(run(in_c, program, steps, 1)),
                       of_python(program, x, target, steps)) for _ in range(3)]
            train, c, python = (min(column) for column in zip(*rounds))
            print(f"{name:14}{train:12.1f}{c:10.1f}{python:10.1f}{c - train:10.1f}"
                  f"{python - train:14.1f}")
            # Of long steps the machine's own noise is more than the limit.
            failed |= train < 1000 and max(c, python) - train > LIMIT
        print(f"\n{'start, s':14}{'cold':>12}{'cached':>10}{'times':>10}")
        model, data = models["digits-mlp"][0], folder / "digits-mlp.safetensors"
        cold = min(start_seconds(tools, model, data, folder / f"cache{i}") for i in range(3))
        warm = min(start_seconds(tools, model, data, folder / "cache0") for _ in range(5))
        print(f"{'digits-mlp':14}{cold:12.3f}{warm:10.3f}{cold / warm:10.1f}")
        failed |= cold < 10 * warm
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
