# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as users write them that give a loss of their own."""

import torch
import torch.nn.functional as F
from torch import nn


class MaskedLoss(nn.Module):
    """Padded positions take no part; the loss is the model's own."""

    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(20, 12, padding_idx=0), nn.Linear(12, 20)

    def forward(self, tokens, labels):
        logits = self.head(torch.tanh(self.embedding(tokens)))
        mask = (labels != 0).to(logits.dtype)
        each = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
        return (each * mask).sum() / mask.sum().clamp(min=1)


class Variational(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(8, 8), nn.Linear(4, 8)

    def forward(self, x):
        mean, logarithm = self.encode(x).chunk(2, -1)
        z = mean + torch.randn_like(mean) * (0.5 * logarithm).exp()
        divergence = -0.5 * (1 + logarithm - mean**2 - logarithm.exp()).sum(-1).mean()
        return F.mse_loss(self.decode(z), x) + 1e-2 * divergence


class Contrastive(nn.Module):
    """InfoNCE with a learned temperature."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.temperature = nn.Linear(8, 6), nn.Linear(5, 6), nn.Parameter(torch.tensor(2.0))

    def forward(self, x, y):
        x, y = F.normalize(self.a(x), dim=-1), F.normalize(self.b(y), dim=-1)
        logits = self.temperature.exp() * x @ y.T
        labels = torch.arange(x.shape[0])
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


class HardTriplets(nn.Module):
    """The farthest of the same class, the nearest of another."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 12), nn.Tanh(), nn.Linear(12, 4))

    def forward(self, x, labels):
        z = self.net(x)
        distance = ((z[:, None] - z[None]) ** 2).sum(-1).add(1e-6).sqrt()
        same = labels[:, None] == labels[None]
        far = distance.masked_fill(~same, 0).max(1)[0]
        near = distance.masked_fill(same, 1e4).min(1).values
        return F.relu(far - near + 1).mean()


class Focal(nn.Module):
    """Focal and Dice losses of a segmentation."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.SELU(), nn.Conv2d(6, 1, 1))

    def forward(self, x, mask):
        logits = self.net(x)
        p = logits.sigmoid()
        bce = F.binary_cross_entropy_with_logits(logits, mask, reduction="none")
        focal = ((1 - (p * mask + (1 - p) * (1 - mask))) ** 2 * bce).mean()
        dice = 1 - (2 * (p * mask).sum((1, 2, 3)) + 1) / (p.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + 1)
        return focal + dice.mean()


class Losses(nn.Module):
    """Losses of torch.nn, with a model of two heads."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 6), nn.Linear(8, 6)

    def forward(self, x, labels, y):
        a, b = self.a(x), self.b(x)
        loss = F.cross_entropy(a, labels, label_smoothing=0.1) + F.nll_loss(b.log_softmax(-1), labels)
        loss = loss + F.smooth_l1_loss(b, y) + F.huber_loss(a, y, delta=0.5) + F.l1_loss(a, y)
        loss = loss + F.kl_div(a.log_softmax(-1), y.softmax(-1), reduction="batchmean")
        loss = loss + F.cosine_embedding_loss(a, b, torch.ones(a.shape[0])) + F.soft_margin_loss(a, y.sign())
        loss = loss + F.poisson_nll_loss(b, y.abs())
        return loss + F.triplet_margin_loss(a, b, y) + F.margin_ranking_loss(a[:, 0], b[:, 0], y[:, 0].sign())


class Flow(nn.Module):
    """Affine couplings, and a change of volume."""

    def __init__(self):
        super().__init__()
        make = lambda: nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 6))
        self.nets = nn.ModuleList(make() for _ in range(3))
        self.log_scale, self.shift = nn.Parameter(torch.zeros(6)), nn.Parameter(torch.zeros(6))

    def forward(self, x):
        x, volume = x * self.log_scale.exp() + self.shift, self.log_scale.sum()
        for net in self.nets:
            a, b = x.chunk(2, -1)
            s, t = net(a).chunk(2, -1)
            x, volume = torch.cat([b * torch.tanh(s).exp() + t, a], -1), volume + torch.tanh(s).sum(-1)
        return (0.5 * (x**2).sum(-1) - volume).mean()
