# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains one model with and without a budget of memory, and compares arenas and numbers.

    python memory_budget.py INPUTS FOLDER
"""
import json
import pathlib
import subprocess
import sys

import numpy as np
from safetensors.numpy import save_file

INPUTS, FOLDER = map(pathlib.Path, sys.argv[1:])
MODEL = INPUTS / "workloads" / "chargpt.onnx"
BATCH = 12


def compiled(precision, *flags):
    """The program's path and the bytes of its step's arena."""
    path = FOLDER / f"{precision}{len(flags)}.mpc"
    command = ["mpc-compile", MODEL, f"--precision={precision}", "--cpu=x86-64-v3"]
    subprocess.run([*command, *flags, "-o", path], check=True)
    program = json.loads(subprocess.run(["mpc-inspect", path, "--json"], check=True, stdout=subprocess.PIPE).stdout)
    return path, next(entry for entry in program["entries"] if entry["name"] == "step")["arena_bytes"]


def metrics(path):
    """All columns of three steps but their times."""
    out = path.with_suffix(".csv")
    run = ["mpc-run", path, f"--data={FOLDER / 'data.safetensors'}", "--steps=3", "--lr=0.01", f"--metrics={out}"]
    subprocess.run(run, check=True, stderr=subprocess.DEVNULL)
    return [line.rsplit(",", 1)[0] for line in out.read_text().splitlines()]


def main():
    rng = np.random.default_rng(3)
    tokens = rng.integers(0, 60, (2 * BATCH, 65))
    save_file({"tokens": tokens[:, :-1].copy(), "target": tokens[:, 1:].copy()}, FOLDER / "data.safetensors")
    # Much of what a step keeps can be computed again. What an entry returns is no part of the arena.
    for precision, share in (("fp32", 0.6), ("bf16", 0.65)):
        path, whole = compiled(precision)
        fitted, part = compiled(precision, f"--memory-budget={share}")
        assert part <= share * whole, (part, whole)
        assert metrics(fitted) == metrics(path), "a budget changes numbers"
        print(f"{precision}: {part} of {whole}, equal")


main()
