# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the class axis of losses against what PyTorch computes of the same numbers.

    python class_axis.py FOLDER                  # with mpc-eval, mpc-train and mpc-compile in PATH
    python class_axis.py record                  # prints RECORDED anew; needs torch, by hand

PyTorch's losses have their classes on axis 1: where a case has them elsewhere, its logits were turned for the record.
"""
import pathlib
import subprocess
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

#: Shape of the logits, where the classes are, what the target is, and the flag that says so where shapes do not.
CASES = {
    "square": ((4, 4), 1, "labels", ""),
    "as many labels as classes": ((5, 5), 1, "labels", "--loss=nll"),
    "channels like width": ((2, 3, 3), 1, "labels", "--class-axis=1"),
    "tokens like words": ((2, 3, 3), 2, "labels", "--class-axis=2"),
    "from the end": ((2, 3, 3), 2, "labels", "--class-axis=-1"),
    "words": ((2, 3, 5), 2, "labels", ""),
    "signals": ((2, 3, 5), 1, "labels", ""),
    "image": ((2, 4, 4, 4), 1, "labels", ""),
    "image, said": ((2, 4, 4, 4), 3, "labels", "--class-axis=3"),
    "image with channels last": ((2, 4, 5, 3), 3, "labels", ""),
    "in the middle": ((2, 3, 5, 4), 2, "labels", "--class-axis=2"),
    "volume": ((2, 3, 3, 3, 3), 1, "labels", ""),
    "weighted": ((2, 4, 4, 4), 1, "labels", "--class-weights=1,2,0.5,3"),
    "chances": ((4, 4), 1, "chances", ""),
    "chances of words": ((2, 3, 5), 2, "chances", ""),
    "chances of signals": ((2, 3, 5), 1, "chances", "--class-axis=1"),
    "chances of an image": ((2, 4, 4, 4), 1, "chances", ""),
    "chances of a volume": ((2, 3, 4, 3, 2), 1, "chances", ""),
    "chances, said": ((2, 4, 4, 4), 3, "chances", "--class-axis=-1"),
}

#: Of each case the loss in float64, by PyTorch 2.13.0.
RECORDED = {
    "square": 1.80447259244,
    "as many labels as classes": 0.811750864983,
    "channels like width": 1.82527299175,
    "tokens like words": 2.1495405541,
    "from the end": 2.1495405541,
    "words": 2.75978183764,
    "signals": 0.688127111122,
    "image": 2.04988178498,
    "image, said": 2.1434545363,
    "image with channels last": 1.98339639945,
    "in the middle": 2.0407357207,
    "volume": 1.59673991544,
    "weighted": 1.99209821273,
    "chances": 1.97049999375,
    "chances of words": 2.50865635191,
    "chances of signals": 1.89277952396,
    "chances of an image": 2.06726908153,
    "chances of a volume": 1.96920762177,
    "chances, said": 2.11941925135,
}

TOLERANCE = 2e-6  # Relative: the loss is computed in f32.

MODEL = """\
nn.parameter @w : tensor<{shape}xf32> = #nn.init<zeros>
func.func @model(%x: tensor<{shape}xf32> {{nn.name = "x"}}) -> (tensor<{shape}xf32> {{nn.name = "y"}}) {{
  %w = nn.get @w : tensor<{shape}xf32>
  %y = nn.add %x, %w : tensor<{shape}xf32>
  return %y : tensor<{shape}xf32>
}}
"""


def logits(shape):
    """From -2 to 2, no two alike."""
    count = np.arange(np.prod(shape), dtype=np.float64)
    return (2 * np.sin(1.7 * count + 0.3 * count**0.5)).reshape(shape).astype(np.float32)


def target(shape, axis, kind):
    if kind == "chances":
        parts = np.exp(logits(shape).astype(np.float64) * 0.5 + 0.1)[..., ::-1]
        return (parts / parts.sum(axis, keepdims=True)).astype(np.float32)
    places = shape[:axis] + shape[axis + 1 :]
    return (np.arange(np.prod(places)) * 7 // 3 % shape[axis]).reshape(places)


def record():
    import torch

    for name, (shape, axis, kind, flags) in CASES.items():
        x = torch.from_numpy(np.moveaxis(logits(shape), axis, 1).astype(np.float64))
        wanted = target(shape, axis, kind)
        t = torch.from_numpy(np.moveaxis(wanted, axis, 1).astype(np.float64) if kind == "chances" else wanted)
        weights = next((f.split("=")[1] for f in flags.split() if f.startswith("--class-weights")), None)
        w = weights and torch.tensor([float(text) for text in weights.split(",")], dtype=torch.float64)
        function = torch.nn.functional.nll_loss if "nll" in flags else torch.nn.functional.cross_entropy
        print(f'    "{name}": {function(x, t, weight=w).item():.12g},')


def tool(name, *arguments):
    return subprocess.run([name, *map(str, arguments)], capture_output=True, text=True)


def write_case(folder, shape, axis, kind):
    (folder / "model.mlir").write_text(MODEL.format(shape="x".join(map(str, shape))))
    save_file({"x": logits(shape), "target": np.ascontiguousarray(target(shape, axis, kind))}, folder / "in.safetensors")


def fault(folder, name):
    """What is wrong of mpc-eval and of the first step of mpc-train, or nothing."""
    shape, axis, kind, flags = CASES[name]
    write_case(folder, shape, axis, kind)
    flags = flags.split() if "--loss" in flags else ["--loss=cross_entropy", *flags.split()]
    data, out, rows = (folder / file for file in ("in.safetensors", "out.safetensors", "rows.csv"))
    done = tool("mpc-eval", folder / "model.mlir", f"--inputs={data}", f"--outputs={out}", *flags)
    if done.returncode:
        return done.stderr
    found = [load_file(out)["loss"].item()]
    done = tool("mpc-train", folder / "model.mlir", f"--data={data}", "--order=sequential", f"--metrics={rows}", *flags)
    if done.returncode:
        return done.stderr
    found.append(float(rows.read_text().splitlines()[1].split(",")[1]))
    wanted = RECORDED[name]
    return "" if np.allclose(found, wanted, rtol=TOLERANCE, atol=0) else f"loss {found}, PyTorch's is {wanted}"


def main(folder):
    folder, faults = pathlib.Path(folder), 0
    for name in CASES:
        what = fault(folder, name)
        faults += bool(what)
        if what:
            print(f"FAIL {name}: {what}")
    print(f"{len(CASES)} losses, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(record() if sys.argv[1] == "record" else main(sys.argv[1]))
