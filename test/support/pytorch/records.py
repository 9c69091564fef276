# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports small modules whose file leaves open how they were run, with what PyTorch computes in float64.

    python records.py FOLDER

writes NAME.onnx and NAME.safetensors: the inputs, the loss, grad.<parameter>, and stat.<buffer> after the step. They lie
in test/Inputs/exports/records, in a folder for each version of PyTorch. Needs torch, onnx and safetensors; by hand.
"""

import pathlib
import re
import sys
import warnings

import onnx
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

LABELS = torch.arange(8) % 3


class Part(nn.Module):
    """A part of forward in a context, whose inputs are results."""

    def __init__(self, context, part):
        super().__init__()
        self.a, self.o, self.context, self.part = nn.Linear(4, 6), nn.Linear(6, 3), context, part

    def forward(self, x, target):
        return self.part(self, self.a(x), target)


def autocast():
    return torch.autocast("cpu", enabled=False)


def whole(m, h, target):
    with m.context():
        h = h * h.cos()
    return F.cross_entropy(m.o(h), target)


def partly(m, h, target):
    with m.context():
        g = h * h.cos()
    return F.cross_entropy(m.o(h + g), target)


def contrastive(m, h, target):
    y = m.o(h)
    with m.context():
        z = F.normalize(y.float(), dim=-1)
        c = (z @ z.mT).exp().mean()
    return F.cross_entropy(y, target) + c


def of_parameter(m, h, target):
    with m.context():
        g = m.o(h * h.cos())
    return F.cross_entropy(g + m.o(h), target)


def of_input(m, h, target):
    with m.context():
        g = F.one_hot(target, 3) * h.mean()
    return F.cross_entropy(m.o(h) * g, target)


def around_autocast(m, h, target):
    """torch.autocast() is all that torch.no_grad() has in it."""
    with torch.no_grad(), autocast():
        g = m.o(h * h.cos())
    return F.cross_entropy(g + m.o(h), target)


def in_autocast_of_input(m, h, target):
    """Two parts, of which one tells what it is."""
    with autocast():
        g = F.one_hot(target, 3) * h.mean()
    with torch.no_grad():
        s = m.o.weight.abs().max()
    with autocast():
        h = h * h.sin()
    return F.cross_entropy(m.o(h) * g / s, target)


def parts():
    made = {}
    for name, part in {"whole": whole, "partly": partly, "contrastive": contrastive}.items():
        made["autocast_" + name] = Part(autocast, part)
        made["no_grad_" + name] = Part(torch.no_grad, part)
    for name, part in {"of_parameter": of_parameter, "of_input": of_input}.items():
        made["autocast_" + name] = Part(autocast, part)
        made["no_grad_" + name] = Part(torch.no_grad, part)
    made["no_grad_around_autocast"] = Part(None, around_autocast)
    made["autocast_and_no_grad"] = Part(None, in_autocast_of_input)
    del made["no_grad_whole"]  # Nothing but the head would train.
    return {name: (module, (torch.randn(8, 4), LABELS)) for name, module in made.items()}


class Frozen(nn.Module):
    """Batch normalizations in eval(), all or the first, in a module in train()."""

    def __init__(self, frozen, tells=nn.Identity):
        super().__init__()
        self.a, self.o, self.frozen = nn.Conv2d(1, 2, 3), nn.Linear(32, 3), frozen
        self.layers = nn.Sequential(nn.BatchNorm2d(2), nn.ReLU(), nn.BatchNorm2d(2, momentum=0.3))
        self.tells = tells()
        for n in (self.layers[0], self.layers[2]):
            n.running_mean.fill_(0.3)
            n.running_var.fill_(2.0)

    def train(self, mode=True):
        super().train(mode)
        for index in self.frozen:
            self.layers[index].eval()
        return self

    def forward(self, x, target):
        h = self.tells(self.layers(self.a(x)).flatten(1))
        return F.cross_entropy(self.o(h[0] if isinstance(h, tuple) else h), target)


class Attention(nn.Module):
    def forward(self, x):
        x = x[:, None]
        return F.scaled_dot_product_attention(x, x, x, dropout_p=0.5 * self.training)[:, 0]


def normalizations():
    made = {
        "frozen": Frozen((0, 2)),
        "frozen_first": Frozen((0,)),
        "frozen_dropout": Frozen((0, 2), lambda: nn.Dropout(1e-9)),
        "frozen_lstm": Frozen((0, 2), lambda: nn.LSTM(32, 32)),
        "frozen_gru": Frozen((0, 2), lambda: nn.GRU(32, 32)),
    }
    return {name: (module, (torch.randn(4, 1, 6, 6), LABELS[:4])) for name, module in made.items()}


class SharedNormalization(nn.Module):
    """A batch normalization that is called twice, once under torch.no_grad()."""

    def __init__(self, first):
        super().__init__()
        self.b, self.o, self.first = nn.BatchNorm1d(3), nn.Linear(3, 3), first

    def forward(self, x, y, target):
        if not self.first:
            h = self.b(x)
        with torch.no_grad():
            t = self.b(y)
        return F.cross_entropy(self.o((self.b(x) if self.first else h) - t), target)


def shared():
    inputs = (torch.randn(8, 3) + 1, torch.randn(8, 3) - 2, LABELS)
    return {f"no_grad_{'first' if first else 'last'}": (SharedNormalization(first), inputs) for first in (True, False)}


def box(m, h, target):
    """A part of each box, as the losses of overlapping boxes compute it."""
    low, high = h[:, :3], h[:, 3:]
    mask, area = low[:, 0] < high[:, 0], torch.zeros_like(h[:, 0])
    area[mask] = (high[:, 0][mask] - low[:, 0][mask]) * (high[:, 1][mask] - low[:, 1][mask]).exp()
    return F.cross_entropy(m.o(h) * area[:, None], target)


def rows(m, h, target):
    """Of rows, with numbers beside the mask that have no logarithm and no quotient."""
    y, mask, number = h.cos(), target > 0, torch.where(target > 0, h.mean(1), 0)
    scaled = h * number[:, None]
    y[mask] = (scaled[mask] ** 2).log() / scaled[mask] + h[mask] * m.o.weight[0]
    return F.cross_entropy(m.o(y), target)


def ranges(m, h, target):
    return F.cross_entropy(m.o(h * torch.arange(1.0, 7) + torch.arange(0, 3, 0.5)), target)


class Tracked(nn.Module):
    """An instance normalization with statistics."""

    def __init__(self):
        super().__init__()
        self.a, self.n, self.o = nn.Conv2d(1, 2, 3), nn.InstanceNorm2d(2, track_running_stats=True), nn.Linear(32, 3)

    def forward(self, x, target):
        return F.cross_entropy(self.o(self.n(self.a(x)).flatten(1)), target)


class Reserved(nn.Module):
    """Parameters with names that a training gives."""

    NAMES = ("model", "loss", "init", "step", "accumulate", "scaler", "optimizer")

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 3)
        for name in self.NAMES:
            setattr(self, name, nn.Parameter(torch.ones(3)))

    def forward(self, x, target):
        h = self.a(x)
        for name in self.NAMES:
            h = (h * getattr(self, name)).tanh()
        return F.cross_entropy(h, target)


class Dropped(nn.Module):
    """What the mean of the draw is not the identity of."""

    def __init__(self, dropout):
        super().__init__()
        self.a, self.dropout, self.o = nn.Linear(4, 6), dropout, nn.Linear(6, 3)

    def forward(self, x, target):
        return F.cross_entropy(self.o(self.dropout(F.selu(self.a(x)).view(8, 2, 3)).flatten(1)), target)


def calls():
    inputs = (torch.randn(8, 4), LABELS)
    made = {name: Part(None, part) for name, part in {"box": box, "rows": rows, "ranges": ranges}.items()}
    made["reserved"] = Reserved()
    made["alpha_dropout"] = Dropped(nn.AlphaDropout(0.3))
    made["feature_alpha_dropout"] = Dropped(nn.FeatureAlphaDropout(0.4))
    made = {name: (module, inputs) for name, module in made.items()}
    made["tracked"] = (Tracked(), (torch.randn(4, 1, 6, 6), LABELS[:4]))
    return made


class Projected(nn.Module):
    def __init__(self):
        super().__init__()
        self.r = nn.LSTM(4, 5, proj_size=3, batch_first=True)

    def forward(self, x, target):
        return F.cross_entropy(self.r(x[:, None])[0][:, 0], target)


class WithoutLoops(nn.Module):
    """Messages along edges but those of a node to itself."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 3)

    def forward(self, x, target):
        edges = torch.stack([target, target.flip(0)])
        edges = edges[:, edges[0] != edges[1]]
        return self.a(x).index_add(0, edges[1], self.a(x)[edges[0]]).pow(2).mean()


