# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds check_training.py runs that are as recorded but for one fault.

    python check_training_test.py INPUTS FOLDER

INPUTS is test/Inputs. What passes is a recorded run as if it were ours; FOLDER gets the files.
"""
import contextlib
import csv
import io
import pathlib
import sys
from unittest import mock

import check_training
import numpy as np
from check_training import Reference, scale_trace
from safetensors.numpy import save_file


class Run:
    """The recorded run of a workload, in the files that mpc-train writes."""

    def __init__(self, reference):
        self.reference = reference
        self.skipped = np.array(reference.skips(), dtype=float)
        self.loss = np.array(reference.get("loss"), dtype=float)
        self.norms = np.array(reference.get("final_norm"), dtype=float)

    def write(self, folder):
        steps, scaler = self.reference.steps, self.reference.scaler
        scales, counts = scale_trace(scaler, self.skipped)
        columns = {
            "step": range(steps), "loss": self.loss, "lr": [self.reference.config["lr"]] * steps,
            "scale": scales, "good_steps": counts, "skipped": self.skipped,
            "grad_norm": np.where(self.skipped, np.inf, self.recorded_norms()),
        }  # fmt: skip
        with open(folder / "metrics.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values()))
        weights = {n: np.array([x], np.float64) for n, x in zip(self.reference.norm_names, self.norms)}
        save_file(weights, folder / "weights.safetensors")

    def recorded_norms(self):
        name = f"gnorm.{self.reference.kind}"
        norms = self.reference.tensors.get(name, np.ones(self.reference.steps))
        return np.where(np.isfinite(norms), norms, 1.0)


def as_recorded(run):
    pass


def skips_everywhere(run):
    run.skipped[2::2] = 1
    run.loss[4:] = 1e6


def moved_skip(steps):
    def move(run):
        first = np.flatnonzero(run.skipped)[-1]
        run.skipped[first], run.skipped[first - steps] = 0, 1

    return move


def lost_skip(run):
    run.skipped[np.flatnonzero(run.skipped)[0]] = 0


def added_skip(run):
    run.skipped[10] = 1


def loss_after_skip(run):
    run.loss[-2] += 0.03


def loss_after_moved_skip(run):
    moved_skip(1)(run)
    run.loss[-2] += 0.3


def not_a_number(run):
    run.loss[-1] = np.nan


def norm(run):
    run.norms[0] *= 1.01


def norm_after_moved_skip(run):
    moved_skip(1)(run)
    run.norms[0] *= 1.05


# What is planted, and what then has to fail; None for nothing.
FAULTS = [
    (as_recorded, None),
    (moved_skip(1), None),
    (moved_skip(2), "a skip moved by"),
    (skips_everywhere, "a skip moved by"),
    (skips_everywhere, "loss after a skip that moved"),
    (lost_skip, "a skip moved by"),
    (added_skip, "a skip moved by"),
    (loss_after_skip, "loss with the same skips"),
    (loss_after_moved_skip, "loss after a skip that moved"),
    (not_a_number, "loss with the same skips"),
    (norm, "final norms"),
    (norm_after_moved_skip, "final norms"),
]


def outcome(reference_path, kind, folder):
    """Exit status and output of check_training.py."""
    files = [str(folder / "metrics.csv"), str(folder / "weights.safetensors")]
    output = io.StringIO()
    with mock.patch.object(sys, "argv", ["check_training.py", str(reference_path), kind, *files]):
        with contextlib.redirect_stdout(output):
            try:
                check_training.main()
            except SystemExit as exit_:
                return exit_.code, output.getvalue()
    return 0, output.getvalue()


def main():
    inputs, folder = (pathlib.Path(a) for a in sys.argv[1:])
    path = inputs / "training/digits-cnn.safetensors"
    for kind in ("fp16", "fp16hi"):
        for plant, failing in FAULTS:
            run = Run(Reference(path, kind))
            plant(run)
            run.write(folder)
            status, text = outcome(path, kind, folder)
            assert (status == 0) == (failing is None), f"{kind} {plant.__name__}: exit {status}\n{text}"
            assert failing is None or f"FAIL {failing}" in text, f"{kind} {plant.__name__}:\n{text}"
    print(f"{2 * len(FAULTS)} runs judged rightly")


main()
