# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a trace of a module takes for constants: numbers, texts and tensors that its code reads beside its arguments."""
from __future__ import annotations

import argparse
import dataclasses
import dis
import functools
import inspect
import itertools
import operator
import sys
import types
from typing import Any, Callable, Iterable, Iterator

import torch  # type: ignore[import-not-found]

from . import _runtime
from ._errors import warn

_SCALARS = (bool, int, float, complex, str, type(None))
_NAMESPACES = (argparse.Namespace, types.SimpleNamespace)
# What is longer is data and no settings.
_SETTINGS = 64
# Their code reads nothing that a loop changes.
_KNOWN = ("torch", "transformers", "torchvision", "timm", "numpy", *sys.stdlib_module_names)
# What each module has; of these only `training` is read by forward.
_OF_MODULES = frozenset(torch.nn.Module().__dict__) - {"training"}
# Values that were there once and may come again.
_KEPT_STATES = 64
# So often there may be other objects of the same values.
_RENEWALS = 16
# So many states are no phases of a training, but a value that each call has anew.
_MANY_STATES = 8


def _is_known(name: str | None) -> bool:
    return (name or "").split(".")[0] in _KNOWN and name != "__main__"


def _is_scalar(value: Any) -> bool:
    return isinstance(value, _SCALARS)


def _globals_of(code: types.CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals_of(constant)


def _names_in(code: types.CodeType) -> set[str]:
    nested = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*map(_names_in, nested))


def _functions_of(kind: type) -> list[Any]:
    """The functions that the code of a user's class has."""
    own = (vars(base).values() for base in kind.__mro__ if not _is_known(base.__module__))
    return [value for values in own for value in values if inspect.isfunction(value)]


@dataclasses.dataclass(frozen=True)
class _Row:
    """Values of one dict, list or variable of a closure."""

    read: Callable[[Any], Any]
    owner: Any
    names: tuple[str, ...]

    def values(self) -> list[Any]:
        found = self.read(self.owner)
        return list(found) if len(self.names) > 1 or isinstance(self.owner, list) else [found]

    def add_to(self, watch: _runtime.Watch) -> None:
        if isinstance(self.owner, list):
            watch.add_items(self.owner)
        elif isinstance(self.owner, dict):
            for name, value in zip(self.names, self.values()):
                watch.add_entry(self.owner, name, value)
        else:
            watch.add_attribute(self.owner, "cell_contents", self.read(self.owner))


@dataclasses.dataclass
class _Reading:
    """All that is watched, at one time. The values stay alive, so that no other is taken for one of them."""

    values: list[Any]
    versions: list[int]
    sizes: list[int]

    def equals(self, other: "_Reading") -> bool:
        if self.versions != other.versions or self.sizes != other.sizes:
            return False
        try:
            return self.values == other.values
        except Exception:  # Two tensors or arrays at one place: they are not the same one.
            return False


