# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says how the tensors of two safetensors files differ, bit for bit.

    python compare_state.py A.safetensors B.safetensors

Reads the format itself: NumPy has no bf16.
"""
import json
import sys


def tensors(path):
    data = open(path, "rb").read()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    body = data[8 + size :]
    return {
        name: (entry["dtype"], body[slice(*entry["data_offsets"])])
        for name, entry in header.items()
        if name != "__metadata__"
    }


a, b = tensors(sys.argv[1]), tensors(sys.argv[2])
assert a.keys() == b.keys(), a.keys() ^ b.keys()
print("types", " ".join(sorted({f"{a[n][0]}" for n in a if not n.startswith("amp.") and "/" not in n})))
print("slots", " ".join(sorted({f"{n.split('/')[1]}:{a[n][0]}" for n in a if "/" in n})))
print("different", " ".join(sorted(n for n in a if a[n] != b[n])) or "none")
