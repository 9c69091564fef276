# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A progress bar for a terminal, a notebook, and a log."""
from __future__ import annotations

import sys
import time
from typing import Any, TextIO

from ._runtime import StepResult


def _notebook_display() -> Any:
    """A handle whose text a notebook replaces; None where this is no notebook."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython  # type: ignore[import-not-found]
    from IPython.display import display  # type: ignore[import-not-found]

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return display(_Text(""), display_id=True)


class _Text:
    """What a notebook shows as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class ProgressBar:
    """A hook that shows how a training goes: ``step.register_step_hook(ProgressBar(total=5000))``.

    In a notebook and in a terminal it is one line that changes, at most `rate` times a second;
    elsewhere a line for each tenth of the steps. It may also be called with a result by hand.
    """

    def __init__(self, total: int, *, file: TextIO | None = None, rate: float = 10.0) -> None:
        self._total, self._file, self._pause = total, file or sys.stderr, 1.0 / rate
        self._done, self._skipped = 0, 0
        self._start = self._shown = time.monotonic()
        self._display = None if file else _notebook_display()
        self._is_terminal = self._file.isatty()

    def __call__(self, *arguments: Any) -> None:
        result: StepResult = arguments[-1]
        self._done += 1
        self._skipped += result.skipped
        if self._is_due():
            self._show(self.line(result))

    def line(self, result: StepResult) -> str:
        """'step 20/5000  loss 1.23  scale 65536  12 steps/s  skipped 1'"""
        rate = self._done / max(time.monotonic() - self._start, 1e-9)
        text = f"step {self._done}/{self._total}  loss {result.loss:.4g}"
        if result.scale == result.scale:  # It is NaN where there is none.
            text += f"  scale {result.scale:g}"
        text += f"  {rate:.3g} steps/s"
        return text + (f"  skipped {self._skipped}" if self._skipped else "")

    def _is_due(self) -> bool:
        if self._done >= self._total:
            return True
        if not self._is_terminal and self._display is None:
            return self._done % max(self._total // 10, 1) == 0
        now = time.monotonic()
        if now - self._shown < self._pause:
            return False
        self._shown = now
        return True

    def _show(self, line: str) -> None:
        if self._display is not None:
            self._display.update(_Text(line))
        elif self._is_terminal:
            end = "\n" if self._done >= self._total else ""
            print(f"\r\x1b[K{line}", end=end, file=self._file, flush=True)
        else:
            print(line, file=self._file, flush=True)
