# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of what was measured, for a terminal and for docs/benchmarks.md."""
import collections
import math
import pathlib
import statistics

from .cases import CONVOLUTIONS, MODES, PRECISIONS

TITLES = {
    "step": "Whole steps, ms",
    "model": "Published models in training, ms a step",
    "convolution": "Convolutions, GFLOP/s",
    "depthwise": "Depthwise convolutions, ms",
    "contraction": "Contractions, GFLOP/s",
    "attention": "Attention, forward and backward, ms",
    "optimizer": "Optimizer step of 124 million parameters, ms",
}
ORDER = [(side, mode) for side, kinds in MODES.items() for kind in kinds for mode in kinds[kind]]


COMPILED = "ours compiled in, s"

# Processors that others may use in a slice that counts.
QUIET = 0.25


def undisturbed(rows):
    """The slices in which others used little; all, where fewer than a third are so."""
    quiet = [row for row in rows if row["others"] <= QUIET]
    return quiet if 3 * len(quiet) >= len(rows) else rows


class Results:
    """The rows of one file, of one run or of several on one machine: what ran where, and the medians."""

    def __init__(self, rows):
        self.runs = [row for row in rows if row["kind"] == "run"]
        self.run = self.runs[0]
        self.versions = list(dict.fromkeys(row["version"] for row in rows if row["kind"] == "side"))
        absent = [row for row in rows if row["kind"] == "absent"]
        self.absent = list({row["side"]: row for row in absent}.values())
        self.failed = [row for row in rows if row["kind"] in ("failed", "left out")]
        self.slices = [row for row in rows if row["kind"] == "slice"]
        self.of = collections.defaultdict(list)
        for row in self.slices:
            self.of[row["case"], row["side"], row["mode"]].append(row)

    def each(self, key):
        """What the runs say of `key`, each once."""
        return " and ".join(dict.fromkeys(str(run[key]) for run in self.runs))

    def columns(self, kind):
        """(side, mode), ours first."""
        return sorted({(row["side"], row["mode"]) for row in self.slices if row["case"].split()[0] == kind}, key=ORDER.index)

    def cases(self, kind):
        return list(dict.fromkeys(row["case"] for row in self.slices if row["case"].split()[0] == kind))

    def median(self, case, side, mode):
        """Milliseconds: the median over the rounds of their medians; None where it was not measured."""
        rows = undisturbed(self.of.get((case, side, mode), []))
        return statistics.median(row["median_ms"] for row in rows) if rows else None

    def least(self, case, side, mode):
        return min(row["least_ms"] for row in self.of[case, side, mode])

    def differs(self, case, side, mode):
        return any(not row["agrees"] for row in self.of.get((case, side, mode), []))

    def best(self, case, kind, wanted):
        times = [self.median(case, *column) for column in self.columns(kind) if wanted(*column)]
        return min((time for time in times if time is not None), default=None)


def ratios_of(results, case, kind):
    """Titles of columns, and how many times as long the others take; None where one of both is missing."""
    def ratio(theirs, ours):
        return theirs / ours if theirs and ours else None

    if kind in ("step", "optimizer"):
        ours = results.best(case, kind, lambda side, mode: side == "ours" and not mode.endswith("fp32"))
        theirs = results.best(case, kind, lambda side, mode: side != "ours")
        return {"best other / our best 16 bits": ratio(theirs, ours)}
    if kind in CONVOLUTIONS:
        return {f"torch / ours, {precision}": geometric_mean(
            ratio(results.median(case, "torch", mode), results.median(case, "ours", mode))
            for mode in CONVOLUTIONS[kind] if mode.endswith(precision)) for precision in PRECISIONS}
    found = {}
    for precision in PRECISIONS:
        ours = results.median(case, "ours", precision)
        theirs = results.best(case, kind, lambda side, mode: side == "torch" and mode.endswith(precision))
        found[f"torch / ours, {precision}"] = ratio(theirs, ours)
    return found


def cell(results, case, kind, column):
    time = results.median(case, *column)
    if time is None:
        return ""
    mark = " (!)" if results.differs(case, *column) else ""
    if kind in ("contraction", "convolution"):
        flops = results.of[(case, *column)][0]["flops"]
        return f"{flops / time / 1e6:.0f}{mark}"
    digits = 2 if time < 100 else 0
    if kind in CONVOLUTIONS:
        return f"{time:.{digits}f}{mark}"
    return f"{time:.{digits}f} ({results.least(case, *column):.{digits}f}){mark}"


def geometric_mean(values):
    values = [value for value in values if value]
    return math.exp(statistics.fmean(map(math.log, values))) if values else None


def show(ratio):
    return "" if ratio is None else f"{ratio:.2f}"


def compile_seconds(results, case):
    """How long our slowest program of the case took to be made; None where that was not measured."""
    return max((row["compile_s"] for row in results.slices if row["case"] == case and "compile_s" in row), default=None)


