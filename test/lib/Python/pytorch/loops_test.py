# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops as tutorials of PyTorch have them, around a wrapped module and around the module itself."""
import multiprocessing
import tempfile
import threading
import unittest

import mpc_compiler
from wrap_test import WrapTest, batches, call, make_mlp, sgd, train

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


class Loops(WrapTest):
    def test_a_loop_stays_as_it_is(self):
        losses = self.both(lambda m: train(m, sgd(m), batches(20)))
        self.assertLess(losses[-1], losses[0])

    def test_a_step_of_torch_is_read_by_the_next_call(self):
        # A stale copy of the weights would leave the loss as it is.
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        x, y = batches(1)[0]
        losses = train(model, torch.optim.SGD(model.parameters(), lr=1.0), [(x, y)] * 3)
        self.assertLess(losses[1], losses[0] - 0.05)
        self.assertLess(losses[2], losses[1] - 0.05)

    def test_a_scheduler_sets_the_rate(self):
        def loop(m):
            optimizer = torch.optim.NAdam(m.parameters(), lr=0.02)
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
            return train(m, optimizer, batches(20), scheduler)

        self.both(loop)

    def test_groups_have_rates_of_their_own(self):
        def loop(m):
            groups = [{"params": m[0].parameters(), "lr": 1e-3}, {"params": m[2].parameters(), "lr": 1e-1}]
            return train(m, torch.optim.AdamW(groups), batches(20))

        self.both(loop)

    def test_gradients_are_clipped_by_torch(self):
        def loop(m):
            optimizer, losses = sgd(m), []
            for x, y in batches(20):
                optimizer.zero_grad()
                value = call(m, x, y)
                value.backward()
                losses.append(torch.nn.utils.clip_grad_norm_(m.parameters(), 0.1).item())
                optimizer.step()
                losses.append(value.item())
            return losses

        self.both(loop, tolerance=1e-5)

    def test_gradients_add_up_over_batches(self):
        def loop(m):
            optimizer, losses = sgd(m), []
            for i, (x, y) in enumerate(batches(20)):
                value = call(m, x, y)
                (value / 2).backward()
                if i % 2:
                    optimizer.step()
                    optimizer.zero_grad(set_to_none=bool(i % 4 == 1))
                losses.append(value.item())
            return losses

        self.both(loop)

    def test_a_rule_that_evaluates_several_times(self):
        def loop(m):
            optimizer, losses = torch.optim.LBFGS(m.parameters(), lr=0.5, max_iter=4), []
            for x, y in batches(4):
                def closure():
                    optimizer.zero_grad()
                    value = call(m, x, y)
                    value.backward()
                    return value

                losses.append(optimizer.step(closure).item())
            return losses

        self.both(loop, tolerance=1e-4)

    def test_two_losses_wait_for_one_backward(self):
        def loop(m):
            optimizer, losses = sgd(m), []
            for (x, y), (u, v) in zip(batches(10), batches(20)[10:]):
                optimizer.zero_grad()
                value = call(m, x, y) + 0.5 * call(m, u, v)
                value.backward()
                optimizer.step()
                losses.append(value.item())
            return losses

        self.both(loop)

    def test_autograd_grad_gives_the_gradients(self):
        def loop(m):
            x, y = batches(1)[0]
            found = torch.autograd.grad(call(m, x, y), list(m.parameters()))
            return torch.cat([g.flatten() for g in found]).tolist()

        self.both(loop)

    def test_the_last_batch_is_smaller(self):
        def loop(m):
            data = batches(3) + batches(1, rows=2)
            return train(m, sgd(m), data * 4)

        self.both(loop)

    def test_evaluation_in_between_sees_the_weights(self):
        def loop(m):
            optimizer, losses = sgd(m), []
            for x, y in batches(10):
                losses += train(m, optimizer, [(x, y)])
                m.eval()
                with torch.no_grad():
                    losses.append(F.cross_entropy(m(x), y).item())
                m.train()
            return losses

        self.both(loop)

    def test_an_average_of_weights_is_torchs(self):
        def loop(m):
            average, optimizer = torch.optim.swa_utils.AveragedModel(m), sgd(m)
            losses = []
            for x, y in batches(10):
                losses += train(m, optimizer, [(x, y)])
                average.update_parameters(m)
            return losses + [F.cross_entropy(average.eval()(x), y).item() for x, y in batches(2)]

        self.both(loop)

    def test_parts_are_unfrozen_one_by_one(self):
        def loop(m):
            m[0].requires_grad_(False)
            optimizer = torch.optim.AdamW(m.parameters(), lr=0.01)
            losses = train(m, optimizer, batches(5))
            assert m[0].weight.grad is None
            m[0].requires_grad_(True)
            return losses + train(m, optimizer, batches(5))

        self.both(loop)

    def test_two_models_train_against_each_other(self):
        def loop(wrap):
            torch.manual_seed(0)
            g, d = nn.Sequential(nn.Linear(4, 8)), nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
            d = mpc_compiler.wrap(d, loss=F.binary_cross_entropy_with_logits) if wrap else d
            og, od = sgd(g), sgd(d)
            losses = []
            for x, _ in batches(10):
                fake = g(x[:, :4]).detach()
                od.zero_grad()
                ones, zeros = torch.ones(6, 1), torch.zeros(6, 1)
                value = call(d, x, ones, F.binary_cross_entropy_with_logits) + call(
                    d, fake, zeros, F.binary_cross_entropy_with_logits)
                value.backward()
                od.step()
                og.zero_grad()
                d.eval()  # Its gradient for the generator is torch's.
                F.binary_cross_entropy_with_logits(d(g(x[:, :4])), ones).backward()
                d.train()
                og.step()
                losses.append(value.item())
            return losses

        self.near(loop(True), loop(False))

    def test_a_teacher_runs_without_gradients(self):
        def loop(m):
            torch.manual_seed(5)
            teacher = nn.Sequential(nn.Linear(8, 3)).eval()
            data = []
            for x, _ in batches(10):
                with torch.no_grad():
                    data.append((x, teacher(x).softmax(1)))
            return train(m, sgd(m), data)

        self.both(loop)

    def test_smoothing_and_weights_are_any_function(self):
        loss = nn.CrossEntropyLoss(weight=torch.tensor([0.2, 1.0, 3.0]), label_smoothing=0.1)
        self.both(lambda m: train(m, sgd(m), batches(10), loss=loss), loss=loss)
        loss = lambda out, y: F.cross_entropy(out, y) + 0.1 * out.square().mean()
        self.both(lambda m: train(m, sgd(m), batches(10), loss=loss), loss=loss)

    def test_torch_may_have_any_number_of_threads(self):
        def make():
            torch.manual_seed(0)
            return nn.Sequential(nn.Linear(8, 3000), nn.Tanh(), nn.Linear(3000, 3))

        def loop(m):
            before, optimizer, losses = torch.get_num_threads(), sgd(m), []
            for threads in (1, 2, 5, 3, 1, 8, 2):  # Of several a loop of torch's own is divided among them.
                torch.set_num_threads(threads)
                losses += train(m, optimizer, batches(2))
                losses.append(torch.ones(200000).add_(1).sum().item())
            torch.set_num_threads(before)
            return losses

        self.both(loop, make, tolerance=1e-4)

    def test_a_thread_evaluates_meanwhile(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        x, y = batches(1)[0]
        seen, done = [], threading.Event()

        def evaluate():
            with torch.no_grad():
                while not done.is_set() or not seen:
                    seen.append(F.cross_entropy(model(x), y).item())

        thread = threading.Thread(target=evaluate)
        thread.start()
        losses = train(model, sgd(model), batches(20))
        done.set()
        thread.join()
        self.near(losses, train(plain := make_mlp(), sgd(plain), batches(20)))
        self.assertTrue(all(value == value for value in seen))

    def test_sequences_of_three_lengths(self):
        class Tagger(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.embed, self.lstm = nn.Embedding(20, 8), nn.LSTM(8, 8, batch_first=True, bidirectional=True)
                self.head = nn.Linear(16, 5)

            def forward(self, tokens):
                return self.head(self.lstm(self.embed(tokens))[0])

        def loss(logits, tags):
            return F.cross_entropy(logits.flatten(0, 1), tags.flatten(), ignore_index=-100)

        def loop(m):
            generator = torch.Generator().manual_seed(3)
            data = []
            for length in (7, 4, 9) * 4:
                tokens = torch.randint(20, (6, length), generator=generator)
                tags = tokens % 5
                tags[0, length - 2 :] = -100
                data.append((tokens, tags))
            return train(m, torch.optim.Adam(m.parameters(), lr=0.01), data, loss=loss)

        self.both(loop, Tagger, loss)

    def test_a_loss_of_three_outputs(self):
        class Autoencoder(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.encoder, self.decoder = nn.Linear(8, 8), nn.Linear(4, 8)

            def forward(self, x):
                mean, log_variance = self.encoder(x).chunk(2, 1)
                return self.decoder(mean + (log_variance / 2).exp() * 0.1), mean, log_variance

        def loss(outputs, x):
            again, mean, log_variance = outputs
            divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1).mean()
            return F.mse_loss(again, x) + 0.1 * divergence

        self.both(lambda m: train(m, sgd(m), [(x, x) for x, _ in batches(10)], loss=loss), Autoencoder, loss)

    def test_a_grad_scaler_with_an_overflow_at_the_fifth_step(self):
        def loop(m, scaler):
            optimizer, found = sgd(m), []
            for i, (x, y) in enumerate(batches(12)):
                x = x * 1e30 if i == 4 else x  # Infinite as float16.
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.float16):
                    value = call(m, x, y)
                scaler.scale(value).backward()
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
                found += [value.item() if i != 4 else 0.0, scaler.get_scale(), scaler._get_growth_tracker()]
            return found

        def make_scaler():
            return torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=6)

        scaler = make_scaler()
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy, scaler=scaler)
        expected = loop(make_mlp(), make_scaler())
        self.near(loop(model, scaler), expected, 4e-3)
        self.assertEqual(expected[4 * 3 + 1], 2.0**9)

    def test_a_generator_learns_through_a_wrapped_discriminator(self):
        class Pair(nn.Module):  # What the generator's step trains: only the generator.
            def __init__(self, generator, discriminator):
                super().__init__()
                self.generator, self.discriminator = generator, discriminator

            def forward(self, noise):
                return F.binary_cross_entropy_with_logits(
                    self.discriminator(self.generator(noise)), torch.ones(len(noise), 1))

        def loop(is_wrapped):
            torch.manual_seed(0)
            g, d = nn.Sequential(nn.Linear(4, 8)), nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
            pair, critic = Pair(g, d), d
            if is_wrapped:
                pair = mpc_compiler.wrap(pair)
                critic = mpc_compiler.wrap(d, loss=F.binary_cross_entropy_with_logits)
            og, od = sgd(g), sgd(d)
            losses = []
            for x, _ in batches(8):
                with torch.no_grad():
                    fake = g(x[:, :4])
                od.zero_grad()
                value = sum(call(critic, data, torch.full((6, 1), label), F.binary_cross_entropy_with_logits)
                            for data, label in ((x, 1.0), (fake, 0.0)))
                value.backward()
                od.step()
                d.requires_grad_(False)
                og.zero_grad()
                other = pair(x[:, 4:])
                other.backward()
                og.step()
                d.requires_grad_(True)
                losses += [value.item(), other.item()]
            return losses

        self.near(loop(True), loop(False))

    def test_distributed_data_parallel_sums_as_ever(self):
        expected = self.distributed(False)
        self.near(self.distributed(True), expected, 2e-6)

    def distributed(self, is_wrapped):
        with tempfile.TemporaryDirectory() as folder:
            context = multiprocessing.get_context("spawn")
            results = context.Queue()
            workers = [context.Process(target=distributed_worker, args=(rank, folder, is_wrapped, results))
                       for rank in range(2)]
            for worker in workers:
                worker.start()
            found = dict(results.get(timeout=120) for _ in workers)
            for worker in workers:
                worker.join()
        self.assertEqual(found[0][1], found[1][1])  # Both have the same weights.
        return found[0][0] + found[1][0] + found[0][1]


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

        with self.assertWarnsRegex(mpc_compiler.MpcWarning, "factor changes from call to call"):
            self.both(lambda m: self.loop(m, always), Scaled, tolerance=5e-6)

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

        with self.assertWarnsRegex(mpc_compiler.MpcWarning, "argument 'input' wants a gradient"):
            self.both(of_input, on_unsupported="torch")


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


class Steps(WrapTest):
    """The same loops with one call in their middle."""

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


def distributed_worker(rank, folder, is_wrapped, results):
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=2)
    m = make_mlp()
    if is_wrapped:
        m = mpc_compiler.wrap(m, loss=F.cross_entropy, num_threads=1)
    m = nn.parallel.DistributedDataParallel(m)
    optimizer, losses = sgd(m), []
    for x, y in batches(12)[rank::2]:
        optimizer.zero_grad()
        loss = m(x, target=y) if is_wrapped else F.cross_entropy(m(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    for door in (mpc_compiler.wrap, lambda module: mpc_compiler.step(module, optimizer)):
        try:
            door(m)
            losses.append("sums are left out")
        except mpc_compiler.UsageError as error:
            losses.append(float("sums over processes" in str(error)))
    weights = torch.cat([p.detach().flatten() for p in m.parameters()]).tolist()
    results.put((rank, (losses, weights)))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    unittest.main()
