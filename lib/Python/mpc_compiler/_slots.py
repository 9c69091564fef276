# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An optimizer of torch and a compiled one as one: numbers read from the groups, slots in the program's memory."""
from __future__ import annotations

import operator
from typing import Any, Callable, Mapping

import numpy as np
import torch  # type: ignore[import-not-found]

from . import _arrays, _compile, _groups, _runtime, _state
from ._errors import UsageError
from ._groups import Group, Partition
from ._device import Device

# Their rules are the program's, to the rounding.
_COMPILED = ("SGD", "ASGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "RMSprop", "Adadelta", "Rprop")
_COUNTED = _COMPILED[1:]
# Rules that torch has not, by the name of their class: the arguments that a program knows. Others may be there, unset.
_OTHERS = {"Lion": {"params", "lr", "betas", "weight_decay", "maximize"}}
# What a program reads at each step; of the second, whether they are 0 is compiled.
_NUMBERS = ("betas", "eps", "dampening", "alpha", "lr_decay", "rho", "momentum_decay", "lambd", "t0",
            "etas", "step_sizes")
_PARTS = ("momentum",)
# What decides nothing of a step, or what a Partition says.
_WORDS = ("params", "lr", "weight_decay", "param_names", "foreach", "fused", "capturable", "initial_lr", "swap_lr", "max_lr",
          "min_lr")


def why_not_compiled(optimizer: Any, names: Mapping[int, str], parts: Partition) -> str:
    """Why an optimizer's own step() is run; empty where a program has its rule."""
    kind = type(optimizer)
    known = _COMPILED if kind.__module__.split(".")[0] == "torch" else _OTHERS
    if kind.__name__ not in known:
        return f"{kind.__name__} has no compiled rule: torch runs its step()"
    for name in _set_beyond(optimizer, _OTHERS.get(kind.__name__)):
        return f"{kind.__name__} with {name} has no compiled rule: torch runs its step()"
    foreign = [p for group in optimizer.param_groups for p in group["params"] if id(p) not in names]
    if any(p.is_complex() for group in optimizer.param_groups for p in group["params"]):
        return "the module has parameters of complex numbers: torch runs the optimizer's step()"
    if foreign:
        return "the optimizer has parameters that are not the module's: torch runs its step()"
    try:
        flags_of(optimizer, names, parts)
    except UsageError as error:
        return f"{error}: torch runs its step()"
    return ""


def _set_beyond(optimizer: Any, known: set[str] | None) -> list[str]:
    """The arguments of an optimizer that are set and not `known`."""
    if known is None:
        return []
    known = known.union(_WORDS)
    return [name for group in optimizer.param_groups for name, value in group.items() if value and name not in known]


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, torch.Tensor) else value


def switches(optimizer: Any, parts: Partition) -> list[Any]:
    """All of an optimizer's groups that a program is compiled for: another list wants another program."""
    groups = optimizer.param_groups
    found: list[Any] = [type(optimizer), parts]
    for group in groups:
        found.append([*map(id, group["params"])])
        found.append(bool(group.get("weight_decay")))
        for name, value in group.items():
            if name in _NUMBERS or name in _PARTS:
                found.append(group is groups[0] or _number(value) == _number(groups[0].get(name)))
                found.append(name in _PARTS and bool(value))
            elif name not in _WORDS:
                found.append(value)
    return found


def watch_groups(optimizer: Any) -> _runtime.Watch:
    """Of what switches() and a partition read. Of a single group they do not read the learning rate, which a schedule
    changes before each step."""
    watch = _runtime.Watch()
    groups = optimizer.param_groups
    watch.add_attribute(optimizer, "param_groups", groups)
    watch.add_items(groups)
    for group in groups:
        watch.add_size(group)
        watch.add_items(group["params"])
        for name, value in group.items():
            if name not in ("lr", "initial_lr") or len(groups) > 1:
                watch.add_entry(group, name, value)
    return watch


def flags_of(optimizer: Any, names: Mapping[int, str], parts: Partition,
             trained: Mapping[int, str] | None = None) -> dict[str, Any]:
    """The optimizer as options of the compiler; raises UsageError where it has no such. Groups are of the parameters
    `trained`, else of all."""
    if parts.rates and isinstance(optimizer, torch.optim.ASGD):
        raise UsageError("its groups have several learning rates, and a program of ASGD keeps one in its state")
    groups = optimizer.param_groups
    # Rates are written before each step: other ones are the same program.
    own = [_groups.flag_of(group, groups, parts, 1e-3)
           for group in _groups.members(groups, parts, names if trained is None else trained)]
    return {**_compile._torch_optimizer_options(optimizer, names, parts.differ), "group": own}


