#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sweep.py finds in kernels that are made to be found. Exit code 77 where there is no NVRTC."""
import os
import pathlib
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "benchmarks/gpu"
sys.path.insert(0, str(SCRIPTS))

import sweep  # noqa: E402

HEAD = 'extern "C" __global__ void __launch_bounds__({0}, {1})\n{2}(float *x) {{\n'
GOOD = HEAD.format(64, 1, "good") + "  x[threadIdx.x] = 1.0f;\n}\n"
# 64 numbers that are all alive, where a thread has 32 registers.
SPILLS = (
    HEAD.format(1024, 2, "spills")
    + "".join(f"  float a{i} = x[{i} * 1024 + threadIdx.x];\n" for i in range(64))
    + "  for (int k = 0; k < 9; ++k) {\n"
    + "".join(f"    a{i} = a{i} * a{(i * 7 + 1) % 64} + x[k];\n" for i in range(64))
    + "  }\n"
    + "".join(f"  x[{i} * 1024 + threadIdx.x] = a{i};\n" for i in range(64))
    + "}\n"
)
PLAIN = GOOD.replace("good", "plain").replace("  x[", "  // mpc_multiply_tiles, they say\n  x[")
WRONG = GOOD.replace("good", "wrong").replace("1.0f", "nothing")
PRODUCT = (
    HEAD.format(32, 1, "product")
    + "  // mpc_multiply_tiles\n  float d[4] = {};\n"
    + '  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, '
    + '{%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(threadIdx.x));\n'
    + "  x[threadIdx.x] = d[0] + d[1] + d[2] + d[3];\n}\n"
)


class Sweep(unittest.TestCase):
    def setUp(self):
        library = os.environ.get("MPC_NVRTC") or sweep.find_nvrtc()
        self.tool = pathlib.Path(library).parents[1] / "bin/nvdisasm"
        self.nvrtc = sweep.Nvrtc(library)
        self.compiled = []
        compile_text = self.nvrtc.compile
        self.nvrtc.compile = lambda text, arch: self.compiled.append(text) or compile_text(text, arch)

    def found(self, *texts, cache=None):
        text = sweep.END_OF_PRELUDE + "\n".join(texts)
        prelude, kernels = sweep.split(text)
        self.assertEqual(len(kernels), len(texts))
        compiler = sweep.Compiler(self.nvrtc, self.tool, cache, 1)
        return sweep.describe(kernels, compiler.codes(prelude, kernels, 80))

    def test_what_is_right_is_no_fault(self):
        count, without, spilled, products, plain, _, names = self.found(GOOD, PRODUCT)
        self.assertEqual((count, without, spilled, products, plain, names), (2, 0, 0, 1, 0, ""))

    def test_faults_are_counted_and_named(self):
        count, without, spilled, products, plain, most, names = self.found(GOOD, SPILLS, PLAIN)
        self.assertEqual((count, without, spilled, products, plain, most), (3, 0, 1, 1, 1, 32))
        self.assertEqual(names, "spills plain")
        self.assertEqual(self.found(GOOD, WRONG)[1:3], [1, 0])

    def test_equal_kernels_are_compiled_once(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = pathlib.Path(folder)
            self.found(GOOD, GOOD.replace("good", "same"), cache=cache)
            self.assertEqual("".join(self.compiled).count("__global__"), 1)
            self.found(GOOD.replace("good", "later"), cache=cache)
            self.assertEqual(len(self.compiled), 1)


if __name__ == "__main__":
    if not (os.environ.get("MPC_NVRTC") or sweep.find_nvrtc()):
        sys.exit(77)
    unittest.main()
