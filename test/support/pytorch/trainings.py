# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trainings of models.py through mpc_compiler.wrap and mpc_compiler.step, held against PyTorch's own loops.

    PYTHONPATH=build/python python trainings.py [--only=REGEX] [--all] [--steps=20] [--doors=wrap,step]
                                                [--precisions=fp32,bf16,fp16] [--starts=1]
                                                [--measure=losses|gradients|dropout]

By hand, and no part of the tests: it needs torch, torchvision, transformers and what models.py imports. Each training has
a loop of its own (a rule, a scheduler, clipping, accumulation), without dropout. A line says how far its losses are from
PyTorch's, as a multiple of what is allowed:
  fp32         the greatest relative difference from PyTorch's, beside twice the worst of 8 runs with nudged weights
  bf16, fp16   the greatest difference from PyTorch's float64, beside twice that of PyTorch's AMP; of a model that float64
               does not run, from fp32. (A saturated sigmoid under binary_cross_entropy: fp32 itself is off by 2e-3.)
Above 1 the training falls short; an error is quoted. One run in 16 bits says little where a rule divides by the gradient's
size (RMSprop, NAdam): a rounding that turns the sign of a small one moves a weight by a whole step, in PyTorch's run or in
ours. --starts=N takes the medians over N initial weights.

--measure=gradients: the error of the first gradients in fp32 against float64 (of all parameters as one vector), beside twice
that of PyTorch's fp32. --measure=dropout: with the dropout of the models, whose masks are others than PyTorch's, the mean loss
of the last twenty of --steps=200; how far it lies from the middle of 8 runs of PyTorch with other seeds, beside half of their range.
"""

import argparse
import contextlib
import inspect
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import warnings

import torch

import campaign

NUDGES, SECONDS = 8, 900
# What float32 itself decides where nudged runs do not differ at all.
LEAST = 1e-6
CHOSEN = (
    "hf_albert hf_bart hf_bloom hf_gptneox hf_mamba hf_mixtral hf_opt hf_vit hf_convnext hf_wav2vec2"
    " lstm multihead unet losses contrastive experts seq2seq crf policy recommender averages focal teacher"
    " tv_vit tv_swin_v2 tv_densenet tv_resnext tv_mobilenet_v3 tv_shufflenet tv_video"
).split()


class Loop:
    """A user's loop: which rule, what moves its rate, what is clipped, how many batches make a step."""

    RULES = "AdamW", "SGD", "Adam", "RMSprop", "NAdam"
    SCHEDULERS = "CosineAnnealingLR", "LinearLR", None

    def __init__(self, case, number):
        self.rule, self.lr = self.RULES[number % 5], case.lr * 0.3
        self.scheduler = self.SCHEDULERS[number % 3]
        self.clip = 1.0 if number % 2 else None
        self.accumulate = 2 if number % 4 == 3 else 1

    def optimizer(self, model):
        more = {"momentum": 0.9} if self.rule == "SGD" else {}
        return getattr(torch.optim, self.rule)([p for p in model.parameters() if p.requires_grad], lr=self.lr, **more)

    def schedule(self, optimizer):
        if self.scheduler is None:
            return None
        more = {"T_max": 20} if self.scheduler == "CosineAnnealingLR" else {}
        return getattr(torch.optim.lr_scheduler, self.scheduler)(optimizer, **more)

    def __str__(self):
        clip = f", clip {self.clip}" if self.clip else ""
        return f"{self.rule}, {self.scheduler or 'no scheduler'}{clip}, {self.accumulate} batches a step"


def data_of(case, steps):
    """The batches, with a target where the module returns no loss."""
    found = []
    for step in range(steps):
        torch.manual_seed(100 + step)
        inputs = case.inputs()
        if step == 0:
            with torch.no_grad():
                example = case.make()(*inputs.values())
        found.append((tuple(inputs.values()), campaign.target_of(case, example).get("target")))
    return found


def model_of(case, start=0, seed=None):
    """With the initial weights of a `start`, nudged by a `seed`."""
    torch.manual_seed(start)
    model = case.make().train()
    for part in model.modules():
        if isinstance(part, torch.nn.RNNBase):
            part.dropout = 0.0
    if seed is not None:
        campaign.nudge(model, seed)
    return model


def loss_function(case):
    return None if case.loss == "output" else lambda y, target: campaign.loss_of(case, y, {"target": target})


def by_loop(case, loop, data, call, model, scaler):
    """A loop of PyTorch's around `call`, which gives the loss of a batch."""
    optimizer = loop.optimizer(model)
    scheduler, losses = loop.schedule(optimizer), []
    for i, (inputs, target) in enumerate(data):
        loss = call(inputs, target)
        scaler.scale(loss / loop.accumulate).backward()
        if i % loop.accumulate == loop.accumulate - 1:
            if loop.clip:
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), loop.clip)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            if scheduler:
                scheduler.step()
        losses.append(loss.item())
    return losses


