# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wrap(): a torch module whose training runs compiled, in a loop that stays as it is."""
from __future__ import annotations

import collections
import copyreg
import dataclasses
import functools
import inspect
import threading
import warnings
from typing import Any, Callable, Mapping

import torch  # type: ignore[import-not-found]

from . import _threads
from ._batch import Batch
from ._compile import _precision_name
from ._errors import ExportError, InvalidInputError, MpcWarning, UsageError
from ._export import Exported, Request, bare, export
from ._gradients import Result, attach
from ._hooks import Hooks
from ._memory import Home
from ._program import CompiledCall, Timed, compile_exported
from ._torch_call import TorchCall

_PRECISIONS = ("fp32", "bf16", "fp16")


@dataclasses.dataclass
class _Options:
    loss: Callable[..., Any] | None
    precision: str | None
    scaler: Any
    flags: Mapping[str, Any]
    shapes: int
    falls_back: bool
    outputs: bool
    num_threads: int
    seed: int | None
    forward_gradient: tuple[str, ...]


@dataclasses.dataclass
class _Structure:
    """What is known of batches of one structure, in one state of the module's modes."""

    text: str
    exported: Exported | None = None
    program: CompiledCall | None = None
    compiled: int = 0  # Calls by the program, and by torch.
    by_torch: int = 0
    reason: str = ""  # Why torch runs it, where it always does.
    seconds: float = 0.0


@dataclasses.dataclass
class ProgramReport:
    """What became of the batches of one structure."""

    batch: str
    compiled_calls: int
    torch_calls: int
    compile_seconds: float
    reason: str

    def __str__(self) -> str:
        made = f"compiled in {self.compile_seconds:.1f} s" if self.compile_seconds else "not compiled"
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.batch}: {made}, {self.compiled_calls} calls compiled, {self.torch_calls} by torch{why}"


