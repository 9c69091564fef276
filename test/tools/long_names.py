# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model with long names, and its inputs, into a folder; with --run, gives a long expression.

    python long_names.py FOLDER|--run
"""
import os
import struct
import subprocess
import sys

LONG = "a" * 300_000
MODEL = f"""\
nn.parameter @{LONG} : tensor<4x4xf32> = #nn.init<ones>
func.func @model(%rows: tensor<4x4xf32> {{nn.name = "rows"}}) -> (tensor<4x4xf32> {{nn.name = "y"}}) {{
  %w = nn.get @{LONG} : tensor<4x4xf32>
  %y = nn.matmul %rows, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32> loc("{LONG}")
  return %y : tensor<4x4xf32>
}}
"""


def write(folder):
    with open(os.path.join(folder, "model.mlir"), "w") as file:
        file.write(MODEL)
    header = b'{"rows":{"dtype":"F32","shape":[4,4],"data_offsets":[0,64]}}'
    with open(os.path.join(folder, "rows.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + bytes(64))


def run():
    command = ["mpc-eval", "model.mlir", "--inputs=rows.safetensors", "--outputs=o.safetensors", "--precision=fp16"]
    for expression in ("(" * 45_000 + ")" * 45_000, "a" * 90_000):
        done = subprocess.run([*command, f"--keep-fp32={expression}"], capture_output=True, text=True)
        assert done.returncode == 2, (done.returncode, done.stderr[-500:])
        assert f"...' has {len(expression)} bytes, more than 16384" in done.stderr, done.stderr[-500:]


run() if sys.argv[1] == "--run" else write(sys.argv[1])
