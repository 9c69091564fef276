# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules over images, fields and points, as users write them."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Radiance(nn.Module):
    """Positions as sines, a field with a skip, colours composed along each ray by an exclusive product."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3 + 3 * 2 * 4, 12), nn.Linear(12 + 27, 12)
        self.density, self.colour = nn.Linear(12, 1), nn.Linear(12, 3)
        self.register_buffer("bands", 2.0 ** torch.arange(4) * math.pi)

    def forward(self, origin, direction):
        depth = torch.linspace(0.5, 2.0, 6, dtype=origin.dtype)
        points = origin[:, None] + direction[:, None] * depth[None, :, None]
        angles = points[..., None] * self.bands
        encoded = torch.cat([points, angles.sin().flatten(-2), angles.cos().flatten(-2)], -1)
        h = F.relu(self.b(torch.cat([F.relu(self.a(encoded)), encoded], -1)))
        step = torch.cat([depth[1:] - depth[:-1], torch.full((1,), 1e2, dtype=depth.dtype)])
        alpha = 1 - torch.exp(-F.softplus(self.density(h)[..., 0]) * step)
        clear = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], -1), -1)[:, :-1]
        return ((alpha * clear)[..., None] * self.colour(h).sigmoid()).sum(1)


class HashGrid(nn.Module):
    """Features of the corners of a cell, in tables of two resolutions, mixed bilinearly."""

    def __init__(self):
        super().__init__()
        self.tables, self.net = nn.Parameter(torch.randn(2, 16, 3) * 0.3), nn.Linear(6, 2)

    def forward(self, x):
        features = []
        for level, size in enumerate((4, 7)):
            place = x.clamp(0, 0.999) * size
            low = place.floor()
            part = place - low
            total = 0
            for dx in (0, 1):
                for dy in (0, 1):
                    corner = low.long() + torch.tensor([dx, dy])
                    index = (corner[:, 0] * 73 ^ corner[:, 1] * 19) % 16
                    weight = (part if dx else 1 - part)[:, 0] * (part if dy else 1 - part)[:, 1]
                    total = total + weight[:, None] * self.tables[level][index]
            features.append(total)
        return self.net(torch.cat(features, -1).sin())


class UNet(nn.Module):
    """Down by pools, up by interpolation and by transposed convolution, skips that are cropped, a time step."""

    def __init__(self):
        super().__init__()
        block = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(2, b), nn.SiLU())
        self.a, self.b, self.c = block(2, 4), block(4, 8), block(8, 8)
        self.up, self.d, self.e = nn.ConvTranspose2d(8, 4, 2, 2), block(8 + 8, 8), block(4 + 4, 4)
        self.time, self.head = nn.Sequential(nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 8)), nn.Conv2d(4, 2, 1)

    def forward(self, x, t):
        rate = torch.exp(-math.log(1e4) * torch.arange(4, dtype=x.dtype) / 4)
        angle = t.to(x.dtype)[:, None] * rate
        time = self.time(torch.cat([angle.sin(), angle.cos()], -1))
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2)) + time[:, :, None, None]
        c = self.c(F.avg_pool2d(b, 2, ceil_mode=True))
        up = F.interpolate(c, size=b.shape[-2:], mode="bilinear", align_corners=True)
        d = self.d(torch.cat([up, b], 1))
        e = F.pad(self.up(d), (0, a.shape[-1] - 2 * d.shape[-1], 0, a.shape[-2] - 2 * d.shape[-2]))
        return self.head(self.e(torch.cat([e, a], 1)))


class SuperResolution(nn.Module):
    """Pixels shuffled up over a bicubic base, and down again for a loss; Charbonnier and total variation."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1, padding_mode="reflect"), nn.PReLU(6), nn.Conv2d(6, 4, 3, padding=1))
        self.shuffle, self.fold = nn.PixelShuffle(2), nn.PixelUnshuffle(2)

    def forward(self, x, high):
        y = self.shuffle(self.body(x)) + F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False)
        loss = torch.sqrt((y - high) ** 2 + 1e-6).mean() + (self.fold(y).mean(1, keepdim=True) - x).abs().mean()
        return loss + 1e-2 * ((y[..., 1:] - y[..., :-1]).abs().mean() + torch.diff(y, dim=-2).abs().mean())


