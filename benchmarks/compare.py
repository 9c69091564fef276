#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mpc beside PyTorch and jax: whole steps, published models in training, convolutions, contractions, attention, and the
optimizer at 124 million parameters. benchmarks/ops.py has single ops.

Each side is a process of its own. For each case all sides are made ready; then they take turns, round by round, in another
order each time, so that a busy moment meets all. Threads are the same for all. What a side computes is compared with ours.
Each slice is a line of JSON as soon as it is measured. A side whose library is not installed is left out, and named.

  benchmarks/compare.py --build=build                        all, in some four hours
  benchmarks/compare.py --list                               the names of all rows
  benchmarks/compare.py --only='step *'                      whole steps
  benchmarks/compare.py --only='model *'                     ten published models, and how long we compile them
  benchmarks/compare.py --only='convolution *,depthwise *'   three products of each layer
  benchmarks/compare.py --only='contraction deepbench *'     the 13 DeepBench shapes
  benchmarks/compare.py --only='* ours *,* torch eager bf16' ours, and one mode of PyTorch
  benchmarks/compare.py --rounds=9 --slice=1 --budget=3600   longer, and an end after an hour
  benchmarks/compare.py --from=out/compare.jsonl --page=docs/benchmarks.md
                                                             the page again, of what was measured
  benchmarks/compare.py --from=out/compare.jsonl --page=docs/benchmarks.md --readme=README.md
                                                             and README's table of models, of the page

A model's step is compiled from what torch.export.save wrote, which PyTorch's Python does in a process of its own.
"""
import argparse
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
from comparison import cases, page, readme, rounds  # noqa: E402

# How far the mean magnitude of a result may be from ours: 16 bits round, and weights of steps are drawn by each side.
TOLERANCE = {"step": 0.3, "model": 0.05} | dict.fromkeys(
    ("contraction", "convolution", "depthwise", "attention", "optimizer"), 0.02)


def what_of(case, mode):
    """What a mode computes, whatever the precision: one of a convolution's products."""
    return mode.split()[0] if case["kind"] in cases.CONVOLUTIONS else case["kind"]


def judge(case, opened):
    """Whether what was computed is what the first side has computed."""
    references = {}
    for (_, mode), answer in opened.items():
        reference = references.setdefault(what_of(case, mode), answer["check"])
        answer["agrees"] = bool(abs(answer["check"] - reference) <= TOLERANCE[case["kind"]] * abs(reference))


def show(rows, case, modes):
    """A line for who waits."""
    results = page.Results(rows)
    cells = (f"{side} {mode} {page.cell(results, case['name'], case['kind'], (side, mode)) or '-'}" for side, mode in modes)
    print(f"{case['name']}: {', '.join(cells)}", flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    rounds.add_flags(parser, 0.5, "out/compare.jsonl")
    parser.add_argument("--page", type=pathlib.Path, help="write the section of this CPU into this page, too")
    parser.add_argument("--part", default="", help="a name: the page has a section of its own for these rows")
    parser.add_argument("--readme", type=pathlib.Path, help="with --page: write its table of models into this file, too")
    parser.add_argument("--python", default=rounds.default_python(), help="that has NumPy, for our package")
    parser.add_argument("--jax-python", default=os.environ.get("MPC_JAX_PYTHON", rounds.default_python()),
                        help="that has jax (default: MPC_JAX_PYTHON)")
    return parser.parse_args()


def main():
    arguments = parse()
    every_case = cases.all_cases(arguments.small)
    if arguments.list:
        return rounds.list_rows(arguments, every_case, cases.MODES)
    if arguments.given:
        rows = rounds.read_rows(arguments.given)
    else:
        pythons = {"ours": arguments.python, "torch": arguments.torch_python, "jax": arguments.jax_python}
        rows = rounds.measure(arguments, every_case, cases.MODES, schema="mpc-compare/1", pythons=pythons, judge=judge, show=show)
    results = page.Results(rows)
    print("\n" + "\n".join(page.section(results, arguments.part)))
    if arguments.page:
        page.update(arguments.page, results, arguments.part)
    if arguments.page and arguments.readme:
        readme.update(arguments.readme, arguments.page)
    return int(not results.slices)


if __name__ == "__main__":
    sys.exit(main())
