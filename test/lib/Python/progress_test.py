# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bar in a terminal, in a notebook and in a log."""
import contextlib
import io
import sys
import types
import unittest
from unittest import mock

import mpc_compiler


def result(loss=1.5, scale=8.0, skipped=False):
    return types.SimpleNamespace(loss=loss, scale=scale, skipped=skipped)


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Handle:
    """What a notebook gives for a display with an id of its own."""

    def __init__(self):
        self.shown = []

    def update(self, text):
        self.shown.append(repr(text))


def notebook(shell):
    """The modules of IPython, and the handles that are displayed."""
    handles = []

    def display(text, display_id=False):
        if not display_id:
            return None
        handles.append(Handle())
        return handles[-1]

    package, part = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    package.get_ipython, part.display = lambda: shell, display
    return {"IPython": package, "IPython.display": part}, handles


class Progress(unittest.TestCase):
    def test_a_line_says_what_there_is(self):
        bar = mpc_compiler.ProgressBar(20, file=io.StringIO())
        self.assertRegex(bar.line(result()), r"^step 0/20  loss 1.5  scale 8  0 steps/s$")
        self.assertNotIn("scale", bar.line(result(scale=float("nan"))))
        bar(result(skipped=True))
        bar(result(skipped=False))
        self.assertRegex(bar.line(result()), r"^step 2/20  loss 1.5  scale 8  [\d.e+]+ steps/s  skipped 1$")

    def test_a_terminal_has_one_line_that_changes(self):
        file = Terminal()
        bar = mpc_compiler.ProgressBar(3, file=file, rate=1e12)
        for _ in range(3):
            bar(result())
        self.assertRegex(
            file.getvalue(),
            r"^\r\x1b\[Kstep 1/3 [^\r\n]*\r\x1b\[Kstep 2/3 [^\r\n]*\r\x1b\[Kstep 3/3 [^\r\n]*\n$")

    def test_it_changes_no_more_than_so_often(self):
        file = Terminal()
        bar = mpc_compiler.ProgressBar(50, file=file, rate=1e-3)
        for _ in range(50):
            bar(result())
        self.assertEqual(file.getvalue().count("\r"), 1)
        self.assertIn("step 50/50", file.getvalue())

    def test_a_notebook_has_a_text_that_changes(self):
        modules, handles = notebook(types.SimpleNamespace(kernel=None))
        error = io.StringIO()
        with mock.patch.dict(sys.modules, modules), contextlib.redirect_stderr(error):
            bar = mpc_compiler.ProgressBar(2, rate=1e12)
            bar(result())
            bar(result())
        self.assertEqual(len(handles), 1)
        self.assertEqual([text[:9] for text in handles[0].shown], ["step 1/2 ", "step 2/2 "])
        self.assertEqual(error.getvalue(), "")

    def test_where_there_is_no_notebook_it_writes_lines(self):
        for shell in (None, types.SimpleNamespace()):
            modules, handles = notebook(shell)
            error = io.StringIO()
            with mock.patch.dict(sys.modules, modules), contextlib.redirect_stderr(error):
                bar = mpc_compiler.ProgressBar(2)
                bar(result())
            self.assertEqual(handles, [])
            self.assertTrue(error.getvalue().startswith("step 1/2 "))

    def test_a_file_that_is_given_is_written_even_in_a_notebook(self):
        modules, handles = notebook(types.SimpleNamespace(kernel=None))
        file = io.StringIO()
        with mock.patch.dict(sys.modules, modules):
            mpc_compiler.ProgressBar(1, file=file)(result())
        self.assertEqual(handles, [])
        self.assertTrue(file.getvalue().startswith("step 1/1 "))


if __name__ == "__main__":
    unittest.main()
