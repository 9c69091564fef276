#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for trailing blanks, a missing end of line, files over 2 MiB, no SPDX line.

    python check_files.py [FILE...]       (all files that git knows, if none is named)

Prints `file:line: error: ...` for each fault.
"""
import pathlib
import subprocess
import sys

SIZE_LIMIT = 2 << 20
CODE_SUFFIXES = {".c", ".cpp", ".h", ".td", ".cmake", ".py", ".sh", ".in", ".cu", ".cuh"}
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SPDX_WITHIN = 3


def is_code(path):
    return path.suffix in CODE_SUFFIXES or path.name == "CMakeLists.txt"


def faults(path):
    content = path.read_bytes()
    if len(content) > SIZE_LIMIT:
        yield f"{path}:1: error: {len(content)} bytes, over the limit of {SIZE_LIMIT}"
    if b"\0" in content or not content:
        return
    try:
        lines = content.decode().split("\n")
    except UnicodeDecodeError:
        return
    if lines[-1]:
        yield f"{path}:{len(lines)}: error: no end of line at the end of the file"
    for number, line in enumerate(lines, start=1):
        if line != line.rstrip():
            yield f"{path}:{number}: error: trailing blanks"
    if is_code(path) and not any(SPDX in line for line in lines[:SPDX_WITHIN]):
        yield f"{path}:1: error: no SPDX line at the top"


def main():
    names = sys.argv[1:]
    if not names:
        names = subprocess.check_output(["git", "ls-files"], text=True).splitlines()
    found = [fault for name in names if pathlib.Path(name).is_file() for fault in faults(pathlib.Path(name))]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
