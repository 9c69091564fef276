# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that give a loss of their own, of what users train by."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def perceptron(*sizes):
    layers = [part for a, b in zip(sizes, sizes[1:]) for part in (nn.Linear(a, b), nn.Tanh())]
    return nn.Sequential(*layers[:-1])


class SoftTargets(nn.Module):
    """Mixed labels as probabilities, with weights of classes and smoothing; one with classes on axis 1."""

    def __init__(self):
        super().__init__()
        self.net, self.dense = nn.Linear(6, 5), nn.Conv1d(2, 3, 3, padding=1)
        self.register_buffer("weight", torch.tensor([1.0, 2, 0.5, 1, 1.5]))

    def forward(self, x, labels, other, share, maps):
        target = share[:, None] * F.one_hot(labels, 5) + (1 - share[:, None]) * F.one_hot(other, 5)
        loss = F.cross_entropy(self.net(x), target.to(x.dtype), weight=self.weight, label_smoothing=0.1)
        return loss + F.cross_entropy(self.dense(x.view(-1, 2, 3)), maps.softmax(1))


class Adversary(nn.Module):
    """A generator and a critic in one loss, each without the gradient of the other's part."""

    def __init__(self):
        super().__init__()
        self.generator, self.critic = perceptron(3, 8, 4), perceptron(4, 8, 1)

    def forward(self, z, real):
        fake = self.generator(z)
        hinge = F.relu(1 - self.critic(real)).mean() + F.relu(1 + self.critic(fake.detach())).mean()
        frozen = [p.detach() for p in self.critic.parameters()]
        return hinge - F.linear(torch.tanh(F.linear(fake, *frozen[:2])), *frozen[2:]).mean()


class Teacher(nn.Module):
    """A student against a teacher that is no parameter, by sharpened and centred probabilities."""

    def __init__(self):
        super().__init__()
        self.student, self.teacher = perceptron(6, 8, 5), perceptron(6, 8, 5)
        self.teacher.requires_grad_(False)
        self.register_buffer("centre", torch.linspace(-0.1, 0.1, 5))

    def forward(self, a, b):
        with torch.no_grad():
            goal = F.softmax((self.teacher(a) - self.centre) / 0.5, dim=-1)
        return -(goal * F.log_softmax(self.student(b) / 0.7, dim=-1)).sum(-1).mean()


class Supervised(nn.Module):
    """Contrasts within a batch by labels; the own pair is masked out."""

    def __init__(self):
        super().__init__()
        self.net = perceptron(6, 10, 4)

    def forward(self, x, labels):
        z = F.normalize(self.net(x), p=2, dim=1)
        logits = z @ z.T / 0.3
        logits = logits - logits.max(1, keepdim=True).values.detach()
        other = 1 - torch.eye(len(x), dtype=x.dtype)
        same = torch.eq(labels[:, None], labels[None]).to(x.dtype) * other
        chance = logits - (logits.exp() * other).sum(1, keepdim=True).log()
        return -((same * chance).sum(1) / same.sum(1).clamp_min(1)).mean()


class Decorrelated(nn.Module):
    """Barlow Twins and VICReg: correlations off the diagonal, standard deviations of a batch."""

    def __init__(self):
        super().__init__()
        self.net, self.norm = perceptron(6, 8, 5), nn.BatchNorm1d(5, affine=False)

    def forward(self, a, b):
        a, b = self.net(a), self.net(b)
        c = self.norm(a).T @ self.norm(b) / len(a)
        on = torch.diagonal(c).add(-1).pow(2).sum()
        off = c.flatten()[:-1].view(4, 6)[:, 1:].flatten().pow(2).sum()
        spread = sum(F.relu(1 - torch.sqrt(t.var(dim=0) + 1e-4)).mean() for t in (a, b))
        d = a - a.mean(0)
        covariance = (d.T @ d / (len(a) - 1)).masked_fill(torch.eye(5, dtype=torch.bool), 0.0).pow(2).sum()
        return on + 0.05 * off + spread + 0.04 * covariance


class Mixture(nn.Module):
    """A mixture of normal distributions, by logsumexp; and quantiles beside it."""

    def __init__(self):
        super().__init__()
        self.net, self.heads = nn.Linear(4, 8), nn.ModuleList([nn.Linear(8, 3), nn.Linear(8, 3), nn.Linear(8, 3)])
        self.quantile = nn.Linear(8, 3)
        self.register_buffer("levels", torch.tensor([0.1, 0.5, 0.9]))

    def forward(self, x, y):
        h = torch.tanh(self.net(x))
        share, mean, scale = (head(h) for head in self.heads)
        scale = F.softplus(scale) + 1e-3
        normal = -0.5 * ((y - mean) / scale) ** 2 - scale.log() - 0.5 * math.log(2 * math.pi)
        rest = y - self.quantile(h)
        pinball = torch.max(self.levels * rest, (self.levels - 1) * rest).mean()
        return -torch.logsumexp(share.log_softmax(-1) + normal, -1).mean() + pinball


