# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that call ops which the importer does not read."""
import unittest

import mpc_compiler
from wrap_test import WrapTest, batches, call, sgd, train

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch is not installed")
class Decomposed(WrapTest):
    """Ops that the importer does not read, and PyTorch has others for."""

    def model(self, function):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.first, self.norm, self.last = nn.Linear(8, 6), nn.BatchNorm1d(6), nn.LazyLinear(3)

            def forward(self, x):
                h = self.norm(self.first(x))
                with torch.no_grad():
                    factor = torch.hstack([h, h]).mean()
                return self.last(function(h, x[:, :6]).reshape(x.shape[0], -1)) * factor.exp()

        def make():
            made = Model()
            made(torch.zeros(6, 8))
            made.norm.reset_running_stats()
            return made

        return make

    def test_they_are_as_pytorch_says(self):
        for function in (
            lambda h, x: torch.hstack([h, x]),
            lambda h, x: torch.tensordot(h, x, dims=([1], [1])),
            lambda h, x: torch.kron(h, x[:1, :2]),
            lambda h, x: torch.linalg.cross(h[:, :3], x[:, :3]),
            lambda h, x: torch.quantile(h, 0.3, dim=1, keepdim=True),
            lambda h, x: torch.column_stack([torch.fliplr(h), torch.take_along_dim(h, torch.argsort(x, 1), 1)]),
            lambda h, x: (h @ x.T).fill_diagonal_(-1e9).logsumexp(1),
            lambda h, x: (h @ x.T).clone().fill_diagonal_(0.5) * torch.cov(h) + torch.corrcoef(h),
            lambda h, x: h * torch.sort(h.data * 2, 1)[0].data + torch.outer(h[0], x[0].double()).float(),
            lambda h, x: F.max_unpool1d(*F.max_pool1d(h, 2, return_indices=True), 2),
            lambda h, x: F.fold(F.unfold(h.reshape(6, 1, 2, 3), 2), (2, 3), 2),
        ):
            def loop(m):
                losses = train(m, sgd(m), batches(4))
                return losses + m.norm.running_mean.tolist() + [float(m.norm.num_batches_tracked)]

            self.both(loop, self.model(function), tolerance=2e-5)

    def test_a_region_of_autocast_stays_one(self):
        def function(lowers):
            def call(h, x):
                with torch.autocast("cpu", torch.bfloat16, enabled=lowers):
                    product = h @ x.T
                return torch.hstack([product.float(), h])

            return call

        losses = lambda m: train(m.train(), sgd(m), batches(4))
        lowered, plain = losses(self.model(function(True))()), losses(self.model(function(False))())
        found = losses(mpc_compiler.wrap(self.model(function(True))(), loss=F.cross_entropy))
        for value, low, high in zip(found, lowered, plain):
            self.assertLess(abs(value - low), 0.3 * abs(high - low))

    def test_one_that_comes_to_another_such_op_is_named_as_the_user_has_it(self):
        m = self.model(lambda h, x: torch.special.i0e(h - x))().train()
        with self.assertRaisesRegex(mpc_compiler.InvalidInputError, r"not supported: special_i0e\.default \(1x, .*decomposed_test\.py"):
            call(mpc_compiler.wrap(m, loss=F.cross_entropy), *batches(1)[0])


if __name__ == "__main__":
    unittest.main()
