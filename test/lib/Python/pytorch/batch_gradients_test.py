# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of wrap() that want a gradient: points, attacked images, what another module gave."""
import copy
import unittest

import mpc_compiler
from wrap_test import WrapTest, batches, make_mlp

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch is not installed")
class BatchGradients(WrapTest):
    def gradient_of_batch(self, model, precision=None, factor=1.0, scale=1.0):
        """How far the gradient of a batch is from PyTorch's, in fp32 and autocast, by the size of fp32's."""
        x, y = batches(1)[0]
        loss = lambda output, target: F.cross_entropy(output, target) * factor
        plain, wrapped = copy.deepcopy(model), mpc_compiler.wrap(model, loss=loss, precision=precision)
        found = []
        for call in (lambda x: wrapped(x, target=y), lambda x: loss(plain(x), y)):
            own = x.clone().requires_grad_()
            for _ in range(2):  # It is added up, as a parameter's is.
                (call(own * 2) * scale).backward()
            found.append(own.grad)
        return float((found[0] - found[1]).abs().max() / found[1].abs().max())

    def test_a_batch_may_want_a_gradient(self):
        self.assertLess(self.gradient_of_batch(make_mlp()), 1e-6)
        self.assertLess(self.gradient_of_batch(make_mlp(), scale=3.0), 1e-6)
        self.assertLess(self.gradient_of_batch(make_mlp(), "bf16"), 2e-2)
        # Without the loss scale it would be 0.
        self.assertLess(self.gradient_of_batch(make_mlp(), "fp16", factor=2.0**-20), 2e-3)

    def test_a_batch_of_torchs_has_its_gradient_in_fp16(self):
        """A second size runs by torch at first, at the program's loss scale."""
        model = make_mlp()
        loss = lambda output, target: F.cross_entropy(output, target) * 2.0**-20
        plain, wrapped = copy.deepcopy(model), mpc_compiler.wrap(model, loss=loss, precision="fp16")
        x, y = batches(1)[0]
        wrapped(x, target=y).backward()
        ours, theirs = x[:4].clone().requires_grad_(), x[:4].clone().requires_grad_()
        wrapped(ours, target=y[:4]).backward()
        self.assertEqual([one.torch_calls for one in wrapped.report()], [0, 1])
        loss(plain(theirs), y[:4]).backward()
        self.assertLess(float((ours.grad - theirs.grad).abs().max()), 5e-3 * float(theirs.grad.abs().max()))

    def test_a_frozen_module_has_the_gradient_of_its_batch(self):
        model = make_mlp().requires_grad_(False)
        self.assertLess(self.gradient_of_batch(model), 1e-6)
        self.assertTrue(all(p.grad is None for p in model.parameters()))

    def test_a_batch_that_the_loss_does_not_read_has_none(self):
        class Half(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(8, 3)

            def forward(self, x, y, unread, stopped):
                return F.cross_entropy(self.body(x) + stopped.detach().sum(), y) + 0 * unread.shape[0]

        x, y = batches(1)[0]
        others = [torch.ones(3, requires_grad=True) for _ in range(2)]
        mpc_compiler.wrap(Half())(x, y, *others).backward()
        self.assertEqual([other.grad for other in others], [None, None])

    def test_batches_of_several_sizes(self):
        """Each has a program, and memory of its size for its gradient."""
        model = make_mlp()
        plain, wrapped = copy.deepcopy(model), mpc_compiler.wrap(model, loss=F.cross_entropy)
        x, y = batches(1)[0]
        for size in (6, 4, 4, 6, 4, 6):
            ours, theirs = x[:size].clone().requires_grad_(), x[:size].clone().requires_grad_()
            wrapped(ours, target=y[:size]).backward()
            F.cross_entropy(plain(theirs), y[:size]).backward()
            torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-5, atol=1e-7)
        self.assertEqual([one.compiled_calls for one in wrapped.report()], [3, 2])


if __name__ == "__main__":
    unittest.main()
