# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wrap(): a torch module whose training runs compiled, in a loop that stays as it is."""
from __future__ import annotations

import copyreg
import dataclasses
import functools
import inspect
from typing import Any, Callable, Mapping, Sequence

import torch  # type: ignore[import-not-found]

from ._batch import Batch
from ._calls import Calls, Report, Structure, check_module
from ._compile import _precision_name
from ._errors import InvalidInputError, UnsupportedError, UsageError, warn
from ._evaluation import Evaluation, compile_evaluation
from ._export import Exported, bare
from ._gradients import Result, attach
from ._memory import Home, place
from ._profile import Profiles
from ._program import CompiledCall, Timed, compile_exported
from ._torch_call import TorchCall


@dataclasses.dataclass
class _Options:
    scaler: Any
    flags: Mapping[str, Any]
    shapes: int
    falls_back: bool
    num_threads: int
    seed: int | None
    compiles_eval: bool


class _Control:
    """The programs of a wrapped module, and which of them a call runs."""

    def __init__(self, calls: Calls, module: Any, options: _Options) -> None:
        self.calls, self._module, self._options = calls, module, options
        self._homes: list[Home] = []  # Of trainings, and of evaluations.
        self._eval_homes: list[Home] = []
        calls.on_new_parts = self._forget_homes
        self._slowest_torch = self._last_compilation = 0.0
        self._torch = TorchCall(self._run_plain)

    def _run_plain(self, wrapped: Any, arguments: Mapping[str, Any], target: Any, has_target: bool) -> Any:
        """The module's own forward by torch, and the loss where there is a target; with what it returned."""
        output = self.calls.run_bound(wrapped, arguments)
        if not has_target:
            return output, output
        assert self.calls.loss is not None
        return self.calls.loss(output, target), output

    def call(self, wrapped: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        calls = self.calls
        has_target = calls.loss is not None and calls.target in kwargs
        target = kwargs.pop(calls.target) if has_target else None
        arguments = calls.bind(args, kwargs)
        if not (wrapped.training and torch.is_grad_enabled()):
            if self._options.compiles_eval and not (wrapped.training or torch.is_grad_enabled()):
                return self._evaluate(wrapped, arguments, target, has_target)
            with calls.tracing:
                return self._run_plain(wrapped, arguments, target, has_target)[0]
        if calls.loss is not None and not has_target:
            raise UsageError(
                f"{calls.plain.__name__} is wrapped with a loss: in training call it with {calls.target}=, what the "
                "loss takes beside the outputs; under torch.no_grad() or in eval() it runs without"
            )
        batch = calls.batch(arguments, target, has_target)
        precision = calls.precision()
        structure = self._structure(batch, precision)
        program = self._program_of(structure, batch, precision, has_target)
        if program is None:
            return self._run_by_torch(structure, precision, (wrapped, arguments, target, has_target))
        structure.compiled += 1
        calls.tell_run(structure)
        return self._finish(program.run(batch.tensors, self._scaler()), program.primals(batch.tensors), structure)

    def _structure(self, batch: Batch, precision: str) -> Structure:
        try:
            return self.calls.structure(batch, precision)
        except UnsupportedError as error:
            if not self._options.falls_back:
                raise
            structure = self.calls.unsupported(error)
            self._tell_once(structure)
            return structure

    def _tell_once(self, structure: Structure) -> None:
        if not structure.by_torch:
            warn(f"{self.calls.plain.__name__} runs by torch: {structure.reason}")

    def _evaluate(self, wrapped: Any, arguments: Mapping[str, Any], target: Any, has_target: bool) -> Any:
        calls = self.calls
        batch, precision = calls.batch(dict(arguments), None, False), calls.precision()
        try:
            structure = calls.structure(batch, precision)
        except UnsupportedError as error:
            structure = calls.unsupported(error)
            self._tell_once(structure)
        program = self._evaluation_of(structure, batch, precision)
        if program is None:
            structure.by_torch += 1
            with calls.tracing:
                return self._run_plain(wrapped, arguments, target, has_target)[0]
        structure.compiled += 1
        calls.tell_run(structure)
        output = program.run(batch.tensors)
        if not has_target:
            return output
        assert calls.loss is not None
        return calls.loss(output, target)

    def _scaler(self) -> Any:
        scaler = self._options.scaler
        return scaler if scaler is not None and scaler.is_enabled() else None

    def _finish(self, result: Result, primals: Sequence[Any], structure: Structure) -> Any:
        loss, outputs = attach(result, primals)
        assert structure.exported is not None
        if self.calls.loss is None:
            return structure.exported.structure.rebuild(loss, outputs)
        loss.outputs = structure.exported.structure.rebuild(None, [o.detach() for o in outputs])
        return loss

    def _run_by_torch(self, structure: Structure, precision: str, call: tuple) -> Any:
        structure.by_torch += 1
        with Timed() as time:
            value = self._torch.run(self.calls.kind(), precision, self._any_program(), self._scaler(), call)
        self._slowest_torch = max(self._slowest_torch, time.seconds)
        return value

    def _any_program(self) -> CompiledCall | None:
        return next(iter(self.calls.compiled(CompiledCall)), None)

    def share_homes(self, other: "_Control") -> None:
        """Lets programs of both keep their state in one memory where their layout allows it."""
        self._homes = other._homes

    def _forget_homes(self) -> None:
        self._homes.clear()
        self._eval_homes.clear()

    # --- Programs ------------------------------------------------------------------------------

    def _program_of(self, structure: Structure, batch: Batch, precision: str, has_target: bool) -> CompiledCall | None:
        """The program for a structure; None where torch runs it this time."""
        if structure.program is not None or structure.reason:
            return structure.program
        if not self._is_due(structure, len(self.calls.compiled(CompiledCall))):
            return None
        try:
            self._compile(structure, batch, precision, has_target)
        except (UnsupportedError, InvalidInputError) as error:
            if not self._options.falls_back:
                raise
            structure.reason = str(error)
            self._tell_once(structure)
        return structure.program

    def _is_due(self, structure: Structure, count: int) -> bool:
        """Whether a structure is compiled now, where there are `count` programs: the first one, and what comes again."""
        if count and not structure.by_torch and self._slowest_torch <= self._last_compilation:
            return False
        if count >= self._options.shapes:
            structure.reason = f"there are {count} programs, and shapes={self._options.shapes}"
        return count < self._options.shapes

    def _evaluation_of(self, structure: Structure, batch: Batch, precision: str) -> Evaluation | None:
        """The same of a call in eval(), of which torch runs what is not supported."""
        if structure.program is not None or structure.reason:
            return structure.program
        if self.calls.is_training():
            structure.reason = "a part of the module is in training"
        elif self._is_due(structure, len(self.calls.compiled(Evaluation))):
            try:
                self._compile_evaluation(structure, batch, precision)
            except (UnsupportedError, InvalidInputError) as error:
                structure.reason = str(error)
                self._tell_once(structure)
        return structure.program

    def _compile_evaluation(self, structure: Structure, batch: Batch, precision: str) -> None:
        with Timed() as time:
            exported = structure.exported = self.calls.export(batch, False, evaluates=True)
            program = compile_evaluation(exported, self._module, self.calls.device, precision)
            structure.program = place(
                self._eval_homes, program, self.calls.device, self._options.num_threads, 0,
                lambda home: Evaluation(program, exported, self._module, home, 0))
        structure.seconds = time.seconds

    def _compile(self, structure: Structure, batch: Batch, precision: str, has_target: bool) -> None:
        with Timed() as time:
            structure.exported = self.calls.export(batch, has_target)
            if not (structure.exported.trained or structure.exported.wanted):
                structure.reason = "no parameter has a gradient"
                return
            program = compile_exported(
                structure.exported, self._module, self.calls.device, precision, self._options.flags)
            structure.program = self._place(program, structure.exported)
        structure.seconds = self._last_compilation = time.seconds

    def _place(self, program: Any, exported: Exported) -> CompiledCall:
        """On the state of the programs before it; where that lies in another way, on one of its own."""
        seed = self._options.seed if self._options.seed is not None else torch.initial_seed() % 2**53
        earlier = self._any_program()
        made = place(self._homes, program, self.calls.device, self._options.num_threads, seed,
                     lambda home: CompiledCall(program, exported, self._module, home, seed))
        if earlier is not None:
            made.scale = earlier.scale
        return made


# --- The class -------------------------------------------------------------------------------------


class _Wrapped:
    """What a wrapped module has beside its own class."""

    __slots__ = ("_mpc_control",)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # What is copied or stored is the plain module, made without this package.
        _, _, *state = bare(self, self._mpc_plain).__reduce_ex__(protocol)
        return (copyreg._reconstructor, (self._mpc_plain, object, None), *state)  # type: ignore[attr-defined]


def report(self: Any) -> Report:
    """Which programs there are, why, and which calls ran by torch."""
    return self._mpc_control.calls.report()


def profile(self: Any) -> Profiles:
    """A profile of the programs that run inside of a ``with``, without what torch runs::

        with model.profile() as profile:
            for x, target in batches:
                model(x, target=target).backward()
        print(profile)
    """
    return self._mpc_control.calls.profile()


def _class_of(module: Any, has_loss: bool) -> type:
    plain = type(module)

    @functools.wraps(plain.forward)
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._mpc_control.call(self, args, kwargs)

    if has_loss:
        forward.__signature__ = _with_target(plain)  # type: ignore[attr-defined]
    members = {
        "forward": forward, "_mpc_plain": plain, "__module__": plain.__module__, "__doc__": plain.__doc__,
        "__qualname__": plain.__qualname__, "__slots__": (),
        # A part or a method of the module keeps its name.
        **{own.__name__: own for own in (report, profile) if not hasattr(module, own.__name__)},
    }
    return type(plain.__name__, (_Wrapped, plain), members)


def _with_target(plain: type) -> inspect.Signature:
    signature = inspect.signature(plain.forward)
    parameters = list(signature.parameters.values())
    name = "loss_target" if "target" in signature.parameters else "target"
    at = len(parameters) - (bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD)
    parameters.insert(at, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None))
    return signature.replace(parameters=parameters)


