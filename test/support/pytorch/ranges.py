# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports models whose squares 16 bits do not hold, with PyTorch's loss and gradients in float64.

    python ranges.py FOLDER

writes range_NAME.onnx and range_NAME.safetensors, which lie in test/Inputs/exports: the model's data, the loss
"eval.loss", the gradients, and as "autocast.loss" what PyTorch's own autocast to f16 (CPU) gives. Needs torch, onnx
and safetensors; by hand.
"""

import copy
import pathlib
import re
import sys

import onnx
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn


class RMSNorm(nn.Module):
    """As Llama's: the cast to f32 is the author's, and no node of an export."""

    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(0.5, 1.5, features))

    def forward(self, x):
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        return self.weight * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


class Normal(nn.Module):
    """A layer, what normalizes its outputs, and a layer."""

    def __init__(self, size, normal):
        super().__init__()
        self.first, self.last = nn.Linear(4, 6, bias=False), nn.Linear(6, 3)
        self.normal = normal
        self.first.weight.data.mul_(size)

    def forward(self, x):
        return self.last(self.normal(self.first(x)))


class Cosines(Normal):
    def forward(self, x):
        return F.cosine_similarity(self.first(x)[:, None], self.last.weight[None] * 50, dim=-1)


class Lengths(Normal):
    """Norms that go into a layer: the sum of squares is no f16, the norm is."""

    def forward(self, x):
        h = self.first(x)
        return self.last(h / 1000 + torch.linalg.vector_norm(h, dim=-1, keepdim=True) / 1000)


class Products(Normal):
    """A product that f16 does not hold, and a quotient that makes it finite again."""

    def forward(self, x):
        h = self.first(x)
        return self.last(h / (1 + (h * h.flip(-1)).abs() / 1000))


class Padded(Normal):
    """Rows of padding, as of windows: where they are normalized, the gradient of 0 is 1e12 times theirs."""

    def forward(self, x):
        h = self.normal(self.first(F.pad(x, (0, 0, 0, 2))))
        return self.last(h[:-2] + h.mean(0))


MODELS = {
    "rms_large": lambda: Normal(1000.0, RMSNorm(6)),
    "rms_small": lambda: Normal(2e-2, RMSNorm(6)),
    "rms_plain": lambda: Normal(1000.0, lambda h: h * torch.rsqrt((h * h).mean(-1, keepdim=True) + 1e-6)),
    "normalize_large": lambda: Normal(1000.0, lambda h: F.normalize(h, dim=-1)),
    "normalize_small": lambda: Normal(2e-4, lambda h: F.normalize(h, dim=-1)),
    "normalize_padded": lambda: Padded(1.0, lambda h: F.normalize(h, dim=-1)),
    "cosine_large": lambda: Cosines(1000.0, None),
    "cosine_small": lambda: Cosines(2e-4, None),
    "lengths": lambda: Lengths(1000.0, None),
    "products": lambda: Products(1000.0, None),
}


def clean(path):
    """Places in sources are of a machine."""
    model = onnx.load(path)
    for node in model.graph.node:
        for entry in node.metadata_props:
            entry.value = re.sub(r'File "[^"<]*/', 'File "', entry.value)
    onnx.save(model, path)


def export(name, folder):
    torch.manual_seed(0)
    model = MODELS[name]().train()
    x, target = torch.randn(8, 4), torch.arange(8) % 3
    path = folder / f"range_{name}.onnx"
    torch.onnx.export(
        model, (x,), path, input_names=["x"], output_names=["logits"], dynamo=True, optimize=False,
        external_data=False, verbose=False,
    )
    clean(path)
    with torch.autocast("cpu", torch.float16):
        low = F.cross_entropy(model(x), target)
    exact = copy.deepcopy(model).double()
    loss = F.cross_entropy(exact(x.double()), target)
    loss.backward()
    tensors = {f"grad.{key}": value.grad.float() for key, value in exact.named_parameters() if value.grad is not None}
    tensors |= {"x": x, "target": target, "eval.loss": loss.detach().float(), "autocast.loss": low.detach()}
    save_file(tensors, folder / f"range_{name}.safetensors")
    norms = ", ".join(f"{key} {value.norm().item():.3g}" for key, value in tensors.items() if key.startswith("grad"))
    print(f"{name}: float64 {loss.item():.6f}, autocast {low.item():.6f}; {norms}")


if __name__ == "__main__":
    for name in MODELS:
        export(name, pathlib.Path(sys.argv[1]))
