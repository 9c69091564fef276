#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants names in the pages of a scratch tree and looks at what planned.py says."""
import pathlib
import tempfile
import unittest

import planned


class Planned(unittest.TestCase):
    def faults(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "passes/NN").mkdir(parents=True)
            (root / "passes/NN/Passes.td").write_text('def A : Pass<"nn-there", "X"> {')
            (root / "tools/mpc-there").mkdir(parents=True)
            (root / "README.md").write_text(text)
            return [fault.split("'")[1] for fault in planned.faults(root)]

    def test_what_exists_passes(self):
        self.assertEqual([], self.faults("`nn-there`, `mpc-there --flag`, `mpc-compiler`"))

    def test_what_is_marked_passes(self):
        self.assertEqual([], self.faults("`nn-later` (planned), `mpc-later X` (planned; soon)"))

    def test_a_name_that_does_not_exist_is_found(self):
        self.assertEqual(["nn-later", "mpc-later"], self.faults("`nn-later`\n`mpc-later X`"))

    def test_a_mark_that_is_no_longer_true_is_found(self):
        self.assertEqual(["nn-there", "mpc-there"], self.faults("`nn-there` (planned) `mpc-there` (planned)"))


if __name__ == "__main__":
    unittest.main()
