# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ordinary PyTorch training, and the same compiled by mpc: three lines are others.

    python train.py [torch|mpc]

It prints the loss of each tenth step. Both train the same module from the same weights on the
same batches, so that the losses agree to rounding.
"""
import sys

import torch

import mpc_compiler  # 1


def make_module():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(),
        torch.nn.Linear(32, 2))  # fmt: skip


def batches(count):
    """Points, and whether they lie inside of a circle."""
    generator = torch.Generator().manual_seed(1)
    for _ in range(count):
        x = 2 * torch.rand(64, 2, generator=generator) - 1
        yield x, (x.square().sum(dim=1) < 0.5).long()


def train_with_torch(steps=200):
    module, losses = make_module(), []
    loss_function = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.01)
    for x, target in batches(steps):
        optimizer.zero_grad()
        loss = loss_function(module(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train_with_mpc(steps=200):
    module, losses = make_module(), []
    loss_function = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.01)
    step = mpc_compiler.compile_step(  # 2
        module, loss_function, optimizer, example_inputs=[torch.zeros(64, 2)])  # fmt: skip
    for x, target in batches(steps):
        loss = step(x, target)  # 3: in place of zero_grad, forward, backward and step.
        losses.append(loss.item())
    step.sync_to_module()  # The weights are in the module again.
    return losses


if __name__ == "__main__":
    train = train_with_mpc if sys.argv[1:] == ["mpc"] else train_with_torch
    for i, loss in enumerate(train()):
        if i % 10 == 0:
            print(f"step {i}  loss {loss:.4f}")
