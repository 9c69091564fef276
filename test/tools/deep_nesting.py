# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes MLIR texts that nest beyond every stack, and some that only look so, into a folder."""
import pathlib
import sys

DEEP = 100_000
GOOD = "func.func @model(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }\n"


def aliases(count, each):
    """#a0 to #a<count>, each made of `each` times the one before."""
    lines = ["#a0 = [1]"]
    lines += [f"#a{i} = [{', '.join([f'#a{i - 1}'] * each)}]" for i in range(1, count + 1)]
    return "\n".join([*lines, f"module attributes {{test.x = #a{count}}} {{}}\n"])


TEXTS = {
    "list": "module attributes {test.x = " + "[" * DEEP,
    "regions": "module {" * DEEP,
    "types": "func.func private @f(tuple<" + "tuple<" * DEEP,
    "location": "module {} loc(" + "callsite(" * DEEP,
    "parentheses": "#m = affine_map<(d0) -> (" + "(" * DEEP,
    "sum": "#m = affine_map<(d0) -> (" + "d0 +\n" * DEEP + "d0)>\n",
    "negation": "#m = affine_map<(d0) -> (" + "-" * DEEP + "d0)>\n",
    "remainder": "#m = affine_map<(d0) -> (" + "d0 mod " * DEEP + "2)>\n",
    "chain": aliases(DEEP, 1),
    "doubling": aliases(60, 2),
    "split": GOOD + "// -----\n" + "// Here it is.\n" + "module {" * DEEP,
    "open": "// -----\n".join(["module { // expected-error {{expected operation name in quotes}}\n"] * 300),
    "flat": "// " + "(" * DEEP + "\n" + GOOD.replace("return", 'return {test.x = "\\"' + "[" * 999 + '"}'),
    "brackets256": "module attributes {test.x = " + "[" * 255 + "]" * 255 + "} {}\n",
    "brackets257": "module attributes {test.x = " + "[" * 256 + "]" * 256 + "} {}\n",
    "operators1024": "#m = affine_map<(d0) -> (" + "d0 + " * 1024 + "d0)>\nmodule {}\n",
    "operators1025": "#m = affine_map<(d0) -> (" + "d0 + " * 1025 + "d0)>\nmodule {}\n",
    "long": "\n".join(["#a0 = [1]", *(f"#a{i} = [#a0, {i} : i32, -{i} : i32]" for i in range(1, 3000)), GOOD]),
}

for name, text in TEXTS.items():
    pathlib.Path(sys.argv[1], f"{name}.mlir").write_text(text)
