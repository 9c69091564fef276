# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of PyTorch around a wrapped module against the same loops around the module itself."""
import copy
import dataclasses
import inspect
import io
import json
import pathlib
import pickle
import tempfile
import unittest

import mpc_compiler

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


def make_mlp():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))


def batches(count, rows=6):
    generator = torch.Generator().manual_seed(1)
    return [(torch.randn(rows, 8, generator=generator), torch.randint(3, (rows,), generator=generator))
            for _ in range(count)]


def call(model, x, y, loss=F.cross_entropy):
    """The loss of a wrapped module or of a plain one."""
    return model(x, target=y) if hasattr(model, "_mpc_control") else loss(model(x), y)


def train(model, optimizer, data, scheduler=None, loss=F.cross_entropy):
    losses = []
    for x, y in data:
        optimizer.zero_grad()
        value = call(model, x, y, loss)
        value.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        losses.append(value.item())
    return losses


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


@unittest.skipIf(torch is None, "torch is not installed")
class WrapTest(unittest.TestCase):
    def both(self, loop, make=make_mlp, loss=F.cross_entropy, tolerance=2e-6, **options):
        """What `loop` gives for the module and for the wrapped one, which must be near."""
        expected = loop(make().train())
        found = loop(mpc_compiler.wrap(make().train(), loss=loss, **options))
        self.near(found, expected, tolerance)
        return expected

    def near(self, found, expected, tolerance=2e-6):
        self.assertEqual(len(found), len(expected))
        for i, (a, b) in enumerate(zip(found, expected)):
            self.assertLess(abs(a - b), tolerance * max(1, abs(b)), f"step {i}: {found}, expected {expected}")


