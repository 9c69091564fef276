# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled mixed-precision training steps, from Python.

A step that ``mpc-compile`` has written is loaded and run::

    import mpc_compiler

    step = mpc_compiler.load("step.mpc")
    step.lr = 1e-3
    for x, target in batches:
        result = step(x, target)
        print(result.loss, result.scale)
    step.save_checkpoint("checkpoints")

:func:`compile_step` makes one of a model here and now, of an ONNX file or a PyTorch module, and
:func:`explain` says what its precisions would be, and :func:`options` what a step can be told. :mod:`mpc_compiler.convert` exchanges
checkpoints with PyTorch and Keras.

Tensors are NumPy arrays, PyTorch tensors or anything else with DLPack. :class:`DataFiles` has
batches of them out of files, as ``mpc-train`` takes them.
"""
from . import ranks
from ._compile import compile_step, explain, options
from ._data import DataFiles
from ._errors import (
    DivergedError,
    EnvironmentFault,
    Error,
    ExportError,
    InternalError,
    InvalidInputError,
    MpcWarning,
    PeerError,
    UnsupportedError,
    UsageError,
)
from ._profile import Profile, Profiles
from ._progress import ProgressBar
from ._runtime import StepResult, TensorInfo, Update, __version__
from ._scaler import Scaler
from ._schedule import Schedule
from ._step import Step, load

__all__ = [
    "DataFiles",
    "DivergedError",
    "EnvironmentFault",
    "Error",
    "ExportError",
    "InternalError",
    "InvalidInputError",
    "MpcWarning",
    "PeerError",
    "Profile",
    "Profiles",
    "ProgressBar",
    "Scaler",
    "Schedule",
    "Step",
    "StepResult",
    "TensorInfo",
    "UnsupportedError",
    "Update",
    "UsageError",
    "__version__",
    "compile_step",
    "explain",
    "load",
    "options",
    "ranks",
]


def __getattr__(name: str):
    # Not imported above, so that `python -m mpc_compiler.convert` runs it once.
    if name == "convert":
        import importlib

        return importlib.import_module(".convert", __name__)
    # Not imported above either: torch may not be there.
    if name in ("step", "wrap"):
        from . import _fused, _wrap

        return {"step": _fused.step, "wrap": _wrap.wrap}[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
