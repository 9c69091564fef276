# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of each file of weights: which running means are still 0.3, as in records.py."""

import json
import pathlib
import struct
import sys


def read(path):
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    for name in ("layers.0.running_mean", "layers.2.running_mean"):
        begin, end = header[name]["data_offsets"]
        yield struct.unpack(f"<{(end - begin) // 4}f", data[8 + size + begin : 8 + size + end])


for path in sys.argv[1:]:
    states = ("kept" if all(abs(x - 0.3) < 1e-6 for x in mean) else "moved" for mean in read(path))
    print(pathlib.Path(path).name.split(".")[-2], *states)
