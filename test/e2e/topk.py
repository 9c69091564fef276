# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ONNX models that take the greatest elements of rows into a folder, each with its inputs and results.

    python topk.py FOLDER
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper
from rank import ranks, values
from safetensors.numpy import save_file

KINDS = {"f16": TensorProto.FLOAT16, "f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE, "i64": TensorProto.INT64}


def write(name, rows, size, count):
    random = np.random.default_rng(size)
    nodes, inputs, outputs, tensors = [], [], [], {}
    for kind, number in KINDS.items():
        # A row of the least number alone, behind which nothing may come.
        if kind == "i64":
            x = random.integers(-50, 50, (rows, size)) << 40
            x[-1] = np.iinfo(np.int64).min
            order = ~x
        else:
            x = values(rows, size, kind, random)
            x[-1] = -np.inf
            order = ranks(x, True)
        tensors[kind] = x
        places = np.argsort(order, axis=1, kind="stable")[:, :count]
        tensors[f"places_{kind}"] = np.ascontiguousarray(places)
        inputs.append(helper.make_tensor_value_info(kind, number, (rows, size)))
        nodes.append(helper.make_node("TopK", [kind, "count"], [f"values_{kind}", f"places_{kind}"]))
        outputs.append(helper.make_tensor_value_info(f"places_{kind}", TensorProto.INT64, (rows, count)))
    constant = helper.make_tensor("count", TensorProto.INT64, [1], [count])
    graph = helper.make_graph(nodes, name, inputs, outputs, [constant])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), f"{name}.onnx")
    save_file(tensors, f"{name}.safetensors")


os.chdir(sys.argv[1])
write("blocks", 5, 1000, 7)
write("rest", 4, 103, 3)
write("first", 3, 64, 1)
