# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tensors of a torch module lie, and how programs reach them there: a CPU, or an NVIDIA GPU."""
from __future__ import annotations

import sys
from typing import Any, Sequence

import torch  # type: ignore[import-not-found]
from torch.utils.dlpack import to_dlpack  # type: ignore[import-not-found]

from . import _arrays, _runtime
from ._errors import UnsupportedError

_OUTPUT_PREFIX = "output."


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

    def empty(self, shape: Sequence[int], dtype: Any) -> Any:
        return torch.empty(shape, dtype=dtype)

    def number(self, value: float) -> Any:
        """A tensor of a single number."""
        return torch.scalar_tensor(value)


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

    def empty(self, shape: Sequence[int], dtype: Any) -> Any:
        return torch.empty(shape, dtype=dtype, device=self._place)

    def number(self, value: float) -> Any:
        return torch.scalar_tensor(value, device=self._place)


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


class Lent:
    """A storage whose tensors others have for a time, and whether they all are gone."""

    # A torch of another version may not count who holds a storage.
    is_known = hasattr(torch._C, "_storage_Use_Count")

    def __init__(self, tensor: Any) -> None:
        """Of a tensor, as long as nobody else has one of its storage."""
        self._storage = tensor.untyped_storage()
        self._own, self._address = self._count(), self._storage.data_ptr()

    def _count(self) -> Any:
        """By tensors, and by Python, which has one object of a storage."""
        if not self.is_known:
            return None
        return torch._C._storage_Use_Count(self._storage._cdata), sys.getrefcount(self._storage)

    def is_back(self) -> bool:
        """Whether there is no other tensor of it, nor what else holds it."""
        return self.is_known and self._count() == self._own and not self.is_moved()

    def is_moved(self) -> bool:
        """Whether it lies elsewhere now, as by share_memory_() or resize_() of a tensor of it."""
        return self._storage.data_ptr() != self._address


class _Output:
    """An output of a program, in memory that is the caller's as long as he has a tensor of it."""

    def __init__(self, device: Device, runner: _runtime.Runner, info: _runtime.TensorInfo) -> None:
        self.name = info.name.removeprefix(_OUTPUT_PREFIX)
        self._device, self._runner, self._full_name = device, runner, info.name
        self._shape, self._dtype = tuple(info.shape), getattr(torch, info.dtype)
        self._bound: Any = None
        # None on a GPU, where torch has memory at hand; and in inference_mode(), whose tensors autograd does not take.
        self._lent: Lent | None = None

    def memory(self) -> Any:
        """A tensor that the next run writes."""
        if self._lent is None or not self._lent.is_back():
            self._bound = self._device.empty(self._shape, self._dtype)
            self._runner.bind_output(self._full_name, self._device.capsule(self._bound))
            is_kept = self._device.kind == "cpu" and not self._bound.is_inference()
            self._lent = Lent(self._bound) if is_kept else None
        # Another one: what is bound lives until the next call, and would keep its gradient function with it.
        return self._bound.detach()


class Bindings:
    """What a program reads and writes beside its state: the tensors of a batch, and the outputs of a module."""

    def __init__(self, device: Device, runner: _runtime.Runner, entry: _runtime.Entry, inputs: Sequence[str]) -> None:
        """`inputs` are the names of a batch's tensors, of which a program may not read some."""
        self._device, self._runner = device, runner
        read = {info.name for info in entry.inputs}
        self._inputs = [(index, name) for index, name in enumerate(inputs) if name in read]
        # An evaluation has no others. A step has its loss and gradients, too.
        is_step = entry.role != _runtime.ENTRY_EVAL
        self._outputs = [_Output(device, runner, info) for info in entry.outputs
                         if info.name.startswith(_OUTPUT_PREFIX) or not is_step]

    def bind(self, tensors: Sequence[Any]) -> dict[str, Any]:
        """Binds those of a batch; gives memory for each output, which is the caller's then."""
        for index, name in self._inputs:
            self._runner.bind_input(name, self._device.capsule(tensors[index]))
        return {output.name: output.memory() for output in self._outputs}