class _Scan:
    """What there is to be watched of a module and its loss."""

    def __init__(self, module: Any, loss: Any, ignored: set[tuple[int, str]]) -> None:
        self._ignored = ignored
        self.parts = list(module.modules())
        self._own = set(map(id, self.parts))
        self.rows: list[_Row] = []
        self._dicts: list[Any] = []
        self._tensors: dict[int, Any] = {}
        self._seen: set[int] = set()
        self.kinds: dict[int, str] = {}  # Of a dict of attributes: where the class is from.
        self._alive: list[Any] = []
        for part in self.parts:
            self._add_module(part)
        for kind in {getattr(type(part), "_mpc_plain", type(part)) for part in self.parts}:
            for function in _functions_of(kind):
                self._add_value(function)
        self._add_value(loss)
        self._reads = [(row.read, row.owner) for row in self.rows]
        self._watched_tensors = list(self._tensors.values())
        self.signature = [(id(row.owner), row.names) for row in self.rows]

    def read(self) -> _Reading:
        return _Reading(
            [read(owner) for read, owner in self._reads],
            [tensor._version for tensor in self._watched_tensors],
            [*map(len, self._dicts)],
        )

    def watch(self) -> _runtime.Watch:
        """Of all this, as it is now."""
        watch = _runtime.Watch()
        for row in self.rows:
            row.add_to(watch)
        for tensor in self._watched_tensors:
            watch.add_attribute(tensor, "_version", tensor._version)
        for attributes in self._dicts:
            watch.add_size(attributes)
        return watch

    # --- What is found -------------------------------------------------------------------------

    def _add_module(self, part: Any) -> None:
        self.kinds[id(part.__dict__)] = type(part).__module__
        self._add_dict(part.__dict__, part.__dict__.keys() - _OF_MODULES)
        self._add_dict(part._modules, part._modules)
        if id(part) not in self._own:  # Its tensors are constants of a trace.
            for registry in (part._parameters, part._buffers):
                self._add_dict(registry, registry)

    def _add_dict(self, attributes: dict[str, Any], names: Iterable[str]) -> None:
        if self._is_seen(attributes):
            return
        self._dicts.append(attributes)
        kept = tuple(sorted(name for name in names if (id(attributes), name) not in self._ignored))
        if kept:
            self.rows.append(_Row(operator.itemgetter(*kept), attributes, kept))
        for name in kept:
            self._add_value(attributes[name])

    def _is_seen(self, value: Any) -> bool:
        is_seen = id(value) in self._seen
        self._seen.add(id(value))
        self._alive.append(value)
        return is_seen

    def _add_value(self, value: Any) -> None:
        """Settings in an object, and what a function, a method, a partial call or another module refers to."""
        if isinstance(value, torch.Tensor):
            if not isinstance(value, torch.nn.Parameter) or id(value) not in self._tensors:
                self._tensors[id(value)] = value
        elif isinstance(value, torch.nn.Module):
            if id(value) not in self._own and not self._is_seen(value):
                self._add_foreign(value)
        elif isinstance(value, _NAMESPACES) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
            self._add_object(value)
        elif type(value) is dict:
            if len(value) <= _SETTINGS and all(isinstance(name, str) for name in value):
                self._add_dict(value, value)
        elif type(value) in (list, tuple):
            self._add_items(value)
        elif isinstance(value, functools.partial):
            self._add_dict(value.keywords, value.keywords)
            self._add_value(value.args)
            self._add_value(value.func)
        elif inspect.ismethod(value):
            self._add_method(value.__self__, [value.__func__])
        elif inspect.isfunction(value):
            self._add_function(value)
        elif functions := [f for f in _functions_of(type(value)) if f.__name__ == "__call__"]:
            self._add_method(value, functions)

    def _add_object(self, value: Any) -> None:
        attributes = getattr(value, "__dict__", {})
        self.kinds[id(attributes)] = type(value).__module__
        self._add_dict(attributes, list(attributes))

    def _add_method(self, owner: Any, functions: list[Any]) -> None:
        """An object's attributes of those names that these functions, and the methods of their names, have."""
        if isinstance(owner, torch.nn.Module):
            self._add_value(owner)
        names: set[str] = set()
        methods = {function.__name__: function for function in reversed(_functions_of(type(owner)))}
        while functions:
            function = functions.pop()
            self._add_function(function)
            found = _names_in(function.__code__) - names
            names |= found
            functions += [methods[name] for name in found & methods.keys()]
        attributes = getattr(owner, "__dict__", {})
        self._add_dict(attributes, names & attributes.keys())

    def _add_foreign(self, module: Any) -> None:
        """A module that is no part of the watched one: the loss, or a teacher that code refers to."""
        for part in module.modules():
            self._add_module(part)
        for kind in {type(part) for part in module.modules()}:
            for function in _functions_of(kind):
                self._add_function(function)

    def _add_items(self, items: Any) -> None:
        if len(items) > _SETTINGS or self._is_seen(items):
            return
        if type(items) is list:
            names = tuple(f"[{i}]" for i in range(len(items)))
            self.rows.append(_Row(tuple, items, names))
        for item in items:
            if not _is_scalar(item):
                self._add_value(item)

    def _add_function(self, function: Any) -> None:
        if _is_known(function.__module__) or self._is_seen(function):
            return
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            self._add_cell(name, cell)
        self._add_value(function.__defaults__)
        namespace = function.__globals__
        for name in sorted(set(_globals_of(function.__code__)) & namespace.keys()):
            if (id(namespace), name) not in self._ignored:
                self.rows.append(_Row(operator.itemgetter(name), namespace, (name,)))
                self._add_value(namespace[name])

    def _add_cell(self, name: str, cell: Any) -> None:
        if (id(cell), name) in self._ignored:
            return
        try:
            value = cell.cell_contents
        except ValueError:  # Empty.
            return
        self.rows.append(_Row(operator.attrgetter("cell_contents"), cell, (name,)))
        self._add_value(value)