class Crf(nn.Module):
    """A chain of tags: the score of the given one less the logarithm of all, with lengths as a mask."""

    def __init__(self):
        super().__init__()
        self.emit, self.move, self.start = nn.Linear(5, 4), nn.Parameter(torch.randn(4, 4) * 0.1), nn.Parameter(torch.zeros(4))

    def forward(self, x, tags, mask):
        e = self.emit(x)
        score = self.start[tags[:, 0]] + e[:, 0].gather(1, tags[:, :1]).squeeze(1)
        alpha = self.start + e[:, 0]
        for t in range(1, x.shape[1]):
            step = self.move[tags[:, t - 1], tags[:, t]] + e[torch.arange(len(x)), t, tags[:, t]]
            score = score + step * mask[:, t].to(x.dtype)
            following = torch.logsumexp(alpha.unsqueeze(2) + self.move + e[:, t].unsqueeze(1), 1)
            alpha = torch.where(mask[:, t].unsqueeze(1), following, alpha)
        return (alpha.logsumexp(-1) - score).mean()


class Transport(nn.Module):
    """Sinkhorn's iterations between two sets, in logarithms."""

    def __init__(self):
        super().__init__()
        self.net = perceptron(3, 8, 2)

    def forward(self, x, y):
        cost = torch.cdist(self.net(x), y, p=2.0) ** 2
        f, g = torch.zeros(x.shape[0], dtype=x.dtype), torch.zeros(y.shape[0], dtype=x.dtype)
        for _ in range(5):
            f = -0.5 * torch.logsumexp((g[None] - cost) / 0.5 - math.log(len(y)), 1)
            g = -0.5 * torch.logsumexp((f[:, None] - cost) / 0.5 - math.log(len(x)), 0)
        plan = torch.exp((f[:, None] + g[None] - cost) / 0.5) / (len(x) * len(y))
        return (plan * cost).sum()


