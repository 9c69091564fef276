# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes data for the steps of own-step-faults.test: python own_step_data.py FOLDER

Samples of 3 numbers, in NAME.safetensors: `ones` are 1, `large` are 300, `late` are 1 but for an
infinity in the third batch of four samples. The targets are 0. With the weights of
large.init.safetensors, and of two.init.safetensors, the product of `large` and w1 is 270,000, beyond
f16; that of `large` and v1 is not.
"""
import os
import sys

import numpy as np
from safetensors.numpy import save_file


def write(name, x):
    save_file({"x": x.astype(np.float32), "target": np.zeros((len(x), 2), np.float32)}, f"{name}.safetensors")


os.chdir(sys.argv[1])
ones = np.ones((16, 3))
write("ones", ones)
write("large", 300 * ones)
late = ones.copy()
late[9, 1] = np.inf
write("late", late)
weights = {
    f"{name}{layer}": np.full(shape, value, np.float32)
    for name, first in (("v", 1), ("w", 300))
    for layer, shape, value in ((1, (3, 5), first), (2, (5, 2), 1e-6))
}
save_file(weights, "two.init.safetensors")
save_file({key: value for key, value in weights.items() if key[0] == "w"}, "large.init.safetensors")