def write_values(folder):
    """What torch.alpha_dropout() makes of 1 to 1024."""
    x = torch.arange(1.0, 1025).view(32, 32)
    path = f"{folder}/alpha_values.onnx"
    torch.onnx.export(
        nn.AlphaDropout(0.3).train(), (x,), path, input_names=["x"], output_names=["y"], dynamo=True, optimize=False,
        external_data=False, verbose=False,
    )  # fmt: skip
    forget_sources(path)
    save_file({"x": x}, f"{folder}/alpha_values.safetensors")


def refused():
    return {"lstm_projection": Projected(), "self_loops": WithoutLoops()}


def forget_sources(path):
    """Where in which source a node was made names a machine; what the exporter made itself is kept."""
    file = onnx.load(path)
    for node in file.graph.node:
        for entry in node.metadata_props:
            entry.value = re.sub(r'File "[^"<]*/', 'File "', entry.value)
        kept = [e for e in node.metadata_props if re.search("fx_node|name_scopes|class_hierarchy|stack_trace", e.key)]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    onnx.save(file, path)


def export(module, args, path, output="loss"):
    names = ["x", "y"][: len(args) - 1] + ["target"]
    torch.onnx.export(
        module.train(), args, path, input_names=names, output_names=[output], dynamo=True, optimize=False,
        external_data=False, verbose=False,
    )  # fmt: skip
    forget_sources(path)
    return dict(zip(names, args))


