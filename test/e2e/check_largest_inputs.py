#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op of the policy table at the largest number of which PyTorch's autocast is right in f16 is right here, too.

    python check_largest_inputs.py largest_inputs.csv FOLDER

The op reads what a product of matrices gives, which is f16 under each policy. Results are held to float64 as they
were when the numbers were looked for: within 2^-10, relative, or within 2^-14.
Squares and powers are right at 65504 by our policy, too.
"""
import csv
import pathlib
import subprocess
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

V, W, M = "tensor<1xf32>", "tensor<4xf32>", "tensor<1x4xf32>"
PAIR = f"%z = nn.constant dense<0.0> : {V}\n%p = nn.concat %h, %z axis(0) : {V}, {V} -> tensor<2xf32>\n"
ROW = (
    f"%z = nn.constant dense<[[1.0, -1.0, 0.5, 0.0]]> : {M}\n%q = nn.broadcast %h axes [0] : {V} -> {M}\n"
    f"%p = nn.mul %q, %z : {M}\n"
)
ONES = f"%q = nn.broadcast %h axes [0] : {V} -> {M}\n%o = nn.constant dense<1.0> : {M}\n"


def constant(name, value):
    return f"%{name} = nn.constant dense<{value}> : {V}\n"


def first(of, kind=V):
    """The first element of %p, which `of` gave."""
    return of + f"\n%r = nn.slice %p [0] to [1] by [1] : {kind} -> {V}"


BODIES = {
    "leaky_relu": f"%r = nn.leaky_relu %h alpha 0.1 : {V}",
    "elu": f"%r = nn.elu %h alpha 1.0 scale 1.0 width 1.0 : {V}",
    "hard_sigmoid": f"%r = nn.hard_sigmoid %h alpha 0.16666666666666666 beta 0.5 : {V}",
    "swish": f"%r = nn.swish %h alpha 1.0 : {V}",
    "add": f"%r = nn.add %h, %h : {V}",
    "sub": constant("c", 0.5) + f"%p = nn.mul %h, %c : {V}\n%r = nn.sub %h, %p : {V}",
    "mul": f"%r = nn.mul %h, %g : {V}",
    "square": f"%r = nn.mul %h, %h : {V}",
    "div": constant("c", 0.25) + f"%r = nn.div %h, %c : {V}",
    "pow": constant("c", 2.0) + f"%r = nn.pow %h, %c : {V}",
    "rem": constant("c", 0.75) + f"%p = nn.mul %h, %c : {V}\n%r = nn.rem %h, %p : {V}",
    "maximum": f"%p = nn.neg %h : {V}\n%r = nn.maximum %h, %p : {V}",
    "minimum": constant("c", 0.5) + f"%p = nn.mul %h, %c : {V}\n%r = nn.minimum %h, %p : {V}",
    "select": constant("c", 1.0)
    + f"%m = nn.compare gt %h, %c : {V} -> tensor<1xi1>\n%p = nn.neg %h : {V}\n"
    + f"%r = nn.select %m, %h, %p : tensor<1xi1>, {V}",
    "reshape": f"%p = nn.reshape %h : {V} -> tensor<1x1xf32>\n%r = nn.reshape %p : tensor<1x1xf32> -> {V}",
    "pad": first(f"%p = nn.pad %h low [0] high [1] interior [0] value 0.0 : {V} -> tensor<2xf32>", "tensor<2xf32>"),
    "concat": first(f"%p = nn.concat %h, %h axis(0) : {V}, {V} -> tensor<2xf32>", "tensor<2xf32>"),
    "reverse": f"%r = nn.reverse %h axes [0] : {V}",
    "gather": f"%i = nn.constant dense<0> : tensor<1xi64>\n%r = nn.gather %h, %i axis(0) : {V}, tensor<1xi64> -> {V}",
    "reduce_sum": f"%p = nn.broadcast %h axes [0] : {V} -> {M}\n%r = nn.reduce_sum %p axes [1] : {M} -> {V}",
    "reduce_max": ROW + f"%r = nn.reduce_max %p axes [1] : {M} -> {V}",
    "reduce_prod": f"%p = nn.broadcast %h axes [0] : {V} -> tensor<1x3xf32>\n"
    f"%r = nn.reduce_prod %p axes [1] : tensor<1x3xf32> -> {V}",
    "matmul": ONES
    + f"%t = nn.transpose %o [1, 0] : {M} -> tensor<4x1xf32>\n"
    + f"%p = nn.matmul %q, %t : {M}, tensor<4x1xf32> -> tensor<1x1xf32>\n"
    + f"%r = nn.reshape %p : tensor<1x1xf32> -> {V}",
    "linear": ONES
    + f"%p = nn.linear %q, %o : {M}, {M} -> tensor<1x1xf32>\n%r = nn.reshape %p : tensor<1x1xf32> -> {V}",
    "softmax": PAIR
    + "%s = nn.softmax %p axis(0) : tensor<2xf32>\n"
    + f"%r = nn.slice %s [0] to [1] by [1] : tensor<2xf32> -> {V}",
    "log_softmax": PAIR
    + "%s = nn.log_softmax %p axis(0) : tensor<2xf32>\n"
    + f"%r = nn.slice %s [1] to [2] by [1] : tensor<2xf32> -> {V}",
    "max_pool": f"%p = nn.reshape %h : {V} -> tensor<1x1x1xf32>\n"
    "%s, %i = nn.max_pool %p window [1] strides [1] low [0] high [0] dilations [1]"
    " : tensor<1x1x1xf32> -> tensor<1x1x1xf32>, tensor<1x1x1xi64>\n"
    f"%r = nn.reshape %s : tensor<1x1x1xf32> -> {V}",
    "batch_norm": constant("a", 0.0)
    + constant("b", 1.0)
    + f"%p = nn.reshape %h : {V} -> tensor<1x1xf32>\n"
    + "%s = nn.batch_norm %p, %b, %a, %a, %b axis(1) epsilon(1.0e-5) momentum(0.1)"
    + f" : (tensor<1x1xf32>, {V}, {V}, {V}, {V}) -> tensor<1x1xf32>\n%r = nn.reshape %s : tensor<1x1xf32> -> {V}",
} | {
    norm: ROW + f"%s = nn.{norm} %p axis(1) epsilon(1.0e-5) : {M}\n"
    f"%t = nn.slice %s [0, 0] to [1, 1] by [1, 1] : {M} -> tensor<1x1xf32>\n%r = nn.reshape %t : tensor<1x1xf32> -> {V}"
    for norm in ("layer_norm", "rms_norm")
}
SQUARE = "tensor<1x1xf32>"


def function(op):
    body = BODIES.get(op, f"%r = nn.{op} %h : {V}")
    made = "".join(
        f'%{v}2 = nn.matmul %x, %{w} : {SQUARE}, {SQUARE} -> {SQUARE}\n%{v} = nn.reshape %{v}2 : {SQUARE} -> {V}\n'
        for v, w in (("h", "w"), ("g", "u"))
    )
    arguments = ", ".join(f'%{name}: {SQUARE} {{nn.name = "{name}"}}' for name in "xwu")
    return f'func.func @model({arguments}) -> ({V} {{nn.name = "r"}}) {{\n{made}{body}\nreturn %r : {V}\n}}\n'


def result(op, number, policy, folder):
    model, inputs, outputs = (folder / name for name in ("model.mlir", "in.safetensors", "out.safetensors"))
    model.write_text(function(op))
    one = np.ones((1, 1), dtype=np.float32)
    save_file({"x": one * np.float32(number), "w": one, "u": one}, inputs)
    subprocess.run(
        ["mpc-eval", model, f"--inputs={inputs}", f"--outputs={outputs}", "--precision=fp16",
         f"--autocast-policy={policy}"],
        check=True,
    )  # fmt: skip
    return float(load_file(outputs)["r"][0])


def main():
    table, folder = sys.argv[1:]
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    faults = 0
    for row in rows:
        number, exact = float(row["largest"]), float(row["float64"])
        for policy in ("mpc", "torch-cuda", "torch-cpu"):
            found = result(row["op"], number, policy, pathlib.Path(folder))
            if not abs(found - exact) <= max(2**-10 * abs(exact), 2**-14):
                faults += 1
                print(f"{policy}: {row['op']} of {number:g} is {found:g}, expected {exact:g}")
    # Twice as far PyTorch's square is infinite, ours is not.
    for op in ("square", "pow"):
        found = result(op, 65504.0, "mpc", pathlib.Path(folder))
        if abs(found / 65504.0**2 - 1) > 1e-6:
            faults += 1
            print(f"mpc: {op} of 65504 is {found:g}")
    print(f"{len(rows)} ops, {faults} faults")
    return faults != 0


if __name__ == "__main__":
    sys.exit(main())
