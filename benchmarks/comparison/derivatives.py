# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules whose forward takes gradients itself, for torch_loops.py: each gives one that returns its loss, and a batch."""
import torch
from torch import nn


def numbers(*sizes, seed=[0]):
    seed[0] += 1
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(seed[0]))


def by(value, *inputs):
    return torch.autograd.grad(value, inputs, torch.ones_like(value), create_graph=True)


class Burgers(nn.Module):
    """A physics-informed network: the residual of u_t + u u_x = nu u_xx at points, and the values at others."""

    def __init__(self, width=128, depth=5):
        super().__init__()
        layers = [nn.Linear(2, width), nn.Tanh()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.Tanh()]
        self.net = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, x, t, values):
        x, t = x.detach().requires_grad_(True), t.detach().requires_grad_(True)
        u = self.net(torch.cat([x, t], 1))
        u_x, u_t = by(u, x, t)
        u_xx, = by(u_x, x)
        return (u_t + u * u_x - 0.01 / torch.pi * u_xx).square().mean() + (u - values).square().mean()


def pinn():
    return Burgers(), {"x": numbers(4096, 1), "t": numbers(4096, 1), "values": numbers(4096, 1)}


class Critic(nn.Module):
    """WGAN-GP: a critic of images whose gradient shall have length 1."""

    def __init__(self, width=64):
        super().__init__()
        norm = lambda count: nn.InstanceNorm2d(count, affine=True)
        self.net = nn.Sequential(
            nn.Conv2d(3, width, 4, 2, 1), nn.LeakyReLU(0.2),
            nn.Conv2d(width, 2 * width, 4, 2, 1), norm(2 * width), nn.LeakyReLU(0.2),
            nn.Conv2d(2 * width, 4 * width, 4, 2, 1), norm(4 * width), nn.LeakyReLU(0.2), nn.Conv2d(4 * width, 1, 4))

    def forward(self, real, fake, share):
        mixed = (share * real + (1 - share) * fake).detach().requires_grad_(True)
        gradient, = by(self.net(mixed), mixed)
        penalty = ((gradient.flatten(1).norm(2, 1) - 1) ** 2).mean()
        return self.net(fake).mean() - self.net(real).mean() + 10 * penalty


def wgan_gp():
    return Critic(), {"real": numbers(16, 3, 32, 32), "fake": numbers(16, 3, 32, 32), "share": numbers(16, 1, 1, 1).sigmoid()}


class InnerLoop(nn.Module):
    """MAML: the loss of each task behind three steps of gradient descent on it."""

    def __init__(self, width=128):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def loss(self, weights, x, y):
        return (torch.func.functional_call(self.net, weights, (x,)) - y).square().mean()

    def forward(self, x, y, held_x, held_y):
        losses = []
        for task in range(len(x)):
            weights = dict(self.net.named_parameters())
            for _ in range(3):
                found = torch.autograd.grad(self.loss(weights, x[task], y[task]), list(weights.values()), create_graph=True)
                weights = {name: w - 0.01 * g for (name, w), g in zip(weights.items(), found)}
            losses.append(self.loss(weights, held_x[task], held_y[task]))
        return torch.stack(losses).mean()


def maml():
    return InnerLoop(), {name: numbers(8, 10, 1) for name in ("x", "y", "held_x", "held_y")}


MODELS = {"pinn": pinn, "wgan-gp": wgan_gp, "maml": maml}
