# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ONNX graphs in the form that torch.onnx.export(..., dynamo=True, optimize=False) gives them.

Layers are named as modules are (`features.0.conv`), their tensors as in a state_dict. Each initializer has the record
that the exporter leaves of it: a parameter, a buffer.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
KIND = "pkg.torch.export.graph_signature.InputSpec.kind"
PERSISTENT = "pkg.torch.export.graph_signature.InputSpec.persistent"


class Graph:
    def __init__(self, seed, training=False, opset=OPSET):
        self.rng = np.random.default_rng(seed)
        self.training, self.opset = training, opset
        self.nodes, self.inputs, self.outputs, self.initializers, self.record = [], [], [], {}, {}

    # --- values ---------------------------------------------------------------------------------

    def input(self, name, *shape, dtype=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def tokens(self, name, *shape):
        return self.input(name, *shape, dtype=TensorProto.INT64)

    def parameter(self, name, array):
        """Parameters are made once; a second call of the name ties."""
        if name not in self.initializers:
            self.initializers[name] = np.asarray(array, np.float32)
            self.record[name] = ("PARAMETER", "None")
        return name

    def buffer(self, name, array):
        if name not in self.initializers:
            self.initializers[name] = np.asarray(array)
            self.record[name] = ("BUFFER", "True")
        return name

    def constant(self, value, dtype=np.float32):
        result = f"val_{len(self.nodes)}"
        tensor = numpy_helper.from_array(np.asarray(value, dtype), result)
        self.nodes.append(helper.make_node("Constant", [], [result], name=f"node_{result}", value=tensor))
        return result

    def ints(self, *values):
        return self.constant(values, np.int64)

    def weight(self, name, *shape, fan_in=None, gain=1.0):
        """Uniform with the variance gain^2 / fan_in."""
        fan_in = fan_in or int(np.prod(shape[1:]))
        bound = gain * np.sqrt(3 / fan_in)
        return self.parameter(name, self.rng.uniform(-bound, bound, shape))

    def near(self, name, value, *shape):
        """A vector near `value`, as of a bias or a scale after some training."""
        return self.parameter(name, value + 0.1 * self.rng.standard_normal(shape))

    # --- nodes ----------------------------------------------------------------------------------

    def op(self, kind, *inputs, results=1, domain="", **attributes):
        name = f"{kind.lower()}_{len(self.nodes)}"
        names = [name if i == 0 else f"{name}_{i}" for i in range(results)]
        self.nodes.append(
            helper.make_node(kind, list(inputs), names, name=f"node_{name}", domain=domain, **attributes)
        )
        return name if results == 1 else names

    def add(self, x, y):
        return self.op("Add", x, y)

    def mul(self, x, y):
        return self.op("Mul", x, y)

    def scale(self, x, factor):
        return self.mul(x, self.constant(factor))

    def reshape(self, x, *shape):
        return self.op("Reshape", x, self.ints(*shape))

    def transpose(self, x, *perm):
        return self.op("Transpose", x, perm=perm)

    def mean(self, x, *axes, keepdims=0):
        return self.op("ReduceMean", x, self.ints(*axes), keepdims=keepdims)

    def slice(self, x, axis, start, end, step=1):
        return self.op("Slice", x, self.ints(start), self.ints(end), self.ints(axis), self.ints(step))

    def split(self, x, axis, *sizes):
        return self.op("Split", x, self.ints(*sizes), results=len(sizes), axis=axis)

    def cast(self, x, dtype):
        return self.op("Cast", x, to=dtype)

    def silu(self, x):
        return self.mul(x, self.op("Sigmoid", x))

    # --- layers ---------------------------------------------------------------------------------

    def linear(self, x, name, inputs, outputs, rank=2, bias=True):
        """A matrix of two axes is a Gemm, more axes are a product with the transposed weight."""
        w = self.weight(f"{name}.weight", outputs, inputs)
        b = self.near(f"{name}.bias", 0, outputs) if bias else None
        if rank == 2:
            return self.op("Gemm", x, w, *([b] if bias else []), transB=1)
        y = self.op("MatMul", x, self.transpose(w, 1, 0))
        return self.add(y, b) if bias else y

    def conv(self, x, name, inputs, outputs, kernel, stride=1, pad=None, groups=1, dilation=1, bias=True, axes=2):
        pad = (kernel - 1) * dilation // 2 if pad is None else pad
        operands = [x, self.weight(f"{name}.weight", outputs, inputs // groups, *[kernel] * axes, gain=1.4)]
        if bias:
            operands.append(self.near(f"{name}.bias", 0, outputs))
        return self.op(
            "Conv", *operands, kernel_shape=[kernel] * axes, strides=[stride] * axes, pads=[pad] * 2 * axes,
            dilations=[dilation] * axes, group=groups, auto_pad="NOTSET",
        )  # fmt: skip

    def conv_transpose(self, x, name, inputs, outputs, kernel, stride, pad=0):
        w = self.weight(f"{name}.weight", inputs, outputs, kernel, kernel, fan_in=inputs)
        return self.op(
            "ConvTranspose", x, w, self.near(f"{name}.bias", 0, outputs), kernel_shape=[kernel] * 2,
            strides=[stride] * 2, pads=[pad] * 4,
        )  # fmt: skip

    def batch_norm(self, x, name, channels):
        operands = [x, self.near(f"{name}.weight", 1, channels), self.near(f"{name}.bias", 0, channels)]
        mean, variance = self.rng.standard_normal(channels) * 0.1, self.rng.uniform(0.5, 1.5, channels)
        operands.append(self.buffer(f"{name}.running_mean", mean.astype(np.float32)))
        operands.append(self.buffer(f"{name}.running_var", variance.astype(np.float32)))
        if not self.training:
            return self.op("BatchNormalization", *operands, epsilon=1e-5, momentum=0.9)
        results = self.op(
            "BatchNormalization", *operands, results=3, epsilon=1e-5, momentum=0.9, training_mode=1
        )
        return results[0]

    def layer_norm(self, x, name, width, eps=1e-5):
        scale, shift = self.near(f"{name}.weight", 1, width), self.near(f"{name}.bias", 0, width)
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=eps)

    def group_norm(self, x, name, channels, groups, height):
        """As PyTorch writes it: an instance normalization of the groups, and an affine map."""
        flat = self.reshape(x, 0, groups, -1)
        ones, zeros = self.constant(np.ones(groups)), self.constant(np.zeros(groups))
        y = self.op("InstanceNormalization", flat, ones, zeros, epsilon=1e-5)
        y = self.reshape(y, -1, channels, height, height)
        scale, shift = self.near(f"{name}.weight", 1, channels), self.near(f"{name}.bias", 0, channels)
        axes = self.ints(1, 2)
        return self.add(self.mul(y, self.op("Unsqueeze", scale, axes)), self.op("Unsqueeze", shift, axes))

    def rms_norm(self, x, name, width):
        square = self.op("Pow", x, self.constant(2.0))
        root = self.op("Sqrt", self.add(self.mean(square, -1, keepdims=1), self.constant(1e-6)))
        return self.mul(self.mul(x, self.op("Reciprocal", root)), self.near(f"{name}.weight", 1, width))

    def dropout(self, x, ratio):
        if not self.training:
            return x
        return self.op("Dropout", x, self.constant(ratio), self.constant(True, np.bool_))

    def embedding(self, indices, name, rows, width):
        return self.op("Gather", self.weight(f"{name}.weight", rows, width, fan_in=1, gain=0.3), indices, axis=0)

    def heads(self, x, batch, length, heads, size):
        return self.transpose(self.reshape(x, batch, length, heads, size), 0, 2, 1, 3)

    def attend(self, q, k, v, size, mask=None, causal=None):
        """Scaled products of heads; `causal` is a length, whose lower triangle is kept, `mask` is added."""
        scores = self.scale(self.op("MatMul", q, self.transpose(k, 0, 1, 3, 2)), 1 / np.sqrt(size))
        if causal:
            above = self.constant(np.triu(np.full((causal, causal), -np.inf), 1))
            scores = self.add(scores, above)
        if mask:
            scores = self.add(scores, mask)
        return self.op("MatMul", self.dropout(self.op("Softmax", scores, axis=-1), 0.1), v)

    def self_attention(self, x, name, batch, length, width, heads, **more):
        size = width // heads
        qkv = self.linear(x, f"{name}.qkv", width, 3 * width, rank=3)
        q, k, v = (self.heads(part, batch, length, heads, size) for part in self.split(qkv, 2, *[width] * 3))
        y = self.transpose(self.attend(q, k, v, size, **more), 0, 2, 1, 3)
        return self.linear(self.reshape(y, batch, length, width), f"{name}.proj", width, width, rank=3)

    # --- the model ------------------------------------------------------------------------------

    def output(self, value, *shape, name="logits"):
        self.nodes.append(helper.make_node("Identity", [value], [name], name=f"node_{name}"))
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def recorded(self, name):
        array = self.initializers[name]
        value = helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        kind, persistent = self.record[name]
        helper.set_metadata_props(value, {KIND: kind, PERSISTENT: persistent})
        return value

    def model(self):
        tensors = [numpy_helper.from_array(array, name) for name, array in self.initializers.items()]
        values = [self.recorded(name) for name in self.initializers]
        graph = helper.make_graph(
            self.nodes, "main_graph", self.inputs, self.outputs, tensors, value_info=values
        )
        opsets = [helper.make_opsetid("", self.opset)]
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=10, producer_name="pytorch", producer_version="2.13.0"
        )
