#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what libmpc-runtime exports against its headers, and the headers against the tests.

    python exports.py PROJECT LIBRARY NM

The library's symbols are exactly the functions of include/mpc-c. Each of them is called in
test/capi, and each that gives an error also in MisuseTest.cpp.
"""
import pathlib
import re
import subprocess
import sys

DECLARATION = re.compile(r"MPC_EXPORT\s+([^;]*?)\b(mpc[A-Z]\w*)\(")


def declared(root):
    """Name -> whether it gives an error."""
    texts = (path.read_text() for path in sorted((root / "include/mpc-c").glob("*.h")))
    found = (match for text in texts for match in DECLARATION.finditer(text))
    return {match.group(2): "MpcError *" in match.group(1) for match in found}


def exported(library, nm):
    command = [nm, "-D", "--defined-only", library]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in output.splitlines()}


def faults(root, library, nm):
    functions, symbols = declared(root), exported(library, nm)
    assert len(functions) > 40, functions
    tests = "".join(path.read_text() for path in (root / "test/capi").glob("*.cpp"))
    misuse = (root / "test/capi/MisuseTest.cpp").read_text()
    for name in sorted(functions.keys() - symbols):
        yield f"{name} is declared and not exported"
    for name in sorted(symbols - functions.keys()):
        yield f"{name} is exported and not declared"
    for name, fails in sorted(functions.items()):
        if not re.search(rf"\b{name}\b", misuse if fails else tests):
            yield f"{name} is not called in test/capi{'/MisuseTest.cpp' if fails else ''}"


if __name__ == "__main__":
    found = list(faults(pathlib.Path(sys.argv[1]), *sys.argv[2:4]))
    print("\n".join(found) or "symbols, headers and tests agree")
    sys.exit(bool(found))
