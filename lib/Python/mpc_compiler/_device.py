# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tensors of a torch module lie, and how programs reach them there: a CPU, or an NVIDIA GPU."""
from __future__ import annotations

from typing import Any, Iterable, Mapping

import torch  # type: ignore[import-not-found]
from torch.utils.dlpack import to_dlpack  # type: ignore[import-not-found]

from . import _arrays, _runtime
from ._errors import UnsupportedError


class Device:
    """A CPU, in whose memory programs and torch work side by side."""

    kind = "cpu"  # As torch names it, also for torch.autocast.

    def options(self) -> dict[str, Any]:
        """What a program for it is compiled with."""
        return {}

    def has(self, tensor: Any) -> bool:
        """Whether a program reaches a tensor."""
        return tensor.device.type == self.kind

    def __str__(self) -> str:
        return "a CPU"

    def begin(self, runner: _runtime.Runner) -> None:
        """Before a run, and before memory of it is shared."""

    def state(self, runner: _runtime.Runner, name: str) -> Any:
        """A tensor of a runner's state where it lies."""
        return torch.from_dlpack(_arrays.Memory(runner.edit_state(name)))

    def capsule(self, tensor: Any) -> Any:
        """What a runner binds without a copy; its own way to ask a tensor of torch for it is slower."""
        if tensor.requires_grad or not tensor.is_contiguous():
            tensor = tensor.detach().contiguous()
        return to_dlpack(tensor)

    def empty(self, shape: Iterable[int], dtype: Any) -> Any:
        return torch.empty(tuple(shape), dtype=dtype)

    def number(self, value: float) -> Any:
        """A tensor of a single number."""
        return torch.tensor(value)


class Gpu(Device):
    """A GPU. What a run reads and writes there is in the order of torch's stream, and passes through no host."""

    kind = "cuda"

    def __init__(self, place: Any) -> None:
        self._place = place

    def options(self) -> dict[str, Any]:
        return {"cpu": "cuda:sm_{}{}".format(*torch.cuda.get_device_capability(self._place))}

    def has(self, tensor: Any) -> bool:
        return tensor.device == self._place

    def __str__(self) -> str:
        return str(self._place)

    def begin(self, runner: _runtime.Runner) -> None:
        runner.set_stream(torch.cuda.current_stream(self._place).cuda_stream)

    def state(self, runner: _runtime.Runner, name: str) -> Any:
        self.begin(runner)
        return torch.from_dlpack(_arrays.Memory(runner.edit_device_state(name), _arrays.GPU))

    def empty(self, shape: Iterable[int], dtype: Any) -> Any:
        return torch.empty(tuple(shape), dtype=dtype, device=self._place)

    def number(self, value: float) -> Any:
        return torch.tensor(value, device=self._place)


def device_of(module: Any) -> Device:
    """The one on which all parameters and buffers of a module are."""
    places = {}
    for named in (module.named_parameters, module.named_buffers):
        for name, tensor in named():
            places.setdefault(tensor.device, name)
    if len(places) > 1:
        (one, first), (other, second) = list(places.items())[:2]
        raise UnsupportedError(
            f"{first!r} is on {one} and {second!r} on {other}: a program runs on one device; move the module there"
        )
    for place, name in places.items():
        if place.type == "cuda" and place.index == 0:
            return Gpu(place)
        if place.type != "cpu":
            raise UnsupportedError(
                f"{name!r} is on {place}, and wrap() and step() run programs on a CPU or on cuda:0: "
                "wrap(module.cpu()), or module.cuda() in a process that sees one GPU"
            )
    return Device()


def bind_outputs(device: Device, runner: _runtime.Runner, infos: Mapping[str, _runtime.TensorInfo]) -> dict[str, Any]:
    """New memory for each output, which is the caller's then."""
    made = {}
    for name, info in infos.items():
        bound = device.empty(info.shape, getattr(torch, info.dtype))
        runner.bind_output(info.name, device.capsule(bound))
        # Another tensor: what is bound lives until the next call, and would keep its gradient function with it.
        made[name] = bound.detach()
    return made
