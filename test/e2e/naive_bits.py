# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares each kind of kernel by scalar loops and by vectors.

    python naive_bits.py FOLDER

Shapes leave remainders for vectors of 8 and of 16 lanes, and contractions have
several chains.
"""
import os
import subprocess
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

M, K, N = 337, 453, 29
A, B, C, D = 13, 3, 67, 5
PROGRAM = f"""
func.func @model(%x: tensor<{M}x{K}xf32> {{nn.name = "x"}},
                 %w: tensor<{N}x{K}xf32> {{nn.name = "w"}},
                 %y: tensor<{A}x{B}x{C}x{D}xf32> {{nn.name = "y"}})
    -> (tensor<{M}x{K}xf32> {{nn.name = "map"}},
        tensor<{M}x{N}xf32> {{nn.name = "contraction"}},
        tensor<{M}x{N}xf32> {{nn.name = "pairs"}},
        tensor<{K}xf32> {{nn.name = "columns"}},
        tensor<{B}x{D}xf32> {{nn.name = "apart"}},
        tensor<{M}xf32> {{nn.name = "rows"}}) {{
  %e = nn.exp %x : tensor<{M}x{K}xf32>
  %map = nn.tanh %e : tensor<{M}x{K}xf32>
  %contraction = nn.linear %x, %w
      : tensor<{M}x{K}xf32>, tensor<{N}x{K}xf32> -> tensor<{M}x{N}xf32>
  %x16 = nn.cast %x : tensor<{M}x{K}xf32> -> tensor<{M}x{K}xbf16>
  %w16 = nn.cast %w : tensor<{N}x{K}xf32> -> tensor<{N}x{K}xbf16>
  %product = nn.linear %x16, %w16
      : tensor<{M}x{K}xbf16>, tensor<{N}x{K}xbf16> -> tensor<{M}x{N}xbf16>
  %pairs = nn.cast %product : tensor<{M}x{N}xbf16> -> tensor<{M}x{N}xf32>
  %columns = nn.reduce_sum %x axes [0]
      : tensor<{M}x{K}xf32> -> tensor<{K}xf32>
  %apart = nn.reduce_sum %y axes [0, 2]
      : tensor<{A}x{B}x{C}x{D}xf32> -> tensor<{B}x{D}xf32>
  %rows = nn.reduce_sum %x axes [1] : tensor<{M}x{K}xf32> -> tensor<{M}xf32>
  return %map, %contraction, %pairs, %columns, %apart, %rows
      : tensor<{M}x{K}xf32>, tensor<{M}x{N}xf32>, tensor<{M}x{N}xf32>,
        tensor<{K}xf32>, tensor<{B}x{D}xf32>, tensor<{M}xf32>
}}
"""


CPUS = ("host", "x86-64-v3", "x86-64-v4", "znver4")


def evaluate(folder, *flags):
    at = lambda name: os.path.join(folder, name)
    out = at("out.safetensors")
    command = ["mpc-eval", at("kinds.mlir"), f"--inputs={at('in.safetensors')}", f"--outputs={out}", *flags]
    subprocess.run(command, check=True)
    return load_file(out)


def add_chains(terms, length):
    """The sums of chains of `length` of `terms` in f32, each from its first term on."""
    chains = [terms[first : first + length] for first in range(0, len(terms), length)]
    return np.stack([np.add.accumulate(chain, axis=0, dtype=np.float32)[-1] for chain in chains])


def check_columns(sums, data):
    columns = add_chains(add_chains(data["x"], 16), M)[0]
    assert sums["columns"].tobytes() == columns.tobytes(), "columns are not chains of 16"
    # Of 13 x 67 the inner loop is chains of 16, of which those of three indices of the outer are one again.
    inner = [add_chains(y, 16) for y in data["y"].transpose(0, 2, 1, 3)]
    apart = add_chains(add_chains(np.concatenate(inner), 3 * len(inner[0])), A)[0]
    assert sums["apart"].tobytes() == apart.tobytes(), "loops apart are no cascade of 16 and 3 x 5"


def check_rows(sums, x):
    """Any order of n sums of f32 is within n - 1 roundings of half a unit, each of the sum of magnitudes."""
    exact = x.astype(np.float64)
    bound = (K - 1) * 2.0**-24 * np.abs(exact).sum(axis=1)
    assert (np.abs(sums - exact.sum(axis=1)) <= bound).all(), "a sum along a row is off"


def runs(cpu):
    """Whether this machine has the instructions of that level."""
    needed = {"x86-64-v4": " avx512f ", "znver4": " avx512_bf16 "}
    return needed.get(cpu, "") in open("/proc/cpuinfo").read()


def check_units(naive):
    """A unit takes subnormal numbers, of which the first row is made, for zero, and multiplies nothing but bf16."""
    exact, unit = naive["x86-64-v4"], naive["znver4"]
    assert exact["pairs"].tobytes() == naive["x86-64-v3"]["pairs"].tobytes()
    assert exact["pairs"][0].any() and not unit["pairs"][0].any()
    assert exact["contraction"].tobytes() == unit["contraction"].tobytes()


def main():
    folder = sys.argv[1]
    rng = np.random.default_rng(5)
    data = {"x": rng.normal(size=(M, K)).astype(np.float32), "w": rng.normal(size=(N, K)).astype(np.float32)}
    data["y"] = rng.normal(size=(A, B, C, D)).astype(np.float32)
    data["x"][0] *= 1e-39
    save_file(data, os.path.join(folder, "in.safetensors"))
    with open(os.path.join(folder, "kinds.mlir"), "w") as file:
        file.write(PROGRAM)
    # Scalar loops compute on any machine what the units of another do.
    naive = {cpu: evaluate(folder, f"--cpu={cpu}", "--naive") for cpu in CPUS}
    check_units(naive)
    for cpu in CPUS:
        check_rows(naive[cpu]["rows"], data["x"])
        check_columns(naive[cpu], data)
    for cpu in filter(runs, CPUS):
        for flags in ([], ["--no-fuse"], ["--math=exact"]):
            want = naive["x86-64-v3"] if "--math=exact" in flags else naive[cpu]
            ours = evaluate(folder, f"--cpu={cpu}", *flags)
            for kind in ("map", "contraction", "pairs", "columns", "apart"):
                assert ours[kind].tobytes() == want[kind].tobytes(), f"{kind}, {cpu} {flags}: other bits"
            check_rows(ours["rows"], data["x"])


main()
