# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call in training that torch runs, in the precision and at the loss scale of the programs."""
from __future__ import annotations

from typing import Any, Callable

import torch  # type: ignore[import-not-found]
from torch.utils import _pytree as pytree  # type: ignore[import-not-found]

from ._gradients import Result, attach, gradients_beside
from ._outputs import Outputs, find_loss

_TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
_REPLAYS = 16


class TorchCall:
    """Runs a module by torch. In fp16 the gradients are scaled as a program's are; else they are torch's own."""

    def __init__(self, plain: Callable[..., Any]) -> None:
        self._plain = plain

    def run(self, kind: str, precision: str, program: Any, scaler: Any, call: tuple) -> Any:
        """On a `kind` of device. `program`, which may be None, has the loss scale; with `scaler` an overflow is handed on."""
        with torch.autocast(kind, dtype=_TYPES.get(precision), enabled=precision in _TYPES):
            value, output = self._plain(*call)
        if precision != "fp16" or scaler is not None or program is None:
            if value is not output:
                value.outputs = output
            return value
        wanted = [one for one in pytree.tree_leaves(call[1:3]) if isinstance(one, torch.Tensor) and one.requires_grad]
        return self._scaled(call[0], wanted, program, value, output)

    def _scaled(self, wrapped: Any, wanted: list[Any], program: Any, value: Any, output: Any) -> Any:
        has_own = value is not output
        loss = value if has_own else find_loss(output, type(wrapped).__name__)
        structure = Outputs(output, loss, True)
        parameters = [parameter for parameter in wrapped.parameters() if parameter.requires_grad] + wanted
        found = self._finite(loss, parameters, program)
        used = [(parameter, g) for parameter, g in zip(parameters, found) if g is not None]
        gradients = gradients_beside([parameter for parameter, _ in used])
        for memory, (_, gradient) in zip(gradients.tensors, used):
            memory.copy_(gradient)
        result = Result(loss.detach().float(), [t.detach() for t in structure.tensors], structure.names)
        gradients.give(result)
        attached, outputs = attach(result, [parameter for parameter, _ in used])
        if not has_own:
            return structure.rebuild(attached, outputs)
        attached.outputs = structure.rebuild(None, [o.detach() for o in outputs])
        return attached

    def _finite(self, loss: Any, parameters: list[Any], program: Any) -> list[Any]:
        """Gradients, unscaled: of the largest scale, from the program's down, at which they are finite."""
        scale = program.scale
        for attempt in range(_REPLAYS + 1):
            found = torch.autograd.grad(loss * scale, parameters, retain_graph=True, allow_unused=True)
            is_finite = all(g is None or bool(torch.isfinite(g).all()) for g in found)
            if is_finite or attempt == _REPLAYS:
                break
            scale /= 2
            program.scale = scale
        return [None if g is None else g / scale for g in found]