class Warped(nn.Module):
    """A spatial transformer: a learned affine grid, then learned offsets to it."""

    def __init__(self):
        super().__init__()
        self.locate, self.offset = nn.Linear(36, 6), nn.Conv2d(1, 2, 3, padding=1)
        self.locate.bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0.0]))
        self.head = nn.Linear(36, 4)

    def forward(self, x):
        grid = F.affine_grid(self.locate(x.flatten(1)).view(-1, 2, 3) * 0.9, list(x.shape), align_corners=False)
        grid = grid + 0.1 * torch.tanh(self.offset(x)).permute(0, 2, 3, 1)
        return self.head(F.grid_sample(x, grid, padding_mode="border", align_corners=False).flatten(1))


class Patches(nn.Module):
    """unfold, attention within each window, and fold back; windows are rolled."""

    def __init__(self):
        super().__init__()
        self.mix, self.gain, self.head = nn.Linear(8, 8), nn.Parameter(torch.ones(1, 2, 1, 1)), nn.Linear(2, 3)

    def forward(self, x):
        x = torch.roll(x * self.gain, (-1, 1), (2, 3))
        columns = F.unfold(x, 2, stride=2).transpose(1, 2)
        y = F.fold(self.mix(columns).softmax(-1).mT, x.shape[-2:], 2, stride=2)
        return self.head((x + y).flip(-1)[..., ::2].square().mean((-2, -1)))


class Standardized(nn.Module):
    """Weights that are standardized, blurred pools, coordinates as channels, squeeze and excitation."""

    def __init__(self):
        super().__init__()
        self.weight, self.gain = nn.Parameter(torch.randn(6, 5, 3, 3) / 5), nn.Parameter(torch.ones(6, 1, 1, 1))
        self.register_buffer("blur", (torch.tensor([1.0, 2, 1])[:, None] * torch.tensor([1.0, 2, 1]) / 16).repeat(6, 1, 1, 1))
        self.squeeze, self.excite, self.head = nn.Linear(6, 3), nn.Linear(3, 6), nn.Linear(6, 4)

    def forward(self, x):
        b, _, h, w = x.shape
        line = lambda n: torch.linspace(-1, 1, n, dtype=x.dtype)
        rows, columns = torch.meshgrid(line(h), line(w), indexing="ij")
        x = torch.cat([x, torch.stack([rows, columns]).expand(b, -1, -1, -1)], 1)
        variance, mean = torch.var_mean(self.weight, dim=(1, 2, 3), keepdim=True, unbiased=False)
        y = F.conv2d(x, self.gain * (self.weight - mean) * torch.rsqrt(variance + 1e-5), padding="same")
        y = F.conv2d(F.pad(F.mish(y), (1, 1, 1, 1), "replicate"), self.blur, stride=2, groups=6)
        scale = F.hardsigmoid(self.excite(F.hardswish(self.squeeze(y.mean((2, 3))))))
        return self.head((y * scale[:, :, None, None]).amax((2, 3)))


class Boxes(nn.Module):
    """Boxes decoded from a grid, and a loss by their generalized overlap, beside a focal one."""

    def __init__(self):
        super().__init__()
        self.net = nn.Conv2d(3, 5, 3, 2, 1)
        self.register_buffer("anchor", torch.tensor([1.5, 2.0]))

    def forward(self, x, boxes, present):
        y = self.net(x).permute(0, 2, 3, 1)
        h, w = y.shape[1:3]
        cells = torch.stack(torch.meshgrid(torch.arange(w), torch.arange(h), indexing="xy"), -1)
        centre, size = y[..., :2].sigmoid() + cells, y[..., 2:4].clamp(max=4).exp() * self.anchor
        a = torch.cat([centre - size / 2, centre + size / 2], -1)
        inner = (torch.min(a[..., 2:], boxes[..., 2:]) - torch.max(a[..., :2], boxes[..., :2])).clamp(min=0).prod(-1)
        area = lambda t: (t[..., 2] - t[..., 0]) * (t[..., 3] - t[..., 1])
        union = area(a) + area(boxes) - inner
        hull = (torch.max(a[..., 2:], boxes[..., 2:]) - torch.min(a[..., :2], boxes[..., :2])).prod(-1)
        overlap = inner / (union + 1e-7) - (hull - union) / (hull + 1e-7)
        chance = F.binary_cross_entropy_with_logits(y[..., 4], present, pos_weight=torch.tensor(2.0, dtype=x.dtype))
        return ((1 - overlap) * present).sum() / present.sum() + chance


