# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains each model of a folder for a step and holds the names of its exported weights against those of its state.

    python state_names.py FOLDER OUT

FOLDER is by support/pytorch/state_names.py.
"""

import json
import pathlib
import struct
import subprocess
import sys


def names_in(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    return set(json.loads(data[8 : 8 + size])) - {"__metadata__"}


def train(model, data, weights):
    done = subprocess.run(
        ["mpc-train", model, "--loss=output:loss", f"--data={data}", "--steps=1", f"--export-weights={weights}"],
        capture_output=True, text=True,
    )  # fmt: skip
    return done.stderr if done.returncode else None


def main():
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    models, loaded = json.loads((folder / "names.json").read_text()), 0
    for name, of in models.items():
        weights = out / f"{name}.safetensors"
        if error := train(folder / f"{name}.onnx", folder / "data.safetensors", weights):
            print(f"{name}: {error}")
            continue
        found, state = names_in(weights), set(of["state"])
        unexpected, missing = sorted(found - state), sorted(state - found - set(of["tolerated"]))
        if unexpected or missing:
            print(f"{name}: unexpected {unexpected}, missing {missing}")
        else:
            loaded += 1
    print(f"{loaded} of {len(models)} load strictly")


if __name__ == "__main__":
    main()
