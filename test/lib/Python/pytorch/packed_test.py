# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences of several lengths that a model packs."""
import copy
import unittest

import mpc_compiler
from wrap_test import WrapTest

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
except ImportError:
    torch = None

LENGTHS = (7, 5, 3, 6)


class Tagger(nn.Module if torch else object):
    def __init__(self, kind="LSTM", known=False, padding=0.0, total=8, state=False, **options):
        super().__init__()
        torch.manual_seed(0)
        self.words, self.layer = nn.Embedding(20, 6), getattr(nn, kind)(6, 8, **options)
        directions = 1 + options.get("bidirectional", False)
        self.last = nn.Linear(8 * directions, 3)
        self.known, self.padding, self.total = known, padding, total
        self.first = nn.Parameter(torch.randn(directions * options.get("num_layers", 1), 1, 8)) if state else None

    def forward(self, x, lengths, y):
        is_first = self.layer.batch_first
        words = self.words(x if is_first else x.T)
        packed = pack_padded_sequence(words, list(LENGTHS) if self.known else lengths, is_first, enforce_sorted=False)
        first = None if self.first is None else self.first.expand(-1, len(x), -1)
        outputs, state = self.layer(packed, (first, first * 0.5) if self.layer.mode == "LSTM" and self.first is not None else first)
        outputs, _ = pad_packed_sequence(outputs, is_first, self.padding, self.total)
        scores = self.last(outputs if is_first else outputs.transpose(0, 1))
        ends = state[0] + 2 * state[1] if isinstance(state, tuple) else state
        return F.cross_entropy(scores.mean(1), y) + ends.sin().mean()


@unittest.skipIf(torch is None, "torch is not installed")
class Packed(WrapTest):
    def batch(self, steps=7):
        numbers = torch.Generator().manual_seed(2)
        return torch.randint(20, (4, steps), generator=numbers), torch.tensor(LENGTHS), torch.tensor([0, 2, 1, 0])

    def check(self, steps=7, **options):
        model, batch = Tagger(**options), self.batch(steps)
        exact = copy.deepcopy(model).double()
        expected = exact(*batch)
        expected.backward()
        loss = mpc_compiler.wrap(model)(*batch)
        loss.backward()
        self.near([float(loss.detach())], [float(expected.detach())])
        for ours, theirs in zip(model.parameters(), exact.parameters()):
            self.assertLess(float((ours.grad - theirs.grad).abs().max()), 2e-6 * max(float(theirs.grad.abs().max()), 1e-2))

    def test_layers_run_to_the_end_of_each_sequence(self):
        for options in (
            dict(batch_first=True),
            dict(kind="GRU", state=True),
            dict(kind="RNN", nonlinearity="relu", padding=-1.0),
            dict(kind="RNN", known=True, total=None),
            dict(kind="GRU", batch_first=True, steps=10, total=7),
            dict(num_layers=2, bidirectional=True, batch_first=True, state=True),
            dict(kind="GRU", num_layers=2, bidirectional=True, bias=False, known=True),
        ):
            with self.subTest(**options):
                self.check(**options)

    def test_a_size_that_depends_on_data_is_refused(self):
        with self.assertRaisesRegex(mpc_compiler.UnsupportedError, "give it total_length="):
            mpc_compiler.wrap(Tagger(total=None))(*self.batch())

    def test_less_steps_than_a_sequence_has_are_refused(self):
        with self.assertRaisesRegex(mpc_compiler.UsageError, "total_length=5 for a sequence of 7 steps"):
            mpc_compiler.wrap(Tagger(known=True, total=5))(*self.batch())

    def test_torchs_functions_are_there_again(self):
        mpc_compiler.wrap(Tagger())(*self.batch())
        packed = pack_padded_sequence(torch.randn(3, 2, 4), [3, 2])
        self.assertIsInstance(packed, nn.utils.rnn.PackedSequence)
        self.assertEqual(list(packed.data.shape), [5, 4])
        self.assertEqual(list(pad_packed_sequence(nn.GRU(4, 2)(packed)[0])[0].shape), [3, 2, 2])