def scaler_of(precision):
    return torch.amp.GradScaler("cpu", init_scale=1024.0, enabled=precision == "fp16")


def by_torch(case, loop, data, precision="fp32", start=0, seed=None):
    model, loss = model_of(case, start, seed), loss_function(case)
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(precision)

    def call(inputs, target):
        with torch.autocast("cpu", dtype=kind, enabled=kind is not None):
            output = model(*inputs)
            return output if loss is None else loss(output, target)

    return by_loop(case, loop, data, call, model, scaler_of(precision))


def in_float64(case, loop, data, start):
    """The losses of a training in float64, of the weights that float32 has; where that does not run, float32's."""
    wide = lambda value: value.double() if torch.is_tensor(value) and value.is_floating_point() else value
    model, loss = model_of(case, start).double(), loss_function(case)
    call = lambda inputs, target: model(*inputs) if loss is None else loss(model(*inputs), target)
    batches = [(tuple(map(wide, inputs)), wide(target)) for inputs, target in data]
    try:
        torch.set_default_dtype(torch.float64)
        return by_loop(case, loop, batches, call, model, scaler_of("fp32"))
    except RuntimeError as error:
        print(f"PyTorch in float64: {error}", file=sys.stderr)
    finally:
        torch.set_default_dtype(torch.float32)
    return by_torch(case, loop, data, start=start)


def by_wrap(case, loop, data, precision, start=0):
    import mpc_compiler

    scaler = scaler_of(precision)
    model = mpc_compiler.wrap(
        model_of(case, start), loss=loss_function(case), precision=precision, scaler=scaler if scaler.is_enabled() else None)
    name = "loss_target" if "loss_target" in inspect.signature(model.forward).parameters else "target"
    call = lambda inputs, target: model(*inputs) if case.loss == "output" else model(*inputs, **{name: target})
    return by_loop(case, loop, data, call, model, scaler)


def by_step(case, loop, data, precision, start=0):
    import mpc_compiler

    model, scaler = model_of(case, start), scaler_of(precision)
    optimizer = loop.optimizer(model)
    step = mpc_compiler.step(
        model, optimizer, loss_function(case), precision=precision, clip_norm=loop.clip, accumulate=loop.accumulate,
        scaler=scaler if scaler.is_enabled() else None)
    scheduler, losses = loop.schedule(optimizer), []
    for i, (inputs, target) in enumerate(data):
        losses.append((step(*inputs) if case.loss == "output" else step(*inputs, target)).item())
        if scheduler and i % loop.accumulate == loop.accumulate - 1:
            scheduler.step()
    return losses


def gradients_of(model, call, data):
    inputs, target = data[0]
    call(model, inputs, target).backward()
    return {name: p.grad.double() for name, p in model.named_parameters() if p.grad is not None}


def gradient_errors(case, data, start):
    """Those of wrap() and of PyTorch."""
    import mpc_compiler

    loss = loss_function(case)
    plain = lambda model, inputs, target: model(*inputs) if loss is None else loss(model(*inputs), target)
    wide = lambda value: value.double() if torch.is_tensor(value) and value.is_floating_point() else value
    precise = model_of(case, start).double()
    torch.set_default_dtype(torch.float64)
    exact = gradients_of(precise, plain, [(tuple(map(wide, i)), wide(t)) for i, t in data[:1]])
    torch.set_default_dtype(torch.float32)

    def error(found):
        assert found.keys() == exact.keys(), found.keys() ^ exact.keys()
        square = lambda tensors: sum((tensor**2).sum().item() for tensor in tensors)
        return (square(found[name] - exact[name] for name in exact) / square(exact.values())) ** 0.5

    wrapped = mpc_compiler.wrap(model_of(case, start), loss=loss)
    name = "loss_target" if "loss_target" in inspect.signature(wrapped.forward).parameters else "target"
    ours = gradients_of(wrapped, lambda m, i, t: m(*i) if loss is None else m(*i, **{name: t}), data)
    return error(ours), error(gradients_of(model_of(case, start), plain, data))


def gradient_error(case, data, starts):
    """Of the medians over the starts: an element next to a kink, as of ReLU, decides a single one."""
    errors = [gradient_errors(case, data, start) for start in starts]
    ours, theirs = map(statistics.median, zip(*errors))
    print(f"gradients: ours {ours:.2e}, PyTorch's {theirs:.2e} of {errors}", file=sys.stderr)
    return {"wrap gradients": ours / (2 * theirs)}


