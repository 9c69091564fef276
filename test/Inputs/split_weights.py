#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites an ONNX model so that its weights lie beside it, in files of 2 MiB at most.

    python split_weights.py MODEL.onnx FOLDER

writes FOLDER/MODEL.onnx and FOLDER/MODEL.<k>.weights. Floating-point initializers of
a kilobyte and more move out (ONNX external data); names, order and values stay.
"""
import argparse
import pathlib

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.external_data_helper import set_external_data

FILE_LIMIT = 2 << 20
SMALLEST_MOVED = 1024
ALIGNMENT = 64


def floating(tensor):
    return tensor.data_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE)


def split(source, folder):
    model = onnx.load(source)
    files = [bytearray()]
    for tensor in model.graph.initializer:
        data = numpy_helper.to_array(tensor).tobytes()
        if not floating(tensor) or len(data) < SMALLEST_MOVED:
            continue
        if len(data) > FILE_LIMIT:
            raise SystemExit(f"{tensor.name}: {len(data)} bytes, over the limit of {FILE_LIMIT} bytes a file")
        files[-1].extend(bytes(-len(files[-1]) % ALIGNMENT))
        if len(files[-1]) + len(data) > FILE_LIMIT:
            files.append(bytearray())
        tensor.ClearField("float_data")
        tensor.ClearField("double_data")
        tensor.raw_data = data
        name = f"{source.stem}.{len(files) - 1}.weights"
        set_external_data(tensor, name, offset=len(files[-1]), length=len(data))
        tensor.ClearField("raw_data")
        files[-1].extend(data)

    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(files):
        (folder / f"{source.stem}.{number}.weights").write_bytes(content)
    (folder / source.name).write_bytes(model.SerializeToString())


def check_same(first, second):
    a, b = onnx.load(first), onnx.load(second)
    for x, y in zip(a.graph.initializer, b.graph.initializer, strict=True):
        assert x.name == y.name
        np.testing.assert_array_equal(numpy_helper.to_array(x), numpy_helper.to_array(y), strict=True)
    assert list(a.graph.node) == list(b.graph.node)
    assert list(a.graph.input) == list(b.graph.input)
    assert list(a.graph.output) == list(b.graph.output)
    onnx.checker.check_model(str(second), full_check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    split(arguments.model, arguments.folder)
    check_same(arguments.model, arguments.folder / arguments.model.name)


if __name__ == "__main__":
    main()
