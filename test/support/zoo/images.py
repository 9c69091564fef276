# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutional networks.

The sizes of each are arguments: a test has a small one, a measurement a large one.
"""
import numpy as np


def classify(g, x, channels, classes, batch, name="classifier"):
    """The mean of each channel, and a linear layer."""
    flat = g.reshape(g.mean(x, -1, -2, keepdims=1), batch, channels)
    g.output(g.linear(g.dropout(flat, 0.2), name, channels, classes), batch, classes)


def conv_norm(g, x, name, inputs, outputs, kernel, act=None, **more):
    y = g.batch_norm(g.conv(x, f"{name}.0", inputs, outputs, kernel, bias=False, **more), f"{name}.1", outputs)
    return act(y) if act else y


def relu(g):
    return lambda x: g.op("Relu", x)


def hard_swish(g):
    return lambda x: g.op("HardSwish", x)


def pool(g, kind, x, kernel, stride, pad=0, **more):
    return g.op(kind, x, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4, **more)


def lenet(g, batch=4, size=16, channels=(4, 8), classes=10):
    x = g.input("x", batch, 1, size, size)
    for i, (inputs, outputs) in enumerate(zip((1, *channels), channels)):
        x = g.op("Tanh", g.conv(x, f"conv{i}", inputs, outputs, 5, pad=2))
        x = pool(g, "AveragePool", x, 2, 2, count_include_pad=1)
    width = channels[-1] * (size // 4) ** 2
    x = g.op("Relu", g.linear(g.reshape(x, batch, width), "fc1", width, 32))
    g.output(g.linear(x, "fc2", 32, classes), batch, classes)


def resnet(g, batch=4, size=16, widths=(8, 16), blocks=1, classes=10):
    act = relu(g)
    x = conv_norm(g, g.input("x", batch, 3, size, size), "stem", 3, widths[0], 3, act)
    x, inputs = pool(g, "MaxPool", x, 3, 2, 1), widths[0]
    for stage, width in enumerate(widths):
        for block in range(blocks):
            name, stride = f"layer{stage}.{block}", 2 if stage and not block else 1
            y = conv_norm(g, x, f"{name}.conv1", inputs, width, 3, act, stride=stride)
            y = conv_norm(g, y, f"{name}.conv2", width, width, 3)
            if stride > 1 or inputs != width:
                x = conv_norm(g, x, f"{name}.downsample", inputs, width, 1, stride=stride)
            x, inputs = act(g.add(x, y)), width
    classify(g, x, inputs, classes, batch, "fc")


def squeeze_excite(g, x, name, channels, squeezed, act, gate="HardSigmoid", **attributes):
    scale = act(g.conv(g.mean(x, -1, -2, keepdims=1), f"{name}.fc1", channels, squeezed, 1))
    return g.mul(g.op(gate, g.conv(scale, f"{name}.fc2", squeezed, channels, 1), **attributes), x)


#: Kernel, expanded width, width, squeeze and excite, hard swish, stride.
MOBILENET_V3_SMALL = (
    (3, 16, 16, True, False, 2), (3, 72, 24, False, False, 2), (3, 88, 24, False, False, 1),
    (5, 96, 40, True, True, 2), (5, 240, 40, True, True, 1), (5, 240, 40, True, True, 1),
    (5, 120, 48, True, True, 1), (5, 144, 48, True, True, 1), (5, 288, 96, True, True, 2),
    (5, 576, 96, True, True, 1), (5, 576, 96, True, True, 1),
)  # fmt: skip
MOBILENET_TINY = ((3, 8, 8, True, False, 2), (5, 24, 8, True, True, 1), (3, 24, 12, False, True, 2))


def mobilenet_v3(g, batch=4, size=16, first=8, last=(24, 32), rows=MOBILENET_TINY, classes=10):
    x = conv_norm(g, g.input("x", batch, 3, size, size), "features.0", 3, first, 3, hard_swish(g), stride=2)
    inputs = first
    for i, (kernel, expanded, width, excite, hard, stride) in enumerate(rows, 1):
        name, act = f"features.{i}.block", hard_swish(g) if hard else relu(g)
        y = x if expanded == inputs else conv_norm(g, x, f"{name}.expand", inputs, expanded, 1, act)
        y = conv_norm(g, y, f"{name}.depthwise", expanded, expanded, kernel, act, stride=stride, groups=expanded)
        if excite:
            squeezed = max(expanded // 4 // 8 * 8, 4)
            y = squeeze_excite(g, y, f"{name}.se", expanded, squeezed, relu(g), alpha=1 / 6, beta=0.5)
        y = conv_norm(g, y, f"{name}.project", expanded, width, 1)
        x, inputs = g.add(x, y) if stride == 1 and inputs == width else y, width
    x = conv_norm(g, x, f"features.{len(rows) + 1}", inputs, last[0], 1, hard_swish(g))
    x = g.reshape(g.mean(x, -1, -2, keepdims=1), batch, last[0])
    x = g.op("HardSwish", g.linear(x, "classifier.0", *last))
    g.output(g.linear(x, "classifier.3", last[1], classes), batch, classes)


#: Kernel, expansion, width, stride, repeats.
EFFICIENTNET_B0 = (
    (3, 1, 16, 1, 1), (3, 6, 24, 2, 2), (5, 6, 40, 2, 2), (3, 6, 80, 2, 3), (5, 6, 112, 1, 3), (5, 6, 192, 2, 4),
    (3, 6, 320, 1, 1),
)  # fmt: skip


def efficientnet(g, batch=4, size=16, first=8, last=32, rows=((3, 1, 8, 1, 1), (5, 3, 12, 2, 2)), classes=10):
    x = conv_norm(g, g.input("x", batch, 3, size, size), "features.0", 3, first, 3, g.silu, stride=2)
    inputs = first
    for stage, (kernel, expansion, width, stride, repeats) in enumerate(rows, 1):
        for block in range(repeats):
            name, expanded, step = f"features.{stage}.{block}", inputs * expansion, 1 if block else stride
            y = x if expansion == 1 else conv_norm(g, x, f"{name}.expand", inputs, expanded, 1, g.silu)
            y = conv_norm(g, y, f"{name}.depthwise", expanded, expanded, kernel, g.silu, stride=step, groups=expanded)
            y = squeeze_excite(g, y, f"{name}.se", expanded, max(inputs // 4, 2), g.silu, "Sigmoid")
            y = conv_norm(g, y, f"{name}.project", expanded, width, 1)
            x, inputs = g.add(x, y) if step == 1 and inputs == width else y, width
    x = conv_norm(g, x, "features.last", inputs, last, 1, g.silu)
    classify(g, x, last, classes, batch)


def convnext(g, batch=2, size=16, widths=(8, 16), depths=(1, 1), patch=4, classes=10):
    """Depthwise 7x7, normalized along channels, which are last then; a scale of each channel; a residual."""
    x, inputs, height = g.input("x", batch, 3, size, size), 3, size
    for stage, (width, depth) in enumerate(zip(widths, depths)):
        kernel = 2 if stage else patch
        if stage:
            x = g.transpose(x, 0, 2, 3, 1)
            x = g.transpose(g.layer_norm(x, f"features.{2 * stage}.0", inputs, 1e-6), 0, 3, 1, 2)
        x = g.conv(x, f"features.{2 * stage}.1", inputs, width, kernel, stride=kernel, pad=0)
        inputs, height = width, height // kernel
        for block in range(depth):
            name = f"features.{2 * stage + 1}.{block}"
            y = g.conv(x, f"{name}.0", width, width, 7, groups=width)
            y = g.layer_norm(g.transpose(y, 0, 2, 3, 1), f"{name}.2", width, 1e-6)
            y = g.op("Gelu", g.linear(y, f"{name}.3", width, 4 * width, rank=4))
            y = g.transpose(g.linear(y, f"{name}.5", 4 * width, width, rank=4), 0, 3, 1, 2)
            x = g.add(x, g.mul(g.near(f"{name}.layer_scale", 0.5, width, 1, 1), y))
    classify(g, x, inputs, classes, batch)


def densenet(g, batch=4, size=16, first=8, growth=4, layers=(2, 2), classes=10):
    act = relu(g)
    x = conv_norm(g, g.input("x", batch, 3, size, size), "features.0", 3, first, 3, act, stride=2)
    width = first
    for block, depth in enumerate(layers):
        for layer in range(depth):
            name = f"features.denseblock{block}.{layer}"
            y = act(g.batch_norm(x, f"{name}.norm1", width))
            y = g.conv(y, f"{name}.conv1", width, 4 * growth, 1, bias=False)
            y = act(g.batch_norm(y, f"{name}.norm2", 4 * growth))
            y = g.conv(y, f"{name}.conv2", 4 * growth, growth, 3, bias=False)
            x, width = g.op("Concat", x, y, axis=1), width + growth
        if block + 1 < len(layers):
            name = f"features.transition{block}"
            x = g.conv(act(g.batch_norm(x, f"{name}.norm", width)), f"{name}.conv", width, width // 2, 1, bias=False)
            x, width = pool(g, "AveragePool", x, 2, 2), width // 2
    classify(g, act(g.batch_norm(x, "features.norm", width)), width, classes, batch)


def inception(g, batch=2, size=12, width=4, blocks=2, classes=10):
    """Branches of several windows, side by side."""
    act = relu(g)
    x, inputs = g.input("x", batch, 3, size, size), 3
    for i in range(blocks):
        name = f"mixed{i}"
        pooled = pool(g, "MaxPool", x, 3, 1, 1)
        branches = [conv_norm(g, x, f"{name}.one", inputs, width, 1, act)]
        for kernel in (3, 5):
            y = conv_norm(g, x, f"{name}.{kernel}.0", inputs, width, 1, act)
            branches.append(conv_norm(g, y, f"{name}.{kernel}.1", width, width, kernel, act))
        branches.append(conv_norm(g, pooled, f"{name}.pool", inputs, width, 1, act))
        x, inputs = g.op("Concat", *branches, axis=1), 4 * width
    classify(g, x, inputs, classes, batch)


def shufflenet(g, batch=4, size=8, width=8, blocks=2, classes=10):
    """Half of the channels pass, the other half is grouped; then both are shuffled."""
    act, half = relu(g), width // 2
    x = conv_norm(g, g.input("x", batch, 3, size, size), "conv1", 3, width, 3, act)
    for i in range(blocks):
        left, right = g.split(x, 1, half, half)
        y = conv_norm(g, right, f"stage.{i}.0", half, half, 1, act)
        y = conv_norm(g, y, f"stage.{i}.1", half, half, 3, groups=2)
        y = g.op("Concat", left, conv_norm(g, y, f"stage.{i}.2", half, half, 1, act), axis=1)
        y = g.transpose(g.reshape(y, batch, 2, half, size, size), 0, 2, 1, 3, 4)
        x = g.reshape(y, batch, width, size, size)
    classify(g, x, width, classes, batch, "fc")


def unet(g, batch=2, size=16, width=4, depth=2, classes=3):
    """Down by pooling, up by transposed convolutions; a class of each pixel."""
    def double(x, name, inputs, outputs):
        x = conv_norm(g, x, f"{name}.a", inputs, outputs, 3, relu(g))
        return conv_norm(g, x, f"{name}.b", outputs, outputs, 3, relu(g))

    x = double(g.input("x", batch, 1, size, size), "down0", 1, width)
    skips = []
    for i in range(1, depth + 1):
        skips.append(x)
        x = double(pool(g, "MaxPool", x, 2, 2), f"down{i}", width << (i - 1), width << i)
    for i in reversed(range(depth)):
        x = g.conv_transpose(x, f"up{i}.conv", width << (i + 1), width << i, 2, 2)
        x = double(g.op("Concat", skips.pop(), x, axis=1), f"up{i}", width << (i + 1), width << i)
    g.output(g.conv(x, "head", width, classes, 1), batch, classes, size, size)


def timestep(g, width, batch):
    """Sines and cosines of the step, by frequencies that fall."""
    frequencies = g.constant(np.exp(-np.log(1e4) * np.arange(width // 2) / (width // 2))[None])
    angles = g.mul(g.op("Unsqueeze", g.input("t", batch), g.ints(1)), frequencies)
    return g.op("Concat", g.op("Cos", angles), g.op("Sin", angles), axis=-1)


def diffusion_unet(g, batch=2, size=8, width=8, levels=2, blocks=1, groups=4):
    """Predicts noise: normalized groups, the step added to each block, attention at the lowest level."""
    t = g.silu(g.linear(timestep(g, width, batch), "time.0", width, 4 * width))
    t = g.silu(g.linear(t, "time.2", 4 * width, 4 * width))

    def block(x, name, inputs, outputs, height):
        y = g.silu(g.group_norm(x, f"{name}.norm1", inputs, groups, height))
        y = g.conv(y, f"{name}.conv1", inputs, outputs, 3)
        shift = g.linear(t, f"{name}.time", 4 * width, outputs)
        y = g.add(y, g.op("Unsqueeze", g.op("Unsqueeze", shift, g.ints(2)), g.ints(3)))
        y = g.dropout(g.silu(g.group_norm(y, f"{name}.norm2", outputs, groups, height)), 0.1)
        y = g.conv(y, f"{name}.conv2", outputs, outputs, 3)
        return g.add(x if inputs == outputs else g.conv(x, f"{name}.skip", inputs, outputs, 1), y)

    def attention(x, name, channels, height):
        y = g.reshape(g.group_norm(x, f"{name}.norm", channels, groups, height), batch, channels, height * height)
        y = g.self_attention(g.transpose(y, 0, 2, 1), name, batch, height * height, channels, 2)
        return g.add(x, g.reshape(g.transpose(y, 0, 2, 1), batch, channels, height, height))

    x, height, skips = g.conv(g.input("x", batch, 3, size, size), "conv_in", 3, width, 3), size, []
    inputs = width
    for level in range(levels):
        for i in range(blocks):
            x, inputs = block(x, f"down{level}.{i}", inputs, width << level, height), width << level
            if level + 1 == levels:
                x = attention(x, f"down{level}.attention{i}", inputs, height)
            skips.append((x, inputs))
        if level + 1 < levels:
            x, height = g.conv(x, f"down{level}.sample", inputs, inputs, 3, stride=2), height // 2
    x = block(x, "mid", inputs, inputs, height)
    for level in reversed(range(levels)):
        for i in range(blocks):
            skip, more = skips.pop()
            x = g.op("Concat", x, skip, axis=1)
            x, inputs = block(x, f"up{level}.{i}", inputs + more, width << level, height), width << level
        if level:
            sizes = g.constant([1, 1, 2, 2])
            x = g.op(
                "Resize", x, "", sizes, mode="nearest", nearest_mode="floor",
                coordinate_transformation_mode="asymmetric",
            )  # fmt: skip
            x, height = g.conv(x, f"up{level}.sample", inputs, inputs, 3), height * 2
    x = g.silu(g.group_norm(x, "norm_out", inputs, groups, height))
    g.output(g.conv(x, "conv_out", inputs, 3, 3), batch, 3, size, size, name="noise")


def deeplab(g, batch=2, size=12, width=6, classes=3):
    """Dilated convolutions side by side, resized to the image by bilinear interpolation."""
    act, half = relu(g), size // 2
    x = conv_norm(g, g.input("x", batch, 3, size, size), "backbone", 3, width, 3, act, stride=2)
    branches = [conv_norm(g, x, "aspp.0", width, width, 1, act)]
    for rate in (2, 4):
        branches.append(conv_norm(g, x, f"aspp.{rate}", width, width, 3, act, dilation=rate, pad=rate))
    mean = act(g.conv(g.mean(x, -1, -2, keepdims=1), "aspp.pool", width, width, 1))
    branches.append(g.op("Expand", mean, g.ints(batch, width, half, half)))
    x = conv_norm(g, g.op("Concat", *branches, axis=1), "project", 4 * width, width, 1, act)
    x = g.conv(x, "classifier", width, classes, 1)
    sizes = g.ints(batch, classes, size, size)
    x = g.op("Resize", x, "", "", sizes, mode="linear", coordinate_transformation_mode="pytorch_half_pixel")
    g.output(x, batch, classes, size, size)


def autoencoder(g, batch=4, size=8, width=4, latent=6):
    """Strided convolutions down to a few numbers and transposed ones back; its target is an image."""
    flat, act = 2 * width * (size // 4) ** 2, lambda x: g.op("LeakyRelu", x, alpha=0.1)
    x = act(g.conv(g.input("x", batch, 1, size, size), "encoder.0", 1, width, 3, stride=2))
    x = act(g.conv(x, "encoder.2", width, 2 * width, 3, stride=2))
    x = g.linear(g.reshape(x, batch, flat), "encoder.5", flat, latent)
    x = g.op("Elu", g.linear(x, "decoder.0", latent, flat), alpha=1.0)
    x = g.reshape(x, batch, 2 * width, size // 4, size // 4)
    x = act(g.conv_transpose(x, "decoder.3", 2 * width, width, 4, 2, pad=1))
    x = g.op("Sigmoid", g.conv_transpose(x, "decoder.5", width, 1, 4, 2, pad=1))
    g.output(x, batch, 1, size, size, name="image")


def video(g, batch=2, size=8, frames=4, width=4, classes=5):
    """Convolutions of three axes."""
    x = g.input("x", batch, 2, frames, size, size)
    for i, (inputs, outputs) in enumerate(((2, width), (width, 2 * width))):
        x = g.conv(x, f"conv{i}", inputs, outputs, 3, stride=1 + i, axes=3)
        x = g.op("PRelu", x, g.parameter(f"act{i}.weight", np.full((outputs, 1, 1, 1), 0.25)))
    x = g.op("MaxPool", x, kernel_shape=[1, 2, 2], strides=[1, 2, 2], pads=[0] * 6)
    x = g.mean(x, 2, 3, 4)
    g.output(g.linear(x, "fc", 2 * width, classes), batch, classes)


def spatial_transformer(g, batch=2, size=8, classes=5):
    """Samples the image along a grid that is computed from it."""
    x = g.input("x", batch, 1, size, size)
    y = pool(g, "MaxPool", g.op("Relu", g.conv(x, "loc.0", 1, 4, 3)), 2, 2)
    flat = 4 * (size // 2) ** 2
    theta = g.op("Tanh", g.linear(g.reshape(y, batch, flat), "loc.fc", flat, 6))
    identity = g.constant(np.array([1, 0, 0, 0, 1, 0]))
    theta = g.reshape(g.add(g.scale(theta, 0.2), identity), batch, 2, 3)
    grid = g.op("AffineGrid", theta, g.ints(batch, 1, size, size), align_corners=0)
    x = g.op("GridSample", x, grid, mode="linear", padding_mode="zeros", align_corners=0)
    x = g.op("Relu", g.conv(x, "conv", 1, 4, 3, stride=2))
    classify(g, x, 4, classes, batch, "fc")
