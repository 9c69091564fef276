# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of a torch module in training, sorted by the structure of their batches and by the module's modes."""
from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
import threading
from typing import Any, Callable, Mapping

import torch  # type: ignore[import-not-found]

from ._batch import Batch
from ._compile import _precision_name
from ._errors import UnsupportedError, UsageError
from ._export import Exported, Request, export
from ._hooks import Hooks
from ._device import Device, device_of
from ._profile import Profiles
from ._watched import Watched

PRECISIONS = ("fp32", "bf16", "fp16")
# Structures that were seen and have no program are forgotten beyond these, the oldest first.
_KEPT_STRUCTURES = 256


@dataclasses.dataclass
class Structure:
    """What is known of batches of one structure, in one state of the module's modes."""

    text: str
    exported: Exported | None = None
    program: Any = None
    compiled: int = 0  # Calls by the program, and by torch.
    by_torch: int = 0
    reason: str = ""  # Why torch runs it, where it always does.
    seconds: float = 0.0


@dataclasses.dataclass
class ProgramReport:
    """What became of the batches of one structure."""

    batch: str
    compiled_calls: int
    torch_calls: int
    compile_seconds: float
    reason: str

    def __str__(self) -> str:
        made = f"compiled in {self.compile_seconds:.1f} s" if self.compile_seconds else "not compiled"
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.batch or 'calls'}: {made}, {self.compiled_calls} calls compiled, {self.torch_calls} by torch{why}"


class Report(list):
    """A :class:`ProgramReport` for each structure of batches that there was, and what else is to be said."""

    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([*map(str, self), *self.notes]) or "no call in training yet"


