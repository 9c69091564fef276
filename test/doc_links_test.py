#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants links and flags in the pages of a scratch tree and looks at what doc_links.py says."""
import pathlib
import sys
import tempfile
import unittest

import doc_links

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import generate_docs  # noqa: E402

HELP = """usage: mpc-there model [FLAG...]

Does something
in two lines.

  model                         MODEL.onnx

Input:
  --data=FILE|PATTERN           A file, by <name>;
                                several times
  --frozen-batch-norm=REGEX|all|none
                                Which stay
  -h, --help                    Print this text
"""


class DocLinks(unittest.TestCase):
    def faults(self, text, generated=HELP):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs/how-to").mkdir(parents=True)
            (root / "docs/how-to/there.md").write_text("# One\n\n## `Two` words, of [three](there.md)\n")
            (root / "docs/command-line.md").write_text("# Flags\n")
            (root / "README.md").write_text(text)
            (root / "made").mkdir()
            (root / "made/mpc-there.md").write_text(generate_docs.help_page("mpc-there", generated))
            return list(doc_links.faults(root, root / "made"))

    def test_what_leads_somewhere_passes(self):
        text = "[a](docs/how-to/there.md) [b](docs/how-to/there.md#two-words-of-three) [c](docs) [d](https://x.org/y)"
        self.assertEqual([], self.faults(text + " `generated/mpc-there.md`"))

    def test_code_is_no_link(self):
        self.assertEqual([], self.faults("`[&](x)`\n```cpp\n[](int x) { f[0](y); }\n```\n"))

    def test_a_page_that_is_not_there_is_found(self):
        self.assertEqual(["README.md:2: 'docs/gone.md' does not exist"], self.faults("\n[a](docs/gone.md)"))

    def test_a_heading_that_is_not_there_is_found(self):
        self.assertIn("no heading for '#three'", self.faults("[a](docs/how-to/there.md#three)")[0])
        self.assertIn("no heading for '#three'", self.faults("# One\n[a](#three)")[0])

    def test_a_link_to_what_the_repository_lacks_is_found(self):
        self.assertIn("is not in the repository", self.faults("[a](docs/generated/mpc-there.md)")[0])

    def test_a_page_that_is_not_made_is_found(self):
        self.assertEqual(["README.md:1: scripts/generate_docs.py writes no gone.md"], self.faults("`generated/gone.md`"))

    def test_a_flag_that_no_tool_has_is_found(self):
        self.assertEqual([], self.faults("`--data=X`, `mpc-there --help`, `--frozen-batch-norm`, `--preset=dev`"))
        self.assertEqual(["README.md: no tool has the flag --dat"], self.faults("`--dat`"))

    def test_help_becomes_tables(self):
        page = generate_docs.help_page("mpc-there", HELP)
        self.assertIn("```\nmpc-there model [FLAG...]\n```", page)
        self.assertIn("| `model` | MODEL.onnx |", page)
        self.assertIn("## Input\n\n| flag | means |", page)
        self.assertIn("| `--data=FILE\\|PATTERN` | A file, by &lt;name>; several times |", page)
        self.assertIn("| `--frozen-batch-norm=REGEX\\|all\\|none` | Which stay |", page)


if __name__ == "__main__":
    unittest.main()
