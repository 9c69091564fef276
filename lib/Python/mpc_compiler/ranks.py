# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks: processes that train together, each with batches of its own.

::

    ranks = mpc_compiler.ranks.mpi()  # under: mpirun -n 4 python train.py
    step = mpc_compiler.step(model, optimizer, precision="bf16", ranks=ranks)
    for batch in batches[ranks.rank :: ranks.size]:
        loss = step(**batch)

``accumulate=N`` counts the batches of a step over all ranks, by default one of each. Rank 0 has the
first of them, and so on. Weights, skips and scale are the same on all ranks, to the bit, and those of
one process with the N batches and ``sum_order="pairs"``. All begin with the state of rank 0.

Each rank makes the same calls in the same order. One that is missing is a
:class:`mpc_compiler.PeerError` on the others, which names it; nothing that needs all works after it.
"""
from __future__ import annotations

import os
from typing import Any, Mapping

from . import _runtime
from ._errors import UsageError
from ._runtime import Ranks

__all__ = ["Ranks", "mpi", "nccl", "torch"]


def mpi(timeout: float = 60, patience: float = 600) -> Ranks:
    """Joins the ranks that ``mpirun`` or ``srun`` has started; once in a process.

    A rank that does not answer for `timeout` seconds is missing; one that answers that it is at work
    is waited for `patience` seconds.
    """
    return Ranks.join_mpi(timeout, patience)


def nccl(
    rank: int | None = None,
    size: int | None = None,
    device: int | None = None,
    rendezvous: str | None = None,
    timeout: float = 60,
    patience: float = 600,
) -> Ranks:
    """Joins ranks that have a GPU each, by NCCL: this process is `rank` of `size`, and has GPU `device`.

    What is left out is as ``torchrun`` says it; `rendezvous`, where the ranks find each other, is
    then the port behind its own. It may be ``HOST:PORT`` of rank 0's machine, or a file that all see
    and that is not there yet. They are waited for `timeout` seconds at the start, and later
    `patience` seconds.
    """

    def said(name: str) -> str:
        if name not in os.environ:
            raise UsageError(f"ranks.nccl: neither an argument nor {name} says it, as torchrun does")
        return os.environ[name]

    if rendezvous is None:
        rendezvous = f"{said('MASTER_ADDR')}:{int(said('MASTER_PORT')) + 1}"
    return Ranks.join_nccl(
        int(said("RANK")) if rank is None else rank,
        int(said("WORLD_SIZE")) if size is None else size,
        int(said("LOCAL_RANK")) if device is None else device,
        rendezvous,
        timeout,
        patience,
    )


def torch(group: Any = None) -> Ranks:
    """The ranks of a process group of ``torch.distributed`` (by default the one of all), as
    ``torchrun`` starts them. Its backend moves bytes of a CPU, as gloo does."""
    import torch as torch_
    import torch.distributed as dist

    if not dist.is_initialized():
        raise UsageError("torch.distributed is not initialized: call init_process_group('gloo') first")

    def ends(way: Any, messages: list) -> list:
        """Messages of one rank to another are told apart by their number among these."""
        numbers: dict[int, int] = {}
        found = []
        for rank, memory in messages:
            peer = rank if group is None else dist.get_global_rank(group, rank)
            number = numbers[rank] = numbers.get(rank, -1) + 1
            found.append(dist.P2POp(way, torch_.frombuffer(memory, dtype=torch_.uint8), peer, group, number))
        return found

    def exchange(sends: list, receives: list) -> None:
        for work in dist.batch_isend_irecv([*ends(dist.isend, sends), *ends(dist.irecv, receives)]):
            work.wait()

    return Ranks.create(dist.get_rank(group), dist.get_world_size(group), exchange)


def flags_of(ranks: Ranks | None, accumulate: int | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """What a step of `accumulate` batches (None: one of each rank) is compiled with for `ranks`."""
    if ranks is None:
        return {"accumulate": accumulate} if accumulate not in (None, 1) else {}
    flags = {"num_ranks": ranks.size, "sum_order": "pairs"}
    for name in flags.keys() & options.keys():
        raise UsageError(f"{name}= follows from ranks=")
    return {"accumulate": ranks.size if accumulate is None else accumulate, "shard": options.get("shard", "off"), **flags}

