#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/rationale/cuda-cost.md, or holds them against what the compiler makes now.

    python cost_pages.py BUILD [--update] [--page=FILE]

Each table stands behind a line `<!-- costs MODEL PRECISION ARCH -->`, of a model of models.py; with a word `library` at
its end products that cuBLASLt may compute are so. Without --update a class
whose milliseconds are 3 % above those of the page is a fault (exit code 1), and one that is 3 % below asks for an update;
both are said by name. Needs NVRTC (scripts/requirements-cuda.txt) and no GPU; exit code 77 where there is none.
"""
import argparse
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import cost_model
import models
from packed import environment, find_nvrtc

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/rationale/cuda-cost.md"
MARK = re.compile(r"^<!-- costs (\S+) (\S+) (\S+)( library)? -->\n\n((?:\|.*\n)+)", re.M)
ALLOWED = 0.03
LEAST = 0.05  # ms; what is below is no class that anybody would mend.


@functools.cache
def inspect(build, model, precision, arch):
    """What mpc-inspect tells of a step."""
    with tempfile.TemporaryDirectory() as scratch:
        source, program = pathlib.Path(scratch, "model.mlir"), pathlib.Path(scratch, "step.mpc")
        source.write_text(models.write(model))
        words = [f"--precision={precision}", "--clip-global-norm=1", f"--target=cuda:{arch}", "-o", program]
        subprocess.run([build / "bin/mpc-compile", source, *words], check=True, env=environment() | {"MPC_CACHE_DIR": ""})
        said = subprocess.run([build / "bin/mpc-inspect", program, "--json"], check=True, capture_output=True, text=True)
    return json.loads(said.stdout)


def classes_of(program, with_library):
    """The classes of a step, and all of it."""
    costs = cost_model.costs_of(program, "step", cost_model.Device(), with_library)
    return cost_model.grouped(costs, cost_model.by_class) + [cost_model.sum_up("all", costs)]


def milliseconds(table):
    """Those of each class; the column is that before the last."""
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()[2:]]
    return {row[0]: float(row[-2]) for row in rows}


def faults(name, page, now):
    """What got slower, and what the page does not know yet."""
    for kind in sorted(page.keys() | now.keys()):
        before, after = page.get(kind, 0.0), now.get(kind, 0.0)
        if max(before, after) < LEAST or abs(after - before) <= ALLOWED * before:
            continue
        word = "slower" if after > before else "faster"
        yield f"{name}: {kind}: {after:.2f} ms, {word} than the page's {before:.2f} (cost_pages.py BUILD --update)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--update", action="store_true", help="write the tables")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help="the page (default: docs/rationale/cuda-cost.md)")
    arguments = parser.parse_args()
    if not find_nvrtc():
        print("no NVRTC: scripts/requirements-cuda.txt")
        return 77
    text, found = arguments.page.read_text(), []
    for mark in MARK.finditer(text):
        program = inspect(arguments.build, *mark.groups()[:3])
        table = cost_model.table("class", classes_of(program, with_library=bool(mark[4]))) + "\n"
        name = mark[1] + (mark[4] or "")
        found += faults(name, milliseconds(mark[5]), milliseconds(table))
        if arguments.update:
            arguments.page.write_text(arguments.page.read_text().replace(mark[0], mark[0].replace(mark[5], table)))
        print(f"{name}: {milliseconds(table)['all']:.2f} ms", flush=True)
    if not MARK.search(text):
        sys.exit(f"cost_pages.py: error: {arguments.page} has no table behind a line '<!-- costs MODEL PRECISION ARCH -->'")
    if arguments.update:
        return 0
    print("\n".join(found))
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main())
