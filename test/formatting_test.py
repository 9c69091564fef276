#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants a line that is not formatted and looks at what formatting.py says."""
import pathlib
import shutil
import tempfile
import unittest

import formatting

PROGRAM = "clang-format-22"


@unittest.skipUnless(shutil.which(PROGRAM), f"no {PROGRAM}")
class Formatting(unittest.TestCase):
    def count(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "lib" / "One.cpp"
            path.parent.mkdir()
            path.write_text(text)
            return formatting.faults(pathlib.Path(folder), PROGRAM)[0]

    def test_a_formatted_file_passes(self):
        self.assertEqual(0, self.count("int one() { return 1; }\n"))

    def test_a_file_that_is_not_is_found(self):
        self.assertEqual(1, self.count("int one( ) {return 1;}\n"))


if __name__ == "__main__":
    unittest.main()
