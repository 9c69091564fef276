# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled training step, as users have it."""
from __future__ import annotations

import contextlib
import logging
import os
import warnings
from typing import Any, Callable, Collection, Iterator, Mapping

import numpy as np

from . import _arrays, _runtime, _state
from ._data import DataFiles
from ._errors import MpcWarning, UsageError
from ._profile import Profile
from ._runtime import StepResult, TensorInfo, Update
from ._scaler import Scaler

_NUMBERS = (_runtime.STATE_HYPER_PARAMETER, _runtime.STATE_SETTING)
_ROWS = "measure/rows"  # How many rows of a batch count.
_STEP_ROLES = (_runtime.ENTRY_STEP, _runtime.ENTRY_ACCUMULATE, _runtime.ENTRY_APPLY)
_logger = logging.getLogger("mpc_compiler")

StepHook = Callable[["Step", StepResult], Any]
Optimizer = Callable[[Update], Any]


def _tell(messages: list[tuple[int, str]]) -> None:
    for level, text in messages:
        if level > 0:
            warnings.warn(text, MpcWarning, stacklevel=4)
        else:
            _logger.info(text)


def _named_samples(
    infos: list[TensorInfo], samples: tuple, named: Mapping[str, Any]
) -> dict[str, Any]:
    names = [info.name for info in infos]
    tensors = {**dict(zip(names, samples)), **named}
    if len(samples) > len(names) or tensors.keys() != set(names):
        raise UsageError(f"expected one tensor for each of {', '.join(names)}")
    return {
        name: value if hasattr(value, "shape") else np.asarray(value)
        for name, value in tensors.items()
    }


def _rows_of(
    infos: list[TensorInfo], tensors: Mapping[str, Any], shared: Collection[str]
) -> tuple[int, int]:
    """The rows of a batch and those of the tensors; without any, one batch of all."""
    own = [info for info in infos if info.name not in shared]
    counts = {info.name: len(tensors[info.name]) for info in own}
    if len(set(counts.values())) > 1:
        raise UsageError(f"different numbers of samples: {counts}")
    return (own[0].shape[0], counts[own[0].name]) if own else (1, 1)


def _fits(infos: list[TensorInfo], tensors: Mapping[str, Any], shared: Collection[str]) -> bool:
    """Whether rows of the tensors are a batch of these inputs."""
    skipped = {info.name: 0 if info.name in shared else 1 for info in infos}
    return all(
        list(tensors[info.name].shape)[skipped[info.name] :] == list(info.shape)[skipped[info.name] :]
        for info in infos
    )


def _batch_of(value: Any, begin: int, size: int, count: int) -> Any:
    """Rows from `begin` on; the first ones fill up the last batch, and count once all the same."""
    if begin + size <= count:
        return value[begin : begin + size]
    return value[[row % count for row in range(begin, begin + size)]]


