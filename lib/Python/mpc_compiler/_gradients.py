# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loss of a program as a tensor of torch: its backward adds the gradients that the program has computed."""
from __future__ import annotations

import weakref
from typing import Any, Sequence

import torch  # type: ignore[import-not-found]

from ._errors import UsageError


class Gradients:
    """Memory of one gradient for each parameter, which one call's result has at a time."""

    def __init__(self, parameters: Sequence[Any]) -> None:
        sizes = [parameter.numel() for parameter in parameters]
        places = [-(-size // 16) * 16 for size in sizes]  # 64 bytes.
        memory = torch.empty(sum(places) + 16)
        first = (-memory.data_ptr() % 64) // 4
        parts = torch.split(memory[first : first + sum(places)], places)
        self.tensors = [part[:size].view(parameter.shape) for part, size, parameter in zip(parts, sizes, parameters)]
        self._user: Any = lambda: None

    def is_free(self) -> bool:
        user = self._user()
        return user is None or user.gradients is None

    def give(self, result: "Result") -> None:
        self._user = weakref.ref(result)
        result.gradients = self


class Result:
    """What a call came to."""

    __slots__ = ("loss", "outputs", "names", "gradients", "__weakref__")

    def __init__(self, loss: Any, outputs: Sequence[Any], names: Sequence[str]) -> None:
        self.loss, self.outputs, self.names = loss, list(outputs), list(names)
        self.gradients: Gradients | None = None

    def take(self) -> list[Any]:
        """The gradients, once."""
        if self.gradients is None:
            raise UsageError(
                "a second backward through this loss: the program has computed its gradients once; call the model "
                "again, or add the losses and call backward on the sum"
            )
        tensors = self.gradients.tensors
        self.gradients = None
        return tensors


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, result: Result, *parameters: Any) -> Any:
        ctx.result = result
        ctx.set_materialize_grads(False)
        return (result.loss, *(output for output in result.outputs if output.is_floating_point()))

    @staticmethod
    def backward(ctx: Any, loss: Any, *outputs: Any) -> Any:
        names = [n for n, output in zip(ctx.result.names, ctx.result.outputs) if output.is_floating_point()]
        for name, gradient in zip(names, outputs):
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
        return (None, *torch._foreach_mul(ctx.result.take(), loss))


def attach(result: Result, parameters: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Loss and outputs as autograd has them."""
    loss, *floating = _Loss.apply(result, *parameters)
    rest = iter(floating)
    outputs = [next(rest) if output.is_floating_point() else output for output in result.outputs]
    return loss, outputs
