# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch as people write them, trained by mpc and by PyTorch; skipped without torch."""
import contextlib
import unittest
import warnings

import numpy as np

import mpc_compiler

try:
    import torch
    from torch import nn
except ImportError:
    torch = nn = None

STEPS = 20


def convolutional():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))


def encoder():
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True, norm_first=True)

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.head = nn.Linear(16, 5)

        def forward(self, x):
            return self.head(self.layers(x).mean(1))

    return Encoder()


def recurrent():
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(6, 12, num_layers=2, batch_first=True)
            self.head = nn.Linear(12, 5)

        def forward(self, x):
            return self.head(self.lstm(x)[0][:, -1])

    return Recurrent()


def tied():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(11, 12)
            self.norm = nn.LayerNorm(12)
            self.mix = nn.GRU(12, 12, batch_first=True)
            self.head = nn.Linear(12, 11, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, tokens):
            return self.head(self.norm(self.mix(self.embed(tokens))[0]))[:, -1]

    return Tied()


def two_inputs():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.left, self.right = nn.Linear(6, 8), nn.Linear(4, 8)
            self.both = nn.Bilinear(8, 8, 5)

        def forward(self, a, b):
            return self.both(torch.tanh(self.left(a)), nn.functional.gelu(self.right(b)))

    return Two()


def grouped():
    class Grouped(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Linear(6, 16)
            self.norm = nn.GroupNorm(4, 16)
            self.head = nn.Linear(16, 5)

        def forward(self, x):
            return self.head(nn.functional.silu(self.norm(self.stem(x))))

    return Grouped()


def dropping(p=0.5):
    return nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Dropout(p), nn.Linear(64, 5))


def numbers(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator)


