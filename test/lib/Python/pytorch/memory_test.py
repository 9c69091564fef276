# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a module and its optimizer hold may be other objects from call to call."""
import unittest

import mpc_compiler
from wrap_test import WrapTest, batches, make_mlp, sgd, train

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch is not installed")
class Changes(WrapTest):
    """What was there at one call and is not at the next."""

    def all_doors(self, loop):
        """`loop` gets a module, its optimizer, and what runs steps on batches and gives their losses."""
        found = []
        for door in "torch", "wrap", "step":
            m = make_mlp()
            optimizer = sgd(m)
            if door == "step":
                step = mpc_compiler.step(m, optimizer, F.cross_entropy)
                run = lambda data: [step(x, y).item() for x, y in data]
            else:
                called = m if door == "torch" else mpc_compiler.wrap(m, loss=F.cross_entropy)
                run = lambda data: train(called, optimizer, data)
            found.append(loop(m, optimizer, run))
        self.near(found[1], found[0])
        self.near(found[2], found[0])

    def test_a_bias_that_is_taken_away_and_comes_back(self):
        def loop(m, optimizer, run):
            bias, losses = m[2].bias, run(batches(4))
            bias.requires_grad_(False)
            losses += run(batches(4))
            m[2].bias = None
            losses += run(batches(4))
            m[2].bias = bias.requires_grad_()
            losses += run(batches(4))
            del m[2].bias
            m[2].register_parameter("bias", None)
            return losses + run(batches(4))

        self.all_doors(loop)

    def test_a_parameter_that_is_added_beside_others(self):
        def loop(m):
            m[2].bias = None
            losses = train(m, sgd(m), batches(4))
            torch.manual_seed(2)
            m[2].bias = nn.Parameter(torch.randn(3))
            losses += train(m, sgd(m), batches(4))
            m[0].register_parameter("further", nn.Parameter(torch.ones(1)))
            return losses + train(m, sgd(m), batches(4))

        self.both(loop)

    def test_a_weight_that_is_another_parameter(self):
        def loop(m):
            losses, first = train(m, sgd(m), batches(4)), m[0].weight
            before = first.grad.clone()
            m[0].weight = nn.Parameter(first.detach() * 0.5)
            losses += train(m, sgd(m), batches(4))
            self.assertTrue(torch.equal(first.grad, before))
            return losses + m[0].weight.grad.flatten().tolist()

        self.both(loop)

    def test_state_of_one_parameter_is_another_dict(self):
        def loop(m, optimizer, run):
            losses = run(batches(4))
            own = optimizer.state[m[0].bias]
            optimizer.state[m[0].bias] = {name: value * 0.5 for name, value in own.items()}
            return losses + run(batches(4)) + optimizer.state[m[0].bias]["momentum_buffer"].tolist()

        self.all_doors(loop)


if __name__ == "__main__":
    unittest.main()
