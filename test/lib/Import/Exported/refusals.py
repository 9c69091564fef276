# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that the importer refuses, each for another reason, and damaged archives.

    python refusals.py mpc-eval-cases FOLDER INPUTS

writes archives as torch.export.save does, by hand, and has all of them evaluated by one process. Each
must be refused with exit 1 and the message that stands beside it.
"""
import json
import pathlib
import subprocess
import sys
import zipfile

TYPES = {"u8": 1, "i64": 5, "i32": 4, "f16": 6, "f32": 7, "f64": 8, "bool": 12, "bf16": 13, "c64": 10, "u16": 28}


class X:
    """A tensor of a type and shape; a size that is a text is a symbol."""

    def __init__(self, *sizes, dtype="f32"):
        self.sizes, self.dtype = sizes, dtype

    def meta(self):
        size = lambda s: {"as_expr": {"expr_str": s, "hint": None}} if isinstance(s, str) else {"as_int": s}
        strides, step = [], 1
        for s in reversed(self.sizes):
            strides.insert(0, {"as_int": step})
            step *= s if isinstance(s, int) else 1
        return {"dtype": TYPES[self.dtype], "sizes": [size(s) for s in self.sizes], "requires_grad": False,
                "device": {"type": "cpu", "index": None}, "strides": strides, "storage_offset": {"as_int": 0}, "layout": 7}


class Program:
    """Nodes whose tensors are inputs, unless they name what a node before them gives."""

    def __init__(self):
        self.inputs, self.nodes, self.values, self.outputs, self.state = [], [], {}, [], []

    def tensor(self, x):
        if isinstance(x, str):
            return {"name": x}
        name = f"x{len(self.inputs)}"
        self.inputs.append(name)
        self.values[name] = x.meta()
        return {"name": name}

    def argument(self, value):
        if value is None:
            return {"as_none": True}
        if isinstance(value, dict):
            return value
        if isinstance(value, (X, str)) and not (isinstance(value, str) and value.startswith("'")):
            return {"as_tensor": self.tensor(value)}
        if isinstance(value, str):
            return {"as_string": value.strip("'")}
        if isinstance(value, bool):
            return {"as_bool": value}
        if isinstance(value, int):
            return {"as_int": value}
        if isinstance(value, float):
            return {"as_float": value}
        if any(isinstance(v, (X, str)) or v is None for v in value):
            return {"as_optional_tensors": [{"as_none": True} if v is None else {"as_tensor": self.tensor(v)} for v in value]}
        if value and all(isinstance(v, float) for v in value):
            return {"as_floats": value}
        return {"as_ints": value}

    def call(self, op, results, /, **arguments):
        target = op if "." in op.split(":")[0] and op.startswith("torch") else f"torch.ops.aten.{op}"
        outputs = []
        for result in results:
            name = f"y{len(self.values)}"
            self.values[name] = result.meta()
            outputs.append({"as_tensor": {"name": name}})
            self.outputs = [name]
        inputs = [{"name": name, "arg": self.argument(value), "kind": 1} for name, value in arguments.items()]
        self.nodes.append({"target": target, "inputs": inputs, "outputs": outputs, "metadata": {
            "stack_trace": 'File "/home/me/train.py", line 7, in forward\n    y = f(x)', "nn_module_stack": "L__self__,,M;L__self__a,layers.0,L"}})
        return self.outputs[0]

    def json(self):
        named = lambda name: {"as_tensor": {"name": name}}
        graph = {"inputs": [named(n) for n in self.inputs], "outputs": [named(n) for n in self.outputs], "nodes": self.nodes,
                 "tensor_values": self.values}
        specs = [self.state.pop(0) if self.state and self.state[0]["of"] == n else {"user_input": {"arg": named(n)}} for n in self.inputs]
        for spec in specs:
            spec.pop("of", None)
        signature = {"input_specs": specs, "output_specs": [{"user_output": {"arg": named(n)}} for n in self.outputs]}
        return {"graph_module": {"graph": graph, "signature": signature}, "schema_version": {"major": 8, "minor": 20}}


CASES = []


def case(message, op, results, /, **arguments):
    program = Program()
    program.call(op, results if isinstance(results, list) else [results], **arguments)
    CASES.append((message, program.json()))


def of_calls(message, build):
    program = Program()
    build(program)
    CASES.append((message, program.json()))


def changed(message, change):
    """What `change` makes of the JSON of relu(x)."""
    program = Program()
    program.call("relu.default", [X(2)], self=X(2))
    text = program.json()
    CASES.append((message, change(text) or text))


def set_field(path, value):
    def change(text):
        *way, last = path
        for key in way:
            text = text[key]
        if value is KeyError:
            del text[last]
        else:
            text[last] = value
    return change


def arguments():
    x = X(2, 3)
    case("ops that are not supported: frobnicate.default (1x, first in module 'layers.0', train.py:7); mpc-import --list-exported-ops prints those that are", "frobnicate.default", x, self=x)
    case("relu.default in module 'layers.0' (train.py:7): has no argument 'self'", "relu.default", x)
    case("argument 'self' is not a tensor", "softmax.int", x, self=[1, 2], dim=0)
    case("argument 'self' is not of floating-point numbers", "softmax.int", x, self=X(2, 3, dtype="i64"), dim=0)
    case("argument 'tensors' is not a list of tensors", "cat.default", x, tensors=3)
    case("argument 'dim' is not an integer", "softmax.int", x, self=x, dim=0.5)
    case("argument 'other' is not a number", "eq.Scalar", X(2, dtype="bool"), self=X(2), other=[1])
    case("argument 'negative_slope' is not a known number", "leaky_relu.default", x, self=x, negative_slope=X())
    case("argument 'dims' is not a list of integers", "permute.default", x, self=x, dims=0.5)
    case("argument 'is_causal' is not a bool", "scaled_dot_product_attention.default", X(1, 1, 2, 2), query=X(1, 1, 2, 2),
         key=X(1, 1, 2, 2), value=X(1, 1, 2, 2), is_causal=0.5)
    case("argument 'approximate' is not a text", "gelu.default", x, self=x, approximate=1)
    case("depends on a size that the export leaves open", "softmax.int", x, self=x, dim={"as_sym_int": {"as_name": "s0"}})
    case("argument 'dim' is 2, which is not an axis of a tensor of rank 2", "softmax.int", x, self=x, dim=2)
    case("argument 'dim' is 5, which are not axes of a tensor of rank 2", "sum.dim_IntList", x, self=x, dim=[5])
    case("argument 'self' is 2x3, expected what broadcasts to 2x4", "relu.default", X(2, 4), self=x)
    case("the operand is 2x3, the result 7", "view.default", X(7), self=x)
    case("uses 'nothing', which nothing before it defines", "relu.default", x, self="nothing")
    case("result 0 is declared 2x4, its operands give 3x2", "t.default", X(2, 4), self=x)
    case("has a size that the export leaves open: export without dynamic_shapes", "relu.default", X("s0", 3), self=x)
    case("a result has a type that mpc does not have (torch's number 28)", "relu.default", X(2, 3, dtype="u16"), self=x)
    case("argument 'kernel_size' has 3 numbers, expected 2", "max_pool2d.default", X(1, 1, 2, 2), self=X(1, 1, 4, 4), kernel_size=[2, 2, 2])
    case("has 1 results, expected more", "max.dim", [X(2)], self=x, dim=1)


def complex_numbers():
    c = lambda *sizes: X(*sizes, dtype="c64")
    case("input 'x0' has complex numbers: pass torch.view_as_real(x), and call torch.view_as_complex in the model", "abs.default", X(2), self=c(2))
    case("has complex numbers: return torch.view_as_real(y)", "view_as_complex.default", c(3), self=X(3, 2))

    def behind(op, result, **arguments):
        def build(program):
            program.call("abs.default", [result], self=program.call(op, [X(*result.sizes, dtype="c64")], **arguments))
        return build

    x = X(3, 2)
    of_calls("relu.default of complex numbers (1x, first in module 'layers.0', train.py:7)",
             lambda p: p.call("abs.default", [X(3)], self=p.call("relu.default", [c(3)], self=p.call("view_as_complex.default", [c(3)], self=x))))
    of_calls("has no tensor 'self'", behind("view_as_complex.default", X(3)))
    of_calls("has no tensor 'self'", behind("exp.default", X(3), self=1.5))
    of_calls("fft_rfft.default in module 'layers.0' (train.py:7): transforms an axis that its operand does not have",
             behind("fft_rfft.default", X(3, 2), self=x, dim=2))
    of_calls("transforms 5000 numbers, expected 1 to 4096", behind("fft_rfft.default", X(3, 2501), self=x, n=5000))
    def apart(program):
        """A damaged file has names as the parts of a tensor have."""
        program.inputs += ["y.re", "y.im"]
        program.values.update({"y": c(3).meta(), "y.re": X(3).meta(), "y.im": X(2).meta()})
        program.call("abs.default", [X(3)], self=program.call("fft_fft.default", [c(3)], self="y"))

    of_calls("has parts of different sizes", apart)
    def through(op, view):
        """Writes to what shows a complex tensor in another form."""
        def build(program):
            y = program.call("view_as_complex.default", [c(3)], self=X(3, 2))
            shown = program.call(op, [view], self=y)
            program.call("mul_.Tensor", [view], self=shown, other=2.0)
            program.call("abs.default", [X(3)], self=y)
        return build

    for op, view in (("view_as_real.default", X(3, 2)), ("real.default", X(3)), ("imag.default", X(3)), ("conj.default", c(3))):
        of_calls("writes to a view that shows elements in another order: call run_decompositions({})", through(op, view))
    of_calls("add.Tensor of complex numbers", lambda p: p.call("abs.default", [X(3)], self=p.call(
        "add.Tensor", [c(3)], self=X(3), other=X(3), alpha={"as_complex": {"real": 0.0, "imag": 1.0}})))
    of_calls("mul.out of complex numbers", lambda p: p.call("abs.default", [X(3)], self=p.call(
        "mul.out", [c(3)], self=X(3), other=X(3), out=p.call("view_as_complex.default", [c(3)], self=x))))
    of_calls("fft_fft2.default of complex numbers", behind("fft_fft2.default", X(3, 2), self=x, s=[2, 2, 2]))
    of_calls("pow.Tensor_Scalar of complex numbers", behind("pow.Tensor_Scalar", X(3), self=x, exponent=0.5))
    of_calls("stft.default of complex numbers", behind("stft.default", X(3, 2), self=x, n_fft=4))
    of_calls("einsum.default of complex numbers", behind("einsum.default", X(3), equation="'a'", tensors=None))


def derivatives():
    grad, variable = "torch.ops.mpc_compiler.grad.default", "torch.ops.mpc_compiler.variable.default"
    x, y = X(2), X(3)

    def taken(message, **arguments):
        def build(program):
            program.call(variable, [x], self=x)
            program.call(grad, [x], **{"outputs": ["y0"], "inputs": ["y0"], "grad_outputs": [x], **arguments})
        of_calls(message, build)

    case("argument 'self' is not of floating-point numbers", variable, X(2, dtype="i64"), self=X(2, dtype="i64"))
    taken("takes a gradient with respect to a tensor that is not the result of mpc_compiler::variable", inputs=[x])
    taken("takes a gradient with respect to a tensor that is not the result of mpc_compiler::variable", inputs=[None])
    taken("needs one floating gradient for each output", grad_outputs=[x, x])
    taken("needs one floating gradient for each output", outputs=[X(2, dtype="i64")])
    taken("needs one floating gradient for each output", grad_outputs=[None])
    taken("an output is 2 and its gradient 3, expected the same sizes and type", grad_outputs=[y])
    taken("an output is 2 and its gradient 2, expected the same sizes and type", grad_outputs=[X(2, dtype="f64")])


def elementwise():
    x, b, i = X(2), X(2, dtype="bool"), X(2, dtype="i64")
    case("the result is not of floating-point numbers", "exp.default", i, self=i)
    case("the operand is bool", "neg.default", b, self=b)
    case("approximate is 'wide', expected none or tanh", "gelu.default", x, self=x, approximate="'wide'")
    case("input_scale is not positive", "elu.default", x, self=x, alpha=1.0, scale=1.0, input_scale=0.0)
    case("a threshold below 20, or beta 0, is not supported", "softplus.default", x, self=x, beta=1.0, threshold=2.0)
    case("the weight is 2x2, expected one axis of the operand's type", "prelu.default", x, self=x, weight=X(2, 2))
    case("the operand has no channels", "prelu.default", x, self=x, weight=X(2))
    case("the operand is floating", "bitwise_not.default", x, self=x)
    case("the operands are bool", "sub.Tensor", b, self=b, other=b)
    case("the quotient of integers is not rounded", "div.Tensor_mode", i, self=i, other=i)
    case("rounding_mode is 'up'", "div.Tensor_mode", x, self=x, other=x, rounding_mode="'up'")
    case("the operands are floating", "bitwise_and.Tensor", x, self=x, other=x)


def movement():
    x = X(2, 3)
    case("one of the tensors is None", "broadcast_tensors.default", [x, x], tensors=[x, None])
    case("the axes 0x0 are not an order of those of a tensor of rank 2", "permute.default", x, self=x, dims=[0, 0])
    case("the operand is 3", "mT.default", X(3), self=X(3))
    case("the operand is a scalar", "slice.Tensor", X(), self=X())
    case("argument 'step' is 0", "slice.Tensor", x, self=x, step=0)
    case("a part does not lie in the operand", "narrow.default", x, self=x, dim=0, start=1, length=2)
    case("index 5 is not in 2x3", "select.int", X(3), self=x, dim=0, index=5)
    case("the operand is a scalar", "unbind.int", [X()], self=X())
    case("parts of 1x3 do not cover an axis of 2x3", "split_with_sizes.default", [x, x], self=x, split_sizes=[1, 3])
    case("parts of 1 do not cover an axis of 2x3", "split_with_sizes.default", [x], self=x, split_sizes=[1])
    case("parts of 0 do not cover 2x3", "split.Tensor", [x], self=x, split_size=0)
    case("0 chunks of 2x3", "chunk.default", [x], self=x, chunks=0)
    case("the tensors have several ranks", "cat.default", X(4, 3), tensors=[x, X(2)])
    case("a tensor is 2x4 beside one of 2x3", "cat.default", X(4, 3), tensors=[x, X(2, 4)])
    case("one of the tensors is None", "cat.default", X(4, 3), tensors=[x, None])
    case("there is nothing to join", "cat.default", X(4, 3), tensors=[X(0)])
    case("there is nothing to join", "stack.default", X(), tensors=[X()])
    case("one of the tensors is None", "stack.default", X(2, 2, 3), tensors=[x, None])
    case("there are 2 shifts of 1 axes", "roll.default", x, self=x, shifts=[1, 2], dims=[0])
    case("argument 'dims' names no axis", "roll.default", x, self=x, shifts=[1], dims=[4])
    case("there are fewer repeats than axes", "repeat.default", x, self=x, repeats=[2])
    case("the repeats are 2x-1", "repeat.default", x, self=x, repeats=[2, -1])
    case("the repeats do not give 2x3", "repeat.default", x, self=x, repeats=[2, 1])
    case("argument 'pad' has 3 numbers for a tensor of rank 2", "pad.default", x, self=x, pad=[1, 2, 3])
    case("the pads cut off more than there is", "pad.default", x, self=x, pad=[-2, -2])
    case("the pads are too wide", "pad.default", x, self=x, pad=[2**40, 0])
    case("the operand is 3", "tril.default", X(3), self=X(3))
    case("the result is 2x3, expected one axis of at most 2^24 elements", "arange.default", x, end=6)
    case("argument 'src' is 2x3, expected what broadcasts to 1x3", "slice_scatter.default", x, self=x, src=x, step=2)
    case("has no two axes of 2x3", "diagonal_scatter.default", x, self=x, src=X(2), dim1=1, dim2=1)
    case("argument 'src' is 3, expected what broadcasts to 2", "diagonal_scatter.default", x, self=x, src=X(3))
    case("fills 3, expected a matrix, and no tall one with wrap", "fill_diagonal_.default", X(3), self=X(3), fill_value=1.0)
    case("fills 3x2, expected a matrix, and no tall one with wrap", "fill_diagonal_.default", X(3, 2), self=X(3, 2), fill_value=1.0, wrap=True)


def products():
    x = X(2, 3)
    image, kernel = X(1, 2, 5, 5), X(4, 2, 3, 3)
    case("the operands are of two types", "linear.default", x, input=x, weight=X(4, 3, dtype="f64"))
    case("the input is 2x3, the weight 4x4", "linear.default", x, input=x, weight=X(4, 4))
    case("the bias is 3, expected 4", "linear.default", X(2, 4), input=x, weight=X(4, 3), bias=X(3))
    case("the operands are 2x3 and 2x3", "matmul.default", x, self=x, other=x)
    case("the operands are scalar and 3", "matmul.default", x, self=X(), other=X(3))
    case("the operands are 2x1x3 and 3x3x4", "matmul.default", x, self=X(2, 1, 3), other=X(3, 3, 4))
    case("the product is 2x4", "addmm.default", x, self=x, mat1=x, mat2=X(3, 4))
    case("the weight is 4x3", "conv2d.default", image, input=image, weight=X(4, 3))
    case("the input is 5x5, the weight 4x2x3x3", "conv2d.default", image, input=X(5, 5), weight=kernel)
    case("a weight of 4x2x3x3 does not go with 2 channels in 2 groups", "conv2d.default", image, input=image, weight=kernel, groups=2)
    case("a stride, dilation or pad is out of range", "conv2d.default", image, input=image, weight=kernel, stride=[0, 1])
    case("the window is wider than the padded input", "conv2d.default", image, input=X(1, 2, 2, 2), weight=kernel)
    case("the bias is 3", "conv2d.default", image, input=image, weight=kernel, bias=X(3))
    case("padding is 'some'", "conv2d.padding", image, input=image, weight=kernel, padding="'some'")
    case("a transposed one is not supported in this form", "convolution.default", image, input=image, weight=kernel, transposed=True)
    case("the input is 1x2x5x5, the weight 4x2x3x3 in 1 groups", "conv_transpose2d.input", image, input=image, weight=kernel)
    case("the bias is 4", "conv_transpose2d.input", image, input=X(1, 4, 5, 5), weight=kernel, bias=X(4))
    case("a stride, dilation or pad is out of range", "conv_transpose2d.input", image, input=X(1, 4, 5, 5), weight=kernel, output_padding=[4, 4])
    case("a pad is wider than the window", "conv_transpose2d.input", image, input=X(1, 4, 5, 5), weight=kernel, padding=[5, 5])
    rows, matrices, ends = X(6, 3), X(2, 3, 4), X(2, dtype="i32")
    fallback = "torch.ops.transformers.grouped_mm_fallback.default"
    case("the ends of groups are neither of int64 nor of int32", fallback, X(6, 4), input=rows, weight=matrices, offs=X(2))
    case("the operands are of two types", fallback, X(6, 4), input=rows, weight=X(2, 3, 4, dtype="f64"), offs=ends)
    for wrong in ({"input": X(6, 2)}, {"input": X(3)}, {"weight": X(3, 4)}, {"offs": X(3, dtype="i32")}, {"offs": X(2, 1, dtype="i32")}, {"input": X(0, 3)}, {"weight": X(2, 3, 0)}):
        case("the operands are ", fallback, X(6, 4), **({"input": rows, "weight": matrices, "offs": ends} | wrong))
    case("is negative or too large", fallback, X(1 << 33, 4), input=X(1 << 33, 3), weight=X(1 << 31, 3, 4), offs=X(1 << 31, dtype="i32"))
    case("without ends of groups it is not supported: torch.bmm multiplies matrix by matrix", "_grouped_mm.default", X(2, 5, 4), self=X(2, 5, 3), mat2=matrices)
    case("a bias is not supported: add it to the result", "_grouped_mm.default", X(6, 4), self=rows, mat2=matrices, offs=ends, bias=X(4))
    q = X(1, 2, 4, 8)
    attention = lambda message, **more: case(message, "scaled_dot_product_attention.default", q, **({"query": q, "key": q, "value": q} | more))
    attention("argument 'query' is 4", query=X(4))
    attention("queries are 1x2x4x8, keys 1x3x4x8, values 1x2x4x8", key=X(1, 3, 4, 8))
    attention("has a mask and is_causal", attn_mask=X(4, 4), is_causal=True)
    attention("the mask is 3x3, expected what broadcasts to 1x2x4x4", attn_mask=X(3, 3))
    attention("dropout_p is 2", dropout_p=2.0)


def normalization():
    x = X(2, 4, 3)
    case("the operand 2x0 has no elements", "softmax.int", X(2, 0), self=X(2, 0), dim=1)
    case("the operand is a scalar", "softmax.int", X(), self=X(), dim=0)
    case("the operand is 2x4x3, normalized are 4", "layer_norm.default", x, input=x, normalized_shape=[4])
    case("argument 'weight' is 4", "layer_norm.default", x, input=x, normalized_shape=[3], weight=X(4))
    case("eps is negative", "layer_norm.default", x, input=x, normalized_shape=[3], eps=-1.0)
    case("the operand is 2x4x3, normalized are 4", "rms_norm.default", x, input=x, normalized_shape=[4])
    case("the operand 2x4x3 does not split into 3 groups", "group_norm.default", x, input=x, num_groups=3)
    case("argument 'weight' is 3, expected 4", "group_norm.default", x, input=x, num_groups=2, weight=X(3))
    case("running statistics are not supported: build the layer with track_running_stats=False", "instance_norm.default", x, input=x, use_input_stats=False)
    case("the operand is 3", "instance_norm.default", X(3), input=X(3), use_input_stats=True)
    batch = {"running_mean": X(4), "running_var": X(4), "training": True, "momentum": 0.1, "eps": 1e-5}
    norm = lambda message, **more: case(message, "batch_norm.default", x, **({"input": x} | batch | more))
    norm("the operand is 3, expected batch, channels and spatial axes", input=X(3))
    norm("momentum=None, a mean over all batches, is not supported", momentum=None)
    norm("momentum is 3", momentum=3.0)
    norm("only one of the running statistics is there", running_mean=None)
    norm("argument 'weight' is 3, expected 4 elements", weight=X(3))
    case("the direction is 4x3, the length 4", "_weight_norm.default", X(4, 3), v=X(4, 3), g=X(4))


def losses():
    x, y = X(4, 3), X(4, dtype="i64")
    case("reduction is 7", "mse_loss.default", X(), self=x, target=x, reduction=7)
    case("the prediction is 4x3, the target 4: give both the same shape", "mse_loss.default", X(), self=x, target=X(4))
    case("beta is negative", "smooth_l1_loss.default", X(), self=x, target=x, beta=-1.0)
    case("delta is not positive", "huber_loss.default", X(), self=x, target=x, delta=0.0)
    case("the scores are scalar", "cross_entropy_loss.default", X(), self=X(), target=y)
    case("the weight is 4, expected 3", "cross_entropy_loss.default", X(), self=x, target=y, weight=X(4))
    case("the target is 3, expected 4", "cross_entropy_loss.default", X(), self=x, target=X(3, dtype="i64"))
    case("the target is neither of int64 nor of int32", "cross_entropy_loss.default", X(), self=x, target=X(4, dtype="u8"))
    case("probabilities as targets are of the scores' type", "cross_entropy_loss.default", X(), self=x, target=X(4, 3, dtype="f64"))


def others():
    x, i = X(2, 3), X(2, dtype="i64")
    case("the operand is 2x3, the result 7", "sum.dim_IntList", X(7), self=x, dim=[1])
    case("the operand is bool", "sum.default", X(dtype="bool"), self=X(2, dtype="bool"))
    case("the operand 2x0 has no elements", "amax.default", X(2), self=X(2, 0), dim=[1])
    case("the operand is not of floating-point numbers", "var.default", X(dtype="i64"), self=i)
    case("the operand is not of floating-point numbers", "logsumexp.default", X(dtype="i64"), self=i, dim=[0])
    case("the operand is not of floating-point numbers", "linalg_vector_norm.default", X(dtype="i64"), self=i)
    case("a norm of order -3", "linalg_vector_norm.default", X(), self=x, ord=-3.0)
    case("expected floating-point numbers along an axis", "max.dim", [X(), X(dtype="i64")], self=X(), dim=0)
    case("the operand is 3, n is -1", "diff.default", X(3), self=X(3), n=-1)
    case("the operand is scalar, n is 1", "diff.default", X(), self=X())
    case("what is put beside the operand 2x3 is 2x4, or of another type", "diff.default", X(2, 4), self=X(2, 3), dim=0, prepend=X(2, 4))
    case("a matrix norm is not supported: linalg.vector_norm is one of all elements", "linalg_norm.default", X(), self=x, ord=1)
    case("draws from 3 to 3, expected up to 1048576 integers", "randint.low", i, low=3, high=3, size=[2])
    case("draws from 0 to 1048577, expected up to 1048576 integers", "randint.default", i, high=1048577, size=[2])
    case("takes element 4 of 2x3", "kthvalue.default", [X(2), i], self=x, k=4, dim=1)
    case("takes element 0 of 2x3", "kthvalue.default", [X(2), i], self=x, k=0, dim=1)
    case("a sorter is not supported", "searchsorted.Tensor", i, sorted_sequence=X(3), self=X(2), sorter=X(3, dtype="i64"))
    for wrong in (X(), X(3, dtype="f64"), X(3, 3), X(4, 5)):
        case(" or types differ", "searchsorted.Tensor", X(2, 3, dtype="i64"), sorted_sequence=wrong, self=x)
    case("permutes 0 numbers", "randperm.default", i, n=0)
    case("or of two types", "cdist.default", X(2, 2), x1=X(3), x2=x)
    case("the operands are 2x1x3 and 1x2x4", "cdist.default", X(2, 2), x1=x, x2=X(2, 4))
    case("a norm of order -3.000000 is not supported", "cdist.default", X(2, 2), x1=x, x2=x, p=-3.0)
    case("the operand is 3, expected rows", "pdist.default", X(3), self=X(3))
    case("compares 3000 rows, of at most 2048: use cdist()", "pdist.default", X(4498500), self=X(3000, 2))
    case("a norm of order -1.000000 is not supported", "pdist.default", X(1), self=x, p=-1.0)
    case("the operands are 2x3 and 2x3", "addbmm.default", x, self=x, batch1=x, batch2=x)
    case("the product is 3x3", "addbmm.default", x, self=x, batch1=X(2, 3, 4), batch2=X(2, 4, 3))
    case("has 0 bins", "histc.default", X(0), self=x, bins=0)
    case("min is not below max", "histc.default", X(4), self=x, bins=4, min=2.0, max=1.0)
    case("the operand 0 has no elements", "histc.default", X(4), self=X(0), bins=4)
    case("indices are neither of int64 nor of int32", "index_select.default", x, self=x, dim=0, index=X(2))
    case("reads from an empty axis", "index_select.default", x, self=X(0, 3), dim=0, index=i)
    case("scale_grad_by_freq is not supported", "embedding.default", x, weight=x, indices=i, scale_grad_by_freq=True)
    case("the table is 3", "embedding.default", x, weight=X(3), indices=i)
    case("padding_idx is 5", "embedding.default", x, weight=x, indices=i, padding_idx=5)
    case("reads 2x3 by 2x3", "index_select.default", x, self=x, dim=0, index=X(2, 3, dtype="i64"))
    case("reads 2x3 by 2", "gather.default", x, self=x, dim=0, index=i)
    case("reads 2x3 by 2x4", "gather.default", x, self=x, dim=0, index=X(2, 4, dtype="i64"))
    case("has more indices than the operand axes", "index.Tensor", x, self=X(2), indices=[i, i])
    case("the length of what a mask selects depends on data: weigh the elements by the mask", "index.Tensor", X(2), self=x, indices=[X(2, 3, dtype="bool")])
    case("the indices do not broadcast", "index.Tensor", x, self=x, indices=[i, X(3, dtype="i64")])
    case("has no index", "index.Tensor", x, self=x, indices=[None])
    case("the operand is 2x3", "one_hot.default", X(2, 3, 4, dtype="i64"), self=x)
    case("p is 2.000000, expected 0 to 1", "dropout.default", x, input=x, p=2.0, train=True)
    case("the operand is 3", "feature_dropout.default", X(3), input=X(3), p=0.5, train=True)
    case("the result is not of floating-point numbers", "rand.default", i, size=[2])
    image = X(1, 1, 4, 4)
    case("the operand is 4", "max_pool2d.default", image, self=X(4), kernel_size=[2, 2])
    case("a size, stride, dilation or pad is out of range", "max_pool2d.default", X(1, 1, 2, 2), self=image, kernel_size=[2, 2], padding=[2, 2])
    case("the result is 4", "max_pool2d.default", X(4), self=image, kernel_size=[2, 2])
    case("the result is 1x1x9x9, which the windows do not give", "max_pool2d.default", X(1, 1, 9, 9), self=image, kernel_size=[2, 2])
    case("overlapping windows of 4096 elements are not supported", "avg_pool2d.default", X(1, 1, 2, 1), self=X(1, 1, 65, 64), kernel_size=[64, 64], stride=[1, 1])
    case("the result is 3", "adaptive_avg_pool2d.default", X(3), self=image, output_size=[2, 2])
    case("there are 3 scale factors for 2 axes", "upsample_nearest2d.vec", X(1, 1, 8, 8), input=image, scale_factors=[2.0, 2.0, 2.0])
    case("the operand is 4x4, the result 8x8", "upsample_nearest2d.vec", X(8, 8), input=X(4, 4), scale_factors=[2.0, 2.0])
    state, seq = X(1, 2, 4), X(5, 2, 3)
    good = {"input": seq, "hx": state, "params": [X(4, 3), X(4, 4)], "has_biases": False, "num_layers": 1, "dropout": 0.0,
            "train": False, "bidirectional": False, "batch_first": False}
    rnn = lambda message, op="rnn_tanh.input", **more: case(message, op, [X(5, 2, 4), state], **(good | more))
    rnn("has 3 weights, expected 2 (proj_size is not supported)", params=[X(4, 3), X(4, 4), X(4, 4)])
    rnn("the input is 5x3, expected steps, batch and features", input=X(5, 3))
    rnn("has 1 states", op="lstm.input", hx=[state], params=[X(16, 3), X(16, 4)])
    rnn("a weight is 4x5", params=[X(4, 3), X(4, 5)])
    rnn("weight 0 is 4x7, expected 4x3", params=[X(4, 7), X(4, 4)])
    rnn("a state is 1x2x5, expected 1x2x4", hx=X(1, 2, 5))


def programs():
    x = X(2, 3)

    def stale(p):
        y = p.call("mul.Scalar", [x], self=x, other=2)
        part = p.call("select.int", [X(3)], self=y, dim=0, index=0)
        p.call("add_.Scalar", [x], self=y, other=1)
        p.call("relu.default", [X(3)], self=part)

    def through_other_order(p):
        y = p.call("t.default", [X(3, 2)], self=x)
        p.call("add_.Scalar", [X(3, 2)], self=y, other=1)

    of_calls("a view of what has been written since: call run_decompositions({}) on the program before it is saved", stale)
    of_calls("writes to a view that shows elements in another order: call run_decompositions({})", through_other_order)
    def reshaped(p):
        y = p.call("mul.Scalar", [x], self=x, other=2)
        flat = p.call("reshape.default", [X(6)], self=y)
        p.call("add_.Scalar", [X(6)], self=flat, other=1)
        p.call("relu.default", [x], self=y)

    of_calls("of which what may be a copy has been written: call run_decompositions({})", reshaped)

    case("writes to something that is not a tensor", "relu_.default", x, self=3)
    case("result 1 is not computed", "relu.default", [x, x], self=x)
    no_grad = "torch.ops.higher_order.wrap_with_set_grad_enabled"
    case("argument 1 is not a graph", no_grad, x, a=False, b=1)
    case("argument 0 is not a bool", no_grad, x, a=1, b=1)
    graph = {"inputs": [{"as_tensor": {"name": "z"}}], "outputs": [{"as_tensor": {"name": "w"}}], "nodes": [], "tensor_values": {}}
    sub = {"as_graph": {"name": "g", "graph": graph}}
    case("has a graph of 1 inputs, and gives it 0", no_grad, x, a=False, b=sub)
    case("argument 2 is not a tensor", no_grad, x, a=False, b=sub, c=3)
    case("uses 'nothing', which nothing before it defines", no_grad, x, a=False, b=sub, c="nothing")
    write = {"target": "torch.ops.aten.relu_.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "z"}}, "kind": 1}],
             "outputs": [{"as_tensor": {"name": "w"}}], "metadata": {}}
    values = {name: x.meta() for name in "zw"}
    writing = {"as_graph": {"name": "g", "graph": {**graph, "nodes": [write], "tensor_values": values}}}
    case("writes, under torch.no_grad(), to a tensor from outside of it", no_grad, x, a=False, b=writing, c=x)
    case("uses 'w', which nothing before it defines", no_grad, x, a=False, b=sub, c=x)


def sub(inputs, results, *nodes, outputs=None):
    """A graph of `nodes`, each an op and its arguments, on inputs a, b, ...; the results are the last nodes'."""
    names, program = [chr(ord("a") + i) for i in range(len(inputs))], Program()
    program.values = {name: x.meta() for name, x in zip(names, inputs)}
    given = [program.call(op, [result], **{key: value for key, value in arguments.items()}) for op, result, arguments in nodes]
    named = lambda name: {"as_tensor": {"name": name}}
    outputs = outputs if outputs is not None else given[len(given) - results:]
    return {"as_graph": {"name": "g", "graph": {"inputs": [named(n) for n in names], "outputs": [named(n) for n in outputs],
                                                "nodes": program.nodes, "tensor_values": program.values}}}


