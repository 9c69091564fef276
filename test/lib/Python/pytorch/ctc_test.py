# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Connectionist temporal classification."""
import unittest

import mpc_compiler
from wrap_test import WrapTest

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None

INPUTS, TARGETS = (20, 19, 18, 5), (4, 3, 2, 1)


def sequences():
    """Scores and labels, of which the first two are equal: there must be a blank between them."""
    numbers = torch.Generator().manual_seed(5)
    x, y = torch.randn(20, 4, 6, generator=numbers), torch.randint(1, 7, (4, 5), generator=numbers)
    y[0, 1] = y[0, 0]
    return x, y, torch.tensor(INPUTS), torch.tensor((5, 4, 3, 0))


def rows_of(y):
    return torch.cat([row[:count] for row, count in zip(y, TARGETS)])


@unittest.skipIf(torch is None, "torch is not installed")
class CtcTest(WrapTest):
    def gradients(self, module, loss, arguments):
        module.zero_grad()
        value = loss(module, *arguments).sum()
        value.backward()
        return [value.detach().double()] + [parameter.grad.double() for parameter in module.parameters()]

    def check(self, loss, arguments=None, tolerance=2e-6, **options):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.layer = nn.Linear(6, 7)

            def forward(self, *given):
                return loss(self.layer(given[0]), *given[1:])

        given = sequences() if arguments is None else arguments
        call = lambda m, *a: m(*a)
        exact = self.gradients(Model().double(), call, [a.double() if a.is_floating_point() else a for a in given])
        found = self.gradients(mpc_compiler.wrap(Model(), **options), call, given)
        for ours, theirs in zip(found, exact):
            self.assertLess(float((ours - theirs).abs().max()), tolerance * float(theirs.abs().max()))

    def test_targets_as_torch_takes_them(self):
        of = lambda x: x.log_softmax(-1)
        for loss in (
            lambda x, y, i, t: F.ctc_loss(of(x), y, i, t),
            lambda x, y, i, t: F.ctc_loss(of(x), y, i.int(), t.int(), reduction="sum"),
            lambda x, y, i, t: F.ctc_loss(of(x), y, i, t, reduction="none").square().sum(),
            lambda x, y, i, t: nn.CTCLoss(blank=6)(of(x), y % 6, INPUTS, TARGETS),
            lambda x, y, i, t: nn.CTCLoss()(of(x), rows_of(y), INPUTS, TARGETS),
            lambda x, y, i, t: nn.CTCLoss()(of(x), rows_of(y), i, torch.tensor(TARGETS)),
            lambda x, y, i, t: nn.CTCLoss()(of(x), y[:, :0], i, t * 0),
            lambda x, y, i, t: F.ctc_loss(of(x)[:, 0], y[0], i[:1], t[:1]),
            lambda x, y, i, t: F.ctc_loss(of(x)[:1], y[:, :1], (1,) * 4, (1, 0, 1, 1)),
            lambda x, y, i, t: F.ctc_loss(of(x), torch.where(torch.arange(5) < t[:, None], y, -100), i, t),
            lambda x, y, i, t: F.ctc_loss(of(x), y, torch.tensor((20, 19, 18, 0)), t),
            # Without a softmax in front torch's gradient is that of one all the same.
            lambda x, y, i, t: F.ctc_loss(x, y, i, t),
        ):
            self.check(loss)

    def test_labels_that_a_mask_selects(self):
        def loss(x, y, i, t):
            mask = torch.arange(5) < torch.tensor(TARGETS).unsqueeze(1)
            return F.ctc_loss(x.log_softmax(-1), y.masked_select(mask), i, mask.sum(-1))

        self.check(loss)

    def test_what_has_no_path(self):
        x, y, i, t = sequences()
        i[2] = 2
        self.check(lambda x, y, i, t: F.ctc_loss(x.log_softmax(-1), y, i, t, zero_infinity=True), (x, y, i, t))
        model = nn.Linear(6, 7)
        wrapped = mpc_compiler.wrap(
            model, loss=lambda z, y: F.ctc_loss(z.log_softmax(-1), y, (20, 19, 2, 5), (5, 4, 3, 0)), precision="fp32")
        loss = wrapped(x, target=y)
        loss.backward()
        self.assertEqual(float(loss.detach()), float("inf"))
        self.assertFalse(bool(torch.isfinite(model.weight.grad).all()))

    def test_in_16_bits_it_is_of_f32(self):
        self.check(lambda x, y, i, t: F.ctc_loss(x.log_softmax(-1), y, i, t), tolerance=1e-2, precision="bf16")

    def test_lengths_of_another_batch_are_refused(self):
        x, y, _, _ = sequences()
        wrapped = mpc_compiler.wrap(
            nn.Linear(6, 7), loss=lambda z, y: F.ctc_loss(z.log_softmax(-1), y, (20, 19), (5, 4)))
        with self.assertRaisesRegex(mpc_compiler.UsageError, "2 and 2 lengths for a batch of 4"):
            wrapped(x, target=y)
