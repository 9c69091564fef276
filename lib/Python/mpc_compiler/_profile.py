# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the time of a step goes, launch by launch."""
from __future__ import annotations

import json
import os
import pathlib
from typing import Any

from . import _runtime
from ._errors import UsageError


class Profile:
    """A profile of the runs inside of a ``with``; of :meth:`Step.profile`.

    Printed, it is a table of the launches that take the most time. :attr:`data` is all of it, as numbers. Results of runs are the same
    with and without a profile, and a run without one costs nothing for it.
    """

    def __init__(self, runner: _runtime.Runner) -> None:
        self._runner = runner
        self._text: str | None = None
        self._json = ""
        self._is_open = False

    def __enter__(self) -> "Profile":
        self._runner.start_profile()
        self._is_open, self._text = True, None
        return self

    def __exit__(self, *_: Any) -> None:
        self._runner.stop_profile()
        self._text, self._json = self._runner.profile(True), self._runner.profile(False)
        self._is_open = False

    def __str__(self) -> str:
        if self._is_open:
            return self._runner.profile(True)
        return "profile: nothing has run\n" if self._text is None else self._text

    @property
    def data(self) -> dict[str, Any]:
        """`wall_ms`, `threads`, `peaks`, `entries` and `launches`: what ``--profile=FILE`` writes."""
        return json.loads(self._as_json())

    @property
    def launches(self) -> list[dict[str, Any]]:
        """A dict for each launch, the one with the most time first: `nodes`, `median_ms`, `gflop_s`, `of_ceiling`, ..."""
        return self.data["launches"]

    def _as_json(self) -> str:
        if self._is_open:
            return self._runner.profile(False)
        if self._text is None:
            raise UsageError("the profile has not begun: enter it by a `with`")
        return self._json

    def save(self, path: str | os.PathLike) -> None:
        """Writes :attr:`data` as JSON."""
        pathlib.Path(path).write_text(self._as_json())

    def save_timeline(self, path: str | os.PathLike) -> None:
        """Writes when each launch ran and on which threads, for ui.perfetto.dev; of the step's newest profile."""
        self._runner.write_timeline(os.fspath(path))
