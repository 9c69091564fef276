# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch's threads, asleep while a program runs on the same processors.

Between two loops of torch the threads of its OpenMP library spin for some milliseconds, so that the next one starts at
once. A program would share its processors with them. Ending them (omp_pause_resource_all) costs more where a machine is
busy: the next loop waits until new ones have been started. So a program runs inside of a parallel region, in which
torch's threads wait for a semaphore, which takes no processor, and are there again when the region ends.
"""
from __future__ import annotations

import ctypes
import pathlib
import time
from typing import Any

import torch  # type: ignore[import-not-found]

# To lay threads to sleep and to wake them takes some 40 us, which a shorter run does not win.
_SHORT = 50e-6
_SEMAPHORE_BYTES = 64  # sem_t has 32 where there are 64 bits.


def _find_openmp() -> Any:
    """The OpenMP library that torch itself computes with; None where it is none with GNU's entries."""
    path = pathlib.Path(torch.__file__).parent / "lib/libtorch_cpu.so"
    try:
        # A symbol is looked for in the libraries that it was linked to, too.
        library = ctypes.PyDLL(str(path))
        library.GOMP_parallel_start, library.GOMP_parallel_end  # noqa: B018
        return library
    except (OSError, AttributeError):
        return None


class Sleeping:
    """A context in which the threads that torch has for the calling thread sleep."""

    def __init__(self) -> None:
        self._openmp = _find_openmp()
        self._others = 0
        self._begin, self._seconds = 0.0, 1.0  # Of the last run.
        if self._openmp is None:
            return
        libc = ctypes.PyDLL(None)
        self._memory = ctypes.create_string_buffer(_SEMAPHORE_BYTES)
        self._semaphore = ctypes.c_void_p(ctypes.addressof(self._memory))
        self._wait = ctypes.cast(libc.sem_wait, ctypes.c_void_p)
        self._init, self._post = libc.sem_init, libc.sem_post
        self._start, self._end = self._openmp.GOMP_parallel_start, self._openmp.GOMP_parallel_end
        self._start.restype = self._end.restype = None

    def __enter__(self) -> None:
        threads = torch.get_num_threads() if self._openmp is not None and self._seconds > _SHORT else 1
        self._others = threads - 1
        if self._others:
            # Anew each time: a signal may have ended a wait before its turn.
            self._init(self._semaphore, 0, 0)
            self._start(self._wait, self._semaphore, threads)
        self._begin = time.perf_counter()

    def __exit__(self, *_: Any) -> None:
        self._seconds = time.perf_counter() - self._begin
        for _ in range(self._others):
            self._post(self._semaphore)
        if self._others:
            self._end()
