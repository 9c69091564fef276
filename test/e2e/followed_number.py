# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the step that docs/architecture.md follows a number through, and holds page and tools to its numbers.

    python followed_number.py architecture.md FOLDER

The command is the page's own. The numbers are computed here in float64 from the page's model.
"""
import csv
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file, save_file

WEIGHT = np.array([[0.5, -1.0]])
X = np.array([[1.0, 2.0], [3.0, 4.0]])


def write_model(folder):
    weight = numpy_helper.from_array(WEIGHT.astype(np.float32), "fc.weight")
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "fc.weight"], ["y"], name="fc", transB=1)], "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 1])], [weight])  # fmt: skip
    opsets = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), folder / "fc.onnx")
    save_file({"x": X.astype(np.float32), "target": np.zeros((2, 1), np.float32)}, folder / "data.safetensors")


def run(command, folder):
    command += " --metrics=metrics.csv --export-weights=weights.safetensors"
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    (row,) = csv.DictReader((folder / "metrics.csv").open())
    return row, load_file(folder / "weights.safetensors")["fc.weight"]


def main():
    page, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
    (command,) = re.findall(r"^mpc-train fc\.onnx .*$", page, re.M)
    scale, rate = (float(re.search(rf"--{flag}=(\S+)", command)[1]) for flag in ("init-scale", "lr"))
    write_model(folder)
    row, weight = run(command, folder)

    y = X @ WEIGHT.T
    gradient = 2 / y.size * y.T @ X
    loss, norm, after = np.mean(y * y), np.linalg.norm(gradient), WEIGHT - rate * gradient
    assert float(row["loss"]) == loss and row["skipped"] == "0", row
    assert float(row["scale"]) == scale and np.isclose(float(row["grad_norm"]), norm, rtol=1e-12), row
    assert np.allclose(weight, after, rtol=2**-23), weight
    told = [
        f"the loss is {loss:g}",
        f"= {scale * gradient[0, 1]:g}`",
        f"with the default scale of 65536 it would be {65536 * gradient[0, 1]:g}",
        f"= {after[0, 1]:g}`",
        f"`loss {loss:g}, scale {scale:g}, skipped 0, grad_norm {norm:.2f}`",
    ]
    missing = [text for text in told if text not in " ".join(page.split())]
    assert not missing, f"the page does not say {missing}"
    row, weight = run(command.replace(f"--init-scale={scale:g} ", ""), folder)
    assert row["skipped"] == "1" and (weight == WEIGHT).all(), "with the default scale the step is not skipped"
    print("the numbers are those of the page")


if __name__ == "__main__":
    main()
