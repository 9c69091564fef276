# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops as tutorials of PyTorch have them, with one call of step() in their middle."""
import unittest

import mpc_compiler
from wrap_test import WrapTest, batches, make_mlp, sgd, train

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


class Steps(WrapTest):
    """Losses and weights of step(), and of PyTorch's own loop."""

    def same(self, make, optimizer_of=sgd, data=None, loss=F.cross_entropy if torch else None, tolerance=5e-6,
             before=lambda m, optimizer, i: None, **options):
        """Losses and weights of step() and of a loop, with `before` called before each batch."""
        data = data or batches(12)
        models, found = [make().train(), make().train()], []
        for m, is_step in zip(models, (False, True)):
            optimizer = optimizer_of(m)
            step = mpc_compiler.step(m, optimizer, loss, **options) if is_step else None
            losses = []
            for i, (x, y) in enumerate(data):
                losses += before(m, optimizer, i) or []
                losses += [step(x, y).item()] if is_step else train(m, optimizer, [(x, y)], loss=loss)
            found.append(losses + [b.double().sum().item() for b in m.state_dict().values()])
        self.near(found[1], found[0], tolerance)
        return step, found[0]

    def test_parts_are_unfrozen_one_by_one(self):
        def before(m, optimizer, i):
            m[0].requires_grad_(i >= 4)

        for optimizer_of in (sgd, lambda m: torch.optim.AdamW(m.parameters(), lr=0.01)):
            self.same(make_mlp, optimizer_of, before=before)

        def freeze(m, optimizer, i):
            m[0].requires_grad_(i < 4 or i > 8)

        self.same(make_mlp, sgd, before=freeze)
        self.same(make_mlp, lambda m: torch.optim.AdamW(m.parameters(), lr=0.01), before=freeze)

    def test_evaluation_and_an_average_in_between(self):
        averages = {}

        def before(m, optimizer, i):
            average = averages.setdefault(id(m), torch.optim.swa_utils.AveragedModel(m))
            average.update_parameters(m)
            x, y = batches(1)[0]
            m.eval()
            with torch.no_grad():
                values = [F.cross_entropy(m(x), y).item(), F.cross_entropy(average(x), y).item()]
            m.train()
            return values

        self.same(make_mlp, before=before)

    def test_a_part_in_eval_keeps_its_statistics(self):
        def make():
            torch.manual_seed(0)
            return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Linear(16, 16), nn.BatchNorm1d(16), nn.Linear(16, 3))

        self.same(make, before=lambda m, optimizer, i: m[1].train(i < 4) and None, tolerance=1e-5)

    def test_tied_weights_stay_one(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.embed, self.head = nn.Embedding(11, 8), nn.Linear(8, 11, bias=False)
                self.head.weight = self.embed.weight

            def forward(self, x):
                return self.head(self.embed(x).tanh())

        generator = torch.Generator().manual_seed(2)
        data = [(torch.randint(11, (6,), generator=generator), torch.randint(11, (6,), generator=generator))
                for _ in range(8)]
        self.same(Tied, lambda m: torch.optim.AdamW(m.parameters(), lr=0.01), data)

    def test_smoothing_and_weights(self):
        self.same(make_mlp, loss=nn.CrossEntropyLoss(weight=torch.tensor([0.2, 1.0, 3.0]), label_smoothing=0.1))

    def test_lengths_alternate(self):
        self.same(make_mlp, lambda m: torch.optim.AdamW(m.parameters(), lr=0.01),
                  (batches(1, rows=7) + batches(1, rows=4) + batches(1, rows=9)) * 4)

    def test_two_models_train_against_each_other(self):
        class Against(nn.Module):
            def __init__(self, generator, discriminator):
                super().__init__()
                self.generator, self.discriminator = generator, discriminator

            def forward(self, noise):
                return F.binary_cross_entropy_with_logits(
                    self.discriminator(self.generator(noise)), torch.ones(len(noise), 1))

        def loop(is_step):
            torch.manual_seed(0)
            g, d = nn.Sequential(nn.Linear(4, 8)), nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
            pair, bce = Against(g, d), F.binary_cross_entropy_with_logits
            og, od = (torch.optim.Adam(n.parameters(), lr=0.01) for n in (g, d))
            if is_step:
                of_d, of_g = mpc_compiler.step(d, od, bce), mpc_compiler.step(pair, og)
            losses = []
            for x, _ in batches(8):
                with torch.no_grad():
                    fake = g(x[:, :4])
                data, labels = torch.cat([x, fake]), torch.cat([torch.ones(6, 1), torch.zeros(6, 1)])
                if is_step:
                    losses += [of_d(data, labels).item(), of_g(x[:, 4:]).item()]
                    continue
                losses += train(d, od, [(data, labels)], loss=bce)
                og.zero_grad()
                value = pair(x[:, 4:])
                value.backward()
                og.step()
                losses.append(value.item())
            return losses

        self.near(loop(True), loop(False), 5e-6)

    def test_an_overflow_at_the_fifth_step(self):
        def loop(is_step):
            m = make_mlp()
            optimizer = torch.optim.AdamW(m.parameters(), lr=0.01)
            scaler, found = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=6), []
            step = mpc_compiler.step(m, optimizer, F.cross_entropy, precision="fp16", scaler=scaler, clip_norm=1.0)
            for i, (x, y) in enumerate(batches(12)):
                x = x * 1e30 if i == 4 else x  # Infinite as float16.
                if is_step:
                    value = step(x, y)
                else:
                    optimizer.zero_grad()
                    with torch.autocast("cpu", dtype=torch.float16):
                        value = F.cross_entropy(m(x), y)
                    scaler.scale(value).backward()
                    scaler.unscale_(optimizer)
                    torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
                    scaler.step(optimizer)
                    scaler.update()
                found += [value.item() if i != 4 else 0.0, scaler.get_scale(), scaler._get_growth_tracker()]
            return found + [optimizer.state[m[0].weight]["step"].item()]

        expected = loop(False)
        self.near(loop(True), expected, 4e-3)
        self.assertEqual((expected[4 * 3 + 1], expected[-1]), (2.0**9, 11))

    def test_accumulation_at_a_scale_is_torchs(self):
        def loop(is_step):
            m = make_mlp()
            optimizer = torch.optim.AdamW(m.parameters(), lr=0.01)
            step, losses = mpc_compiler.step(m, optimizer, F.cross_entropy, accumulate=3, clip_norm=0.5), []
            for i, (x, y) in enumerate(batches(12)):
                if is_step:
                    losses.append(step(x, y).item())
                    continue
                value = F.cross_entropy(m(x), y)
                (value / 3).backward()
                if i % 3 == 2:
                    torch.nn.utils.clip_grad_norm_(m.parameters(), 0.5)
                    optimizer.step()
                    optimizer.zero_grad()
                losses.append(value.item())
            return losses

        self.near(loop(True), loop(False), 5e-6)

    def test_what_a_step_cannot_be_is_refused_by_name(self):
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return g * 3

        class Uses(nn.Sequential):
            def forward(self, x):
                return Twice.apply(super().forward(x))

        x, y = batches(1)[0]
        m = Uses(nn.Linear(8, 3))
        with self.assertRaisesRegex(mpc_compiler.UsageError, "'Twice'.*loops_test.py"):
            mpc_compiler.step(m, sgd(m), F.cross_entropy)(x, y)
        m = make_mlp().eval()
        with self.assertRaisesRegex(mpc_compiler.UsageError, r"in eval\(\): call model.train\(\)"):
            mpc_compiler.step(m, sgd(m), F.cross_entropy)(x, y)
        m = make_mlp().to("meta")
        with self.assertRaisesRegex(mpc_compiler.Error, "meta.*CPU"):
            mpc_compiler.step(m, sgd(m), F.cross_entropy)(x, y)
        m = make_mlp()
        with self.assertRaisesRegex(mpc_compiler.UsageError, "LBFGS.*wrap"):
            mpc_compiler.step(m, torch.optim.LBFGS(m.parameters()), F.cross_entropy)


if __name__ == "__main__":
    unittest.main()