def labels(count, classes=5, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(classes, (count,), generator=generator)


def batches_of(make, count=STEPS):
    return [make(seed) for seed in range(count)]


def images(seed):
    return (numbers(8, 3, 8, 8, seed=seed),), labels(8, seed=seed)


def sequences(seed):
    return (numbers(8, 7, 16, seed=seed),), labels(8, seed=seed)


def rows(seed):
    return (numbers(8, 6, seed=seed),), labels(8, seed=seed)


@unittest.skipIf(torch is None, "torch is not installed")
class Modules(unittest.TestCase):
    def pair(self, make, optimize):
        """Two equal modules, each with its optimizer."""
        made = []
        for _ in range(2):
            torch.manual_seed(0)
            module = make()
            made.append((module, optimize(module)))
        return made

    def expect_the_same(self, make, optimize, batches, *, loss=None, precision="fp32",
                        scaler=None, rtol=1e-3, atol=2e-5, loss_atol=2e-5):
        """Trains both and compares the losses, and then the weights and statistics."""
        loss = loss or nn.CrossEntropyLoss()
        (module, optimizer), (other, theirs) = self.pair(make, optimize)
        step = mpc_compiler.compile_step(
            other, loss, theirs, precision=precision, scaler=scaler,
            example_inputs=batches[0][0])
        low = {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16}[precision]
        for inputs, target in batches:
            optimizer.zero_grad()
            context = (torch.autocast("cpu", low) if low is not None
                       else contextlib.nullcontext())
            with context:
                value = loss(module(*inputs), target)
            (scaler.scale(value) if scaler else value).backward()
            if scaler:
                scaler.step(optimizer)
                scaler.update()
            else:
                optimizer.step()
            result = step(*inputs, target)
            self.assertAlmostEqual(result.loss, value.item(), delta=loss_atol)
        state = step.state_dict()["model"]
        self.assertEqual({n for n in module.state_dict() if "num_batches" not in n}, set(state))
        for name, value in state.items():
            np.testing.assert_allclose(
                np.asarray(value, np.float32), module.state_dict()[name].numpy(), rtol=rtol,
                atol=atol, err_msg=name)
        return module, optimizer, step

    def test_a_convolutional_network_with_batch_norm(self):
        self.expect_the_same(
            convolutional, lambda m: torch.optim.SGD(m.parameters(), 0.05, momentum=0.9),
            batches_of(images), rtol=2e-3, atol=1e-4)

    def test_a_transformer_encoder(self):
        # A key's bias has a gradient of 0, of which Adam would take the rounding.
        self.expect_the_same(
            encoder, lambda m: torch.optim.SGD(m.parameters(), 0.05, momentum=0.9, nesterov=True),
            batches_of(sequences), loss=nn.CrossEntropyLoss(label_smoothing=0.1) if nn else None)

    def test_an_lstm_of_two_layers(self):
        make = lambda seed: ((numbers(8, 7, 6, seed=seed),), labels(8, seed=seed))
        self.expect_the_same(
            recurrent, lambda m: torch.optim.Adam(m.parameters(), 0.01), batches_of(make))

    def test_an_embedding_that_is_the_head_too(self):
        make = lambda seed: ((labels(32, 11, seed).reshape(8, 4),), labels(8, 11, seed=seed + 99))
        self.expect_the_same(
            tied, lambda m: torch.optim.AdamW(m.parameters(), 0.01), batches_of(make), rtol=5e-3,
            atol=2e-4)

    def test_two_inputs(self):
        make = lambda seed: ((numbers(8, 6, seed=seed), numbers(8, 4, seed=seed + 99)),
                             labels(8, seed=seed))
        self.expect_the_same(
            two_inputs, lambda m: torch.optim.RMSprop(m.parameters(), 0.001, alpha=0.9),
            batches_of(make), atol=1e-4)

    def test_groups_with_and_without_decay_and_a_frozen_layer(self):
        def optimize(module):
            module.stem.weight.requires_grad_(False)
            decayed = [module.head.weight]
            rest = [p for p in module.parameters() if p.requires_grad and p is not decayed[0]]
            return torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1},
                                      {"params": rest, "weight_decay": 0.0}], lr=0.01)

        initial = self.pair(grouped, optimize)[0][0].stem.weight
        _, _, step = self.expect_the_same(grouped, optimize, batches_of(rows), atol=1e-4)
        np.testing.assert_array_equal(step.read_state("stem.weight"), initial.detach().numpy())

    def test_dropout_is_what_it_is_on_average(self):
        """The numbers that are drawn are other ones, so that means are compared."""
        torch.manual_seed(0)
        module, x, target = dropping(), *rows(0)
        means = [np.mean([nn.functional.cross_entropy(module(*x), target).item()
                          for _ in range(400)])]
        step = mpc_compiler.compile_step(
            module, nn.CrossEntropyLoss(), torch.optim.SGD(module.parameters(), 0.0),
            example_inputs=x, seed=3)
        drawn = [step(*x, target).loss for _ in range(400)]
        self.assertGreater(np.std(drawn), 0.01)
        error = 5 * np.std(drawn) / np.sqrt(400)
        self.assertAlmostEqual(np.mean(drawn), means[0], delta=2 * error)

    def test_bf16_as_autocast_has_it(self):
        for make, batches in ((convolutional, images), (encoder, sequences)):
            self.expect_the_same(
                make, lambda m: torch.optim.SGD(m.parameters(), 0.05), batches_of(batches),
                precision="bf16", rtol=0.1, atol=0.03, loss_atol=0.06)

    def test_optimizers_of_groups_go_there_and_back(self):
        def optimize(module):
            decayed = [p for p in module.parameters() if p.ndim > 1]
            rest = [p for p in module.parameters() if p.ndim < 2]
            return torch.optim.AdamW([{"params": rest, "weight_decay": 0.0},
                                      {"params": decayed, "weight_decay": 0.1}], lr=0.01)

        _, _, step = self.expect_the_same(grouped, optimize, batches_of(rows, 5), atol=1e-4)
        state = mpc_compiler.convert.to_torch(step.state_dict())
        (module, optimizer), (other, again) = self.pair(grouped, optimize)
        module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        self.assertEqual(optimizer.state[module.head.bias]["step"].item(), 5)
        self.assertEqual([g["weight_decay"] for g in optimizer.param_groups], [0.0, 0.1])
        back = mpc_compiler.compile_step(
            other, nn.CrossEntropyLoss(), again, example_inputs=rows(0)[0])
        back.load_state_dict({"model": module.state_dict(), "optimizer": optimizer.state_dict()})
        for name, slots in back.state_dict()["optimizer"]["state"].items():
            for slot, value in slots.items():
                np.testing.assert_array_equal(
                    value, step.state_dict()["optimizer"]["state"][name][slot])
        for inputs, target in batches_of(rows, 5):
            optimizer.zero_grad()
            value = nn.functional.cross_entropy(module(*inputs), target)
            value.backward()
            optimizer.step()
            self.assertAlmostEqual(step(*inputs, target).loss, value.item(), delta=2e-5)
            self.assertAlmostEqual(back(*inputs, target).loss, value.item(), delta=2e-5)

    def test_an_optimizer_of_torch_is_a_callback(self):
        class Torch:
            optimizer = None

            def __call__(self, update):
                if self.optimizer is None:
                    self.parameters = {n: torch.from_numpy(a) for n, a in update.parameters.items()}
                    for name, parameter in self.parameters.items():
                        parameter.grad = torch.from_numpy(update.gradients[name])
                    self.optimizer = torch.optim.NAdam(self.parameters.values(), lr=0.01)
                self.optimizer.step()

        (module, optimizer), (other, _) = self.pair(
            grouped, lambda m: torch.optim.NAdam(m.parameters(), lr=0.01))
        step = mpc_compiler.compile_step(
            other, nn.CrossEntropyLoss(), Torch(), lr=0.01, example_inputs=rows(0)[0])
        for inputs, target in batches_of(rows):
            optimizer.zero_grad()
            value = nn.functional.cross_entropy(module(*inputs), target)
            value.backward()
            optimizer.step()
            self.assertAlmostEqual(step(*inputs, target).loss, value.item(), delta=2e-5)

    def test_fp16_goes_on_from_a_scaler_in_the_middle_and_back(self):
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12, growth_interval=7)
        optimize = lambda m: torch.optim.SGD(m.parameters(), 0.05, momentum=0.9)
        (module, optimizer), _ = self.pair(grouped, optimize)
        batches = batches_of(rows)

        def train(module, optimizer, scaler, inputs, target):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.float16):
                value = nn.functional.cross_entropy(module(*inputs), target)
            scaler.scale(value).backward()
            scaler.step(optimizer)
            scaler.update()
            return value.item()

        for inputs, target in batches[:10]:
            train(module, optimizer, scaler, inputs, target)
        names = [name for name, _ in module.named_parameters()]
        step = mpc_compiler.compile_step(
            module, nn.CrossEntropyLoss(), optimizer, precision="fp16", scaler=scaler,
            example_inputs=batches[0][0])
        step.load_state_dict({"model": module.state_dict(), "optimizer": optimizer.state_dict(),
                              "scaler": scaler.state_dict()}, parameter_names=names)
        # Both go on, over a growth of the scale and an overflow.
        for i, (inputs, target) in enumerate(batches[10:]):
            if i == 6:
                inputs = (inputs[0] * 1e30,)
            value = train(module, optimizer, scaler, inputs, target)
            result = step(*inputs, target)
            if i != 6:
                self.assertAlmostEqual(result.loss, value, delta=5e-3)
            self.assertEqual(result.skipped, i == 6)
            self.assertEqual(step.scaler.get_scale(), scaler.get_scale())
        self.assertEqual(step.scaler.state_dict(), scaler.state_dict())
        # And back to torch.
        state = mpc_compiler.convert.to_torch(step.state_dict(), names)
        (fresh, again), _ = self.pair(grouped, optimize)
        fresh.load_state_dict(state["model"])
        again.load_state_dict(state["optimizer"])
        another = torch.amp.GradScaler("cpu")
        another.load_state_dict(state["scaler"])
        for name, value in step.state_dict()["model"].items():
            self.assertEqual(fresh.state_dict()[name].numpy().tobytes(), value.tobytes())
        for inputs, target in batches[:3]:
            self.assertAlmostEqual(step(*inputs, target).loss,
                                   train(fresh, again, another, inputs, target), delta=5e-3)
            self.assertEqual(step.scaler.get_scale(), another.get_scale())


if __name__ == "__main__":
    unittest.main()
