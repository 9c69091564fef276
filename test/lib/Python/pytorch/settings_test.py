# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a module reads beside its batch, and evaluations between its steps."""
import os
import unittest

import mpc_compiler
from wrap_test import WrapTest, batches, call, make_mlp, sgd, train

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


class Scaled(nn.Module if torch else object):
    """Its forward reads numbers and tensors that are no arguments."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.body, self.target = nn.Linear(8, 3), nn.Linear(8, 3).requires_grad_(False)
        self.register_buffer("shift", torch.zeros(3), persistent=False)
        self.factor, self.weight, self.powers, self.settings = 1.0, torch.ones(3), [1.0], {"bias": 0.0}

    def forward(self, x):
        y = self.body(x) * self.factor * self.weight * self.powers[0] + self.settings["bias"] + self.shift
        return y + self.target(x)


def anneal(m, i):
    m.factor = 1.0 / (1 + i // 4)


def write_a_tensor(m, i):
    m.weight.fill_(1 + i // 4)


def replace_a_tensor(m, i):
    if i % 4 == 0:
        m.weight = torch.full((3,), 1.0 + i)


def write_in_a_list(m, i):
    m.powers[0] = 1.0 + i // 4


def write_in_a_dict(m, i):
    m.settings["bias"] = 0.5 * (i // 4)


def write_a_buffer(m, i):
    m.shift.fill_(0.25 * i)


def follow(m, i):
    with torch.no_grad():
        for own, other in zip(m.target.parameters(), m.body.parameters()):
            own.lerp_(other, 0.5)


def replace_a_part(m, i):
    if i == 5:
        torch.manual_seed(7)
        m.target = nn.Linear(8, 3).requires_grad_(False)


class Settings(WrapTest):
    """What a trace has as constants, and a loop changes."""

    def loop(self, m, change, optimizer_of=sgd):
        optimizer, losses = optimizer_of(m), []
        for i, batch in enumerate(batches(12)):
            change(m, i)
            losses += train(m, optimizer, [batch])
        return losses

    def by_step(self, change):
        m = Scaled()
        step, losses = mpc_compiler.step(m, sgd(m), F.cross_entropy), []
        for i, (x, y) in enumerate(batches(12)):
            change(m, i)
            losses.append(step(x, y).item())
        return losses

    def test_what_forward_reads_may_change(self):
        for change in (anneal, write_a_tensor, replace_a_tensor, write_in_a_list, write_in_a_dict, write_a_buffer,
                       follow, replace_a_part):
            with self.subTest(change.__name__):
                expected = self.both(lambda m: self.loop(m, change), Scaled, tolerance=5e-6)
                self.near(self.by_step(change), expected, 5e-6)
                self.assertNotEqual(expected, self.loop(Scaled(), lambda m, i: None))

    def test_what_a_loss_reads_may_change(self):
        def loop(wrap):
            weight, teacher, settings = torch.ones(3), nn.Linear(8, 3).requires_grad_(False), {"share": 0.5}
            with torch.no_grad():
                teacher.weight.fill_(0.1)
                teacher.bias.zero_()

            def loss(out, batch):
                x, y = batch
                distance = F.mse_loss(out, teacher(x))
                return F.cross_entropy(out, y, weight=weight) + settings["share"] * distance

            m = wrap(make_mlp(), loss)
            optimizer, losses = sgd(m), []
            for i, (x, y) in enumerate(batches(12)):
                if i == 3:
                    weight[1] = 2.0
                if i == 6:
                    settings["share"] = 0.25
                if i == 9:
                    with torch.no_grad():
                        teacher.weight.fill_(0.4)
                optimizer.zero_grad()
                value = m(x, target=(x, y)) if hasattr(m, "_mpc_control") else loss(m(x), (x, y))
                value.backward()
                optimizer.step()
                losses.append(value.item())
            return losses

        self.near(loop(lambda m, loss: mpc_compiler.wrap(m, loss=loss)), loop(lambda m, loss: m))

    def test_what_each_call_has_anew_is_said(self):
        def always(m, i):
            m.factor = 1 / (1 + i)

        with self.assertWarnsRegex(mpc_compiler.MpcWarning, "factor changes .*such calls run by torch") as caught:
            expected = self.both(lambda m: self.loop(m, always), Scaled, tolerance=5e-6)
        self.assertEqual(os.path.basename(caught.filename), "wrap_test.py")  # Which has the loop.
        with self.assertWarnsRegex(mpc_compiler.MpcWarning, "factor changes .*each such call is compiled anew") as caught:
            self.near(self.by_step(always), expected, 5e-6)
        self.assertEqual(caught.filename, __file__)

    def test_what_forward_writes_is_said(self):
        class Counts(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.body, self.calls = nn.Linear(8, 3), 0

            def forward(self, x):
                self.calls += 1
                return self.body(x)

        with self.assertWarnsRegex(mpc_compiler.MpcWarning, "forward writes calls"):
            self.both(lambda m: train(m, sgd(m), batches(5)), Counts)

    def test_what_is_refused_may_run_by_torch(self):
        def loop(m):
            losses, seen = train(m, sgd(m), batches(2)), []
            handle = m[0].register_forward_hook(lambda module, args, out: seen.append(1))
            losses += train(m, sgd(m), batches(3))
            handle.remove()
            return losses + train(m, sgd(m), batches(3)) + [len(seen)]

        with self.assertWarnsRegex(mpc_compiler.MpcWarning, "runs by torch: forward hook"):
            self.both(loop, on_unsupported="torch")

        def of_input(m):
            (x, y), found = batches(1)[0], []
            x = x.requires_grad_()
            for _ in range(3):
                call(m, x, y).backward()
                found.append(x.grad.sum().item())
            return found

        self.both(of_input)


class Evaluations(WrapTest):
    """wrap(..., compile_eval=True): calls in eval() under no_grad are compiled too, on the weights as they are."""

    def make(self):
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Dropout(0.0), nn.Linear(16, 3))

    def loop(self, m):
        optimizer, losses = sgd(m), []
        for i, (x, y) in enumerate(batches(8)):
            losses += train(m, optimizer, [(x, y)])
            m.eval()
            with torch.no_grad():
                for u, v in batches(2) + batches(1, rows=4):
                    losses += m(u).flatten().tolist()
            if i == 4:  # A gradient is torch's, in eval() too.
                F.cross_entropy(m(x), y).backward()
                losses.append(m[0].weight.grad.sum().item())
            m.train()
        return losses + [b.double().sum().item() for b in m.state_dict().values()]

    def test_they_are_torchs_between_steps(self):
        expected = self.loop(self.make())
        model = mpc_compiler.wrap(self.make(), loss=F.cross_entropy, compile_eval=True)
        self.near(self.loop(model), expected, 2e-5)
        training, first, second = model.report()
        self.assertEqual((training.compiled_calls, training.torch_calls), (8, 0))
        self.assertEqual((first.compiled_calls, first.torch_calls), (16, 0))
        self.assertEqual(second.compiled_calls + second.torch_calls, 8)
        self.assertGreater(second.compiled_calls, 5)

    def test_a_target_gives_the_loss(self):
        model = mpc_compiler.wrap(self.make(), loss=F.cross_entropy, compile_eval=True).eval()
        x, y = batches(1)[0]
        with torch.no_grad():
            value = model(x, target=y)
            self.near([value.item()], [F.cross_entropy(self.make().eval()(x), y).item()])
            self.assertFalse(value.requires_grad)
        self.assertEqual(model.report()[0].compiled_calls, 1)

    def test_loads_and_bf16(self):
        model = mpc_compiler.wrap(self.make(), loss=F.cross_entropy, compile_eval=True).eval()
        plain, (x, y) = self.make().eval(), batches(1)[0]
        with torch.no_grad():
            for scale in (1.0, 0.5, 2.0):
                state = {name: value * scale for name, value in plain.state_dict().items()}
                model.load_state_dict(state)
                other = self.make().eval()
                other.load_state_dict(state)
                self.assertLess((model(x) - other(x)).abs().max().item(), 2e-5)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                self.assertLess((model(x) - other(x)).abs().max().item(), 0.05)

    def test_what_is_not_compiled_is_torchs(self):
        model = mpc_compiler.wrap(self.make(), loss=F.cross_entropy, compile_eval=True).eval()
        seen, (x, y) = [], batches(1)[0]
        with torch.no_grad():
            expected = model(x)
            handle = model[0].register_forward_hook(lambda *_: seen.append(1))
            with self.assertWarnsRegex(mpc_compiler.MpcWarning, "runs by torch: forward hook"):
                self.assertLess((model(x) - expected).abs().max().item(), 1e-5)
            handle.remove()
            model[1].train()  # Writes its statistics.
            before = model[1].num_batches_tracked.item()
            model(x)
        self.assertEqual((len(seen), model[1].num_batches_tracked.item()), (1, before + 1))


if __name__ == "__main__":
    unittest.main()
