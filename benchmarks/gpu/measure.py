#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the GPU at hand, and packed steps on it beside PyTorch's.

    python FOLDER/measure.py [FOLDER] [--out=measured.json] [--only=ROW,...] [--no-peer] [--budget=600] [--rounds=2]
        [--steps=20] [--limits=EARLIER.json] [--python=PYTHON]

FOLDER is what pack.py made; prove.py comes first. Rows: what the device gives (`limits ...`: bandwidth, launches, products
with cuBLAS beside, and what cost_model.py assumes, each by a loop that does nothing else); then each packed step, the most
important first: ours and torch.compile in turns, each round of each a process of its own, and where the time of ours goes
(`kernels ...`), beside the least that bytes and operations take at the limits, of this run or of --limits. A row is in the
file as soon as it has a number; one side's error leaves the other's rows. What would run past --budget is ended. Exit code
1 where a row has no number.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile

import batches
import launches
import models
import packed
from report import Failed, Report

LIMITS = ("copy", "launch", "products", "cublas", "mma", "wgmma", "lanes", "l2", "read_shared", "ex2", "convert_f16",
          "convert_bf16", "divide", "multiply_add")
# Modes of torch.compile: the one that everybody has, and the one that is made for such a step.
MODES = {"gpt2": ("default", "max-autotune")}
OTHER_MODES = ("default", "reduce-overhead")
TIMED_RUNS = 5  # Of each launch.


class Measurer:
    def __init__(self, pack, report, arguments):
        self.pack, self.report, self.arguments = pack, report, arguments
        self.environment = {**pack.environment, "MPC_TEXTS": str(pack.folder / "lib")}
        self.limits = {}
        if arguments.limits:
            for row in json.loads(arguments.limits.read_text())["rows"]:
                self.limits |= row.get("found", {})

    def peer(self, *flags):
        """What a process of PyTorch's tells."""
        out = self.report.run([self.arguments.python, "-B", self.pack.folder / "peers.py", *flags])
        try:
            return json.loads(out.splitlines()[-1])
        except (IndexError, ValueError):
            raise Failed(f"the peer printed no JSON: {out[-200:]}") from None

    # --- limits -----------------------------------------------------------------------------------

    def limit(self, name):
        if name == "cublas":
            sizes = self.limits.get("matmul_f16_tflop_s", {"4096": 0})
            found = self.peer("products", f"--sizes={','.join(sizes)}")
        else:
            small = ["--small"] if packed.is_fake() else []
            out = self.report.run([self.pack.program("device-limits"), name, *small], self.environment)
            found = json.loads(out)
        self.limits |= found
        return {"found": found}

    # --- steps ------------------------------------------------------------------------------------

    def ours(self, step, data, **environment):
        out = self.report.run(
            [self.pack.program("mpc-run"), self.pack.folder / "steps" / step["program"], "--target=cuda",
             f"--data={data}", f"--steps={self.arguments.steps}", "--order=sequential", "--lr=1e-4", "--json"],
            self.environment | environment,
        )
        return {"ms": json.loads(out)["step_ms_median"]}

    def theirs(self, step, data, mode):
        return self.peer("step", f"--model={step['model']}", f"--changes={json.dumps(step['changes'])}",
                         f"--precision={step['precision']}", f"--mode={mode}", f"--batch={data}",
                         f"--steps={self.arguments.steps}")

    def kernels(self, step, data):
        program = self.pack.folder / "steps" / step["program"]
        told = self.report.run([self.pack.program("mpc-inspect"), program, f"--cpu=cuda:{self.pack.content['arch']}",
                                "--json"], self.environment)
        times = self.report.run([self.pack.program("kernel-times"), program, data, str(TIMED_RUNS)], self.environment)
        return launches.tell(json.loads(told), json.loads(times), self.limits)

    def sides(self, step):
        """Names and work of those that take turns."""
        name = f"step {step['model']} {step['precision']}"
        yield f"{name} ours", lambda data: self.ours(step, data)
        if step["precision"] != "fp32" and step["model"] != "optimizer":
            yield f"{name} ours without cuBLASLt", lambda data: self.ours(step, data, MPC_CUBLASLT="off")
        if not self.arguments.no_peer:
            for mode in MODES.get(step["model"], OTHER_MODES):
                yield f"{name} torch {mode}", lambda data, mode=mode: self.theirs(step, data, mode)

    def round(self, row, number, work):
        """One more round; a side that failed runs no more, and what has a number needs no time that is not there."""
        if "errors" in row or (number > 0 and "error" in row) or ("rounds_ms" in row and self.report.left <= 0):
            return

        def measure():
            try:
                found = work()
            except Failed as error:
                if "rounds_ms" not in row:
                    raise
                return {"errors": [f"round {number + 1}: {error.args[0]}"]}
            rounds = [*row.get("rounds_ms", []), found["ms"]]
            return found | {"ms": statistics.median(rounds), "rounds_ms": rounds}

        self.report.fill(row, measure)

    def step(self, step, is_wanted):
        sides = [(name, work) for name, work in self.sides(step) if is_wanted(name)]
        kernels = f"kernels {step['model']} {step['precision']}"
        if not sides and not is_wanted(kernels):
            return
        with tempfile.TemporaryDirectory() as scratch:
            data = pathlib.Path(scratch) / "batch.safetensors"
            batches.write_safetensors(data, batches.draw_batch(models.sizes(step["model"], **step["changes"])))
            rows = [(self.report.begin(name), work) for name, work in sides]
            for number in range(self.arguments.rounds):
                for row, work in rows:
                    self.round(row, number, lambda: work(data))
            for row, _ in rows:
                show(row, rows[0][0])
            if is_wanted(kernels):
                show_kernels(self.report.add(kernels, lambda: self.kernels(step, data)))


