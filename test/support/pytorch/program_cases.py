# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of programs.py, and what their operands are made of."""
import numpy as np
import torch

CASES = {}


def case(family, op, call, *tensors):
    CASES.setdefault(family, []).append((op, call, tensors))


def t(*shape, low=-2.0, high=2.0, seed=[0]):
    """Numbers that lie well apart from 0, from each other and from where functions bend."""
    seed[0] += 1
    count = int(np.prod(shape)) if shape else 1
    places = np.random.default_rng(seed[0]).permutation(count)
    values = low + (high - low) * (places + 0.37) / count
    return torch.tensor(values.reshape(shape), dtype=torch.float32)


def ints(values):
    return torch.tensor(values, dtype=torch.int64)


def mask(*shape):
    return t(*shape) > 0