class Watched:
    """Attributes of a module's parts, and of what the code of a module and of a loss refers to.

    A program is for one :meth:`number` of them. `cost` says what becomes of calls that each have another one.
    """

    def __init__(self, module: Any, loss: Any, cost: str) -> None:
        self._module, self._loss, self._cost = module, loss, cost
        self._ignored: set[tuple[int, str]] = set()
        self._numbers = itertools.count()
        self._states: list[tuple[Any, _Reading, int]] = []
        self._has_warned = False
        self._written: set[str] = set()
        self._renewals = 0
        self._scan_again()

    @property
    def parts(self) -> list[Any]:
        """The module's parts, as they are since the last call of number()."""
        return self._scan.parts

    def number(self) -> int:
        """Of the values as they are: another one for other values."""
        if self._watch.is_unchanged():
            return self._number
        try:
            reading = self._scan.read()
        except (KeyError, ValueError):  # An attribute that was deleted, a variable that was.
            return self._scan_again()
        if reading.equals(self._last):
            self._renew()
            return self._number
        self._name_changes(reading)
        return self._scan_again()

    def _look(self) -> None:
        self._scan = _Scan(self._module, self._loss, self._ignored)
        self._last, self._watch = self._scan.read(), self._scan.watch()

    def _renew(self) -> None:
        """Watches the objects that are there now, of the same values, as an export leaves them. Where each call makes
        new ones the values alone are compared."""
        self._renewals += 1
        if self._renewals <= _RENEWALS:
            self._scan_as(self._number)

    def _scan_again(self) -> int:
        self._look()
        self._number = self._number_of(self._last)
        return self._number

    def _number_of(self, reading: _Reading) -> int:
        for signature, known, number in self._states:
            if signature == self._scan.signature and reading.equals(known):
                return number
        self._states.append((self._scan.signature, reading, next(self._numbers)))
        del self._states[:-_KEPT_STATES]
        return self._states[-1][-1]

    # --- Changes -------------------------------------------------------------------------------

    def _changes(self, now: _Reading) -> list[tuple[_Row, str]]:
        """Which values are others than when it was last looked."""
        found = []
        for row, before, after in zip(self._scan.rows, self._last.values, now.values):
            if len(row.names) == 1 and not isinstance(row.owner, list):
                before, after = (before,), (after,)
            found += [(row, name) for name, a, b in zip(row.names, before, after) if not _same(a, b)]
        return found

    def _name_changes(self, now: _Reading) -> None:
        """Says once what keeps a program from being run again."""
        if self._has_warned or len(self._states) < _MANY_STATES:
            return
        changed = {name for _, name in self._changes(now)}
        if now.versions != self._last.versions:
            changed.add("a tensor that is not a buffer")
        if not (names := sorted(changed - {"training"})):
            return
        self._has_warned = True
        warn(
            f"{', '.join(names)} changes from call to call, and is a constant of a compiled call: {self._cost}; give it "
            "as a tensor in the batch, or make it a buffer")

    def note_writes(self) -> None:
        """Ignores what the module's code has written itself since number()."""
        now = self._scan.read()
        changes = self._changes(now)
        for row, name in changes:
            self._ignored.add((id(row.owner), name))
        self._written |= {name for row, name in changes if not _is_known(self._scan.kinds.get(id(row.owner)))}
        if not now.equals(self._last):
            self._states = [state for state in self._states if state[-1] != self._number]
            self._scan_as(self._number)

    def tell_writes(self) -> None:
        """Says what note_writes() has seen and nobody was told of: a program does not write it."""
        names, self._written = sorted(self._written), set()
        if names:
            warn(
                f"forward writes {', '.join(names)}, which a compiled call does not: return what is needed outside, "
                "or make it a buffer that forward writes in place")

    def _scan_as(self, number: int) -> None:
        """Looks again at what there is, and takes it for what had that number."""
        self._look()
        self._states.append((self._scan.signature, self._last, number))


def _same(one: Any, other: Any) -> bool:
    try:
        return one is other or bool(one == other)
    except Exception:  # Two tensors or arrays.
        return False
