# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws with mpc-eval and holds the numbers against their specification and their distribution.

    python random_statistics.py FOLDER

Means, variances and correlations are within five standard deviations of what independent numbers
have, so that a right generator fails about once in a million runs; the seeds are fixed.
"""
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import load_file, save_file

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import philox

SHAPE = (300, 400)
COUNT = SHAPE[0] * SHAPE[1]
KEPT, LOW, HIGH, MEAN, SCALE = 0.7, -2.0, 3.0, 1.5, 0.5


def make(path):
    """Streams are counted in the order of the nodes."""
    nodes = [
        helper.make_node("RandomUniform", [], ["uniform"], shape=SHAPE, low=LOW, high=HIGH),
        helper.make_node("RandomNormalLike", ["x"], ["normal"], mean=MEAN, scale=SCALE),
        helper.make_node("Bernoulli", ["p"], ["bernoulli"]),
        helper.make_node("Dropout", ["x", "ratio"], ["dropout", "mask"]),
        helper.make_node("RandomUniformLike", ["x"], ["other"]),
    ]
    floats = lambda *names: [helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in names]
    outputs = floats("uniform", "normal", "bernoulli", "dropout", "other")
    outputs.append(helper.make_tensor_value_info("mask", TensorProto.BOOL, SHAPE))
    ratio = helper.make_tensor("ratio", TensorProto.FLOAT, [], [1 - KEPT])
    graph = helper.make_graph(nodes, "g", floats("x", "p"), outputs, [ratio])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)]), path)


def draw(folder, seed):
    """In training, where dropout drops."""
    command = ["mpc-eval", folder / "model.onnx", f"--inputs={folder / 'in.safetensors'}", "--training"]
    subprocess.run([*command, f"--outputs={folder / 'out.safetensors'}", f"--seed={seed}"], check=True)
    return {name: value.astype(np.float64) for name, value in load_file(folder / "out.safetensors").items()}


class Judge:
    faults = 0

    def close(self, what, found, wanted, deviation):
        """`deviation`: of what is found, were the numbers independent."""
        off = abs(found - wanted) / deviation
        self.faults += off > 5
        print(f"{'FAIL' if off > 5 else 'ok  '} {what}: {found:.6f}, expected {wanted:.6f}, {off:.1f} sigma")

    def equal(self, what, found, wanted):
        same = np.array_equal(found, wanted)
        self.faults += not same
        print(f"{'ok  ' if same else 'FAIL'} {what}")

    def uncorrelated(self, what, a, b):
        self.close(what, np.corrcoef(a.ravel(), b.ravel())[0, 1], 0.0, COUNT**-0.5)


def judge_moments(judge, drawn):
    width = HIGH - LOW
    u, n = drawn["uniform"], drawn["normal"]
    judge.close("mean of uniform", u.mean(), (LOW + HIGH) / 2, width / np.sqrt(12 * COUNT))
    judge.close("variance of uniform", u.var(), width**2 / 12, width**2 * np.sqrt(1 / 180 / COUNT))
    judge.close("mean of normal", n.mean(), MEAN, SCALE / np.sqrt(COUNT))
    judge.close("variance of normal", n.var(), SCALE**2, SCALE**2 * np.sqrt(2 / COUNT))
    judge.close("kurtosis of normal", (((n - MEAN) / SCALE) ** 4).mean(), 3.0, np.sqrt(96 / COUNT))
    deviation = np.sqrt(KEPT * (1 - KEPT) / COUNT)
    judge.close("share of ones", drawn["bernoulli"].mean(), KEPT, deviation)
    judge.close("share of kept", drawn["mask"].mean(), KEPT, deviation)
    judge.close("mean of what is kept", drawn["dropout"].mean(), 1.0, deviation / KEPT)


def judge_independence(judge, drawn, others):
    other = drawn["other"]
    for name in ("uniform", "normal", "bernoulli", "mask"):
        judge.uncorrelated(f"{name} and other", drawn[name], other)
    judge.uncorrelated("neighbours in a row", other, np.roll(other, 1, axis=1))
    judge.uncorrelated("neighbours in a column", other, np.roll(other, 1, axis=0))
    judge.uncorrelated("words of a block", other, np.roll(other, 16, axis=1))
    judge.uncorrelated("two seeds", other, others["other"])
    of = lambda step, batch: philox.uniform(SHAPE, 11, step, batch, 4)
    judge.uncorrelated("two steps", of(0, 0), of(1, 0))
    judge.uncorrelated("two batches", of(0, 0), of(0, 1))


def judge_specification(judge, drawn, seed):
    u = lambda stream: philox.uniform(SHAPE, seed, 0, 0, stream)
    judge.equal("other is as specified", drawn["other"], u(4))
    judge.equal("bernoulli is as specified", drawn["bernoulli"], u(2) < np.float32(KEPT))
    factor = philox.dropout_factor(SHAPE, np.float32(1 - KEPT), seed, 0, 0, 3)
    judge.equal("dropout is as specified", drawn["dropout"], factor)
    judge.equal("mask is as specified", drawn["mask"], factor != 0)


def main(folder):
    folder, judge = pathlib.Path(folder), Judge()
    make(folder / "model.onnx")
    inputs = {"x": np.ones(SHAPE, np.float32), "p": np.full(SHAPE, KEPT, np.float32)}
    save_file(inputs, folder / "in.safetensors")
    drawn, others = draw(folder, 11), draw(folder, 12)
    judge_specification(judge, drawn, 11)
    judge_moments(judge, drawn)
    judge_independence(judge, drawn, others)
    print(f"{judge.faults} faults")
    return 1 if judge.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
