#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mpc beside PyTorch and jax: whole steps, contractions, attention, and the optimizer at 124 million parameters.

Each side is a process of its own. For each case all sides are made ready; then they take turns, round by round, in another
order each time, so that a busy moment meets all. Threads are the same for all. What a side computes is compared with ours.
Each slice is a line of JSON as soon as it is measured. A side whose library is not installed is left out, and named.

  benchmarks/compare.py --build=build                        all, in about two hours
  benchmarks/compare.py --list                               the names of all rows
  benchmarks/compare.py --only='step *'                      whole steps
  benchmarks/compare.py --only='contraction deepbench *'     the 13 DeepBench shapes
  benchmarks/compare.py --only='* ours *,* torch eager bf16' ours, and one mode of PyTorch
  benchmarks/compare.py --rounds=9 --slice=1 --budget=3600   longer, and an end after an hour
  benchmarks/compare.py --from=out/compare.jsonl --page=docs/benchmarks.md
                                                             the page again, of what was measured
"""
import argparse
import datetime
import fnmatch
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
from comparison import cases, page  # noqa: E402
from comparison.sides import Gone, Sides  # noqa: E402

# How far the mean magnitude of a result may be from ours: 16 bits round, and weights of steps are drawn by each side.
TOLERANCE = {"step": 0.3, "contraction": 0.02, "attention": 0.02, "optimizer": 0.02}


def row_name(case, side, mode):
    return f"{case['name']} {side} {mode}"


def is_wanted(name, patterns):
    """Whether a row is one of `patterns`, which may name the beginning of it."""
    return not patterns or any(fnmatch.fnmatch(name, pattern) or name.startswith(pattern) for pattern in patterns)


def wanted_modes(case, patterns):
    """(side, mode) of a case's rows."""
    every = [(side, mode) for side, kinds in cases.MODES.items() for mode in kinds[case["kind"]]]
    return [(side, mode) for side, mode in every if is_wanted(row_name(case, side, mode), patterns)]


