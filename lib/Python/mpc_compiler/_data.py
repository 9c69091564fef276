# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of samples out of files."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterator, Mapping, Sequence

import numpy as np

from . import _arrays, _runtime
from ._errors import UsageError
from ._runtime import TensorInfo

if TYPE_CHECKING:
    from ._step import Step

Paths = str | os.PathLike | Sequence[str | os.PathLike]
Batch = dict[str, np.ndarray]


def _words(files: Paths) -> list[str]:
    single = isinstance(files, (str, os.PathLike))
    return [os.fspath(file) for file in ([files] if single else files)]


class DataFiles:
    """Samples out of files, in the batches and the order that ``mpc-train`` takes them in::

        train = mpc_compiler.DataFiles("part-*.npz", step, seed=1)
        held = mpc_compiler.DataFiles("held.npz")
        for epoch in range(3):
            for batch in train:  # A dict of arrays by name.
                result = step(**batch)
            print(step.evaluate_all(held))

    An iteration is one epoch. One that was left goes on, in the next, where it stood, as a training
    does that is resumed; :meth:`batches` goes over the ends of epochs. Arrays are new in each
    batch, and may be kept.

    Files are ``.safetensors``, ``.npz`` and ``.npy``; each is named by its path, by a pattern (``*``,
    ``?``, ``[...]``) or as ``"NAME=FILE.npy"``. The first dimension is the sample, and samples of
    several files are one behind the other. Files are mapped: they may hold more than memory does, and
    the next batch is read ahead.

    With a `step`, batches are of its inputs, by name and in their types: a value that an input
    cannot hold is an error, and so is a label out of bounds. Without one they are `batch_size`
    samples of all tensors that the files have, or of those in `names`, in the files' types.

    For one thread at a time. Other threads of Python run while a batch is read.
    """

    def __init__(
        self,
        files: Paths,
        step: "Step | None" = None,
        *,
        batch_size: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        last_batch: str = "drop",
        shared: Sequence[str] = (),
        names: Sequence[str] = (),
    ) -> None:
        """Opens and checks the files; without `step` and `batch_size`, when the samples are wanted.

        Args:
            files: one or several.
            step: whose inputs the batches are.
            batch_size: samples of a batch; by default those of the step, or of several that it has
                the first.
            shuffle: whether each epoch has an order of its own, which follows from `seed` and the
                number of the epoch.
            last_batch: what becomes of the samples that fill no batch at the end of an epoch:
                "drop" leaves them out, "wrap" fills their batch up with the epoch's first ones,
                "smaller" has a smaller batch, which a step must be compiled for too
                (``batch_size=[32, 5]``).
            shared: tensors without a sample axis, which each batch has whole.
            names: the tensors of a batch, where there is no step.
        """
        if last_batch not in ("drop", "wrap", "smaller"):
            raise UsageError(f"last_batch is {last_batch!r}; there are drop, wrap, smaller")
        if step is not None and names:
            raise UsageError("the names of a batch are those of the step's inputs")
        self._files, self._shared = _words(files), list(shared)
        self._data: _runtime.Data | None = None
        self._evaluation: tuple[_runtime.Program, _runtime.Evaluation] | None = None
        options = {"seed": seed, "shuffle": shuffle, "shared": self._shared}
        options |= {"wraps": last_batch == "wrap", "smaller": last_batch == "smaller"}
        if step is not None:
            self._data = _runtime.Data.open(step._program, self._files, batch_size=batch_size or 0, **options)
            if batch_size not in (None, self._data.batch_size):
                raise UsageError(f"batch_size={batch_size}: the step's is {self._data.batch_size}")
        elif batch_size is not None:
            self._data = _runtime.Data.open_tensors(self._files, batch_size, list(names), **options)
        self._tensors = self._data.tensors() if self._data else []

    def _opened(self) -> _runtime.Data:
        if self._data is None:
            raise UsageError("batches of how many samples? Give a step or a batch_size")
        return self._data

    @property
    def tensors(self) -> list[TensorInfo]:
        """Name, type and shape of each tensor of a whole batch."""
        self._opened()
        return list(self._tensors)

    @property
    def num_samples(self) -> int:
        """Samples of all files."""
        return self._opened().num_samples

    @property
    def batch_size(self) -> int:
        """Samples of a batch."""
        return self._opened().batch_size

    def __len__(self) -> int:
        """Batches of an epoch."""
        return self._opened().batches_per_epoch

    def _next(self) -> Batch:
        data = self._opened()
        data.next()
        batch = {}
        for index, info in enumerate(self._tensors):
            shape = data.shape(index)
            batch[info.name] = _arrays.read(lambda _, *target: data.read(index, *target), info, shape)
        return batch

    def __iter__(self) -> Iterator[Batch]:
        data = self._opened()
        for _ in range(data.batches_left or data.batches_per_epoch):
            yield self._next()

    def batches(self, count: int) -> Iterator[Batch]:
        """So many batches from here on, of this epoch and those behind it."""
        for _ in range(count):
            yield self._next()

    @property
    def position(self) -> dict[str, int]:
        """Where the next batch is: what :meth:`Step.save_checkpoint` takes."""
        return self._opened().position()

    def restore(self, position: Mapping[str, int] | None) -> None:
        """Goes on where `position` was: what :meth:`Step.load_checkpoint` gives.

        None, where there was no checkpoint, changes nothing, and neither does the place of a
        checkpoint that was saved without one. A place in other data is an error.
        """
        if position is not None and (position.get("samples") or position.get("batch_size")):
            self._opened().set_position(dict(position))

    def _evaluation_of(self, program: _runtime.Program) -> _runtime.Evaluation:
        """The same samples for the program's evaluation."""
        if self._evaluation is None or self._evaluation[0] is not program:
            self._evaluation = (program, _runtime.Evaluation(program, self._files, self._shared))
        return self._evaluation[1]

    def __repr__(self) -> str:
        return f"DataFiles({', '.join(map(repr, self._files))})"