class Report(list):
    """A :class:`ProgramReport` for each structure of batches that there was."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no call in training yet"


class _Control:
    """The programs of a wrapped module, and which of them a call runs."""

    def __init__(self, module: Any, plain: type, options: _Options) -> None:
        self.plain, self.options = plain, options
        self._module = module  # The plain one; it has the same parameters.
        self._signature = inspect.signature(functools.partial(plain.forward, module))
        self._parts = list(module.modules())
        self._rates = [part for part in self._parts if isinstance(getattr(part, "p", None), float)]
        self._parameters = [(part._parameters, name) for part in self._parts for name in part._parameters]
        self._hooks = Hooks(module)
        self._homes: list[Home] = []
        self._structures: dict[Any, _Structure] = {}
        self._slowest_torch = self._last_compilation = 0.0
        self._torch = TorchCall(self.run_plain)
        self._pause = _threads.make_pause()
        # While a module is traced its parameters are those of the tracing, for all threads.
        self._tracing = threading.RLock()

    # --- Calls ---------------------------------------------------------------------------------

    def run_plain(self, wrapped: Any, args: tuple, kwargs: Mapping[str, Any], target: Any, has_target: bool) -> Any:
        """The module's own forward by torch, and the loss where there is a target; with what it returned."""
        output = self.plain.forward(wrapped, *args, **kwargs)
        if self.options.loss is None or not has_target:
            return output, output
        return self.options.loss(output, target), output

    def _run_bound(self, module: Any, arguments: dict[str, Any]) -> Any:
        bound = inspect.BoundArguments(self._signature, collections.OrderedDict(arguments))
        return self.plain.forward(module, *bound.args, **bound.kwargs)

    def call(self, wrapped: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        has_target = self.options.loss is not None and "target" in kwargs
        target = kwargs.pop("target") if has_target else None
        if not (wrapped.training and torch.is_grad_enabled()):
            with self._tracing:
                return self.run_plain(wrapped, args, kwargs, target, has_target)[0]
        if self.options.loss is not None and not has_target:
            raise UsageError(
                f"{self.plain.__name__} is wrapped with a loss: in training call it with target=, what the loss takes "
                "beside the outputs; under torch.no_grad() or in eval() it runs without"
            )
        batch = self._batch(args, kwargs, target, has_target)
        precision = self._precision()
        structure = self._structure(batch, precision)
        run = self._runner_of(structure, batch, precision, has_target)
        if run is None:
            return self._run_by_torch(wrapped, structure, precision, args, kwargs, target, has_target)
        structure.compiled += 1
        self._pause()
        result = run.run(batch.tensors, self._scaler())
        return self._finish(result, run, structure)

    def _batch(self, args: tuple, kwargs: Mapping[str, Any], target: Any, has_target: bool) -> Batch:
        try:
            arguments = self._signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{self.plain.__name__}.forward(): {error}") from None
        if has_target:
            arguments["target"] = target
        batch = Batch(arguments)
        batch.check_tensors()
        return batch

    def _scaler(self) -> Any:
        scaler = self.options.scaler
        return scaler if scaler is not None and scaler.is_enabled() else None

    def _precision(self) -> str:
        if self.options.precision is not None:
            return self.options.precision
        if torch.is_autocast_enabled("cpu"):
            return _precision_name(torch.get_autocast_dtype("cpu"))
        return "fp32"

    def _finish(self, result: Result, run: Any, structure: _Structure) -> Any:
        loss, outputs = attach(result, run.parameters)
        assert structure.exported is not None
        if self.options.loss is None:
            return structure.exported.structure.rebuild(loss, outputs)
        loss.outputs = structure.exported.structure.rebuild(None, [o.detach() for o in outputs])
        return loss

    def _run_by_torch(
        self, wrapped: Any, structure: _Structure, precision: str, args: tuple, kwargs: Any, target: Any, has: bool
    ) -> Any:
        structure.by_torch += 1
        with Timed() as time:
            value = self._torch.run(wrapped, precision, self._any_program(), self._scaler(), (args, kwargs, target, has))
        self._slowest_torch = max(self._slowest_torch, time.seconds)
        return value

    def _any_program(self) -> CompiledCall | None:
        return next((s.program for s in self._structures.values() if s.program is not None), None)

    # --- Programs ------------------------------------------------------------------------------

    def _structure(self, batch: Batch, precision: str) -> _Structure:
        self._hooks.check()
        key = (
            batch.key, precision,
            tuple([part.training for part in self._parts]),
            tuple([getattr(registry[name], "requires_grad", None) for registry, name in self._parameters]),
            tuple([part.p for part in self._rates]),
        )
        structure = self._structures.get(key)
        if structure is None:
            structure = self._structures[key] = _Structure(f"{precision} {batch.describe()}")
        return structure

    def _runner_of(self, structure: _Structure, batch: Batch, precision: str, has_target: bool) -> CompiledCall | None:
        """The program for a structure; None where torch runs it this time."""
        if structure.program is not None or structure.reason:
            return structure.program
        compiled = [known for known in self._structures.values() if known.program is not None]
        is_first = not compiled
        waits = not is_first and not structure.by_torch and self._slowest_torch <= self._last_compilation
        if waits:
            return None
        if len(compiled) >= self.options.shapes:
            structure.reason = f"there are {len(compiled)} programs, and shapes={self.options.shapes}"
            return None
        try:
            self._compile(structure, batch, precision, has_target)
        except (ExportError, InvalidInputError) as error:
            if not self.options.falls_back:
                raise
            self._fall_back(structure, error)
        return structure.program

    def _fall_back(self, structure: _Structure, error: Exception) -> None:
        structure.reason = str(error)
        warnings.warn(f"{self.plain.__name__} runs by torch: {error}", MpcWarning, stacklevel=6)

    def _compile(self, structure: _Structure, batch: Batch, precision: str, has_target: bool) -> None:
        batch.check()
        with Timed() as time:
            with self._tracing:
                structure.exported = export(Request(
                    self._module, self._run_bound, batch, has_target, self.options.loss, self.options.outputs,
                    self.options.forward_gradient))
            if not structure.exported.trained:
                structure.reason = "no parameter has a gradient"
                return
            program = compile_exported(structure.exported, self._module, precision, self.options.flags)
            structure.program = self._place(program, structure.exported)
        structure.seconds = self._last_compilation = time.seconds

    def _place(self, program: Any, exported: Exported) -> CompiledCall:
        """On the state of the programs before it; where that lies in another way, on one of its own."""
        seed = self.options.seed if self.options.seed is not None else torch.initial_seed() % 2**53
        for home in reversed(self._homes):
            try:
                return CompiledCall(program, exported, self._module, home, seed)
            except InvalidInputError as error:
                if "share no state" not in str(error):
                    raise
        earlier = self._any_program()
        self._homes.append(Home(program, self.options.num_threads, seed))
        made = CompiledCall(program, exported, self._module, self._homes[-1], seed)
        if earlier is not None:
            made.scale = earlier.scale
        return made

    def report(self) -> Report:
        return Report(
            ProgramReport(s.text, s.compiled, s.by_torch, s.seconds, s.reason) for s in self._structures.values()
        )


# --- The class -------------------------------------------------------------------------------------


class _Wrapped:
    """What a wrapped module has beside its own class."""

    __slots__ = ("_mpc_control",)

    def report(self) -> Report:
        """Which programs there are, why, and which calls ran by torch."""
        return self._mpc_control.report()

    def __reduce_ex__(self, protocol: Any) -> Any:
        # What is copied or stored is the plain module, made without this package.
        _, _, *state = bare(self, self._mpc_plain).__reduce_ex__(protocol)
        return (copyreg._reconstructor, (self._mpc_plain, object, None), *state)  # type: ignore[attr-defined]


def _class_of(plain: type, has_loss: bool) -> type:
    @functools.wraps(plain.forward)
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._mpc_control.call(self, args, kwargs)

    if has_loss:
        forward.__signature__ = _with_target(plain)  # type: ignore[attr-defined]
    members = {
        "forward": forward, "_mpc_plain": plain, "__module__": plain.__module__, "__doc__": plain.__doc__,
        "__qualname__": plain.__qualname__, "__slots__": (),
    }
    return type(plain.__name__, (_Wrapped, plain), members)


def _with_target(plain: type) -> inspect.Signature:
    signature = inspect.signature(plain.forward)
    parameters = list(signature.parameters.values())
    if "target" in signature.parameters:
        raise UsageError(f"{plain.__name__}.forward has an argument 'target' of its own, which loss= needs: rename it")
    at = len(parameters) - (bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD)
    parameters.insert(at, inspect.Parameter("target", inspect.Parameter.KEYWORD_ONLY, default=None))
    return signature.replace(parameters=parameters)


def _check(module: Any, options: _Options) -> None:
    if not isinstance(module, torch.nn.Module):
        raise UsageError(f"wrap() takes a torch.nn.Module, not a {type(module).__name__}")
    if isinstance(module, _Wrapped):
        raise UsageError("the module is wrapped already")
    if "forward" in module.__dict__:
        raise UsageError(
            f"the forward of this {type(module).__name__} was replaced on the object: wrap it before that is done"
        )
    if options.precision is not None and options.precision not in _PRECISIONS:
        raise UsageError(f"precision is {options.precision!r}; there are {', '.join(_PRECISIONS)}")
    if options.loss is not None and not callable(options.loss):
        raise UsageError(f"loss is a {type(options.loss).__name__}: expected a function of outputs and target")
    own = set(map(id, module.parameters()))
    foreign = [n for n, p in getattr(options.loss, "named_parameters", tuple)() if p.requires_grad and id(p) not in own]
    if foreign:
        raise UsageError(
            f"the loss has parameters of its own ({', '.join(foreign)}): make it a part of the module that is wrapped"
        )
    if options.scaler is not None and not hasattr(options.scaler, "get_scale"):
        raise UsageError(f"scaler is a {type(options.scaler).__name__}: expected a torch.amp.GradScaler")


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
            loss alone, with what the module returned as ``loss.outputs``. Without it the module itself returns its
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
        forward_gradient: names of ``torch.autograd.Function`` of which the gradient of the forward is right.
    """
    if on_unsupported not in ("error", "torch"):
        raise UsageError(f"on_unsupported is {on_unsupported!r}; there are 'error' and 'torch'")
    given = _Options(
        loss, None if precision is None else _precision_name(precision), scaler, dict(options), shapes,
        on_unsupported == "torch", outputs, num_threads, seed, tuple(forward_gradient))
    _check(module, given)
    plain = type(module)
    kind = _class_of(plain, loss is not None)
    wrapped = kind.__new__(kind)
    object.__setattr__(wrapped, "__dict__", module.__dict__)
    object.__setattr__(wrapped, "_mpc_control", _Control(module, plain, given))
    return wrapped
