# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The convolutions of some models, each size once: forward, the gradient of the input, and that of the weight."""
import numpy as np

# Batch of each model; and of its layers: inputs, outputs, pixels along an axis of the input, taps, stride.
MODELS = {
    "resnet18-cifar": (32, [
        (3, 64, 32, 3, 1), (64, 64, 32, 3, 1),
        (64, 128, 32, 3, 2), (64, 128, 32, 1, 2), (128, 128, 16, 3, 1),
        (128, 256, 16, 3, 2), (128, 256, 16, 1, 2), (256, 256, 8, 3, 1),
        (256, 512, 8, 3, 2), (256, 512, 8, 1, 2), (512, 512, 4, 3, 1),
    ]),
    "resnet50": (8, [
        (3, 64, 224, 7, 2),
        (64, 64, 56, 1, 1), (64, 64, 56, 3, 1), (64, 256, 56, 1, 1), (256, 64, 56, 1, 1),
        (256, 128, 56, 1, 1), (128, 128, 56, 3, 2), (256, 512, 56, 1, 2), (128, 512, 28, 1, 1), (512, 128, 28, 1, 1),
        (128, 128, 28, 3, 1),
        (512, 256, 28, 1, 1), (256, 256, 28, 3, 2), (512, 1024, 28, 1, 2), (256, 1024, 14, 1, 1), (1024, 256, 14, 1, 1),
        (256, 256, 14, 3, 1),
        (1024, 512, 14, 1, 1), (512, 512, 14, 3, 2), (1024, 2048, 14, 1, 2), (512, 2048, 7, 1, 1), (2048, 512, 7, 1, 1),
        (512, 512, 7, 3, 1),
    ]),
}
# Depthwise layers: channels, pixels, taps, stride.
DEPTHWISE = {
    "mobilenet-v3-large": (8, [
        (16, 112, 3, 1), (64, 112, 3, 2), (72, 56, 3, 1), (72, 56, 5, 2), (120, 28, 5, 1), (240, 28, 3, 2), (200, 14, 3, 1),
        (184, 14, 3, 1), (480, 14, 3, 1), (672, 14, 3, 1), (672, 14, 5, 2), (960, 7, 5, 1),
    ]),
    "efficientnet-b0": (8, [
        (32, 112, 3, 1), (96, 112, 3, 2), (144, 56, 3, 1), (144, 56, 5, 2), (240, 28, 5, 1), (240, 28, 3, 2),
        (480, 14, 3, 1), (480, 14, 5, 1), (672, 14, 5, 1), (672, 14, 5, 2), (1152, 7, 5, 1), (1152, 7, 3, 1),
    ]),
}
PRODUCTS = ("forward", "input", "weight")


def case(kind, model, batch, layer, groups, small):
    inputs, outputs, pixels, taps, stride = layer
    name = f"{kind} {model} {batch}x{inputs}x{pixels}x{pixels}" + (f" to {outputs}" if groups == 1 else "")
    name += f" by {taps}x{taps}" + (f" / {stride}" if stride > 1 else "")
    if small:
        batch, pixels, inputs, outputs = min(batch, 2), min(pixels, 10), min(inputs, 8), min(outputs, 8)
        groups = min(groups, inputs)
    found = {"name": name, "kind": kind, "batch": batch, "inputs": inputs, "outputs": outputs, "pixels": pixels, "taps": taps,
             "stride": stride, "padding": taps // 2, "groups": groups}
    places = outputs * batch * positions(found) ** 2
    return {**found, "flops": 2 * places * taps**2 * inputs // groups}


def cases(small):
    for model, (batch, layers) in MODELS.items():
        for layer in layers:
            yield case("convolution", model, batch, layer, 1, small)
    for model, (batch, layers) in DEPTHWISE.items():
        for channels, *layer in layers:
            yield case("depthwise", model, batch, (channels, channels, *layer), channels, small)


def positions(found):
    """Of the window along an axis."""
    return (found["pixels"] + 2 * found["padding"] - found["taps"]) // found["stride"] + 1


def shapes(found):
    """Of the input, the weight and the result."""
    pixels, taps, last = found["pixels"], found["taps"], positions(found)
    return {"x": (found["batch"], found["inputs"], pixels, pixels),
            "w": (found["outputs"], found["inputs"] // found["groups"], taps, taps),
            "y": (found["batch"], found["outputs"], last, last)}


def operands(found):
    """The input, the weight and the cotangent of the result, float32."""
    draw = np.random.default_rng(8)
    return {name: draw.standard_normal(shape, np.float32) for name, shape in shapes(found).items()}
