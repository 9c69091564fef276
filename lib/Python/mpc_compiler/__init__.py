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

Tensors are NumPy arrays, PyTorch tensors or anything else with DLPack.
"""
from ._errors import (
    DivergedError,
    EnvironmentFault,
    Error,
    InternalError,
    InvalidInputError,
    MpcWarning,
    PeerError,
    UsageError,
)
from ._progress import ProgressBar
from ._runtime import StepResult, TensorInfo, __version__
from ._scaler import Scaler
from ._step import Step, load

__all__ = [
    "DivergedError",
    "EnvironmentFault",
    "Error",
    "InternalError",
    "InvalidInputError",
    "MpcWarning",
    "PeerError",
    "ProgressBar",
    "Scaler",
    "Step",
    "StepResult",
    "TensorInfo",
    "UsageError",
    "__version__",
    "load",
]
