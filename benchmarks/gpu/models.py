#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the models that are measured on a GPU, as MLIR whose weights are drawn by rule: a file is a few kB.

    python models.py (gpt2|chargpt-m|resnet18-cifar|optimizer) [--batch=N] [--length=N] [--layers=N] > MODEL.mlir

Names, layouts and initial distributions are those of PyTorch's modules, so that exported weights load there.
GPT-2 is the 124M one with a vocabulary padded to a multiple of 128; its head reads the embedding.
"""
import argparse
import contextlib
import dataclasses


@dataclasses.dataclass(frozen=True)
class Sizes:
    batch: int
    length: int = 0
    vocabulary: int = 0
    layers: int = 0
    heads: int = 0
    width: int = 0
    biases: bool = False
    gelu: str = ""
    channels: int = 0  # Of the first layers of images.


SIZES = {
    "gpt2": Sizes(64, 1024, 50304, 12, 12, 768, True, "tanh "),
    "chargpt-m": Sizes(4, 256, 63, 6, 6, 384),
    "resnet18-cifar": Sizes(32, channels=64),
    # A linear layer of 126 million weights and 8 rows: what of a step is the optimizer's.
    "optimizer": Sizes(8, vocabulary=15360, width=8192),
}
# As much of each as runs in an emulator.
SMALL = {
    "gpt2": {"batch": 1, "length": 16, "vocabulary": 64, "layers": 1},
    "chargpt-m": {"batch": 1, "length": 16, "layers": 1},
    "resnet18-cifar": {"batch": 1},
    "optimizer": {"vocabulary": 64, "width": 64},
}
# As little of each as has every kernel, for proofs by recorded answers; sizes that are powers of two, and none that are.
PROVEN = {
    "small": {
        "gpt2": {"batch": 2, "length": 16, "vocabulary": 64, "layers": 1, "heads": 2, "width": 64},
        "chargpt-m": {"batch": 2, "length": 32, "layers": 1, "heads": 2, "width": 64},
        "resnet18-cifar": {"batch": 1, "channels": 8},
        "optimizer": {"vocabulary": 64, "width": 64},
    },
    "ragged": {
        "gpt2": {"batch": 3, "length": 13, "vocabulary": 51, "layers": 1, "heads": 3, "width": 45},
        "chargpt-m": {"batch": 1, "length": 27, "layers": 1, "heads": 5, "width": 35},
        "resnet18-cifar": {"batch": 3, "channels": 5},
        "optimizer": {"batch": 5, "vocabulary": 61, "width": 67},
    },
}


def shaped(shape, kind="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + kind + ">"


class Module:
    """Lines of a model; a value is its name and its shape."""

    def __init__(self):
        self.parameters, self.lines, self.path = [], [], []

    @contextlib.contextmanager
    def within(self, name):
        self.path.append(name)
        yield
        self.path.pop()

    def parameter(self, name, shape, init, frozen=""):
        name = ".".join([*self.path, name])
        self.parameters.append(f"nn.parameter {frozen}@{name} : {shaped(shape)} = #nn.init<{init}>")
        return self.get(name, shape)

    def get(self, name, shape):
        return self.op(f"nn.get @{name} : {shaped(shape)}", shape)

    def op(self, text, shape):
        value = f"%v{len(self.lines)}"
        self.lines.append(f"{value} = {text}")
        return value, tuple(shape)

    def same(self, kind, *values, attributes=""):
        names = ", ".join(name for name, _ in values)
        return self.op(f"nn.{kind} {names} {attributes}: {shaped(values[0][1])}", values[0][1])

    def number(self, value, shape):
        return self.op(f"nn.constant dense<{value}> : {shaped(shape)}", shape)

    def reshape(self, x, *shape):
        return self.op(f"nn.reshape {x[0]} : {shaped(x[1])} -> {shaped(shape)}", shape)

    def transpose(self, x, *order):
        shape = [x[1][axis] for axis in order]
        return self.op(f"nn.transpose {x[0]} {list(order)} : {shaped(x[1])} -> {shaped(shape)}", shape)

    def split(self, x, parts):
        """Equal parts along the last axis."""
        shape = (*x[1][:-1], x[1][-1] // parts)
        value = f"%v{len(self.lines)}"
        types = ", ".join(parts * [shaped(shape)])
        self.lines.append(f"{value}:{parts} = nn.split {x[0]} axis({len(shape) - 1}) : {shaped(x[1])} -> {types}")
        return [(f"{value}#{part}", shape) for part in range(parts)]

    def broadcast(self, x, axes, shape, kind="f32"):
        types = f"{shaped(x[1], kind)} -> {shaped(shape, kind)}"
        return self.op(f"nn.broadcast {x[0]} axes {axes} : {types}", shape)

    def matmul(self, a, b, transposes=""):
        columns = b[1][-2] if transposes else b[1][-1]
        shape = (*a[1][:-1], columns)
        types = f"{shaped(a[1])}, {shaped(b[1])} -> {shaped(shape)}"
        return self.op(f"nn.matmul {a[0]}, {b[0]} {transposes}: {types}", shape)

    def linear(self, x, name, outputs, init, biases):
        with self.within(name):
            weight = self.parameter("weight", (outputs, x[1][-1]), init)
            bias = self.parameter("bias", (outputs,), "zeros") if biases else None
        shape = (*x[1][:-1], outputs)
        added = f"bias {bias[0]} : {shaped(bias[1])} " if bias else ""
        types = f"{shaped(x[1])}, {shaped(weight[1])} -> {shaped(shape)}"
        return self.op(f"nn.linear {x[0]}, {weight[0]} {added}: {types}", shape)

    def text(self, inputs, result, outputs):
        """`inputs` are (name, shape, element type)."""
        arguments = ", ".join(f'%{name}: {shaped(shape, kind)} {{nn.name = "{name}"}}' for name, shape, kind in inputs)
        body = "".join(f"  {line}\n" for line in self.lines)
        return (
            "\n".join(self.parameters)
            + f"\nfunc.func @model({arguments}) -> ({shaped(result[1])} {{nn.name = \"{outputs}\"}}) {{\n{body}"
            + f"  return {result[0]} : {shaped(result[1])}\n}}\n"
        )


# --- transformers ---------------------------------------------------------------------------------


def layer_norm(m, x, name, biases):
    width = x[1][-1]
    with m.within(name):
        scale = m.parameter("weight", (width,), "ones")
        bias = m.parameter("bias", (width,), "zeros") if biases else None
    added = f"bias {bias[0]} : {shaped(bias[1])} " if bias else ""
    text = f"nn.layer_norm {x[0]} scale {scale[0]} : {shaped(scale[1])} {added}axis(2) epsilon(1.0e-5)"
    return m.op(f"{text} : {shaped(x[1])}", x[1])


def causal_mask(m, length, shape):
    """True where a position would look ahead."""
    square = shaped((length, length), "i64")
    rows, columns = (m.op(f"nn.iota axis({axis}) : {square}", (length, length)) for axis in (0, 1))
    ahead = m.op(f"nn.compare gt {columns[0]}, {rows[0]} : {square} -> {shaped((length, length), 'i1')}", rows[1])
    return m.broadcast(ahead, [2, 3], shape, "i1")


def attention(m, x, sizes):
    batch, length, width = x[1]
    head = width // sizes.heads
    packed = m.linear(x, "qkv", 3 * width, "normal 0.02", sizes.biases)
    q, k, v = (
        m.transpose(m.reshape(part, batch, length, sizes.heads, head), 0, 2, 1, 3) for part in m.split(packed, 3)
    )
    scores = m.matmul(q, k, "transpose_rhs ")
    scores = m.same("mul", scores, m.number(head**-0.5, scores[1]))
    mask = causal_mask(m, length, scores[1])
    hidden = m.number("0xFF800000", scores[1])
    kept = m.op(
        f"nn.select {mask[0]}, {hidden[0]}, {scores[0]} : {shaped(scores[1], 'i1')}, {shaped(scores[1])}", scores[1]
    )
    weights = m.same("softmax", kept, attributes="axis(3) ")
    mixed = m.reshape(m.transpose(m.matmul(weights, v), 0, 2, 1, 3), *x[1])
    return m.linear(mixed, "proj", width, f"normal {0.02 / (2 * sizes.layers) ** 0.5}", sizes.biases)


def feed_forward(m, x, sizes):
    width = x[1][-1]
    inner = m.linear(x, "fc", 4 * width, "normal 0.02", sizes.biases)
    inner = m.same("gelu", inner, attributes=sizes.gelu)
    return m.linear(inner, "proj", width, f"normal {0.02 / (2 * sizes.layers) ** 0.5}", sizes.biases)


def block(m, x, sizes):
    normal = layer_norm(m, x, "ln1", sizes.biases)
    with m.within("attn"):
        x = m.same("add", x, attention(m, normal, sizes))
    normal = layer_norm(m, x, "ln2", sizes.biases)
    with m.within("mlp"):
        return m.same("add", x, feed_forward(m, normal, sizes))


def gpt(sizes):
    m = Module()
    tokens = (sizes.batch, sizes.length)
    wte = m.parameter("wte.weight", (sizes.vocabulary, sizes.width), "normal 0.02")
    wpe = m.parameter("wpe.weight", (sizes.length, sizes.width), "normal 0.02")
    shape = (*tokens, sizes.width)
    embedded = m.op(
        f"nn.gather {wte[0]}, %tokens axis(0) : {shaped(wte[1])}, {shaped(tokens, 'i64')} -> {shaped(shape)}", shape
    )
    x = m.same("add", embedded, m.broadcast(wpe, [1, 2], shape))
    for layer in range(sizes.layers):
        with m.within(f"h.{layer}"):
            x = block(m, x, sizes)
    x = layer_norm(m, x, "lnf", sizes.biases)
    logits = (*tokens, sizes.vocabulary)
    types = f"{shaped(shape)}, {shaped(wte[1])} -> {shaped(logits)}"
    return m.text([("tokens", tokens, "i64")], m.op(f"nn.linear {x[0]}, {wte[0]} : {types}", logits), "logits")


# --- ResNet-18 for images of 32x32 ----------------------------------------------------------------


def conv_norm(m, x, conv, norm, filters, size, stride):
    batch, channels, height, width = x[1]
    bound = (channels * size * size) ** -0.5
    weight = m.parameter(f"{conv}.weight", (filters, channels, size, size), f"uniform {bound}")
    shape = (batch, filters, height // stride, width // stride)
    pad = [size // 2] * 2
    window = f"strides {[stride] * 2} low {pad} high {pad} dilations [1, 1] groups(1)"
    x = m.op(f"nn.conv {x[0]}, {weight[0]} {window} : {shaped(x[1])}, {shaped(weight[1])} -> {shaped(shape)}", shape)
    with m.within(norm):
        values = [m.parameter("weight", (filters,), "ones"), m.parameter("bias", (filters,), "zeros")]
        values += [m.parameter(f"running_{what}", (filters,), first, "frozen ")
                   for what, first in (("mean", "zeros"), ("var", "ones"))]
    types = f"({', '.join([shaped(shape)] + 4 * [shaped((filters,))])}) -> {shaped(shape)}"
    names = ", ".join(name for name, _ in (x, *values))
    return m.op(f"nn.batch_norm {names} axis(1) epsilon(1.0e-5) momentum(0.1) : {types}", shape)


def residual(m, x, filters, stride):
    y = m.same("relu", conv_norm(m, x, "conv1", "bn1", filters, 3, stride))
    y = conv_norm(m, y, "conv2", "bn2", filters, 3, 1)
    if stride != 1:
        x = conv_norm(m, x, "down", "dbn", filters, 1, stride)
    return m.same("relu", m.same("add", y, x))


def resnet(sizes):
    m = Module()
    shape = (sizes.batch, 3, 32, 32)
    x = m.same("relu", conv_norm(m, ("%x", shape), "conv1", "bn1", sizes.channels, 3, 1))
    for layer, filters in enumerate((sizes.channels * scale for scale in (1, 2, 4, 8)), 1):
        for part in range(2):
            with m.within(f"layer{layer}.{part}"):
                x = residual(m, x, filters, 2 if part == 0 and layer > 1 else 1)
    pooled = m.op(f"nn.reduce_sum {x[0]} axes [2, 3] : {shaped(x[1])} -> {shaped(x[1][:2])}", x[1][:2])
    mean = m.same("div", pooled, m.number(float(x[1][2] * x[1][3]), pooled[1]))
    return m.text([("x", shape, "f32")], m.linear(mean, "fc", 10, f"uniform {mean[1][1]**-0.5}", True), "logits")


def layer(sizes):
    m = Module()
    shape = (sizes.batch, sizes.width)
    result = m.linear(("%x", shape), "layer", sizes.vocabulary, "normal 0.02", False)
    return m.text([("x", shape, "f32")], result, "logits")


def sizes(name, **changes):
    """Those of a model; `changes` replace what is not None."""
    return dataclasses.replace(SIZES[name], **{key: value for key, value in changes.items() if value is not None})


def write(name, **changes):
    """The model's text."""
    wanted = sizes(name, **changes)
    return gpt(wanted) if wanted.length else layer(wanted) if wanted.width else resnet(wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=SIZES)
    for size in ("batch", "length", "layers", "vocabulary"):
        parser.add_argument(f"--{size}", type=int)
    arguments = vars(parser.parse_args())
    print(write(arguments.pop("model"), **arguments), end="")


if __name__ == "__main__":
    main()
