# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: eager and torch.compile, in fp32 and by autocast; steps as its documentation writes them."""
import itertools
import sys
import tempfile

import torch
from torch import nn
from torch.nn import functional as F

from . import cases, convolutions, ops

sys.path.insert(0, str(cases.ROOT / "benchmarks/gpu"))
import models  # noqa: E402
import peers  # noqa: E402

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
STEP_PRECISIONS = {
    "fp32": "f32",
    "bf16": "autocast to bf16, f32 weights and moments",
    "fp16": "autocast to f16, f32 weights and moments, GradScaler",
}


class MLP(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


class CNN(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(64 * 16, 128), nn.ReLU(), nn.Linear(128, 10),
        )


def build(case):
    torch.manual_seed(6)
    if case["model"] == "gpt":
        keys = ("batch", "length", "layers", "heads", "width")
        return peers.GPT(models.Sizes(vocabulary=cases.VOCABULARY, **{key: case[key] for key in keys}))
    if case["model"] == "resnet":
        return peers.ResNet(case["channels"])
    return MLP() if case["model"] == "mlp" else CNN()


def build_optimizer(rule, model, **options):
    parameters = list(model.parameters())
    if rule["kind"] == "sgd":
        return torch.optim.SGD(parameters, lr=rule["lr"], momentum=rule["momentum"], **options)
    options |= {"lr": rule["lr"], "betas": rule["betas"], "eps": rule["eps"]}
    if rule["kind"] == "adam":
        return torch.optim.Adam(parameters, **options)
    if "no_decay" not in rule:
        return torch.optim.AdamW(parameters, weight_decay=rule["weight_decay"], **options)
    decayed = {"params": [p for p in parameters if p.dim() > 1], "weight_decay": rule["weight_decay"]}
    return torch.optim.AdamW([decayed, {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0}], **options)


class Step:
    def __init__(self, case, engine, precision):
        self.precision = STEP_PRECISIONS[precision]
        self.model = build(case)
        self.call = torch.compile(self.loss, dynamic=False) if engine == "compile" else self.loss
        self.optimizer = build_optimizer(case["optimizer"], self.model, fused=True)
        self.low, self.is_low = TYPES[precision] if precision != "fp32" else torch.bfloat16, precision != "fp32"
        self.scaler = torch.amp.GradScaler("cpu", enabled=precision == "fp16")
        self.clip = case["optimizer"].get("clip")
        pairs = [tuple(map(torch.from_numpy, pair)) for pair in cases.batches(case)]
        self.batches, self.first = itertools.cycle(pairs), None

    def loss(self, inputs, target):
        return F.cross_entropy(self.model(inputs), target.flatten())

    def run(self):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=self.low, enabled=self.is_low):
            loss = self.call(*next(self.batches))
        self.scaler.scale(loss).backward()
        if self.clip:
            self.scaler.unscale_(self.optimizer)
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        value = loss.item()
        self.first = value if self.first is None else self.first

    def check(self):
        return self.first


class Model:
    """A published model as its pages train it: images of convolutional ones lie with their channels last."""

    def __init__(self, case, engine, precision):
        from . import networks

        self.precision = STEP_PRECISIONS[precision]
        self.module, batch = networks.build(case)
        if case.get("layout") == "channels last":
            self.module = self.module.to(memory_format=torch.channels_last)
            batch = {name: to_channels_last(tensor) for name, tensor in batch.items()}
        self.batch = batch
        self.call = torch.compile(self.module, dynamic=False) if engine == "compile" else self.module
        self.optimizer = build_optimizer(case["optimizer"], self.module, fused=True)
        self.is_low = precision == "bf16"
        losses = cases.FirstLosses(self.step)
        self.run, self.check = losses.run, losses.check

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.is_low):
            loss = self.call(**self.batch)
        loss.backward()
        self.optimizer.step()
        return loss.item()