def orders():
    """Other orders, pads, writes and what is sorted."""
    x, i = X(2, 3), X(2, dtype="i64")
    case("mode is 'mirror', expected constant, reflect, replicate or circular", "pad.default", x, self=x, pad=[1, 1], mode="'mirror'")
    case("pads of 3 and 0 do not repeat what an axis of 3 elements has", "reflection_pad1d.default", X(2, 6), self=x, padding=[3, 0])
    case("pads of -1 and 0 do not repeat", "replication_pad1d.default", x, self=x, padding=[-1, 0])
    case("argument 'source' is not of axes of rank 2", "movedim.int", x, self=x, source=[2], destination=[0])
    case("moves 1 axes to 2", "movedim.intlist", x, self=x, source=[0], destination=[0, 1])
    case("repeats 6 -1 times, and declares 6", "repeat_interleave.self_int", X(6), self=x, repeats=-1)
    case("has no two axes of 2x3", "diagonal.default", X(2), self=x, dim1=0, dim2=0)
    case("windows of 4 in steps of 1 do not fit in 2x3", "unfold.default", x, self=x, dimension=1, size=4, step=1)
    case("the operand is 1x3x2x2, the result 1x1x4x4, the factor 2", "pixel_shuffle.default", X(1, 1, 4, 4), self=X(1, 3, 2, 2), upscale_factor=2)
    case("the operand is 2x3x4 in 2 groups", "channel_shuffle.default", X(2, 3, 4), self=X(2, 3, 4), groups=2)
    case("indexing is 'yx'", "meshgrid.indexing", [x, x], tensors=[X(2), X(3)], indexing="'yx'")
    case("one of the tensors is not a vector", "meshgrid.default", [x], tensors=[x])
    case("the result is 3", "eye.default", X(3), n=3)
    case("the operand is 2x3 of bools", "sort.default", [X(2, 3, dtype="bool"), X(2, 3, dtype="i64")], self=X(2, 3, dtype="bool"))
    case("takes 4 of 2x3", "topk.default", [X(2, 4), X(2, 4, dtype="i64")], self=x, k=4)
    case("writes to 2x3 by 2", "scatter.value", x, self=x, dim=0, index=i, value=1.0)
    case("the source is 1x3, the indices are 2x3", "scatter.src", x, self=x, dim=0, index=X(2, 3, dtype="i64"), src=X(1, 3))
    case("the operand is bool", "scatter_add.default", X(2, dtype="bool"), self=X(2, dtype="bool"), dim=0, index=i, src=X(2, dtype="bool"))
    case("reduce is 'median' of 2, expected floats and sum, prod, mean, amax or amin, with include_self but for mean", "scatter_reduce.two", X(2), self=X(2), dim=0, index=i, src=X(2), reduce="'median'")
    either, several = X(2, 3, dtype="bool"), X(2, dtype="bool")
    case("writes 2 where a mask of 3x2 is true, to 2x3", "index_put.default", x, self=x, indices=[X(3, 2, dtype="bool")], values=X(2))
    case("writes 0 where a mask of 2x3 is true, to 2x3", "index_put.default", x, self=x, indices=[either], values=X(0))
    case("writes 2 where a mask of 2 is true, to 2", "index_put.default", several, self=several, indices=[several], values=several, accumulate=True)
    case("the source is 0, expected elements of the operand's type", "masked_scatter.default", x, self=x, mask=either, source=X(0))
    case("the source is 2, expected elements of the operand's type", "masked_scatter.default", x, self=x, mask=either, source=i)
    case("the operand is bool", "index_put.default", X(2, dtype="bool"), self=X(2, dtype="bool"), indices=[i], values=X(2, dtype="bool"), accumulate=True)
    case("writes to 2x3 by 2x3", "index_add.default", x, self=x, dim=0, index=X(2, 3, dtype="i64"), source=x)


