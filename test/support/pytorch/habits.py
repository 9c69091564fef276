# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as users write them: what the libraries of models have not."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations, weight_norm


class Recurrent(nn.Module):
    """A language model of one of PyTorch's recurrent layers."""

    def __init__(self, kind, **more):
        super().__init__()
        self.embedding = nn.Embedding(20, 12)
        self.layer = kind(12, 10, batch_first=True, **more)
        self.head = nn.Linear(10 * (2 if more.get("bidirectional") else 1), 20)

    def forward(self, tokens):
        return self.head(self.layer(self.embedding(tokens))[0])


class CellLoop(nn.Module):
    """Cells called in a loop of Python, with a state that starts from a parameter."""

    def __init__(self):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(1, 10))
        self.lstm, self.gru, self.head = nn.LSTMCell(6, 10), nn.GRUCell(10, 10), nn.Linear(10, 5)

    def forward(self, x):
        h = self.start.expand(x.shape[0], -1)
        c, g = torch.zeros_like(h), h
        for step in range(x.shape[1]):
            h, c = self.lstm(x[:, step], (h, c))
            g = self.gru(h, g)
        return self.head(g)


class GraphConvolution(nn.Module):
    """Messages along edges, added and averaged with index_add and scatter."""

    def __init__(self):
        super().__init__()
        self.message, self.own, self.head = nn.Linear(6, 8), nn.Linear(6, 8), nn.Linear(8, 4)

    def forward(self, x, edges):
        sent = self.message(x)[edges[0]]
        total = torch.zeros(x.shape[0], 8, dtype=x.dtype).index_add(0, edges[1], sent)
        count = torch.zeros(x.shape[0], dtype=x.dtype).index_add(0, edges[1], torch.ones_like(edges[1], dtype=x.dtype))
        return self.head(F.relu(self.own(x) + total / count.clamp(min=1)[:, None]))


class GraphAttention(nn.Module):
    """Softmax over the edges that reach a node: scatter_reduce by the largest, scatter_add."""

    def __init__(self):
        super().__init__()
        self.project, self.score, self.head = nn.Linear(6, 8), nn.Linear(16, 1), nn.Linear(8, 4)

    def forward(self, x, edges):
        h = self.project(x)
        score = F.leaky_relu(self.score(torch.cat([h[edges[0]], h[edges[1]]], -1)), 0.2)[:, 0]
        largest = torch.full((x.shape[0],), -1e30, dtype=x.dtype).scatter_reduce(0, edges[1], score, "amax")
        weight = (score - largest[edges[1]]).exp()
        total = torch.zeros(x.shape[0], dtype=x.dtype).scatter_add(0, edges[1], weight)
        part = weight / (total[edges[1]] + 1e-9)
        return self.head(torch.zeros_like(h).index_add(0, edges[1], part[:, None] * h[edges[0]]))


class WeightNorms(nn.Module):
    def __init__(self):
        super().__init__()
        self.old = weight_norm(nn.Conv1d(3, 6, 3, padding=1))
        self.new = parametrizations.weight_norm(nn.Linear(6, 8))

    def forward(self, x):
        return self.new(F.elu(self.old(x)).mean(-1))


class Spectral(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = parametrizations.spectral_norm(nn.Conv2d(3, 6, 3))
        self.old = nn.utils.spectral_norm(nn.Linear(6, 8))

    def forward(self, x):
        return self.old(F.leaky_relu(self.conv(x)).mean((2, 3)))


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)


class Exponential(nn.Module):
    def forward(self, x):
        return torch.exp(x) / (1 + torch.exp(x))


class Parametrized(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 5)
        nn.utils.parametrize.register_parametrization(self.a, "weight", Symmetric())
        nn.utils.parametrize.register_parametrization(self.b, "weight", Exponential())

    def forward(self, x):
        return self.b(F.gelu(self.a(x)))


class Averages(nn.Module):
    """Running statistics that the module updates by itself, and a scale that never trains."""

    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(6, 8), nn.Linear(8, 4)
        self.register_buffer("mean", torch.linspace(-1, 1, 8))
        self.register_buffer("scale", torch.full((8,), 0.7))
        self.register_buffer("table", torch.arange(8.0), persistent=False)

    def forward(self, x):
        h = self.body(x)
        return self.head(torch.tanh((h - self.mean) * self.scale + 0.01 * self.table))


