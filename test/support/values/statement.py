# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of one op of amp, and the tensors that it takes."""
import numpy as np

from .text import Function, Tensor, letters


def scalar(kind, value):
    return Tensor(kind, np.array(value))


def vector(kind, values):
    return Tensor(kind, np.array(values))


class Statement:
    """Text of one op, whose operands are arguments of the function, by letter."""

    def __init__(self, name):
        self.name, self.inputs, self.text = name, [], []

    def words(self, *words):
        self.text += words
        return self

    def argument(self, tensor, around="{}"):
        """A new argument of the function; `around` is what stands about its name."""
        self.inputs.append(tensor)
        self.text.append(around.format(letters(len(self.inputs))[-1]))
        return self

    def op(self, results, types):
        names = ["%r"] if len(results) == 1 else [f"%r{i}" for i in range(len(results))]
        return f"{', '.join(names)} = amp.{self.name} {' '.join(self.text)} {types}".rstrip()

    def function(self, label, results, types, **rest):
        return Function(label, self.inputs, self.op(results, types), results, **rest)


def simple(name, label, inputs, results, types):
    """An op that takes its operands by commas."""
    statement = Statement(name)
    for index, tensor in enumerate(inputs):
        statement.argument(tensor, "{}," if index + 1 < len(inputs) else "{}")
    return statement.function(label, results, types)


def types_of(tensors):
    return ", ".join(tensor.type for tensor in tensors)
