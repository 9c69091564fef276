#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/generated from TableGen, the tools' --help and their tables, or checks that it is current.

    scripts/generate_docs.py [--check] [--build=DIR] [--tablegen=PROGRAM] [--include=DIR]
"""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "docs/generated"
DIALECTS = {
    "nn": "dialects/NN/NN.td",
    "amp": "dialects/AMP/AMP.td",
    "kernel": "dialects/Kernel/KernelOps.td",
    "cpu": "lib/Codegen/CPU/CPUDialect.td",
    "cuda": "lib/Codegen/CUDA/CUDADialect.td",
}
PASSES = ("passes/NN", "passes/AMP", "passes/Kernel", "lib/Codegen/CPU",
          "lib/Codegen/CUDA")
TABLES = {"losses": "Losses", "optimizers": "Optimizers"}
TOOLS = ("mpc-train", "mpc-eval", "mpc-compile", "mpc-run", "mpc-inspect", "mpc-import", "mpc-scale replay", "mpc-scale step")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def tablegen(arguments, source, *flags):
    include = ("-I", str(ROOT), "-I", arguments.include)
    return run(arguments.tablegen, *flags, *include, str(ROOT / source))


def pages(arguments):
    """Name and text of each page."""
    for mnemonic, source in DIALECTS.items():
        flags = ("-gen-dialect-doc", f"-dialect={mnemonic}")
        yield f"{mnemonic}.md", tablegen(arguments, source, *flags)
    passes = [
        tablegen(arguments, f"{folder}/Passes.td", "-gen-pass-doc")
        for folder in PASSES
    ]
    yield "passes.md", "# Passes\n\n" + "\n".join(passes)
    for name, title in TABLES.items():
        text = run(str(pathlib.Path(arguments.build) / "bin/mpc-compile"), f"--list-{name}")
        yield f"{name}.md", f"# {title}\n\nAs `mpc-compile --list-{name}` prints them.\n\n{text}"
    for tool in TOOLS:
        program, *words = tool.split()
        text = run(str(pathlib.Path(arguments.build) / "bin" / program), *words, "--help")
        yield f"{'-'.join([program, *words])}.txt", text


def tidy(text):
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines()) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail where a page differs")
    parser.add_argument("--build", default=str(ROOT / "build"), help="build folder (default: build)")
    parser.add_argument("--tablegen", default="/usr/lib/llvm-22/bin/mlir-tblgen", help="mlir-tblgen")
    parser.add_argument("--include", default="/usr/lib/llvm-22/include", help="MLIR's headers")
    arguments = parser.parse_args()
    made = {name: tidy(text) for name, text in pages(arguments)}
    there = {file.name: file.read_text() for file in OUTPUT.glob("*")} if OUTPUT.exists() else {}
    stale = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    if arguments.check:
        for name in stale:
            print(f"docs/generated/{name} is not current: run scripts/generate_docs.py")
        return bool(stale)
    OUTPUT.mkdir(exist_ok=True)
    for name in stale:
        if name in made:
            (OUTPUT / name).write_text(made[name])
        else:
            (OUTPUT / name).unlink()
    print(f"{len(made)} pages, {len(stale)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