def _check(module: Any, scaler: Any, on_unsupported: str) -> None:
    if isinstance(module, _Wrapped):
        raise UsageError("the module is wrapped already")
    if scaler is not None and not hasattr(scaler, "get_scale"):
        raise UsageError(f"scaler is a {type(scaler).__name__}: expected a torch.amp.GradScaler")
    if on_unsupported not in ("error", "torch"):
        raise UsageError(f"on_unsupported is {on_unsupported!r}; there are 'error' and 'torch'")


def wrap(
    module: Any,
    *,
    loss: Callable[..., Any] | None = None,
    precision: Any = None,
    scaler: Any = None,
    options: Mapping[str, Any] = {},
    shapes: int = 8,
    on_unsupported: str = "error",
    outputs: bool = True,
    num_threads: int = 0,
    seed: int | None = None,
    forward_gradient: tuple[str, ...] = (),
    compile_eval: bool = False,
) -> Any:
    """A module of the same class and the same parameters whose training runs compiled.

    ::

        model = mpc_compiler.wrap(model, loss=criterion, precision="fp16")
        for x, y in batches:
            optimizer.zero_grad()
            loss = model(x, target=y)
            loss.backward()
            optimizer.step()

    A call in training runs forward and backward at once; ``backward`` adds the gradients to ``.grad``, so that
    optimizers, schedulers, accumulation and clipping are torch's. In ``eval()`` and under ``no_grad`` torch runs
    the module's own forward on the same weights.

    Args:
        module: a ``torch.nn.Module``. Its parameters stay the same objects; their data move to the programs' memory.
        loss: a function of what the module returns and of ``target=``, which a call then takes too and gives the
            loss alone, with what the module returned as ``loss.outputs`` (``loss_target=`` where forward has an argument
            ``target``). Without it the module itself returns its
            loss: as a scalar, as ``loss`` of a dict or an object, or first of a tuple.
        precision: ``"fp32"``, ``"bf16"``, ``"fp16"`` or torch's types; None for what ``torch.autocast`` says
            around a call.
        scaler: a ``torch.amp.GradScaler`` whose scale the program runs at and which sees each overflow. Without
            it an overflow of fp16 is run again at a lower scale, so that there is nothing to skip.
        options: further flags of the compiler, as of :func:`compile_step`.
        shapes: for how many structures of batches there are programs at most; torch runs the others.
        on_unsupported: ``"torch"`` lets torch run what is not compiled, with a warning.
        outputs: whether a call gives what the module returns beside its loss.
        num_threads: in all; 0 for one for each CPU.
        seed: of random rounding; of dropout ``torch.manual_seed``'s is.
        compile_eval: lets calls in ``eval()`` under ``torch.no_grad()`` run compiled too. Their weights lie in
            another way: they move there, and back with the next call in training.
        forward_gradient: names of ``torch.autograd.Function`` of which the gradient of the forward is right.
    """
    named = None if precision is None else _precision_name(precision)
    _check(module, scaler, on_unsupported)
    check_module(module, loss, named, "wrap")
    plain = type(module)
    kind = _class_of(module, loss is not None)
    wrapped = kind.__new__(kind)
    object.__setattr__(wrapped, "__dict__", module.__dict__)
    calls = Calls(module, plain, loss, named, outputs, tuple(forward_gradient), "such calls run by torch",
                  takes_gradients=True)
    given = _Options(scaler, dict(options), shapes, on_unsupported == "torch", num_threads, seed, compile_eval)
    object.__setattr__(wrapped, "_mpc_control", _Control(calls, module, given))
    return wrapped