class Normalizations(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.n1 = nn.Conv3d(2, 4, 3, padding=1), nn.BatchNorm3d(4)
        self.n2, self.n3 = nn.GroupNorm(2, 4), nn.InstanceNorm3d(4, affine=True)
        self.n4, self.n5 = nn.BatchNorm1d(4), nn.LayerNorm(4, elementwise_affine=False)
        self.n6, self.head = nn.RMSNorm(4), nn.Linear(4, 5)
        self.n7 = nn.LocalResponseNorm(3)

    def forward(self, x):
        x = F.silu(self.n3(self.n2(self.n1(self.a(x)))))
        x = self.n7(x).mean((2, 3, 4))
        return self.head(self.n6(self.n5(self.n4(x)) + x))


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.sum = nn.EmbeddingBag(30, 8, mode="sum")
        self.mean = nn.EmbeddingBag(30, 8, mode="mean")
        self.head = nn.Linear(16, 4)

    def forward(self, tokens):
        return self.head(torch.cat([self.sum(tokens), self.mean(tokens)], -1))


class OffsetBags(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag, self.head = nn.EmbeddingBag(30, 8, mode="sum"), nn.Linear(8, 4)

    def forward(self, tokens, offsets):
        return self.head(self.bag(tokens, offsets))


class Rearranged(nn.Module):
    """Patches as einops makes them, and a contraction of five axes."""

    def __init__(self):
        super().__init__()
        self.embed, self.mix = nn.Linear(48, 16), nn.Parameter(torch.randn(2, 8, 8) / 3)
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        from einops import rearrange, reduce, repeat

        x = self.embed(rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4))
        x = rearrange(x, "b n (g d) -> b g n d", g=2)
        x = torch.einsum("bgnd,gde->bgne", x, self.mix) + repeat(x.mean(2), "b g d -> b g n d", n=x.shape[2])
        return self.head(reduce(rearrange(x, "b g n d -> b n (g d)"), "b n d -> b d", "max"))


class CausalAttention(nn.Module):
    """Written by hand, with a mask of tril and masked_fill."""

    def __init__(self):
        super().__init__()
        self.embedding, self.position = nn.Embedding(20, 16), nn.Embedding(8, 16)
        self.qkv, self.out, self.norm = nn.Linear(16, 48), nn.Linear(16, 16), nn.LayerNorm(16)
        self.head = nn.Linear(16, 20, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer("mask", torch.tril(torch.ones(8, 8))[None, None])

    def forward(self, tokens):
        b, n = tokens.shape
        x = self.embedding(tokens) + self.position(torch.arange(n))
        q, k, v = (t.view(b, n, 4, 4).transpose(1, 2) for t in self.qkv(self.norm(x)).split(16, -1))
        score = (q @ k.transpose(-2, -1)) / math.sqrt(4)
        score = score.masked_fill(self.mask[:, :, :n, :n] == 0, float("-inf"))
        y = (score.softmax(-1) @ v).transpose(1, 2).reshape(b, n, 16)
        return self.head(x + self.out(y))


class Masks(nn.Module):
    """torch.where, boolean masks, clamps, and a maximum of two."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.floor = nn.Linear(8, 8), nn.Linear(8, 4), nn.Parameter(torch.tensor(0.1))

    def forward(self, x):
        h = self.a(x)
        h = torch.where((h > 0) & (x.abs() < 2), h, self.floor * h)
        h = torch.maximum(h, -self.floor.expand_as(h)).clamp(max=3)
        return self.b(torch.where(torch.isnan(h), torch.zeros_like(h), h))


class Cosines(nn.Module):
    """A transform by a matrix of cosines in place of an FFT; its table is a buffer."""

    def __init__(self):
        super().__init__()
        n = torch.arange(16.0)
        self.register_buffer("table", torch.cos(math.pi / 16 * (n[:, None] + 0.5) * n[None]), persistent=False)
        self.gain, self.head = nn.Parameter(torch.ones(16)), nn.Linear(16, 5)

    def forward(self, x):
        return self.head(torch.log1p((x @ self.table * self.gain) ** 2))


class Multihead(nn.Module):
    def __init__(self, **more):
        super().__init__()
        self.attention, self.head = nn.MultiheadAttention(16, 4, batch_first=True, **more), nn.Linear(16, 5)

    def forward(self, x, padding):
        y, _ = self.attention(x, x, x, key_padding_mask=padding, need_weights=False)
        return self.head((x + y).mean(1))


class DecoderStack(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerDecoderLayer(16, 4, 24, dropout=0.1, batch_first=True, norm_first=True)
        self.source, self.target = nn.Embedding(20, 16), nn.Embedding(20, 16)
        self.decoder, self.head = nn.TransformerDecoder(layer, 2), nn.Linear(16, 20)

    def forward(self, source, target):
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1], dtype=self.head.weight.dtype)
        return self.head(self.decoder(self.target(target), self.source(source), tgt_mask=mask, tgt_is_causal=True))


class EncoderStack(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 4, 24, dropout=0.1, batch_first=True, activation="gelu")
        self.embedding, self.encoder = nn.Embedding(20, 16), nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(16, 5)

    def forward(self, tokens):
        return self.head(self.encoder(self.embedding(tokens))[:, 0])


class Quantized(nn.Module):
    """VQ-VAE: the nearest code, and a gradient that goes straight through; what is detached has none."""

    def __init__(self):
        super().__init__()
        self.encode, self.codes, self.decode = nn.Linear(8, 4), nn.Parameter(torch.randn(6, 4)), nn.Linear(4, 8)

    def forward(self, x):
        z = self.encode(x)
        nearest = ((z[:, None] - self.codes) ** 2).sum(-1).argmin(-1)
        code = self.codes[nearest]
        straight = z + (code - z).detach()
        commit = F.mse_loss(z, code.detach()) * 0.25 + F.mse_loss(code, z.detach())
        return F.mse_loss(self.decode(straight), x) + commit


class Experts(nn.Module):
    """The two best of four, by topk and a loop over experts."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(8, 12), nn.GELU(), nn.Linear(12, 8)) for _ in range(4))
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        weight, chosen = self.gate(x).softmax(-1).topk(2, -1)
        weight = weight / weight.sum(-1, keepdim=True)
        y = torch.zeros_like(x)
        for index, expert in enumerate(self.experts):
            share = (weight * (chosen == index)).sum(-1, keepdim=True)
            y = y + share * expert(x)
        return self.head(y)


class Sines(nn.Module):
    """SIREN, and features of a learned frequency."""

    def __init__(self):
        super().__init__()
        self.frequency = nn.Parameter(torch.randn(2, 8))
        self.a, self.b, self.c = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 3)

    def forward(self, x):
        x = 2 * math.pi * x @ self.frequency
        x = torch.cat([x.sin(), x.cos()], -1)
        return self.c(torch.sin(30 * self.b(torch.sin(3 * self.a(x))) / 30))


class Splines(nn.Module):
    """KAN: a sum of B-splines of each input."""

    def __init__(self):
        super().__init__()
        self.register_buffer("grid", torch.linspace(-2, 2, 9))
        self.coefficients = nn.Parameter(torch.randn(5, 6, 6) * 0.2)
        self.base = nn.Linear(6, 5)

    def forward(self, x):
        x0, grid = x.clamp(-1.9, 1.9)[..., None], self.grid
        basis = ((x0 >= grid[:-1]) & (x0 < grid[1:])).to(x.dtype)
        for k in (1, 2):
            left = (x0 - grid[: -k - 1]) / (grid[k:-1] - grid[: -k - 1])
            right = (grid[k + 1 :] - x0) / (grid[k + 1 :] - grid[1:-k])
            basis = left * basis[..., :-1] + right * basis[..., 1:]
        return self.base(F.silu(x)) + torch.einsum("bik,oik->bo", basis, self.coefficients)


class Hyper(nn.Module):
    """A convolution whose weight another layer computes, a sample a group."""

    def __init__(self):
        super().__init__()
        self.weights, self.head = nn.Linear(6, 4 * 3 * 9), nn.Linear(4, 5)

    def forward(self, x, z):
        b = x.shape[0]
        w = self.weights(z).view(b * 4, 3, 3, 3)
        y = F.conv2d(x.reshape(1, b * 3, *x.shape[2:]), w, groups=b, padding=1).view(b, 4, *x.shape[2:])
        return self.head(F.relu(y).amax((2, 3)))


class Capsules(nn.Module):
    def __init__(self):
        super().__init__()
        self.primary, self.transform = nn.Conv2d(1, 16, 5, 2), nn.Parameter(torch.randn(1, 5, 16, 6, 4) * 0.2)

    def squash(self, x):
        square = (x**2).sum(-1, keepdim=True)
        return square / (1 + square) * x / (square + 1e-8).sqrt()

    def forward(self, x):
        u = self.squash(self.primary(x).flatten(2).mean(-1).view(x.shape[0], 4, 4).repeat(1, 4, 1))
        u = (self.transform @ u[:, None, :, None, :].transpose(-1, -2))[..., 0]
        logits = torch.zeros(u.shape[:3], dtype=x.dtype)
        for _ in range(3):
            v = self.squash((logits.softmax(1)[..., None] * u).sum(2))
            logits = logits + (u * v[:, :, None]).sum(-1)
        return v.norm(dim=-1)


class Field(nn.Module):
    """The negative log-likelihood of a linear-chain CRF."""

    def __init__(self):
        super().__init__()
        self.emission, self.transition = nn.Linear(6, 4), nn.Parameter(torch.randn(4, 4) * 0.1)

    def forward(self, x, labels):
        e = self.emission(x)
        alpha = e[:, 0]
        for t in range(1, x.shape[1]):
            alpha = torch.logsumexp(alpha[:, :, None] + self.transition + e[:, t, None], 1)
        score = e.gather(2, labels[..., None])[..., 0].sum(1)
        score = score + self.transition[labels[:, :-1], labels[:, 1:]].sum(1)
        return (alpha.logsumexp(1) - score).mean()


class Moved(nn.Module):
    """unfold and fold, roll, flip, pixel shuffle, pads, and a resize of each mode."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(3, 8, 3, padding=1), nn.Linear(32, 32), nn.Conv2d(2, 4, 3)

    def forward(self, x):
        x = self.a(F.pad(x, (1, 1, 1, 1), mode="reflect"))[:, :, 1:-1, 1:-1]
        x = torch.roll(x, (1, -2), (2, 3)) + x.flip(3)
        patches = F.unfold(x, 2, stride=2)
        x = F.fold(self.b(patches.transpose(1, 2)).transpose(1, 2), x.shape[2:], 2, stride=2)
        x = F.pixel_shuffle(x, 2)
        up = F.interpolate(x, scale_factor=0.5, mode="bilinear", align_corners=False)
        up = F.interpolate(up, size=x.shape[2:], mode="bicubic", align_corners=True)
        x = x + up + F.interpolate(F.avg_pool2d(x, 2), scale_factor=2, mode="nearest")
        return F.adaptive_avg_pool2d(self.c(F.pad(x, (1, 1, 1, 1), mode="replicate")), (3, 3)).flatten(1)


class Sorted(nn.Module):
    """Ranks and order statistics of features."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 9), nn.Linear(9 + 3 + 1, 5)

    def forward(self, x):
        h = self.a(x)
        ordered, _ = h.sort(-1, descending=True)
        return self.b(torch.cat([ordered, h.topk(3).values.cumsum(-1), h.amax(-1, keepdim=True)], -1))


class Equation(nn.Module):
    """A neural ODE by four steps of Runge and Kutta."""

    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(4, 12), nn.Softplus(), nn.Linear(12, 4))

    def forward(self, x):
        h = 0.25
        for _ in range(4):
            k1 = self.f(x)
            k2 = self.f(x + h / 2 * k1)
            k3 = self.f(x + h / 2 * k2)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + self.f(x + h * k3))
        return x


