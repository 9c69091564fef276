# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loss of one's own, of all that a module returns: a variational autoencoder with a term that grows.

    python custom_loss.py [torch|mpc]

The loss is a Python function. Its weight of the second term comes with the batch, as a tensor, so that a new one needs
no new program. It prints the loss of each tenth step, and the two terms, which the step does not have to know.
"""
import sys

import torch
from torch import nn
from torch.nn import functional as F

import mpc_compiler


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.encoder = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 8))
        self.decoder = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 16))

    def forward(self, x, noise):
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        code = mean + noise * torch.exp(log_variance / 2)
        return {"x": self.decoder(code), "mean": mean, "log_variance": log_variance}


def terms(outputs, x):
    mean, log_variance = outputs["mean"], outputs["log_variance"]
    divergence = (mean.square() + log_variance.exp() - 1 - log_variance).sum(1).mean() / 2
    return F.mse_loss(outputs["x"], x), divergence


def negative_bound(outputs, target):
    error, divergence = terms(outputs, target["x"])
    return error + target["weight"] * divergence


def batches(count):
    generator = torch.Generator().manual_seed(1)
    directions = torch.randn(4, 16, generator=generator)
    for i in range(count):
        x = torch.randn(64, 4, generator=generator) @ directions
        yield x, torch.randn(64, 4, generator=generator), torch.tensor(min(1.0, i / 50) * 0.1)


def train_with_torch(model, steps=200):
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.005), []
    for x, noise, weight in batches(steps):
        optimizer.zero_grad()
        outputs = model(x, noise)
        loss = negative_bound(outputs, {"x": x, "weight": weight})
        loss.backward()
        optimizer.step()
        losses.append((loss.item(), *(term.item() for term in terms(outputs, x))))
    return losses


def train_with_mpc(model, steps=200):
    model = mpc_compiler.wrap(model, loss=negative_bound)
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.005), []
    for x, noise, weight in batches(steps):
        optimizer.zero_grad()
        loss = model(x, noise, target={"x": x, "weight": weight})
        loss.backward()
        optimizer.step()
        losses.append((loss.item(), *(term.item() for term in terms(loss.outputs, x))))
    return losses


if __name__ == "__main__":
    train = train_with_torch if sys.argv[1:] == ["torch"] else train_with_mpc
    for i, (loss, error, divergence) in enumerate(train(Autoencoder())):
        if i % 10 == 0:
            print(f"step {i}  loss {loss:.4f}  error {error:.4f}  divergence {divergence:.4f}")
