#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the pages that come from TableGen, from the tools' --help and from their tables.

    scripts/generate_docs.py [--output=DIR] [--build=DIR] [--tablegen=PROGRAM] [--include=DIR]

They are no part of the repository. scripts/docs.sh renders them with all others.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
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
    text = run(arguments.tablegen, *flags, *include, str(ROOT / source))
    return text.replace("[TOC]\n", "")


def passes(arguments):
    texts = [tablegen(arguments, f"{folder}/Passes.td", "-gen-pass-doc") for folder in PASSES]
    return "# Passes\n\n" + re.sub(r"^##(#+ )", r"#\1", "\n".join(texts), flags=re.M)


# --- Pages of --help ---------------------------------------------------------


def entries(lines):
    """Name and text of each flag in the lines of a group: `  --name=X   text`, or the text below."""
    for line in lines:
        if re.match(r"  \S", line):
            name, _, text = line.strip().partition("  ")
            entry = [name, text.strip()]
            yield entry
        else:
            entry[1] = f"{entry[1]} {line.strip()}".strip()


def row(name, text):
    def cell(words):
        return words.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")

    name = name.replace("|", "\\|")
    return f"| `{name}` | {cell(text)} |"


def help_page(title, text):
    """The Markdown of what --help prints: usage, what the tool is for, groups of flags."""
    usage, *blocks = text.strip().split("\n\n")
    page = [f"# {title}\n", f"```\n{usage.removeprefix('usage: ')}\n```\n"]
    for block in blocks:
        first, *rest = block.splitlines()
        if first.endswith(":") and rest:
            found = list(entries(rest))
            page += [f"## {first[:-1]}\n", "| flag | means |", "|---|---|", *(row(*entry) for entry in found), ""]
        elif first.startswith("  "):
            page += ["| argument | means |", "|---|---|", *(row(*entry) for entry in entries([first, *rest])), ""]
        else:
            page.append(block + "\n")
    return "\n".join(page)


def pages(arguments):
    """Name and text of each page."""
    for mnemonic, source in DIALECTS.items():
        flags = ("-gen-dialect-doc", f"-dialect={mnemonic}")
        yield f"{mnemonic}.md", tablegen(arguments, source, *flags)
    yield "passes.md", passes(arguments)
    bin_folder = pathlib.Path(arguments.build) / "bin"
    for name, title in TABLES.items():
        text = run(str(bin_folder / "mpc-compile"), f"--list-{name}")
        yield f"{name}.md", f"# {title}\n\nAs `mpc-compile --list-{name}` prints them.\n\n{text}"
    for tool in TOOLS:
        program, *words = tool.split()
        text = run(str(bin_folder / program), *words, "--help")
        yield f"{'-'.join([program, *words])}.md", help_page(tool, text)


def tidy(text):
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines()) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default=str(ROOT / "docs/generated"), help="where to (default: docs/generated)")
    parser.add_argument("--build", default=str(ROOT / "build"), help="build folder (default: build)")
    parser.add_argument("--tablegen", default="/usr/lib/llvm-22/bin/mlir-tblgen", help="mlir-tblgen")
    parser.add_argument("--include", default="/usr/lib/llvm-22/include", help="MLIR's headers")
    arguments = parser.parse_args()
    output = pathlib.Path(arguments.output)
    made = {name: tidy(text) for name, text in pages(arguments)}
    output.mkdir(parents=True, exist_ok=True)
    for file in output.iterdir():
        if file.name not in made:
            file.unlink()
    for name, text in made.items():
        (output / name).write_text(text)
    print(f"{len(made)} pages in {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