class UnevenError(UsageError):
    """A state of an optimizer that a program does not go on with, and torch does."""


class _Program:
    """What the functions of _state take: a runner with the tensors of its state."""

    def __init__(self, runner: _runtime.Runner, program: _runtime.Program) -> None:
        self._runner = runner
        self._state = {info.tensor.name: info for info in program.state()}
        self._read: dict[str, np.ndarray] = {}  # Memory of the numbers that were read.

    def write_state(self, name: str, value: Any) -> None:
        self._runner.write_state(name, value)

    def read_number(self, name: str) -> float:
        if name not in self._read:
            self._read[name] = _arrays.read(self._runner.read_state, self._state[name].tensor)
        else:
            self._runner.read_state(name, self._read[name], False)
        return float(self._read[name])


class _Scalars:
    """The numbers that an optimizer of torch keeps for each parameter, as its steps, of which a program has one each."""

    def __init__(self, parameters: list[Any], names: list[str]) -> None:
        self._parameters, self._names = parameters, names
        # Those of all parameters in one memory, to write them at once; and of each its own, as torch writes them.
        self._all = torch.zeros(len(names), len(parameters))
        self._rows = dict(zip(names, self._all.unbind()))
        self._own = {name: list(row.unbind()) for name, row in self._rows.items()}
        self._version = -1

    def __bool__(self) -> bool:
        return bool(self._parameters)

    def add_to(self, watch: _runtime.Watch, state: Mapping[Any, Any]) -> None:
        """What says that the numbers of `state` are the program's, beside their versions."""
        for name in self._names:
            for parameter, own in zip(self._parameters, self._own[name]):
                watch.add_entry(state[parameter], name, own)

    def is_held(self) -> bool:
        """Whether nobody else has written them."""
        return not self or self._version == self._all._version

    def _is_in(self, state: Mapping[Any, Any]) -> bool:
        own = [state[parameter].get(name) is own for name in self._names
               for parameter, own in zip(self._parameters, self._own[name])]
        return all(own) and self.is_held()

    def find(self, state: Mapping[Any, Any], first: Callable[[str], float]) -> dict[str, float]:
        """The numbers of `state`, or those that it starts with, where they may be others than the program's; raises
        UnevenError where parameters have different ones."""
        numbers: dict[str, float] = {}
        for name in () if not self or self._is_in(state) else self._names:
            found = [state[parameter].get(name) for parameter in self._parameters]
            values = {first(name) if one is None else float(one) for one in found}
            if len(values) > 1:
                raise UnevenError(f"the optimizer's state has another {name!r} for other parameters: torch runs its step()")
            numbers[name] = values.pop()
        return numbers

    def hold(self, state: Mapping[Any, Any], numbers: Mapping[str, float]) -> None:
        """Gives the state those numbers, which `find` has found."""
        if not numbers:
            return
        for name, row in self._rows.items():
            row.fill_(numbers[name])
            for parameter, own in zip(self._parameters, self._own[name]):
                state[parameter][name] = own
        self._version = self._all._version

    def steps(self) -> float:
        return float(self._rows["step"][0])

    def advance(self, read: Callable[[str], float]) -> None:
        if self:
            for name, row in self._rows.items():
                row.fill_(read(name))
            self._version = self._all._version


