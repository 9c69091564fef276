# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loss of a program as a tensor of torch: its backward adds the gradients that the program has computed."""
from __future__ import annotations

import math
import weakref
from typing import Any, Callable, Sequence

import numpy as np
import torch  # type: ignore[import-not-found]

from ._device import Device, Lent
from ._errors import UsageError

_ALIGNED = 16  # Elements: 64 bytes.


def _strides(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return strides[: len(shape)]


def _places_of(parameters: Sequence[Any]) -> tuple[list[tuple[Any, list[int], int]], int]:
    """Shape, strides and begin of each parameter's gradient in one memory, and its size."""
    begin, places = 0, []
    for parameter in parameters:
        shape = (*parameter.shape, 2) if parameter.is_complex() else tuple(parameter.shape)
        places.append((shape, _strides(shape), begin))
        begin += -(-math.prod(shape) // _ALIGNED) * _ALIGNED
    return places, begin


def _split(flat: Any, places: Sequence[tuple[Any, list[int], int]], parameters: Sequence[Any]) -> list[Any]:
    """A tensor for each parameter. A program has complex numbers as pairs along a last axis."""
    parts = [flat.as_strided(*place) for place in places]
    return [torch.view_as_complex(t) if p.is_complex() else t for t, p in zip(parts, parameters)]


class Gradients:
    """Memory of one gradient for each parameter, which the program writes.

    One call's result has it at a time, and then whoever has its tensors: they become ``.grad`` without a copy.
    """

    def __init__(self, parameters: Sequence[Any]) -> None:
        places, size = _places_of(parameters)
        memory = np.zeros(size + _ALIGNED, np.float32)
        first = (-memory.ctypes.data % 64) // 4
        memory = memory[first : first + size]
        self._flat = torch.from_numpy(memory)
        self.tensors = _split(self._flat, places, parameters)
        # Of NumPy alone: what a runner has bound is there as long as it is bound.
        self._arrays = [memory[begin : begin + math.prod(shape)].reshape(shape) for shape, _, begin in places]
        self._lent = Lent(self._flat)
        self._user: Any = lambda: None
        self.last_call = 0  # Which of all calls had it last.

    def is_free(self) -> bool:
        """Whether no loss waits with it, and no tensor of it is left."""
        user = self._user()
        return (user is None or user.gradients is None) and (not Lent.is_known or self._lent.is_back())

    def is_lost(self) -> bool:
        """Whether its tensors lie elsewhere by now, for good."""
        return self._lent.is_moved()

    def memory(self, device: Device) -> list[Any]:
        """What a runner binds, which holds no tensor of this."""
        return self._arrays

    def give(self, result: "Result") -> None:
        self._user = weakref.ref(result)
        result.gradients = self

    def take(self, factor: Any) -> list[Any]:
        """The gradients times a number, as tensors that nobody else has, which lie here."""
        if factor.item() != 1.0:
            self._flat *= factor
        # To make one of another takes a third of the time that it takes by shape and strides.
        return [*map(torch.Tensor.detach if Lent.is_known else torch.Tensor.clone, self.tensors)]


class DeviceGradients:
    """The same for one call on a GPU, where torch has memory at hand for the next."""

    def __init__(self, parameters: Sequence[Any], empty: Callable[[tuple[int, ...], Any], Any]) -> None:
        """`empty` makes a tensor of a shape and a type there."""
        self._places, size = _places_of(parameters)
        self._flat = empty((size,), torch.float32)
        self._parameters = parameters
        self.tensors = _split(self._flat, self._places, parameters)

    def memory(self, device: Device) -> list[Any]:
        return [device.capsule(self._flat.as_strided(*place)) for place in self._places]

    def give(self, result: "Result") -> None:
        result.gradients = self

    def take(self, factor: Any) -> list[Any]:
        """The gradients times a number."""
        self._flat.mul_(factor.to(self._flat.device))
        # Tensors that nobody else has: they become ``.grad`` without a copy.
        return _split(self._flat, self._places, self._parameters)


def gradients_beside(parameters: Sequence[Any]) -> Gradients | DeviceGradients:
    """Memory of one gradient for each parameter, on the device that they are on."""
    if not parameters or parameters[0].device.type == "cpu":
        return Gradients(parameters)
    return DeviceGradients(parameters, lambda shape, dtype: torch.empty(shape, dtype=dtype, device=parameters[0].device))


class Result:
    """What a call came to."""

    __slots__ = ("loss", "outputs", "names", "gradients", "__weakref__")

    def __init__(self, loss: Any, outputs: Sequence[Any], names: Sequence[str]) -> None:
        self.loss, self.outputs, self.names = loss, outputs, names
        self.gradients: Gradients | DeviceGradients | None = None

    def give_values(self) -> tuple[Any, ...]:
        """The loss, and the outputs that could have a gradient. They are not kept: their gradient function has this."""
        values = (self.loss, *[output for output in self.outputs if output.is_floating_point()])
        self.names = [n for n, output in zip(self.names, self.outputs) if output.is_floating_point()]
        self.loss, self.outputs = None, ()
        return values

    def take(self, factor: Any) -> list[Any]:
        """The gradients times a number, once."""
        if self.gradients is None:
            raise UsageError(
                "a second backward through this loss: the program has computed its gradients once; call the model "
                "again, or add the losses and call backward on the sum"
            )
        gradients, self.gradients = self.gradients, None
        return gradients.take(factor)


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, result: Result, *parameters: Any) -> Any:
        ctx.result = result
        ctx.set_materialize_grads(False)
        return result.give_values()

    @staticmethod
    def backward(ctx: Any, loss: Any, *outputs: Any) -> Any:
        for name, gradient in zip(ctx.result.names, outputs):
            if gradient is not None:
                raise UsageError(
                    f"a backward through output {name!r} of a compiled model: only its loss has a gradient; give "
                    "wrap() a loss= that has all terms, or use .detach() where no gradient is meant"
                )
        if torch.is_grad_enabled():
            raise UsageError(
                "create_graph=True through a compiled model: its gradients have no gradient; call the plain module"
            )
        count = len(ctx.needs_input_grad) - 1
        if loss is None:
            return (None,) * (count + 1)
        return (None, *ctx.result.take(loss))


def attach(result: Result, parameters: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Loss and outputs as autograd has them."""
    outputs = result.outputs
    loss, *floating = _Loss.apply(result, *parameters)
    rest = iter(floating)
    outputs = [next(rest) if output.is_floating_point() else output for output in outputs]
    return loss, outputs
