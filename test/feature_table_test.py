#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What feature_table.py says of tables with a fault."""
import pathlib
import tempfile
import unittest

import feature_table


class FeatureTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        test = pathlib.Path(folder.name) / "test/passes"
        test.mkdir(parents=True)
        (test / "a.mlir").write_text("// RUN: mpc-opt\nfunc.func @shares_casts()\n// Features: A1, B2.\n")
        (test / "ATest.cpp").write_text("// It works.\n// Features: A1.\nTEST(Suite, Name) {}\n// Features: A1.\nTEST_P(Other, Each) {}\n"
                                      "// Features: B2.\n\nTEST(Suite, Silent) {}\nTEST(Suite, DISABLED_Now) {}\n")
        (test / "BTest.cpp").write_text("TEST(Suite, Unlisted) {}\n")
        (test / "CMakeLists.txt").write_text("mpc_add_unittest(T SOURCES ATest.cpp) # not BTest.cpp\n")
        (test / "idle.mlir").write_text("func.func @f()\n")
        (test / "idle.py").write_text("print(1)\n")
        (test / "b.py").write_text("# Features: A1.\nprint(1)\n")
        (test / "b.test").write_text("RUN: %python %S/b.py\n")
        self.tests = feature_table.Tests(pathlib.Path(folder.name))

    def row(self, *cells):
        return list(feature_table.row_faults(["A1", "feature", *cells], self.tests))

    def test_tests_that_exist_pass(self):
        self.assertEqual([], self.row("yes", "", "`Suite.Name`, `Other.Each`, `passes/a.mlir:@shares_casts`, `passes/b.py`"))

    def test_a_yes_needs_a_test(self):
        self.assertIn("names no test", self.row("yes", "so it is", "")[0])

    def test_a_test_must_exist(self):
        self.assertIn("no test Suite.Gone", self.row("yes", "", "`Suite.Gone`")[0])
        self.assertIn("no file", self.row("yes", "", "`passes/b.mlir`")[0])
        self.assertIn("does not contain", self.row("yes", "", "`passes/a.mlir:@gone`")[0])

    def test_a_test_must_run(self):
        self.assertIn("no test Suite.Unlisted", self.row("yes", "", "`Suite.Unlisted`")[0])
        self.assertIn("no test Suite.Now", self.row("yes", "", "`Suite.Now`")[0])
        self.assertIn("is disabled", self.row("yes", "", "`Suite.DISABLED_Now`")[0])
        self.assertIn("nothing runs test/passes/idle.mlir", self.row("yes", "", "`passes/idle.mlir`")[0])
        self.assertIn("nothing runs test/passes/idle.py", self.row("yes", "", "`passes/idle.py`")[0])

    def test_a_test_must_know_its_row(self):
        for silent in ("Suite.Silent", "passes/b.test"):
            self.assertEqual([f"{silent} says nothing of A1 (Features: A1.)"], self.row("yes", "", f"`{silent}`"))
        cases = ["a_case", "theirs", "same", "", "`Suite.Silent`"]
        self.assertEqual([], list(feature_table.row_faults(cases, self.tests, feature_table.CASE_ANSWERS)))

    def test_a_no_needs_a_reason(self):
        for answer in ("no", "later", "does not arise"):
            self.assertIn("not why", self.row(answer, "", "")[0])

    def test_answers_are_few(self):
        self.assertIn("is none of", self.row("maybe", "why not", "")[0])

    def test_rows_are_all_there_once(self):
        line = "| A1 | feature | no | it is not |  |\n"
        found = list(feature_table.faults(line + line + "| Z9 | new | no | it is not | |\n", self.tests, ["A1", "A2"]))
        self.assertIn("A1 is there 2 times", found)
        self.assertIn("A2 is there 0 times", found)
        self.assertIn("Z9 is no known row", found)


if __name__ == "__main__":
    unittest.main()