def functions():
    x = X(2, 3)
    case("eps is 0.7", "logit.default", x, self=x, eps=0.7)
    case("alpha is not positive", "celu.default", x, self=x, alpha=0.0)
    case("the operand 2x3 does not split into halves", "glu.default", x, self=x)
    case("the operands are 2x3 and 3", "outer.default", x, self=x, vec2=X(3))
    case("the terms are not of one floating type", "einsum.default", x, equation="'ij->ij'", tensors=[X(2, 3, dtype="i64")])
    slide = {"dilation": [1, 1], "padding": [0, 0], "stride": [1, 1]}
    case("a size, stride, dilation or pad is out of range", "im2col.default", X(1, 4, 9), self=X(1, 1, 4, 4), kernel_size=[0, 2], **slide)
    case("the window is wider than the padded image", "im2col.default", X(1, 4, 9), self=X(1, 1, 4, 4), kernel_size=[5, 2], **slide)
    case("the windows have more than 2^24 elements", "im2col.default", X(1, 1), self=X(1, 1, 5000, 5000), kernel_size=[1, 1], **slide)
    case("the mode is 3, the padding 0", "grid_sampler.default", X(1, 1, 2, 2), input=X(1, 1, 4, 4), grid=X(1, 2, 2, 2), interpolation_mode=3, padding_mode=0, align_corners=True)
    case("the image is 1x1x4x4, the grid 1x2x2x3", "grid_sampler.default", X(1, 1, 2, 2), input=X(1, 1, 4, 4), grid=X(1, 2, 2, 3), interpolation_mode=0, padding_mode=0, align_corners=True)
    case("the operands are 2x3 and 2x4, or of two types", "cosine_similarity.default", X(2), x1=x, x2=X(2, 4))
    case("the operands are scalars", "cosine_similarity.default", X(), x1=X(), x2=X(), dim=0)
    case("the operands are scalars", "pairwise_distance.default", X(), x1=X(), x2=X())
    case("the operands are scalars", "cosine_embedding_loss.default", X(), input1=X(), input2=X(), target=X())
    case("a norm of order -3", "pairwise_distance.default", X(2), x1=x, x2=x, p=-3.0)
    case("the operands have several shapes", "triplet_margin_loss.default", X(), anchor=X(3), positive=X(3), negative=x)
    case("the operands have several shapes", "triplet_margin_loss.default", X(), anchor=x, positive=X(3), negative=X(3), swap=True)


