# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters and buffers of a torch module that lie in the memory of the programs that read them."""
from __future__ import annotations

from typing import Any, Iterable

import torch  # type: ignore[import-not-found]

from . import _runtime
from ._device import Device
from ._errors import InvalidInputError, UnsupportedError, warn
from ._gradients import DeviceGradients, Gradients

# Batches that make one step are seldom more: memory of gradients that waits longer is not needed.
_KEPT_CALLS = 64

_SHARED_ROLES = (_runtime.STATE_PARAMETER, _runtime.STATE_BUFFER)


class _Link:
    """A tensor of the module and the memory that it lies in."""

    __slots__ = ("tensor", "name", "_registry", "_key", "memory", "_address", "_device")

    def __init__(self, registry: Any, key: str, name: str, memory: Any, device: Device) -> None:
        self._registry, self._key, self.name, self.memory, self._device = registry, key, name, memory, device
        self._address = memory.data_ptr()
        self.tensor: Any = None

    def add_to(self, watch: _runtime.Watch) -> None:
        """What is to be checked before each call."""
        watch.add_entry(self._registry, self._key, self.tensor)
        if self.tensor is not None:
            watch.add_call(self.tensor, "data_ptr", self._address)

    def adopt(self) -> None:
        """Takes the values that the module has, and lets it have this memory."""
        tensor = self.tensor = self._registry.get(self._key)
        if tensor is None:  # Taken away from the module: programs that read it are not called.
            return
        if not self._device.has(tensor):
            raise UnsupportedError(
                f"{self.name!r} is on {tensor.device}, and its programs are for {self._device}: move the module "
                "before wrap() or step() compiles"
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


def shared_names(program: _runtime.Program, module: Any) -> list[str]:
    """The tensors of the module that lie in the state of a runner of the program."""
    own = dict(_registered(module))
    return [info.tensor.name for info in program.state() if info.role in _SHARED_ROLES and info.tensor.name in own]


class Home:
    """The state of all programs of one layout, with their names of it."""

    def __init__(
        self, program: _runtime.Program, device: Device, num_threads: int, seed: int, ranks: Any = None
    ) -> None:
        self.device = device
        self._first = _runtime.Runner(program, num_threads, seed, ranks)
        self._is_taken = False
        self.numbers: dict[str, float] = {}  # Those of the state that were written, by name.
        self._links: dict[str, _Link] = {}
        self._watch: _runtime.Watch | None = None  # Of the tensors of all links.
        self.adoptions = 0  # How often tensors were taken over.
        self._pools: dict[tuple[Any, ...], list[Gradients]] = {}
        self._calls, self._warned = 0, False

    def runner_of(self, program: _runtime.Program, seed: int) -> _runtime.Runner:
        """A runner of one more program; raises InvalidInputError where its state lies in another way."""
        if not self._is_taken:
            self._is_taken = True
            return self._first
        return _runtime.Runner(program, self._first, seed)

    def link(self, runner: _runtime.Runner, program: _runtime.Program, module: Any) -> None:
        """Connects the tensors of a program's state with those of the module that have their names."""
        own = dict(_registered(module))
        for name in shared_names(program, module):
            if name not in self._links:
                memory = self.device.state(runner, name)
                registry, key = own[name]
                if registry[key] is not None and registry[key].is_complex():
                    memory = torch.view_as_complex(memory)
                self._links[name] = _Link(registry, key, name, memory, self.device)
                self._watch = None
        self.hold()

    def hold(self) -> None:
        """Takes over what the module has in other memory than this."""
        if self._watch is not None and self._watch.is_unchanged():
            return
        watch = _runtime.Watch()
        for link in self._links.values():
            link.adopt()
            link.add_to(watch)
        self._watch = watch
        self.adoptions += 1

    def missing(self, names: Iterable[str]) -> list[str]:
        """Those that do not lie here."""
        return [name for name in names if name not in self._links]

    def of_module(self, names: Iterable[str]) -> list[Any]:
        """The module's tensors, as it has them now."""
        return [self._links[name].tensor for name in names]

    def tensors(self, names: Iterable[str]) -> list[Any]:
        """Where these lie."""
        return [self._links[name].memory for name in names if name in self._links]

    def gradients(self, key: tuple[Any, ...], parameters: list[Any]) -> Gradients | DeviceGradients:
        """Memory for gradients that no loss is waiting with, and that are nobody's ``.grad``. It is used again under its key."""
        if self.device.kind != "cpu":
            return DeviceGradients(parameters, self.device.empty)
        self._calls += 1
        pool = self._pools.setdefault(key, [])
        found = next((gradients for gradients in pool if gradients.is_free()), None)
        if found is None:
            found = self._more_gradients(pool, parameters)
        found.last_call = self._calls
        if self._calls % _KEPT_CALLS == 0:
            self._forget_gradients()
        return found

    def _more_gradients(self, pool: list[Gradients], parameters: list[Any]) -> Gradients:
        pool[:] = [one for one in pool if not one.is_lost()]
        if len(pool) == 8 and not self._warned:
            self._warned = True
            warn(
                "8 losses of a compiled model wait for their backward: each keeps its gradients; accumulate numbers "
                "by float(loss)")
        pool.append(Gradients(parameters))
        return pool[-1]

    def _forget_gradients(self) -> None:
        """Lets go of memory that has not been needed for some time."""
        for key, pool in list(self._pools.items()):
            pool[:] = [one for one in pool if not one.is_free() or self._calls - one.last_call < _KEPT_CALLS]
            if not pool:
                del self._pools[key]


def place(
    homes: list[Home], program: _runtime.Program, device: Device, num_threads: int, seed: int, make: Any,
    ranks: Any = None,
) -> Any:
    """What `make` gives for the newest home that takes the program; for a new one where its state lies in another way."""
    for home in reversed(homes):
        try:
            return make(home)
        except InvalidInputError as error:
            if "cannot share a state" not in str(error):
                raise
    homes.append(Home(program, device, num_threads, seed, ranks))
    return make(homes[-1])


def _registered(module: Any) -> Iterable[tuple[str, tuple[Any, str]]]:
    """Each parameter and buffer: its first name, and the dict and key that it is registered at."""
    seen = set()
    for prefix, part in module.named_modules():
        for registry in (part._parameters, part._buffers):
            for key, tensor in registry.items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield (f"{prefix}.{key}" if prefix else key), (registry, key)
