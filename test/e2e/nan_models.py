# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model of two layers and data on which it is not finite, into a folder.

    python nan_models.py FOLDER

y = (x w1) w2 in nodes 'first' and 'second'. NAME.safetensors is data, NAME.init.safetensors weights:
good        all is near 1
activations x and w1 are near 300: their product is 270,000, beyond f16
gradients   targets are near -8192: the loss is fine in f16, its gradient times 16 is not
data        one x is NaN
weight      one element of w2 is inf
large       one element of w1 is 70000, beyond f16, where x is 0
"""
import os
import sys

import numpy as np
from safetensors.numpy import save_file

MODEL = """\
nn.parameter @w1 : tensor<3x5xf32> = <zeros>
nn.parameter @w2 : tensor<5x2xf32> = <zeros>
func.func @model(%x: tensor<4x3xf32> {nn.name = "x"}) -> (tensor<4x2xf32> {nn.name = "y"}) {
  %w1 = nn.get @w1 : tensor<3x5xf32>
  %w2 = nn.get @w2 : tensor<5x2xf32>
  %h = nn.matmul %x, %w1 : tensor<4x3xf32>, tensor<3x5xf32> -> tensor<4x5xf32> loc("first"("net.txt":7:1))
  %y = nn.matmul %h, %w2 : tensor<4x5xf32>, tensor<5x2xf32> -> tensor<4x2xf32> loc("second")
  return %y : tensor<4x2xf32>
}
"""

# The same behind a mask, as attention has it: exp of -inf is 0.
MASKED = MODEL.replace(
    "  %y = nn.matmul %h,",
    """\
  %m = nn.constant dense<[0.0, 0.0, 0.0, 0.0, 0xFF800000]> : tensor<5xf32>
  %b = nn.broadcast %m axes [1] : tensor<5xf32> -> tensor<4x5xf32> loc("mask")
  %s = nn.add %h, %b : tensor<4x5xf32> loc("masked")
  %e = nn.exp %s : tensor<4x5xf32> loc("exp")
  %y = nn.matmul %e,""",
)

# The same with a bias of each of many layers: a step's probes read each gradient.
LAYERS = 24
DEEP = "".join(f"nn.parameter @b{i} : tensor<4x5xf32> = <zeros>\n" for i in range(LAYERS)) + MODEL.replace(
    "  %y = nn.matmul %h,",
    "".join(
        f"  %b{i} = nn.get @b{i} : tensor<4x5xf32>\n  %h{i} = nn.add {f'%h{i - 1}' if i else '%h'}, %b{i} : tensor<4x5xf32>\n"
        for i in range(LAYERS)
    )
    + f"  %y = nn.matmul %h{LAYERS - 1},",
)


def write(name, x=1.0, w1=1.0, w2=1.0, target=0.0, nan=None, inf=None, large=None):
    data = {"x": np.full((8, 3), x, np.float32), "target": np.full((8, 2), target, np.float32)}
    if nan is not None:
        data["x"][nan] = np.nan
    weights = {"w1": np.full((3, 5), w1, np.float32), "w2": np.full((5, 2), w2, np.float32)}
    if inf is not None:
        weights["w2"][inf] = np.inf
    if large is not None:
        weights["w1"][0, 0] = large
        data["x"][:, 0] = 0
    save_file(data, f"{name}.safetensors")
    save_file(weights, f"{name}.init.safetensors")


os.chdir(sys.argv[1])
with open("model.mlir", "w") as file:
    file.write(MODEL)
with open("deep.mlir", "w") as file:
    file.write(DEEP)
with open("masked.mlir", "w") as file:
    file.write(MASKED)
write("good")
write("activations", x=300, w1=300, w2=1e-6)
write("gradients", target=-8192)
write("data", nan=(6, 1))
write("weight", inf=(3, 1))
write("large", large=70000)
