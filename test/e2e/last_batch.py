# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains with a smaller last batch, and programs for batches of several shapes.

    python last_batch.py DIR

The steps are held against float64: each batch counts by the mean over its own rows, and in a window
as every other one does.
"""
import csv
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import load_file, save_file

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import reference

SAMPLES, BATCH, REST, FEATURES, HIDDEN, CLASSES = 37, 16, 5, 6, 8, 4
RATE, MOMENTUM = 0.2, 0.9

os.chdir(pathlib.Path(sys.argv[1]).resolve())
generator = np.random.default_rng(11)
weights = {
    "w1": generator.normal(size=(FEATURES, HIDDEN)).astype(np.float32),
    "b1": generator.normal(size=HIDDEN).astype(np.float32),
    "w2": generator.normal(size=(HIDDEN, CLASSES)).astype(np.float32),
    "b2": generator.normal(size=CLASSES).astype(np.float32),
}


def save_model(path, batch):
    """A perceptron whose batch is open, or fixed."""
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"]),
        helper.make_node("Tanh", ["h"], ["t"]),
        helper.make_node("Gemm", ["t", "w2", "b2"], ["logits"]),
    ]
    tensors = [onnx.numpy_helper.from_array(tensor, name) for name, tensor in weights.items()]
    inputs = [value("x", TensorProto.FLOAT, [batch, FEATURES])]
    outputs = [value("logits", TensorProto.FLOAT, [batch, CLASSES])]
    graph = helper.make_graph(nodes, "net", inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.save(model, path)


def run(tool, *flags, fails=False, stdin=None):
    done = subprocess.run([tool, *flags], input=stdin, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, (tool, flags, done.stderr)
    return done.stderr


def rows_of(path):
    """The rows of the metrics but for the times."""
    return [{**row, "step_ms": ""} for row in csv.DictReader(open(path))]


def losses(path):
    return [float(row["loss"]) for row in csv.DictReader(open(path))]


def step_of(w, x, target):
    """Loss and gradients, means over these rows."""
    t = np.tanh(x @ w["w1"] + w["b1"])
    z = t @ w["w2"] + w["b2"]
    z = z - z.max(1, keepdims=True)
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    index = np.arange(len(x))
    loss = -np.log(p[index, target]).mean()
    p[index, target] -= 1
    dz = p / len(x)
    dh = dz @ w["w2"].T * (1 - t * t)
    return loss, {"w1": x.T @ dh, "b1": dh.sum(0), "w2": t.T @ dz, "b2": dz.sum(0)}


def batches(epochs):
    for _ in range(epochs):
        for begin in range(0, SAMPLES, BATCH):
            yield x[begin : begin + BATCH].astype(np.float64), target[begin : begin + BATCH]


def train64(epochs, window):
    w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}
    optimizer = reference.Sgd(RATE, MOMENTUM)
    told, group = [], []
    for batch in batches(epochs):
        group.append(step_of(w, *batch))
        if len(group) == window:
            told.append(np.mean([loss for loss, _ in group]))
            optimizer.step(w, {name: sum(g[name] for _, g in group) / window for name in w})
            group = []
    return told, w


x = generator.normal(size=(SAMPLES, FEATURES)).astype(np.float32)
target = generator.integers(0, CLASSES, SAMPLES)
save_model("open.onnx", "N")
save_model("fixed.onnx", BATCH)
save_file({"x": x, "target": target}, "data.safetensors")
save_file({"x": x[:32], "target": target[:32]}, "whole.safetensors")

RECIPE = ["--optimizer=sgd", f"--momentum={MOMENTUM}", "--precision=fp32", "--cpu=x86-64-v3"]
DATA = ["--data=data.safetensors", "--order=sequential", f"--lr={RATE}"]
SMALLER = [*DATA, "--last-batch=smaller"]
SIZES = f"--batch-size={BATCH},{REST}"

# A step, and a window of which some have the smaller batch: four epochs.
for window in (1, 3):
    recipe = [*RECIPE, f"--accumulate={window}"]
    outputs = ["--metrics=train.csv", "--export-weights=train.safetensors"]
    run("mpc-train", "open.onnx", f"--batch-size={BATCH}", *recipe, *SMALLER, "--epochs=4", *outputs)
    told, expected = train64(4, window)
    assert len(told) == 12 // window, told
    np.testing.assert_allclose(losses("train.csv"), told, rtol=2e-6)
    for name, tensor in load_file("train.safetensors").items():
        np.testing.assert_allclose(tensor, expected[name], rtol=0, atol=2e-6)
    # A program that mpc-compile wrote for both makes the same bits, and a resume does.
    run("mpc-compile", "open.onnx", SIZES, *recipe, "-o", "both.mpc")
    run("mpc-run", "both.mpc", *SMALLER, "--epochs=4", "--metrics=run.csv", "--checkpoint-dir=run")
    assert rows_of("run.csv") == rows_of("train.csv")
    steps = 12 // window
    last = f"ckpt-{steps:08}.safetensors"
    for name in ("w1", "b2"):
        assert np.array_equal(load_file(f"run/{last}")[name], load_file("train.safetensors")[name])
    resumed = ["--checkpoint-dir=resumed", "--metrics=resumed.csv"]
    run("mpc-run", "both.mpc", *SMALLER, f"--steps={steps - 3}", *resumed)
    run("mpc-run", "both.mpc", *SMALLER, f"--steps={steps}", *resumed, "--resume")
    assert filecmp.cmp(f"resumed/{last}", f"run/{last}", shallow=False)
    assert rows_of("resumed.csv") == rows_of("run.csv")
    for folder in ("run", "resumed"):
        shutil.rmtree(folder)

# What a program has beside the batches of a run changes no bit of it, nor its checkpoints.
for precision in ("fp32", "fp16"):
    recipe = ["--optimizer=adamw", f"--precision={precision}", "--with-eval"]
    run("mpc-compile", "open.onnx", SIZES, *recipe, "-o", "both.mpc")
    for size in (BATCH, REST):
        run("mpc-compile", "open.onnx", f"--batch-size={size}", *recipe, "-o", "alone.mpc")
        for program in ("both", "alone"):
            words = [*DATA, f"--batch-size={size}", "--epochs=2", "--eval-data=data.safetensors"]
            run("mpc-run", f"{program}.mpc", *words, f"--metrics={program}.csv", f"--checkpoint-dir={program}")
        assert rows_of("both.csv") == rows_of("alone.csv"), precision
        (state,) = (path.name for path in pathlib.Path("both").iterdir() if path.name.startswith("ckpt-"))
        assert filecmp.cmp(f"both/{state}", f"alone/{state}", shallow=False), precision
        shutil.rmtree("both")
        shutil.rmtree("alone")

# An evaluation takes what the file has.
run("mpc-compile", "open.onnx", "--eval", SIZES, "--precision=fp32", "-o", "eval.mpc")
w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}
for program in ("eval", "both"):
    for size in (REST, BATCH):
        save_file({"x": x[:size], "target": target[:size]}, "batch.safetensors")
        run("mpc-run", f"{program}.mpc", "--inputs=batch.safetensors", "--outputs=out.safetensors")
        found = load_file("out.safetensors")
        if program == "eval":
            logits = np.tanh(x[:size].astype(np.float64) @ w["w1"] + w["b1"]) @ w["w2"] + w["b2"]
            np.testing.assert_allclose(found["logits"], logits, rtol=0, atol=2e-6)
        else:  # Of 16 bits.
            np.testing.assert_allclose(found["loss"], step_of(w, x[:size], target[:size])[0], rtol=2e-3)

# An overflow in the smaller batch is found there, by the step of its shape, and skipped.
bad = x.copy()
bad[-1, 0] = np.inf
save_file({"x": bad, "target": target}, "bad.safetensors")
words = ["open.onnx", f"--batch-size={BATCH}", "--precision=fp16", "--data=bad.safetensors", "--order=sequential"]
for window in (1, 3):
    said = run("mpc-train", *words, "--last-batch=smaller", "--nan-report", "--metrics=bad.csv", f"--accumulate={window}")
    assert "input 'x' is inf" in said or "'x'" in said, said
    assert [row["skipped"] for row in csv.DictReader(open("bad.csv"))] == (["0", "0", "1"] if window == 1 else ["1"])

# --input-shape of one input, several times: which is meant is told by the data.
nodes = [
    helper.make_node("MatMul", ["x", "w"], ["y"]),
    helper.make_node("ReduceMean", ["y"], ["logits"], axes=[1], keepdims=0),
]
inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", "T", FEATURES])]
outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", CLASSES])]
w = generator.normal(size=(FEATURES, CLASSES)).astype(np.float32)
graph = helper.make_graph(nodes, "net", inputs, outputs, [onnx.numpy_helper.from_array(w, "w")])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), "long.onnx")
shapes = [f"--input-shape=x=4x{length}x{FEATURES}" for length in (3, 7)]
run("mpc-compile", "long.onnx", *shapes, *RECIPE, "-o", "long.mpc")
for length in (7, 3):
    long = generator.normal(size=(8, length, FEATURES)).astype(np.float32)
    save_file({"x": long, "target": target[:8]}, "long.safetensors")
    words = ["--data=long.safetensors", "--order=sequential", f"--lr={RATE}"]
    run("mpc-run", "long.mpc", *words, "--metrics=long.csv")
    w64, told = w.astype(np.float64), []
    for begin in (0, 4):
        z = (long[begin : begin + 4].astype(np.float64) @ w64).mean(1)
        p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
        index, labels = np.arange(4), target[begin : begin + 4]
        told.append(-np.log(p[index, labels]).mean())
        p[index, labels] -= 1
        w64 = w64 - RATE * long[begin : begin + 4].mean(1).astype(np.float64).T @ p / 4
    np.testing.assert_allclose(losses("long.csv"), told, rtol=2e-6)

# A smaller batch of a model whose dimensions are all given by --input-shape.
words = [f"--input-shape=x=5x3x{FEATURES}", *RECIPE, "--data=long.safetensors", "--last-batch=smaller"]
run("mpc-train", "long.onnx", *words, "--steps=2")

# What is refused, and what it says.
def refused(said, tool, *flags, stdin=None):
    told = run(tool, *flags, fails=True, stdin=stdin)
    assert said in told, told


HAS = f"x f32[{BATCH}x{FEATURES}], target i64[{BATCH}]"
BOTH = f"{HAS} or x f32[{REST}x{FEATURES}], target i64[{REST}]"
run("mpc-compile", "open.onnx", SIZES, *RECIPE, "-o", "both.mpc")
run("mpc-compile", "open.onnx", f"--batch-size={BATCH}", *RECIPE, "-o", "alone.mpc")
refused(
    f"--last-batch=smaller: the last batch of an epoch has {REST} of {BATCH} samples, and the program has no step for "
    f"that many, only for {HAS}; mpc-compile --batch-size={BATCH},{REST} makes both",
    "mpc-run", "alone.mpc", *SMALLER,
)
refused(f"--batch-size=7: the program's batches are {BOTH}", "mpc-run", "both.mpc", *DATA, "--batch-size=7")
save_file({"x": x[:, :3].copy(), "target": target}, "narrow.safetensors")
refused(
    f"narrow.safetensors: the samples are not a batch of the program: found x {SAMPLES}x3, target {SAMPLES}, "
    f"expected batches of {BOTH}",
    "mpc-run", "both.mpc", "--data=narrow.safetensors",
)
save_file({"y": x}, "other.safetensors")
refused("the samples are not a batch of the program: found none of its inputs, expected batches of ",
        "mpc-run", "both.mpc", "--data=other.safetensors")
save_file({"x": x[:7], "target": target[:7]}, "batch.safetensors")
refused("batch.safetensors: holds ", "mpc-run", "eval.mpc", "--inputs=batch.safetensors", "--outputs=out.safetensors")
refused(f"and the program takes x f32[{BATCH}x{FEATURES}] or x f32[{REST}x{FEATURES}]",
        "mpc-run", "eval.mpc", "--inputs=batch.safetensors", "--outputs=out.safetensors")
refused("--last-batch=smaller: --batch-size=5: the model's batch is fixed", "mpc-train", "fixed.onnx", *SMALLER)
run("mpc-train", "fixed.onnx", "--data=whole.safetensors", "--last-batch=smaller", "--steps=1")
compiling = ["mpc-compile", "open.onnx", "-o", "x.mpc"]
refused("--batch-size: the same shape twice: 16", *compiling, "--batch-size=16,16")
refused("--emit=mlir is the code for one shape of a batch, and 2 are given", *compiling, SIZES, "--emit=mlir")
refused(
    "--input-shape=x: given 2 times, and --batch-size 3: shapes are made of the values of each in turn",
    *compiling, "--batch-size=1,2,3", "--input-shape=x=1x6", "--input-shape=x=2x6",
)
text = f"""
nn.parameter @w : tensor<{FEATURES}x{CLASSES}xf32> = #nn.init<uniform 0.125>
func.func @model(%x: tensor<{BATCH}x{FEATURES}xf32> {{nn.name = "x"}}) -> (tensor<{BATCH}x{CLASSES}xf32> {{nn.name = "logits"}}) {{
  %w = nn.get @w : tensor<{FEATURES}x{CLASSES}xf32>
  %y = nn.matmul %x, %w : tensor<{BATCH}x{FEATURES}xf32>, tensor<{FEATURES}x{CLASSES}xf32> -> tensor<{BATCH}x{CLASSES}xf32>
  return %y : tensor<{BATCH}x{CLASSES}xf32>
}}
"""
refused("a model is read once for each shape of a batch, and standard input only once: name a file",
        "mpc-compile", "-", "-o", "x.mpc", SIZES, stdin=text)
refused("standard input only once: name a file", "mpc-compile", "-", "-o", "x.mpc", "--eval", SIZES, stdin=text)
pathlib.Path("net.mlir").write_text(text)
refused(f"two of the programs are for x f32[{BATCH}x{FEATURES}]", "mpc-compile", "net.mlir", "-o", "x.mpc", "--eval", SIZES)
pathlib.Path("own.mlir").write_text(text.replace("@model", "@step"))
refused("the module writes its step out, for batches of the shapes that it names, and has no others",
        "mpc-compile", "own.mlir", "-o", "x.mpc", SIZES)
run("mpc-run", "both.mpc", *SMALLER, "--steps=1", "--checkpoint-dir=other")
refused("cannot continue with other data: --last-batch was smaller, now drop",
        "mpc-run", "both.mpc", *DATA, "--steps=2", "--checkpoint-dir=other", "--resume")
print("trained")
