#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs a small step and times it on the test driver: that the way to a GPU machine is whole, not how fast it is.

    python steps_test.py BUILD
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve()
SCRIPTS = HERE.parents[3] / "benchmarks/gpu"
BUILD = pathlib.Path(sys.argv.pop()).resolve()


def run(script, *arguments):
    return subprocess.run([sys.executable, "-B", script, *arguments], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, "MPC_CACHE_DIR": ""})


class Steps(unittest.TestCase):
    def test_a_packed_folder_is_timed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "packed"
            packed = run(SCRIPTS / "pack.py", BUILD, folder, "--small", "--models=optimizer", "--precisions=fp16",
                         "--parts=steps")
            self.assertEqual(packed.returncode, 0, packed.stdout)
            self.assertIn(" MiB", packed.stdout)
            out = pathlib.Path(name) / "results.json"
            timed = run(folder / "steps.py", folder, f"--out={out}", "--rounds=2", "--steps=2")
            self.assertEqual(timed.returncode, 0, timed.stdout)
            self.assertIn("no GPU: this is the test driver, and its times mean nothing", timed.stdout)
            report = json.loads(out.read_text())
            self.assertGreater(report["ceilings"]["copy_gb_s"], 0)
            (step,) = report["steps"]
            self.assertEqual((step["model"], step["precision"]), ("optimizer", "fp16"))
            self.assertEqual(len(step["rounds_ms"]), 2)
            self.assertGreater(step["ms"], 0)
            self.expect_kernels(step["kernels"], timed.stdout)

    def expect_kernels(self, kernels, text):
        """The test driver's clock moves on by the same at each launch and event."""
        classes = {row["class"]: row for row in kernels["classes"]}
        self.assertLessEqual({"optimizer", "products, others", "rows"}, set(classes))
        launches = sum(row["launches"] for row in classes.values())
        each = {launch["ms"] for launch in kernels["largest"]}
        self.assertEqual(len(each), 1)
        self.assertAlmostEqual(sum(row["ms"] for row in classes.values()), launches * each.pop(), 5)
        self.assertEqual(len(kernels["largest"]), min(10, launches))
        self.assertTrue(all(0 < launch["floor_ms"] < 1 for launch in kernels["largest"]))
        self.assertIn("optimizer (", text)

    def test_a_step_that_fails_is_told_with_the_others(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "packed"
            run(SCRIPTS / "pack.py", BUILD, folder, "--small", "--models=optimizer", "--precisions=bf16", "--parts=steps")
            program = folder / "steps/optimizer-bf16.mpc"
            program.write_bytes(program.read_bytes()[:1000])
            timed = run(folder / "steps.py", folder, f"--out={name}/results.json", "--rounds=1", "--steps=1")
            self.assertEqual(timed.returncode, 1, timed.stdout)
            self.assertIn("optimizer bf16: mpc-run: error: ", timed.stdout)


if __name__ == "__main__":
    unittest.main()
