#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What damage.py makes of tools that are wrong, and that it makes the same damage again."""
import contextlib
import io
import pathlib
import random
import tempfile
import types
import unittest

import damage

TEXT = b"a = 12\nb = 3.5\nc = word\n"
TOOL = """#!/bin/sh
{}
"""


class Damage(unittest.TestCase):
    def faults(self, body):
        """The faults that a tool of this body shows within a hundred files."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tool").write_text(TOOL.format(body))
            (root / "tool").chmod(0o755)
            (root / "seed.txt").write_bytes(TEXT)
            kind = damage.Kind("text", [root / "seed.txt"], ["tool {}"], damage.damage_text)
            workshop = damage.Workshop(root, root)
            faults = [damage.attempt(workshop, kind, number, 1, root / "keep")[1] for number in range(20)]
            kept = list(root.glob("keep/*/command"))
            self.assertEqual(len(kept), sum(map(bool, faults)))
            return {fault for fault in faults if fault}

    def test_a_tool_that_takes_all_has_no_fault(self):
        self.assertEqual(set(), self.faults("exit 0"))

    def test_a_tool_that_refuses_with_a_message_has_no_fault(self):
        self.assertEqual(set(), self.faults("echo error: line 1 >&2; exit 1"))

    def test_a_signal_is_found(self):
        self.assertEqual({"exit -6"}, self.faults("kill -ABRT $$"))

    def test_a_report_is_found(self):
        self.assertEqual({"runtime error:"}, self.faults("echo a.cpp:1: runtime error: shift >&2; exit 1"))

    def test_a_refusal_without_a_word_is_found(self):
        self.assertEqual({"refused without a word"}, self.faults("exit 1"))

    def test_an_undocumented_exit_code_is_found(self):
        self.assertEqual({"exit 70"}, self.faults("echo ? >&2; exit 70"))

    def test_only_some_files_are_faulty(self):
        self.assertEqual({"exit -6"}, self.faults("grep -q 12 $1 || kill -ABRT $$"))

    def test_damage_is_that_of_its_seed(self):
        for change in (damage.damage_bytes, damage.damage_text):
            one, again, other = (change(TEXT, random.Random(seed)) for seed in (1, 1, 2))
            self.assertEqual(one, again)
            self.assertNotEqual(one, other)

    def test_the_exit_code_tells_of_faults(self):
        flags = types.SimpleNamespace(seconds=0.2, seed=1, keep=pathlib.Path("unused"))
        kind = damage.Kind("text", [pathlib.Path(__file__)], ["false {}"], damage.damage_text)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            flags.keep = pathlib.Path(folder)
            counts = damage.campaign(damage.Workshop("/bin", folder), [kind], flags)
        self.assertGreater(counts["text"][2], 0)
        self.assertIn("text-0: refused without a word", out.getvalue())


if __name__ == "__main__":
    unittest.main()