class Slots:
    """`optimizer.state` as views of a program's slots."""

    def __init__(self, optimizer: Any, device: Device, runner: _runtime.Runner, program: _runtime.Program,
                 named: Mapping[str, Any],
                 written: dict[str, float], parts: Partition, groups: list[Group]) -> None:
        self._parts, self._groups = parts, groups
        self._group_of = {id(p): index for index, group in enumerate(optimizer.param_groups) for p in group["params"]}
        self._optimizer, self._program = optimizer, _Program(runner, program)
        self._runner = runner
        self._numbers = {name.removeprefix("amp.hyper.") for name in self._program._state}
        self._powers = {_state.number_name(info) for info in self._program._state.values()}
        self._has_new_base = False
        self._written = written  # The numbers of a state, which other programs have too.
        self._rate: float | None = None
        self._views: list[tuple[Any, str, Any]] = []
        self._parameters = [p for group in optimizer.param_groups for p in group["params"]]
        for full, parameter, slot in _state._slots(self._program):  # type: ignore[arg-type]
            self._views.append((named[parameter], slot, device.state(runner, full)))
        counted = dict.fromkeys(p for p, _, _ in self._views) if type(optimizer).__name__ in _COUNTED else ()
        self._scalar_names = _state.scalars_of_parameters(self._program)  # type: ignore[arg-type]
        self._scalars = _Scalars(list(counted), list(self._scalar_names))
        # Of the optimizer's state, as it was held last; and its parameters, with what it had for each.
        self._watch: _runtime.Watch | None = None
        self._entries: tuple[list[Any], list[Any]] = [], []

    def before(self) -> None:
        """Reads the groups."""
        groups = self._optimizer.param_groups
        rate = _groups.base_rate(groups, self._parts)
        if rate != self._rate:  # An input, which each program has alone.
            self._runner.write_number("lr", rate)
            self._rate = rate
        for number, own in enumerate(self._groups, 1):
            self._write_group(f"group{number}.lr_factor", _groups.factor(groups[own.index], rate))
            self._write_group(f"group{number}.weight_decay", float(groups[own.index].get("weight_decay") or 0))
        group = max(groups, key=lambda one: one.get("weight_decay") or 0)
        for name, value in group.items():
            for ours, number in zip(_state._TUPLES.get(name, (name,)), value if name in _state._TUPLES else (value,)):
                if ours in self._numbers and isinstance(number, (int, float)) and not isinstance(number, bool):
                    self._write(ours, float(number))
        if self._has_new_base and self._scalars:
            _state._load_count(self._program, self._scalars.steps())  # type: ignore[arg-type]
        self._has_new_base = False

    def _write_group(self, name: str, value: float) -> None:
        if name in self._numbers:
            self._write(name, value)

    def _write(self, name: str, value: float) -> None:
        if self._written.get(name) != value:
            self._runner.write_number(name, value)
            # Powers of it follow that were multiplied up of the one before.
            self._has_new_base |= name in self._written and f"{name}_power" in self._powers
            self._written[name] = value

    def _first(self, name: str, index: int = 0) -> float:
        """What torch's state of a group starts with."""
        return _state.first_number(name, float(self._optimizer.param_groups[index]["lr"]))

    def hold(self) -> None:
        """Takes over a state that was loaded, or that torch has written; raises UnevenError where it cannot."""
        state, taken = self._optimizer.state, []
        if self._is_held(state):
            return
        numbers = self._scalars.find(state, self._first)
        for parameter, slot, view in self._views:
            own = state[parameter].get(slot)
            if own is None or own.data_ptr() != view.data_ptr():
                taken.append(own is not None)
                view.fill_(self._first(slot, self._group_of[id(parameter)])) if own is None else view.copy_(own)
                state[parameter][slot] = view
        self._scalars.hold(state, numbers)
        if taken and not self._scalars:
            numbers = {"step": float(any(taken))}  # Torch's SGD counts nothing, but its first step is another than the next.
        _state._load_scalars(self._program, numbers)  # type: ignore[arg-type]
        self._watch = self._watch_of(state)
        self._entries = [*state], [*state.values()]

    def _is_held(self, state: Any) -> bool:
        if self._watch is None or len(state) != len(self._entries[0]):
            return False
        # A look at the entry of each parameter would call torch's function in Python for its hash.
        parameters, values = self._entries
        are_same = all(map(operator.is_, state, parameters)) and all(map(operator.is_, state.values(), values))
        return are_same and self._scalars.is_held() and self._watch.is_unchanged()

    def _watch_of(self, state: Any) -> _runtime.Watch:
        """Of a state that is held."""
        watch = _runtime.Watch()
        watch.add_attribute(self._optimizer, "state", state)
        for parameter, slot, view in self._views:
            watch.add_entry(state[parameter], slot, state[parameter][slot])
            watch.add_call(state[parameter][slot], "data_ptr", view.data_ptr())
        self._scalars.add_to(watch, state)
        return watch

    def after(self, skipped: bool) -> None:
        if not skipped:
            self._scalars.advance(lambda name: self._program.read_number(self._scalar_names[name]))