NOTHING = {"as_tensors": []}


def regions():
    x, flag, order = X(2, 3), X(dtype="bool"), "torch.ops.higher_order."
    relu = lambda of=x, to=x: sub([of], 1, ("relu.default", to, {"self": "a"}))
    twice = sub([x], 2, ("relu.default", x, {"self": "a"}), ("relu.default", x, {"self": "a"}))
    writing = sub([x], 1, ("relu_.default", x, {"self": "a"}))
    cond = lambda message, on_true, on_false, pred=flag: case(message, order + "cond", x, a=pred, b=on_true, c=on_false, d=[x])
    cond("argument 0 is not one bool", relu(), relu(), pred=X(2, dtype="bool"))
    cond("argument 0 is not a tensor", relu(), relu(), pred=3)
    cond("argument 2 is not a graph", relu(), 3)
    cond("has branches that give 2x3 and 3x2, or two types of elements", relu(), sub([x], 1, ("t.default", X(3, 2), {"self": "a"})))
    cond("has branches of 1 and 2 results", relu(), twice)
    cond("writes, in a branch or a loop, to a tensor from outside of it", relu(), writing)
    case("argument 3 is not a list of tensors", order + "cond", x, a=flag, b=relu(), c=relu(), d=x)
    vectors = [X(3)] * 2
    norm = sub([x, *vectors], 1, ("batch_norm.default", x, {"input": "a", "running_mean": "b", "running_var": "c", "momentum": 0.1, "training": True}))
    plain = sub([x, *vectors], 1, ("relu.default", x, {"self": "a"}))
    case("chooses by what is not known when the model is compiled, and a branch has a normalization, whose statistics would be kept in either case",
         order + "cond", x, a=flag, b=norm, c=plain, d=[x, *vectors])

    less = sub([x], 1, ("sum.default", X(), {"self": "a"}), ("lt.Scalar", X(dtype="bool"), {"self": "y1", "other": 3}))
    ever = sub([x], 1, ("full.default", X(dtype="bool"), {"size": [], "fill_value": True}))
    loop = lambda message, condition, body: case(message, order + "while_loop", x, a=condition, b=body, c=[x], d=NOTHING)
    loop("whether it goes on must be known when the model is compiled, but depends on an input or a parameter", less, relu())
    loop("has a body of 2 results, expected 1", ever, twice)
    loop("runs more than 65536 steps, each a copy of its body", ever, sub([x], 1, outputs=["a"]))

    state, rows = X(3), X(4, 3)
    step = sub([state, state], 1, ("add.Tensor", state, {"self": "a", "other": "b"}))
    scan = lambda message, body, states, inputs, results=(state,): case(message, order + "scan", list(results), a=body, b=states, c=inputs or NOTHING, d=NOTHING)
    scan("scans nothing that has steps", step, [state], [])
    scan("scans 4x3 and 5x3, of other lengths", step, [state], [rows, X(5, 3)])
    scan("scans no steps", step, [state], [X(0, 3)])
    scan("runs more than 65536 steps", step, [state], [X(65537, 3)])
    scan("has a body of 0 results and 1 states", sub([state, state], 0, outputs=[]), [state], [rows])
    grown = sub([state, state], 1, ("cat.default", X(6), {"tensors": ["a", "b"]}), outputs=["a", "y2"])
    scan("result 1 is declared 4x3, its operands give 4x6", grown, [state], [rows], [state, rows])

    scan("gives 2x3 in one step and 3 in another, or two types of elements", sub([x, state], 2, outputs=["b", "a"]), [x], [rows], [state, X(4, 2, 3)])

    autocast = order + "wrap_with_autocast"
    dtype = lambda number: {"as_scalar_type": number}
    case("argument 1 is not float16 or bfloat16", autocast, x, a="'cpu'", b=dtype(7), c=True, d=False, e=relu(), f=x)
    case("argument 2 is not a bool", autocast, x, a="'cpu'", b=dtype(13), c=3, d=False, e=relu(), f=x)
    case("argument 4 is not a graph", autocast, x, a="'cpu'", b=dtype(13), c=True, d=False, e=3, f=x)
    number = {"as_graph": {"name": "g", "graph": {"inputs": [{"as_int": 3}], "outputs": [], "nodes": [], "tensor_values": {}}}}
    case("has a graph that takes or gives something that is not a tensor", autocast, x, a="'cpu'", b=None, c=False, d=False, e=number, f=x)

    def two_views(p):
        y = p.call("mul.Scalar", [x], self=x, other=2)
        flat = p.call("view.default", [X(6)], self=y, size=[6])
        both = sub([x, X(6)], 1, ("relu_.default", x, {"self": "a"}))
        p.call(autocast, [x], a="'cpu'", b=None, c=False, d=False, e=both, f=y, g=flat)

    of_calls("of which it is given another view", two_views)


