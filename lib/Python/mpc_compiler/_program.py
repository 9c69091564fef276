# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of a torch module, compiled: loss, outputs and gradients of one batch's structure."""
from __future__ import annotations

import time
from typing import Any, Mapping

import torch  # type: ignore[import-not-found]

from . import _compile, _runtime
from ._errors import InvalidInputError, warn
from ._export import Exported
from ._gradients import Result
from ._device import Bindings, Device
from ._memory import Home, shared_names
from ._threads import Sleeping

_REPLAYS = 16


def _flags(exported: Exported, module: Any, precision: str, options: Mapping[str, Any]) -> list[str]:
    trained = set(exported.trained)
    frozen = [name for name, _ in module.named_parameters() if name not in trained]
    merged: dict[str, Any] = {
        "precision": precision,
        "loss": f"output:{exported.loss}",
        "optimizer": "callback",
        "always_write_buffers": bool(exported.written),
        "step_outputs": any(isinstance(output, str) for output in exported.outputs),
        "input_gradient": [exported.inputs[i] for i in exported.wanted],
        "freeze": [_compile._pattern(name) for name in frozen if name in exported.values],
    }
    if precision == "fp16":
        merged["loss_scale"] = "dynamic"
    merged.update(options)
    return _compile._flags(merged)


def compiled(exported: Exported, module: Any, flags: Any) -> _runtime.Program:
    """The program of an exported call. What the module has in its own tensors it does not hold a second time."""
    model = _compile._compiler().Model.load_exported(exported.program, type(module).__name__)
    for name, value in exported.values.items():
        value = value.detach().resolve_conj().contiguous().cpu()
        model.set_value(name, torch.view_as_real(value) if value.is_complex() else value)
    program, messages = model.compile(flags)
    _compile._tell(messages)
    shared = [name for name in shared_names(program, module) if name in exported.values]
    exported.values.clear()
    return program.without_values(shared)


def compile_exported(
    exported: Exported, module: Any, device: Device, precision: str, options: Mapping[str, Any]
) -> _runtime.Program:
    """The program of an exported call with a loss. Its gradients are its outputs; it updates nothing."""
    return compiled(exported, module, _flags(exported, module, precision, {**device.options(), **options}))


class CompiledCall:
    """A program on its runner."""

    def __init__(self, program: _runtime.Program, exported: Exported, module: Any, home: Home, seed: int) -> None:
        self._exported, self._home, self._device = exported, home, home.device
        self.runner = home.runner_of(program, seed)
        home.link(self.runner, program, module)
        self.names = tuple(exported.trained)
        # What the program calls the gradients of its primals.
        self._gradients = (*[f"grad.{name}" for name in self.names],
                           *[f"input_grad.{exported.inputs[i]}" for i in exported.wanted])
        for name in home.missing(exported.written):
            raise InvalidInputError(f"buffer {name!r} is written by a call, and the program does not have it")
        step = next(entry for entry in program.entries() if entry.role == _runtime.ENTRY_STEP)
        self._bindings = Bindings(home.device, self.runner, step, exported.inputs)
        computed = {info.name for info in step.outputs}
        # What reads them adds nothing to the loss, as where() by a known condition.
        self._zeros = [i for i, name in enumerate(self._gradients) if name not in computed]
        self._bound: Any = None
        self._torch_sleeps = Sleeping()
        self._has_noise = any(info.tensor.name == "amp.hyper.random_seed" for info in program.state())
        self._has_scale = any(info.role == _runtime.STATE_LOSS_SCALE for info in program.state())
        self._parameters: list[Any] = []
        self._held = -1  # Of which adoption of the home they are.
        self.runner.write_number("lr", 1.0)
        if self.names:
            self.runner.set_optimizer(lambda update: None, None, False)

    @property
    def parameters(self) -> list[Any]:
        """Those that have a gradient, as the module had them when a call last began."""
        if self._held != self._home.adoptions:
            self._held, self._parameters = self._home.adoptions, self._home.of_module(self.names)
        return self._parameters

    def primals(self, tensors: list[Any]) -> list[Any]:
        """What a call has gradients of: parameters, and those of the batch's tensors that want one."""
        wanted = self._exported.wanted
        return [*self.parameters, *[tensors[i] for i in wanted]] if wanted else self.parameters

    @property
    def scale(self) -> float:
        return self.runner.read_number("scale") if self._has_scale else 1.0

    @scale.setter
    def scale(self, value: float) -> None:
        if self._has_scale:
            self.runner.write_number("scale", value)

    def run(self, tensors: list[Any], scaler: Any) -> Result:
        """Runs the program on the tensors of a batch; an overflow is run again at a lower scale, without `scaler`."""
        self._home.hold()
        outputs = self._bindings.bind(tensors)
        # Parameters have the same sizes in all programs; tensors of a batch have not.
        key = (*self._gradients, *[tensors[i].shape for i in self._exported.wanted])
        gradients = self._home.gradients(key, self.primals(tensors))
        self._bind_gradients(gradients)
        for index in self._zeros:
            gradients.tensors[index].zero_()
        if self._has_noise:
            self.runner.write_number("random_seed", float(torch.randint(2**31, ()).item()))
        if scaler is not None:
            self.scale = float(scaler.get_scale())
        step = self._step(replays=0 if scaler is not None or not self._has_scale else _REPLAYS)
        loss = self._device.number(step.loss)
        result = Result(loss, [tensors[o] if isinstance(o, int) else outputs[o] for o in self._exported.outputs],
                        self._exported.structure.names)
        gradients.give(result)
        return result

    def _step(self, replays: int) -> _runtime.StepResult:
        written = self._home.tensors(self._exported.written) if replays else []
        before = [tensor.clone() for tensor in written]
        step = self._run()
        for _ in range(replays):
            if not step.found_inf:
                return step
            for tensor, value in zip(written, before):
                tensor.copy_(value)
            step = self._run()
        if replays and step.found_inf:
            warn(
                f"gradients are not finite at any loss scale down to {step.scale:g}: they are handed on as they are")
        return step

    def _run(self) -> _runtime.StepResult:
        self._device.begin(self.runner)
        with self._torch_sleeps:
            return self.runner.step()

    def _bind_gradients(self, gradients: Any) -> None:
        if self._bound is not gradients:
            for index, (name, memory) in enumerate(zip(self._gradients, gradients.memory(self._device))):
                if index not in self._zeros:
                    self.runner.bind_output(name, memory)
            self._bound = gradients


class Timed:
    """Seconds of what runs inside."""

    def __enter__(self) -> "Timed":
        self._begin = time.perf_counter()
        return self

    def __exit__(self, *_: Any) -> None:
        self.seconds = time.perf_counter() - self._begin


