# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that compute with complex numbers: rotary embeddings, Fourier operators, spectrograms, state spaces."""
import copy
import unittest

import mpc_compiler
from wrap_test import WrapTest

try:
    import torch
    from torch import nn
except ImportError:
    torch = None

Module = nn.Module if torch else object


class Rotary(Module):
    """Llama's, by a table that is no buffer."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(16, 16)
        self.turns = torch.polar(torch.ones(6, 4), torch.outer(torch.arange(6.0), 0.3 ** torch.arange(4.0)))

    def forward(self, x):
        pairs = self.query(x).float().view(2, 6, 2, 4, 2)
        turned = torch.view_as_complex(pairs) * self.turns.view(1, 6, 1, 4)
        return torch.view_as_real(turned).flatten(3).type_as(x).sin().mean()


class Operator(Module):
    """A Fourier neural operator, whose weights are complex."""

    def __init__(self):
        super().__init__()
        self.low = nn.Parameter(torch.rand(3, 3, 2, 2, dtype=torch.cfloat))
        self.high = nn.Parameter(torch.rand(3, 3, 2, 2, dtype=torch.cfloat))
        self.beside = nn.Conv2d(3, 3, 1)

    def forward(self, x):
        found = torch.fft.rfft2(x)
        kept = torch.zeros(len(x), 3, x.shape[-2], x.shape[-1] // 2 + 1, dtype=found.dtype)
        kept[:, :, :2, :2] = torch.einsum("bixy,ioxy->boxy", found[:, :, :2, :2], self.low)
        kept[:, :, -2:, :2] = torch.einsum("bixy,ioxy->boxy", found[:, :, -2:, :2], self.high)
        return (torch.fft.irfft2(kept, s=x.shape[-2:]) + self.beside(x)).square().mean()


class Spectrogram(Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, x):
        spectrum = torch.stft(self.layer(x), 16, 4, window=self.window, return_complex=True)
        return spectrum.abs().mean() + (spectrum.abs().square() + 1e-2).log().mean()


class Separated(Module):
    """A mask over a spectrum, and the signal of what is left; a vocoder's head, whose frames are of another length."""

    def __init__(self):
        super().__init__()
        self.mask, self.head = nn.Linear(9, 9), nn.Linear(8, 2 * 8)
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, x):
        spectrum = torch.stft(x, 16, 4, window=self.window, return_complex=True)
        mask = self.mask(spectrum.abs().transpose(1, 2)).sigmoid().transpose(1, 2)
        signal = torch.istft(spectrum * mask, 16, 4, window=self.window, length=x.shape[-1])
        size, phase = self.head(signal.reshape(len(x), -1, 8)).transpose(1, 2).chunk(2, 1)
        made = torch.istft(torch.polar(size.exp(), phase), 15, 5, 11, self.window[:11] + 0.1, normalized=True)
        return (signal - 0.1).abs().mean() + made.square().mean()


class Mixed(Module):
    """FNet's layer."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return torch.fft.fft(torch.fft.fft(self.layer(x), dim=-1), dim=-2).real.sin().mean()


class StateSpace(Module):
    """S4D's kernel and its convolution."""

    def __init__(self):
        super().__init__()
        self.c, self.step = nn.Parameter(torch.randn(4, 8, 2)), nn.Parameter(torch.rand(4) - 3)
        self.decay, self.turn = nn.Parameter(torch.rand(4, 8)), nn.Parameter(torch.rand(4, 8) * 3)

    def forward(self, x):
        size = x.shape[-1]
        a = -torch.exp(self.decay) + 1j * self.turn
        moved = a * torch.exp(self.step).unsqueeze(-1)
        c = torch.view_as_complex(self.c) * (torch.exp(moved) - 1.0) / a
        kernel = 2 * torch.einsum("hn,hnl->hl", c, torch.exp(moved.unsqueeze(-1) * torch.arange(size))).real
        spectrum = torch.fft.rfft(x, n=2 * size) * torch.fft.rfft(kernel, n=2 * size)
        return torch.fft.irfft(spectrum, n=2 * size)[..., :size].square().mean()