class LowRank(nn.Module):
    """LoRA beside frozen weights (requires_grad=False)."""

    def __init__(self):
        super().__init__()
        self.base, self.head = nn.Linear(8, 8), nn.Linear(8, 5)
        self.base.requires_grad_(False)
        self.down, self.up = nn.Parameter(torch.randn(2, 8) * 0.3), nn.Parameter(torch.zeros(8, 2))

    def forward(self, x):
        return self.head(torch.tanh(self.base(x) + 2.0 * (x @ self.down.T) @ self.up.T))


class Dropouts(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 6, 3), nn.Linear(6, 5)
        self.d2, self.alpha, self.d = nn.Dropout2d(0.2), nn.AlphaDropout(0.1), nn.Dropout(0.3)

    def forward(self, x):
        return self.b(self.d(self.alpha(F.selu(self.d2(self.a(x)).mean((2, 3))))))


class Activations(nn.Module):
    """One after another, the less common ones."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 24), nn.Linear(12, 5)
        self.list = nn.ModuleList([
            nn.PReLU(24), nn.CELU(), nn.Mish(), nn.Hardtanh(-4, 4), nn.Softsign(), nn.Tanhshrink(), nn.LogSigmoid(),
            nn.Hardswish(), nn.ReLU6(), nn.Softshrink(1e-3), nn.Hardshrink(1e-3), nn.Threshold(1e-4, 0.0), nn.Softmin(-1),
        ])  # fmt: skip

    def forward(self, x):
        x = self.a(x)
        for layer in self.list:
            x = x + layer(x)
        return self.b(F.glu(x))


class Pools(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.up, self.head = (
            nn.Conv1d(2, 6, 5, padding=4, dilation=2),
            nn.ConvTranspose1d(6, 4, 4, 2, 1),
            nn.Linear(12, 5),
        )

    def forward(self, x):
        x = F.max_pool1d(F.relu(self.a(x)), 3, 2, 1)
        x = F.lp_pool1d(self.up(x).abs() + 0.1, 2, 2)
        return self.head(torch.cat([F.adaptive_max_pool1d(x, 1), F.adaptive_avg_pool1d(x, 2)], -1).flatten(1))


class Bilinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.bilinear, self.similarity = nn.Bilinear(4, 5, 6), nn.CosineSimilarity(dim=-1)
        self.head = nn.Linear(7, 3)

    def forward(self, x, y):
        z = self.bilinear(x, y)
        return self.head(torch.cat([z, self.similarity(z[:, :4], x)[:, None]], -1))


class InPlace(nn.Module):
    """Assignments to slices and to masked elements, views, += on views."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 5)

    def forward(self, x):
        h = self.a(x)
        out = torch.zeros_like(h)
        out[:, ::2] = h[:, 1::2] * 2
        out[:, 1] += h[:, 0]
        out[h > 1] = 0.5
        out.clamp_(-2, 2)
        index = torch.tensor([3, 0, 5])
        out[:, index] *= 1.5
        return self.b(out)


