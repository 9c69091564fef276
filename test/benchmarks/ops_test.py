#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/ops.py without PyTorch: its list, its table, and how results are compared.

The whole of it is in test/lib/Python/pytorch/ops_table_test.py.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from comparison import ops  # noqa: E402


def run(*flags):
    command = [sys.executable, "-B", ROOT / "benchmarks/ops.py", *flags]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def row(side, mode, median, agrees=True):
    return {"kind": "slice", "case": "relu", "side": side, "mode": mode, "round": 0, "median_ms": median, "others": 0,
            "least_ms": median, "calls": 1, "flops": 0, "precision": "fp32", "agrees": agrees}


class OpsTest(unittest.TestCase):
    def test_list_has_the_names_that_only_takes(self):
        every = run("--list").stdout.splitlines()
        self.assertEqual(len(every), len(set(every)))
        self.assertGreater(len({case["name"] for case in ops.all_cases()}), 60)
        listed = run("--list", "--only=argmax ours").stdout.splitlines()
        self.assertEqual(listed, ["argmax ours forward fp32", "argmax ours forward bf16"])
        self.assertTrue(set(listed) < set(every))

    def test_ratios_are_ours_by_theirs_and_the_worst_are_named(self):
        head = {"kind": "run", "cpu": "a", "threads": 2, "cpus": 2, "date": "today", "commit": "c", "rounds": 1}
        rows = [head, row("ours", "forward fp32", 3), row("torch", "forward fp32", 2),
                row("ours", "both fp32", 1), row("torch", "both fp32", 4, agrees=False)]
        with tempfile.TemporaryDirectory() as folder:
            given, table = (pathlib.Path(folder) / name for name in ("rows.jsonl", "table.json"))
            given.write_text("\n".join(map(json.dumps, rows)))
            text = run(f"--from={given}", f"--json={table}").stdout
            found = json.loads(table.read_text())["ops"]
        self.assertRegex(text, r"relu +3\.000 / 2\.000 1\.50 +1\.000 / 4\.000 0\.25!")
        self.assertIn("Above 1.2 of PyTorch's time: 1 rows.\n  1.50 relu forward fp32\n", text)
        self.assertEqual([(one["mode"], one["ratio"], one["agrees"]) for one in found],
                         [("forward fp32", 1.5, True), ("both fp32", 0.25, False)])

    def test_results_that_differ_in_places_are_not_the_same(self):
        given = np.random.default_rng(1).standard_normal(1000)
        self.assertEqual(ops.differing(given, given * (1 + 1e-4), 1e-3), 0)
        self.assertGreater(ops.differing(given, given[::-1], 1e-3), 0.9)
        infinite = np.array([np.inf, 1.0])
        self.assertEqual(ops.differing(infinite, infinite, 1e-3), 0)


if __name__ == "__main__":
    unittest.main()
