# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch's threads, put to sleep before a program runs on the same processors."""
from __future__ import annotations

import ctypes
from typing import Any, Callable

_SOFT = 1  # omp_pause_soft: threads end, and begin again when they are needed.


def _find_libgomp() -> Any:
    """The OpenMP library of GNU that this process has, as torch's wheels do; None where there is none."""
    try:
        with open("/proc/self/maps") as maps:
            paths = {line.split()[-1] for line in maps if "libgomp" in line}
        library = ctypes.PyDLL(sorted(paths)[0]) if paths else None
        return getattr(library, "omp_pause_resource_all", None)
    except (OSError, AttributeError):
        return None


def make_pause() -> Callable[[], Any]:
    """A function that ends the threads of torch's pool, which else spin some milliseconds after each of its loops."""
    pause = _find_libgomp()
    return (lambda: None) if pause is None else (lambda: pause(_SOFT))
