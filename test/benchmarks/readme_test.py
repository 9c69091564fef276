#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""README's table of models is that of docs/benchmarks.md."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from comparison import page, readme  # noqa: E402

PAGE = f"""# Beside PyTorch and jax

## A processor

### {page.TITLES['model']}

| model | ours fp32 | ours bf16 | torch eager fp32 | torch eager bf16 | torch compile fp32 | torch / ours, fp32 | {page.COMPILED} |
|---|---|---|---|---|---|---|---|
| one | 110 (100) | 55.00 (50.00) | 120 (119) | 70.00 (69.00) (!) | 115 (90) | 1.05 | 1.25 |
| two | 10.00 (9.00) | 5.00 (4.00) |  | 7.00 (6.00) |  |  | 0.50 |
| geometric mean |  |  |  |  |  | 1.05 |  |

### Attention
"""


class ReadmeTest(unittest.TestCase):
    def test_cells_are_medians_beside_the_best_of_pytorch(self):
        self.assertEqual(readme.table(PAGE)[2:], [
            "| one | 110 / 115 | 55.00 / 70.00 (!) | 1.25 |", "| two | 10.00 /  | 5.00 / 7.00 | 0.50 |",
            "| geometric mean, theirs / ours | 1.05 |  | |"])

    def test_what_stands_around_the_table_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            given, written = (pathlib.Path(folder) / name for name in ("page.md", "readme.md"))
            given.write_text(PAGE)
            written.write_text(f"before\n{readme.BEGIN}\nold\n{readme.END}\nbehind\n")
            readme.update(written, given)
            text = written.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("\nbehind\n"))
        self.assertIn("| one | 110 / 115 |", text)
        self.assertNotIn("old", text)

    def test_readme_has_the_table_of_the_page(self):
        text = (ROOT / "README.md").read_text()
        found = text.split(readme.BEGIN, 1)[1].split(readme.END, 1)[0].strip().splitlines()
        self.assertEqual(found, readme.table((ROOT / "docs/benchmarks.md").read_text()))


if __name__ == "__main__":
    unittest.main()
