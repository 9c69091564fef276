# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/ops.py at tiny sizes: what both sides compute is compared, and each row is measured."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
# A map, a free choice, a sum of several axes, a search, positions, integers beside floats.
WANTED = ["mish", "sort", "roll", "batch_norm", "argmax", "max_pool2d 2x2", "index_select"]


class OpsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            out, table = (pathlib.Path(folder) / name for name in ("ops.jsonl", "ops.json"))
            command = [sys.executable, "-B", ROOT / "benchmarks/ops.py", f"--build={os.environ['MPC_BUILD']}", "--small",
                       "--rounds=1", "--slice=0.01", f"--out={out}", f"--json={table}",
                       f"--torch-python={sys.executable}", "--only=" + ",".join(f"{name} *" for name in WANTED)]
            cls.done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
            cls.ops = json.loads(table.read_text())["ops"] if table.exists() else []

    def test_each_row_is_measured(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        both = [f"both {precision}" for precision in ("fp32", "bf16")]
        forward = [mode.replace("both", "forward") for mode in both]
        found = [(one["op"], one["mode"]) for one in self.ops if one["ours_ms"] and one["torch_ms"]]
        wanted = [(name, mode) for name in WANTED for mode in (forward if name == "argmax" else forward + both)]
        self.assertCountEqual(found, [*wanted, *(("argmax of channels", mode) for mode in forward)])

    def test_both_sides_compute_the_same(self):
        self.assertEqual([one for one in self.ops if not one["agrees"]], [])


if __name__ == "__main__":
    unittest.main()