def to_channels_last(tensor):
    return tensor.to(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor


class Convolution:
    """One of the three products of a convolution, by oneDNN, channels last."""

    def __init__(self, case, mode):
        self.product, precision = mode.split()
        self.precision = f"{precision} in and out, channels last"
        numbers = {name: to_channels_last(torch.from_numpy(array).to(TYPES[precision]))
                   for name, array in convolutions.operands(case).items()}
        self.x, self.w, self.y = (numbers[name] for name in "xwy")
        self.window = ([case["stride"]] * 2, [case["padding"]] * 2, [1, 1], False, [0, 0], case["groups"])

    def run(self):
        if self.product == "forward":
            self.result = torch.ops.aten.convolution(self.x, self.w, None, *self.window)
            return
        wanted = [self.product == "input", self.product == "weight", False]
        gradients = torch.ops.aten.convolution_backward(self.y, self.x, self.w, None, *self.window, wanted)
        self.result = next(gradient for gradient in gradients if gradient is not None)

    def check(self):
        return cases.size_of(self.result.float().numpy())


class Contraction:
    def __init__(self, case, precision):
        self.precision = f"{precision} in and out"
        a, b = (torch.from_numpy(array).to(TYPES[precision]) for array in cases.operands(case))
        self.a = a.t() if case["layout"][0] == "t" else a
        self.b = b.t() if case["layout"][1] == "t" else b
        self.c = torch.empty(case["m"], case["n"], dtype=TYPES[precision])

    def run(self):
        torch.mm(self.a, self.b, out=self.c)

    def check(self):
        return cases.size_of(self.c.float().numpy())


class Attention:
    """scaled_dot_product_attention, forward and backward."""

    def __init__(self, case, precision):
        self.precision, self.causal = f"{precision} in and out, f32 softmax", case["causal"]
        arrays = [torch.from_numpy(array).to(TYPES[precision]) for array in cases.attention_inputs(case)]
        *self.inputs, self.gradient = arrays
        for tensor in self.inputs:
            tensor.requires_grad_()

    def run(self):
        result = F.scaled_dot_product_attention(*self.inputs, is_causal=self.causal)
        self.gradients = torch.autograd.grad(result, self.inputs, self.gradient)

    def check(self):
        return cases.size_of(self.gradients[1].float().numpy())


class Optimizer:
    """Casts, unscale, clip, AdamW fused or by foreach, and copies in f16."""

    def __init__(self, case, engine):
        self.precision = "f16 gradients and copies, f32 weights and moments"
        self.weights = [torch.from_numpy(array).requires_grad_() for array in cases.gpt2_numbers(case, cases.WEIGHT, 4)]
        self.copies = [weight.detach().half() for weight in self.weights]
        self.gradients = [torch.from_numpy(array).half() for array in cases.gpt2_numbers(case, cases.GRADIENT, 5)]
        for weight in self.weights:
            weight.grad = torch.empty_like(weight)
        self.optimizer = torch.optim.AdamW(self.weights, lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, **{engine: True})
        self.scaler = torch.amp.GradScaler("cpu", init_scale=cases.LOSS_SCALE)
        self.scaler.scale(torch.zeros(()))

    @torch.no_grad()
    def run(self):
        torch._foreach_copy_([weight.grad for weight in self.weights], self.gradients)
        self.scaler.unscale_(self.optimizer)
        self.norm = torch.nn.utils.clip_grad_norm_(self.weights, 1.0, foreach=True)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        torch._foreach_copy_(self.copies, [weight.detach() for weight in self.weights])

    def check(self):
        return float(self.norm)


class SingleOp:
    """An op, and with its gradients where the mode is both: laid out as their inputs, which a parameter's .grad is."""

    def __init__(self, case, mode, folder):
        self.mode, self.folder = mode, folder
        what, self.precision = mode.split()
        self.called = ops.Called(case, self.precision)
        self.wanted = [self.called.inputs[i].requires_grad_() for i in self.called.wanted()] if what == "both" else []

    def run(self):
        self.results = None
        called = self.called
        with torch.set_grad_enabled(bool(self.wanted)):
            result = called.op.call(*called.inputs)
        gradients = torch.autograd.grad(result, self.wanted, called.seed) if self.wanted else ()
        self.results = result, *(gradient.contiguous() for gradient in gradients)

    def check(self):
        return ops.keep(self.folder.name, self.mode, [one.detach().float().numpy() for one in self.results])


class Side:
    def __init__(self, threads):
        torch.set_num_threads(threads)
        self.folder = tempfile.TemporaryDirectory(prefix="mpc-compare-")
        self.version = f"PyTorch {torch.__version__}"

    def close(self):
        # torch.compile gives a function up, for eager, after eight forms of it: each case has three.
        torch.compiler.reset()

    def make(self, case, mode):
        if case["kind"] in ops.KINDS:
            return SingleOp(case, mode, self.folder)
        if case["kind"] in cases.CONVOLUTIONS:
            return Convolution(case, mode)
        engine, precision = mode.split()
        if case["kind"] == "model":
            return Model(case, engine, precision)
        if case["kind"] == "step":
            return Step(case, engine, precision)
        if case["kind"] == "optimizer":
            return Optimizer(case, engine)
        return (Contraction if case["kind"] == "contraction" else Attention)(case, precision)
