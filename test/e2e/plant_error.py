# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a safetensors file with one element changed, to see a check fail.

    python plant_error.py IN OUT TENSOR INDEX FACTOR

multiplies element INDEX of TENSOR, counted flat, with FACTOR.
"""
import sys

from safetensors import safe_open
from safetensors.numpy import load_file, save_file

source, target, name, index, factor = sys.argv[1:]
tensors = load_file(source)
with safe_open(source, "np") as file:
    metadata = file.metadata()
flat = tensors[name].reshape(-1).copy()
flat[int(index)] = flat[int(index)] * float(factor)
tensors[name] = flat.reshape(tensors[name].shape)
save_file(tensors, target, metadata=metadata)
