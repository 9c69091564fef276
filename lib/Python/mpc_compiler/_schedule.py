# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Learning rates over a training."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _runtime

if TYPE_CHECKING:
    from ._step import Step


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return str(value)


class Schedule:
    """The learning rate of each step, as ``mpc-run`` has it::

        schedule = mpc_compiler.Schedule("one-cycle", lr=0.1, total_steps=1000, pct_start=0.2)
        schedule.attach(step)

    Schedules and their parameters are those of ``--lr-schedule`` and its flags, by PyTorch's
    formulas: ``gamma``, ``step_size``, ``milestones=[30, 80]``, ``power``, ``pct_start``,
    ``div_factor``, ``final_div_factor``, ``anneal``, ``three_phase``, ``cycle_steps``,
    ``cycle_growth``, ``min``, ``timescale``, ``points=[(0, 1.0), (10, 0.5)]``.
    """

    def __init__(
        self, kind: str = "constant", *, lr: float, total_steps: int, warmup_steps: int = 0, **parameters: Any
    ) -> None:
        """A schedule over `total_steps`, in the first `warmup_steps` of which it rises to `lr`."""
        self._flags = [f"--lr={float(lr)!r}", f"--lr-schedule={kind}", f"--warmup-steps={warmup_steps}"]
        self._flags += [f"--lr-{name.replace('_', '-')}={_text(value)}" for name, value in parameters.items()]
        self._total_steps = total_steps
        self(0)  # What is wrong is said here.

    def __call__(self, applied_steps: int) -> float:
        """The rate of the step behind so many that changed the weights."""
        return _runtime.learning_rate(self._flags, self._total_steps, applied_steps)

    def attach(self, step: "Step") -> Any:
        """Sets ``step.lr`` now and after each step; ``remove()`` of what it gives ends that.

        A skipped step does not move it.
        """
        step.lr = self(step.progress[1])
        return step.register_step_hook(self._move)

    def _move(self, step: "Step", _: Any) -> None:
        step.lr = self(step.progress[1])
