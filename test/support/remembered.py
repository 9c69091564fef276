# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tool whose answers are kept, so that a check and the same check with a planted error share them.

What a check expects changes with the planted error; what the tool is asked does not.
"""
import pathlib
import subprocess


class Answers:
    def __init__(self):
        self._kept = {}

    def ask(self, command, file=None, text=None):
        """What `command` did, run with the standard input `text`; it reads `file` and no other. Threads may ask at once."""
        content = pathlib.Path(file).read_bytes() if file else None
        question = tuple(map(str, command)), content, text
        if question not in self._kept:
            self._kept[question] = subprocess.run(question[0], input=text, capture_output=True, text=True)
        return self._kept[question]
