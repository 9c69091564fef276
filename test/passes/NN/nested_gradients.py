# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a module in which gradients are taken of gradients.

    python nested_gradients.py LEVELS USES

Each of LEVELS functions takes the gradient of the one below, USES times in a row.
"""
import sys

levels, uses = int(sys.argv[1]), int(sys.argv[2])
CALL = ": (tensor<4xf32>), (tensor<f32>) -> tensor<f32>"


def square(value):
    return f"""  %p = nn.mul {value}, {value} : tensor<4xf32>
  %s = nn.reduce_sum %p axes [0] : tensor<4xf32> -> tensor<f32>
  return %s : tensor<f32>
}}"""


# The top first, so that the pass meets it before those that it takes gradients of.
print(f"""func.func @step(%x: tensor<4xf32>) -> tensor<f32> {{
  %one = nn.constant dense<1.0> : tensor<f32>
  %l = nn.vjp @f{levels - 1}(%x) seed(%one) wrt [] {CALL}
  return %l : tensor<f32>
}}""")
for level in range(levels - 1, 0, -1):
    print(f"func.func private @f{level}(%x0: tensor<4xf32>) -> tensor<f32> {{")
    print("  %one = nn.constant dense<1.0> : tensor<f32>")
    for use in range(uses):
        print(f"  %l{use}, %x{use + 1} = nn.vjp @f{level - 1}(%x{use}) seed(%one) wrt [] args [0]")
        print(f"      {CALL}, tensor<4xf32>")
    print(square(f"%x{uses}"))
print("func.func private @f0(%x0: tensor<4xf32>) -> tensor<f32> {")
print(square("%x0"))
