# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions on data that only guard an error."""
import unittest
import warnings

import mpc_compiler
from wrap_test import WrapTest

try:
    import torch
    from torch import nn
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch is not installed")
class ChecksTest(WrapTest):
    def model(self, check):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.layer = nn.Linear(8, 3)

            def forward(self, x):
                check(x)
                return self.layer(x).square().mean()

        return Model()

    def loss_of(self, check):
        return float(mpc_compiler.wrap(self.model(check))(torch.ones(4, 8)).detach())

    def test_what_guards_an_error_is_passed(self):
        def raises(x):
            if x is not None and x.max() >= 7:
                raise ValueError("too large")

        def denied(x):
            if not (x < 7).all():
                raise ValueError("too large")

        def either(x):
            if x.dim() > 2 or not (x < 7).all() or (x < -7).any():
                raise ValueError("too large")

        def number(x):
            if x.max().item() >= 7:
                raise ValueError("too large")

        def asserts(x):
            assert (x < 7).all() and not x.isnan().any(), "too large"

        def warns(x):
            if (
                x.isnan().any()
            ):
                warnings.warn("NaN")

        want = float(self.model(lambda x: None)(torch.ones(4, 8)).detach())
        for check in (raises, denied, either, number, asserts, warns):
            self.assertAlmostEqual(self.loss_of(check), want, places=6)

    def test_distributions_are_not_validated(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.factor, self.mean = nn.Parameter(torch.randn(10, 10)), nn.Parameter(torch.randn(10))

            def forward(self, x):
                covariance = self.factor @ self.factor.mT + torch.eye(10)
                of = torch.distributions.MultivariateNormal(self.mean, covariance, validate_args=self.validates)
                return -of.log_prob(x).mean() + of.entropy()

        for validates in (None, True):
            Model.validates = validates
            plain, x = Model(), torch.randn(6, 10, generator=torch.Generator().manual_seed(3))
            plain(x).backward()
            model = Model()
            mpc_compiler.wrap(model)(x).backward()
            for ours, theirs in zip(model.parameters(), plain.parameters()):
                self.assertLess(float((ours.grad - theirs.grad).abs().max()), 1e-5 * float(theirs.grad.abs().max()))
        self.assertTrue(torch.distributions.Distribution._validate_args)

    def test_what_computes_is_refused(self):
        def branches(x):
            if x.max() >= 7:
                x = x * 2
            return x

        def both(x):
            if x.max() >= 7:
                raise ValueError("too large")
            else:
                return x

        def chooses(x):
            return x if x.max() >= 7 else x * 2

        for check in (branches, both, chooses):
            with self.assertRaisesRegex(mpc_compiler.ExportError, "checks_test.py:[0-9]+"):
                self.loss_of(check)
