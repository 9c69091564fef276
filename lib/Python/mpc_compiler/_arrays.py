# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What users give as tensors, and NumPy arrays for what they get."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._errors import InvalidInputError
from ._runtime import TensorInfo

try:  # NumPy has no bfloat16 of its own.
    from ml_dtypes import bfloat16 as _bfloat16
except ImportError:
    _bfloat16 = None


def describe(info: TensorInfo) -> str:
    """'float32[8, 64]', for messages."""
    return f"{info.dtype}{list(info.shape)}"


def _describe_value(value: Any) -> str:
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is None or shape is None:
        return f"a {type(value).__name__}"
    device = getattr(value, "device", "cpu")
    place = "" if str(device) == "cpu" else f" on {device}"
    return f"{str(dtype).removeprefix('torch.')}{list(shape)}{place}"


def as_source(value: Any, info: TensorInfo) -> tuple[Any, bool]:
    """A tensor that DLPack or NumPy can hand over, and whether it is bfloat16 in 16-bit integers.

    Lists and numbers become arrays of the type that is wanted.
    """
    if hasattr(value, "detach"):  # Torch hands over no tensor that has a gradient.
        value = value.detach()
    if not isinstance(value, np.ndarray):
        if hasattr(value, "__dlpack__"):
            return value, False
        narrow = info.dtype == "bfloat16"
        value = np.asarray(value, dtype=np.float32 if narrow else info.dtype)
    if value.dtype.name == "bfloat16":
        return value.view(np.uint16), True
    return value, False


def refuse(what: str, value: Any, info: TensorInfo) -> InvalidInputError:
    """Says what a tensor should have been."""
    return InvalidInputError(
        f"{what} {info.name!r} is {_describe_value(value)}, expected {describe(info)} "
        "in the memory of a CPU"
    )


def read(read_into: Any, info: TensorInfo, shape: Sequence[int] | None = None) -> np.ndarray:
    """A new array of what `read_into(name, array, is_bf16)` writes; of `info`'s shape without one.

    bfloat16 is ml_dtypes' where that is installed, else float32, which holds the same numbers.
    """
    shape = info.shape if shape is None else shape
    if info.dtype != "bfloat16":
        array = np.empty(shape, info.dtype)
        read_into(info.name, array, False)
        return array
    bits = np.empty(shape, np.uint16)
    read_into(info.name, bits, True)
    return bfloat16_of(bits)


def bfloat16_of(bits: np.ndarray) -> np.ndarray:
    """bfloat16 of its bits: ml_dtypes', or float32 of the same values."""
    if _bfloat16 is not None:
        return bits.view(_bfloat16)
    return (bits.astype(np.uint32) << 16).view(np.float32)


CPU, GPU = 1, 2  # DLPack's kDLCPU and kDLCUDA.


class Memory:
    """What NumPy or torch takes a tensor from: a DLPack capsule, and the kind of device whose memory it is of."""

    def __init__(self, capsule: Any, kind: int = CPU) -> None:
        self._capsule, self._kind = capsule, kind

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self._kind, 0)
