#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's training loop against the same loop by wrap() and by step().

    PYTHONPATH=build/python PYTHON_WITH_TORCH benchmarks/torch_loops.py [--models=bert,gpt2,cnn,mlp] [--rounds=7]
        [--memory]

The models of compare.py (bert-base, gpt2-124m, ...) are there, too: of published size, with dropout as published; and
pinn, wgan-gp and maml, whose forward takes gradients itself (torch.compile has no second derivative).

Prints milliseconds of a whole step (zero_grad, forward, backward, optimizer), and how many times as long as step's
PyTorch's takes: the median over rounds, in which all take turns, so that a loaded machine is slow to all of them.
PyTorch runs eagerly, or as torch.compile has it (--loops=torch,compile,step), under torch.autocast in 16 bits, with a
GradScaler in fp16.

With --memory it prints the most memory in MiB that a process holds in two steps, PyTorch's libraries and the weights
included, and how many times as much as step's PyTorch's loop takes.
"""
import argparse
import contextlib
import logging
import multiprocessing
import os
import resource
import statistics
import time
import warnings

os.environ.setdefault("MPC_CACHE_DIR", "")

import torch
from torch import nn
from torch.nn import functional as F

import mpc_compiler
from comparison import cases, derivatives, networks

TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def numbers(seed=1):
    return torch.Generator().manual_seed(seed)


# --- Models: each gives a module that returns its loss, and a batch of keywords ---------------------


class WithLoss(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x, y):
        return F.cross_entropy(self.body(x), y)


def bert():
    import transformers

    config = transformers.BertConfig(
        vocab_size=1000, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=512,
        max_position_embeddings=128, num_labels=3, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    ids = torch.randint(1000, (16, 64), generator=numbers())
    batch = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids[:, 0] % 3}
    return transformers.BertForSequenceClassification(config), batch


def gpt2():
    import transformers

    config = transformers.GPT2Config(
        vocab_size=512, n_positions=64, n_embd=128, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0)
    ids = torch.randint(512, (16, 64), generator=numbers())
    return transformers.GPT2LMHeadModel(config), {"input_ids": ids, "labels": ids}


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)])
        self.side = nn.Identity() if stride == 1 else nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x):
        y = F.relu(self.norms[0](self.first(x)))
        return F.relu(self.norms[1](self.second(y)) + self.side(x))


def cnn():
    body = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), Block(16, 16, 1), Block(16, 32, 2),
        Block(32, 64, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
    x = torch.randn(32, 3, 32, 32, generator=numbers())
    return WithLoss(body), {"x": x, "y": torch.randint(10, (32,), generator=numbers())}


def mlp():
    body = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    x = torch.randn(256, 64, generator=numbers())
    return WithLoss(body), {"x": x, "y": torch.randint(10, (256,), generator=numbers())}


def published(name):
    """A model of compare.py."""
    return lambda: networks.build(cases.model(name, small=False))


MODELS = {
    "bert": bert, "gpt2": gpt2, "cnn": cnn, "mlp": mlp, **derivatives.MODELS, **{name: published(name) for name in cases.MODELS},
}


# --- Loops: each gives a function that runs one step ------------------------------------------------


def made(model):
    torch.manual_seed(0)
    module, batch = MODELS[model]()
    return module.train(), batch


def adam(module):
    return torch.optim.AdamW(module.parameters(), lr=1e-4)


def loss_of(output):
    return output if torch.is_tensor(output) else output.loss


def by_torch(model, precision, compiled=lambda module: module):
    module, batch = made(model)
    optimizer, scaler = adam(module), torch.amp.GradScaler("cpu", enabled=precision == "fp16")
    kind, forward = TYPES.get(precision), compiled(module)

    def run():
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=kind) if kind else contextlib.nullcontext():
            loss = loss_of(forward(**batch))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return run


def by_compile(model, precision):
    return by_torch(model, precision, torch.compile)


def by_wrap(model, precision):
    module, batch = made(model)
    module = mpc_compiler.wrap(module, precision=precision)
    optimizer = adam(module)

    def run():
        optimizer.zero_grad()
        loss_of(module(**batch)).backward()
        optimizer.step()

    return run


def by_step(model, precision):
    module, batch = made(model)
    scaler = {"scaler": "dynamic"} if precision == "fp16" else {}
    step = mpc_compiler.step(module, adam(module), precision=precision, **scaler)
    return lambda: step(**batch)


LOOPS = {"torch": by_torch, "compile": by_compile, "wrap": by_wrap, "step": by_step}


# --- Times ------------------------------------------------------------------------------------------


def milliseconds(run, seconds):
    """The median of the steps in about so long."""
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        begin = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def processor():
    with open("/proc/cpuinfo") as file:
        facts = dict(line.split(":", 1) for line in file.read().split("\n\n")[0].splitlines())
    facts = {key.strip(): value.strip() for key, value in facts.items()}
    kinds = " ".join(flag for flag in facts.get("flags", "").split() if flag in ("avx512f", "avx512_bf16", "amx_bf16"))
    return f"{facts.get('model name')} (family {facts.get('cpu family')}, model {facts.get('model')}) {kinds}"


def peak(loop, model, precision, threads):
    """The most MiB that this process, which does nothing else, ever held."""
    quiet(threads)
    run = LOOPS[loop](model, precision)
    for _ in range(2):
        run()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_memory(model, precision, arguments):
    found = {}
    for loop in arguments.loops.split(","):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found[loop] = pool.apply(peak, (loop, model, precision, arguments.threads))
    print(f"{model:10}{precision:6}" + "".join(f"{memory:10.0f}" for memory in found.values())
          + f"{found['torch'] / found['step']:12.2f}", flush=True)


def quiet(threads):
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    if threads:
        torch.set_num_threads(threads)


def measure(model, precision, arguments):
    runs = {name: LOOPS[name](model, precision) for name in arguments.loops.split(",")}
    for run in runs.values():
        for _ in range(2):
            run()
    rounds = []
    for i in range(arguments.rounds):
        first = i % len(runs)
        names = list(runs)[first:] + list(runs)[:first]
        rounds.append({name: milliseconds(runs[name], arguments.seconds) for name in names})
    found = {name: statistics.median(r[name] for r in rounds) for name in runs}
    ratios = sorted(r["torch"] / r["step"] for r in rounds)
    print(f"{model:10}{precision:6}" + "".join(f"{time:10.2f}" for time in found.values())
          + f"{statistics.median(ratios):12.2f}{ratios[0]:8.2f} ..{ratios[-1]:6.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="mlp,cnn,bert,gpt2")
    parser.add_argument("--precisions", default="fp32,bf16,fp16")
    parser.add_argument("--loops", default="torch,wrap,step", help="torch and step, at least; also compile, wrap")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=0, help="of torch; 0 for its own choice")
    parser.add_argument("--memory", action="store_true", help="the memory of processes in place of times")
    arguments = parser.parse_args()
    quiet(arguments.threads)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {processor()}")
    print(f"{'':16}" + "".join(f"{name:>10}" for name in arguments.loops.split(",")) + f"{'torch/step':>12}{'least, most':>16}")
    for model in arguments.models.split(","):
        for precision in arguments.precisions.split(","):
            (measure_memory if arguments.memory else measure)(model, precision, arguments)


if __name__ == "__main__":
    main()