def texts():
    module, graph = ("graph_module",), ("graph_module", "graph")
    node = (*graph, "nodes", 0)
    first = (*node, "inputs", 0, "arg")
    for path, value, message in (
        (("schema_version",), KeyError, "is not an exported program: it does not say the version of its schema"),
        (("schema_version", "major"), 9, "has version 9 of the schema of exported programs, this mpc reads 8"),
        ((*graph, "nodes"), 3, "expected a list of nodes"),
        ((*graph, "tensor_values"), KeyError, "a graph has no 'tensor_values'"),
        ((*graph, "tensor_values", "x0", "dtype"), KeyError, "a tensor has no 'dtype'"),
        ((*graph, "tensor_values", "x0", "sizes"), [{"as_int": 2**62}, {"as_int": 2**62}], "which is more than memory can hold"),
        ((*graph, "tensor_values", "x0", "sizes"), [{"as_int": -2}], "which is more than memory can hold"),
        ((*graph, "tensor_values", "x0", "sizes"), [3], "expected a size"),
        ((*graph, "tensor_values", "x0", "sizes"), [{"as_expr": "s0"}], "input 'x0' has a size that the export leaves open"),
        ((*graph, "tensor_values", "x0", "dtype"), 28, "input 'x0' has a type that mpc does not have"),
        ((*node, "target"), 3, "expected a text in 'target'"),
        (first, {}, "the exported program is damaged: expected an argument"),
        (first, {"as_int": "3"}, "an argument is of another type"),
        (first, {"as_bool": 3}, "an argument is of another type"),
        (first, {"as_ints": ["3"]}, "an argument is of another type"),
        (first, {"as_string": 3}, "an argument is of another type"),
        (first, {"as_float": "three"}, "an argument is of another type"),
        ((*module, "signature", "input_specs"), [3], "expected an entry of the signature"),
        ((*module, "signature", "input_specs"), [{"token": {}}], "inputs of kind 'token' are not supported"),
        ((*module, "signature", "output_specs"), [{"user_input_mutation": {}}], "outputs of kind 'user_input_mutation' are not supported"),
        ((*module, "signature", "output_specs"), [{"buffer_mutation": {"arg": {"name": "y1"}, "buffer_name": "b"}}],
         "writes 'b', which is not a buffer of the program"),
        ((*module, "signature", "output_specs"), [], "the program has no outputs"),
        ((*module, "signature", "output_specs"), [{"user_output": {"arg": {"as_tensor": {"name": "q"}}}}], "output 'q': uses 'q', which nothing before it defines"),
        ((*module, "signature", "input_specs"), [{"parameter": {"arg": {"name": "x0"}, "parameter_name": "w"}}], "tensor 'w' has no value"),
        ((*node, "outputs"), [{"as_tensor": {"name": "unknown"}}], "the file does not say what 'unknown' is"),
    ):
        changed(message, set_field(path, value))
    changed("the program is nested more than 512 deep", lambda text: "[" * 600 + "]" * 600)
    changed("the program is not JSON", lambda text: "{")


