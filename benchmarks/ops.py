#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single ops of common models beside PyTorch's, forward alone and with their gradients ("both"), in fp32 and bf16.

PyTorch runs its own call: forward under no_grad, or forward and torch.autograd.grad. Ours is a program of the same call as
torch.export has it, which takes the cotangent as an input. What is measured of it is the program's run by a runner with its
inputs where they are, and no call of a module: wrap() and step() add some 0.1 ms to a whole step, not to each op. Gradients lie
as their inputs do on both sides. Each side is a process of its own, all sides take turns, and results are compared element by
element.

  benchmarks/ops.py --build=build                     all, in about ten minutes
  benchmarks/ops.py --list                            the names of all rows
  benchmarks/ops.py --only=topk,'max_pool* both *'    some of them
  benchmarks/ops.py --json=out/ops.json               the table as JSON, too
  benchmarks/ops.py --from=out/ops.jsonl              the table again, of what was measured

A cell is the time of ours, that of PyTorch and the first by the second: medians over the rounds of their medians. "!": what was
computed differs.
"""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
from comparison import ops, page, rounds  # noqa: E402

# What no op's ratio should be above.
MOST = 1.2


def judge(case, opened):
    """Whether PyTorch has computed what ours has."""
    for (side, mode), answer in opened.items():
        ours = opened.get(("ours", mode), answer)
        answer["agrees"] = side == "ours" or ops.are_same(case, mode, [ours["check"], answer["check"]])


def ratio(results, case, mode):
    """Our time by PyTorch's; None where one of both is missing."""
    ours, theirs = (results.median(case, side, mode) for side in ("ours", "torch"))
    return ours / theirs if ours and theirs else None


def cell(results, case, mode):
    found = ratio(results, case, mode)
    if found is None:
        return ""
    ours, theirs = (results.median(case, side, mode) for side in ("ours", "torch"))
    return f"{ours:.3f} / {theirs:.3f} {found:.2f}" + ("!" if results.differs(case, "torch", mode) else "")


def modes_of(results):
    """Those that were measured, in the order of all."""
    found = {row["mode"] for row in results.slices}
    return [mode for mode in ops.MODES["ours"]["op"] if mode in found]


def names_of(results):
    return list(dict.fromkeys(row["case"] for row in results.slices))


def show(rows, case, modes):
    """A line for who waits."""
    results = page.Results(rows)
    found = list(dict.fromkeys(mode for _, mode in modes))
    print(f"{case['name']}: " + ", ".join(f"{mode} {cell(results, case['name'], mode) or '-'}" for mode in found), flush=True)


def table(results):
    modes, names = modes_of(results), names_of(results)
    width = max(map(len, names), default=0)
    lines = [f"{'ms':{width}}" + "".join(f"{mode:>26}" for mode in modes)]
    lines += [f"{name:{width}}" + "".join(f"{cell(results, name, mode):>26}" for mode in modes) for name in names]
    means = [page.geometric_mean(ratio(results, name, mode) for name in names) for mode in modes]
    return [*lines, f"{'geometric mean':{width}}" + "".join(f"{page.show(mean):>26}" for mean in means)]


def slow(results):
    """The rows above what is meant, the worst first."""
    found = [(ratio(results, name, mode), f"{name} {mode}") for name in names_of(results) for mode in modes_of(results)]
    return sorted(((value, name) for value, name in found if value and value > MOST), reverse=True)


def text(results):
    run = results.run
    above = slow(results)
    lines = [f"{run['cpu']}, {run['threads']} threads, {results.each('date')}, commit {results.each('commit')}; "
             f"{', '.join(results.versions)}; {results.each('rounds')} rounds. {page.describe_load(results)}", "",
             *table(results), "", f"Above {MOST:g} of PyTorch's time: {len(above)} rows."]
    lines += [f"  {value:.2f} {name}" for value, name in above]
    lines += [f"Not installed: {row['side']} ({row['why']})." for row in results.absent]
    return lines + [f"Not measured: {side} {mode}, in {', '.join(where)}: {why}."
                    for (side, mode, why), where in page.failures(results).items()]


def entry(results, name, mode):
    return {"op": name, "mode": mode, "ratio": ratio(results, name, mode), "agrees": not results.differs(name, "torch", mode),
            **{f"{side}_ms": results.median(name, side, mode) for side in ("ours", "torch")}}


def entries(results):
    return [entry(results, name, mode) for name in names_of(results) for mode in modes_of(results)
            if results.median(name, "ours", mode)]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    rounds.add_flags(parser, 0.1, "out/ops.jsonl")
    parser.add_argument("--json", type=pathlib.Path, help="write the table into this file as JSON, too")
    return parser.parse_args()


def main():
    arguments = parse()
    every_case = ops.all_cases(arguments.small)
    if arguments.list:
        return rounds.list_rows(arguments, every_case, ops.MODES)
    if arguments.given:
        rows = rounds.read_rows(arguments.given)
    else:
        pythons = dict.fromkeys(("ours", "torch"), arguments.torch_python)  # Ours exports by torch.
        rows = rounds.measure(arguments, every_case, ops.MODES, schema="mpc-ops/1", pythons=pythons, judge=judge, show=show)
    results = page.Results(rows)
    print("\n" + "\n".join(text(results)))
    if arguments.json:
        arguments.json.write_text(json.dumps({"run": results.run, "ops": entries(results)}, indent=1) + "\n")
    return int(not results.slices)


if __name__ == "__main__":
    sys.exit(main())
