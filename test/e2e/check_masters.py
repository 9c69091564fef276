# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a model whose parameters are of 16 bits and holds each step to its masters.

    python check_masters.py MODEL.onnx DATA.safetensors FOLDER [--plant]

Plain gradient descent, three steps. The gradients of a step are those that mpc-eval finds
for the masters before it, rounded to the model's type: so a master must come out as
`master - lr * gradient`, to one unit in the last place of f32. With --plant one gradient is
changed first.
"""
import pathlib
import subprocess
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

LR = 0.01
model, data, folder = sys.argv[1], load_file(sys.argv[2]), pathlib.Path(sys.argv[3])
plant = "--plant" in sys.argv
batch, steps = 8, 3
data = {name: value[: batch * steps] for name, value in data.items()}
save_file(data, folder / "data.safetensors")

recipe = ["--optimizer=sgd", f"--lr={LR}", "--order=sequential", f"--steps={steps}"]
places = [f"--checkpoint-dir={folder}/run", "--checkpoint-every=1", "--resume"]
masters = []
for step in range(steps + 1):
    if step:
        recipe[-1] = f"--steps={step}"
        subprocess.run(["mpc-train", model, f"--data={folder}/data.safetensors", *recipe, *places], check=True, capture_output=True)
        saved = load_file(folder / f"run/ckpt-{step:08}.safetensors")
        masters.append({name: value for name, value in saved.items() if not name.startswith("amp.")})
    if step == steps:
        break
    inputs = {name: value[batch * step : batch * (step + 1)] for name, value in data.items()}
    save_file(inputs, folder / "batch.safetensors")
    weights = [f"--init={folder}/run/ckpt-{step:08}.safetensors"] if step else []
    out = folder / f"eval-{step}.safetensors"
    subprocess.run(["mpc-eval", model, "--loss=cross_entropy", "--gradients", f"--inputs={folder}/batch.safetensors", f"--outputs={out}", *weights], check=True, capture_output=True)

worst, fractions = 0.0, 0
for step in range(1, steps):
    gradients = safe_open(folder / f"eval-{step}.safetensors", "np")
    for name, old in masters[step - 1].items():
        assert old.dtype == np.float32, f"{name} is {old.dtype}"
        gradient = gradients.get_tensor("grad." + name).astype(np.float64)
        if plant and name == sorted(masters[0])[0]:
            gradient.flat[0] += 1.0
        expected = old.astype(np.float64) - np.float64(np.float32(LR)) * gradient
        found = masters[step][name].astype(np.float64)
        worst = max(worst, float(np.max(np.abs(found - expected) / np.spacing(np.abs(expected).astype(np.float32)))))
        # Bits that bf16 does not have: what makes it a master.
        fractions += int(np.count_nonzero(masters[step][name].view(np.uint32) & 0xFFFF))
if not worst <= 1.0:
    raise SystemExit(f"FAIL {worst:.3g} units off")
if not fractions:
    raise SystemExit("FAIL no master holds more than bf16 does")
print(f"ok   {len(masters[0])} masters of f32 over {steps} steps, {worst:.2f} units off")
