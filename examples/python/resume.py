# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training that PyTorch alone saves and goes on with: a checkpoint knows nothing of how its steps were run.

    python resume.py FILE [torch|wrap|step]

The first run trains 50 steps and writes FILE by torch.save. Run again it goes on from there for 50 more, by the same
door or another. It prints the loss of each tenth step.
"""
import os
import sys

import torch
from torch import nn

import mpc_compiler


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))


def batch(number):
    """Points, and whether they lie inside of a circle."""
    x = 2 * torch.rand(64, 2, generator=torch.Generator().manual_seed(number)) - 1
    return x, (x.square().sum(dim=1) < 0.5).long()


def by_torch(model, optimizer, loss_function):
    def step(x, y):
        optimizer.zero_grad()
        loss = loss_function(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


def by_wrap(model, optimizer, loss_function):
    model = mpc_compiler.wrap(model, loss=loss_function)

    def step(x, y):
        optimizer.zero_grad()
        loss = model(x, target=y)
        loss.backward()
        optimizer.step()
        return loss

    return step


DOORS = {"torch": by_torch, "wrap": by_wrap, "step": mpc_compiler.step}


def train(path, door, steps=50):
    """Losses of `steps` more steps than the file has, which is written anew."""
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    done = 0
    if os.path.exists(path):
        saved = torch.load(path)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        done = saved["done"]
    step = DOORS[door](model, optimizer, nn.CrossEntropyLoss())
    losses = [step(*batch(number)).item() for number in range(done, done + steps)]
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "done": done + steps}, path)
    return losses


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for i, loss in enumerate(train(sys.argv[1], (sys.argv[2:] or ["wrap"])[0])):
        if i % 10 == 0:
            print(f"step {i}  loss {loss:.4f}")
