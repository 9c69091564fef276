# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model with a tied weight as PyTorch's exporter writes it, and the check of what is exported.

    python export_weights.py make FOLDER
    python export_weights.py check FOLDER

`embed.weight` is the weight of an Embedding and of a Linear, and `norm` has buffers.
"""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file, save_file

ROWS, WIDTH, LENGTH = 11, 6, 5


def node(op, inputs, output, path, **attributes):
    made = helper.make_node(op, inputs, [output], name=f"{path}.{op}", **attributes)
    made.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=str(["", path, op.lower()]))
    return made


def make(folder):
    rng = np.random.default_rng(3)
    numbers = lambda *shape: rng.normal(size=shape).astype(np.float32)
    values = {
        "embed.weight": numbers(ROWS, WIDTH),
        "norm.weight": numbers(LENGTH),
        "norm.bias": numbers(LENGTH),
        "norm.running_mean": np.zeros(LENGTH, np.float32),
        "norm.running_var": np.ones(LENGTH, np.float32),
    }
    nodes = [
        node("Gather", ["embed.weight", "ids"], "e", "embed"),
        node("BatchNormalization", ["e", *list(values)[1:]], "n", "norm"),
        node("Transpose", ["embed.weight"], "t", "head", perm=[1, 0]),
        node("MatMul", ["n", "t"], "logits", "head"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, [4, LENGTH])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [4, LENGTH, ROWS])],
        [numpy_helper.from_array(value, name) for name, value in values.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]), folder / "model.onnx")
    ids = rng.integers(0, ROWS, (8, LENGTH))
    save_file({"ids": ids, "target": ids}, folder / "data.safetensors")


def check(folder):
    """The state_dict of the model, as the checkpoint has its tensors."""
    wanted = ["embed.weight", "head.weight", "norm.bias", "norm.running_mean", "norm.running_var", "norm.weight"]
    exported = load_file(folder / "weights.safetensors")
    state = load_file(max((folder / "checkpoints").glob("*.safetensors")))
    print(json.dumps(sorted(exported)))
    same = [np.array_equal(exported[name], state[name.replace("head", "embed")]) for name in wanted]
    return 0 if sorted(exported) == wanted and all(same) else 1


if __name__ == "__main__":
    sys.exit({"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2])))