class Unpooled(nn.Module):
    """Pools that say where they took from, an odd adaptive pool, and pools of powers."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.head = nn.Conv2d(1, 4, 3, padding=1), nn.ConvTranspose2d(4, 3, 3, padding=1), nn.Linear(18, 4)

    def forward(self, x):
        y, places = F.max_pool2d(F.softsign(self.a(x)), 2, return_indices=True)
        y = self.b(F.max_unpool2d(y, places, 2))
        return self.head(F.adaptive_avg_pool2d(y, (2, 3)).flatten(1) + F.lp_pool2d(y + 3, 2.0, (4, 2))[..., :3].flatten(1))


class Chebyshev(nn.Module):
    """A network of polynomials, by arc cosines and by recurrence."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.randn(4, 6, 5) / 5), nn.Parameter(torch.randn(6, 3, 4) / 5)

    def forward(self, x):
        t = torch.cos(torch.acos(torch.tanh(x).clamp(-0.999, 0.999)).unsqueeze(-1) * torch.arange(5))
        x = torch.tanh(torch.einsum("bik,iok->bo", t, self.a))
        terms = [torch.ones_like(x), x]
        for _ in range(2):
            terms.append(2 * x * terms[-1] - terms[-2])
        return torch.einsum("bik,iok->bo", torch.stack(terms, -1), self.b)


class TensorTrain(nn.Module):
    """A linear layer of three cores, and one of two block-diagonal factors with a permutation between."""

    def __init__(self):
        super().__init__()
        self.cores = nn.ParameterList([nn.Parameter(torch.randn(s) / 2) for s in ((1, 2, 3, 3), (3, 2, 2, 3), (3, 3, 2, 1))])
        self.left, self.right = nn.Parameter(torch.randn(3, 4, 4) / 2), nn.Parameter(torch.randn(4, 3, 3) / 2)
        self.head = nn.Linear(12, 5)

    def forward(self, x):
        y = torch.einsum("bijk,aild,djme,ekna->blmn", x.view(-1, 2, 2, 3), *self.cores).reshape(-1, 12)
        y = torch.einsum("bgi,gij->bgj", y.view(-1, 3, 4), self.left).transpose(1, 2)
        return self.head(torch.einsum("bgi,gij->bgj", y, self.right).transpose(1, 2).reshape(-1, 12))


class Tracker(nn.Module):
    """A Kalman filter of two states with learned noise, over a sequence; covariances by hand."""

    def __init__(self):
        super().__init__()
        self.move, self.noise = nn.Parameter(torch.tensor([[1.0, 0.5], [0, 0.9]])), nn.Parameter(torch.zeros(2))
        self.observe, self.error = nn.Parameter(torch.tensor([[1.0, 0.2]])), nn.Parameter(torch.tensor(0.1))

    def forward(self, x):
        b = x.shape[0]
        mean = torch.zeros(b, 2, 1, dtype=x.dtype)
        spread = torch.eye(2, dtype=x.dtype).expand(b, 2, 2)
        total = x.new_zeros(())
        for t in range(x.shape[1]):
            mean = self.move @ mean
            spread = self.move @ spread @ self.move.T + torch.diag(F.softplus(self.noise))
            rest = x[:, t, None, None] - self.observe @ mean
            scale = self.observe @ spread @ self.observe.T + F.softplus(self.error)
            gain = spread @ self.observe.T / scale
            mean = mean + gain @ rest
            spread = (torch.eye(2, dtype=x.dtype) - gain @ self.observe) @ spread
            total = total + (0.5 * (rest**2 / scale + scale.log())).mean()
        return total / x.shape[1]


class Ode(nn.Module):
    """Steps of Runge and Kutta through a field."""

    def __init__(self):
        super().__init__()
        self.field, self.head = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 4)), nn.Linear(4, 3)

    def slope(self, t, y):
        return self.field(torch.cat([y, torch.full_like(y[:, :1], t)], -1))

    def forward(self, y):
        step = 0.25
        for i in range(4):
            t = i * step
            k1 = self.slope(t, y)
            k2 = self.slope(t + step / 2, y + step / 2 * k1)
            k3 = self.slope(t + step / 2, y + step / 2 * k2)
            y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + self.slope(t + step, y + step * k3))
        return self.head(y)


class Hyperbolic(nn.Module):
    """Distances in the ball of Poincare to learned points."""

    def __init__(self):
        super().__init__()
        self.embed, self.points = nn.Linear(6, 3), nn.Parameter(torch.randn(4, 3) * 0.2)

    def forward(self, x):
        ball = lambda v: torch.tanh(v.norm(dim=-1, keepdim=True)) * v / v.norm(dim=-1, keepdim=True).clamp_min(1e-6) * 0.9
        u, v = ball(self.embed(x))[:, None], ball(self.points)[None]
        square = lambda t: t.pow(2).sum(-1)
        return -torch.acosh(1 + 2 * square(u - v) / ((1 - square(u)) * (1 - square(v))))