def show(row, ours):
    if "error" in row:
        print(f"FAIL {row['row']}: {row['error']}", flush=True)
        return
    beside = f"  {row['ms'] / ours['ms']:.2f} times ours" if row is not ours and "ms" in ours else ""
    print(f"     {row['row']}: {row['ms']:.3f} ms{beside}", flush=True)
    for error in row.get("errors", []):
        print(f"FAIL {row['row']}: {error}", flush=True)


def show_kernels(row):
    if "error" in row:
        return show(row, row)
    print(f"     {row['row']}: {row['ms']:.3f} ms of {row['launches']} launches")
    for part in row["classes"]:
        print(f"{part['ms']:12.3f} ms, floor {part['floor_ms']:9.3f}  {part['class']} ({part['launches']})")
    for launch in row["largest"]:
        floor = f"{launch['floor_ms']:9.3f}" if launch["floor_ms"] is not None else "  unknown"
        print(f"{launch['ms']:20.3f} ms, floor {floor}  {launch['symbol']}")


def show_limit(row):
    if "error" in row:
        return show(row, row)
    parts = (f"{name} {json.dumps(value)}" for name, value in row["found"].items())
    print(f"     {row['row']}: {', '.join(parts)}", flush=True)


def measure(measurer, is_wanted, no_peer):
    names = ["device", *LIMITS]
    # The instruction is of this architecture alone, and cuBLAS is a peer.
    if measurer.pack.content["arch"] != "sm_90":
        names.remove("wgmma")
    if no_peer:
        names.remove("cublas")
    for name in names:
        if is_wanted(f"limits {name}"):
            show_limit(measurer.report.add(f"limits {name}", lambda: measurer.limit(name)))
    for step in measurer.pack.content["steps"]:
        measurer.step(step, is_wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    packed.add_flags(parser, "measured.json")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has PyTorch")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--limits", type=pathlib.Path, help="what an earlier run found of the device")
    arguments = parser.parse_args()
    pack = packed.Packed(arguments.folder)
    if packed.is_fake():
        print("no GPU: this is the test driver, and its times mean nothing")
    report = Report(arguments.out, arguments.budget, pack.facts())
    patterns = [pattern for pattern in arguments.only.split(",") if pattern]
    measure(Measurer(pack, report, arguments), lambda name: packed.is_wanted(name, patterns), arguments.no_peer)
    if not report.rows:
        sys.exit(f"measure.py: error: no row is called {arguments.only}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
