# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The U-Net of "Denoising Diffusion Probabilistic Models" (Ho et al., 2020) as it was trained on images of 32 x 32: two
residual blocks a level, attention at 16 x 16, 35.7 million parameters at a width of 128."""
import math

import torch
from torch import nn
from torch.nn import functional as F

# Channels of each level, in widths, and the levels that have attention.
LEVELS = (1, 2, 2, 2)
ATTENDED = (False, True, False, False)
BLOCKS = 2
GROUPS = 32


def norm(channels):
    return nn.GroupNorm(min(GROUPS, channels // 2), channels, 1e-6)


class Residual(nn.Module):
    def __init__(self, inputs, outputs, time, dropout):
        super().__init__()
        self.first = nn.Sequential(norm(inputs), nn.SiLU(), nn.Conv2d(inputs, outputs, 3, padding=1))
        self.time = nn.Linear(time, outputs)
        self.second = nn.Sequential(norm(outputs), nn.SiLU(), nn.Dropout(dropout), nn.Conv2d(outputs, outputs, 3, padding=1))
        self.side = nn.Identity() if inputs == outputs else nn.Conv2d(inputs, outputs, 1)

    def forward(self, x, time):
        y = self.first(x) + self.time(F.silu(time))[:, :, None, None]
        return self.side(x) + self.second(y)


class Attention(nn.Module):
    """One head over the pixels."""

    def __init__(self, channels):
        super().__init__()
        self.norm = norm(channels)
        self.qkv, self.out = nn.Conv2d(channels, 3 * channels, 1), nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        q, k, v = (part.flatten(2).transpose(1, 2) for part in self.qkv(self.norm(x)).chunk(3, 1))
        mixed = F.scaled_dot_product_attention(q, k, v)
        return x + self.out(mixed.transpose(1, 2).reshape(x.shape))


class Stage(nn.Module):
    """A residual block, and attention where the level has it."""

    def __init__(self, inputs, outputs, time, dropout, attended):
        super().__init__()
        self.block = Residual(inputs, outputs, time, dropout)
        self.attention = Attention(outputs) if attended else nn.Identity()

    def forward(self, x, time):
        return self.attention(self.block(x, time))


class Larger(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return self.conv(F.interpolate(x, scale_factor=2.0, mode="nearest"))


class UNet(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.width, time = width, 4 * width
        self.time = nn.Sequential(nn.Linear(width, time), nn.SiLU(), nn.Linear(time, time))
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        channels, kept = width, [width]
        for level, times in enumerate(LEVELS):
            for _ in range(BLOCKS):
                self.down.append(Stage(channels, times * width, time, dropout, ATTENDED[level]))
                channels = times * width
                kept.append(channels)
            if level + 1 < len(LEVELS):
                self.down.append(nn.Conv2d(channels, channels, 3, 2, 1))
                kept.append(channels)
        self.middle = nn.ModuleList(Stage(channels, channels, time, dropout, attended) for attended in (True, False))
        for level, times in reversed(list(enumerate(LEVELS))):
            for _ in range(BLOCKS + 1):
                self.up.append(Stage(channels + kept.pop(), times * width, time, dropout, ATTENDED[level]))
                channels = times * width
            if level:
                self.up.append(Larger(channels))
        self.last = nn.Sequential(norm(channels), nn.SiLU(), nn.Conv2d(channels, 3, 3, padding=1))

    def embed(self, time):
        """Sines and cosines of a time."""
        half = self.width // 2
        rates = torch.exp(torch.arange(half) * (-math.log(10000) / (half - 1)))
        angles = time[:, None].float() * rates
        return self.time(torch.cat([angles.sin(), angles.cos()], 1))

    def forward(self, x, time):
        time = self.embed(time)
        x = self.first(x)
        kept = [x]
        for part in self.down:
            x = part(x, time) if isinstance(part, Stage) else part(x)
            kept.append(x)
        for stage in self.middle:
            x = stage(x, time)
        for part in self.up:
            x = part(torch.cat([x, kept.pop()], 1), time) if isinstance(part, Stage) else part(x)
        return self.last(x)
