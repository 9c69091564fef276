# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what an evaluation over a file tells of each loss against float64 NumPy.

    python evaluate_losses.py FOLDER

The cases and formulas are those of losses.py, taken of all samples of a file as of one batch: two
whole batches and one sample more. The model is the identity.
"""
import csv
import pathlib
import subprocess
import sys

import numpy as np
from safetensors.numpy import save_file

from losses import LOSS_TOLERANCE, MODEL, element_cases, error, label_cases, label_loss, probability_cases, target_of


def evaluate(folder, flags, shape, train, held):
    (folder / "model.mlir").write_text(MODEL.format(shape="x".join(map(str, shape)), count=int(np.prod(shape))))
    for name, (x, target) in (("train", train), ("held", held)):
        save_file({"x": x, "target": target}, folder / f"{name}.safetensors")
    command = ["mpc-train", folder / "model.mlir", f"--data={folder / 'train.safetensors'}", *flags.split()]
    command += [f"--eval-data={folder / 'held.safetensors'}", f"--metrics={folder / 'metrics.csv'}"]
    done = subprocess.run([*command, "--optimizer=sgd", "--lr=0", "--steps=1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (row,) = csv.DictReader(open(folder / "metrics.csv"))
    return {name: float(value) for name, value in row.items() if name.startswith("eval_")}


def ignored_by(flags):
    return next((int(flag.split("=")[1]) for flag in flags.split() if flag.startswith("--ignore-index=")), -100)


def expected(flags, kind, loss, y, target):
    values = {"eval_loss": np.float64(loss(y, target))}
    if "=bce" in flags:
        values["eval_accuracy"] = ((y > 0) == (target > 0.5)).mean()
    if target.dtype != np.int64:
        return values
    counted = target != ignored_by(flags)
    with np.errstate(invalid="ignore"):
        values["eval_accuracy"] = np.float64((y.argmax(1) == target)[counted].sum()) / counted.sum()
    likelihood = label_loss(y, target, "=cross_entropy" in flags, ignore=ignored_by(flags))
    values["eval_perplexity"] = np.exp(likelihood)
    return values


def faults_of(found, wanted):
    if found.keys() != wanted.keys():
        return [f"has {sorted(found)}, expected {sorted(wanted)}"]
    off = lambda a, b: np.isnan(a) != np.isnan(b) or (not np.isnan(b) and error(a, b) > LOSS_TOLERANCE)
    return [f"{name} {found[name]}, expected {wanted[name]}" for name in wanted if off(found[name], wanted[name])]


def main(folder):
    folder, rng, count, faults = pathlib.Path(folder), np.random.default_rng(6), 0, 0
    for flags, shape, kind, loss in [*label_cases(), *probability_cases(), *element_cases()]:
        if len(shape) > 2 and "sum" in flags:
            continue
        data = []
        for rows, what in ((shape[0], kind.replace("ignored", "counted")), (2 * shape[0] + 1, kind)):
            drawn = (rows, *shape[1:])
            data.append((rng.normal(size=drawn).astype(np.float32) * 2, target_of(drawn, what, rng)))
        x, target = data[1]
        found = evaluate(folder, flags, shape, *data)
        what = faults_of(found, expected(flags, kind, loss, x.astype(np.float64), target))
        count, faults = count + 1, faults + bool(what)
        for text in what:
            print(f"FAIL {flags} on {shape}, {kind}: {text}")
    print(f"{count} losses, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
