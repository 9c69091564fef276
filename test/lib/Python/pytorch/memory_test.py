# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients and outputs lie in memory that is used again: what somebody has of it stays as it is."""
import unittest
from unittest import mock

import mpc_compiler
from wrap_test import WrapTest, batches, call, make_mlp, sgd, train

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
    from mpc_compiler._device import Lent
except ImportError:
    torch = None

# What somebody may keep of a tensor.
KEPT = {
    "itself": lambda t: t,
    "a row": lambda t: t[0],
    "an array": lambda t: t.numpy(),
    "another tensor": lambda t: torch.from_dlpack(t),
    "in shared memory": lambda t: t.share_memory_(),
    "its storage": lambda t: (t.untyped_storage(), t.storage_offset(), t.shape, t.stride()),
    "its graph": lambda t: (t * torch.ones((), requires_grad=True) * t),
}


def numbers(kept):
    kept = torch.empty(0).set_(*kept) if isinstance(kept, tuple) else kept
    return torch.as_tensor(kept).detach().flatten().tolist()


def pools(model):
    return [one for home in model._mpc_control._homes for pool in home._pools.values() for one in pool]


class Memory(WrapTest):
    def near(self, found, expected, tolerance=2e-6):
        self.assertLess((torch.tensor(found) - torch.tensor(expected)).abs().max().item(), tolerance)

    def test_what_is_kept_of_gradients_stays(self):
        for what, keep in KEPT.items():
            def loop(m):
                kept = []
                for x, y in batches(5):
                    m.zero_grad(set_to_none=True)
                    call(m, x, y).backward()
                    kept += [keep(p.grad) for p in m.parameters()]
                return [number for one in kept for number in numbers(one)]

            with self.subTest(what):
                self.both(loop)

    def test_what_is_kept_of_outputs_stays(self):
        for what, keep in KEPT.items():
            def loop(m):
                kept = []
                for x, y in batches(5):
                    m.zero_grad()
                    value = call(m, x, y)
                    kept.append(keep(value.outputs if hasattr(value, "outputs") else m(x).detach()))
                    value.backward()
                    value = None
                return [number for one in kept for number in numbers(one)]

            with self.subTest(what):
                self.both(loop)

    def test_a_graph_through_an_output_is_its_own(self):
        """A later call writes nothing into what an earlier one has saved for its backward."""
        def loop(m):
            scale, found = torch.ones((), requires_grad=True), []
            for x, y in batches(4):
                value = call(m, x, y)
                outputs = value.outputs if hasattr(value, "outputs") else m(x).detach()
                found.append((outputs * scale).square().sum())
            sum(found).backward()
            return [scale.grad.item()]

        self.both(loop)

    def test_memory_that_was_moved_is_let_go(self):
        def loop(m):
            losses = []
            for x, y in batches(20):
                m.zero_grad()
                value = call(m, x, y)
                value.backward()
                (value.outputs if hasattr(value, "outputs") else torch.ones(1)).share_memory_()
                losses += [value.item(), *[p.grad.share_memory_().sum().item() for p in m.parameters()]]
                value = None
            if hasattr(m, "_mpc_control"):
                self.assertEqual(len(pools(m)), 1)
            return losses

        self.both(loop)

    def test_memory_that_nobody_has_is_used_again(self):
        model = mpc_compiler.wrap(
            nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 1)), loss=lambda out, y: (out[:, 0] - y).square().mean())
        gradients, outputs = set(), set()
        for x, y in batches(20):
            model.zero_grad()
            value = model(x, target=y.float())
            value.backward()
            gradients.add(model[1].weight.grad.data_ptr())
            outputs.add(value.outputs.data_ptr())
            value = None
        self.assertEqual((len(gradients), len(outputs), len(pools(model))), (1, 1, 1))

    def test_a_torch_that_counts_nothing_gets_copies(self):
        def loop(m):
            losses, kept = train(m, sgd(m), batches(10)), [p.grad for p in m.parameters()]
            before = [p.clone() for p in kept]
            m.zero_grad()
            losses += train(m, sgd(m), batches(3))
            self.assertTrue(all(torch.equal(a, b) for a, b in zip(kept, before)))
            return losses + [p.grad.sum().item() for p in m.parameters()]

        expected = loop(make_mlp())
        with mock.patch.object(Lent, "is_known", False):
            model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
            self.near(loop(model), expected)
            self.assertEqual(len(pools(model)), 1)

    def test_an_output_of_inference_mode_is_no_other_calls(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy, compile_eval=True).eval()
        plain, (x, y) = make_mlp().eval(), batches(1)[0]
        with torch.inference_mode():
            model(x)
        with torch.no_grad():
            found, expected = model(x), plain(x)
        scale = torch.ones((), requires_grad=True)
        for out in found, expected:  # Autograd saves no tensor of inference mode.
            (out * scale).square().sum().backward()
        self.assertLess((found - expected).abs().max().item(), 1e-6)
        self.assertEqual(model.report()[0].compiled_calls, 2)


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
