#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What lit_times.py finds."""
import pathlib
import tempfile
import unittest
import unittest.mock

import lit_times


class LitTimes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name) / "source"
        self.build = pathlib.Path(folder.name) / "build"

    def ran(self, name, seconds, text="RUN: true\n"):
        for path, content in (
            (self.source / "test" / name, text),
            (self.build / "test" / f"{name}.seconds", f"{seconds}\n"),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    def faults(self, slowness=1.0):
        return lit_times.faults(self.source, lit_times.measured(self.source, self.build), slowness)

    def test_a_slow_test_says_why(self):
        self.ran("e2e/a.test", 4 * lit_times.SECONDS_OF_A_TEST)
        self.assertEqual(1, len(self.faults()))
        self.assertIn("test/e2e/a.test: took 20.0 s", self.faults()[0])
        self.ran("e2e/a.test", 20, "RUN: true\nSLOW: It trains to the end.\n")
        self.assertEqual([], self.faults())
        self.ran("passes/b.mlir", 20, "// RUN: true\n// SLOW: It is compiled for each CPU.\n")
        self.assertEqual([], self.faults())

    def test_a_test_may_take_its_time(self):
        self.ran("e2e/a.test", lit_times.SECONDS_OF_A_TEST)
        self.assertEqual([], self.faults())

    def test_the_sum_has_a_ceiling(self):
        for number in range(3 * lit_times.SECONDS_OF_ALL // lit_times.SECONDS_OF_A_TEST):
            self.ran(f"e2e/{number}.test", lit_times.SECONDS_OF_A_TEST)
        self.assertEqual(1, len(self.faults()))
        self.assertIn("all lit tests took", self.faults()[0])

    def test_a_slow_machine_may_take_longer(self):
        self.ran("e2e/a.test", 4 * lit_times.SECONDS_OF_A_TEST)
        self.assertEqual(1, len(self.faults(1.9)))
        self.assertEqual([], self.faults(2.1))

    def test_a_fast_machine_may_not_take_less(self):
        for taken, expected in ((0.1, 1.0), (1.0, 1.0), (1.5, 1.5)):
            with unittest.mock.patch.object(lit_times, "loop", lambda taken=taken: taken * lit_times.SECONDS_OF_LOOP):
                self.assertAlmostEqual(expected, lit_times.slowness())

    def test_what_is_gone_does_not_count(self):
        self.ran("e2e/a.test", 100)
        (self.source / "test/e2e/a.test").unlink()
        self.assertEqual({}, lit_times.measured(self.source, self.build))


if __name__ == "__main__":
    unittest.main()