class StateSpace(nn.Module):
    """A diagonal recurrence by cumulative sums of logarithms."""

    def __init__(self):
        super().__init__()
        self.input, self.decay, self.head = nn.Linear(4, 6), nn.Parameter(torch.linspace(-2, 0, 6)), nn.Linear(6, 4)

    def forward(self, x):
        u, n = self.input(x), x.shape[1]
        time = torch.arange(n, dtype=x.dtype)
        lag = (time[:, None] - time[None]).tril()
        kernel = torch.exp(-F.softplus(self.decay)[:, None, None] * lag) * torch.ones(n, n, dtype=x.dtype).tril()
        return self.head(torch.einsum("cts,bsc->btc", kernel, u))


class Checkpointed(nn.Module):
    """A part that PyTorch computes again in its backward."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 5)

    def forward(self, x):
        from torch.utils.checkpoint import checkpoint

        return self.b(checkpoint(lambda t: torch.tanh(self.a(t)), x, use_reentrant=False))


class Buckets(nn.Module):
    """Relative positions in buckets, one_hot, bucketize, tokens picked by their length."""

    def __init__(self):
        super().__init__()
        self.embedding, self.bias, self.head = nn.Embedding(20, 8), nn.Embedding(5, 1), nn.Linear(8 + 4, 5)

    def forward(self, tokens, length):
        n = tokens.shape[1]
        lag = (torch.arange(n)[:, None] - torch.arange(n)).abs()
        bucket = torch.bucketize(lag, torch.tensor([1, 2, 4, 6]))
        x = self.embedding(tokens)
        weight = self.bias(bucket)[..., 0].softmax(-1)
        x = weight @ x
        last = x[torch.arange(x.shape[0]), length - 1]
        return self.head(torch.cat([last, F.one_hot(length % 4, 4).to(x.dtype)], -1))


class QuantizationAware(nn.Module):
    """Weights in 8 bits a channel, activations in 8 and, by a scale that is learned, in 4 bits."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.head = nn.Linear(8, 12), nn.Linear(12, 12), nn.Linear(12, 5)
        self.width = nn.Parameter(torch.tensor(0.2))

    def forward(self, x):
        steps, zeros = torch.linspace(0.005, 0.01, 12, dtype=torch.float32), torch.zeros(12, dtype=torch.int32)
        weight = torch.fake_quantize_per_channel_affine(self.first.weight, steps, zeros, 0, -128, 127)
        h = torch.fake_quantize_per_tensor_affine(F.gelu(F.linear(x, weight, self.first.bias)), 0.02, 10, 0, 255)
        levels = (self.second(h) / self.width).clamp(-8, 7)
        return self.head((levels + (levels.round() - levels).detach()) * self.width)


class LowRankAdapter(nn.Module):
    """LoRA: a layer that is frozen by detach() beside a product of low rank that is trained."""

    def __init__(self):
        super().__init__()
        self.base, self.down, self.up = nn.Linear(8, 12), nn.Linear(8, 2, bias=False), nn.Linear(2, 12, bias=False)
        self.head = nn.Linear(12, 5)

    def forward(self, x):
        base = F.linear(x, self.base.weight.detach(), self.base.bias.detach())
        return self.head(F.silu(base + 0.5 * self.up(self.down(x))))
