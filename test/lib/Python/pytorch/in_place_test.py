# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that write in place: to fresh values, to views and what shares them, and to buffers."""
import unittest
import unittest.mock

import mpc_compiler
from wrap_test import WrapTest, batches, sgd, train

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


class Body(nn.Module if torch else object):
    """Two layers with statistics; `between` is done to the first one's result."""

    def __init__(self, between):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.norm, self.last = nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Linear(8, 3)
        self.register_buffer("calls", torch.zeros(()))
        self.register_buffer("mean", torch.zeros(8))
        self.between = between

    def forward(self, x):
        return self.last(self.between(self, x, self.first(x)))


def residual(m, x, y):
    z = m.norm(y).relu_()
    return m.norm(y * z).add_(z).relu_()


def normalized(m, x, y):
    z = m.norm(y)
    z += x
    return z.relu_()


def count(m, x, y):
    m.calls.add_(1)
    return torch.tanh(y)


def count_and_read(m, x, y):
    m.calls.add_(1)
    return y * m.calls


def average(m, x, y):
    m.mean.mul_(0.5).add_(y.detach().mean(0), alpha=0.5)
    return y - m.mean


def through_a_view(m, x, y):
    y.view(-1)[:5].mul_(2.0)
    return y


def below_a_view(m, x, y):
    part = y[:, :4]
    y.relu_()
    return torch.cat([part, y[:, 4:]], 1)


def same_under_two_names(m, x, y):
    other = y.type_as(x)
    other.relu_()
    return y * 2


def dropped_nothing(m, x, y):
    other = F.dropout(y, 0.5, training=False)
    other.relu_()
    return y + x


def of_the_batch(m, x, y):
    x = x.clone()
    x.clamp_(min=0)
    return y + x


AS_IT_IS = (normalized, count)
FIRST_WITHOUT = (residual, count_and_read, average, through_a_view, below_a_view, same_under_two_names, of_the_batch)


class InPlace(WrapTest):
    def same(self, between):
        """Losses, gradients and buffers are PyTorch's; gives how often a graph was traced anew."""
        plain, other = Body(between), Body(between)
        wrapped = mpc_compiler.wrap(other, loss=F.cross_entropy)
        trace = torch.export.ExportedProgram.run_decompositions
        with unittest.mock.patch.object(torch.export.ExportedProgram, "run_decompositions", autospec=True,
                                        side_effect=trace) as traced:
            self.near(train(wrapped, sgd(wrapped), batches(6)), train(plain, sgd(plain), batches(6)), 5e-6)
        for (name, a), b in zip(plain.state_dict().items(), other.state_dict().values()):
            self.assertLess((a.double() - b.double()).abs().max().item(), 1e-5, name)
        return traced.call_count

    def test_fresh_values_and_statistics_are_read_as_they_are(self):
        for between in AS_IT_IS:
            with self.subTest(between.__name__):
                self.assertEqual(self.same(between), 0)

    def test_what_else_is_written_goes_first(self):
        for between in FIRST_WITHOUT:
            with self.subTest(between.__name__):
                self.assertEqual(self.same(between), 1)

    def test_a_dropout_in_eval_is_the_same_tensor(self):
        self.same(dropped_nothing)


def load_tests(loader, tests, pattern):
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (InPlace,))


if __name__ == "__main__":
    unittest.main()