def archive(path, content):
    with zipfile.ZipFile(path, "w") as file:
        for name, text in content.items():
            file.writestr("program/" + name, text)


def with_weight(message, change, raw=b"\0" * 24):
    """relu of a parameter, whose entry among the weights `change` changes."""
    program = Program()
    program.call("relu.default", [X(2, 3)], self=X(2, 3))
    text = program.json()
    text["graph_module"]["signature"]["input_specs"] = [{"parameter": {"arg": {"name": "x0"}, "parameter_name": "w"}}]
    entry = {"path_name": "weight_0", "is_param": True, "use_pickle": False, "tensor_meta": X(2, 3).meta()}
    content = {"models/model.json": json.dumps(text), "byteorder": "little", "data/weights/weight_0": raw}
    change(entry, content)
    content.setdefault("data/weights/model_weights_config.json", json.dumps({"config": {"w": entry}}))
    CASES.append((message, content))


def weights():
    entry = lambda **values: lambda entry, content: entry.update(values)
    meta = lambda **values: lambda entry, content: entry["tensor_meta"].update(values)
    member = lambda name, text: lambda entry, content: content.update({name: text})
    with_weight("tensor 'w': is pickled, which mpc does not read", entry(use_pickle=True))
    with_weight("expected a text in 'path_name'", entry(path_name=3))
    with_weight("there is no 'data/weights/elsewhere'", entry(path_name="elsewhere"))
    with_weight("has a type that mpc does not have (torch's number 28)", meta(dtype=28))
    with_weight("which is less than its tensor reaches", meta(dtype=10))
    far = {"as_int": 2**62}
    with_weight("lies further off than memory reaches", meta(dtype=10, strides=[far, {"as_int": 1}]))
    with_weight("a tensor has 2 sizes and 1 strides", meta(strides=[{"as_int": 1}]))
    with_weight("which is less than its tensor reaches", meta(strides=[{"as_int": 100}, {"as_int": 1}]))
    with_weight("which is less than its tensor reaches", meta(storage_offset={"as_int": -1}))
    with_weight("which is less than its tensor reaches", entry(), raw=b"\0" * 20)
    with_weight("the value of 'w' is f32[3x2], the program has another type or shape", meta(sizes=[{"as_int": 3}, {"as_int": 2}], strides=[{"as_int": 2}, {"as_int": 1}]))
    with_weight("has no 'config'", member("data/weights/model_weights_config.json", "[]"))
    with_weight("was written on a big-endian machine", member("byteorder", "big"))
    with_weight("has no models/model.json: it is not an archive of torch.export.save", lambda entry, content: content.pop("models/model.json"))

    def shared(entry, content):
        """A second parameter in the same memory, with another shape."""
        text = json.loads(content["models/model.json"])
        graph = text["graph_module"]["graph"]
        graph["inputs"].append({"as_tensor": {"name": "x9"}})
        graph["tensor_values"]["x9"] = X(2).meta()
        text["graph_module"]["signature"]["input_specs"].append({"parameter": {"arg": {"name": "x9"}, "parameter_name": "v"}})
        content["models/model.json"] = json.dumps(text)
        entries = {"w": entry, "v": {**entry, "tensor_meta": X(2).meta()}}
        content["data/weights/model_weights_config.json"] = json.dumps({"config": entries})

    def statistic(entry, content):
        """add_ of the running mean of a normalization."""
        program = Program()
        program.call("batch_norm.default", [X(2, 3)], input=X(2, 3), running_mean=X(3), running_var=X(3), momentum=0.1)
        program.call("add_.Scalar", [X(3)], self="x1", other=1)
        text = program.json()
        for place, name in ((1, "b.running_mean"), (2, "b.running_var")):
            text["graph_module"]["signature"]["input_specs"][place] = {"buffer": {"arg": {"name": f"x{place}"}, "buffer_name": name}}
        content["models/model.json"] = json.dumps(text)
        entries = {name: {**entry, "tensor_meta": X(3).meta()} for name in ("b.running_mean", "b.running_var")}
        content["data/weights/model_weights_config.json"] = json.dumps({"config": entries})

    def in_place(kind, dtype="f32"):
        """relu_ of the parameter or the buffer 'w'."""
        def change(entry, content):
            text = json.loads(content["models/model.json"])
            text["graph_module"]["signature"]["input_specs"] = [{kind: {"arg": {"name": "x0"}, f"{kind}_name": "w"}}]
            graph = text["graph_module"]["graph"]
            graph["nodes"][0]["target"] = "torch.ops.aten.relu_.default"
            for name in graph["tensor_values"]:
                graph["tensor_values"][name] = X(2, 3, dtype=dtype).meta()
            entry["tensor_meta"] = X(2, 3, dtype=dtype).meta()
            content["models/model.json"] = json.dumps(text)
        return change

    with_weight("parameter 'v' shares the memory of 'w', which has another shape", shared)
    def in_region(entry, content):
        """relu_ of the parameter 'w' in a graph of torch.autocast."""
        text = json.loads(content["models/model.json"])
        program, x = Program(), X(2, 3)
        body = sub([x], 1, ("relu_.default", x, {"self": "a"}))
        program.call("torch.ops.higher_order.wrap_with_autocast", [x], a="'cpu'", b=None, c=False, d=False, e=body, f=x)
        made = program.json()
        made["graph_module"]["signature"]["input_specs"] = text["graph_module"]["signature"]["input_specs"]
        content["models/model.json"] = json.dumps(made)

    with_weight("writes 'w': of its state a program may write buffers alone", in_region)
    with_weight("writes 'b.running_mean': it holds the running statistics of a normalization, which alone may write them", statistic)
    with_weight("writes 'w': of its state a program may write buffers alone", in_place("parameter"))
    with_weight("buffer 'w' is written, and is u8: a step keeps buffers of float32, int32 and int64", in_place("buffer", "u8"))


