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
