# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests of this folder, which need PyTorch; exits with 77 where there is none.

    python run.py [TEST...]

MPC_TORCH_PYTHON names a Python that has torch, numpy, onnx, onnxscript and safetensors, where
this one has not. What they came to once is in recorded_test.py, which needs no PyTorch.
"""
import importlib.util
import os
import pathlib
import sys
import unittest

SKIPPED = 77


def main():
    other = os.environ.pop("MPC_TORCH_PYTHON", "")
    if other:
        os.execv(other, [other, "-B", *sys.argv])
    if not importlib.util.find_spec("torch"):
        print("no torch here: MPC_TORCH_PYTHON may name a Python that has it")
        return SKIPPED
    folder = pathlib.Path(__file__).resolve().parent
    sys.path[:0] = [str(folder), str(folder.parent)]
    names = sys.argv[1:] or sorted(path.stem for path in folder.glob("*_test.py"))
    tests = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    return 0 if result.wasSuccessful() and result.testsRun and not result.skipped else 1


if __name__ == "__main__":
    sys.exit(main())
