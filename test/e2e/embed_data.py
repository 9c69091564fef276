# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes batches of digits-mlp for embed.test: as safetensors, and as plain elements.

    python embed_data.py FOLDER [--wrong-label]

FOLDER gets data.safetensors, and data/NAME.bin for each tensor.
"""
import pathlib
import sys

from safetensors.numpy import save_file

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Inputs"))
import training_data

folder = pathlib.Path(sys.argv[1])
batches = training_data.batches("digits-mlp", steps=20)
if sys.argv[2:] == ["--wrong-label"]:
    batches["target"][3] = 10
save_file(batches, folder / "data.safetensors")
for name, values in batches.items():
    values.tofile(folder / "data" / f"{name}.bin")
