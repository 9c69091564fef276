# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a torch module returns: where its loss is, and how the rest is put together again."""
from __future__ import annotations

from typing import Any, Mapping

import torch  # type: ignore[import-not-found]
from torch.utils import _pytree as pytree  # type: ignore[import-not-found]

from . import _batch
from ._errors import UsageError


def _is_loss(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dim() == 0 and value.is_floating_point()


def find_loss(output: Any, module: str) -> Any:
    """The loss in what a module returns: a scalar, what is called 'loss', or the first of a tuple."""
    candidate = output
    if isinstance(output, Mapping):
        candidate = output.get("loss")
    elif not isinstance(output, torch.Tensor) and hasattr(output, "loss"):
        candidate = output.loss
    elif isinstance(output, (tuple, list)) and output:
        candidate = output[0]
    if _is_loss(candidate):
        return candidate
    kind = _batch.describe(output) if isinstance(output, torch.Tensor) else f"a {type(output).__name__} without a loss"
    raise UsageError(
        f"{module} returns {kind} in training: wrap(module, loss=function) computes one of its outputs and "
        "target=, a transformers model returns one where it is given labels=, and torch.no_grad() runs it without"
    )


class Outputs:
    """The structure of what a module returned, its tensors apart."""

    def __init__(self, output: Any, loss: Any, keeps: bool) -> None:
        """`loss` is one of its tensors, or one beside it. Without `keeps` the others are dropped."""
        self._leaves, self._spec = _batch.flatten(output)
        self._names = _batch.names_of(output)
        self._places = [i for i, leaf in enumerate(self._leaves) if isinstance(leaf, torch.Tensor)]
        self._loss_at = next((i for i in self._places if self._leaves[i] is loss), None)
        self._places = [i for i in self._places if i != self._loss_at] if keeps else []
        self.tensors = [self._leaves[i] for i in self._places]
        self.names = [self._names[i] for i in self._places]
        # What is a tensor of the tracing is none of a run.
        self._leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in self._leaves]

    def forget(self) -> None:
        """Drops the tensors that it was made of."""
        self.tensors = []

    def rebuild(self, loss: Any, tensors: Any) -> Any:
        """What the module returns, with these in the place of its tensors."""
        leaves = list(self._leaves)
        for place, tensor in zip(self._places, tensors):
            leaves[place] = tensor
        if self._loss_at is not None:
            leaves[self._loss_at] = loss
        return pytree.tree_unflatten(leaves, self._spec)
