# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a case is, and what cases are made of.

A case is a function that gives a module and its inputs by name. The module gives one tensor: logits, a value for mse, or
a scalar that is the loss itself.
"""

import dataclasses
import typing

import torch
from torch import nn


@dataclasses.dataclass
class Case:
    make: typing.Callable
    inputs: typing.Callable
    loss: str = "cross_entropy"
    lr: float = 1e-3
    shared: tuple = ()  # Inputs without a sample axis.


CASES: dict[str, Case] = {}


def add(name, make, inputs, *arguments, **more):
    CASES[name] = Case(make, inputs, *arguments, **more)


def image(batch=4, size=32, channels=3):
    return lambda: {"x": torch.randn(batch, channels, size, size)}


def vector(*shape):
    return lambda: {"x": torch.randn(*shape)}


def tokens(batch=2, length=8, vocabulary=20):
    return lambda: {"tokens": torch.randint(3, vocabulary, (batch, length))}


class Output(nn.Module):
    """A library's model, and the tensor that is meant of what it gives."""

    def __init__(self, model, pick=None, call=None):
        super().__init__()
        self.model, self.pick, self.call = model, pick, call

    def forward(self, *inputs):
        y = self.call(self.model, *inputs) if self.call else self.model(*inputs)
        return self.pick(y) if self.pick else y
