# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes, for each op of the table of autocast policies, the largest f16 number of which PyTorch's autocast is right.

    python largest_inputs.py FILE

A line has the op by nn's name, that number, and the op's result in float64: what is right is within 2^-10 of it,
relative, or within 2^-14. Numbers are 1, 1.25, 1.5 and 1.75 times powers of two, and 65504. The op reads f16 under
torch.autocast("cpu", dtype=torch.float16), as test/e2e/check_largest_inputs.py has it. Needs torch; by hand.
"""

import csv
import sys

import torch
import torch.nn.functional as F

#: Of one number each; an op of several reads it more than once.
OPS = {
    "neg": torch.neg, "abs": torch.abs, "sign": torch.sign, "relu": F.relu, "tanh": torch.tanh,
    "sigmoid": torch.sigmoid, "erf": torch.erf, "sqrt": torch.sqrt, "exp": torch.exp, "expm1": torch.expm1,
    "log": torch.log, "log1p": torch.log1p, "softplus": F.softplus, "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal, "gelu": F.gelu, "floor": torch.floor, "ceil": torch.ceil, "round": torch.round,
    "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "asin": torch.asin, "acos": torch.acos, "atan": torch.atan,
    "sinh": torch.sinh, "cosh": torch.cosh, "asinh": torch.asinh, "acosh": torch.acosh, "atanh": torch.atanh,
    "mish": F.mish, "softsign": F.softsign, "hard_swish": F.hardswish, "hard_sigmoid": F.hardsigmoid,
    "swish": F.silu, "leaky_relu": lambda x: F.leaky_relu(x, 0.1), "elu": F.elu,
    "add": lambda x: x + x, "sub": lambda x: x - x / 2, "mul": lambda x: x * x.clone(), "square": lambda x: x**2,
    "div": lambda x: x / (x / x / 4), "pow": lambda x: x ** (x / x * 2), "rem": lambda x: torch.fmod(x, x * 0.75),
    "maximum": lambda x: torch.maximum(x, -x), "minimum": lambda x: torch.minimum(x, x / 2),
    "select": lambda x: torch.where(x > 1, x, -x), "reshape": lambda x: x.reshape(1, 1)[0], "pad": lambda x: F.pad(x, (0, 1))[:1],
    "concat": lambda x: torch.cat([x, x])[:1], "reverse": lambda x: x.flip(0), "gather": lambda x: x[torch.tensor([0])],
    "reduce_sum": lambda x: torch.cat([x] * 4).sum(0, keepdim=True), "reduce_max": lambda x: torch.cat([x, -x]).amax(0, keepdim=True),
    "reduce_prod": lambda x: torch.cat([x] * 3).prod(0, keepdim=True),
    "matmul": lambda x: (torch.cat([x] * 4)[None] @ torch.cat([x / x] * 4)[:, None])[0],
    "linear": lambda x: F.linear(torch.cat([x] * 4), torch.cat([x / x] * 4)[None]),
    "softmax": lambda x: torch.cat([x, x * 0]).softmax(0)[:1], "log_softmax": lambda x: torch.cat([x, x * 0]).log_softmax(0)[1:],
    "layer_norm": lambda x: F.layer_norm(torch.cat([x, -x, x / 2, x * 0]), (4,))[:1],
    "rms_norm": lambda x: F.rms_norm(torch.cat([x, -x, x / 2, x * 0]), (4,), eps=1e-5)[:1],
    "batch_norm": lambda x: F.batch_norm(x[None], x * 0, x * 0 + 1)[0],
    "max_pool": lambda x: F.max_pool1d(torch.cat([x, x / 2])[None], 2)[0],
}  # fmt: skip


def numbers():
    mantissas = [1.0, 1.25, 1.5, 1.75]
    return [65504.0] + [m * 2.0**e for e in range(15, -15, -1) for m in reversed(mantissas)]


def is_right(op, number):
    x = torch.tensor([number], dtype=torch.float16)
    exact = op(x.double()).item()
    with torch.autocast("cpu", torch.float16):
        found = op(x).item()
    return abs(found - exact) <= max(2**-10 * abs(exact), 2**-14)


def main():
    with open(sys.argv[1], "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["op", "largest", "float64"])
        for name, op in OPS.items():
            largest = next(number for number in numbers() if number <= 65504 and is_right(op, number))
            out.writerow([name, largest, repr(op(torch.tensor([largest], dtype=torch.float64)).item())])


if __name__ == "__main__":
    main()
