# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the losses of one run to those of another.

    python compare_losses.py A.csv B.csv TOLERANCE

Fails where a loss differs by more than TOLERANCE, or a run has skipped other steps.
"""
import csv
import sys

a, b = (list(csv.DictReader(open(path))) for path in sys.argv[1:3])
assert len(a) == len(b), f"{len(a)} and {len(b)} steps"
worst = max(abs(float(x["loss"]) - float(y["loss"])) for x, y in zip(a, b))
if not worst <= float(sys.argv[3]) or [x["skipped"] for x in a] != [y["skipped"] for y in b]:
    raise SystemExit(f"FAIL losses differ by up to {worst:.3g}")
print(f"ok {len(a)} losses, from {a[0]['loss']} to {a[-1]['loss']}, {worst:.3g} apart")
