# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes test/dialects/<dialect>/values/<op>.mlir, or holds what is there against it.

    python -m values FOLDER            write every file (from test/support; FOLDER is test/dialects)
    python -m values FOLDER --check    fail where a file says something else

Numbers of a libm may differ in their last digits, so that --check compares numbers to 1e-13
and everything else as text.
"""
import argparse
import pathlib
import re
import sys

import numpy as np

from . import binary, bits, casts, contractions, gradients, kernel, movement, normalization
from . import optimizer, randomness, rates, rounding, unary
from .text import file_text

NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")

NN = (unary, binary, casts, bits, movement, contractions, normalization, randomness)
AMP = (gradients, rates, rounding, optimizer)
FOLDERS = {"nn": "NN", "amp": "AMP", "kernel": "Kernel"}


def place(op):
    """Where the file of an op is; ops without a dialect are of nn."""
    dialect, _, name = op.rpartition(".")
    return f"{FOLDERS[dialect or 'nn']}/values/{name}.mlir"


def all_files():
    files = {}
    with np.errstate(all="ignore"):
        for module in (*NN, *AMP, kernel):
            files |= {place(op): file_text(functions) for op, functions in module.families().items()}
    return files


def same(ours, theirs):
    if NUMBER.sub("#", ours) != NUMBER.sub("#", theirs):
        return False
    for a, b in zip(NUMBER.findall(ours), NUMBER.findall(theirs)):
        x, y = float(a), float(b)
        if a != b and abs(x - y) > 1e-13 * max(abs(x), abs(y)):
            return False
    return True


def check(folder, files):
    faults = 0
    found = {str(path.relative_to(folder)) for path in folder.glob("*/values/*.mlir")}
    for name in sorted(found ^ set(files)):
        faults += 1
        print(f"{folder / name}: {'no file' if name in files else 'no formula'}")
    for name, text in files.items():
        path = folder / name
        if path.exists() and not same(path.read_text(), text):
            faults += 1
            print(f"{path}: differs from its formulas; run python -m values")
    print(f"{len(files)} files, {faults} faults")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    files = all_files()
    if arguments.check:
        return check(arguments.folder, files) > 0
    for name, text in files.items():
        (arguments.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (arguments.folder / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
