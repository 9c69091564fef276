# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports single functions, with PyTorch's values and gradients in float64.

    python exports.py FOLDER

writes NAME.onnx and NAME.safetensors of each set of functions, which lie in test/Inputs/exports. Needs torch,
torchvision, onnx and safetensors; by hand.
"""

import pathlib
import sys

import onnx
import torch
import torch.nn.functional as F
import torchvision
from safetensors.torch import save_file

#: Zeros, equal numbers and bounds: a row of zeros, one of ones, one that two bounds are in.
POINTS = torch.tensor([[0.0, 0, 0, 0], [1, 1, 1, 1], [-1, 0, 1, 2], [-3, 3, 0.5, 3]])
#: Of the points: which goes where, with a column twice and one never.
PLACES = torch.tensor([[0, 3, 3, 1]]).expand(4, 4)


def mean_at_places(include_self):
    return lambda x: x.scatter_reduce(1, PLACES, 1 - x * x, "mean", include_self=include_self)


#: Functions where they have no slope.
KINKS = {
    "std": lambda x: x.std(-1),
    "norm_3": lambda x: torch.linalg.vector_norm(x, 3, -1),
    "norm_1_5": lambda x: torch.linalg.vector_norm(x, 1.5, -1),
    "norm_half": lambda x: torch.linalg.vector_norm(x, 0.5, -1),
    "named_max": lambda x: x.max(-1).values,
    "named_min": lambda x: x.min(-1).values,
    "amax": lambda x: x.amax(-1),
    "clamp": lambda x: x.clamp(-1, 1),
    "clamp_min": lambda x: x.clamp(min=0),
    "maximum": lambda x: torch.maximum(x, x.flip(1)),
    "hardswish": F.hardswish,
    "constant_power": lambda x: x**0,
    "powers": lambda x: x.abs() ** x.roll(1, 1).abs(),
}
def losses_of_one_sample(x):
    """Scores (C) with a label () or probabilities (C)."""
    label, classes = PLACES[0, 1], x[0] + torch.arange(1, 5)
    plain, smoothed = F.cross_entropy(x[2], label), F.cross_entropy(x[3], label, classes.detach(), label_smoothing=0.1)
    ignored = F.cross_entropy(x[1], label, ignore_index=1, reduction="none")
    return torch.stack([plain, smoothed, ignored, F.cross_entropy(x[2], x[3].softmax(0), label_smoothing=0.2)])


#: What the nodes that are written do not say, but the record of the call.
CALLS = {
    "mean_with_data": mean_at_places(True),
    "mean_without_data": mean_at_places(False),
    "divisor": lambda x: F.avg_pool2d((x * x)[None, None], 3, 2, 1, divisor_override=5),
    "hamming": lambda x: x * x * torch.hamming_window(4),
    "shared_rows": lambda x: F.embedding(PLACES[:1], x * x, scale_grad_by_freq=True)[0],
    "shared_rows_of_bags": lambda x: F.embedding_bag(PLACES[:3], x * x, scale_grad_by_freq=True, mode="mean"),
    "squeezed": lambda x: x.squeeze(1) * x[:, :1].squeeze(-1),
    "one_sample": losses_of_one_sample,
    "divisor_alone": lambda x: F.avg_pool2d((x * x)[None, None], 2, divisor_override=3),
}


def put(x, mask, values):
    y = x * x
    y[mask] = values
    return y


#: Writes to where a mask of the data is true. Three rows have a sum above 1.
MASKS = {
    "scattered": lambda x: (x * x).masked_scatter(x > 0.4, 3 * x.flip(0)),
    "scattered_rows": lambda x: (x * x).masked_scatter((x.sum(1) > 1)[:, None], 3 * x.flip(0)),
    "scattered_expanded": lambda x: (x * x).masked_scatter((x.sum(1) > 1)[:, None].expand(4, 4), x[:3].exp()),
    "put_rows": lambda x: put(x, x.sum(1) > 1, x[:3].exp()),
    "put_rows_of_two_axes": lambda x: put(x.reshape(2, 2, 4), (x.sum(1) > 3).reshape(2, 2), x[:2].exp()),
    "put_elements": lambda x: put(x, x > 0.7, x.reshape(-1)[4:12].exp()),
    "put_one_row": lambda x: put(x, x.sum(1) > 1, x[3:].exp()),
    "put_added": lambda x: (x * x).index_put((x.sum(1) > 1,), x[:3].exp(), accumulate=True),
    "put_number": lambda x: put(x, x > 0.7, x.sum()),
}


def step_by_step(x):
    h, y = x[0], torch.zeros(4, 5, 4)
    for t in range(4):
        h = torch.tanh(h * x[t] + 1)
        y[:, t] = h
    return y.sum(0)[:4]


def into_a_box(x):
    y = x * x
    y[1:3, 2:] = x[:2, :2].exp()
    y[0] = x[1] * x[3]
    y[-1, -2] = x.sum()
    y[:, 1:2] += x[:, :1]
    return y


def to_points(x):
    return (x * x).index_put((torch.tensor([3, 1, 2]), torch.tensor([0, 2, 1])), x[0, :3].exp())


def out_of_order(x):
    return (x * x).index_put((torch.tensor([0, 2, 1, 3]),), x.exp())


#: Writes to places that are known. The last two are no boxes.
WRITES = {"steps": step_by_step, "boxes": into_a_box, "points": to_points, "rows": out_of_order}


#: Of two images: inside, over the edges, smaller than an element, and far outside.
REGIONS = torch.tensor(
    [[0, 0.3, 1, 5.2, 6.9], [1, -2, -1.5, 9.5, 3], [1, 2, 3, 2.2, 3.1], [0, -9, 1, -6, 4], [0, 5, 6, 11, 13]]
)


def regions(aligned):
    def align(x):
        images = torch.stack([x * x, x.flip(0)])[:, None]
        bins = torchvision.ops.roi_align(images, REGIONS.to(x.dtype), (3, 2), 0.5, 2, aligned)
        return torch.einsum("rcij,r->cij", bins, torch.linspace(-1, 2, len(REGIONS)).to(x.dtype))

    return align


ROIS = {"aligned": regions(True), "as_before": regions(False)}
#: Of the points: whole numbers, three of them in a row equal.
COUNTS = torch.tensor([[0, 3, 3, 1], [2, 2, 2, 0], [-1, 5, 4, 4], [1, 0, 2, -3]])


def reduced(kind, type, include_self=True):
    def reduce(x):
        to = torch.tensor([[7], [-2], [0], [3]], dtype=type).expand(4, 4)
        return x * to.scatter_reduce(1, PLACES, COUNTS.to(type), kind, include_self=include_self)

    return reduce


#: Integers that are added up and reduced at places of the data.
INTEGERS = {
    "one_hot": lambda x: x * torch.zeros(4, 4, dtype=torch.int64).scatter(1, x.abs().long(), 1),
    "index_add": lambda x: x * torch.ones(4, 4, dtype=torch.int64).index_add(0, x[3].abs().long(), COUNTS),
    "index_put": lambda x: x * torch.zeros(4, dtype=torch.int32).index_put((x[2].long(),), COUNTS[1].int(), True),
    "scatter_add": lambda x: x * torch.zeros(4, 4, dtype=torch.int64).scatter_add(1, x.abs().long(), COUNTS),
    "products": reduced("prod", torch.int64),
    "largest": reduced("amax", torch.int64),
    "smallest": reduced("amin", torch.int32, False),
    "means": reduced("mean", torch.int64),
    "means_of_updates": reduced("mean", torch.int32, False),
    "bytes": lambda x: x * reduced("sum", torch.uint8)(torch.ones_like(x)),
}


def deformed(of, offset_groups=1, groups=1, **how):
    """Of one image of 2 channels, 4 x 8 of 16 numbers; offsets are of a few elements, two of them whole numbers."""

    def deform(x):
        image = torch.stack([x.repeat(1, 2) ** 2, x.flip(0).repeat(1, 2)])[None]
        weight = torch.linspace(-1, 1, 36, dtype=x.dtype).view(3, 2, 3, 2)[: 4 - groups, : 2 // groups]
        height, width = torch.conv2d(image[:, :1], weight[:1, :1], **how).shape[2:]
        count = offset_groups * 6 * height * width
        offset = torch.arange(2 * count, dtype=x.dtype).sin() * 2 + x.mean()
        offset = torch.cat([x[0, :2], offset[2:]]).view(1, -1, height, width)
        mask = torch.arange(count, dtype=x.dtype).cos().view(1, -1, height, width) * x[1, 1] if of == "masked" else None
        bias = x[2, : len(weight)] if of == "masked" else None
        y = torchvision.ops.deform_conv2d(image, offset, weight * x[3, 3], bias, mask=mask, **how).flatten()[:16]
        return F.pad(y, (0, 16 - len(y))).view(4, 4)

    return deform


#: Convolutions whose taps the data moves: beside the image too.
DEFORMED = {
    "plain": deformed("plain"),
    "masked": deformed("masked", padding=1, stride=(1, 2)),
    "groups": deformed("masked", 2, 2, padding=(1, 2), dilation=(2, 3)),
}


def resized(**how):
    """Of an image of 4 x 4 the first 16 elements, or fewer and zeros."""

    def resize(x):
        image = x * x if how["mode"] == "linear" else (x * x)[None]
        y = F.interpolate(image[None], **how).flatten()[:16]
        return F.pad(y, (0, 16 - len(y))).view(4, 4)

    return resize


#: Scales that give no whole sizes: 1.7 x 4 = 6.8, which are 6.
RESIZES = {
    "corners": resized(scale_factor=1.7, mode="bilinear", align_corners=True),
    "corners_of_a_row": resized(scale_factor=1.7, mode="linear", align_corners=True),
    "corners_cubic": resized(scale_factor=(1.3, 0.7), mode="bicubic", align_corners=True),
    "centres": resized(scale_factor=1.7, mode="bilinear", align_corners=False),
    "centres_of_the_size": resized(scale_factor=1.7, mode="bilinear", recompute_scale_factor=True),
    "antialiased": resized(scale_factor=(0.6, 0.8), mode="bilinear", antialias=True),
    "antialiased_cubic": resized(scale_factor=(0.6, 1.7), mode="bicubic", antialias=True),
    "antialiased_size": resized(size=(3, 2), mode="bilinear", antialias=True),
    "antialiased_corners": resized(size=(3, 2), mode="bilinear", antialias=True, align_corners=True),
    "antialiased_corners_cubic": resized(size=(6, 3), mode="bicubic", antialias=True, align_corners=True),
    "antialiased_corner": resized(size=(1, 3), mode="bilinear", antialias=True, align_corners=True),
    "nearest": resized(scale_factor=(1.7, 0.6), mode="nearest"),
    "nearest_exact": resized(scale_factor=(1.7, 0.6), mode="nearest-exact"),
}


def attend(x, mask):
    heads = x[None, None]
    return F.scaled_dot_product_attention(heads, heads.roll(1, 2), heads * heads, mask)[0, 0]


def bags(x, mode):
    """Four bags of a table: in part padding, none of it, nothing else, and empty."""
    rows = torch.cat([x[0, :1].long() + 1, torch.tensor([0, 1, 3, 2, 1, 1])])
    return F.embedding_bag(rows, x * x, torch.tensor([0, 3, 5, 7]), mode=mode, padding_idx=1)


def above_zero(x):
    return torch.where(x > 0, x, -torch.inf)


#: Functions that the exporter writes as formulas of other values, gradients or sizes, where these differ.
FORMULAS = {
    "bag_sums": lambda x: bags(x, "sum"),
    "bag_means": lambda x: bags(x, "mean"),
    "bag_maxima": lambda x: bags(x, "max"),
    "counts": lambda x: x * torch.bincount(x.abs().long().flatten(), minlength=4)[:4],
    "sinc": torch.sinc,
    "special_sinc": torch.special.sinc,
    "atan2": lambda x: torch.atan2(x, x.roll(1, 1)),
    "atan2_of_zeros": lambda x: x * torch.atan2(x * 0, x.roll(2, 1) * 0).detach(),
    "attention": lambda x: attend(x, PLACES > 4 * torch.eye(4)[:1].T),
    "attention_by_data": lambda x: attend(x, x > 0.4),
    "logaddexp": lambda x: torch.logaddexp(100 * x, -60 * x.roll(1, 1)),
    "logaddexp_of_one": lambda x: torch.logaddexp(x, above_zero(x.roll(1, 1))),
    "logaddexp_of_none": lambda x: x * torch.logaddexp(above_zero(x), above_zero(x.roll(1, 1))).exp().detach(),
    "logaddexp2": lambda x: torch.logaddexp2(100 * x, -60 * x.roll(1, 1)),
    "logsigmoid": lambda x: F.logsigmoid(80 * x),
    "log1p": lambda x: 1e6 * torch.log1p(1e-6 * x) + torch.log1p(x * x),
    "expm1": lambda x: 1e6 * torch.expm1(1e-6 * x) + torch.expm1(x),
    "cross_entropy": lambda x: F.binary_cross_entropy((25 * x).sigmoid(), (x > 0).to(x.dtype), reduction="none"),
    "wrong_cross_entropy": lambda x: F.binary_cross_entropy((20 * x).sigmoid().round(), (x < 2).to(x.dtype)),
    "logsumexp_of_none": lambda x: x[:, 0] * above_zero(x).logsumexp(1).exp().detach(),
    "angle": lambda x: torch.view_as_complex(x.view(4, 2, 2)).angle(),
    "cropped_circle": lambda x: F.pad((x * x)[None], (-2, 1), mode="circular")[0],
    "scalar": lambda x: x[2, 3].sum(0) * x[3, 3].amax(-1),
    "range": lambda x: x * torch.arange(0.1, 1.1, 1.0),
    "xlogy": lambda x: torch.xlogy(x, torch.where(x == 0, x.flip(0), 1.5 + x.abs())),
}


def masked_softmax(x):
    """Of rows of which the first is masked as a whole, by a sum."""
    return torch.ops.aten._safe_softmax(x + torch.where(x.detach() > 0.4, 0.0, -torch.inf), -1)


#: Functions far out, at bounds that cross, and with a factor of 0.
TAILS = {
    "log_ndtr": lambda x: torch.special.log_ndtr(20 * x),
    "log_ndtr_itself": lambda x: x * torch.special.log_ndtr(7 * x).detach(),
    "erfcx": lambda x: torch.special.erfcx(8 * x.abs()) + torch.special.erfcx(x),
    "erfcx_itself": lambda x: x * torch.special.erfcx(1000 * x.abs()).detach(),
    "logit": lambda x: torch.logit(x, eps=0.6),
    "logit_itself": lambda x: x * torch.logit(x * 0.3, eps=0.7).detach(),
    "logit_within": lambda x: torch.logit(x, eps=0.1),
    "addbmm": lambda x: torch.addbmm(x.detach() * torch.nan, x[None], x.mT[None], beta=0, alpha=2),
    "addmv": lambda x: torch.addmv(x[0].detach() * torch.nan, x, x[3], beta=0),
    "baddbmm": lambda x: torch.baddbmm(x[None].detach() * torch.inf, x[None], x[None], beta=0),
    "norm_minus_1": lambda x: torch.linalg.vector_norm(x, -1, -1),
    "norm_minus_2": lambda x: torch.linalg.vector_norm(x, -2, -1),
    "norm_minus_3_2": lambda x: torch.linalg.vector_norm(x, -1.5, -1),
    "masked_softmax": masked_softmax,
}


def fake(x, scale, zero, least, most):
    return torch.fake_quantize_per_tensor_affine(x, scale, zero, least, most)


def by_tensors(x):
    return torch.fake_quantize_per_tensor_affine(x, torch.tensor(0.3), torch.tensor(7, dtype=torch.int32), 0, 255)


def by_channels(x):
    scales, zeros = torch.tensor([0.03, 0.01, 0.02, 0.3]), torch.tensor([0, 5, -7, 0], dtype=torch.int32)
    return torch.fake_quantize_per_channel_affine(x, scales, zeros, 1, -128, 127)


def straight(x):
    return x + (torch.round(x) - x).detach()


#: What is quantized and trained: 3 and -3 are beyond the levels of some, others round at ties.
QUANTIZED = {
    "unsigned": lambda x: fake(x, 0.03, 40, 0, 255) * x,
    "signed": lambda x: fake(x, 0.02, 0, -128, 127) * x,
    "beyond": lambda x: fake(x, 0.01, -10, -128, 127) * x,
    "seven_bits": lambda x: fake(x, 0.02, 30, 0, 127) * x,
    "coarse": lambda x: fake(x, 2.0, 0, -128, 127) * x,
    "by_tensors": lambda x: by_tensors(x) * x,
    "by_channels": lambda x: by_channels(x) * x,
    "straight": lambda x: straight(3.3 * x) * x,
    "learned": lambda x: straight((x / x[3, 1:2]).clamp(-0.7, 0.6) * 9) * x[3, 1:2],
}


def nearest(x):
    """Vector quantization: each row becomes one of the first two."""
    code = x[:2][((x[:, None] - x[:2] - 0.1) ** 2).sum(2).argmin(1)]
    return x + (code - x).detach() + (x.detach() - code) ** 2 + 0.25 * (x * code.detach()).cos()


#: Values of which no gradient comes back.
DETACHED = {
    "factor": lambda x: x * x.detach(),
    "factor_first": lambda x: x.detach() / (2 + x * x),
    "straight": lambda x: straight(3.3 * x) * x,
    "nearest": nearest,
    "largest": lambda x: (x - x.amax(1, keepdim=True).detach()).exp(),
    "goal": lambda x: F.mse_loss(x * x, x.roll(1, 1).exp().detach(), reduction="none"),
    "cross_entropy": lambda x: F.binary_cross_entropy(x.sigmoid(), x.flip(1).sigmoid().detach(), reduction="none"),
    "both": lambda x: torch.cat([x.detach(), x])[2:6] * x.cos().detach() * x.sin().detach(),
}


class Functions(torch.nn.Module):
    def __init__(self, functions, of_data=False):
        super().__init__()
        self.functions, self.of_data = functions, of_data
        # Equal ones, the optimizer merges.
        points = (POINTS * (1 + of_data * place / 100) for place in range(len(functions)))
        self.at = torch.nn.ParameterDict(dict(zip(functions, map(torch.nn.Parameter, points))))

    def forward(self, weights):
        # What is computed of parameters alone, the optimizer folds.
        zero = weights[0, 0] - 1 if self.of_data else 0
        results = (function(self.at[name] + zero if self.of_data else self.at[name]) for name, function in self.functions.items())
        return sum((y * weights.flatten()[: y.numel()].view_as(y)).sum() for y in results)


class Masked(torch.nn.Module):
    """Each row sees itself and two before it: by a mask that the default export folds into a constant."""

    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.linspace(-1, 1, 16).view(4, 4))

    def forward(self, x):
        at = torch.arange(4)
        sees = (at[:, None] >= at) & (at[:, None] - at < 3)
        return (x @ self.w @ x.mT * sees).softmax(-1).diagonal().sum()


class Bounded(torch.nn.Module):
    """An embedding that rewrites its rows."""

    def __init__(self):
        super().__init__()
        self.rows = torch.nn.Embedding(4, 4, max_norm=1)

    def forward(self, weights):
        return (self.rows(PLACES[0]) * weights).sum()


def forget_sources(graph):
    """Where in which source a node was made names a machine."""
    for node in graph.node:
        kept = [entry for entry in node.metadata_props if entry.key.endswith("fx_node")]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
        for attribute in node.attribute:
            forget_sources(attribute.g)


def export(model, weights, path, optimize=False):
    torch.onnx.export(
        model, (weights,), path, input_names=["weights"], output_names=["loss"], dynamo=True, optimize=optimize,
        external_data=False,
    )  # fmt: skip
    file = onnx.load(path)
    forget_sources(file.graph)
    onnx.save(file, path)


def write(functions, weights, path, optimize=False):
    export(Functions(functions, optimize), weights, f"{path}.onnx", optimize)
    model = Functions(functions, optimize).double()
    loss = model(weights.double())
    loss.backward()
    gradients = {f"grad.{name}": parameter.grad for name, parameter in model.named_parameters()}
    save_file({"weights": weights, "loss": loss.detach(), **gradients}, f"{path}.safetensors")


def main():
    weights = torch.cos(torch.arange(16.0)).view(4, 4)
    sets = {"kinks": KINKS, "calls": CALLS, "masks": MASKS, "writes": WRITES, "rois": ROIS, "resizes": RESIZES}
    sets |= {"integers": INTEGERS, "formulas": FORMULAS, "deformed": DEFORMED, "tails": TAILS}
    for name, functions in sets.items():
        write(functions, weights, pathlib.Path(sys.argv[1]) / name)
    write(QUANTIZED, weights, pathlib.Path(sys.argv[1]) / "quantized")
    write(DETACHED, weights, pathlib.Path(sys.argv[1]) / "optimized_detach", optimize=True)
    export(Masked(), weights, pathlib.Path(sys.argv[1]) / "folded_mask.onnx", optimize=True)
    export(Bounded(), weights, pathlib.Path(sys.argv[1]) / "max_norm.onnx")


if __name__ == "__main__":
    main()
