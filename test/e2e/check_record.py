# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds a recorded trace and its replay against the metrics of the run.

    python check_record.py TRACE.json REPLAYED.json METRICS.csv
"""
import csv
import json
import sys

entries = json.load(open(sys.argv[1]))["steps"]
lines = [json.loads(line) for line in open(sys.argv[2])]
rows = list(csv.DictReader(open(sys.argv[3])))
assert len(entries) == len(lines)

# The scale in force in each entry is what the entry before it left, in the replay.
scale, tries = None, {}
for entry, line in zip(entries, lines):
    if entry["action"] == "step":
        assert scale in (None, entry["scale_before"]), (entry, scale)
        assert line["scale"] == entry["scale_after"], (entry, line)
        assert line["applied"] == entry["applied"], (entry, line)
        tries.setdefault(entry["step"], []).append(entry)
    scale = line["scale"]

assert list(tries) == [int(row["step"]) for row in rows]
for row in rows:
    # A row is about the last try of its step.
    last = tries[int(row["step"])][-1]
    assert float(row["scale"]) == last["scale_before"], (row, last)
    assert int(row["skipped"]) == (not last["applied"]), (row, last)
skipped = sum(int(row["skipped"]) for row in rows)
assert 0 < skipped < len(rows) and len({row["scale"] for row in rows}) > 1
more = sum(map(len, tries.values())) - len(rows)
print(f"{len(rows)} steps, {skipped} skipped: as replayed" + (f", {more} tries more" if more else ""))
