# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attentions of PyTorch, which become one op each, against PyTorch's in float64; skipped without torch."""
import json
import pathlib
import tempfile
import unittest

import mpc_compiler

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None

SAMPLES, ROWS, WIDTH, HEADS, GROUPS, SIZE = 3, 19, 32, 4, 2, 8


def heads_of(x):
    return x.unflatten(-1, (-1, SIZE)).transpose(1, 2)


class Attention(nn.Module if torch else object):
    def __init__(self, groups=HEADS):
        super().__init__()
        self.query, self.out = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.key, self.value = nn.Linear(WIDTH, groups * SIZE), nn.Linear(WIDTH, groups * SIZE)
        with torch.no_grad():  # So that weights of attention differ.
            self.query.weight *= 3

    def forward(self, x, **how):
        parts = (heads_of(part(x)) for part in (self.query, self.key, self.value))
        return x + self.out(F.scaled_dot_product_attention(*parts, **how).transpose(1, 2).flatten(2))


def make_attentions():
    class Attentions(nn.Module):
        def __init__(self):
            super().__init__()
            self.causal, self.masked, self.biased = Attention(), Attention(), Attention()
            self.grouped = Attention(GROUPS)
            self.bias = nn.Parameter(torch.randn(HEADS, ROWS, ROWS))

        def forward(self, x, allowed):
            x = self.causal(x, is_causal=True)
            x = self.masked(x, attn_mask=allowed)
            x = self.biased(x, attn_mask=self.bias)
            return self.grouped(x, is_causal=True, enable_gqa=True)

    torch.manual_seed(0)
    return Attentions()


def make_low():
    class Low(Attention):
        def forward(self, x, allowed):
            low = torch.full((), torch.finfo(torch.float32).min, dtype=x.dtype)
            return super().forward(x, attn_mask=torch.where(allowed, torch.zeros_like(low), low))

    torch.manual_seed(0)
    return Low()


def batch():
    generator = torch.Generator().manual_seed(1)
    x, target = torch.randn(2, SAMPLES, ROWS, WIDTH, generator=generator)
    allowed = torch.rand(SAMPLES, 1, ROWS, ROWS, generator=generator) > 0.4
    allowed[1, 0, 7] = False  # A query without a key.
    return x, allowed, target


def distance(found, expected):
    return ((found.double() - expected).norm() / expected.norm()).item()


@unittest.skipIf(torch is None, "torch is not installed")
class Attentions(unittest.TestCase):
    def expect_a_step_near_float64(self, precision, loss_tolerance, tolerance, make=make_attentions):
        x, allowed, target = batch()
        plain = make().double()
        # Kernels of torch that keep a row's logarithm of a sum lose that of a row of finfo.min.
        with nn.attention.sdpa_kernel(nn.attention.SDPBackend.MATH):
            expected = F.mse_loss(plain(x.double(), allowed), target.double())
            expected.backward()
        model = mpc_compiler.wrap(make(), loss=F.mse_loss, precision=precision)
        loss = model(x, allowed, target=target)
        loss.backward()
        self.assertEqual(model.report()[0].compiled_calls, 1)
        self.assertLess(distance(loss.detach(), expected.detach()), loss_tolerance)
        # All scores of a query move by a key's bias, which leaves the weights as they are.
        scale = max(p.grad.norm() for p in plain.parameters())
        for (name, a), (_, b) in zip(model.named_parameters(), plain.named_parameters(), strict=True):
            with self.subTest(name):
                if name.endswith("key.bias"):
                    self.assertLess(a.grad.norm(), tolerance * scale)
                else:
                    self.assertLess(distance(a.grad, b.grad), tolerance)

    def test_a_step_in_f32(self):
        self.expect_a_step_near_float64("fp32", 1e-6, 1e-6)

    def test_a_step_in_bf16(self):
        self.expect_a_step_near_float64("bf16", 1e-3, 2e-2)

    def test_a_row_that_a_finite_number_hides(self):
        self.expect_a_step_near_float64("fp32", 1e-6, 1e-6, make_low)
        self.expect_a_step_near_float64("bf16", 1e-3, 2e-2, make_low)

    def test_each_is_one_op(self):
        x, allowed, _ = batch()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "attentions.pt2"
            torch.export.save(torch.export.export(make_attentions(), (x, allowed)), path)
            for precision in ("fp32", "bf16"):
                text = mpc_compiler.explain(path, loss="mse", precision=precision, format="json")
                kinds = [op["op"] for op in json.loads(text)["ops"]]
                self.assertEqual(kinds.count("attention"), 4)
                self.assertNotIn("softmax", kinds)


if __name__ == "__main__":
    unittest.main()
