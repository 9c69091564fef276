#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves on the GPU at hand that packed kernels compute what they should. To be run before anything is measured.

    python FOLDER/prove.py [FOLDER] [--out=proof.json] [--only=ROW,...] [--budget=600]

FOLDER is what pack.py made. Rows, in this order: the device and the driver layer; every kernel of small, ragged and wide
programs on small integers against the emulator's recorded answers, bit for bit; recorded trainings against PyTorch's
losses, skips and scales; a step twice; every kernel at full size against plain loops on the same GPU. A row says what
was compared and names each kernel that failed, its first element that differs, what was expected and what was there.
Exit code 1 where a row failed, or there was no time for it.
"""
import argparse
import csv
import json
import lzma
import pathlib
import re
import sys
import tempfile

import batches
import models
import packed
from report import Failed, Report, last_line

SHOWN = 5  # Failures of a row that are printed; the file has all.
TWICE = 3  # Steps of a run that is made twice.


class Prover:
    def __init__(self, pack, report):
        self.pack, self.report = pack, report

    def process(self, *arguments):
        """What prove-kernels found; its exit code 1 is that some kernel failed."""
        code, out, err = self.report.call([self.pack.program("prove-kernels"), *arguments], self.pack.environment)
        if code not in (0, 1) or not out.strip():
            raise Failed(last_line(err))
        return json.loads(out)

    def kernels(self, mode, program, other):
        """All kernels: one that loses the device to its process leaves the others to the next."""
        found = self.process(mode, program, other)
        lost = found.pop("stopped", False)
        while lost:
            more = self.process(mode, program, other, found["failures"][-1]["kernel"])
            lost = more.pop("stopped", False)
            for work, count in more["kernels"].items():
                found["kernels"][work] = found["kernels"].get(work, 0) + count
            found["elements"] += more["elements"]
            found["failures"] += more["failures"]
            found["unproven"] += more["unproven"]
        if found["failures"]:
            raise Failed(f"{len(found['failures'])} failures: {sentence(found['failures'][0])}", found)
        if not found["kernels"]:
            raise Failed("no kernel was run")
        return found

    def device(self):
        """The driver layer and the emulator's faith, by the test that is made for it."""
        folder = self.pack.folder
        code, out, err = self.report.call(
            [self.pack.program("MpcCUDADeviceTest"), f"--texts={folder / 'lib'}", f"--answers={folder / 'device'}"],
            {**self.pack.environment, "MPC_TEST_CUDA": "1"},
        )
        told = re.search(r"\[  PASSED  \] (\d+) tests", out)
        failed = sorted(set(re.findall(r"\[  FAILED  \] (\w+\.\w+)", out)))
        details = [line[:300] for line in out.splitlines() if re.search(r"Failure$|on the GPU|fitting models", line)]
        if code != 0 or failed or not told:
            differing = next((line for line in out.splitlines() if " on the GPU" in line), "")
            raise Failed(f"{', '.join(failed) or last_line(err)} {differing.strip()[:200]}", {"details": details})
        models_of_products = re.findall(r"^(\w+, spread \d): fitting models: (.*)$", out, re.M)
        return {"what": f"{told[1]} tests", "fitting_models": dict(models_of_products)}

    def answers(self, proof):
        """Against the emulator."""
        with tempfile.TemporaryDirectory() as folder:
            answers = pathlib.Path(folder) / "answers.safetensors"
            packed_answers = self.pack.folder / "proofs" / f"{proof['name']}.answers.xz"
            answers.write_bytes(lzma.decompress(packed_answers.read_bytes()))
            return self.kernels("check", self.pack.folder / "proofs" / f"{proof['name']}.mpc", answers)

    def train(self, training):
        """A recorded run, of which PyTorch's losses, skips and scales are known."""
        folder = self.pack.folder / "trainings"
        with tempfile.TemporaryDirectory() as scratch:
            metrics = pathlib.Path(scratch) / "metrics.csv"
            self.report.run(
                [self.pack.program("mpc-run"), folder / training["program"], "--target=cuda", "--order=sequential",
                 f"--data={folder / training['data']}", f"--lr={training['lr']}", f"--steps={training['steps']}",
                 f"--metrics={metrics}"],
                self.pack.environment,
            )
            code, out, err = self.report.call(
                [sys.executable, "-B", folder / "e2e/check_training.py", folder / training["reference"],
                 training["kind"], metrics, f"--steps={training['steps']}"],
            )
        checks = out.splitlines()
        if code != 0:
            failed = [line for line in checks if line.startswith("FAIL")]
            raise Failed(failed[0] if failed else last_line(err), {"checks": checks})
        return {"what": f"{training['steps']} steps, {sum(line.startswith('ok') for line in checks)} checks hold",
                "checks": checks}

    def twice(self, step):
        """The same steps again: each loss and norm has the same bits."""
        with tempfile.TemporaryDirectory() as scratch:
            data = pathlib.Path(scratch) / "batch.safetensors"
            batches.write_safetensors(data, batches.draw_batch(models.sizes(step["model"], **step["changes"])))
            runs = [self.numbers(step, data, pathlib.Path(scratch) / f"{time}.csv") for time in range(2)]
        for first, second in zip(*runs, strict=True):
            if first != second:
                raise Failed(f"step {first['step']} is {first} and then {second}")
        return {"what": f"{len(runs[0])} steps, loss {runs[0][-1]['loss']}"}

    def numbers(self, step, data, metrics):
        self.report.run(
            [self.pack.program("mpc-run"), self.pack.folder / "steps" / step["program"], "--target=cuda",
             "--order=sequential", f"--data={data}", f"--steps={TWICE}", f"--metrics={metrics}"], self.pack.environment,
        )
        with open(metrics, newline="") as file:
            return [{name: row[name] for name in ("step", "loss", "grad_norm", "scale")} for row in csv.DictReader(file)]

    def plain(self, step):
        """At full size, against plain loops."""
        steps = self.pack.folder / "steps"
        return self.kernels("compare", steps / step["program"], steps / step["plain"])


