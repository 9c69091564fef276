# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes FOLDER/<op>.mlir for every op of a dialect that computes values.

    python -m values nn FOLDER         from test/support; or amp, or kernel

The tests values.test of the dialects do so, and run what was written.
"""
import argparse
import pathlib

import numpy as np

from . import attention, binary, bits, casts, contractions, gradients, kernel, loops, movement
from . import normalization, optimizer, randomness, rates, rounding, unary
from .text import file_text

MODULES = (unary, binary, casts, bits, movement, contractions, normalization, randomness)
MODULES += (attention, gradients, loops, rates, rounding, optimizer, kernel)


def files_of(wanted):
    """Text by op. An op that is named without its dialect belongs to nn."""
    files = {}
    with np.errstate(all="ignore"):
        for module in MODULES:
            for op, functions in module.families().items():
                dialect, _, name = op.rpartition(".")
                if (dialect or "nn") == wanted:
                    files[name] = file_text(functions)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dialect", choices=("nn", "amp", "kernel"))
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, text in files_of(arguments.dialect).items():
        (arguments.folder / f"{name}.mlir").write_text(text)


if __name__ == "__main__":
    main()