def dropout_range(case, loop, data, doors):
    """Where the losses of each door lie in the range of PyTorch's runs."""
    # Another seed draws other masks; the initial weights are the same.
    class Seeded:
        def __init__(self, seed):
            self.seed = seed

        def make(self):
            model = case.make()
            torch.manual_seed(1000 + self.seed)
            return model

        def __getattr__(self, name):
            return getattr(case, name)

    last = lambda losses: statistics.mean(losses[-20:])
    theirs = [last(by_torch(Seeded(seed), loop, data)) for seed in range(NUDGES)]
    middle, half = (max(theirs) + min(theirs)) / 2, (max(theirs) - min(theirs)) / 2
    if half == 0:
        return {}
    found = {}
    for door in doors:
        ours = last(DOORS[door](Seeded(NUDGES), loop, data, "fp32"))
        print(f"{door}: ours {ours:.4f}, PyTorch's {min(theirs):.4f} to {max(theirs):.4f}", file=sys.stderr)
        found[f"{door} dropout"] = abs(ours - middle) / half
    return found


def farthest(losses, exact):
    far = [abs(a - b) / (abs(b) + 1e-30) for a, b in zip(losses, exact)]
    return max(far) if all(f == f for f in far) else float("inf")


def one(name, arguments):
    """A training through each door in each precision: what it came to, by door and precision."""
    import models

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    case = models.CASES[name]
    loop = Loop(case, list(models.CASES).index(name))
    found = {"loop": str(loop)}
    doors = [door for door in DOORS if door in arguments.doors.split(",")]
    if arguments.measure == "dropout":
        batches = data_of(case, 20)
        return found | dropout_range(case, loop, [batches[i % 20] for i in range(arguments.steps)], doors)
    with campaign.without_dropout():
        data = data_of(case, arguments.steps)
        if arguments.measure == "gradients":
            return found | gradient_error(case, data, range(arguments.starts))
        for precision in arguments.precisions.split(","):
            measured = in_fp32 if precision == "fp32" else in_16_bits
            found |= measured(case, loop, data, precision, doors, range(arguments.starts))
    return found


DOORS = {"wrap": by_wrap, "step": by_step}


def in_fp32(case, loop, data, precision, doors, starts):
    exact = by_torch(case, loop, data)
    allowed = max(farthest(by_torch(case, loop, data, seed=seed), exact) for seed in range(NUDGES))
    return {f"{door} {precision}": tried(DOORS[door], case, loop, data, precision, {0: exact}, allowed) for door in doors}


def in_16_bits(case, loop, data, precision, doors, starts):
    exact = {start: in_float64(case, loop, data, start) for start in starts}
    allowed = amp_distance(case, loop, data, precision, exact)
    return {f"{door} {precision}": tried(DOORS[door], case, loop, data, precision, exact, allowed) for door in doors}


def distance(run, case, loop, data, precision, exact):
    """The median over the starts of how far a run is from `exact`, which has the losses of each."""
    return statistics.median(
        farthest(run(case, loop, data, precision, start=start), losses) for start, losses in exact.items())


def amp_distance(case, loop, data, precision, exact):
    try:
        return distance(by_torch, case, loop, data, precision, exact)
    except RuntimeError as error:  # PyTorch has not every op in float16 on a CPU: bfloat16's distance is allowed.
        print(f"PyTorch in {precision}: {error}", file=sys.stderr)
        return amp_distance(case, loop, data, "bf16", exact) if precision != "bf16" else 1e-3


def tried(run, case, loop, data, precision, exact, allowed):
    try:
        far = distance(run, case, loop, data, precision, exact)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:500]
    return far / max(2 * allowed, LEAST)


def in_process(name, arguments):
    command = [sys.executable, "-B", __file__, f"--one={name}", f"--steps={arguments.steps}", f"--doors={arguments.doors}",
               f"--precisions={arguments.precisions}", f"--starts={arguments.starts}", f"--measure={arguments.measure}"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"all": f"above {SECONDS} s"}
    lines = ran.stdout.splitlines()
    if ran.returncode or not lines:
        return {"all": f"exit {ran.returncode}: {ran.stderr.strip().splitlines()[-1:]}"}
    return json.loads(lines[-1])


def is_good(value):
    return isinstance(value, float) and value <= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true", help="every case of models.py")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--doors", default="wrap,step")
    parser.add_argument("--precisions", default="fp32,bf16,fp16")
    parser.add_argument("--measure", choices=["losses", "gradients", "dropout"], default="losses")
    parser.add_argument("--starts", type=int, default=1, help="initial weights whose median is told in 16 bits")
    arguments = parser.parse_args()
    if arguments.one:
        with contextlib.redirect_stdout(sys.stderr):
            found = one(arguments.one, arguments)
        print(json.dumps(found))
        return
    names = CHOSEN
    if arguments.all:
        import models

        names = list(models.CASES)
    counts = {}
    for name in [name for name in names if re.search(arguments.only, name)]:
        found = in_process(name, arguments)
        print(f"{name} ({found.pop('loop', '')})", flush=True)
        for key, value in found.items():
            counts.setdefault(key, []).append(is_good(value))
            print(f"  {key:10} {value:.2f}" if isinstance(value, float) else f"  {key:10} {value}", flush=True)
    for key, good in counts.items():
        print(f"{key}: {sum(good)} of {len(good)}")


if __name__ == "__main__":
    sys.path.insert(0, os.fspath(pathlib.Path(__file__).parent))
    main()
