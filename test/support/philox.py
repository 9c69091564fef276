# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers as nn.random_bits, nn.uniform and nn.dropout specify them, in NumPy.

Philox4x32-10 is that of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as
1, 2, 3" (SC 2011). KNOWN_ANSWERS are the file kat_vectors of their library, Random123.
"""
import numpy as np

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
WORD = (1 << 32) - 1

# Counter, key, block.
KNOWN_ANSWERS = [
    (
        (0, 0, 0, 0),
        (0, 0),
        (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
    ),
    (
        (WORD, WORD, WORD, WORD),
        (WORD, WORD),
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def philox(counter, key):
    """The blocks of counters, four arrays of words, under a key of two words."""
    c = [np.asarray(word, dtype=np.uint64) for word in counter]
    k = [int(word) for word in key]
    for _ in range(10):
        first, second = c[0] * np.uint64(MULTIPLIERS[0]), c[2] * np.uint64(MULTIPLIERS[1])
        mask, half = np.uint64(WORD), np.uint64(32)
        c = [
            (second >> half) ^ c[1] ^ np.uint64(k[0]),
            second & mask,
            (first >> half) ^ c[3] ^ np.uint64(k[1]),
            first & mask,
        ]
        k = [(word + step) & WORD for word, step in zip(k, WEYL)]
    return [word.astype(np.uint32) for word in c]


def row_length(shape):
    """The elements of a row: the fewest last axes, never the first, that have 64 elements."""
    length = 1
    for size in reversed(shape[1:]):
        if length >= 64:
            break
        length *= size
    return length


def bits(shape, key, step, batch, stream, draw=0):
    """nn.random_bits, as uint32: each run of 64 in a row has 16 blocks, whose words are 16 apart."""
    count = int(np.prod(shape, dtype=np.int64))
    length = row_length(shape)
    index = np.arange(count, dtype=np.uint64)
    row, column = index // np.uint64(length), index % np.uint64(length)
    runs = -(-length // 64)
    place = (row * np.uint64(runs) + column // np.uint64(64)) * np.uint64(16) + column % np.uint64(16)
    place += np.uint64(batch * (count // length) * runs * 16 % (1 << 64))
    full = lambda value: np.full(count, value & WORD, dtype=np.uint64)
    counter = (place & np.uint64(WORD), place >> np.uint64(32), full(stream | draw << 30), full(step))
    words = np.stack(philox(counter, (key & WORD, (key >> 32) & WORD)))
    chosen = (column % np.uint64(64) // np.uint64(16)).astype(np.int64)
    return np.take_along_axis(words, chosen[None], axis=0)[0].reshape(shape)


def uniform(*arguments, **more):
    """nn.uniform of those bits, exact in float64."""
    return (bits(*arguments, **more) >> 8).astype(np.float64) * 2.0**-24


def dropout_factor(shape, ratio, key, step, batch, stream):
    """What nn.dropout multiplies each element with, exact in float64; `ratio` is an f32 or f64."""
    kept = np.rint((1.0 - float(ratio)) * 2.0**24)
    scale = float(np.float32(1.0 / (1.0 - float(ratio)))) if ratio < 1.0 else 0.0
    drawn = (bits(shape, key, step, batch, stream) >> 8).astype(np.float64)
    return np.where(drawn < kept, scale, 0.0)
