# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Situations of ordinary loops in which a compiled step once gave other numbers than torch, or an error that named nothing."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest
import warnings

import mpc_compiler
import torch_modules_test
from wrap_test import WrapTest, batches, make_mlp, sgd, train

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None

HAS_TRANSFORMERS = importlib.util.find_spec("transformers") is not None


GROUPED = pathlib.Path(__file__).resolve().parents[3] / "Inputs/torch_modules/grouped.onnx"


def make_normalized(**options):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16, **options), nn.Linear(16, 3))


def make_inside():
    class Inside(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = make_mlp()

        def forward(self, x, y):
            return F.cross_entropy(self.body(x), y) * 2 + 1

    return Inside()


class SignOfMomentum(torch.optim.Optimizer if torch else object):
    """A rule that torch does not have."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad() if torch else lambda f: f
    def step(self, closure=None):
        for group in self.param_groups:
            one, two = group["betas"]
            for p in group["params"]:
                if p.grad is not None:
                    m = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                    p.mul_(1 - group["lr"] * group["weight_decay"])
                    p.sub_(group["lr"] * m.lerp(p.grad, 1 - one).sign())
                    m.lerp_(p.grad, 1 - two)


class Doors(WrapTest):
    """A loop of torch, the same around wrap, and step in its place."""

    def all_doors(self, make, optimizer_of=sgd, data=None, loss=F.cross_entropy if torch else None, tolerance=5e-6,
                  **options):
        """The step, and the losses of all three."""
        data = data or batches(10)
        plain = make()
        own = optimizer_of(plain)
        expected = train(plain, own, data, loss=loss)
        wrapped = mpc_compiler.wrap(make(), loss=loss)
        other = optimizer_of(wrapped)
        self.near(train(wrapped, other, data), expected, tolerance)
        m = make()
        optimizer = optimizer_of(m)
        step = mpc_compiler.step(m, optimizer, loss, **options)
        self.near([step(x, y).item() for x, y in data], expected, tolerance)
        for model in (wrapped, m):
            for (name, a), b in zip(plain.state_dict().items(), model.state_dict().values()):
                self.assertLess((a.double() - b.double()).abs().max().item(), 2e-5, name)
        self.same_state(own, optimizer)
        return step, expected

    def same_state(self, own, optimizer):
        expected, found = own.state_dict(), optimizer.state_dict()
        self.assertEqual(expected["param_groups"], found["param_groups"])
        self.assertEqual(expected["state"].keys(), found["state"].keys())
        for number, slots in expected["state"].items():
            self.assertLessEqual({k for k, v in slots.items() if v is not None}, found["state"][number].keys())
            for name, value in slots.items():
                if torch.is_tensor(value):
                    other = found["state"][number][name]
                    self.assertLess((value - other).abs().max().item(), 2e-5 * max(1, value.abs().max().item()), name)


class Faults(Doors):
    def test_03_any_loss_of_python(self):
        self.all_doors(make_mlp, loss=lambda out, t: F.cross_entropy(out, t) + 0.1 * out.square().mean())

    def test_04_a_module_that_returns_its_loss_as_it_has_computed_it(self):
        plain, m = make_inside(), make_inside()
        own, optimizer = sgd(plain), sgd(m)
        step, wrapped = mpc_compiler.step(m, optimizer), mpc_compiler.wrap(make_inside())
        other = sgd(wrapped)
        for x, y in batches(5):
            losses = []
            for module, rule in ((plain, own), (wrapped, other)):
                rule.zero_grad()
                loss = module(x, y)
                loss.backward()
                rule.step()
                losses.append(loss.item())
            self.near([step(x, y).item(), losses[1]], [losses[0]] * 2, 5e-6)

    def test_05_a_file_and_an_optimizer_with_groups(self):
        file = mpc_compiler.compile_step(GROUPED, nn.CrossEntropyLoss(), "adamw")
        plain = torch_modules_test.grouped()
        plain.load_state_dict({name: torch.tensor(value) for name, value in file.state_dict()["model"].items()})

        def optimizer_of(is_named):
            matrices = [(n, p) if is_named else p for n, p in plain.named_parameters() if p.dim() > 1]
            vectors = [(n, p) if is_named else p for n, p in plain.named_parameters() if p.dim() < 2]
            return torch.optim.AdamW(
                [{"params": matrices, "weight_decay": 0.5}, {"params": vectors, "weight_decay": 0.0}], lr=0.1)

        with self.assertRaisesRegex(mpc_compiler.UsageError, "the model is a file.*give it named ones"):
            mpc_compiler.compile_step(GROUPED, nn.CrossEntropyLoss(), optimizer_of(False))
        own = optimizer_of(True)
        step = mpc_compiler.compile_step(GROUPED, nn.CrossEntropyLoss(), own)
        data = [(inputs[0], target) for inputs, target in torch_modules_test.batches_of(torch_modules_test.rows)]
        self.near([step(x, y).loss for x, y in data], train(plain, own, data), 2e-5)
        groups = step.state_dict()["optimizer"]["param_groups"]
        self.assertEqual([len(group["params"]) for group in groups], [2, 4])

    def test_05_names_of_another_model_are_told_of(self):
        foreign = torch.optim.AdamW(
            [{"params": [("body.weight", nn.Parameter(torch.zeros(2)))], "weight_decay": 0.0},
             {"params": [("head.weight", nn.Parameter(torch.zeros(2, 2)))], "weight_decay": 0.5}], lr=0.1)
        with self.assertWarnsRegex(mpc_compiler.MpcWarning, "body"):
            mpc_compiler.compile_step(GROUPED, nn.CrossEntropyLoss(), foreign)

    def test_06_a_scheduler_moves_the_rate(self):
        def loop(run, optimizer):
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.1)
            losses = []
            for x, y in batches(5):
                losses.append(run(x, y).item())
                scheduler.step()
            return losses

        m, plain = make_mlp(), make_mlp()
        own, optimizer = sgd(plain), sgd(m)

        def by_torch(x, y):
            loss = F.cross_entropy(plain(x), y)
            own.zero_grad()
            loss.backward()
            own.step()
            return loss

        self.near(loop(mpc_compiler.step(m, optimizer, F.cross_entropy), optimizer), loop(by_torch, own))

    def test_07_the_last_batch_is_smaller(self):
        self.all_doors(make_mlp, data=(batches(3) + batches(1, rows=2)) * 3)

    def test_08_weights_are_the_modules_after_each_call(self):
        m = make_mlp()
        step, before = mpc_compiler.step(m, sgd(m), F.cross_entropy), m[0].weight.clone()
        x, y = batches(1)[0]
        step(x, y)
        self.assertFalse(torch.equal(before, m[0].weight))
        with torch.no_grad():
            value = F.cross_entropy(m(x), y).item()
        self.near([step(x, y).item()], [value])

    def test_09_every_optimizer_of_torch(self):
        for name in ("SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adadelta", "Adamax", "Adagrad", "RMSprop", "ASGD",
                     "Rprop", "Adafactor"):
            with self.subTest(name):
                rule = getattr(torch.optim, name)
                step, _ = self.all_doors(make_mlp, lambda m: rule(m.parameters(), lr=1e-2), tolerance=2e-5)
                self.assertEqual("by torch" in str(step.report().notes), name == "Adafactor", step.report())

    def test_09_a_rule_of_the_users(self):
        step, _ = self.all_doors(make_mlp, lambda m: SignOfMomentum(m.parameters(), lr=1e-3, weight_decay=0.1), tolerance=2e-5)
        self.assertIn("10 optimizer steps by torch: SignOfMomentum has no compiled rule", str(step.report()))

    def test_09_rules_by_all_their_switches(self):
        o = torch.optim
        for optimizer_of in (
            lambda m: o.SGD(m.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1, maximize=False),
            lambda m: o.Adam(m.parameters(), lr=0.01, amsgrad=True, weight_decay=0.1),
            lambda m: o.AdamW(m.parameters(), lr=0.01, amsgrad=True, betas=(0.8, 0.95), eps=1e-6),
            lambda m: o.Adam(m.parameters(), lr=0.01, maximize=True),
            lambda m: o.Adam(m.parameters(), lr=0.01, decoupled_weight_decay=True, weight_decay=0.1),
            lambda m: o.Adamax(m.parameters(), lr=0.01, weight_decay=0.1),
            lambda m: o.Adagrad(m.parameters(), lr=0.01, lr_decay=0.1, initial_accumulator_value=0.5),
            lambda m: o.RMSprop(m.parameters(), lr=0.01, momentum=0.9, centered=True, alpha=0.9),
            lambda m: o.AdamW(m.parameters(), lr=torch.tensor(0.01)),
            lambda m: o.Adadelta(m.parameters(), lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1),
            lambda m: o.Adadelta(m.parameters(), lr=0.1, maximize=True),
        ):
            self.all_doors(make_mlp, optimizer_of, tolerance=2e-5)

    def test_10_groups_with_rates_and_decays_of_their_own(self):
        def rates(m):
            return torch.optim.AdamW([{"params": m[0].parameters(), "lr": 1e-3},
                                      {"params": m[2].parameters(), "lr": 1e-2}])

        def decays(m):
            return torch.optim.AdamW([{"params": m[0].parameters(), "weight_decay": 0.1},
                                      {"params": m[2].parameters(), "weight_decay": 0.01}], lr=1e-2)

        def none(m):
            return torch.optim.SGD([{"params": m[0].parameters(), "weight_decay": 0.1},
                                    {"params": m[2].parameters()}], lr=1e-2)

        for optimizer_of in (rates, decays, none):
            self.all_doors(make_mlp, optimizer_of)

    def test_10_numbers_of_groups_change_in_the_loop(self):
        def change(optimizer, i):
            group = optimizer.param_groups[0]
            if i == 2:
                group["lr"] = 0.2
            if i == 3 and "betas" in group:
                group["betas"] = (0.8, 0.95)
            if i == 4 and "nesterov" in group:  # RMSprop of torch does not take it later.
                group["momentum"] = 0.9
            if i == 5:
                group["weight_decay"] = 0.2
            if i == 6 and "nesterov" in group:
                group["nesterov"] = True
            if i == 7:
                group["maximize"] = True
            if i == 8 and "eps" in group:
                group["eps"] = 1e-3

        for rule in (torch.optim.SGD, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.NAdam, torch.optim.RAdam):
            with self.subTest(rule.__name__):
                plain, m = make_mlp(), make_mlp()
                own, optimizer = (rule(n.parameters(), lr=0.01, weight_decay=0.0) for n in (plain, m))
                step = mpc_compiler.step(m, optimizer, F.cross_entropy)
                for i, (x, y) in enumerate(batches(10)):
                    change(own, i)
                    change(optimizer, i)
                    self.near([step(x, y).item()], train(plain, own, [(x, y)]), 5e-5)

    def test_10_a_group_that_comes_later(self):
        plain, m = make_mlp(), make_mlp()
        own, optimizer = (torch.optim.AdamW(n[2].parameters(), lr=0.01) for n in (plain, m))
        step = mpc_compiler.step(m, optimizer, F.cross_entropy)
        for i, (x, y) in enumerate(batches(8)):
            if i == 4:
                for n, rule in ((plain, own), (m, optimizer)):
                    rule.add_param_group({"params": n[0].parameters()})
            own.zero_grad()
            loss = F.cross_entropy(plain(x), y)
            loss.backward()
            own.step()
            self.near([step(x, y).item()], [loss.item()], 5e-6)

    def test_11_an_optimizer_with_a_history_goes_on(self):
        for name in ("SGD", "Adam", "RMSprop", "NAdam", "Adagrad", "Adadelta", "RAdam", "ASGD", "Rprop"):
            rule = lambda m: getattr(torch.optim, name)(
                m.parameters(), lr=0.01, **({"momentum": 0.9} if name == "SGD" else {}))
            plain, m = make_mlp(), make_mlp()
            own, optimizer = rule(plain), rule(m)
            expected = train(plain, own, batches(10))
            losses = train(m, optimizer, batches(10)[:5])
            step = mpc_compiler.step(m, optimizer, F.cross_entropy)
            losses += [step(x, y).item() for x, y in batches(10)[5:]]
            with self.subTest(name):
                self.near(losses, expected, 1e-5)
                self.same_state(own, optimizer)

    def test_12_outputs_are_there_beside_the_loss(self):
        m, plain = make_mlp(), make_mlp()
        step = mpc_compiler.step(m, sgd(m), F.cross_entropy, outputs=True)
        x, y = batches(1)[0]
        step(x, y)
        self.assertLess((step.outputs - plain(x)).abs().max().item(), 1e-5)
        wrapped = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        self.assertLess((wrapped(x, target=y).outputs - plain(x)).abs().max().item(), 1e-5)

    def test_13_batches_are_counted_by_a_normalization(self):
        self.all_doors(make_normalized)
        m = make_normalized()
        step = mpc_compiler.step(m, sgd(m), F.cross_entropy)
        for x, y in batches(3):
            step(x, y)
        self.assertEqual(m[1].num_batches_tracked.item(), 3)

    def test_14_statistics_of_all_batches(self):
        self.all_doors(lambda: make_normalized(momentum=None))

    def test_14_a_momentum_that_the_loop_moves(self):
        def loop(m, run):
            for i, (x, y) in enumerate(batches(9)):
                m[1].momentum = (0.5, 0.1, 0.01)[i // 3]
                run(x, y)
            return m[1].running_mean.tolist()

        m, plain, inner = make_normalized(), make_normalized(), make_normalized()
        own, other = sgd(plain), sgd(inner)
        wrapped = mpc_compiler.wrap(inner, loss=F.cross_entropy)
        step = mpc_compiler.step(m, sgd(m), F.cross_entropy)
        expected = loop(plain, lambda x, y: train(plain, own, [(x, y)]))
        self.near(loop(m, step), expected, 1e-5)
        self.near(loop(wrapped, lambda x, y: train(wrapped, other, [(x, y)])), expected, 1e-5)

    def test_16_a_frozen_body_keeps_its_statistics(self):
        def make():
            torch.manual_seed(0)
            body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
            m = nn.Sequential(body, nn.Linear(8, 3))
            body.requires_grad_(False).eval()
            return m

        generator = torch.Generator().manual_seed(1)
        data = [(torch.randn(4, 3, 8, 8, generator=generator), torch.randint(3, (4,), generator=generator))
                for _ in range(5)]
        self.all_doors(make, lambda m: torch.optim.SGD(m[1].parameters(), lr=0.1), data)
        self.all_doors(make, sgd, data)  # With parameters that have no gradient.

    def refused(self, run, *texts):
        with self.assertRaises(mpc_compiler.Error) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run()
        for text in texts:
            self.assertIn(text, str(caught.exception))

    def both_refuse(self, make, loss, x, y, *texts):
        m, wrapped = make(), mpc_compiler.wrap(make(), loss=loss)
        step = mpc_compiler.step(m, sgd(m), loss)
        self.refused(lambda: wrapped(x, target=y), *texts)
        self.refused(lambda: step(x, y), *texts)

    def test_17_types_that_torch_refuses_are_refused(self):
        x, y = batches(1)[0]
        self.both_refuse(make_mlp, F.cross_entropy, x.double(), y, "module '0'", "of two types")
        self.both_refuse(make_mlp, F.cross_entropy, x, y.short(), "torch.export does not take Sequential", "int16")
        m = make_mlp()
        step = mpc_compiler.step(m, sgd(m), F.cross_entropy)
        with self.assertRaisesRegex(TypeError, "Sequential.forward.*too many positional"):
            step(x, y, 1)
        step(x, y)
        self.refused(lambda: step(x.double(), y), "of two types")  # Also where a program is there.

    def test_17_labels_of_int32_are_the_same_labels(self):
        x, y = batches(1)[0]
        expected = F.cross_entropy(make_mlp()(x), y).item()
        m = make_mlp()
        found = [mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)(x, target=y.int()).item(),
                 mpc_compiler.step(m, sgd(m), F.cross_entropy)(x, y.int()).item()]
        self.near(found, [expected] * 2)

    def test_17_numpy_is_taken(self):
        x, y = batches(1)[0]
        m, plain = make_mlp(), make_mlp()
        step = mpc_compiler.step(m, sgd(m), F.cross_entropy)
        expected = F.cross_entropy(plain(x), y).item()
        self.near([step(x.numpy(), y.numpy()).item()], [expected])
        self.near([mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)(x.numpy(), target=y.numpy()).item()], [expected])

    def test_18_a_target_that_torch_would_broadcast_is_refused(self):
        def make():
            torch.manual_seed(0)
            return nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 1))

        x, _ = batches(1)[0]
        for loss in (F.mse_loss, nn.MSELoss(), F.l1_loss, F.smooth_l1_loss, nn.HuberLoss()):
            self.both_refuse(make, loss, x, torch.randn(6), "a target of [6] for an output of [6, 1]", "unsqueeze")
        self.all_doors(make, data=[(x, torch.randn(6, 1, generator=torch.Generator().manual_seed(3)))] * 5,
                       loss=F.mse_loss)

    def test_19_a_loss_sees_the_views_that_are_written(self):
        class Tagger(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.embed, self.lstm = nn.Embedding(20, 8), nn.LSTM(8, 8, batch_first=True)
                self.head = nn.Linear(8, 7)

            def forward(self, tokens):
                return self.head(self.lstm(self.embed(tokens))[0])

        generator = torch.Generator().manual_seed(1)
        data = [(torch.randint(20, (4, 7), generator=generator), torch.randint(7, (4, 7), generator=generator))
                for _ in range(4)]
        _, flat = self.all_doors(Tagger, data=data, loss=lambda out, y: F.cross_entropy(out.view(-1, 7), y.view(-1)))
        _, given = self.all_doors(Tagger, data=data)
        self.assertNotEqual(flat, given)

    def test_19_cells_in_a_loop_of_the_users(self):
        class Cells(nn.Module):
            def __init__(self, kind, **options):
                super().__init__()
                torch.manual_seed(0)
                self.cell, self.head = kind(4, 6, **options), nn.Linear(6, 3)

            def forward(self, x):
                state = None
                for step in x.view(len(x), 2, 4).unbind(1):
                    state = self.cell(step, state)
                return self.head(state[0] if isinstance(state, tuple) else state)

        for kind, options in ((nn.GRUCell, {}), (nn.LSTMCell, {}), (nn.LSTMCell, {"bias": False}), (nn.RNNCell, {}),
                              (nn.RNNCell, {"nonlinearity": "relu"})):
            with self.subTest(kind.__name__, **options):
                self.all_doors(lambda: Cells(kind, **options), data=batches(5))

    def test_20_a_loss_of_several_outputs_and_of_noise(self):
        class Autoencoder(nn.Module):
            def __init__(self, share):
                super().__init__()
                torch.manual_seed(0)
                self.encoder, self.decoder, self.share = nn.Linear(8, 4), nn.Linear(2, 8), share

            def forward(self, x):
                mean, log_variance = self.encoder(x).chunk(2, 1)
                return self.decoder(mean + self.share * torch.randn_like(mean) * (log_variance / 2).exp()), mean, log_variance

        def loss(outputs, x):
            again, mean, log_variance = outputs
            return F.mse_loss(again, x) - 0.05 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1).mean()

        data = [(x, x) for x, _ in batches(10)]
        self.all_doors(lambda: Autoencoder(0.0), data=data, loss=loss)
        # With noise a loss is near torch's, and another one at each call.
        x = torch.randn(512, 8, generator=torch.Generator().manual_seed(1))
        expected = loss(Autoencoder(1.0)(x), x).item()
        wrapped = mpc_compiler.wrap(Autoencoder(1.0), loss=loss)
        first, second = wrapped(x, target=x).item(), wrapped(x, target=x).item()
        self.assertNotEqual(first, second)
        self.near([first, second], [expected] * 2, 0.05)

    def test_21_hooks_of_the_optimizer_are_called_and_of_modules_refused(self):
        for rule in (torch.optim.SGD, torch.optim.Adafactor):
            m, seen = make_mlp(), []
            optimizer = rule(m.parameters(), lr=0.1)
            optimizer.register_step_pre_hook(lambda *_: seen.append("before"))
            optimizer.register_step_post_hook(lambda *_: seen.append("after"))
            step = mpc_compiler.step(m, optimizer, F.cross_entropy)
            x, y = batches(1)[0]
            step(x, y)
            step(x, y)
            self.assertEqual(seen, ["before", "after"] * 2)

            def watch(*_):
                pass

            m[0].register_forward_hook(watch)
            self.refused(lambda: step(x, y), "forward hook", "watch", "'0'")

    def test_21_parametrizations_are_traced(self):
        def make():
            torch.manual_seed(0)
            return nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(8, 3)))

        def normal():
            torch.manual_seed(0)
            return nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(8, 3)))

        self.all_doors(make)
        self.all_doors(normal)

    def test_21_bags_of_rows(self):
        class Bags(nn.Module):
            def __init__(self, mode, padding):
                super().__init__()
                torch.manual_seed(0)
                self.bag = nn.EmbeddingBag(12, 6, mode=mode, padding_idx=padding)
                self.head = nn.Linear(6, 3)

            def forward(self, batch):
                return self.head(self.bag(*batch) if isinstance(batch, tuple) else self.bag(batch))

        generator = torch.Generator().manual_seed(1)
        y = torch.randint(3, (4,), generator=generator)
        even = [(torch.randint(12, (4, 5), generator=generator), y) for _ in range(4)]
        offsets = torch.tensor([0, 3, 3, 8])
        ragged = [((torch.randint(12, (11,), generator=generator), offsets), y) for _ in range(4)]
        for mode in ("sum", "mean"):
            for padding in (None, 2):
                for data in (even, ragged):
                    self.all_doors(lambda: Bags(mode, padding), data=data)

    def test_21_a_forward_may_have_a_target_of_its_own(self):
        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.body = nn.Linear(8, 3)

            def forward(self, x, target):
                return self.body(x) + target[:, None]

        x, y = batches(1)[0]
        expected = F.cross_entropy(Decoder()(x, y), y).item()
        m = Decoder()
        step = mpc_compiler.step(m, torch.optim.SGD(m.parameters(), lr=0.0), F.cross_entropy)
        found = [mpc_compiler.wrap(Decoder(), loss=F.cross_entropy)(x, target=y, loss_target=y).item(),
                 step(x, y, y).item(), step(x, target=y, loss_target=y).item()]
        self.near(found, [expected] * 3)

    def test_22_nothing_is_said_beside(self):
        code = (
            "import torch, mpc_compiler\n"
            "class Net(torch.nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.lstm = torch.nn.LSTM(4, 4)\n"
            "    def forward(self, x):\n"
            "        return self.lstm(x)[0]\n"
            "x = torch.randn(3, 2, 4)\n"
            "loss = torch.nn.MSELoss()\n"
            "wrapped = mpc_compiler.wrap(Net(), loss=loss)\n"
            "value = wrapped(x, target=x)\n"  # Lives until Python ends.
            "value.backward()\n"
            "m = Net()\n"
            "step = mpc_compiler.step(m, torch.optim.SGD(m.parameters(), lr=0.1), loss)\n"
            "step(x, x)\n"
        )
        ran = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, env=dict(os.environ))
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", ""))


class WithTransformers(Doors):
    def make_bert(self):
        import transformers

        torch.manual_seed(0)
        return transformers.BertForSequenceClassification(transformers.BertConfig(
            vocab_size=100, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
            max_position_embeddings=32, num_labels=3, hidden_dropout_prob=0, attention_probs_dropout_prob=0)).train()

    def batch(self):
        generator = torch.Generator().manual_seed(1)
        return {"input_ids": torch.randint(100, (4, 16), generator=generator),
                "attention_mask": torch.ones(4, 16, dtype=torch.long),
                "token_type_ids": torch.zeros(4, 16, dtype=torch.long),
                "labels": torch.randint(3, (4,), generator=generator)}

    def losses(self, m, optimizer, run):
        found = []
        for _ in range(4):
            optimizer.zero_grad()
            loss = run()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    def test_01_a_batch_is_a_dict(self):
        batch = self.batch()
        plain, inner, m = self.make_bert(), self.make_bert(), self.make_bert()
        expected = self.losses(plain, torch.optim.AdamW(plain.parameters()), lambda: plain(**batch).loss)
        wrapped = mpc_compiler.wrap(inner)
        self.near(self.losses(wrapped, torch.optim.AdamW(inner.parameters()), lambda: wrapped(**batch).loss), expected)
        step = mpc_compiler.step(m, torch.optim.AdamW(m.parameters()))
        self.near([step(**batch).item() for _ in range(4)], expected)

    def test_02_positions_are_those_of_forward(self):
        batch, m = self.batch(), self.make_bert()
        values = list(batch.values())
        step = mpc_compiler.step(m, torch.optim.AdamW(m.parameters()))
        # The fourth is position_ids, and there are no labels.
        with self.assertRaises(mpc_compiler.UsageError):
            step(*values)
        with self.assertRaises(mpc_compiler.UsageError):
            mpc_compiler.wrap(self.make_bert())(*values)
        order = [batch["input_ids"], batch["attention_mask"], batch["token_type_ids"], None, None, batch["labels"]]
        self.near([step(*order).item()], [self.make_bert()(**batch).loss.item()])

    def test_15_a_model_with_a_cache(self):
        import transformers

        def make():
            torch.manual_seed(0)
            return transformers.GPT2LMHeadModel(transformers.GPT2Config(
                vocab_size=100, n_positions=32, n_embd=32, n_layer=1, n_head=2, resid_pdrop=0, embd_pdrop=0,
                attn_pdrop=0)).train()

        ids = torch.randint(100, (2, 16), generator=torch.Generator().manual_seed(1))
        plain, inner, m = make(), make(), make()
        expected = self.losses(plain, torch.optim.AdamW(plain.parameters()), lambda: plain(ids, labels=ids).loss)
        wrapped = mpc_compiler.wrap(inner)
        self.near(
            self.losses(wrapped, torch.optim.AdamW(inner.parameters()), lambda: wrapped(ids, labels=ids).loss), expected)
        step = mpc_compiler.step(m, torch.optim.AdamW(m.parameters()))
        self.near([step(ids, labels=ids).item() for _ in range(4)], expected)


def load_tests(loader, tests, pattern):
    if torch is None:
        return unittest.TestSuite()
    if HAS_TRANSFORMERS:
        return tests
    print("no transformers here: its models are not tested")
    return loader.loadTestsFromTestCase(Faults)


if __name__ == "__main__":
    unittest.main()
