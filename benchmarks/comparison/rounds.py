# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rounds in which the sides take turns: what compare.py and ops.py have in common."""
import datetime
import fnmatch
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

from .cases import ROOT
from .sides import Gone, Sides


def row_name(case, side, mode):
    return f"{case['name']} {side} {mode}"


def patterns_of(arguments):
    return [pattern for pattern in arguments.only.split(",") if pattern]


def is_wanted(name, patterns):
    """Whether a row is one of `patterns`, which may name the beginning of it."""
    return not patterns or any(fnmatch.fnmatch(name, pattern) or name.startswith(pattern) for pattern in patterns)


def wanted_modes(table, case, patterns):
    """(side, mode) of a case's rows, of the modes that `table` has of each side by kinds."""
    every = [(side, mode) for side, kinds in table.items() for mode in kinds.get(case["kind"], ())]
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


def priority():
    """How the processes are scheduled beside others: normal, by a nice value, or before all that are not real-time."""
    if os.sched_getscheduler(0) in (os.SCHED_RR, os.SCHED_FIFO):
        return "real-time"
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    return f"nice {nice}" if nice else "normal"


class Comparison:
    """A run of sides, each by its Python. `judge` says of the first answers of a case which of them agree, and `show` is
    told of each case that is done."""

    def __init__(self, arguments, out, schema, pythons, judge, show):
        self.arguments, self.out, self.rows = arguments, out, []
        self.judge, self.show = judge, show
        self.end = time.monotonic() + arguments.budget
        build = arguments.build.resolve()
        packages = os.pathsep.join([str(build / "python"), os.environ.get("PYTHONPATH", "")])
        environments = {"ours": {"MPC_BUILD": str(build), "PYTHONPATH": packages, "MPC_TORCH_PYTHON": arguments.torch_python}}
        self.sides = Sides(pythons, arguments.threads, environments, self.tell)
        self.tell({
            "kind": "run", "schema": schema, "cpu": cpu_name(), "threads": arguments.threads,
            "cpus": os.cpu_count(), "date": datetime.date.today().isoformat(), "commit": commit(),
            "rounds": arguments.rounds, "small": arguments.small, "priority": priority(),
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
        self.keep(case, side, mode, opened, round=number, median_ms=statistics.median(answer["ms"]),
                  least_ms=min(answer["ms"]), calls=len(answer["ms"]), others=others)

    def keep_long(self, case, side, mode, opened):
        """A call that takes too long to be repeated counts as it was."""
        last = opened["last_ms"]
        self.keep(case, side, mode, opened, round=0, median_ms=last, least_ms=last, calls=1, others=0.0)

    def keep(self, case, side, mode, opened, **times):
        self.tell({
            "kind": "slice", "case": case["name"], "side": side, "mode": mode, **times, "flops": case["flops"],
            "precision": opened["precision"], "check": opened["check"], "agrees": opened["agrees"], **opened["facts"],
        })

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
        self.show(self.rows, case, modes)

    def run(self, every_case, table):
        """All cases with their modes in `table`, as far as they are wanted."""
        for case in every_case:
            if modes := wanted_modes(table, case, patterns_of(self.arguments)):
                self.compare(case, modes)
        self.sides.end()


def default_python():
    local = ROOT / ".venv/bin/python"
    return str(local) if local.exists() else sys.executable


def torch_python():
    return os.environ.get("MPC_TORCH_PYTHON", default_python())


def add_flags(parser, slice_seconds, out):
    """The flags of a run."""
    add = parser.add_argument
    add("--build", type=pathlib.Path, default=ROOT / "build", help="our build (default: build)")
    add("--only", default="", help="rows by their names or beginnings, apart by commas; * is anything")
    add("--rounds", type=int, default=5, help="turns of each side (default: 5)")
    add("--slice", type=float, default=slice_seconds, help=f"seconds of a turn, or one call (default: {slice_seconds:g})")
    add("--budget", type=float, default=1e9, help="seconds after which nothing begins any more")
    add("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of each side (default: all)")
    add("--small", action="store_true", help="tiny sizes, whose times mean nothing")
    add("--list", action="store_true", help="print the names of the rows, and measure nothing")
    add("--out", type=pathlib.Path, default=ROOT / out, help=f"the file of the rows (default: {out})")
    add("--from", dest="given", type=pathlib.Path, help="tables of this file; measures nothing")
    add("--torch-python", default=torch_python(), help="that has torch (default: MPC_TORCH_PYTHON)")


def list_rows(arguments, every_case, table):
    for case in every_case:
        for side, mode in wanted_modes(table, case, patterns_of(arguments)):
            print(row_name(case, side, mode))


def read_rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def measure(arguments, every_case, table, **how):
    """The rows of a run; `how` is told to Comparison."""
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.open("w") as out:
        comparison = Comparison(arguments, out, **how)
        comparison.run(every_case, table)
    return comparison.rows
