# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loss scaler of a compiled step, by Keras' and PyTorch's names."""
from __future__ import annotations

from typing import Any, Mapping

from . import _runtime
from ._errors import Error, UsageError

# GradScaler's names of what it saves, and ours.
_TORCH_NUMBERS = {
    "scale": "scale",
    "growth_factor": "growth_factor",
    "backoff_factor": "backoff_factor",
    "growth_interval": "growth_interval",
    "_growth_tracker": "counter",
}
_INTEGERS = ("growth_interval", "_growth_tracker")


class Scaler:
    """The loss scale, which the compiled step itself moves.

    Scaling, unscaling, the check for inf and NaN, skipping and the update are in the step, so that
    there is nothing to call in a loop. What a policy knows is an attribute: ``growth_factor``,
    ``backoff_factor``, ``growth_interval``, ``min_scale``.
    """

    def __init__(self, runner: _runtime.Runner, name: str, state: Mapping[str, Any]) -> None:
        assign = super().__setattr__
        own = [info for info in state.values() if info.owner == name]
        settings = frozenset(info.key for info in own if info.role == _runtime.STATE_SETTING)
        assign("_runner", runner)
        assign("_owner", name)
        assign("_settings", settings)
        # A policy without settings is "none": a scale of 1 that nothing moves.
        has_scale = any(info.role == _runtime.STATE_LOSS_SCALE for info in own)
        assign("_exists", has_scale and bool(settings))

    @staticmethod
    def all_of(runner: _runtime.Runner, state: Mapping[str, Any]) -> dict[str, "Scaler"]:
        """Each scaler of a program by its name."""
        names = [info.owner for info in state.values() if info.role == _runtime.STATE_LOSS_SCALE]
        return {name: Scaler(runner, name, state) for name in names}

    def _full(self, name: str) -> str:
        return f"{self._owner}.{name}" if self._owner else name

    def _read(self, name: str) -> float:
        if not self._exists:
            raise UsageError("the program has no loss scaler of this name; `scalers` has all")
        return self._runner.read_number(self._full(name))

    def _write(self, name: str, value: float) -> None:
        self._read("scale")
        self._runner.write_number(self._full(name), float(value))

    def is_enabled(self) -> bool:
        """Whether there is a loss scaler."""
        return self._exists

    @property
    def scale(self) -> float:
        """The loss scale of the next step. May be set."""
        return self._read("scale")

    @property
    def dynamic_counter(self) -> int:
        """Keras' name for the steps without inf since the scale last changed."""
        return int(self._read("counter"))

    @property
    def dynamic(self) -> bool:
        """Whether the scale moves."""
        return self._exists and "growth_interval" in self._settings

    def get_scale(self) -> float:
        """PyTorch's name for :attr:`scale`."""
        return self.scale if self._exists else 1.0

    def update(self, new_scale: float | None = None) -> None:
        """PyTorch's ``update``: with a number, that takes the place of the last step's own update.

        Without, it does nothing: each step has updated the scale already.
        """
        if new_scale is not None:
            self._runner.update_scale(float(new_scale), self._owner)

    def get_growth_factor(self) -> float:
        return self._read("growth_factor")

    def set_growth_factor(self, value: float) -> None:
        self._write("growth_factor", value)

    def get_backoff_factor(self) -> float:
        return self._read("backoff_factor")

    def set_backoff_factor(self, value: float) -> None:
        self._write("backoff_factor", value)

    def get_growth_interval(self) -> int:
        return int(self._read("growth_interval"))

    def set_growth_interval(self, value: int) -> None:
        self._write("growth_interval", value)

    def __getattr__(self, name: str) -> float:
        if not name.startswith("_"):
            try:
                return self._read(name)
            except Error:
                pass
        raise AttributeError(f"the loss scaler has no {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "scale" and name not in self._settings:
            known = ", ".join(["scale", *sorted(self._settings)])
            raise AttributeError(f"{name!r} cannot be set; of this program can: {known}")
        self._write(name, value)

    def state_dict(self) -> dict[str, float]:
        """What ``torch.amp.GradScaler.state_dict`` has; empty where there is no scaler.

        A number that the policy does not know is left out.
        """
        if not self._exists:
            return {}
        found = {}
        for theirs, ours in _TORCH_NUMBERS.items():
            if ours in ("scale", "counter") or ours in self._settings:
                value = self._read(ours)
                found[theirs] = int(value) if theirs in _INTEGERS else value
        return found

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        """Takes the state of a ``GradScaler``, or of :meth:`state_dict`.

        All numbers that the policy knows must be there: an empty state is that of a
        ``GradScaler`` that was not enabled, as torch says of it too.
        """
        unknown = state.keys() - _TORCH_NUMBERS.keys()
        if unknown:
            raise UsageError(f"not numbers of a GradScaler: {', '.join(sorted(unknown))}")
        known = self.state_dict()
        foreign = sorted(state.keys() - known.keys())
        if foreign:
            raise UsageError(f"the program's loss scaler has no {', '.join(foreign)}")
        missing = sorted(known.keys() - state.keys())
        if missing:
            raise UsageError(f"the state lacks {', '.join(missing)} of the program's loss scaler")
        for theirs, value in state.items():
            self._write(_TORCH_NUMBERS[theirs], value)
