# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes models of one max pool over inf and NaN into a folder, each with its inputs and results.

    python max_pool_edges.py FOLDER

NAME.safetensors holds the weights of the outputs, and the results as the loop of PyTorch's CPU
kernel has them: a window starts at its first position that is no padding; a larger value or a NaN
takes over.
"""
import itertools
import os
import sys

import numpy as np
from safetensors.numpy import save_file

# In the model x is a parameter, so that it has a gradient; it is zero, and what is pooled is x + given.
MODEL = """\
nn.parameter @x : tensor<{x}xf32> = <zeros>
func.func @model(%given: tensor<{x}xf32> {{nn.name = "given"}}, %c: tensor<{y}xf32> {{nn.name = "c"}})
    -> (tensor<{y}xf32> {{nn.name = "y"}}, tensor<{y}xi64> {{nn.name = "places"}}, tensor<f32> {{nn.name = "sum"}}) {{
  %x = nn.get @x : tensor<{x}xf32>
  %z = nn.add %given, %x : tensor<{x}xf32>
  %y, %p = nn.max_pool %z window {window} strides {strides} low {low} high {high} dilations {dilations}
      : tensor<{x}xf32> -> tensor<{y}xf32>, tensor<{y}xi64>
  %m = nn.mul %y, %c : tensor<{y}xf32>
  %s = nn.reduce_sum %m axes {axes} : tensor<{y}xf32> -> tensor<f32>
  return %y, %p, %s : tensor<{y}xf32>, tensor<{y}xi64>, tensor<f32>
}}
"""


def pool(x, window, strides, low, high, dilations):
    """Values and flat positions."""
    sizes = x.shape[2:]
    counts = [
        (size + l + h - (w - 1) * d - 1) // s + 1
        for size, w, s, l, h, d in zip(sizes, window, strides, low, high, dilations)
    ]
    y = np.empty(x.shape[:2] + tuple(counts), np.float32)
    places = np.zeros(y.shape, np.int64)
    for at in np.ndindex(*y.shape):
        best = None
        for tap in itertools.product(*map(range, window)):
            spot = tuple(o * s + k * d - l for o, s, k, d, l in zip(at[2:], strides, tap, dilations, low))
            if any(p < 0 or p >= size for p, size in zip(spot, sizes)):
                continue
            value = x[at[:2] + spot]
            if best is None or value > best or np.isnan(value):
                best, place = value, np.ravel_multi_index(spot, sizes)
        y[at], places[at] = best, place
    return y, places


def write(name, x, **attributes):
    y, places = pool(x, **attributes)
    c = np.arange(1, y.size + 1, dtype=np.float32).reshape(y.shape)
    gradient = np.zeros((x.shape[0] * x.shape[1], x[0, 0].size), np.float32)
    rows = places.reshape(gradient.shape[0], -1)
    for row, (indices, values) in enumerate(zip(rows, c.reshape(rows.shape))):
        np.add.at(gradient[row], indices, values)
    tensors = {"given": x, "c": c, "y": y, "places": places, "grad.x": gradient.reshape(x.shape)}
    save_file(tensors, f"{name}.safetensors")
    shape = lambda array: "x".join(map(str, array.shape))
    text = {key: list(value) for key, value in attributes.items()}
    with open(f"{name}.mlir", "w") as file:
        file.write(MODEL.format(x=shape(x), y=shape(y), axes=list(range(y.ndim)), **text))


def values(shape, seed):
    """Mostly -inf, some NaN, inf and equal numbers."""
    random = np.random.default_rng(seed)
    choices = np.array([-np.inf, -np.inf, -np.inf, np.nan, np.inf, 1, 2], np.float32)
    return random.choice(choices, size=shape, p=[0.2, 0.2, 0.2, 0.1, 0.05, 0.15, 0.1])


os.chdir(sys.argv[1])
write("plain", np.array([[[1, 2, -np.inf, -np.inf]]], np.float32), window=[2], strides=[2], low=[0], high=[0], dilations=[1])
write("padded", values((2, 3, 9, 7), 1), window=[3, 2], strides=[2, 1], low=[1, 1], high=[2, 0], dilations=[1, 1])
write("dilated", values((1, 2, 9, 8), 2), window=[3, 2], strides=[1, 2], low=[2, 1], high=[2, 1], dilations=[2, 3])
space = dict(window=[2, 3, 2], strides=[2, 1, 3], low=[0, 1, 0], high=[1, 0, 1], dilations=[1, 1, 2])
write("space", values((2, 2, 4, 5, 6), 3), **space)
