# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches for the models of models.py, without NumPy. Tokens have the frequencies of a text: what an embedding's gradient
takes hangs on how often the most frequent ones come."""
import array
import itertools
import json
import random
import struct

# Mandelbrot's form of Zipf's law, 1 / (rank + SHIFT): the first of 50,304 tokens is 2.7 percent of a text, and ten of them
# 15 percent, much as of English in GPT-2's tokens.
SHIFT = 2.7


def text_weights(vocabulary):
    """Of each token; which of them are frequent is drawn."""
    weights = [1 / (rank + SHIFT) for rank in range(1, vocabulary + 1)]
    random.Random(5).shuffle(weights)
    return weights


def draw_tokens(count, vocabulary, seed):
    weights = list(itertools.accumulate(text_weights(vocabulary)))
    return array.array("q", random.Random(seed).choices(range(vocabulary), cum_weights=weights, k=count))


def draw_batch(sizes):
    """By name of an input: element type, shape, numbers."""
    if sizes.length:
        shape = (sizes.batch, sizes.length)
        return {name: ("I64", shape, draw_tokens(shape[0] * shape[1], sizes.vocabulary, seed))
                for seed, name in enumerate(("tokens", "target"), 1)}
    numbers = random.Random(3)
    shape = (sizes.batch, sizes.width) if sizes.width else (sizes.batch, 3, 32, 32)
    count = shape[0] * (shape[1] if sizes.width else 3 * 32 * 32)
    x = array.array("f", (numbers.gauss(0, 1) for _ in range(count)))
    target = array.array("q", (numbers.randrange(sizes.vocabulary or 10) for _ in range(sizes.batch)))
    return {"x": ("F32", shape, x), "target": ("I64", (sizes.batch,), target)}


def write_safetensors(path, tensors):
    header, place = {}, 0
    for name, (kind, shape, values) in tensors.items():
        size = len(values) * values.itemsize
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [place, place + size]}
        place += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, values in tensors.values():
            values.tofile(file)