def sentence(failure):
    if "error" in failure:
        return f"{failure['kernel']}: {failure['error']}"
    return (f"{failure['kernel']}: element {failure['element']} of argument {failure['argument']} ({failure['type']}) is "
            f"{failure['got']}, expected {failure['expected']}; {failure['differing']} differ in {failure['where']}")


def show(row):
    if "error" in row and not row.get("failures"):
        print(f"FAIL {row['row']}: {row['error']}", flush=True)
        return
    counts = ", ".join(f"{count} {work}" for work, count in row.get("kernels", {}).items())
    print(f"{'FAIL' if row.get('failures') else 'ok  '} {row['row']}: {counts or row.get('what', '')}", flush=True)
    for failure in row.get("failures", [])[:SHOWN]:
        print(f"     {sentence(failure)}")


def rows_of(prover):
    """Names of all rows, and the work of each."""
    content = prover.pack.content
    if content["device"]:
        yield "device", prover.device
    for proof in content["proofs"]:
        yield f"kernels {proof['name']}", lambda proof=proof: prover.answers(proof)
    for training in content["trainings"]:
        yield f"training {training['name']}", lambda training=training: prover.train(training)
    for step in content["steps"]:
        yield f"twice {step['model']} {step['precision']}", lambda step=step: prover.twice(step)
    for step in content["steps"]:
        name = f"full size {step['model']} {step['precision']}"
        yield name, lambda step=step: prover.plain(step)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments = packed.add_flags(parser, "proof.json").parse_args()
    pack = packed.Packed(arguments.folder)
    report = Report(arguments.out, arguments.budget, pack.facts())
    patterns = [pattern for pattern in arguments.only.split(",") if pattern]
    for name, work in rows_of(Prover(pack, report)):
        if packed.is_wanted(name, patterns):
            show(report.add(name, work))
    if not report.rows:
        sys.exit(f"prove.py: error: no row is called {arguments.only}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
