# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(..., backend="mpc") against the same loops without it, and through Lightning where that is installed."""
import importlib.util
import logging
import pathlib
import re
import sys
import tempfile
import unittest
import warnings

import mpc_compiler
from wrap_test import WrapTest, batches, make_mlp, sgd

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None

ROOT = pathlib.Path(__file__).resolve().parents[4]
HAS_LIGHTNING = importlib.util.find_spec("lightning") is not None


def setUpModule():
    """Lets Python know the entry points of pyproject.toml, as an installed package has them."""
    text = (ROOT / "pyproject.toml").read_text()
    section, = re.findall(r'^\[project\.entry-points\.torch_dynamo_backends\]\n((?:.+\n)+)', text, re.M)
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    info = pathlib.Path(folder.name) / "mpc_compiler-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mpc-compiler\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[torch_dynamo_backends]\n" + section.replace('"', ""))
    sys.path.append(folder.name)
    unittest.addModuleCleanup(sys.path.remove, folder.name)


def make_normalized():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16, bias=False), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 3))


class Compiled(WrapTest):
    def setUp(self):
        from mpc_compiler import _dynamo

        torch._dynamo.reset()
        _dynamo._said.clear()
        self.dynamo = _dynamo
        caught = warnings.catch_warnings(record=True)
        self.told = caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("always", mpc_compiler.MpcWarning)

    def messages(self):
        return [str(one.message) for one in self.told if issubclass(one.category, mpc_compiler.MpcWarning)]

    def loop(self, make, data, backend=None, loss=F.cross_entropy if torch else None, **options):
        m = make()

        def value_of(x, y):
            logits = m(x)
            return loss(logits, y), logits.detach().sum()

        run = torch.compile(value_of, backend=backend, **options) if backend else value_of
        optimizer, found = sgd(m), []
        for x, y in data:
            value, total = run(x, y)
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
            found += [value.item(), total.item()]
        return found + [number for _, b in m.named_buffers() for number in b.flatten().tolist()]

    def test_a_function_of_a_loss_is_compiled(self):
        data = batches(10)
        found = self.loop(make_mlp, data, "mpc")
        reports = [line for control in self.dynamo._first_of.values() for line in control.calls.report()]
        self.assertEqual([(line.compiled_calls, line.torch_calls) for line in reports], [(10, 0)])
        self.assertEqual(self.messages(), [])
        self.near(found, self.loop(make_mlp, data), 5e-6)

    def test_statistics_are_the_modules(self):
        self.near(self.loop(make_normalized, batches(10), "mpc"), self.loop(make_normalized, batches(10)), 1e-5)

    def test_batches_of_two_sizes_share_the_weights(self):
        data = (batches(2) + batches(2, rows=4)) * 4
        self.near(self.loop(make_mlp, data, "mpc"), self.loop(make_mlp, data), 5e-6)
        torch._dynamo.reset()
        m = make_mlp()
        run = torch.compile(lambda x, y: F.cross_entropy(m(x), y), backend="mpc")
        places = []
        for x, y in data[:6] * 2:
            run(x, y).backward()
            places.append(m[0].weight.data_ptr())
        self.assertEqual(len(set(places)), 1)

    def test_one_function_may_have_several_modules(self):
        def loop(backend):
            modules = [make_normalized(), make_normalized()]
            with torch.no_grad():
                modules[1][0].weight.mul_(0.5)

            def value_of(m, x, y):
                return F.cross_entropy(m(x), y)

            run = torch.compile(value_of, backend=backend) if backend else value_of
            optimizers, found = [sgd(m) for m in modules], []
            for i, (x, y) in enumerate(batches(10)):
                value = run(modules[i % 2], x, y)
                value.backward()
                optimizers[i % 2].step()
                optimizers[i % 2].zero_grad()
                found.append(value.item())
            return found

        self.near(loop("mpc"), loop(None), 5e-6)

    def test_precision_is_an_option_or_autocasts(self):
        exact = self.loop(make_mlp, batches(5))
        by_option = self.loop(make_mlp, batches(5), "mpc", options={"precision": "bf16"})
        torch._dynamo.reset()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            around = self.loop(make_mlp, batches(5), "mpc")
        self.assertEqual(by_option, around)
        self.near(around, exact, 0.05)
        self.assertNotEqual(around, exact)

    def test_a_graph_without_a_loss_runs_by_torch_and_says_so_once(self):
        def loop(m, run):
            found = []
            for x, y in batches(3) + batches(2, rows=4):
                value = F.cross_entropy(run(x), y)
                value.backward()
                found += [value.item(), m[0].weight.grad.sum().item()]
            return found

        m, plain = make_mlp(), make_mlp()
        self.near(loop(m, torch.compile(m, backend="mpc")), loop(plain, plain))
        told, = self.messages()
        self.assertIn("is torch.float32 of 2 dimensions, not a scalar", told)

    def test_what_wants_another_gradient_runs_by_torch(self):
        m = make_mlp()

        @torch.compile(backend="mpc")
        def two(x, y):
            logits = m(x)
            return F.cross_entropy(logits, y), logits

        @torch.compile(backend="mpc")
        def of_input(x, y):
            return F.cross_entropy(m(x), y)

        (x, y), = batches(1)
        value, logits = two(x, y)
        (value + logits.sum()).backward()
        of_input(x.requires_grad_(), y).backward()
        wanted, = torch.autograd.grad(F.cross_entropy(m(x), y), x)
        torch.testing.assert_close(x.grad, wanted)
        with torch.no_grad():
            of_input(x.detach(), y)
        first, second = self.messages()
        self.assertIn("2 of its results have a gradient", first)
        self.assertIn("none of its results has a gradient", second)


class Lightning(WrapTest):
    def fit(self, by):
        import lightning

        class Module(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.net = make_mlp()
                self.losses = []
                if by == "wrap":
                    self.net = mpc_compiler.wrap(self.net, loss=F.cross_entropy)

            def training_step(self, batch, _):
                x, y = batch
                loss = self.net(x, target=y) if by == "wrap" else F.cross_entropy(self.net(x), y)
                self.log("loss", loss)
                return loss

            def validation_step(self, batch, _):
                x, y = batch
                self.log("held", F.cross_entropy(self.net(x), y))

            def on_train_batch_end(self, outputs, *_):
                self.losses.append(outputs["loss"].item())

            def on_validation_epoch_end(self):
                self.losses.append(self.trainer.callback_metrics["held"].item())

            def configure_optimizers(self):
                optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
                return [optimizer], [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)]

        module = Module()
        trainer = lightning.Trainer(
            max_epochs=3, accelerator="cpu", gradient_clip_val=0.5, enable_progress_bar=False, logger=False,
            enable_checkpointing=False, enable_model_summary=False, num_sanity_val_steps=0)
        compiled = torch.compile(module, backend="mpc") if by == "compile" else module
        loaders = [torch.utils.data.DataLoader(data, batch_size=None)
                   for data in (batches(5) + batches(1, rows=4), batches(2))]
        trainer.fit(compiled, *loaders)
        return module.losses

    def test_lightning_trains_what_is_wrapped_and_what_is_compiled(self):
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = self.fit("torch")
            for by in ("wrap", "compile"):
                torch._dynamo.reset()
                self.near(self.fit(by), expected, 5e-6)
        self.assertEqual(len(expected), 3 * 7)


def load_tests(loader, tests, pattern):
    if torch is None:
        return unittest.TestSuite()
    if HAS_LIGHTNING:
        return tests
    print("no lightning here: its Trainer is not tested")
    return loader.loadTestsFromTestCase(Compiled)


if __name__ == "__main__":
    unittest.main()
