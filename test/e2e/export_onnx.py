# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains models and looks at the files that --export-onnx writes of them.

    python export_onnx.py FOLDER INPUTS

Each file is one that ONNX's checker takes, with the graph of the model that came in. Its
initializers are the tensors of --export-weights in the file's types, and mpc-eval computes of it
what it computes of the model with these weights.
"""
import os
import pathlib
import shutil
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file, save_file

FLAGS = ["--steps=5", "--lr=0.05", "--optimizer=sgd"]
rng = np.random.default_rng(5)
inputs = pathlib.Path(sys.argv[2])
os.chdir(sys.argv[1])


def numbers(*shape):
    return rng.normal(size=shape).astype(np.float32)


def run(*words, fails=None):
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode == 0) == (fails is None), (words, done.stderr)
    if fails:
        assert fails in done.stderr, (words, done.stderr)
    return done


def float_data(name, value):
    """In the field of its type, and not as raw bytes."""
    return helper.make_tensor(name, TensorProto.FLOAT, value.shape, value.ravel().tolist())


def mixed():
    """Weights of three types and in two fields, buffers, and a constant of a node's own."""
    w1 = numpy_helper.from_array(numbers(6, 5), "fc.weight")
    w1.doc_string = "the first"
    initializers = [
        w1, float_data("fc.bias", numbers(5)),
        *(numpy_helper.from_array(value, name) for name, value in {
            "norm.weight": np.ones(5, np.float32), "norm.bias": numbers(5),
            "norm.running_mean": np.zeros(5, np.float32), "norm.running_var": np.ones(5, np.float32),
            "half.weight": numbers(5, 4).astype(np.float16)}.items()),
        numpy_helper.from_array(numbers(4).astype(ml_dtypes.bfloat16), "half.bias"),
    ]
    nodes = [
        helper.make_node("Gemm", ["x", "fc.weight", "fc.bias"], ["h"], name="fc"),
        helper.make_node("BatchNormalization", ["h", "norm.weight", "norm.bias", "norm.running_mean",
                                                "norm.running_var"], ["n"], name="norm"),
        helper.make_node("Constant", [], ["two"], value=numpy_helper.from_array(np.float32(2), "two")),
        helper.make_node("Mul", ["n", "two"], ["m"], name="double"),
        helper.make_node("Cast", ["m"], ["m16"], to=TensorProto.FLOAT16),
        helper.make_node("MatMul", ["m16", "half.weight"], ["p16"], name="half"),
        helper.make_node("Cast", ["p16"], ["p"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["half.bias"], ["b"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["p", "b"], ["logits"], name="add"),
    ]
    graph = helper.make_graph(
        nodes, "mixed", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, 6])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [8, 4])], initializers)
    save_file({"x": numbers(16, 6), "target": rng.integers(0, 4, 16)}, "mixed.safetensors")
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def without_data(path):
    """The model, and where the data of each initializer lies, without that."""
    model = onnx.load(path, load_external_data=False)
    places = {}
    for tensor in model.graph.initializer:
        places[tensor.name] = tensor.data_location
        for field in ("raw_data", "float_data", "int32_data", "external_data", "data_location"):
            tensor.ClearField(field)
    return model, places


def values_of(path):
    return {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}


def evaluate(path, data, *words):
    run("mpc-eval", str(path), f"--inputs={data}", "--outputs=out.safetensors", *words)
    return load_file("out.safetensors")


def check(model, data, out="trained.onnx", batch=8, added=(), flags=()):
    """Trains `model` and checks `out`; `added` are initializers that it has beside those of the model."""
    before, places = without_data(model)
    old = values_of(model)
    run("mpc-train", str(model), f"--data={data}", "--export-weights=weights.safetensors", f"--export-onnx={out}",
        *FLAGS, *flags)
    onnx.checker.check_model(out, full_check=True)
    after, new_places = without_data(out)
    trained, values = load_file("weights.safetensors"), values_of(out)
    if added:  # And read in the places of those that they were merged with.
        assert [t.name for t in after.graph.initializer[-len(added):]] == list(added)
        for name in added:
            assert new_places.pop(name) == places["a.bias"] and list(after.graph.node[1].input)[2] == name
    else:
        assert after.SerializeToString() == before.SerializeToString()
    assert new_places == places
    assert values.keys() == {*old, *added}
    for name, value in values.items():
        wanted = trained[name].astype(value.dtype) if name in trained else old[name]
        assert value.tobytes() == wanted.tobytes() and value.shape == wanted.shape, name
    changed = [name for name in trained if name in old and trained[name].astype(old[name].dtype).tobytes() != old[name].tobytes()]
    assert len(changed) > len(trained) / 2, changed
    sample = {name: value[:batch] for name, value in load_file(data).items()}
    save_file(sample, "sample.safetensors")
    expected = evaluate(model, "sample.safetensors", "--init=weights.safetensors")
    found = evaluate(out, "sample.safetensors")
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        assert value.tobytes() == found[name].tobytes(), name


