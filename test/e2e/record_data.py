# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes samples for mlp.onnx, six batches of 8 of which two are infinite, and for basic.mlir."""
import sys

import numpy as np
from safetensors.numpy import save_file

rng = np.random.default_rng(7)
x = rng.normal(size=(48, 64)).astype(np.float32)
x[[10, 33], 3] = np.inf
save_file({"x": x, "target": rng.integers(0, 10, 48)}, sys.argv[1])
save_file({"x": np.ones((32, 8), np.float32), "target": np.zeros(32, np.int64)}, sys.argv[2])