def matrices():
    x, v, wide = X(2, 3, 3), X(3), X(2, 2, 3)
    case("'A' is 2x2x3, expected square matrices", "linalg_inv.default", x, A=wide)
    case("'self' is 3, expected square matrices", "logdet.default", X(), self=v)
    case("'A' is 0x3x3, expected square matrices", "linalg_det.default", X(0), A=X(0, 3, 3))
    case("argument 'self' is not of floating-point numbers", "linalg_cholesky.default", x, self=X(2, 3, 3, dtype="i64"))
    case("solves for 4x2 with 2x3x3, or types differ", "linalg_solve.default", x, A=x, B=X(4, 2))
    case("solves for 5x3x1 with 2x3x3, or types differ", "linalg_solve.default", x, A=x, B=X(5, 3, 1))
    case("solves for 3x2 with 2x3x3, or types differ", "linalg_solve.default", x, A=x, B=X(3, 2, dtype="f64"))
    case("B is a scalar", "linalg_solve.default", x, A=x, B=X())
    case("B is 3, expected matrices", "linalg_solve_triangular.default", x, self=x, B=v, upper=True)
    case("'self' is 3, expected matrices", "cholesky_solve.default", x, self=v, input2=x)


def quantization():
    x, i = X(2, 3), X(3, dtype="i32")
    levels = dict(quant_min=0, quant_max=15)
    case("quantizes to 7 to 7", "fake_quantize_per_tensor_affine.default", x, self=x, scale=0.5, zero_point=0, quant_min=7, quant_max=7)
    case("argument 'scale' is 2, expected what broadcasts to 2x3", "fake_quantize_per_tensor_affine.tensor_qparams", x, self=x, scale=X(2),
         zero_point=X(dtype="i32"), **levels)
    case("the scales are 2 and the zero points 3 for an axis of 2x3", "fake_quantize_per_channel_affine.default", x, self=x, scale=X(2), zero_point=i,
         axis=1, **levels)
    case("the scales are 3 and the zero points 2 for an axis of 2x3", "fake_quantize_per_channel_affine.default", x, self=x, scale=X(3),
         zero_point=X(2, dtype="i32"), axis=1, **levels)
    places, pooled = X(1, 2, 2, dtype="i64"), X(1, 2, 2)
    case("writes 1x2x2 by 1x2x3 to 1x4x4", "max_unpool2d.default", X(1, 4, 4), self=pooled, indices=X(1, 2, 3, dtype="i64"), output_size=[4, 4])
    case("writes 1x2x2 by 1x2x2 to 1x4x5", "max_unpool2d.default", X(1, 4, 5), self=pooled, indices=places, output_size=[4, 4])
    case("writes 1x2x2 by 1x2x2 to 2x4x4", "max_unpool2d.default", X(2, 4, 4), self=pooled, indices=places, output_size=[4, 4])
    case("writes 0x2x2 by 0x2x2 to 0x4x4", "max_unpool2d.default", X(0, 4, 4), self=X(0, 2, 2), indices=X(0, 2, 2, dtype="i64"), output_size=[4, 4])