onnx.save(mixed(), "mixed.onnx")
check("mixed.onnx", "mixed.safetensors")
assert not os.path.exists("trained.onnx.data")

# Data in a file beside the model: all of it, or that of the larger tensors alone.
for threshold in (0, 60):
    os.makedirs("outside", exist_ok=True)
    onnx.save(mixed(), "outside/model.onnx", save_as_external_data=True, location=f"{threshold}.bin",
              size_threshold=threshold)
    os.makedirs("elsewhere", exist_ok=True)
    check("outside/model.onnx", "mixed.safetensors", out="elsewhere/trained.onnx")
    assert sorted(os.listdir("elsewhere")) == ["trained.onnx", "trained.onnx.data"]
    shutil.rmtree("elsewhere")

# In the place of the model that is trained, again and again.
shutil.copy("mixed.onnx", "again.onnx")
for step in range(2):
    before = values_of("again.onnx")["fc.weight"]
    run("mpc-train", "again.onnx", "--data=mixed.safetensors", "--export-onnx=again.onnx", *FLAGS)
    assert not np.array_equal(values_of("again.onnx")["fc.weight"], before)

# Of a run whose program is kept; and of one that goes on.
check("mixed.onnx", "mixed.safetensors", flags=["--checkpoint-dir=run"])
check("mixed.onnx", "mixed.safetensors", flags=["--checkpoint-dir=run", "--resume", "--precision=fp16"])

# A workload, whose weights lie in files of its own.
x = numbers(256, 64)
save_file({"x": x, "target": rng.integers(0, 10, 256)}, "digits.safetensors")
check(inputs / "workloads/digits-mlp.onnx", "digits.safetensors", batch=256)

# Two parameters whose bytes were equal, of which the exporter made one initializer, are two again.
save_file({"x": numbers(16, 8)}, "ties.safetensors")
check(inputs / "exports/dedup_ties_biases.onnx", "ties.safetensors", batch=2, added=["b.bias"],
      flags=["--loss=output:loss"])

# A weight that no f16 holds stays finite, as its copy in the step does. (The step is skipped.)
values = {name: value.astype(np.float32) for name, value in values_of("mixed.onnx").items()}
values["half.weight"][0, 0] = 1e6
values["half.weight"][0, 1] = -np.inf
save_file(values, "huge.safetensors")
run("mpc-train", "mixed.onnx", "--data=mixed.safetensors", "--init=huge.safetensors", "--steps=1",
    "--precision=fp16", "--export-onnx=huge.onnx")
assert values_of("huge.onnx")["half.weight"][0, :2].tolist() == [65504, -np.inf]

# What cannot be done is said before anything is trained.
TRAIN = ["mpc-train", "mixed.onnx", "--data=mixed.safetensors", *FLAGS]
run(*TRAIN, "--export-onnx=none/out.onnx", fails="none/out.onnx: ")
pathlib.Path("net.mlir").write_text("module {}")
run("mpc-train", "net.mlir", "--data=mixed.safetensors", "--export-onnx=out.onnx",
    fails="'net.mlir' is not an .onnx file; only such a file can be written with new weights")
run("mpc-run", "none.mpc", "--data=mixed.safetensors", "--export-onnx=out.onnx",
    fails="--export-onnx: a program does not have its model's file; use mpc-train, or --export-weights")
onnx.save(mixed(), "outside/model.onnx", save_as_external_data=True, location="0.bin", size_threshold=0)
run("mpc-train", "outside/model.onnx", "--data=mixed.safetensors", *FLAGS, "--export-onnx=-",
    fails="-: the model has external data, which needs a file beside it")
# Standard output takes a model that is whole.
done = subprocess.run([*TRAIN, "--export-onnx=-"], capture_output=True)
onnx.checker.check_model(onnx.load_from_string(done.stdout))

# A tensor of a node may lie in another file too, which is not written.
model = mixed()
(constant,) = [node for node in model.graph.node if node.op_type == "Constant"]
tensor = constant.attribute[0].t
pathlib.Path("two.bin").write_bytes(tensor.raw_data)
onnx.external_data_helper.set_external_data(tensor, "two.bin")
tensor.ClearField("raw_data")
onnx.save(model, "constant.onnx")
run("mpc-train", "constant.onnx", "--data=mixed.safetensors", *FLAGS, "--export-onnx=out.onnx",
    fails="constant.onnx: tensor 'two' has its data in another file, and is not an initializer of the graph of a type that is read: such a model cannot be written")
print("exported")