class _Removable:
    """What takes a hook back."""

    def __init__(self, hooks: list[StepHook], hook: StepHook) -> None:
        self._hooks, self._hook = hooks, hook

    def remove(self) -> None:
        """Ends the calls; does nothing the second time."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


class Step:
    """A training, and its compiled step: forward, backward, loss scaling, optimizer.

    Called with a batch it runs a step and gives its :class:`StepResult`::

        step = mpc_compiler.load("step.mpc")
        step.lr = 1e-3
        for x, target in batches:  # x float32[256, 64], target int64[256]
            result = step(x, target)

    A batch is one tensor for each of :attr:`inputs`, in that order or by name: NumPy arrays,
    PyTorch tensors, or what else has DLPack, of the shape and type that :attr:`inputs` tells, in a
    CPU's memory. They are read where they lie; only one with gaps is copied.

    Hyper-parameters are attributes: ``step.lr``, ``step.beta1``, ``step.clip_global_norm``. To set
    one compiles nothing anew. :attr:`hyper_parameters` has all of them.

    For one thread at a time. Other threads of Python run while a step does.
    """

    def __init__(
        self, program: _runtime.Program, *, num_threads: int = 0, seed: int = 0, ranks: Any = None
    ) -> None:
        """A new training of `program`; see :func:`load`."""
        assign = super().__setattr__
        assign("_program", program)
        assign("_runner", _runtime.Runner(program, num_threads, seed, ranks))
        assign("ranks", ranks)
        assign("_entries", program.entries())
        assign("_state", {info.tensor.name: info for info in program.state()})
        assign("_hooks", [])
        assign("_checkpoints", {})
        assign("_is_averaged", False)
        assign("_shapes", {})  # Of what was bound last, by name; and of the last step's batch.
        assign("_step_shapes", {})
        steps = [entry for entry in self._entries if entry.role in _STEP_ROLES]
        taken = steps or [entry for entry in self._entries if entry.role == _runtime.ENTRY_EVAL]
        assign("_inputs", self._inputs_of(taken[:1]))
        assign("_input_names", frozenset(info.name for info in self._inputs))
        numbers = [info.name for entry in taken for info in entry.inputs if self._is_number(info)]
        assign("_set_numbers", list(dict.fromkeys(numbers)))
        assign("_numbers", frozenset([*numbers, *self._hyper_names()]))
        assign("_scaler", Scaler(self._runner, "", self._state))
        _tell(self._runner.take_messages())

    @staticmethod
    def _is_number(info: TensorInfo) -> bool:
        return not info.shape and "float" in info.dtype

    def _entries_of(self, role: int, shapes: Mapping[str, list[int]]) -> list[_runtime.Entry]:
        """The entry of a role that takes these shapes; the first where none does."""
        entries = [entry for entry in self._entries if entry.role == role]
        for entry in entries:
            if all(list(info.shape) == shapes.get(info.name, list(info.shape)) for info in entry.inputs):
                return [entry]
        return entries[:1]

    def _inputs_of(self, entries: list[_runtime.Entry]) -> list[TensorInfo]:
        return [info for entry in entries for info in entry.inputs if not self._is_number(info)]

    def _hyper_names(self) -> list[str]:
        infos = (info for info in self._state.values() if info.role in _NUMBERS)
        return [_state.number_name(info) for info in infos if not info.tensor.shape]

    # --- Runs ----------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[TensorInfo]:
        """Name, type and shape of each tensor of a batch, in the order in which a call has them.

        Of a step for batches of several shapes (``batch_size=[32, 5]``) they are the first's; a
        batch of any of them runs.
        """
        return list(self._inputs)

    @property
    def batches_per_step(self) -> int:
        """Batches whose gradients make one step; 0 where the program has no step."""
        return self._program.batches_per_step

    def _bind(self, infos: list[TensorInfo], batch: tuple, named: Mapping[str, Any]) -> None:
        if len(batch) > len(infos):
            names = ", ".join(info.name for info in infos)
            raise UsageError(f"{len(batch)} tensors for {len(infos)} inputs: {names}")
        unknown = named.keys() - {info.name for info in infos[len(batch) :]}
        if unknown:
            raise UsageError(f"not an input, or given twice: {', '.join(sorted(unknown))}")
        for info, value in zip(infos, batch):
            self._bind_one(info, value)
        for info in infos[len(batch) :]:
            if info.name in named:
                self._bind_one(info, named[info.name])

    def _bind_one(self, info: TensorInfo, value: Any) -> None:
        try:
            array, is_bf16 = _arrays.as_source(value, info)
            self._runner.bind_input(info.name, array, is_bf16)
            self._shapes[info.name] = list(getattr(array, "shape", info.shape))
        except TypeError:
            raise _arrays.refuse("input", value, info) from None

    def __call__(self, *batch: Any, **named: Any) -> StepResult | None:
        """Runs a step on `batch`.

        Where a step has several batches (:attr:`batches_per_step`) the result is None until the
        last of them, which applies their mean gradient.
        """
        self._check_weights("step")
        self._bind(self._inputs, batch, named)
        self._step_shapes = dict(self._shapes)
        if self.batches_per_step <= 1 and not self._has_window():
            return self._finish(self._runner.step())
        self._runner.accumulate()
        self._batches = getattr(self, "_batches", 0) + 1
        if self._batches < self.batches_per_step:
            return None
        return self.apply()

    def _has_window(self) -> bool:
        return any(entry.role == _runtime.ENTRY_ACCUMULATE for entry in self._entries)

    def accumulate(self, *batch: Any, **named: Any) -> float:
        """Adds a batch to the step that is under way; gives that batch's loss."""
        self._check_weights("step")
        self._bind(self._inputs, batch, named)
        self._step_shapes = dict(self._shapes)
        loss = self._runner.accumulate()
        self._batches = getattr(self, "_batches", 0) + 1
        return loss

    def apply(self) -> StepResult:
        """Ends a step that has all of its batches."""
        self._check_weights("step")
        result = self._runner.apply()
        self._batches = 0
        return self._finish(result)

    def _finish(self, result: StepResult) -> StepResult:
        for hook in tuple(self._hooks):
            hook(self, result)
        return result

    def evaluate(self, *batch: Any, **named: Any) -> dict[str, np.ndarray]:
        """Outputs by name of the program's entry "eval"; the state stays as it is."""
        self._bind(self._inputs_of(self._entries_of(_runtime.ENTRY_EVAL, {})), batch, named)
        self._runner.evaluate()
        entries = self._entries_of(_runtime.ENTRY_EVAL, self._shapes)
        outputs = (info for entry in entries for info in entry.outputs)
        return {info.name: _arrays.read(self._runner.read_output, info) for info in outputs}

    def evaluate_all(
        self, *samples: Any, shared: Collection[str] = (), **named: Any
    ) -> dict[str, float]:
        """How good the model is on all of these samples: loss, accuracy, perplexity by name.

        They are tensors as those of a batch, of any number of rows, or one
        :class:`mpc_compiler.DataFiles`. Each row counts once, also where the last do not fill a
        batch. Inputs that `shared` names have no rows. Of a program compiled ``with_eval=True``; the
        state stays as it is. What the model itself has of a whole batch is averaged over those that
        are whole.

        Of files the numbers are those of ``--eval-data``, to the bit; a note on the log says how
        many samples are no part of a whole batch. It leaves the place in them as it is.
        """
        if len(samples) == 1 and isinstance(samples[0], DataFiles):
            if named or shared:
                raise UsageError("files name their own tensors, and which are shared")
            return self._evaluate_files(samples[0])
        entries = [entry for entry in self._entries if entry.role == _runtime.ENTRY_MEASURE]
        if not entries:
            raise UsageError("the program cannot evaluate samples: compile it with with_eval=True")
        candidates = [
            [info for info in self._inputs_of([entry]) if info.name != _ROWS] for entry in entries
        ]
        tensors = _named_samples(candidates[0], samples, named)
        fitting = (infos for infos in candidates if _fits(infos, tensors, shared))
        infos = next(fitting, candidates[0])
        size, count = _rows_of(infos, tensors, shared)
        self._runner.reset_metrics()
        for begin in range(0, count, size):
            for info in infos:
                value = tensors[info.name]
                if info.name not in shared:
                    value = _batch_of(value, begin, size, count)
                self._bind_one(info, value)
            self._runner.measure(min(size, count - begin))
        return self._runner.metrics()

    def _evaluate_files(self, files: DataFiles) -> dict[str, float]:
        evaluation = files._evaluation_of(self._program)
        evaluation.run(self._runner)
        _tell(self._runner.take_messages())
        return {name: value for name, value, _ in evaluation.metrics()}

    def read_outputs(self) -> dict[str, np.ndarray]:
        """Everything that the last step returned, by name: loss, scale, outputs of one's own."""
        outputs = {}
        for role in _STEP_ROLES:
            for entry in self._entries_of(role, self._step_shapes):
                for info in entry.outputs:
                    outputs[info.name] = _arrays.read(self._runner.read_output, info)
        return outputs

    def set_optimizer(self, update: Optimizer | None, *, on_skipped: bool = False) -> None:
        """Lets `update` change the parameters, of a step with ``optimizer="callback"``.

        ::

            def descend(update):  # An mpc_compiler.Update.
                for name, parameter in update.parameters.items():
                    parameter -= update.lr * update.gradients[name]

        It is called in each step that is not skipped; with `on_skipped` in all, and
        ``update.found_inf`` says which. Arrays are float32 and are changed in place. What it
        raises comes out of the step, which is then done. It must not use this step. What it keeps
        for itself is no part of :meth:`state_dict`. None ends the registration.
        """
        owner = None if update is None else self._runner.share_state(self._parameter_names()[0])
        self._runner.set_optimizer(update, owner, on_skipped)

    def _parameter_names(self) -> list[str]:
        return _state.parameter_names(self)

    def register_step_hook(self, hook: StepHook) -> _Removable:
        """Calls ``hook(step, result)`` after each step; ``remove()`` of what it gives ends that.

        :class:`mpc_compiler.ProgressBar` is such a hook.
        """
        self._hooks.append(hook)
        return _Removable(self._hooks, hook)

    def profile(self) -> Profile:
        """A profile of the runs inside of a ``with``::

            with step.profile() as profile:
                for x, target in batches:
                    step(x, target)
            print(profile)
            profile.save_timeline("timeline.json")
        """
        return Profile(self._runner)

    @property
    def progress(self) -> tuple[int, int, int]:
        """Steps done, those of them that changed the weights, and those skipped since."""
        return self._runner.progress()

    # --- Numbers -------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> float:
        if not name.startswith("_") and name in self._numbers:
            return self._runner.read_number(name)
        raise AttributeError(f"'Step' has no attribute or hyper-parameter {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ or name.startswith("_"):
            super().__setattr__(name, value)
        elif name in self._numbers:
            self._runner.write_number(name, float(value))
        else:
            known = ", ".join(sorted(self._numbers))
            raise AttributeError(f"no hyper-parameter {name!r}; there are {known}")

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *(name for name in self._numbers if "." not in name)])

    @property
    def hyper_parameters(self) -> dict[str, float | None]:
        """All numbers that may be set while running, by name; None for one that is not set yet.

        Of several optimizers theirs is in front of the name: ``"critic.beta1"``, which
        :meth:`set_hyper_parameter` sets.
        """
        return {name: self._read_or_none(name) for name in sorted(self._numbers)}

    def _read_or_none(self, name: str) -> float | None:
        try:
            return self._runner.read_number(name)
        except UsageError:
            if name in self._set_numbers:
                return None
            raise

    def set_hyper_parameter(self, name: str, value: float) -> None:
        """What ``step.name = value`` does, also for a name with a dot."""
        if name not in self._numbers:
            raise UsageError(f"no hyper-parameter {name!r}")
        self._runner.write_number(name, float(value))

    @property
    def scaler(self) -> Scaler:
        """The loss scaler. Of several, ``scalers`` has each by name."""
        return self._scaler

    @property
    def scalers(self) -> dict[str, Scaler]:
        """The loss scalers by their names; a single one is called ``""``."""
        return Scaler.all_of(self._runner, self._state)

    # --- State ---------------------------------------------------------------------------------

    @property
    def recipe(self) -> str:
        """What the program was made by, as its amp.recipe."""
        return self._program.recipe

    @property
    def state(self) -> dict[str, TensorInfo]:
        """All tensors of the state that checkpoints hold, by name."""
        return {name: info.tensor for name, info in self._state.items() if info.is_saved}

    def read_state(self, name: str) -> np.ndarray:
        """A copy of one tensor of the state."""
        return _arrays.read(self._runner.read_state, self._info(name))

    def write_state(self, name: str, value: Any) -> None:
        """Sets one tensor of the state, of the same shape; float32 is rounded where need be."""
        info = self._info(name)
        try:
            array, is_bf16 = _arrays.as_source(value, info)
            self._runner.write_state(name, array, is_bf16)
        except TypeError:
            raise _arrays.refuse("state", value, info) from None

    def _info(self, name: str) -> TensorInfo:
        if name not in self._state:
            raise UsageError(f"the state has no tensor {name!r}")
        return self._state[name].tensor

    def named_parameters(self) -> Iterator[tuple[str, np.ndarray]]:
        """Names and weights, as read-only views of the memory that steps change.

        Where weights are bfloat16, which NumPy lacks, they are copies.
        """
        for name, info in self._state.items():
            if info.role == _runtime.STATE_PARAMETER:
                yield name, self._view(info.tensor)

    def _view(self, info: TensorInfo) -> np.ndarray:
        if info.dtype == "bfloat16":
            return self.read_state(info.name)
        return np.from_dlpack(_arrays.Memory(self._runner.share_state(info.name)))

    def state_dict(self) -> dict[str, Any]:
        """All that a training is, under PyTorch's names; arrays are copies.

        - ``"model"``: parameters and buffers, shared ones under each of their names;
        - ``"optimizer"``: ``"state"``, slots and ``"step"`` of each parameter by its name, and
          ``"param_groups"``, those of torch's optimizer where the step was compiled with one;
        - ``"scaler"``: what ``torch.amp.GradScaler.state_dict`` has; empty without a scaler;
        - ``"mpc"``: the numbers that these have no place for, so that nothing is lost.

        :func:`mpc_compiler.convert.to_torch` makes of it what torch's own objects load.
        """
        return _state.state_dict(self)

    def load_state_dict(
        self, state: Mapping[str, Any], *, strict: bool = True, parameter_names: Any = None
    ) -> None:
        """Takes what :meth:`state_dict` gave, or torch's states in its place.

        ``state`` may be torch's of a module alone (names and tensors), or a dict with any of
        ``"model"``, ``"optimizer"`` and ``"scaler"``. An optimizer's state of torch numbers its
        parameters, group by group: `parameter_names` says in which order, by default that of the
        optimizer that the step was compiled with, or, of a single group, that of ``"model"``.

        With `strict` a name that only one side has is an error.
        """
        self._check_weights("other state")
        _state.load_state_dict(self, state, strict, parameter_names)

    @contextlib.contextmanager
    def averaged_weights(self) -> Iterator["Step"]:
        """Puts the averages of a step compiled with ``ema=DECAY`` in the place of the weights::

            with step.averaged_weights():
                print(step.evaluate_all(held))
                step.export_onnx("averaged.onnx")

        Afterwards the weights are what they were, to the bit. Meanwhile the step evaluates and is
        read; it makes no step and no checkpoint. Before the first step that is applied there are no
        averages, and the weights stay. Running statistics have none.
        """
        averages = {info.owner: name for name, info in self._state.items()
                    if info.role == _runtime.STATE_AVERAGE}
        if not averages:
            raise UsageError("the step keeps no averages of its weights: compile it with ema=DECAY")
        self._check_weights("other averages")
        saved = {name: self.read_state(name) for name in averages}
        self._is_averaged = True
        try:
            for name, average in averages.items():
                if self.progress[1] > 0:
                    self.write_state(name, self.read_state(average))
            yield self
        finally:
            for name, value in saved.items():
                self.write_state(name, value)
            self._is_averaged = False

    def _check_weights(self, what: str) -> None:
        if self._is_averaged:
            raise UsageError(f"averages are in the place of the weights: no {what} until that ends")

    def load_weights(self, path: str | os.PathLike) -> None:
        """Sets parameters and buffers by name from a safetensors file, which may be a checkpoint."""
        self._check_weights("other weights")
        self._runner.load_weights(os.fspath(path))
        _tell(self._runner.take_messages())

    def export_onnx(self, path: str | os.PathLike, model: Any = None) -> None:
        """Writes the model as it came in, as an ONNX file with the trained weights and buffers in it.

        The graph is the same; a weight has the type that the file has it in. External data goes to
        one file beside, with ``.data`` behind its name.

        Args:
            path: the file to write.
            model: the ONNX file, its bytes or an ``onnx.ModelProto``; by default what the step was
                compiled of, also where that was a torch module.
        """
        from . import _compile

        source = getattr(self, "_source", None) if model is None else _compile.model_of(model)
        if source is None:
            raise UsageError("a program does not contain its model: name the file that it was compiled of")
        source.write_onnx(_state.model_tensors(self), os.fspath(path))

    def save_checkpoint(
        self, folder: str | os.PathLike, position: Mapping[str, int] | None = None, parts: bool = False
    ) -> None:
        """Writes all state to a folder, which keeps the two newest; ``mpc-run`` resumes from it.

        `position` says where the data stands, as :attr:`DataFiles.position` does: ``seed``,
        ``epoch``, ``position``, ``samples``, ``batch_size``, ``shuffled``, ``wraps``, all integers.
        Without it a resume begins its data anew. Of several ranks all call it: the first writes it, with
        what the others have of a divided state (``shard="optimizer"``). With `parts` each writes its
        own, to a folder that all see; ``python -m mpc_compiler.convert`` makes one file of it.
        """
        if self.ranks is not None and self.ranks.rank != 0:
            self._runner.save_part(parts)
            return
        self._check_weights("checkpoint")
        checkpoints = self._folder(folder)
        checkpoints.save(self._runner, dict(position or {}), parts)
        _tell(checkpoints.take_messages())

    def load_checkpoint(self, folder: str | os.PathLike) -> dict[str, int] | None:
        """Goes on from the newest whole checkpoint of a folder, with the same bits.

        Gives its position in the data, which :meth:`DataFiles.restore` takes; None where the folder
        holds no checkpoint. All ranks must call it: the first loads it for all, and has the position.
        """
        self._check_weights("checkpoint")
        position = None
        if self.ranks is None or self.ranks.rank == 0:
            checkpoints = self._folder(folder)
            position = checkpoints.load_newest(self._runner)
            _tell(checkpoints.take_messages())
        if self.ranks is not None:
            self.broadcast()
        return position

    def broadcast(self) -> None:
        """Gives all ranks the state of the first; all must call it. A step begins with one state on all."""
        self._runner.broadcast_state()

    def _folder(self, folder: str | os.PathLike) -> _runtime.Checkpoints:
        """A folder stays open, and locked, as long as this lives."""
        path = os.path.abspath(folder)
        if path not in self._checkpoints:
            self._checkpoints[path] = _runtime.Checkpoints(path)
        return self._checkpoints[path]

    def sync_to_module(self, module: Any = None) -> None:
        """Copies parameters and buffers into a torch module of the same names.

        By default it is the module that the step was compiled of.
        """
        module = getattr(self, "_module", None) if module is None else module
        if module is None:
            raise UsageError("the step was not compiled of a module: say into which")
        _state.sync_to_module(self, module)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{i.name}: {_arrays.describe(i)}" for i in self._inputs)
        return f"Step({inputs})"


def load(
    path: str | os.PathLike | bytes, *, cpu: str = "", num_threads: int = 0, seed: int = 0, ranks: Any = None
) -> Step:
    """Loads a program file, as ``mpc-compile`` writes it, and begins a training of it.

    Args:
        path: the file, or its bytes. A program file is code: load those that you trust.
        cpu: which of the file's codes; by default the one that makes the most of this processor.
        num_threads: in all; 0 for one for each CPU. Results do not depend on it.
        seed: of initial weights that are drawn, and of random rounding and dropout.
        ranks: those of a program that is compiled for several: see :mod:`mpc_compiler.ranks`.
    """
    if isinstance(path, bytes):
        program = _runtime.Program.load_bytes(path, cpu)
    else:
        program = _runtime.Program.load(os.fspath(path), cpu)
    return Step(program, num_threads=num_threads, seed=seed, ranks=ranks)
