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


@unittest.skipIf(torch is None, "torch is not installed")
class MomentumEncoder(WrapTest):
    """A frozen copy that forward moves towards the trained one, and a queue that it writes, as in MoCo."""

    class Model(nn.Module if torch else object):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.query, self.key = nn.Linear(8, 6), nn.Linear(8, 6).requires_grad_(False)
            self.register_buffer("queue", F.normalize(torch.randn(6, 16), dim=0))

        def forward(self, x):
            queries = F.normalize(self.query(x))
            with torch.no_grad():
                for own, moved in zip(self.query.parameters(), self.key.parameters()):
                    moved.mul_(0.75).add_(own, alpha=0.25)
                keys = F.normalize(self.key(x * 1.5))
            near = (queries * keys).sum(1, keepdim=True)
            scores = torch.cat([near, queries @ self.queue.clone()], 1) / 0.07
            with torch.no_grad():
                self.queue[:, : len(x)] = keys.T
            return F.cross_entropy(scores, torch.zeros(len(x), dtype=torch.long))

    def state_after(self, model, run):
        optimizer = torch.optim.SGD(model.query.parameters(), lr=0.1)
        losses = [run(model, optimizer, x) for x, _ in batches(4)]
        return losses + [float(value.double().square().sum()) for value in model.state_dict().values()]

    def by_loop(self, model, optimizer, x):
        optimizer.zero_grad()
        loss = model(x)
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    def test_it_is_written(self):
        expected = self.state_after(self.Model(), self.by_loop)
        self.near(self.state_after(mpc_compiler.wrap(self.Model()), self.by_loop), expected, 1e-5)
        steps = {}

        def by_step(model, optimizer, x):
            if not steps:
                steps[0] = mpc_compiler.step(model, optimizer)
            return float(steps[0](x))

        self.near(self.state_after(self.Model(), by_step), expected, 1e-5)


if __name__ == "__main__":
    unittest.main()