def main():
    cases, folder, inputs = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    for family in (arguments, complex_numbers, derivatives, elementwise, movement, products, normalization, losses, others, orders, functions, matrices, quantization, programs, regions, texts, weights):
        family()
    lines = []
    for index, (_, content) in enumerate(CASES):
        path = folder / f"{index}.pt2"
        if not (isinstance(content, dict) and "byteorder" in content):
            text = content if isinstance(content, str) else json.dumps(content)
            content = {"models/model.json": text, "byteorder": "little"}
        archive(path, content)
        lines.append(f"{folder / str(index)}.txt\t{path}\t--outputs={folder / 'none'}\t--inputs={inputs}")
    (folder / "text.pt2").write_text("no archive")
    CASES.append(("is not a zip archive, which torch.export.save writes", None))
    lines.append(f"{folder / str(len(lines))}.txt\t{folder / 'text.pt2'}\t--outputs={folder / 'none'}\t--inputs={inputs}")
    done = subprocess.run([cases], input="\n".join(lines) + "\n", capture_output=True, text=True)
    faults = 0
    for index, ((message, _), status) in enumerate(zip(CASES, done.stdout.split())):
        said = (folder / f"{index}.txt").read_text()
        if status != "1" or message not in said:
            faults += 1
            print(f"{index}: exit {status}, expected '{message}': {said.strip()}")
    print(f"{len(CASES)} programs, {len(done.stdout.split())} answers, {faults} faults")


if __name__ == "__main__":
    main()
