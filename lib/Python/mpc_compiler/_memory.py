# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters and buffers of a torch module that lie in the memory of the programs that read them."""
from __future__ import annotations

import warnings
from typing import Any, Iterable

import torch  # type: ignore[import-not-found]

from . import _arrays, _runtime
from ._errors import InvalidInputError, MpcWarning, UsageError
from ._gradients import Gradients

_SHARED_ROLES = (_runtime.STATE_PARAMETER, _runtime.STATE_BUFFER)


def tensor_of(capsule: Any) -> Any:
    """The memory that a DLPack capsule has."""
    return torch.from_dlpack(_arrays.Memory(capsule))


class _Link:
    """A tensor of the module and the memory that it lies in."""

    __slots__ = ("tensor", "name", "_registry", "_key", "memory", "_address")

    def __init__(self, registry: Any, key: str, name: str, memory: Any) -> None:
        self._registry, self._key, self.name, self.memory = registry, key, name, memory
        self._address = memory.data_ptr()
        self.tensor: Any = None

    def holds(self) -> bool:
        tensor = self._registry[self._key]
        return tensor is self.tensor and tensor.data_ptr() == self._address

    def adopt(self) -> None:
        """Takes the values that the module has, and lets it have this memory."""
        tensor = self._registry[self._key]
        if tensor.device.type != "cpu":
            raise UsageError(
                f"{self.name!r} is on {tensor.device}, and wrap() and step() run programs on a CPU: wrap(module.cpu()); "
                "mpc-compile --cpu=cuda:sm_90 makes a program for a GPU, which mpc-run runs"
            )
        if tensor.shape != self.memory.shape or tensor.dtype != self.memory.dtype:
            raise InvalidInputError(
                f"{self.name!r} is {tensor.dtype}{list(tensor.shape)}, and the program has it as "
                f"{self.memory.dtype}{list(self.memory.shape)}: wrap() keeps weights in float32 and computes in "
                "precision="
            )
        with torch.no_grad():
            if tensor.data_ptr() != self._address:
                self.memory.copy_(tensor.detach())
                tensor.data = self.memory
        self.tensor = tensor


class Home:
    """The state of all programs of one layout, with their names of it."""

    def __init__(self, program: _runtime.Program, num_threads: int, seed: int) -> None:
        self._first = _runtime.Runner(program, num_threads, seed)
        self._is_taken = False
        self._links: dict[str, _Link] = {}
        self._pools: dict[tuple[str, ...], list[Gradients]] = {}
        self._warned = False

    def runner_of(self, program: _runtime.Program, seed: int) -> _runtime.Runner:
        """A runner of one more program; raises InvalidInputError where its state lies in another way."""
        if not self._is_taken:
            self._is_taken = True
            return self._first
        return _runtime.Runner(program, self._first, seed)

    def link(self, runner: _runtime.Runner, program: _runtime.Program, module: Any) -> None:
        """Connects the tensors of a program's state with those of the module that have their names."""
        own = dict(_registered(module))
        for info in program.state():
            name = info.tensor.name
            if info.role in _SHARED_ROLES and name in own and name not in self._links:
                memory = tensor_of(runner.edit_state(name))
                self._links[name] = _Link(*own[name], name, memory)
        self.hold()

    def hold(self) -> None:
        """Takes over what the module has in other memory than this."""
        for link in self._links.values():
            if not link.holds():
                link.adopt()

    def missing(self, names: Iterable[str]) -> list[str]:
        """Those that do not lie here."""
        return [name for name in names if name not in self._links]

    def of_module(self, names: Iterable[str]) -> list[Any]:
        """The module's tensors, as it has them now."""
        return [self._links[name].tensor for name in names]

    def tensors(self, names: Iterable[str]) -> list[Any]:
        """Where these lie."""
        return [self._links[name].memory for name in names if name in self._links]

    def gradients(self, names: tuple[str, ...], parameters: list[Any]) -> Gradients:
        """Memory for gradients that no loss is waiting with."""
        pool = self._pools.setdefault(names, [])
        for gradients in pool:
            if gradients.is_free():
                return gradients
        if len(pool) == 8 and not self._warned:
            self._warned = True
            warnings.warn(
                "8 losses of a compiled model wait for their backward: each keeps its gradients; accumulate numbers "
                "by float(loss)", MpcWarning, stacklevel=2)
        pool.append(Gradients(parameters))
        return pool[-1]

    def trim(self) -> None:
        """Lets go of memory for gradients beyond the first."""
        for pool in self._pools.values():
            while len(pool) > 1 and pool[-1].is_free():
                pool.pop()


def _registered(module: Any) -> Iterable[tuple[str, tuple[Any, str]]]:
    """Each parameter and buffer: its first name, and the dict and key that it is registered at."""
    seen = set()
    for prefix, part in module.named_modules():
        for registry in (part._parameters, part._buffers):
            for key, tensor in registry.items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield (f"{prefix}.{key}" if prefix else key), (registry, key)
