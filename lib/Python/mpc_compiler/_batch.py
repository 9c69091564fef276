# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of a call of a torch module: its tensors by name, and the structure that they lie in."""
from __future__ import annotations

import dataclasses
import re
from typing import Any, Mapping

import numpy as np
import torch  # type: ignore[import-not-found]
from torch.utils import _pytree as pytree  # type: ignore[import-not-found]

from ._errors import UnsupportedError

_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device)


_LEAVES = frozenset([torch.Tensor, np.ndarray, bool, int, float])


class _Place:
    """Stands for a tensor in a structure that is kept."""

    def __repr__(self) -> str:
        return "a tensor"


_PLACE = _Place()


def _register(value: Any) -> bool:
    """Makes a dataclass one that torch can take apart; whether it is one that was not yet."""
    kind = type(value)
    if not dataclasses.is_dataclass(value) or kind in pytree.SUPPORTED_NODES:
        return False
    torch.export.register_dataclass(kind)
    return True


def flatten(value: Any) -> tuple[list[Any], Any]:
    """Leaves and structure, dataclasses taken apart too."""
    leaves, spec = pytree.tree_flatten(value)
    if any([_register(leaf) for leaf in leaves if dataclasses.is_dataclass(leaf)]):
        return flatten(value)
    return leaves, spec


def _flatten_arguments(arguments: Mapping[str, Any]) -> tuple[list[Any], Any]:
    """Leaves, and the structure: the names alone where each argument is a leaf, which is most often so, and fast."""
    for value in arguments.values():
        if type(value) not in _LEAVES:
            return flatten(dict(arguments))
    return list(arguments.values()), tuple(arguments)


def _unflatten_arguments(leaves: list[Any], spec: Any) -> dict[str, Any]:
    return dict(zip(spec, leaves)) if isinstance(spec, tuple) else pytree.tree_unflatten(leaves, spec)


def names_of(value: Any) -> list[str]:
    """For each leaf a name that is an identifier and no other leaf's: 'batch_input_ids'."""
    paths, _ = pytree.tree_flatten_with_path(value)
    names: list[str] = []
    for path, _ in paths:
        parts = [str(getattr(key, "key", getattr(key, "idx", getattr(key, "name", key)))) for key in path]
        name = re.sub(r"\W", "_", "_".join(parts)) or "input"
        name = f"input_{name}" if name[0].isdigit() else name
        while name in names:
            name += "_"
        names.append(name)
    return names


def describe(value: Any) -> str:
    """'float32[8, 64]', or what else it is."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    return repr(value)


class Batch:
    """Arguments by name, taken apart. Those with one `key` have tensors of the same shapes in the same places."""

    __slots__ = ("_arguments", "spec", "tensors", "_constants", "key")

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._arguments = arguments
        leaves, self.spec = _flatten_arguments(arguments)
        self.tensors: list[Any] = []
        constants: list[Any] = []
        parts: list[Any] = []
        for leaf in leaves:
            if isinstance(leaf, np.ndarray):
                leaf = torch.from_numpy(leaf)
            if isinstance(leaf, torch.Tensor):
                self.tensors.append(leaf)
                constants.append(_PLACE)
                parts.append((leaf.dtype, leaf.shape, leaf.requires_grad, leaf.is_cpu))
            else:
                constants.append(leaf)
                parts.append((type(leaf), leaf))
        self._constants = constants
        self.key = (self.spec, tuple(parts))

    def names(self) -> list[str]:
        """Of its tensors."""
        named = zip(names_of(dict(self._arguments)), self._constants)
        return [name for name, constant in named if constant is _PLACE]

    def check(self, takes_gradients: bool) -> None:
        """Refuses what no program can be made for. It holds for each batch of this key."""
        if not takes_gradients:
            self._check_gradients()
        for name, value in zip(names_of(dict(self._arguments)), self._constants):
            if value is not _PLACE and not isinstance(value, _CONSTANTS):
                raise UnsupportedError(
                    f"argument {name!r} is a {type(value).__module__}.{type(value).__qualname__}: a call takes "
                    "tensors, numbers, texts and None, in tuples, lists, dicts and dataclasses"
                )

    def _check_gradients(self) -> None:
        for tensor in self.tensors:
            if tensor.requires_grad:
                name = self._name_of(tensor)
                raise UnsupportedError(
                    f"argument {name!r} needs a gradient of its own, which a step does not compute: give "
                    f"{name}.detach(), or take wrap(), whose backward() does"
                )

    def check_device(self, device: Any) -> None:
        """Refuses a tensor on another device than the module is on."""
        for tensor in self.tensors:
            if not device.has(tensor):
                raise UnsupportedError(
                    f"argument {self._name_of(tensor)!r} is on {tensor.device}, and the module on {device}: move it "
                    f"there, with .to({'cpu' if device.kind == 'cpu' else str(device)!r})"
                )

    def _name_of(self, tensor: Any) -> str:
        return next(n for n, t in zip(self.names(), self.tensors) if t is tensor)

    def rebuild(self, tensors: Any) -> dict[str, Any]:
        """The arguments with other tensors, in the order of `tensors`."""
        rest = iter(tensors)
        leaves = [next(rest) if constant is _PLACE else constant for constant in self._constants]
        return _unflatten_arguments(leaves, self.spec)

    def describe(self) -> str:
        """'x float32[8, 64], target int64[8]'."""
        named = zip(names_of(dict(self._arguments)), self._constants)
        tensors = iter(self.tensors)
        texts = (f"{name} {describe(next(tensors))}" if constant is _PLACE else f"{name}={constant!r}"
                 for name, constant in named)
        return ", ".join(texts)
