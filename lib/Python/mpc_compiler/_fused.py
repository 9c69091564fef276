# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""step(): forward, backward and optimizer of a torch module in one call."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Mapping

import torch  # type: ignore[import-not-found]

from . import _compile, _groups, _runtime, _slots
from ._batch import Batch
from ._calls import Calls, Report, Structure, check_module
from ._compile import _precision_name
from ._errors import UsageError
from ._export import Exported
from ._device import Bindings
from ._memory import Home, place
from ._profile import Profiles
from ._program import Timed, compiled
from ._threads import Sleeping
from ._wrap import wrap
from .ranks import flags_of


@dataclasses.dataclass
class _Recipe:
    """What every program of a step is compiled with beside its precision."""

    scaler: Any
    clip_norm: float | None
    accumulate: int | None
    ranks: Any
    outputs: bool
    options: Mapping[str, Any]

    @property
    def calls(self) -> int:
        """How many calls of this process make a step."""
        size = 1 if self.ranks is None else self.ranks.size
        return max(1, (self.accumulate or size) // size)


def trained_names(exported: Exported, module: Any) -> dict[int, str]:
    """The names of the parameters with a gradient."""
    return {id(module.get_parameter(name)): name for name in exported.trained}


class _Program:
    """A compiled step on its runner."""

    def __init__(self, program: _runtime.Program, exported: Exported, home: Home, module: Any, optimizer: Any,
                 parts: _groups.Partition, ranks: Any) -> None:
        self._exported, self._home = exported, home
        self.runner = home.runner_of(program, torch.initial_seed() % 2**53)
        home.link(self.runner, program, module)
        groups = _groups.members(optimizer.param_groups, parts, trained_names(exported, module))
        named = dict(module.named_parameters())
        self.slots = _slots.Slots(optimizer, home.device, self.runner, program, named, home.numbers, parts, groups)
        entries = [e for e in program.entries() if e.role in (_runtime.ENTRY_STEP, _runtime.ENTRY_ACCUMULATE)]
        self._bindings = Bindings(home.device, self.runner, entries[0], exported.inputs)
        self._made: dict[str, Any] = {}  # The outputs of the last batch.
        # Ranks draw by one seed, which rank 0 gave to all, and by the number of the batch.
        self._has_noise = ranks is None and any(info.tensor.name == "amp.hyper.random_seed" for info in program.state())
        self._torch_sleeps = Sleeping()

    def hold(self) -> None:
        """Takes over what the module and its optimizer have."""
        self._home.hold()
        self.slots.hold()

    def bind(self, tensors: list[Any]) -> None:
        self.slots.before()
        self._made = self._bindings.bind(tensors)
        if self._has_noise:
            self.runner.write_number("random_seed", float(torch.randint(2**31, ()).item()))

    def run(self, entry: Callable[[], Any]) -> Any:
        self._home.device.begin(self.runner)
        with self._torch_sleeps:
            return entry()

    def number(self, value: float) -> Any:
        return self._home.device.number(value)

    def outputs(self, tensors: list[Any]) -> Any:
        """What the module returned for the last batch."""
        found = [tensors[o] if isinstance(o, int) else self._made[o] for o in self._exported.outputs]
        return self._exported.structure.rebuild(None, found)


class Step:
    """A training step of a torch module: see :func:`step`."""

    def __init__(self, model: Any, optimizer: Any, calls: Calls, recipe: _Recipe) -> None:
        self._model, self._optimizer, self._calls, self._recipe = model, optimizer, calls, recipe
        self._homes: list[Home] = []
        self._has_begun = False  # Of several ranks: whether all have the state of the first.
        self._parts = _groups.Partition()
        self._batches = 0  # Of the window that is under way, and what compiled them.
        self._window: _Program | None = None
        calls.on_new_parts = self._take_new_parts
        self._take_new_parts()
        self._wrapped: Any = None
        self._steps_by_torch = 0
        self.result: _runtime.StepResult | None = None
        self.outputs: Any = None

    def _take_new_parts(self) -> None:
        self._homes.clear()
        self._groups_watch: _runtime.Watch | None = None  # Of the optimizer's groups, as they were looked at last.
        self._names = {id(parameter): name for name, parameter in self._model.named_parameters()}
        self._parts = _groups.partition(self._optimizer.param_groups, self._parts)
        self._switches = _slots.switches(self._optimizer, self._parts)
        self._reason = _slots.why_not_compiled(self._optimizer, self._names, self._parts)

    def _look_at_optimizer(self) -> None:
        """Another rule, other groups or switches want other programs."""
        if self._groups_watch is not None and self._groups_watch.is_unchanged():
            return
        parts = _groups.partition(self._optimizer.param_groups, self._parts)
        if self._switches == _slots.switches(self._optimizer, parts):
            self._groups_watch = _slots.watch_groups(self._optimizer)
            return
        if self._batches:
            raise UsageError("the optimizer's groups have changed before all batches of accumulate= were there")
        self._calls.forget()
        self._take_new_parts()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a batch; its loss as a tensor without gradient. The last of a window updates the weights."""
        target, has_target, args = self._target_of(args, kwargs)
        arguments = self._calls.bind(args, kwargs)
        if not self._model.training:
            raise UsageError("the model is in eval(): call model.train() before a step")
        self._look_at_optimizer()
        if self._reason:
            self._refuse_on_ranks()
            return self._by_torch(args, kwargs, target, has_target)
        batch = self._calls.batch(arguments, target, has_target)
        precision = self._calls.precision()
        structure = self._calls.structure(batch, precision)
        try:
            if structure.program is None:
                self._compile(structure, batch, precision, has_target)
            structure.program.hold()
        except _slots.UnevenError as error:
            self._reason = str(error)
            self._refuse_on_ranks()
            return self._by_torch(args, kwargs, target, has_target)
        if self._recipe.ranks is not None and not self._has_begun:
            structure.program.runner.broadcast_state()
            self._has_begun = True
        structure.compiled += 1
        return self._run(structure, batch)

    def _refuse_on_ranks(self) -> None:
        if self._recipe.ranks is not None:
            raise UsageError(f"ranks= wants an optimizer that is compiled, and torch runs this one: {self._reason}")

    def _target_of(self, args: tuple, kwargs: dict[str, Any]) -> tuple[Any, bool, tuple]:
        """What the loss takes beside outputs: target=, or the last positional argument."""
        if self._calls.loss is None:
            return None, False, args
        name = self._calls.target
        if name in kwargs:
            return kwargs.pop(name), True, args
        if not args:
            raise UsageError(f"the step has a loss: give what it takes beside outputs as {name}=")
        return args[-1], True, args[:-1]

    # --- Compiled ------------------------------------------------------------------------------

    def _compile(self, structure: Structure, batch: Batch, precision: str, has_target: bool) -> None:
        with Timed() as time:
            structure.exported = self._calls.export(batch, has_target)
            program = self._compiled(structure.exported, precision)
            exported = structure.exported
            structure.program = place(
                self._homes, program, self._calls.device, 0, torch.initial_seed() % 2**53,
                lambda home: _Program(program, exported, home, self._model, self._optimizer, self._parts,
                                      self._recipe.ranks),
                self._recipe.ranks)
        structure.seconds = time.seconds

    def _compiled(self, exported: Exported, precision: str) -> _runtime.Program:
        given = {id(p) for group in self._optimizer.param_groups for p in group["params"]}
        trained = {name for name in exported.trained if id(self._model.get_parameter(name)) in given}
        frozen = [name for name, _ in self._model.named_parameters() if name not in trained and name in exported.values]
        recipe = self._recipe
        flags: dict[str, Any] = {
            "precision": precision,
            "loss": f"output:{exported.loss}",
            **_slots.flags_of(self._optimizer, self._names, self._parts, trained_names(exported, self._model)),
            **_compile._scaler_options(recipe.scaler),
            "clip_global_norm": recipe.clip_norm,
            "step_outputs": recipe.outputs and any(isinstance(output, str) for output in exported.outputs),
            "freeze": [_compile._pattern(name) for name in frozen],
        }
        flags.update(flags_of(recipe.ranks, recipe.accumulate, recipe.options))
        options = {**self._calls.device.options(), **recipe.options}
        program = compiled(exported, self._model, _compile._flags({**flags, **options}))
        # A parameter that the program does not update has no slots beside others'.
        updated = {info.owner for info in program.state() if info.role == _runtime.STATE_SLOT}
        for name in exported.trained:
            if updated and name in trained and name not in updated:
                raise _slots.UnevenError(f"{name} has a gradient of zeros: torch runs the optimizer's step()")
        return program

    def _run(self, structure: Structure, batch: Batch) -> Any:
        program = structure.program
        if self._batches and program is not self._window:
            raise UsageError(
                "the batches of one step of accumulate= have other shapes: wrap() accumulates any; or let the loader "
                "drop the last"
            )
        if self._batches == 0:
            self._hooks("_optimizer_step_pre_hooks")
        self._calls.tell_run(structure)
        program.bind(batch.tensors)
        if self._recipe.calls > 1:
            loss = program.run(program.runner.accumulate)
            self._window, self._batches = program, (self._batches + 1) % self._recipe.calls
            if self._batches == 0:
                self._finish(program, program.run(program.runner.apply))
        else:
            self._finish(program, program.run(program.runner.step))
            assert self.result is not None
            loss = self.result.loss
        if self._recipe.outputs:
            self.outputs = program.outputs(batch.tensors)
        return program.number(loss)

    def _finish(self, program: _Program, result: _runtime.StepResult) -> None:
        self.result = result
        program.slots.after(result.skipped)
        scaler = self._recipe.scaler
        if hasattr(scaler, "load_state_dict") and scaler.is_enabled():
            numbers = {"scale": program.runner.read_number("scale"),
                       "_growth_tracker": int(program.runner.read_number("counter"))}
            scaler.load_state_dict({**scaler.state_dict(), **numbers})
        # What torch's schedulers look at, to warn who has forgotten the step.
        self._optimizer._opt_called = True
        self._hooks("_optimizer_step_post_hooks")

    def _hooks(self, name: str) -> None:
        for hook in getattr(self._optimizer, name).values():
            hook(self._optimizer, (), {})

    # --- By torch's optimizer ------------------------------------------------------------------

    def _by_torch(self, args: tuple, kwargs: dict[str, Any], target: Any, has_target: bool) -> Any:
        recipe = self._recipe
        if self._wrapped is None:
            self._wrapped = wrap(
                self._model, loss=self._calls.loss, precision=self._calls._fixed_precision, options=recipe.options,
                scaler=recipe.scaler if hasattr(recipe.scaler, "get_scale") else None, outputs=recipe.outputs)
            self._wrapped._mpc_control.calls.share_profiles(self._calls)
        if self._batches == 0:
            self._optimizer.zero_grad()  # A loop may have left gradients there.
        output = self._wrapped(*args, **kwargs, **({self._calls.target: target} if has_target else {}))
        loss = self._loss_of(output, has_target)
        scaler = recipe.scaler if hasattr(recipe.scaler, "scale") else None
        scaled = loss / recipe.calls if recipe.calls > 1 else loss
        (scaled if scaler is None else scaler.scale(scaled)).backward()
        self._batches = (self._batches + 1) % recipe.calls
        if self._batches == 0:
            self._step_by_torch(scaler)
        return loss.detach()

    def _loss_of(self, output: Any, has_target: bool) -> Any:
        from ._outputs import find_loss

        if has_target:
            self.outputs = getattr(output, "outputs", None)
            return output
        self.outputs = output
        return find_loss(output, type(self._model).__name__)

    def _step_by_torch(self, scaler: Any) -> None:
        self._steps_by_torch += 1
        if scaler is not None:
            scaler.unscale_(self._optimizer)
        if self._recipe.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(self._model.parameters(), self._recipe.clip_norm)
        if scaler is None:
            self._optimizer.step()
        else:
            scaler.step(self._optimizer)
            scaler.update()
        self._optimizer.zero_grad()

    def profile(self) -> Profiles:
        """A profile of the programs that run inside of a ``with``, as of a wrapped module; not of torch's own optimizer."""
        return self._calls.profile()

    def report(self) -> Report:
        """Which programs there are, and what torch's own optimizer does."""
        report = self._calls.report()
        if self._wrapped is not None:
            report = self._wrapped._mpc_control.calls.report()
        if self._reason:
            report.notes = (f"{self._steps_by_torch} optimizer steps by torch: {self._reason}",)
        return report


def step(
    model: Any,
    optimizer: Any,
    loss: Callable[..., Any] | None = None,
    *,
    precision: Any = None,
    scaler: Any = None,
    clip_norm: float | None = None,
    accumulate: int | None = None,
    outputs: bool = False,
    ranks: Any = None,
    **options: Any,
) -> Step:
    """Forward, backward and optimizer of a torch module as one call, compiled at the first::

        step = mpc_compiler.step(model, optimizer, precision="bf16")
        for batch in loader:
            loss = step(**batch)
            scheduler.step()

    `optimizer` is torch's and stays true: its ``param_groups`` are read at each call, so that schedulers work, and
    its ``state`` are views of the program's memory, so that ``state_dict`` and ``load_state_dict`` save and load a
    training. SGD, ASGD, Adam, AdamW, Adamax, NAdam, RAdam, Adagrad, RMSprop, Adadelta and Rprop whose groups differ in nothing
    but learning rates (not of ASGD) and weight decays are compiled; of any other the gradients are, and torch runs its own ``step()``,
    as :meth:`Step.report` says.

    Args:
        model: a ``torch.nn.Module``, which stays what it is; its weights are there after each call.
        optimizer: one of torch's, of the module's parameters.
        loss: as of :func:`wrap`; what it takes beside the outputs is ``target=`` (``loss_target=``) or the last positional argument.
        precision: as of :func:`wrap`.
        scaler: a ``GradScaler`` of torch, a policy or a dict, as of :func:`compile_step`.
        clip_norm: the largest norm of all gradients together.
        accumulate: how many batches make one step, by default one of each rank; their gradients are averaged.
        outputs: keeps what the module returned as ``step.outputs``.
        ranks: processes that train together: see :mod:`mpc_compiler.ranks`. Each call has a batch of its own;
            ``step.result.loss`` is that of all.
        **options: further flags of the compiler, as of :func:`compile_step`.
    """
    named = None if precision is None else _precision_name(precision)
    check_module(model, loss, named, "step")
    if not hasattr(optimizer, "param_groups"):
        raise UsageError(f"optimizer is a {type(optimizer).__name__}: expected one of torch.optim")
    if isinstance(optimizer, torch.optim.LBFGS):
        raise UsageError("LBFGS evaluates the loss several times a step: keep its closure, around mpc_compiler.wrap(model)")
    if "group" in options:
        raise UsageError("group= says what the optimizer's param_groups say")
    if accumulate is not None and accumulate < 1:
        raise UsageError(f"accumulate is {accumulate}: expected 1 or more")
    if hasattr(model, "_mpc_control"):
        raise UsageError("the model is wrapped: give step() the plain module, or keep the loop")
    calls = Calls(model, type(model), loss, named, outputs, (), "each such call is compiled anew, before it runs",
                  takes_gradients=False)
    return Step(model, optimizer, calls, _Recipe(scaler, clip_norm, accumulate, ranks, outputs, options))
