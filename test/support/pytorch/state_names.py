# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports small modules that read parameters in all sorts of ways, with the names of their state.

    python state_names.py FOLDER

writes NAME.onnx of each, data.safetensors for all of them, and names.json: what state_dict() has, and what
load_state_dict(strict=True) does without. They lie in test/Inputs/exports/names. Needs torch, onnx, safetensors; by hand.
"""

import json
import pathlib
import sys
import warnings

import torch
import torch.nn.functional as F
from records import forget_sources
from safetensors.torch import save_file
from torch import nn


class Model(nn.Module):
    """Made of parts by name, and of a function of the model and its inputs, whose mean square is the loss."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x, ids):
        return self.function(self, x, ids).pow(2).mean()


class Bias(nn.Module):
    """Is handed what it multiplies by."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Parameter(torch.ones(5))

    def forward(self, h, module):
        return h @ module.weight.T + self.bias


class Head(nn.Module):
    """A layer of one's own, whose weight may be another's."""

    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, h):
        return h @ self.weight.T


class TiedLinear(nn.Linear):
    pass


def parameter(*shape):
    return nn.Parameter(torch.randn(*shape) / 2)


def tied(layer, weight):
    layer.weight = weight
    return layer


def tied_embedding(make):
    table = nn.Embedding(5, 4)
    return Model(lambda m, x, ids: m.head(m.table(ids).tanh()), table=table, head=make(table.weight))


def no_grad_target(m, x, ids):
    with torch.no_grad():
        target = m.a(x.flip(0))
    return m.a(x) - target


def with_buffers():
    model = Model(lambda m, x, ids: m.a(x * m.scale + m.shift), a=nn.Linear(4, 5))
    model.register_buffer("scale", torch.rand(4))
    model.register_buffer("shift", torch.rand(4), persistent=False)
    return model


def attention(m, x, ids):
    h = x[:, None]
    return m.attention(h, h, h, need_weights=False)[0]


def three():
    table = nn.Embedding(5, 4)
    return Model(
        lambda m, x, ids: m.head(m.table(ids).tanh() + m.other(ids)),
        table=table, other=tied(nn.Embedding(5, 4), table.weight), head=tied(nn.Linear(4, 5), table.weight),
    )  # fmt: skip


def models():
    linear = lambda: nn.Linear(4, 5)
    return {
        "functional": Model(lambda m, x, ids: F.linear(m.table(ids).tanh(), m.table.weight), table=nn.Embedding(5, 4)),
        "codebook": Model(lambda m, x, ids: x @ m.table.weight.T - m.table.weight.pow(2).sum(1), table=nn.Embedding(5, 4)),
        "penalty": Model(lambda m, x, ids: m.a(x) + m.a.weight.pow(2).sum(), a=linear()),
        "no_grad": Model(no_grad_target, a=linear()),
        "given": Model(lambda m, x, ids: m.b(m.table(ids), m.table), table=nn.Embedding(5, 4), b=Bias()),
        "tied_linear": tied_embedding(lambda weight: tied(nn.Linear(4, 5, False), weight)),
        "tied_with_bias": tied_embedding(lambda weight: tied(nn.Linear(4, 5), weight)),
        "tied_class": tied_embedding(Head),
        "tied_subclass": tied_embedding(lambda weight: tied(TiedLinear(4, 5), weight)),
        "three": three(),
        "transposed": Model(lambda m, x, ids: F.linear(m.a(x).tanh(), m.a.weight.t()), a=linear()),
        "query": Model(lambda m, x, ids: m.a(m.query) * x.sum(), a=linear(), query=parameter(2, 4)),
        "layers": Model(lambda m, x, ids: m.layers(x), layers=nn.Sequential(linear(), nn.LayerNorm(5), nn.Tanh(), nn.Linear(5, 2))),
        "norms": Model(
            lambda m, x, ids: m.c(m.b(m.a(x).view(6, 2, 2))),
            a=nn.GroupNorm(2, 4), b=nn.InstanceNorm1d(2, affine=True), c=nn.LayerNorm(2, bias=False),
        ),  # fmt: skip
        "batch_norm": Model(lambda m, x, ids: m.b(m.a(x)), a=linear(), b=nn.BatchNorm1d(5)),
        "batch_norm_twice": Model(lambda m, x, ids: m.b(m.a(x)) + m.b(m.a(x * x)), a=linear(), b=nn.BatchNorm1d(5)),
        "buffers": with_buffers(),
        "lists": Model(lambda m, x, ids: x * m.a[0] + m.a[1], a=nn.ParameterList([parameter(4), parameter(4)])),
        "dict": Model(lambda m, x, ids: x * m.a["one"], a=nn.ParameterDict({"one": parameter(4)})),
        "attention": Model(attention, attention=nn.MultiheadAttention(4, 2, batch_first=True)),
        "encoder": Model(lambda m, x, ids: m.e(x[:, None]), e=nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)),
        "lstm": Model(lambda m, x, ids: m.r(x[:, None])[0], r=nn.LSTM(4, 3, bidirectional=True, batch_first=True)),
        "gru": Model(lambda m, x, ids: m.r(x[:, None])[0], r=nn.GRU(4, 3, batch_first=True)),
        "bag": Model(lambda m, x, ids: m.e(ids[:, None]), e=nn.EmbeddingBag(5, 4, mode="sum")),
        "prelu": Model(lambda m, x, ids: m.p(m.a(x)), a=linear(), p=nn.PReLU(5)),
        "bilinear": Model(lambda m, x, ids: m.b(x, x), b=nn.Bilinear(4, 4, 3)),
        "shared_twice": Model(lambda m, x, ids: m.a(m.a(x).tanh()), a=nn.Linear(4, 4)),
        "convolutions": Model(lambda m, x, ids: m.d(m.c(x[:, None])), c=nn.Conv1d(1, 3, 3), d=nn.ConvTranspose1d(3, 1, 3)),
        "weight_norm": Model(lambda m, x, ids: m.a(x), a=nn.utils.parametrizations.weight_norm(linear())),
        "penalty_of_many": Model(
            lambda m, x, ids: m.b(m.a(x)) + sum(p.square().sum() for p in m.parameters()), a=linear(), b=nn.Linear(5, 2)
        ),
    }


def tolerated(model):
    """Of the state, what a strict load does without: PyTorch counts the batches itself."""
    found = []
    for name in model.state_dict():
        state = {key: value for key, value in model.state_dict().items() if key != name}
        try:
            model.load_state_dict(dict(state), strict=True)
            found.append(name)
        except RuntimeError:
            pass
    return found


def main():
    warnings.filterwarnings("ignore")
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(0)
    x, ids = torch.randn(6, 4), torch.tensor([0, 1, 2, 3, 4, 1])
    save_file({"x": x, "ids": ids}, folder / "data.safetensors")
    names = {}
    for name, model in models().items():
        path = folder / f"{name}.onnx"
        torch.onnx.export(
            model.train(), (x, ids), path, input_names=["x", "ids"], output_names=["loss"], dynamo=True, optimize=False,
            external_data=False, verbose=False,
        )  # fmt: skip
        forget_sources(path)
        names[name] = {"state": sorted(model.state_dict()), "tolerated": tolerated(model)}
    (folder / "names.json").write_text(json.dumps(names, indent=1) + "\n")


if __name__ == "__main__":
    main()
