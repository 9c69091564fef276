# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An optimizer of torch and a compiled one as one: numbers read from the groups, slots in the program's memory."""
from __future__ import annotations

from typing import Any, Mapping

import torch  # type: ignore[import-not-found]

from . import _compile, _runtime, _state
from ._errors import UsageError
from ._memory import tensor_of

# Their rules are the program's, to the rounding.
_COMPILED = ("SGD", "Adam", "AdamW")
_COUNTED = ("Adam", "AdamW")


def why_not_compiled(optimizer: Any, names: Mapping[int, str]) -> str:
    """Why an optimizer's own step() is run; empty where a program has its rule."""
    kind = type(optimizer)
    if kind.__module__.split(".")[0] != "torch" or kind.__name__ not in _COMPILED:
        return f"{kind.__name__} has no compiled rule: torch runs its step()"
    foreign = [p for group in optimizer.param_groups for p in group["params"] if id(p) not in names]
    if foreign:
        return "the optimizer has parameters that are not the module's: torch runs its step()"
    try:
        flags_of(optimizer, names)
    except UsageError as error:
        return f"{error}: torch runs its step()"
    return ""


def flags_of(optimizer: Any, names: Mapping[int, str]) -> dict[str, Any]:
    """The optimizer as options of the compiler; raises UsageError where it has no such."""
    rates = {float(group["lr"]) for group in optimizer.param_groups}
    if len(rates) > 1:
        raise UsageError(f"its groups have {len(rates)} learning rates")
    return _compile._torch_optimizer_options(optimizer, names)


class _Program:
    """What the functions of _state take: a runner with the tensors of its state."""

    def __init__(self, runner: _runtime.Runner, program: _runtime.Program) -> None:
        self._runner = runner
        self._state = {info.tensor.name: info for info in program.state()}

    def write_state(self, name: str, value: Any) -> None:
        self._runner.write_state(name, value)


class Slots:
    """`optimizer.state` as views of a program's slots."""

    def __init__(self, optimizer: Any, runner: _runtime.Runner, program: _runtime.Program, named: Mapping[str, Any]) -> None:
        self._optimizer, self._program = optimizer, _Program(runner, program)
        self._runner = runner
        self._numbers = {name.removeprefix("amp.hyper.") for name in self._program._state}
        self._written: dict[str, float] = {}
        self._views: list[tuple[Any, str, Any]] = []
        self._parameters = [p for group in optimizer.param_groups for p in group["params"]]
        self._count = torch.zeros(()) if type(optimizer).__name__ in _COUNTED else None
        for full, parameter, slot in _state._slots(self._program):  # type: ignore[arg-type]
            self._views.append((named[parameter], slot, tensor_of(runner.edit_state(full))))
        self._with_slots = list(dict.fromkeys(parameter for parameter, _, _ in self._views))

    def before(self) -> None:
        """Reads the groups, and takes over a state that was loaded."""
        group = max(self._optimizer.param_groups, key=lambda one: one.get("weight_decay") or 0)
        self._write("lr", float(group["lr"]))
        for name, value in group.items():
            for ours, number in zip(_state._TUPLES.get(name, (name,)), value if name in _state._TUPLES else (value,)):
                if ours in self._numbers and isinstance(number, (int, float)) and not isinstance(number, bool):
                    self._write(ours, float(number))
        self._hold()

    def _write(self, name: str, value: float) -> None:
        if self._written.get(name) != value:
            self._runner.write_number(name, value)
            self._written[name] = value

    def _hold(self) -> None:
        state, taken = self._optimizer.state, False
        for parameter, slot, view in self._views:
            own = state[parameter].get(slot)
            if own is None or own.data_ptr() != view.data_ptr():
                taken = True
                view.zero_() if own is None else view.copy_(own)
                state[parameter][slot] = view
        if self._count is not None:
            self._hold_count(state)
        elif taken:
            self._load_count(1.0)  # Torch's SGD counts nothing; slots of zeros are those of a later step, too.

    def _hold_count(self, state: Any) -> None:
        assert self._count is not None
        counts = {id(t): t for p in self._with_slots if (t := state[p].get("step")) is not None}
        if list(counts) == [id(self._count)]:
            return
        found = {float(count) for count in counts.values()}
        if len(found) > 1:
            raise UsageError("the optimizer's state counts other steps for other parameters: torch alone goes on so")
        self._count = torch.tensor(found.pop() if found else 0.0)
        self._load_count(self._count.item())
        for parameter in self._with_slots:
            state[parameter]["step"] = self._count

    def _load_count(self, count: float) -> None:
        _state._load_count(self._program, count)  # type: ignore[arg-type]

    def after(self, skipped: bool) -> None:
        if self._count is not None and not skipped:
            self._count += 1


