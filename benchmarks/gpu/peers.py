# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of models.py in PyTorch, of the same sizes, and what a step of them takes there. In a process of its own, so
that nothing of it stays on the device."""
import argparse
import json
import pathlib
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

import models

LOW = {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16}


class Attention(nn.Module):
    def __init__(self, width, heads, biases):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=biases)
        self.proj = nn.Linear(width, width, bias=biases)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(*parts, is_causal=True)
        return self.proj(mixed.transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        width, biases = sizes.width, sizes.biases
        self.ln1, self.ln2 = (nn.LayerNorm(width, bias=biases) for _ in range(2))
        self.attn = Attention(width, sizes.heads, biases)
        gelu = nn.GELU(approximate="tanh" if sizes.gelu else "none")
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width, bias=biases), gelu, nn.Linear(4 * width, width, bias=biases)
        )

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.wte = nn.Embedding(sizes.vocabulary, sizes.width)
        self.wpe = nn.Embedding(sizes.length, sizes.width)
        nn.init.normal_(self.wte.weight, std=0.02)
        self.blocks = nn.Sequential(*(Block(sizes) for _ in range(sizes.layers)))
        self.lnf = nn.LayerNorm(sizes.width, bias=sizes.biases)

    def forward(self, tokens):
        x = self.blocks(self.wte(tokens) + self.wpe.weight)
        return F.linear(self.lnf(x), self.wte.weight).flatten(0, 1)


class Residual(nn.Module):
    def __init__(self, channels, filters, stride):
        super().__init__()
        self.main = nn.Sequential(
            *conv_norm(channels, filters, 3, stride), nn.ReLU(), *conv_norm(filters, filters, 3, 1)
        )
        self.down = nn.Sequential(*conv_norm(channels, filters, 1, stride)) if stride != 1 else nn.Identity()

    def forward(self, x):
        return F.relu(self.main(x) + self.down(x))


def conv_norm(channels, filters, size, stride):
    return nn.Conv2d(channels, filters, size, stride, size // 2, bias=False), nn.BatchNorm2d(filters)


class ResNet(nn.Module):
    def __init__(self, first=64):
        super().__init__()
        layers, channels = [*conv_norm(3, first, 3, 1), nn.ReLU()], first
        for filters in (first, 2 * first, 4 * first, 8 * first):
            for part in range(2):
                layers.append(Residual(channels, filters, 2 if part == 0 and filters > first else 1))
                channels = filters
        self.body, self.fc = nn.Sequential(*layers), nn.Linear(channels, 10)

    def forward(self, x):
        return self.fc(self.body(x).mean((2, 3)))


def build(sizes):
    if sizes.length:
        return GPT(sizes)
    return nn.Linear(sizes.width, sizes.vocabulary, bias=False) if sizes.width else ResNet()


class Trainer:
    """torch.compile with the loss inside, autocast, fused AdamW, clipping by the global norm, GradScaler for fp16."""

    def __init__(self, sizes, precision, mode, batch, device):
        self.model = build(sizes).to(device)
        self.call = torch.compile(self.loss, mode=mode)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, fused=True)
        self.low = LOW[precision]
        self.scaler = torch.amp.GradScaler(device, enabled=precision == "fp16")
        self.batch = [part.to(device) for part in batch]
        self.device = device

    def loss(self, inputs, target):
        return F.cross_entropy(self.model(inputs), target.flatten())

    def step(self):
        torch.compiler.cudagraph_mark_step_begin()
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(self.device, dtype=self.low, enabled=self.low is not None):
            loss = self.call(*self.batch)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss

    def synchronize(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def milliseconds(self, steps, warmup=3):
        """The median of a step, of which the host waits for each."""
        times = []
        for step in range(-warmup, steps):
            self.synchronize()
            begin = time.perf_counter()
            loss = self.step()
            self.synchronize()
            if step >= 0:
                times.append(1e3 * (time.perf_counter() - begin))
        if not torch.isfinite(loss):
            raise RuntimeError(f"the loss is {loss.item()}")
        return statistics.median(times)


def read_batch(path):
    """The tensors of a safetensors file, in order."""
    content = pathlib.Path(path).read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    kinds = {"I64": torch.int64, "F32": torch.float32}
    parts = []
    for tensor in json.loads(content[8:begin]).values():
        first, last = (begin + place for place in tensor["data_offsets"])
        part = torch.frombuffer(bytearray(content[first:last]), dtype=kinds[tensor["dtype"]])
        parts.append(part.view(tensor["shape"]))
    return parts


def time_step(arguments):
    begin = time.perf_counter()
    sizes = models.sizes(arguments.model, **json.loads(arguments.changes))
    mode = None if arguments.mode == "default" else arguments.mode
    trainer = Trainer(sizes, arguments.precision, mode, read_batch(arguments.batch), arguments.device)
    found = {"ms": trainer.milliseconds(arguments.steps), "seconds_in_all": time.perf_counter() - begin}
    if arguments.device == "cuda":
        found["peak_bytes"] = torch.cuda.max_memory_allocated()
    return found


def time_products(arguments):
    """TFLOP/s of cuBLAS, of numbers that are drawn."""
    rates = {}
    for size in map(int, arguments.sizes.split(",")):
        a, b = (torch.randn(size, size, device=arguments.device).half() for _ in range(2))
        times = []
        for repeat in range(-3, 20):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            a @ b.T
            end.record()
            end.synchronize()
            if repeat >= 0:
                times.append(start.elapsed_time(end))
        rates[str(size)] = 2 * size**3 / statistics.median(times) * 1e-9
    return {"cublas_f16_tflop_s": rates}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("step", "products"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--sizes", default="", help="of square products")
    parser.add_argument("--model", choices=models.SIZES)
    parser.add_argument("--changes", default="{}", help="of the model's sizes, as JSON")
    parser.add_argument("--precision", choices=LOW)
    parser.add_argument("--mode", default="default", help="of torch.compile")
    parser.add_argument("--batch", help="safetensors file")
    parser.add_argument("--steps", type=int, default=20)
    arguments = parser.parse_args()
    found = time_step(arguments) if arguments.what == "step" else time_products(arguments)
    print(json.dumps(found | {"torch": torch.__version__, "torch_cuda": torch.version.cuda}))


if __name__ == "__main__":
    main()