def cpu_name():
    """The model, and what multiplies in it."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    fields = dict(line.split(":", 1) for line in text.split("\n\n")[0].splitlines() if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    flags = fields.get("flags", "").split()
    units = [name for flag, name in (("avx2", "AVX2"), ("avx512f", "AVX-512"), ("avx512_bf16", "AVX512-BF16"),
                                     ("amx_bf16", "AMX-BF16")) if flag in flags]
    return f"{fields.get('model name', 'unknown')} ({', '.join(units)})"


def commit():
    done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


class Comparison:
    def __init__(self, arguments, out):
        self.arguments, self.out, self.rows = arguments, out, []
        self.end = time.monotonic() + arguments.budget
        build = arguments.build.resolve()
        packages = os.pathsep.join([str(build / "python"), os.environ.get("PYTHONPATH", "")])
        environments = {"ours": {"MPC_BUILD": str(build), "PYTHONPATH": packages}}
        pythons = {"ours": arguments.python, "torch": arguments.torch_python, "jax": arguments.jax_python}
        self.sides = Sides(pythons, arguments.threads, environments, self.tell)
        self.tell({
            "kind": "run", "schema": "mpc-compare/1", "cpu": cpu_name(), "threads": arguments.threads,
            "cpus": os.cpu_count(), "date": datetime.date.today().isoformat(), "commit": commit(),
            "rounds": arguments.rounds, "small": arguments.small,
        })

    def tell(self, row):
        """Writes a row at once, so that what ends a run takes no number away."""
        self.rows.append(row)
        self.out.write(json.dumps(row) + "\n")
        self.out.flush()

    def fail(self, case, side, mode, kind, why):
        self.tell({"kind": kind, "case": case["name"], "side": side, "mode": mode, "why": why})

    def is_over(self):
        return time.monotonic() > self.end

    def open(self, case, side, mode):
        """The first answer of a side; None where there is none."""
        if self.is_over():
            return self.fail(case, side, mode, "left out", f"after {self.arguments.budget:g} s")
        try:
            worker = self.sides.find(side)
            answer = worker and worker.ask(do="open", case=case, mode=mode)
        except Gone as gone:
            self.sides.forget(side)
            return self.fail(case, side, mode, "failed", str(gone))
        if answer and answer["event"] == "failed":
            return self.fail(case, side, mode, "failed", answer["why"])
        return answer

    def measure(self, case, side, mode, opened, number):
        try:
            answer, others = self.sides.find(side).measure(mode, self.arguments.slice)
        except Gone as gone:
            self.sides.forget(side)
            return self.fail(case, side, mode, "failed", str(gone))
        if answer["event"] == "failed":
            return self.fail(case, side, mode, "failed", answer["why"])
        self.tell({
            "kind": "slice", "case": case["name"], "side": side, "mode": mode, "round": number,
            "median_ms": statistics.median(answer["ms"]), "least_ms": min(answer["ms"]), "calls": len(answer["ms"]),
            "others": others, "flops": case["flops"], "precision": opened["precision"], "check": opened["check"],
            "agrees": opened["agrees"],
        })

    def keep_long(self, case, side, mode, opened):
        """A call that takes too long to be repeated counts as it was."""
        self.tell({
            "kind": "slice", "case": case["name"], "side": side, "mode": mode, "round": 0,
            "median_ms": opened["last_ms"], "least_ms": opened["last_ms"], "calls": 1, "others": 0.0,
            "flops": case["flops"], "precision": opened["precision"], "check": opened["check"], "agrees": opened["agrees"],
        })

    def judge(self, case, opened):
        """Whether what was computed is what the first side has computed."""
        reference = next(iter(opened.values()))["check"]
        for answer in opened.values():
            difference = abs(answer["check"] - reference)
            answer["agrees"] = bool(difference <= TOLERANCE[case["kind"]] * abs(reference))

    def compare(self, case, modes):
        opened = {(side, mode): self.open(case, side, mode) for side, mode in modes}
        opened = {key: answer for key, answer in opened.items() if answer}
        if opened:
            self.judge(case, opened)
        turns = []
        for (side, mode), answer in opened.items():
            if answer["is_long"]:
                self.keep_long(case, side, mode, answer)
            else:
                turns.append((side, mode))
        for number in range(self.arguments.rounds):
            first = number % max(1, len(turns))
            for side, mode in turns[first:] + turns[:first]:
                if not self.is_over() and side in self.sides.workers:
                    self.measure(case, side, mode, opened[side, mode], number)
        self.sides.close_calls()
        self.show(case, modes)

    def show(self, case, modes):
        """A line for who waits."""
        results = page.Results(self.rows)
        cells = (f"{side} {mode} {page.cell(results, case['name'], case['kind'], (side, mode)) or '-'}"
                 for side, mode in modes)
        print(f"{case['name']}: {', '.join(cells)}", flush=True)

    def run(self):
        patterns = [pattern for pattern in self.arguments.only.split(",") if pattern]
        for case in cases.all_cases(self.arguments.small):
            if modes := wanted_modes(case, patterns):
                self.compare(case, modes)
        self.sides.end()


def default_python():
    local = ROOT / ".venv/bin/python"
    return str(local) if local.exists() else sys.executable


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="our build (default: build)")
    parser.add_argument("--only", default="", help="rows by their names or beginnings, apart by commas; * is anything")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side (default: 5)")
    parser.add_argument("--slice", type=float, default=0.5, help="seconds of a turn, or one call (default: 0.5)")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds after which nothing begins any more")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of each side (default: all)")
    parser.add_argument("--small", action="store_true", help="tiny sizes, whose times mean nothing")
    parser.add_argument("--list", action="store_true", help="print the names of the rows, and measure nothing")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/compare.jsonl",
                        help="the file of the rows (default: out/compare.jsonl)")
    parser.add_argument("--from", dest="given", type=pathlib.Path, help="tables of this file; measures nothing")
    parser.add_argument("--page", type=pathlib.Path, help="write the section of this CPU into this page, too")
    parser.add_argument("--python", default=default_python(), help="that has NumPy, for our package")
    parser.add_argument("--torch-python", default=os.environ.get("MPC_TORCH_PYTHON", default_python()),
                        help="that has torch (default: MPC_TORCH_PYTHON)")
    parser.add_argument("--jax-python", default=os.environ.get("MPC_JAX_PYTHON", default_python()),
                        help="that has jax (default: MPC_JAX_PYTHON)")
    return parser.parse_args()


def list_rows(arguments):
    patterns = [pattern for pattern in arguments.only.split(",") if pattern]
    for case in cases.all_cases(arguments.small):
        for side, mode in wanted_modes(case, patterns):
            print(row_name(case, side, mode))


def measure(arguments):
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.open("w") as out:
        comparison = Comparison(arguments, out)
        comparison.run()
    return comparison.rows


def main():
    arguments = parse()
    if arguments.list:
        return list_rows(arguments)
    if arguments.given:
        rows = [json.loads(line) for line in arguments.given.read_text().splitlines()]
    else:
        rows = measure(arguments)
    results = page.Results(rows)
    print("\n" + "\n".join(page.section(results)))
    if arguments.page:
        page.update(arguments.page, results)
    return int(not results.slices)


if __name__ == "__main__":
    sys.exit(main())
