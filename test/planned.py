#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the names of passes, tools and benchmarks in the hand-written pages against those
that exist: a name that does not exist yet is followed by "(planned", and one
that exists is not.

    planned.py ROOT
"""
import pathlib
import re
import sys

PASS = re.compile(r'\bPass<"([\w-]+)"')
NAME = re.compile(r"`((?:nn|amp|kernel|cpu|cuda|mpc)-[a-z-]+)(?![\w/:.-])[^`]*`( \(planned)?")
# What begins as a tool's name does and is none: packages and libraries.
NO_TOOLS = {"mpc-compiler", "mpc-runtime", "mpc-c"}


def existing(root):
    files = [*root.glob("passes/*/Passes.td"), *root.glob("lib/Codegen/*/Passes.td")]
    passes = (PASS.findall(path.read_text()) for path in files)
    tools = (path.name for path in root.glob("tools/mpc-*"))
    lists = (path.read_text() for path in root.glob("benchmarks/**/CMakeLists.txt"))
    benchmarks = (re.findall(r"add_executable\((\S+)", text) for text in lists)
    return {name for names in (*passes, *benchmarks) for name in names} | set(tools)


def pages(root):
    yield from sorted(root.glob("*.md"))
    for folder in ("how-to", "rationale", "semantics"):
        yield from sorted(root.glob(f"docs/{folder}/*.md"))
    yield from sorted(root.glob("docs/*.md"))


def faults(root):
    there = existing(root)
    for page in pages(root):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for name, mark in NAME.findall(line):
                place = f"{page.relative_to(root)}:{number}: '{name}'"
                if name in NO_TOOLS:
                    continue
                if name not in there and not mark:
                    yield f'{place} does not exist: mark it "(planned)" or mend the name'
                if name in there and mark:
                    yield f'{place} exists: remove "(planned)"'


if __name__ == "__main__":
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "every name exists or is marked as planned")
    sys.exit(bool(found))
