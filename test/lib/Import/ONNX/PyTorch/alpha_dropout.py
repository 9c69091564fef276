# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what an evaluation made of 1 to 1024 against PyTorch's definition of alpha_dropout(p=0.3)."""

import json
import math
import pathlib
import struct
import sys

data = pathlib.Path(sys.argv[1]).read_bytes()
size = struct.unpack("<Q", data[:8])[0]
begin, end = json.loads(data[8 : 8 + size])["y"]["data_offsets"]
values = struct.unpack("<1024f", data[8 + size + begin : 8 + size + end])
p, bound = 0.3, 1.7580993408473766
a = 1 / math.sqrt((bound**2 * p + 1) * (1 - p))
near = lambda x, y: abs(x - y) < 1e-5 * (1 + abs(y))
kept = sum(near(y, a * x + bound * a * p) for x, y in enumerate(values, 1))
dropped = sum(near(y, -bound * a + bound * a * p) for y in values)
# 717 are expected; the deviation is 15.
print(f"{kept + dropped} by the definition,", "as often" if 650 < kept < 785 else f"{kept} kept")