class HardExamples(nn.Module):
    """The worst half of a batch's losses, and a surrogate of the overlap by sorted errors."""

    def __init__(self):
        super().__init__()
        self.net, self.binary = nn.Linear(6, 4), nn.Linear(6, 1)

    def forward(self, x, labels, mask):
        worst, _ = F.cross_entropy(self.net(x), labels, reduction="none").topk(len(x) // 2)
        signs = 2.0 * mask - 1.0
        errors, order = torch.sort(1.0 - self.binary(x)[:, 0] * signs, descending=True)
        truth = mask[order]
        total = truth.sum()
        overlap = 1 - (total - truth.cumsum(0)) / (total + (1 - truth).cumsum(0))
        grad = torch.cat([overlap[:1], overlap[1:] - overlap[:-1]])
        return worst.mean() + torch.dot(F.relu(errors), grad)


class Margin(nn.Module):
    """An angular margin on the label's class, and a distance to its centre."""

    def __init__(self):
        super().__init__()
        self.net, self.weight = perceptron(6, 8, 3), nn.Parameter(torch.randn(5, 3))

    def forward(self, x, labels):
        cosine = F.linear(F.normalize(self.net(x)), F.normalize(self.weight)).clamp(-1 + 1e-4, 1 - 1e-4)
        moved = torch.cos(torch.acos(cosine) + 0.2)
        hot = torch.zeros_like(cosine).scatter_(1, labels.view(-1, 1), 1)
        return F.cross_entropy(4 * torch.where(hot.bool(), moved, cosine), labels)


class Policy(nn.Module):
    """PPO's clipped ratio, an entropy, a clipped value; a squashed normal policy; Q values picked by action."""

    def __init__(self):
        super().__init__()
        self.body, self.actor, self.critic = nn.Linear(5, 8), nn.Linear(8, 3), nn.Linear(8, 1)
        self.mean, self.log_std, self.q = nn.Linear(8, 2), nn.Parameter(torch.zeros(2)), nn.Linear(8, 3)

    def forward(self, x, action, old, advantage, value, noise):
        h = F.leaky_relu(self.body(x))
        logs = F.log_softmax(self.actor(h), -1)
        ratio = (logs.gather(-1, action[:, None])[:, 0] - old).exp()
        gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
        entropy = -(logs.exp() * logs).sum(-1).mean()
        std = self.log_std.clamp(-5, 2).exp()
        raw = self.mean(h) + std * noise
        chance = -0.5 * noise**2 - std.log() - 2 * (math.log(2) - raw - F.softplus(-2 * raw))
        q = self.q(h)
        goal = advantage + 0.9 * q.max(1).values.detach()
        return (
            F.mse_loss(self.critic(h).squeeze(-1), value) - gain - 0.01 * entropy + 0.1 * chance.sum(-1).mean()
            + F.smooth_l1_loss(q[torch.arange(len(x)), action], goal)
        )  # fmt: skip


class Recommender(nn.Module):
    """Factorization machines and cross layers over embeddings with weights, a bag with per-sample weights."""

    def __init__(self):
        super().__init__()
        self.factors, self.linear = nn.Embedding(30, 4), nn.Embedding(30, 1)
        self.bag = nn.EmbeddingBag(30, 4, mode="sum")
        self.cross, self.deep = nn.Linear(16, 16), perceptron(16, 8, 1)

    def forward(self, fields, weights, click):
        v = self.factors(fields)
        pair = 0.5 * (v.sum(1).pow(2) - v.pow(2).sum(1)).sum(-1)
        x = v.flatten(1)
        x = x * self.cross(x) + x
        logit = self.linear(fields).sum((1, 2)) + pair + self.deep(x)[:, 0]
        logit = logit + self.bag(fields, per_sample_weights=weights).sum(-1)
        return F.binary_cross_entropy(torch.sigmoid(logit), click) + 1e-3 * self.factors.weight.norm()


class Statistics(nn.Module):
    """Medians, quantiles, deviations, norms, products, and running maxima, of what a layer gives."""

    def __init__(self):
        super().__init__()
        self.net = perceptron(6, 8, 7)

    def forward(self, x):
        y = self.net(x)
        parts = [y.std(-1), y.var(-1, unbiased=False), y.median(-1).values, y.kthvalue(3, -1).values]
        parts += [y.norm(p=1, dim=-1), y.norm(p=float("inf"), dim=-1), torch.linalg.vector_norm(y, 3, dim=-1)]
        parts += [y.logsumexp(-1), (y + 2).prod(-1), torch.logaddexp(y[:, 0], y[:, 1]), y.abs().amin(-1)]
        parts += [torch.atan2(y[:, 0], y[:, 1] + 2), torch.expm1(y[:, 2]), torch.erf(y[:, 3]), torch.hypot(y[:, 4], y[:, 5])]
        parts += [torch.lerp(y[:, 0], y[:, 1], 0.3), torch.frac(y[:, 0] * 3), torch.fmod(y[:, 1], 0.5), y.mT.triu().sum(0)]
        return torch.stack(parts).mean() + torch.cummax(y, 1).values.mean() + y.sort(-1).values[:, 2:4].mean()


class Assigned(nn.Module):
    """Writes into slices, masks and indices in place, and adds at repeated indices."""

    def __init__(self):
        super().__init__()
        self.net, self.fill = nn.Linear(6, 6), nn.Parameter(torch.randn(6))

    def forward(self, x, index):
        y = self.net(x).clone()
        y[:, 1:3] = y[:, 3:5] * 2
        y[0] += self.fill
        y[index[:2]] = self.fill * 0.5
        y = torch.where(x > 1, self.fill, y)
        y[x < -1] = 0.25
        z = torch.zeros(4, 6, dtype=x.dtype).index_put((index,), y, accumulate=True)
        z = z.index_fill(1, torch.tensor([2]), 0.1).masked_fill(z > 2, 2)
        z[..., ::2] *= 3
        return (z * torch.tril(torch.ones_like(z), 1)).square().mean() + y.diagonal().sum() + torch.trace(y)


class Trees(nn.Module):
    """Soft decisions, paths multiplied; a loss by straight-through rounding of the leaves' share."""

    def __init__(self):
        super().__init__()
        self.split, self.leaves = nn.Linear(6, 7), nn.Parameter(torch.randn(8, 3) * 0.5)
        self.size = nn.Parameter(torch.tensor(0.2))

    def forward(self, x, labels):
        right, path = self.split(x).sigmoid(), x.new_ones(x.shape[0], 1)
        for depth in range(3):
            p = right[:, 2**depth - 1 : 2 ** (depth + 1) - 1]
            path = torch.stack([path * (1 - p), path * p], -1).flatten(1)
        level = path / self.size
        level = level + (level.round() - level).detach()
        return F.nll_loss(((path + 0.1 * level * self.size) @ self.leaves).log_softmax(-1), labels)