class Gradients(WrapTest):
    def pools(self, model):
        return [one for home in model._mpc_control._homes for pool in home._pools.values() for one in pool]

    def test_gradients_that_are_kept_stay_as_they_are(self):
        model, plain = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy), make_mlp()
        kept, expected = [], []
        for x, y in batches(5):
            for m, found in ((model, kept), (plain, expected)):
                m.zero_grad(set_to_none=True)
                call(m, x, y).backward()
                found += [p.grad for p in m.parameters()]
        for a, b in zip(kept, expected):
            self.assertLess((a - b).abs().max().item(), 1e-6)

    def test_gradients_are_zeroed_where_they_lie(self):
        def loop(m):
            optimizer, losses = sgd(m), []
            for x, y in batches(10):
                value = call(m, x, y)
                optimizer.zero_grad(set_to_none=False)
                value.backward()
                optimizer.step()
                losses.append(value.item())
            return losses

        self.both(loop)

    def test_a_factor_comes_in_at_the_loss(self):
        def loop(m):
            losses = []
            for i, (x, y) in enumerate(batches(4)):
                (call(m, x, y) * i).backward()
                losses += [p.grad.sum().item() for p in m.parameters()]
            return losses

        self.both(loop)

    def test_they_are_never_copied_and_their_memory_is_used_again(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        train(model, sgd(model), batches(10))
        memory, = self.pools(model)
        own = {tensor.data_ptr() for tensor in memory.tensors}
        self.assertEqual({p.grad.data_ptr() for p in model.parameters()}, own)
        for x, y in batches(100):  # Each loss is dropped; no memory waits for a collection.
            model.zero_grad()
            model(x, target=y)
        self.assertEqual(len(self.pools(model)), 1)

    def test_memory_of_an_accumulation_goes_when_that_ends(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        losses = [model(x, target=y) for x, y in batches(4)]
        sum(losses).backward()
        del losses
        self.assertEqual(len(self.pools(model)), 4)
        train(model, sgd(model), batches(200))
        self.assertEqual(len(self.pools(model)), 1)


class Detached(WrapTest):
    def make(self):
        class Partly(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.a, self.b, self.unused = nn.Linear(8, 3), nn.Linear(8, 3), nn.Linear(2, 2)

            def forward(self, x):
                with torch.no_grad():
                    gate = self.b(x).sigmoid()
                return self.a(x) * gate + self.b(x).detach()

        return Partly()

    def test_regions_without_gradient_stay_so(self):
        def loop(m):
            losses = train(m, torch.optim.AdamW(m.parameters(), lr=0.05, weight_decay=0.5), batches(10))
            # Without a gradient there is no decay either.
            assert m.b.weight.grad is None and m.unused.weight.grad is None
            return losses

        self.both(loop, self.make)

    @staticmethod
    def reading(add):
        """Models in which the loss sees what `add` makes of h and k."""
        class Reading(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.a, self.b = nn.Linear(8, 3), nn.Linear(8, 3)

            def forward(self, x):
                return add(self.a(x), self.b(x))

        return Reading

    def test_what_is_read_for_its_sizes_has_no_gradient(self):
        def loop(m):
            losses = train(m, torch.optim.AdamW(m.parameters(), lr=0.05, weight_decay=0.5), batches(5))
            assert m.b.weight.grad is None and m.b.bias.grad is None
            return losses

        for add in (lambda h, k: h + torch.zeros_like(k), lambda h, k: h + k.new_ones(k.shape),
                    lambda h, k: h * torch.full_like(k, 2.0), lambda h, k: torch.empty_like(k).copy_(h)):
            self.both(loop, self.reading(add))

    def test_what_adds_nothing_to_the_loss_has_a_gradient_of_zeros(self):
        def loop(m):
            optimizer, losses = torch.optim.AdamW(m.parameters(), lr=0.05, weight_decay=0.5), []
            for x, y in batches(5):
                losses += train(m, optimizer, [(x, y)])
                assert not m.b.weight.grad.any() and not m.b.bias.grad.any()
                m.b.weight.grad.fill_(3.0)  # What lies there is not kept.
            return losses + m.b.weight.flatten().tolist()

        for add in (lambda h, k: torch.where(torch.tensor(True), h, k), lambda h, k: torch.cat([k, h], 1)[:, 3:]):
            self.both(loop, self.reading(add))

    def test_a_region_with_a_gradient_beside_one_without(self):
        def make():
            m = self.make()

            def forward(x):
                with torch.no_grad():
                    gate = m.b(x).sigmoid()
                return m.a(x) * gate + m.b(x)

            type(m).forward = lambda self, x: forward(x)
            return m

        self.both(lambda m: train(m, sgd(m), batches(10)), make)


class State(WrapTest):
    def test_names_and_parameters_are_the_modules(self):
        module = make_mlp()
        own = list(module.parameters())
        model = mpc_compiler.wrap(module, loss=F.cross_entropy)
        self.assertIsInstance(model, nn.Sequential)
        self.assertEqual(list(model.state_dict()), list(make_mlp().state_dict()))
        train(model, sgd(model), batches(2))
        self.assertTrue(all(a is b for a, b in zip(own, model.parameters())))
        self.assertTrue(all(a is b for a, b in zip(own, module.parameters())))

    def test_saves_and_loads_by_torch_alone(self):
        def loop(wrap):
            m = wrap(make_mlp())
            optimizer = torch.optim.Adam(m.parameters(), lr=0.01)
            losses = train(m, optimizer, batches(5))
            file = io.BytesIO()
            torch.save({"model": m.state_dict(), "optimizer": optimizer.state_dict()}, file)
            file.seek(0)
            saved = torch.load(file)
            m = wrap(make_mlp())
            optimizer = torch.optim.Adam(m.parameters(), lr=0.01)
            m.load_state_dict(saved["model"])
            optimizer.load_state_dict(saved["optimizer"])
            return losses + train(m, optimizer, batches(5))

        self.near(loop(lambda m: mpc_compiler.wrap(m, loss=F.cross_entropy)), loop(lambda m: m))

    def test_loads_into_a_training_that_runs(self):
        def loop(m):
            before = {name: value.clone() for name, value in m.state_dict().items()}
            losses = train(m, sgd(m), batches(3))
            m.load_state_dict(before)
            losses += train(m, sgd(m), batches(3))
            m.load_state_dict(before, assign=True)
            return losses + train(m, sgd(m), batches(3))

        losses = self.both(loop)
        self.near(losses[:3], losses[3:6])

    def test_replaced_data_are_taken_over(self):
        def loop(m):
            losses = train(m, sgd(m), batches(2))
            with torch.no_grad():
                m[0].weight.data = torch.full_like(m[0].weight, 0.25)
            losses += train(m, sgd(m), batches(2))
            m.double().float()
            return losses + train(m, sgd(m), batches(2))

        self.both(loop)

    def test_copies_are_the_plain_module(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        train(model, sgd(model), batches(3))
        for copied in (copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))):
            other = copied(model)
            self.assertIs(type(other), nn.Sequential)
            x, y = batches(1)[0]
            with torch.no_grad():
                self.assertTrue(torch.equal(other(x), model.eval()(x)))
            model.train()
            weight = other[0].weight.clone()
            train(model, sgd(model), batches(1))
            self.assertTrue(torch.equal(other[0].weight, weight))

    def test_statistics_are_written_once_a_call(self):
        def make():
            torch.manual_seed(0)
            return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Linear(16, 3))

        def loop(m):
            losses = train(m, sgd(m), batches(5))
            return losses + m[1].running_mean.tolist() + m[1].running_var.tolist() + [m[1].num_batches_tracked.item()]

        self.both(loop, make, tolerance=1e-5)

    def test_statistics_are_written_once_where_an_overflow_is_run_again(self):
        def make():
            torch.manual_seed(0)
            return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16, momentum=0.5), nn.Linear(16, 3))

        model = mpc_compiler.wrap(make(), loss=F.cross_entropy, precision="fp16", options={"init_scale": 2.0**24})
        plain = make()
        x, y = batches(1)[0]
        model(x, target=y)
        plain(x)
        self.assertLess(model._mpc_control._any_program().scale, 2.0**24)
        self.assertLess((model[1].running_mean - plain[1].running_mean).abs().max().item(), 2e-3)
        self.assertLess((model[1].running_var - plain[1].running_var).abs().max().item(), 2e-3)
        self.assertEqual(model[1].num_batches_tracked.item(), 1)
        # A scaler that is torch's own skips the step, and the statistics are written all the same.
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24)
        model = mpc_compiler.wrap(make(), loss=F.cross_entropy, precision="fp16", scaler=scaler)
        scaler.scale(model(x, target=y)).backward()
        self.assertFalse(torch.isfinite(model[0].weight.grad).all())
        self.assertLess((model[1].running_var - plain[1].running_var).abs().max().item(), 2e-3)

    def test_a_part_in_eval_keeps_its_statistics(self):
        def make():
            torch.manual_seed(0)
            return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Linear(16, 3))

        def loop(m):
            losses = train(m, sgd(m), batches(2))
            m[1].eval()
            before = m[1].running_mean.clone()
            losses += train(m, sgd(m), batches(2))
            assert torch.equal(before, m[1].running_mean)
            return losses

        self.both(loop, make, tolerance=1e-5)

    def test_tied_weights_stay_one(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.embed = nn.Embedding(11, 8)
                self.head = nn.Linear(8, 11, bias=False)
                self.head.weight = self.embed.weight

            def forward(self, x):
                return self.head(self.embed(x).tanh())

        def loop(m):
            generator = torch.Generator().manual_seed(2)
            data = [(torch.randint(11, (6,), generator=generator), torch.randint(11, (6,), generator=generator))
                    for _ in range(8)]
            losses = train(m, sgd(m), data)
            assert m.head.weight is m.embed.weight
            return losses

        self.both(loop, Tied)


@dataclasses.dataclass
class Pair:
    x: object
    y: object


class Signatures(WrapTest):
    def make(self):
        class Inside(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.body = nn.Linear(8, 3)

            def forward(self, batch, labels=None, *, factor=1.0):
                x = batch.x if isinstance(batch, Pair) else batch["x"]
                logits = self.body(x) * factor
                if labels is None:
                    return {"logits": logits}
                return {"loss": F.cross_entropy(logits, labels), "logits": logits, "count": 7, "none": None}

        return Inside()

    def loop(self, m):
        losses = []
        optimizer = sgd(m)
        for x, y in batches(6):
            for batch, factor in (({"x": x}, 1.0), (Pair(x, None), 2.0), ({"x": x}, 1.0)):
                optimizer.zero_grad()
                out = m(batch, labels=y, factor=factor)
                out["loss"].backward()
                optimizer.step()
                assert out["count"] == 7 and out["none"] is None
                losses += [out["loss"].item(), out["logits"].detach().sum().item()]
        return losses

    def test_dicts_dataclasses_and_numbers_come_as_they_are(self):
        expected = self.loop(self.make())
        model = mpc_compiler.wrap(self.make())
        self.near(self.loop(model), expected, 1e-5)
        self.assertEqual(inspect.signature(model.forward), inspect.signature(self.make().forward))

    def test_a_target_is_one_argument_more(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        self.assertEqual(list(inspect.signature(model.forward).parameters), ["input", "target"])
        x, y = batches(1)[0]
        loss = model(x, target=y)
        self.assertEqual(loss.outputs.shape, (6, 3))
        self.assertFalse(loss.outputs.requires_grad)
        self.near([F.cross_entropy(loss.outputs, y).item()], [loss.item()])

    def test_the_report_says_what_ran_how(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        train(model, sgd(model), batches(3) + batches(2, rows=2))
        first, second = model.report()
        self.assertEqual((first.compiled_calls, first.torch_calls), (3, 0))
        self.assertEqual(second.compiled_calls + second.torch_calls, 2)
        self.assertIn("float32[6, 8]", str(model.report()))


class Profiled(WrapTest):
    def test_each_program_that_runs_has_a_profile(self):
        m = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        optimizer = sgd(m)
        train(m, optimizer, batches(2))
        with m.profile() as profile:
            train(m, optimizer, batches(3))
            train(m, optimizer, batches(3, rows=4))  # The first one by torch.
        train(m, optimizer, batches(5))
        found = {text: one.data["entries"] for text, one in profile.programs.items()}
        runs = {text: {entry["name"]: entry["runs"] for entry in entries} for text, entries in found.items()}
        six, four = (f"fp32 input float32[{n}, 8], target int64[{n}]" for n in (6, 4))
        self.assertEqual({text: counts["step"] for text, counts in runs.items()}, {six: 3, four: 2})
        self.assertEqual({launch["batch"] for launch in profile.launches}, {six, four})
        times = [launch["total_ms"] for launch in profile.launches]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertIn(f"{six}\nprofile: ", str(profile))
        with self.assertRaisesRegex(mpc_compiler.UsageError, "2 programs have run, and a timeline is of one"):
            profile.save_timeline("none.json")

    def test_a_step_has_one_with_either_optimizer(self):
        for rule, entry in ((torch.optim.AdamW, "step"), (torch.optim.Adafactor, "step")):
            m = make_mlp()
            step = mpc_compiler.step(m, rule(m.parameters(), lr=0.01), F.cross_entropy)
            with step.profile() as profile:
                self.assertEqual(str(profile), "profile: no program has run\n")
                for x, y in batches(4):
                    step(x, y)
            (one,) = profile.programs.values()
            self.assertEqual({e["name"]: e["runs"] for e in one.data["entries"]}[entry], 4, rule)
            with tempfile.TemporaryDirectory() as folder:
                profile.save(path := pathlib.Path(folder) / "profile.json")
                self.assertEqual(json.loads(path.read_text()), profile.data)
                profile.save_timeline(timeline := pathlib.Path(folder) / "timeline.json")
                self.assertIn("traceEvents", json.loads(timeline.read_text()))

    def test_a_part_of_that_name_stays(self):
        class Named(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.profile, self.report = nn.Linear(8, 8), nn.Linear(8, 3)

            def forward(self, x):
                return self.report(torch.tanh(self.profile(x)))

        def loop(m):
            return train(m, sgd(m), batches(4)) + m.eval()(batches(1)[0][0])[0].tolist()

        self.both(loop, Named)


class Precision(WrapTest):
    def test_bf16_and_fp16_are_as_far_off_as_torchs(self):
        exact = train(plain := make_mlp(), sgd(plain), batches(20))
        for name, kind in (("bf16", torch.bfloat16), ("fp16", torch.float16)):
            m = make_mlp()
            optimizer, cast = sgd(m), []
            for x, y in batches(20):
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=kind):
                    loss = F.cross_entropy(m(x), y)
                loss.backward()
                optimizer.step()
                cast.append(loss.item())
            model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy, precision=name)
            found = train(model, sgd(model), batches(20))
            allowed = 2 * max(abs(a - b) for a, b in zip(cast, exact))
            self.assertLessEqual(max(abs(a - b) for a, b in zip(found, exact)), allowed, name)

    def test_a_saturated_sigmoid_keeps_its_digits_in_16_bits(self):
        class Clicks(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.body, self.base = nn.Linear(8, 1), nn.Parameter(torch.full((6,), 14.0))

            def forward(self, x, click):
                # 1 - sigmoid(14) is 14 ulps of float32 at 1: PyTorch's fp32 is itself off by 1e-3, which bounds nobody.
                logits = self.base + 0.1 * self.body(x)[:, 0]
                return F.binary_cross_entropy(torch.sigmoid(logits), click)

        x, click = batches(1)[0][0], torch.zeros(6)
        exact = Clicks().double()(x.double(), click.double()).item()
        self.assertGreater(abs(Clicks()(x, click).item() - exact), 5e-4 * exact)
        for precision in ("bf16", "fp16"):
            found = mpc_compiler.wrap(Clicks(), precision=precision)(x, click).item()
            self.assertLess(abs(found - exact), 1e-4 * exact, precision)

    def test_autocast_around_a_call_says_the_precision(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        x, y = batches(1)[0]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            model(x, target=y)
        self.assertIn("bf16", str(model.report()))

    def test_an_overflow_is_run_again_at_a_lower_scale(self):
        model = mpc_compiler.wrap(
            make_mlp(), loss=F.cross_entropy, precision="fp16", options={"init_scale": 2.0**24})
        plain = make_mlp()
        x, y = batches(1)[0]
        model(x, target=y).backward()
        F.cross_entropy(plain(x), y).backward()
        for a, b in zip(model.parameters(), plain.parameters()):
            self.assertLess((a.grad - b.grad).abs().max().item(), 2e-3)

    def test_a_grad_scaler_sees_the_overflow_and_skips(self):
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**30, growth_interval=1000)
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy, precision="fp16", scaler=scaler)
        optimizer = sgd(model)
        before = model[0].weight.detach().clone()
        scales = []
        for x, y in batches(24):
            optimizer.zero_grad()
            scaler.scale(model(x, target=y)).backward()
            scaler.step(optimizer)
            scaler.update()
            scales.append(scaler.get_scale())
            if len(scales) == 1:
                self.assertTrue(torch.equal(before, model[0].weight))
        self.assertEqual(scales[0], 2.0**29)
        self.assertFalse(torch.equal(before, model[0].weight))


class Refusals(WrapTest):
    def refused(self, call, *texts, kind=mpc_compiler.UsageError):
        with self.assertRaises(kind) as caught:
            call()
        for text in texts:
            self.assertIn(text, str(caught.exception))

    def test_a_hook_inside_is_refused_by_name(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        x, y = batches(1)[0]
        model(x, target=y)

        def note(module, args, output):
            pass

        handle = model[0].register_forward_hook(note)
        self.refused(lambda: model(x, target=y), "forward hook", "note", "'0'")
        handle.remove()
        model(x, target=y)
        model[2].register_full_backward_hook(lambda *_: None)
        self.refused(lambda: model(x, target=y), "backward hook", "'2'")

    def test_a_function_with_its_own_backward_is_refused(self):
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return g * 3

        class Uses(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(8, 3)

            def forward(self, x):
                return Twice.apply(self.body(x))

        x, y = batches(1)[0]
        model = mpc_compiler.wrap(Uses(), loss=F.cross_entropy)
        self.refused(lambda: model(x, target=y), "'Twice'", "wrap_test.py", "forward_gradient=['Twice']")
        mpc_compiler.wrap(Uses(), loss=F.cross_entropy, forward_gradient=["Twice"])(x, target=y).backward()

    def test_a_second_backward_and_one_of_a_gradient_are_refused(self):
        model = mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)
        x, y = batches(1)[0]
        loss = model(x, target=y)
        loss.backward(retain_graph=True)
        self.refused(loss.backward, "a second backward")
        loss = model(x, target=y)
        self.refused(lambda: torch.autograd.grad(loss, list(model.parameters()), create_graph=True), "create_graph")

    def test_a_backward_through_an_output_is_refused(self):
        class Both(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(8, 3)

            def forward(self, x, y):
                logits = self.body(x)
                return F.cross_entropy(logits, y), logits

        loss, logits = mpc_compiler.wrap(Both())(*batches(1)[0])
        self.refused((loss + logits.sum()).backward, "a backward through output", "loss=")

    def test_no_loss_is_refused_with_the_remedy(self):
        x, y = batches(1)[0]
        self.refused(lambda: mpc_compiler.wrap(make_mlp())(x), "Sequential returns float32[6, 3]", "loss=function")
        self.refused(lambda: mpc_compiler.wrap(make_mlp(), loss=F.cross_entropy)(x), "target=")
        self.refused(
            lambda: mpc_compiler.wrap(make_mlp(), loss=lambda out, y: out)(x, target=y), "loss= gave float32[6, 3]")
        self.refused(lambda: mpc_compiler.wrap(make_mlp(), loss=3), "loss is a int")
        self.refused(lambda: mpc_compiler.wrap(3), "a torch.nn.Module, not a int")
        self.refused(lambda: mpc_compiler.wrap(make_mlp(), precision="fp8"), "precision is 'fp8'")


if __name__ == "__main__":
    unittest.main()
