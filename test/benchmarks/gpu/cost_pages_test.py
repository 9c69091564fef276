#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What cost_pages.py finds in tables that differ."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "benchmarks/gpu"))

import cost_model  # noqa: E402
import cost_pages  # noqa: E402

PAGE = """
<!-- costs gpt2 bf16 sm_90 -->

| class | launches | GFLOP | GB | threads of an SM | bound by | ms | ms by datasheet |
|---|---|---|---|---|---|---|---|
| rows | 96 | 80.9 | 62.43 | 1084 | memory | 20.00 | 18.64 |
| all | 100 | 80.9 | 62.43 | 1084 | memory | 21.00 | 18.64 |

More text.
"""


class CostPages(unittest.TestCase):
    def found(self, now):
        return list(cost_pages.faults("gpt2", {"rows": 20.0, "map": 0.01, "all": 21.0}, now))

    def test_table_is_read(self):
        mark = cost_pages.MARK.search(PAGE)
        self.assertEqual(mark.groups()[:3], ("gpt2", "bf16", "sm_90"))
        self.assertEqual(cost_pages.milliseconds(mark[5]), {"rows": 20.0, "all": 21.0})

    def test_what_the_model_writes_is_read(self):
        row = cost_model.Row("rows", 2, 1.5, 0.25, 128.0, "memory", 3.25, 2.5)
        self.assertEqual(cost_pages.milliseconds(cost_model.table("class", [row]) + "\n"), {"rows": 3.25})

    def test_small_differences_pass(self):
        self.assertEqual(self.found({"rows": 20.59, "all": 20.4, "map": 0.02}), [])

    def test_slower_and_faster_classes_are_named(self):
        self.assertRegex(self.found({"rows": 20.61, "all": 21.0})[0], "gpt2: rows: 20.61 ms, slower than the page's 20.00")
        self.assertRegex(self.found({"rows": 19.3, "all": 21.0})[0], "rows: 19.30 ms, faster")

    def test_new_and_lost_classes_are_named(self):
        found = self.found({"all": 21.0, "scatter": 1.0})
        self.assertEqual(len(found), 2)
        self.assertRegex(found[0], "rows: 0.00 ms")
        self.assertRegex(found[1], "scatter: 1.00 ms, slower than the page's 0.00")


if __name__ == "__main__":
    unittest.main()
