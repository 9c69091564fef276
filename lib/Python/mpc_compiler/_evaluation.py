# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call of a torch module in eval(), compiled: its outputs, of the weights as they are."""
from __future__ import annotations

from typing import Any

from . import _compile, _runtime
from ._export import Exported
from ._device import Bindings, Device
from ._memory import Home
from ._program import compiled
from ._threads import Sleeping


def compile_evaluation(exported: Exported, module: Any, device: Device, precision: str) -> _runtime.Program:
    """The program of an exported call without a loss."""
    return compiled(exported, module, _compile._flags({"eval": True, "precision": precision, **device.options()}))


class Evaluation:
    """A program on its runner. Its weights lie in another way than a training's, so that they move between the two."""

    def __init__(self, program: _runtime.Program, exported: Exported, module: Any, home: Home, seed: int) -> None:
        self._exported, self._home = exported, home
        self.runner = home.runner_of(program, seed)
        home.link(self.runner, program, module)
        entry = next(entry for entry in program.entries() if entry.role == _runtime.ENTRY_EVAL)
        self._bindings = Bindings(home.device, self.runner, entry, exported.inputs)
        self._torch_sleeps = Sleeping()

    def run(self, tensors: list[Any]) -> Any:
        """What the module returns for the tensors of a batch."""
        self._home.hold()
        made = self._bindings.bind(tensors)
        self._home.device.begin(self.runner)
        with self._torch_sleeps:
            self.runner.evaluate()
        found = [tensors[o] if isinstance(o, int) else made[o] for o in self._exported.outputs]
        return self._exported.structure.rebuild(None, found)
