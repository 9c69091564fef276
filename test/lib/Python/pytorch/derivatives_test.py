# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives inside of a forward, as the equation of a physics-informed network has them."""
import copy
import unittest

import mpc_compiler
from wrap_test import WrapTest

try:
    import torch
    from torch import nn
except ImportError:
    torch = None


class Network(nn.Module if torch else object):
    """A loss of what `equation` gives for a function and the points."""

    def __init__(self, equation):
        super().__init__()
        torch.manual_seed(0)
        self.body, self.equation = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)), equation

    def forward(self, points):
        return self.equation(self.body, points).square().mean()


def along(function, points, axis):
    direction = torch.zeros_like(points)
    direction[:, axis] = 1
    return torch.func.jvp(function, (points,), (direction,))[1]


@unittest.skipIf(torch is None, "torch is not installed")
class Derivatives(WrapTest):
    def points(self):
        return torch.randn(6, 2, generator=torch.Generator().manual_seed(1))

    def test_by_jvp(self):
        for _ in range(2):
            self.check(lambda u, p: along(u, p, 0) - 0.1 * along(lambda q: u(q).sin(), p, 1) + u(p))
            # What fails inside of a transform leaves nothing of it behind.
            with self.assertRaises(mpc_compiler.ExportError):
                mpc_compiler.wrap(Network(lambda u, p: along(lambda q: u(q) if u(q).sum() > 0 else u(2 * q), p, 0)))(self.points())

    def check(self, equation):
        model = Network(equation)
        exact = copy.deepcopy(model).double()
        exact(self.points().double()).backward()
        mpc_compiler.wrap(model)(self.points()).backward()
        for ours, theirs in zip(model.parameters(), exact.parameters()):
            self.assertLess(float((ours.grad - theirs.grad).abs().max()), 2e-6 * float(theirs.grad.abs().max()))

    def test_a_backward_is_refused(self):
        def equation(u, points):
            values = u(points + 0 * u[0].weight.sum())
            return torch.autograd.grad(torch.tanh(values).sum(), values, create_graph=True)[0]

        with self.assertRaisesRegex(mpc_compiler.ExportError, r"torch\.autograd\.grad\(\) inside of forward.*torch\.func\.jvp"):
            mpc_compiler.wrap(Network(equation))(self.points())