def write(name, module, args, folder):
    torch.manual_seed(len(name))
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    inputs = export(module, args, f"{folder}/{name}.onnx", "objective" if hasattr(module, "loss") else "loss")
    before = {key: value.clone() for key, value in module.state_dict().items()}
    module.double().train("dropout" not in name or "frozen" in name)
    loss = module(*(a.double() if a.is_floating_point() else a for a in args))
    loss.backward()
    values = {f"grad.{key}": p.grad for key, p in module.named_parameters() if p.grad is not None}
    for key, value in module.named_buffers():
        if value.is_floating_point() and not torch.equal(value, before[key].double()):
            values[f"stat.{key}"] = value
    values = {key: value.detach().float().contiguous() for key, value in ({"loss": loss} | values).items()}
    save_file({key: a.clone() for key, a in inputs.items()} | values, f"{folder}/{name}.safetensors")


def main():
    warnings.filterwarnings("ignore")
    folder = pathlib.Path(sys.argv[1]) / ".".join(torch.__version__.split(".")[:2])
    folder.mkdir(exist_ok=True)
    torch.manual_seed(0)
    for name, (module, args) in (parts() | normalizations() | shared() | calls()).items():
        write(name, module, args, folder)
    write_values(folder)
    for name, module in refused().items():
        export(module, (torch.randn(8, 4), LABELS), f"{folder}/{name}.onnx")


if __name__ == "__main__":
    main()
