# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single ops of common models at sizes that those have: a call of PyTorch, and what it is called with.

Both sides run the same call: PyTorch as it is, ours as `torch.export` has it.
"""
import dataclasses
import pathlib

import numpy as np

from .cases import size_of

try:
    import torch
    from torch.nn import functional as F
except ImportError:  # Names can be listed without.
    torch = F = None

# Sizes of a test are no larger.
SMALL = 32


@dataclasses.dataclass
class Whole:
    """An input of integers below a limit."""

    limit: int
    shape: tuple


@dataclasses.dataclass
class Truth:
    """An input of truth values, of which a share is true."""

    share: float
    shape: tuple


@dataclasses.dataclass
class Op:
    """An op. An input that is a plain shape is of floats, of which there is a gradient."""

    name: str
    call: object
    inputs: tuple
    is_free: bool = False  # Where elements are equal, each side may take another of them.
    kind: str = "op"  # Or a search, whose result has no gradient.


def op(name, call, *inputs, **more):
    return Op(name, call, inputs, **more)


HIDDEN = (8, 128, 3072)
TOKENS = (2048, 768)
IMAGES = (16, 64, 56, 56)
SCORES = (8, 12, 128, 128)


def activations():
    return [
        op("relu", lambda x: F.relu(x), HIDDEN),
        op("gelu", lambda x: F.gelu(x), HIDDEN),
        op("gelu tanh", lambda x: F.gelu(x, approximate="tanh"), HIDDEN),
        op("silu", lambda x: F.silu(x), HIDDEN),
        op("sigmoid", lambda x: torch.sigmoid(x), HIDDEN),
        op("tanh", lambda x: torch.tanh(x), HIDDEN),
        op("leaky_relu", lambda x: F.leaky_relu(x, 0.1), HIDDEN),
        op("elu", lambda x: F.elu(x), HIDDEN),
        op("softplus", lambda x: F.softplus(x), HIDDEN),
        op("hardswish", lambda x: F.hardswish(x), HIDDEN),
        op("mish", lambda x: F.mish(x), HIDDEN),
        op("prelu", lambda x, w: F.prelu(x, w), IMAGES, (64,)),
        op("glu", lambda x: F.glu(x), HIDDEN),
        op("add bias", lambda x, b: x + b, HIDDEN, (3072,)),
        op("mul of a column", lambda x, c: x * c, TOKENS, (2048, 1)),
        op("where", lambda c, x, y: torch.where(c, x, y), Truth(0.5, HIDDEN), HIDDEN, HIDDEN),
        op("masked_fill", lambda x, m: x.masked_fill(m, -1e4), SCORES, Truth(0.5, (8, 1, 1, 128))),
    ]


def normalizations():
    return [
        op("softmax", lambda x: torch.softmax(x, -1), SCORES),
        op("softmax of a vocabulary", lambda x: torch.softmax(x, -1), (128, 32000)),
        op("softmax of channels", lambda x: torch.softmax(x, 1), (8, 21, 128, 128)),
        op("log_softmax", lambda x: torch.log_softmax(x, -1), (1024, 1000)),
        op("layer_norm", lambda x, w, b: F.layer_norm(x, w.shape, w, b), TOKENS, (768,), (768,)),
        op("rms_norm", lambda x, w: F.rms_norm(x, w.shape, w), TOKENS, (768,)),
        op("group_norm", lambda x, w, b: F.group_norm(x, 8, w, b), IMAGES, (64,), (64,)),
        op("instance_norm", lambda x: F.instance_norm(x), IMAGES),
        op("batch_norm", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), IMAGES, (64,), (64,)),
        op("normalize", lambda x: F.normalize(x, dim=-1), TOKENS),
    ]


def reductions():
    return [
        op("sum of rows", lambda x: x.sum(-1), TOKENS),
        op("sum of columns", lambda x: x.sum(0), TOKENS),
        op("mean of the middle", lambda x: x.mean(1), (32, 196, 768)),
        op("amax", lambda x: x.amax(-1), TOKENS),
        op("max of columns", lambda x: x.amax(0), TOKENS),
        op("argmax", lambda x: x.argmax(-1), (128, 32000), kind="search"),
        op("argmax of channels", lambda x: x.argmax(1), (8, 21, 128, 128), kind="search"),
        op("var", lambda x: x.var(-1), TOKENS),
        op("logsumexp", lambda x: torch.logsumexp(x, -1), (128, 32000)),
        op("norm", lambda x: torch.linalg.vector_norm(x, dim=-1), TOKENS),
        op("cumsum", lambda x: x.cumsum(-1), (64, 16384)),
        op("cumsum of columns", lambda x: x.cumsum(0), TOKENS),
        op("cumprod", lambda x: (1 + 0.01 * x).cumprod(-1), (256, 512)),
        op("sort", lambda x: x.sort(-1)[0], (64, 4096), is_free=True),
        op("topk", lambda x: x.topk(20)[0], (32, 32000)),
        op("topk of experts", lambda x: x.topk(2)[0], (4096, 64)),
    ]


def indexing():
    return [
        op("embedding", lambda w, i: F.embedding(i, w), (8192, 512), Whole(8192, (8, 256))),
        op("index_select", lambda x, i: x.index_select(0, i), (4096, 768), Whole(4096, (2048,))),
        op("gather", lambda x, i: x.gather(-1, i), (1024, 1000), Whole(1000, (1024, 64))),
        op("gather of rows", lambda x, i: x.gather(1, i), (32, 196, 768), Whole(196, (32, 49, 768))),
        op("scatter_add", lambda x, i: torch.zeros_like(x).scatter_add(0, i, x), (2048, 256), Whole(2048, (2048, 256))),
        op("index_add", lambda x, i, y: x.index_add(0, i, y), (4096, 256), Whole(4096, (8192,)), (8192, 256)),
        op("one_hot", lambda i: F.one_hot(i, 1000), Whole(1000, (1024,)), kind="search"),
        op("tril", lambda x: x.tril(), SCORES),
    ]


def pools():
    return [
        op("max_pool1d", lambda x: F.max_pool1d(x, 2), (32, 128, 1024)),
        op("max_pool2d 2x2", lambda x: F.max_pool2d(x, 2), IMAGES),
        op("max_pool2d 3x3", lambda x: F.max_pool2d(x, 3, 2, 1), (8, 64, 112, 112)),
        op("avg_pool1d", lambda x: F.avg_pool1d(x, 2), (32, 128, 1024)),
        op("avg_pool2d 2x2", lambda x: F.avg_pool2d(x, 2), IMAGES),
        op("avg_pool2d 3x3", lambda x: F.avg_pool2d(x, 3, 1, 1), IMAGES),
        op("global pool", lambda x: F.adaptive_avg_pool2d(x, 1), IMAGES),
        op("adaptive_avg_pool1d", lambda x: F.adaptive_avg_pool1d(x, 24), (32, 128, 1000)),
        op("adaptive_max_pool2d", lambda x: F.adaptive_max_pool2d(x, 7), (16, 256, 25, 25)),
        op("adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, 7), (16, 256, 25, 25)),
    ]


def images():
    half = (16, 64, 28, 28)
    return [
        op("nearest", lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), half),
        op("bilinear", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), half),
        op("bicubic", lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"), half),
        op("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), IMAGES),
        op("pad", lambda x: F.pad(x, (1, 1, 1, 1)), IMAGES),
        op("pad by reflection", lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), IMAGES),
        op("unfold", lambda x: F.unfold(x, 3, padding=1), (8, 16, 56, 56)),
        op("depthwise conv1d", lambda x, w: F.conv1d(x, w, padding=3, groups=x.shape[1]), (8, 512, 512), (512, 1, 7)),
    ]


def movement():
    return [
        op("cat", lambda x, y: torch.cat([x, y], 1), IMAGES, IMAGES),
        op("cat of columns", lambda x, y: torch.cat([x, y], -1), TOKENS, TOKENS),
        op("stack", lambda x, y: torch.stack([x, y], -1), TOKENS, TOKENS),
        op("roll", lambda x: torch.roll(x, (3, 3), (1, 2)), (8, 56, 56, 96)),
        op("flip", lambda x: x.flip(-1), IMAGES),
        op("transpose", lambda x: x.t().contiguous(), TOKENS),
        op("heads", lambda x: x.unflatten(-1, (8, -1)).transpose(1, 2).contiguous(), (8, 256, 512)),
        op("channels last", lambda x: x.permute(0, 2, 3, 1).contiguous(), IMAGES),
        op("repeat", lambda x: x.repeat(1, 2), TOKENS),
        op("repeat_interleave", lambda x: x.repeat_interleave(2, 1), (8, 4, 256, 128)),
    ]


def losses():
    return [
        op("cross_entropy", lambda x, t: F.cross_entropy(x, t), (256, 32000), Whole(32000, (256,))),
        op("cross_entropy of pixels", lambda x, t: F.cross_entropy(x, t), (8, 21, 128, 128), Whole(21, (8, 128, 128))),
        op("mse_loss", lambda x, y: F.mse_loss(x, y), TOKENS, TOKENS),
        op("l1_loss", lambda x, y: F.l1_loss(x, y), TOKENS, TOKENS),
        op("huber_loss", lambda x, y: F.huber_loss(x, y), TOKENS, TOKENS),
        op("bce_with_logits", lambda x, y: F.binary_cross_entropy_with_logits(x, y), TOKENS, TOKENS),
        op("kl_div", lambda x, y: F.kl_div(x, y, log_target=True, reduction="batchmean"), TOKENS, TOKENS),
        op("cosine_similarity", lambda x, y: F.cosine_similarity(x, y), TOKENS, TOKENS),
    ]


def products():
    return [
        op("einsum", lambda q, k: torch.einsum("bihd,bjhd->bhij", q, k), (8, 128, 12, 64), (8, 128, 12, 64)),
        op("bilinear layer", lambda x, y, w: torch.einsum("bi,oij,bj->bo", x, w, y), (256, 64), (256, 64), (32, 64, 64)),
        op("bilinear form", lambda x, y, w, b: F.bilinear(x, y, w, b), (256, 64), (256, 64), (32, 64, 64), (32,)),
        op("rotary", lambda x, c, s: x * c + torch.cat([-x.chunk(2, -1)[1], x.chunk(2, -1)[0]], -1) * s, (8, 12, 128, 128),
           (128, 128), (128, 128)),
        op("swiglu", lambda x, y: F.silu(x) * y, HIDDEN, HIDDEN),
    ]


OPS = {one.name: one for family in (activations, normalizations, reductions, indexing, pools, images, movement, losses,
                                    products) for one in family()}

PRECISIONS = ("fp32", "bf16")
KINDS = {"op": ("forward", "both"), "search": ("forward",)}
MODES = {side: {kind: [f"{what} {precision}" for what in whats for precision in PRECISIONS] for kind, whats in KINDS.items()}
         for side in ("ours", "torch")}


def all_cases(small=False):
    return [{"name": name, "kind": one.kind, "small": small, "flops": 0} for name, one in OPS.items()]


# --- As PyTorch has them --------------------------------------------------------------------------


def limited(shape, most):
    return tuple(min(size, most) for size in shape)


def made(one, dtype, most, generator):
    """An input's tensor, none of whose sizes is above `most`."""
    if isinstance(one, Whole):
        return torch.randint(min(one.limit, most), limited(one.shape, most), generator=generator)
    if isinstance(one, Truth):
        return torch.rand(limited(one.shape, most), generator=generator) < one.share
    return torch.randn(limited(one, most), generator=generator).to(dtype)


