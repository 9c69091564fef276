#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails on C and C++ that clang-format would write otherwise.

    python formatting.py ROOT [CLANG-FORMAT]

Prints clang-format's own messages. Where there is no clang-format the exit
status is 77, which ctest counts as skipped; under CI that is a failure.
"""
import os
import pathlib
import shutil
import subprocess
import sys

SUFFIXES = {".h", ".cpp", ".c", ".cuh"}
FOLDERS = ["benchmarks", "dialects", "examples", "include", "lib", "passes", "runtime", "test", "tools"]
SKIPPED = 77


def sources(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def faults(root, program):
    """How many of the sources under `root` are not formatted, and what is said of them."""
    files = [str(path) for path in sources(root)]
    found = subprocess.run(
        [program, "--dry-run", "--Werror", "--ferror-limit=1", *files],
        capture_output=True, text=True)
    count = found.stderr.count("error: code should be clang-formatted")
    return max(count, int(found.returncode != 0)), found.stderr


def main(root, program="clang-format-22"):
    if not shutil.which(program):
        print(f"no {program}: formatting is not checked")
        return 1 if os.environ.get("CI") else SKIPPED
    count, said = faults(pathlib.Path(root), program)
    sys.stderr.write(said)
    print(f"{count} files are not as {program} writes them")
    return int(count != 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
