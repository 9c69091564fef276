# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the time of a step goes, launch by launch."""
from __future__ import annotations

import contextlib
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


class Profiles:
    """A profile of the runs inside of a ``with`` of a torch module's programs, of which there is one for each structure of batches.

    Printed, it is a table for each program that has run; :attr:`launches` and :attr:`data` are of all, and :attr:`programs` has
    the :class:`Profile` of each.
    """

    def __init__(self) -> None:
        #: By the structure of the batch: ``"bf16 x float32[8, 64], target int64[8]"``.
        self.programs: dict[str, Profile] = {}
        self._running: contextlib.ExitStack | None = None

    def __enter__(self) -> "Profiles":
        self.programs, self._running = {}, contextlib.ExitStack()
        self._runners: set[int] = set()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._running is not None:
            self._running.close()
        self._running = None

    @property
    def is_open(self) -> bool:
        return self._running is not None

    def runs(self, structure: str, runner: _runtime.Runner) -> None:
        """A program is about to run. It is profiled from its first run in the ``with`` on."""
        if self._running is not None and id(runner) not in self._runners:
            self._runners.add(id(runner))
            name = structure if structure not in self.programs else f"{structure} ({len(self.programs)})"
            self.programs[name] = self._running.enter_context(Profile(runner))

    def __str__(self) -> str:
        if not self.programs:
            return "profile: no program has run\n"
        return "\n".join(f"{structure}\n{profile}" for structure, profile in self.programs.items())

    @property
    def data(self) -> dict[str, Any]:
        """By the structure of the batch what :attr:`Profile.data` has."""
        return {structure: profile.data for structure, profile in self.programs.items()}

    @property
    def launches(self) -> list[dict[str, Any]]:
        """Those of all programs, the one with the most time first, with the structure of its `batch`."""
        found = [{"batch": structure, **launch} for structure, profile in self.programs.items() for launch in profile.launches]
        return sorted(found, key=lambda launch: -launch["total_ms"])

    def save(self, path: str | os.PathLike) -> None:
        """Writes :attr:`data` as JSON."""
        pathlib.Path(path).write_text(json.dumps(self.data))

    def save_timeline(self, path: str | os.PathLike) -> None:
        """As :meth:`Profile.save_timeline`, where one program has run; raises :class:`UsageError` where several have."""
        if len(self.programs) != 1:
            raise UsageError(
                f"{len(self.programs)} programs have run, and a timeline is of one: profile.programs[structure].save_timeline(path)"
            )
        next(iter(self.programs.values())).save_timeline(path)