class Called:
    """An op of a case with its inputs, its results and their cotangents, the same wherever it is made."""

    def __init__(self, case, precision):
        self.op = OPS[case["name"]]
        self.dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
        generator = torch.Generator().manual_seed(7)
        most = SMALL if case["small"] else 2**31
        self.inputs = [made(one, self.dtype, most, generator) for one in self.op.inputs]
        with torch.no_grad():
            self.result = self.op.call(*self.inputs)
        self.seed = torch.randn(self.result.shape, generator=generator).to(self.dtype)

    def wanted(self):
        """The numbers of the inputs that have a gradient."""
        return [i for i, one in enumerate(self.inputs) if one.is_floating_point()]


class Module(torch.nn.Module if torch else object):
    """The op as a module, which is what torch.export takes."""

    def __init__(self, called):
        super().__init__()
        self.call = called.op.call

    def forward(self, *inputs):
        return self.call(*inputs)


def export(called, path):
    program = torch.export.export(Module(called), tuple(called.inputs), strict=False)
    torch.export.save(program.run_decompositions({}), path)


# --- What a side has computed ---------------------------------------------------------------------


def keep(folder, mode, arrays):
    """A file of what was computed, in f32."""
    path = pathlib.Path(folder) / f"{mode.replace(' ', '-')}.npz"
    np.savez(path, *(np.asarray(array, np.float32) for array in arrays))
    return str(path)


# The share of elements that may differ: where 16 bits have made elements equal, sides may take another of them.
DIFFERENT = 1e-3
# PyTorch rounds sums of bf16 more than once.
TOLERANCE = {"fp32": 1e-3, "bf16": 0.1}


def are_same(case, mode, paths):
    """Whether two files hold the same up to rounding; of an op that is free, the same mean magnitude."""
    with np.load(paths[0]) as first, np.load(paths[1]) as second:
        pairs = [(first[name], second[name]) for name in first.files]
    tolerance = TOLERANCE[mode.split()[1]]
    if OPS[case["name"]].is_free:
        return all(abs(size_of(a) / size_of(b) - 1) < 0.05 for a, b in pairs)
    return all(differing(a, b, tolerance) <= DIFFERENT for a, b in pairs)


def differing(a, b, tolerance):
    """The share of elements that are not close to each other."""
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= tolerance * (np.abs(b) + np.sqrt(np.mean(np.square(b))))
    return 1 - np.mean((close & np.isfinite(b)) | (a == b))
