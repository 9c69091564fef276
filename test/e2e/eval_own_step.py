# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates one step of two examples that have been trained into folders.

    python eval_own_step.py BASIC WINDOW

What mpc-eval writes must be the first row of the training's metrics; of the window, a batch of whose
own makes a window of one. Writes batch.safetensors, the first step's gradients in float64, and
grads.mlir, BASIC's program with two of them as results, one with a name; model-batch.safetensors,
and the outputs of @model in several-outputs.mlir for it in float64, model.safetensors.
"""
import csv
import os
import subprocess
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import examples

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")


def evaluate(program, folder, batch):
    save_file(batch, "batch.safetensors")
    command = ["mpc-eval", os.path.join(EXAMPLES, program), "--inputs=batch.safetensors"]
    command += [f"--init={folder}/init.safetensors", "--outputs=step.safetensors"]
    subprocess.run(command, check=True)
    return load_file("step.safetensors")


def first_batch(folder):
    data = load_file(f"{folder}/data.safetensors")
    return {k: v[: examples.BATCH].copy() for k, v in data.items()} | {"lr": np.array(0.05, np.float32)}


def first_row(folder):
    return next(csv.DictReader(open(f"{folder}/metrics.csv")))


def check_window(folder):
    """The mean of one batch: the loss is its own, the step count goes on as in any window."""
    batch, weights = first_batch(folder), load_file(f"{folder}/init.safetensors")
    found = evaluate("accumulation.mlir", folder, batch)
    assert set(found) == {"loss", "scale", "found_inf", "grad_norm", "good_steps", "scale_error"}, found
    loss, _ = examples.loss_and_gradients(weights, batch)
    assert abs(found["loss"] - loss) < 1e-5 * loss and found["good_steps"] == 1, found


def check_step(folder):
    batch = first_batch(folder)
    found, row = evaluate("basic.mlir", folder, batch), first_row(folder)
    assert set(found) == {"loss", "scale", "found_inf", "grad_norm", "good_steps", "scale_error"}, found
    for name in ("loss", "scale", "grad_norm", "good_steps"):
        assert float(found[name]) == float(row[name]), (name, found[name], row[name])
    assert found["found_inf"].dtype == bool and not found["found_inf"]


SPLIT = """%u_w1, %u_b1, %u_w2, %u_b2 = amp.split %unscaled
      : !amp.gradients<@optimizer>
      -> tensor<16x8xf32>, tensor<16xf32>, tensor<4x16xf32>, tensor<4xf32>
  """


def return_gradients():
    with open(os.path.join(EXAMPLES, "basic.mlir")) as file:
        text = file.read()
    text = text.replace(
        """-> (tensor<f32> {nn.name = "loss"}""",
        """-> (tensor<4x16xf32> {nn.name = "grad.w2"}, tensor<4xf32>, tensor<f32> {nn.name = "loss"}""",
    )
    head, tail = text.split("return %loss, %scale")
    tail = tail.replace(": ", ": tensor<4x16xf32>, tensor<4xf32>, ", 1)
    with open("grads.mlir", "w") as file:
        file.write(head + SPLIT + "return %u_w2, %u_b2, %loss, %scale" + tail)


def write_model_reference(folder):
    """Both outputs of @model in several-outputs.mlir, in float64."""
    x = first_batch(folder)["x"]
    w = {k: v.astype(np.float64) for k, v in load_file(f"{folder}/init.safetensors").items()}
    features = np.tanh(x @ w["w1"].T + w["b1"])
    save_file({"argument1": x}, "model-batch.safetensors")
    save_file({"output0": features, "output1": features @ w["w2"].T + w["b2"]}, "model.safetensors")


def main():
    basic, window = sys.argv[1:]
    check_window(window)
    check_step(basic)
    weights = {k: v.astype(np.float64) for k, v in load_file(f"{basic}/init.safetensors").items()}
    loss, gradients = examples.loss_and_gradients(weights, first_batch(basic))
    reference = {"grad.w2": gradients["w2"], "output1": gradients["b2"], "loss": np.array(loss)}
    save_file(reference, "gradients.safetensors")
    return_gradients()
    write_model_reference(basic)


main()