def cases():
    return ((Rotary, (2, 6, 16)), (Operator, (2, 3, 8, 8)), (Spectrogram, (2, 64)), (Separated, (2, 64)), (Mixed, (2, 4, 8)), (StateSpace, (2, 4, 16)))


@unittest.skipIf(torch is None, "torch is not installed")
class Complex(WrapTest):
    def made(self, kind, shape):
        torch.manual_seed(0)
        return kind(), torch.randn(shape)

    def exact(self, model):
        """In double precision."""
        model = copy.deepcopy(model)
        wide = lambda t: t.to(torch.complex128 if t.is_complex() else torch.float64)
        for tensor in (*model.parameters(), *model.buffers()):
            tensor.data = wide(tensor.data)
        if hasattr(model, "turns"):
            model.turns = wide(model.turns)
        return model

    def test_losses_and_gradients_are_torchs_in_float64(self):
        for kind, shape in cases():
            with self.subTest(kind.__name__):
                model, x = self.made(kind, shape)
                exact = self.exact(model)
                expected = exact(x.double())
                expected.backward()
                loss = mpc_compiler.wrap(model)(x)
                loss.backward()
                self.near([float(loss.detach())], [float(expected.detach())])
                for ours, theirs in zip(model.parameters(), exact.parameters()):
                    self.assertIs(ours.grad.dtype, ours.dtype)
                    self.assertLess(float((ours.grad - theirs.grad).abs().max()), 2e-5 * max(float(theirs.grad.abs().max()), 1e-2))

    def trained(self, model, x, call=None):
        """Losses of six steps; a compiled step has its optimizer."""
        optimizer = torch.optim.Adam(model.parameters(), 1e-2)
        run = call(model, optimizer) if call else mpc_compiler.wrap(model)
        losses = []
        for _ in range(6):
            loss = run(x)
            if not call:
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            losses.append(loss.item())
        return losses

    def plain(self, model, optimizer):
        def step(x):
            optimizer.zero_grad()
            loss = model(x)
            loss.backward()
            optimizer.step()
            return loss
        return step

    def test_loops_train_as_torchs(self):
        for kind, shape in cases():
            with self.subTest(kind.__name__):
                model, x = self.made(kind, shape)
                expected = self.trained(copy.deepcopy(model), x, self.plain)
                self.near(self.trained(copy.deepcopy(model), x), expected, 1e-3)
                self.near(self.trained(copy.deepcopy(model), x, mpc_compiler.step), expected, 1e-3)

    def test_state_stays_complex(self):
        model, x = self.made(*cases()[1])
        wrapped = mpc_compiler.wrap(model)
        before = model.low.detach().clone()
        wrapped(x).backward()
        self.assertIs(model.state_dict()["low"].dtype, torch.complex64)
        self.assertTrue(torch.equal(model.low.detach(), before))
        model.load_state_dict({**model.state_dict(), "low": before * 2j})
        twice = copy.deepcopy(wrapped)
        self.near([wrapped(x).item()], [twice(x).item()])

    def test_complex_inputs_and_ops_without_a_rule_are_named(self):
        class Squash(Module):
            def __init__(self, function):
                super().__init__()
                self.scale, self.function = nn.Parameter(torch.ones(3)), function

            def forward(self, x):
                return (self.function(x) * self.scale).abs().sum()

        with self.assertRaisesRegex(mpc_compiler.Error, "complex numbers: pass torch.view_as_real"):
            mpc_compiler.wrap(Squash(lambda x: x))(torch.ones(3, dtype=torch.cfloat))
        with self.assertRaisesRegex(mpc_compiler.Error, "tanh.default of complex numbers"):
            mpc_compiler.wrap(Squash(lambda x: torch.tanh(torch.complex(x, x))))(torch.ones(3))


if __name__ == "__main__":
    unittest.main()
