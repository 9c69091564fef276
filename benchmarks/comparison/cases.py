# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compared: the cases, their sizes, and the numbers that every side begins with.

A case is a dict of JSON: `name`, `kind` and the sizes of that kind. Its `flops` are those of its products, 0 where that is
not the point.
"""
import pathlib

import numpy as np

from . import convolutions

PRECISIONS = ("fp32", "bf16", "fp16")
# The modes of each side, by kind.
PRODUCTS = [f"{product} {precision}" for precision in ("fp32", "bf16") for product in convolutions.PRODUCTS]
CONVOLUTIONS = {"convolution": PRODUCTS, "depthwise": PRODUCTS}
SINGLE = ("contraction", "attention")
MODES = {
    "ours": {kind: list(PRECISIONS) for kind in ("step", *SINGLE)}
    | {"model": ["fp32", "bf16"], "optimizer": ["fp16"], **CONVOLUTIONS},
    "torch": {
        "step": [f"{engine} {precision}" for engine in ("eager", "compile") for precision in PRECISIONS],
        "model": [f"{engine} {precision}" for engine in ("eager", "compile") for precision in ("fp32", "bf16")],
        **{kind: [f"eager {precision}" for precision in PRECISIONS] for kind in SINGLE},
        "optimizer": ["fused fp16", "foreach fp16"],
        **CONVOLUTIONS,
    },
    "jax": {kind: list(PRECISIONS) for kind in ("step", *SINGLE)} | {"optimizer": ["fp16"]},
}

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "test/Inputs"

# DeepBench's training set as op(A)[m,k] x op(B)[k,n], row-major; t: an operand is stored transposed.
DEEPBENCH = [
    (1760, 16, 1760, "nn"), (1760, 128, 1760, "nn"), (1760, 7000, 1760, "nn"), (2048, 64, 2048, "tn"),
    (2560, 128, 2560, "nn"), (4096, 16, 4096, "nn"), (4096, 128, 4096, "tn"), (2048, 7133, 2048, "nt"),
    (35, 8457, 1760, "nn"), (3072, 128, 1024, "tn"), (1024, 700, 512, "nn"), (512, 24000, 1536, "nn"),
    (512, 8, 500000, "nn"),
]
# The linear layers of a block: rows of a batch, and (outputs, inputs) of each.
LAYERS = {
    "gpt2": (4 * 512, [(2304, 768), (768, 768), (3072, 768), (768, 3072)]),
    "bert": (8 * 128, [(768, 768), (3072, 768), (768, 3072)]),
    "chargpt": (12 * 64, [(384, 128), (128, 128), (512, 128), (128, 512)]),
}
# Batch, heads, length, size of a head; whether a position sees only those before it.
ATTENTION = [
    (8, 12, 128, 64, False), (4, 12, 512, 64, True), (4, 12, 512, 64, False), (2, 16, 1024, 32, True),
    (2, 12, 1024, 64, True), (2, 8, 1024, 128, True), (1, 8, 2048, 64, True), (1, 4, 4096, 64, True),
]
# Whole steps. `model` is what is built, `batch` and the rest its sizes; `optimizer` the rule with PyTorch's names.
SGD = {"kind": "sgd", "lr": 0.05, "momentum": 0.9}
ADAM = {"kind": "adam", "lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8}
ADAMW = {"kind": "adamw", "lr": 1e-3, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1, "no_decay": "ln|bias",
         "clip": 1.0}
STEPS = {
    "digits-mlp": {"model": "mlp", "batch": 256, "optimizer": SGD},
    "chargpt": {"model": "gpt", "batch": 12, "length": 64, "layers": 4, "heads": 4, "width": 128, "optimizer": ADAMW},
    "chargpt-m": {"model": "gpt", "batch": 4, "length": 256, "layers": 6, "heads": 6, "width": 384, "optimizer": ADAMW},
    "digits-cnn": {"model": "cnn", "batch": 128, "optimizer": ADAM},
    "resnet18-cifar": {"model": "resnet", "batch": 32, "channels": 64, "optimizer": SGD},
}
SMALL_STEPS = {
    "digits-mlp": {},
    "chargpt": {},
    "chargpt-m": {"batch": 1, "length": 16, "layers": 1, "heads": 2, "width": 32},
    "digits-cnn": {},
    "resnet18-cifar": {"batch": 1, "channels": 8},
}
# Published models in training form. `layout` is that of images in PyTorch, as its pages recommend it for a CPU.
FINE = {"kind": "adamw", "lr": 1e-4, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}
SGD_OF_PHOTOS = {"kind": "sgd", "lr": 0.01, "momentum": 0.9}
PHOTOS = {"batch": 8, "resolution": 224, "classes": 1000, "layout": "channels last", "optimizer": SGD_OF_PHOTOS}
MODELS = {
    "resnet50": {"model": "resnet50", **PHOTOS, "layers": [3, 4, 6, 3], "width": 64},
    "mobilenet-v3-large": {"model": "mobilenet", **PHOTOS, "width": 1.0, "dropout": 0.2},
    "efficientnet-b0": {"model": "efficientnet", **PHOTOS, "width": 1.0, "dropout": 0.2},
    "vit-b16": {"model": "vit", "batch": 8, "resolution": 224, "classes": 1000, "layers": 12, "heads": 12, "width": 768,
                "optimizer": FINE},
    "bert-base": {"model": "bert", "batch": 8, "length": 128, "layers": 12, "heads": 12, "width": 768, "vocabulary": 30522,
                  "dropout": 0.1, "optimizer": FINE},
    "gpt2-124m": {"model": "gpt2", "batch": 4, "length": 512, "layers": 12, "heads": 12, "width": 768, "vocabulary": 50257,
                  "dropout": 0.1, "optimizer": FINE},
    "t5-small": {"model": "t5", "batch": 8, "length": 512, "target": 128, "layers": 6, "heads": 8, "width": 512,
                 "vocabulary": 32128, "dropout": 0.1, "optimizer": FINE},
    "whisper-tiny": {"model": "whisper", "batch": 4, "length": 3000, "target": 128, "layers": 4, "heads": 6, "width": 384,
                     "vocabulary": 51865, "optimizer": FINE},
    "ddpm-unet": {"model": "diffusion", "batch": 8, "resolution": 32, "width": 128, "dropout": 0.1, "layout": "channels last",
                  "optimizer": FINE},
    "lstm": {"model": "lstm", "batch": 20, "length": 35, "layers": 2, "width": 650, "vocabulary": 10000, "dropout": 0.5,
             "optimizer": FINE},
}
SMALL_PHOTOS = {"batch": 4, "resolution": 64, "classes": 10}
SMALL_TEXT = {"batch": 2, "length": 16, "layers": 1, "heads": 2, "width": 32, "vocabulary": 100, "dropout": 0.0}
SMALL_MODELS = {
    "resnet50": {**SMALL_PHOTOS, "layers": [1, 1, 1, 1], "width": 4},
    "mobilenet-v3-large": {**SMALL_PHOTOS, "width": 0.25, "dropout": 0.0},
    "efficientnet-b0": {**SMALL_PHOTOS, "width": 0.25, "dropout": 0.0},
    "vit-b16": {**SMALL_PHOTOS, "layers": 1, "heads": 2, "width": 32},
    "bert-base": SMALL_TEXT,
    "gpt2-124m": SMALL_TEXT,
    "t5-small": {**SMALL_TEXT, "target": 8},
    "whisper-tiny": {**SMALL_TEXT, "length": 64, "target": 8},
    "ddpm-unet": {"batch": 2, "resolution": 16, "width": 16, "dropout": 0.0},
    "lstm": {**SMALL_TEXT, "layers": 2},
}
GPT2_SIZES = {"layers": 12, "width": 768, "vocabulary": 50257, "length": 1024}
SMALL_GPT2_SIZES = {"layers": 1, "width": 16, "vocabulary": 40, "length": 8}


def products(rows, outputs, inputs):
    """The three of a linear layer: forward, the gradient of its input, that of its weight."""
    return [(rows, outputs, inputs, "nt"), (rows, inputs, outputs, "nn"), (outputs, inputs, rows, "tn")]


def contraction(group, m, n, k, layout, small):
    name = f"contraction {group} {m}x{n}x{k} {layout}"
    if small:
        m, n, k = (min(size, limit) for size, limit in ((m, 16), (n, 24), (k, 32)))
    return {"name": name, "kind": "contraction", "m": m, "n": n, "k": k, "layout": layout, "flops": 2 * m * n * k}


def attention(batch, heads, length, size, causal, small):
    name = f"attention {batch}x{heads}x{length}x{size}" + (" causal" if causal else "")
    if small:
        batch, heads, length = 1, 2, 16
    # Two products forward and five backward, as if nothing were computed twice; half of each where it is causal.
    flops = 7 * 2 * batch * heads * length * length * size // (2 if causal else 1)
    return {"name": name, "kind": "attention", "shape": [batch, heads, length, size], "causal": causal, "flops": flops}


def step(name, small):
    sizes = {**STEPS[name], **(SMALL_STEPS[name] if small else {})}
    return {"name": f"step {name}", "kind": "step", "flops": 0, **sizes}


def model(name, small):
    sizes = {**MODELS[name], **(SMALL_MODELS[name] if small else {})}
    return {"name": f"model {name}", "kind": "model", "flops": 0, **sizes}


def all_cases(small=False):
    cases = [step(name, small) for name in STEPS] + [model(name, small) for name in MODELS]
    cases += [contraction("deepbench", *shape, small) for shape in DEEPBENCH]
    for group, (rows, layers) in LAYERS.items():
        cases += [contraction(group, *shape, small) for layer in layers for shape in products(rows, *layer)]
    cases += convolutions.cases(small)
    cases += [attention(*shape, small) for shape in ATTENTION]
    sizes = SMALL_GPT2_SIZES if small else GPT2_SIZES
    return [*cases, {"name": "optimizer gpt2-124M", "kind": "optimizer", "flops": 0, **sizes}]


# --- numbers --------------------------------------------------------------------------------------


def operands(case):
    """A and B of a contraction as they lie in memory, float32."""
    draw = np.random.default_rng(1)
    m, n, k, layout = (case[key] for key in ("m", "n", "k", "layout"))
    shapes = (k, m) if layout[0] == "t" else (m, k), (n, k) if layout[1] == "t" else (k, n)
    return [draw.standard_normal(shape, np.float32) * np.float32(0.1) for shape in shapes]


def attention_inputs(case):
    """q, k, v and the gradient of the result, float32."""
    draw = np.random.default_rng(2)
    return [draw.standard_normal(case["shape"], np.float32) for _ in range(4)]


def gpt2_shapes(case):
    """The parameters of GPT-2, whose head is its embedding: 124,439,808 elements at its real size."""
    width = case["width"]
    shapes = [(case["vocabulary"], width), (case["length"], width)]
    for _ in range(case["layers"]):
        shapes += [(width,), (width,), (3 * width, width), (3 * width,), (width, width), (width,), (width,), (width,)]
        shapes += [(4 * width, width), (4 * width,), (width, 4 * width), (width,)]
    return [*shapes, (width,), (width,)]


# Of gradients that a loss scale of 2^16 has made large, and of weights.
LOSS_SCALE = 65536.0
GRADIENT, WEIGHT = 1e-5 * LOSS_SCALE, 0.02


def gpt2_numbers(case, deviation, seed):
    """Numbers for each parameter, float32."""
    draw = np.random.default_rng(seed)
    return [draw.standard_normal(shape, np.float32) * np.float32(deviation) for shape in gpt2_shapes(case)]


VOCABULARY = 63
BATCHES = 4


def batches(case):
    """Some batches (inputs, labels) that are used in turn."""
    draw = np.random.default_rng(3)
    if case["model"] == "gpt":
        with np.load(INPUTS / "kjv.npz") as file:
            text = file["ids"]
        length = case["length"]
        starts = draw.integers(0, len(text) - length - 1, (BATCHES, case["batch"], 1))
        windows = text[starts + np.arange(length + 1)].astype(np.int64)
        return [(window[:, :-1].copy(), window[:, 1:].copy()) for window in windows]
    if case["model"] == "resnet":
        images = draw.standard_normal((BATCHES, case["batch"], 3, 32, 32), np.float32)
        return list(zip(images, draw.integers(0, 10, (BATCHES, case["batch"]))))
    with np.load(INPUTS / "digits.npz") as file:
        rows = draw.integers(0, len(file["y"]), (BATCHES, case["batch"]))
        images, labels = file["x"][rows].astype(np.float32) / 16, file["y"][rows].astype(np.int64)
    shape = (case["batch"], 64) if case["model"] == "mlp" else (case["batch"], 1, 8, 8)
    return [(image.reshape(shape), label) for image, label in zip(images, labels)]


def size_of(array):
    """A number that tells whether two sides have computed the same: the mean magnitude."""
    return float(np.abs(np.asarray(array, np.float64)).mean())


class FirstLosses:
    """A training's step, and the mean of its first losses: the first run makes several steps."""

    COUNT = 3

    def __init__(self, step):
        self.step, self.losses = step, []

    def run(self):
        for _ in range(1 if self.losses else self.COUNT):
            loss = self.step()
            if len(self.losses) < self.COUNT:
                self.losses.append(loss)

    def check(self):
        return sum(self.losses) / len(self.losses)