def table(results, kind):
    """Lines of Markdown; none where nothing of that kind was measured."""
    cases, columns = results.cases(kind), results.columns(kind)
    if not cases:
        return []
    ratios = {case: ratios_of(results, case, kind) for case in cases}
    titles = [title for title in ratios[cases[0]] if any(ratios[case][title] for case in cases)]
    compiled = {case: compile_seconds(results, case) for case in cases}
    tail = [COMPILED] if any(compiled.values()) else []
    head = [kind, *(" ".join(column) for column in columns), *titles, *tail]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for case in cases:
        cells = [case.split(" ", 1)[1], *(cell(results, case, kind, column) for column in columns)]
        cells += [*(show(ratios[case][title]) for title in titles), *(show(compiled[case]) for _ in tail)]
        lines.append("| " + " | ".join(cells) + " |")
    if len(cases) > 1 and titles:
        means = [show(geometric_mean(ratios[case][title] for case in cases)) for title in titles]
        lines.append("| " + " | ".join(["geometric mean", *("" for _ in columns), *means, *("" for _ in tail)]) + " |")
    return lines


def describe_priority(results):
    """What runs did to be undisturbed; empty where they did nothing."""
    found = dict.fromkeys(run.get("priority", "normal") for run in results.runs)
    return "" if list(found) == ["normal"] else f"Priority of the runs: {' and '.join(found)}. "


def describe_load(results):
    others = sorted(row["others"] for row in results.slices)
    if not others:
        return "Nothing was measured."
    return (
        f"Other processes used {statistics.median(others):.2f} of the machine's {results.run['cpus']} processors in the "
        f"median slice, {others[-1]:.2f} in the worst one."
        + ("" if statistics.median(others) <= QUIET else " **The machine was not quiet: read no ratio off these tables.**")
    )


def precisions(results):
    """What each column computes in, kind by kind."""
    lines = []
    for kind in TITLES:
        for side, mode in results.columns(kind):
            row = next(row for row in results.slices
                       if row["case"].split()[0] == kind and (row["side"], row["mode"]) == (side, mode))
            lines.append(f"| {kind} | {side} {mode} | {row['precision']} |")
    return ["| kind | column | computes in |", "|---|---|---|", *lines]


def failures(results):
    """The cases of each fault."""
    found = collections.defaultdict(list)
    for row in results.failed:
        found[row["side"], row["mode"], row["why"]].append(row["case"])
    return found


def titled(results, part):
    """What a section is of: a CPU, and a part of the rows that has a section of its own."""
    return results.run["cpu"] + (f": {part}" if part else "")


def section(results, part=""):
    run = results.run
    lines = [
        f"## {titled(results, part)}",
        "",
        f"{run['threads']} threads, {results.each('date')}, commit {results.each('commit')}; "
        f"{', '.join(results.versions)}; {results.each('rounds')} rounds. {describe_priority(results)}{describe_load(results)}",
        "",
    ]
    lines += [f"Not installed: {row['side']} ({row['why']})." for row in results.absent]
    lines += [""] if results.absent else []
    for kind, title in TITLES.items():
        if found := table(results, kind):
            lines += [f"### {title}", "", *found, ""]
    for (side, mode, why), where in failures(results).items():
        lines += [f"Not measured: {side} {mode}, in {', '.join(where)}: {why}.", ""]
    return [*lines, *precisions(results), ""]


HEAD = """# Beside PyTorch and jax

Written by `benchmarks/compare.py --page=docs/benchmarks.md`, which replaces the section of its CPU (with `--part`, of that part) and keeps the others;
`benchmarks/compare.py --help` says how it measures. A time is the median over the rounds of their medians, with the least of
all calls in brackets; rounds in which other processes used more than a quarter of a processor are left out where a third are not so; a ratio is their time divided by ours, so that above 1 we are ahead. GFLOP/s are by the median. "(!)": what
was computed differs from our result.

Convolutions have three products each (`forward`, and the gradients of `input` and `weight`) and PyTorch's images their channels last; `benchmarks/ops.py` compares
single ops. Models are those of [networks.py](../benchmarks/comparison/networks.py), whose sizes, precisions and optimizers stand in [cases.py](../benchmarks/comparison/cases.py); they
are compiled by `mpc-compile` from what `torch.export.save` wrote.
"""


def marks(title):
    return f"<!-- begin {title} -->", f"<!-- end {title} -->"


def update(path, results, part=""):
    """Puts a section into the page, in the place of the one of the same CPU and part."""
    path = pathlib.Path(path)
    old = path.read_text() if path.exists() else ""
    text = HEAD + ("\n" + old[old.index("<!-- begin "):] if "<!-- begin " in old else "")
    begin, end = marks(titled(results, part))
    new = "\n".join([begin, *section(results, part), end])
    if begin in text:
        before, rest = text.split(begin, 1)
        text = before + new + rest.split(end, 1)[1]
    else:
        text = text.rstrip("\n") + "\n\n" + new + "\n"
    path.write_text(text)