class Calls:
    """A module as it is called, and what is known of each structure of batches."""

    def __init__(
        self, module: Any, plain: type, loss: Callable[..., Any] | None, precision: str | None, outputs: bool,
        forward_gradient: tuple[str, ...], cost: str, takes_gradients: bool,
    ) -> None:
        """`cost` says what becomes of calls that differ in what a trace takes for constants; `takes_gradients`, whether a
        batch may want a gradient."""
        self.plain, self.loss = plain, loss
        self.device = Device()  # That of the module when it was exported last.
        self._module = module  # The plain one; it has the same parameters.
        self._takes_gradients = takes_gradients
        self._fixed_precision, self._outputs, self._forward_gradient = precision, outputs, forward_gradient
        self._signature = inspect.signature(functools.partial(plain.forward, module))
        # Parameters that hold several arguments, as **kwargs.
        self._collecting = {parameter.name for parameter in self._signature.parameters.values()
                        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)}
        self._last_form: tuple[Any, ...] = ()  # Of a call: how many arguments it has by place, and the names of others.
        self._last_names: tuple[str, ...] = ()
        # What the loss takes beside the outputs, by another name where forward has an argument of that one.
        self.target = "loss_target" if "target" in self._signature.parameters else "target"
        self._watched = Watched(module, loss, cost)
        self._structures: dict[Any, Structure] = {}
        # Called where parts of the module are others than before: what was made of them is not theirs.
        self.on_new_parts: Callable[[], None] = lambda: None
        self._look_at_parts()
        self._profiles: list[Profiles] = []  # That are asked for; only those inside of their `with` are told of runs.
        # While a module is traced its parameters are those of the tracing, for all threads.
        self.tracing = threading.RLock()

    def _look_at_parts(self) -> None:
        self._parts = self._watched.parts
        self._registries = [part._parameters for part in self._parts if part._parameters]
        self._hooks = Hooks(self._module)

    def _take_new_parts(self) -> None:
        before, self._parts = self._parts, self._watched.parts
        if [*map(id, before)] != [*map(id, self._parts)]:
            self._look_at_parts()
            self.forget()
            self.on_new_parts()

    def bind(self, args: tuple, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by the names that the module's forward has for them."""
        # Most calls of a loop have the same arguments.
        form = len(args), *kwargs
        if form == self._last_form:
            values = {**dict(zip(self._last_names, args)), **kwargs}
            return {name: values[name] for name in self._last_names}
        try:
            found = self._signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{self.plain.__name__}.forward(): {error}") from None
        if not self._collecting & found.keys():
            self._last_form, self._last_names = form, tuple(found)
        return found

    def batch(self, arguments: dict[str, Any], target: Any, has_target: bool) -> Batch:
        if has_target:
            arguments = {**arguments, self.target: target}
        return Batch(arguments)

    def run_bound(self, module: Any, arguments: Mapping[str, Any]) -> Any:
        """The plain forward of a module."""
        bound = inspect.BoundArguments(self._signature, collections.OrderedDict(arguments))
        return self.plain.forward(module, *bound.args, **bound.kwargs)

    def precision(self) -> str:
        """That of a call now: what was said once, or what autocast says around it."""
        if self._fixed_precision is not None:
            return self._fixed_precision
        kind = self.kind()
        if torch.is_autocast_enabled(kind):
            return _precision_name(torch.get_autocast_dtype(kind))
        return "fp32"

    def kind(self) -> str:
        """The kind of device that the module is on, as torch.autocast names it."""
        for registry in self._registries:
            for parameter in registry.values():
                if parameter is not None:
                    return "cuda" if parameter.is_cuda else "cpu"
        return "cpu"

    def structure(self, batch: Batch, precision: str) -> Structure:
        """That of a batch, in the module's modes and with its settings as they are."""
        number = self._watched.number()
        if self._watched.parts is not self._parts:
            self._take_new_parts()
        self._hooks.check()
        wanted = [p if p is None else p.requires_grad for registry in self._registries for p in registry.values()]
        key = batch.key, precision, number, tuple(wanted)
        try:
            return self._structures[key]
        except KeyError:
            return self._new_structure(key, batch, precision)
        except TypeError:  # What cannot be hashed.
            batch.check(self._takes_gradients)
            raise

    def _new_structure(self, key: Any, batch: Batch, precision: str) -> Structure:
        batch.check(self._takes_gradients)
        structure = self._structures[key] = Structure(f"{precision} {batch.describe()}")
        if len(self._structures) > _KEPT_STRUCTURES:
            oldest = next((known for known, one in self._structures.items() if one.program is None), key)
            if oldest != key:
                del self._structures[oldest]
        return structure

    def unsupported(self, error: UnsupportedError) -> Structure:
        """For calls that no program can be made for."""
        return self._structures.setdefault(str(error), Structure("", reason=str(error)))

    def is_training(self) -> bool:
        """Whether any part of the module is, which then draws, or writes statistics."""
        return any([part.training for part in self._parts])

    def compiled(self, kind: type) -> list[Any]:
        """The programs of a kind that there are."""
        return [known.program for known in self._structures.values() if isinstance(known.program, kind)]

    def export(self, batch: Batch, has_target: bool, evaluates: bool = False) -> Exported:
        self.device = device_of(self._module)
        batch.check_device(self.device)
        with self.tracing:
            exported = export(Request(
                self._module, self._run_traced, batch, self.target if has_target else "", self.loss, self._outputs, self._forward_gradient,
                evaluates))
        self._watched.tell_writes()
        return exported

    def _run_traced(self, module: Any, arguments: Mapping[str, Any]) -> Any:
        output = self.run_bound(module, arguments)
        self._watched.note_writes()
        return output

    def profile(self) -> Profiles:
        """A new profile of all programs."""
        self._profiles[:] = [one for one in self._profiles if one.is_open] + [Profiles()]
        return self._profiles[-1]

    def share_profiles(self, other: "Calls") -> None:
        """Those of `other` are told of the programs of this one too."""
        self._profiles = other._profiles

    def tell_run(self, structure: Structure) -> None:
        """The program of a structure is about to run."""
        for profile in self._profiles:
            profile.runs(structure.text, structure.program.runner)

    def forget(self) -> None:
        """Lets go of all programs."""
        self._structures.clear()

    def report(self) -> Report:
        return Report(
            ProgramReport(s.text, s.compiled, s.by_torch, s.seconds, s.reason) for s in self._structures.values()
        )


def check_module(module: Any, loss: Any, precision: str | None, what: str) -> None:
    """Refuses what no call can be compiled of; `what` is the function that was called."""
    if not isinstance(module, torch.nn.Module):
        raise UsageError(f"{what}() takes a torch.nn.Module, not a {type(module).__name__}")
    if isinstance(module, torch.nn.parallel.DistributedDataParallel):
        raise UsageError(
            f"{what}() would leave out the sums over processes of DistributedDataParallel: give that the wrapped "
            "module, DistributedDataParallel(mpc_compiler.wrap(module))"
        )
    if "forward" in module.__dict__:
        raise UsageError(
            f"the forward of this {type(module).__name__} was replaced on the object: call {what}() before that is done"
        )
    if precision is not None and precision not in PRECISIONS:
        raise UsageError(f"precision is {precision!r}; there are {', '.join(PRECISIONS)}")
    if loss is not None and not callable(loss):
        raise UsageError(f"loss is a {type(loss).__name__}: expected a function of outputs and target")
    own = set(map(id, module.parameters()))
    foreign = [n for n, p in getattr(loss, "named_parameters", tuple)() if p.requires_grad and id(p) not in own]
    if foreign:
        raise UsageError(
            f"the loss has parameters of its own ({', '.join(foreign)}): make it a part of the module"
        )
