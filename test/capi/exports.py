#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what the libraries export against their headers, and the headers against the tests.

    python exports.py PROJECT NM LIBMPC-RUNTIME [LIBMPC-COMPILER]

A library's symbols are exactly the functions of its headers in include/mpc-c: Compiler.h is
libmpc-compiler's, all others are libmpc-runtime's. Each of them is called in test/capi, and each
that gives an error also with what is wrong, in MisuseTest.cpp or CompilerTest.cpp.
"""
import pathlib
import re
import subprocess
import sys

DECLARATION = re.compile(r"MPC_EXPORT\s+([^;]*?)\b(mpc[A-Z]\w*)\(")


def declared(root, wanted):
    """Name -> whether it gives an error."""
    paths = (path for path in sorted((root / "include/mpc-c").glob("*.h")) if wanted(path.name))
    found = (match for path in paths for match in DECLARATION.finditer(path.read_text()))
    return {match.group(2): "MpcError *" in match.group(1) for match in found}


def exported(library, nm):
    command = [nm, "-D", "--defined-only", library]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in output.splitlines()}


def faults(root, library, nm, wanted, least, misused):
    functions, symbols = declared(root, wanted), exported(library, nm)
    assert len(functions) > least, functions
    tests = "".join(path.read_text() for path in (root / "test/capi").glob("*.cpp"))
    misuse = (root / "test/capi" / misused).read_text()
    for name in sorted(functions.keys() - symbols):
        yield f"{name} is declared and not exported"
    for name in sorted(symbols - functions.keys()):
        yield f"{name} is exported and not declared"
    for name, fails in sorted(functions.items()):
        if not re.search(rf"\b{name}\b", misuse if fails else tests):
            yield f"{name} is not called in test/capi{'/' + misused if fails else ''}"


if __name__ == "__main__":
    root, nm, runtime, *compiler = sys.argv[1:]
    root = pathlib.Path(root)
    found = list(
        faults(root, runtime, nm, lambda name: name != "Compiler.h", 40, "MisuseTest.cpp")
    )
    for library in compiler:
        found += faults(
            root, library, nm, lambda name: name == "Compiler.h", 12, "CompilerTest.cpp"
        )
    print("\n".join(found) or "symbols, headers and tests agree")
    sys.exit(bool(found))
