# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of benchmarks/compare.py at tiny sizes: their first three losses are PyTorch's."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "benchmarks"))
from comparison import cases  # noqa: E402

HAS_ALL = all(importlib.util.find_spec(name) for name in ("torch", "torchvision", "transformers"))
# Of the mean of the losses: f32 sums have other orders.
TOLERANCE = 1e-4
# bf16 rounds elsewhere, and a batch norm of few pixels makes much of it: what is allowed beside PyTorch's own error.
TOLERANCE_BF16 = 0.01


@unittest.skipUnless(HAS_ALL, "torchvision or transformers are not here")
class ModelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "rows.jsonl"
            command = [sys.executable, "-B", ROOT / "benchmarks/compare.py", f"--build={os.environ['MPC_BUILD']}", "--small",
                       "--rounds=1", "--slice=0.01", f"--out={out}", f"--python={sys.executable}",
                       f"--torch-python={sys.executable}", "--only=model * ours *,model * torch eager *"]
            cls.done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
            rows = [json.loads(line) for line in out.read_text().splitlines()]
        cls.rows = {(row["case"], row["side"], row["mode"]): row for row in rows if row["kind"] == "slice"}

    def test_all_are_measured(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        columns = [("ours", "fp32"), ("ours", "bf16"), ("torch", "eager fp32"), ("torch", "eager bf16")]
        self.assertCountEqual(self.rows, [(f"model {name}", *column) for name in cases.MODELS for column in columns])
        self.assertEqual(len(cases.MODELS), 10)

    def check(self, name, *column):
        return self.rows[(f"model {name}", *column)]["check"]

    def test_losses_are_those_of_pytorch(self):
        for name in cases.MODELS:
            expected = self.check(name, "torch", "eager fp32")
            self.assertAlmostEqual(self.check(name, "ours", "fp32") / expected, 1, delta=TOLERANCE, msg=name)

    def test_bf16_is_as_near_as_pytorch_comes(self):
        for name in cases.MODELS:
            expected = self.check(name, "torch", "eager fp32")
            allowed = TOLERANCE_BF16 * expected + 2 * abs(self.check(name, "torch", "eager bf16") - expected)
            self.assertLess(abs(self.check(name, "ours", "bf16") - expected), allowed, name)

    def test_compile_times_are_told(self):
        for (_, side, _), row in self.rows.items():
            self.assertEqual("compile_s" in row, side == "ours")


if __name__ == "__main__":
    unittest.main()
