# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains over the C ABI on NumPy's own tensors of DLPack, and compares the state with a checkpoint.

    python embed_numpy.py PREFIX STEP.mpc DATA.safetensors STEPS LR CHECKPOINT

No copy is made in either direction: arrays are bound by the capsules that NumPy makes, and
the state is read as arrays that NumPy makes of the library's.
"""
import ctypes
import pathlib
import sys

import numpy as np
from safetensors.numpy import load_file

prefix, program_file, data_file, steps, rate, checkpoint = sys.argv[1:]
library = ctypes.CDLL(next(pathlib.Path(prefix).rglob("libmpc-runtime.so")))
library.mpcErrorGetMessage.restype = ctypes.c_char_p
capsule = ctypes.pythonapi
capsule.PyCapsule_GetPointer.restype = ctypes.c_void_p
capsule.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsule.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsule.PyCapsule_New.restype = ctypes.py_object
capsule.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def call(name, *arguments):
    function = getattr(library, name)
    function.restype = ctypes.c_void_p
    error = ctypes.c_void_p(function(*arguments))
    message = library.mpcErrorGetMessage(error)
    library.mpcErrorDestroy(error)
    assert not error, (name, message)


class Runner:
    def __init__(self, path):
        program, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        call("mpcProgramLoad", path.encode(), None, ctypes.byref(program))
        call("mpcRunnerCreate", program, None, ctypes.byref(self.handle))
        library.mpcProgramDestroy(program)

    def bind(self, name, array):
        tensor = array.__dlpack__(max_version=(1, 0))
        pointer = capsule.PyCapsule_GetPointer(tensor, b"dltensor_versioned")
        call("mpcRunnerBindInputManaged", self.handle, name.encode(), ctypes.c_void_p(pointer))
        capsule.PyCapsule_SetName(tensor, b"used_dltensor_versioned")

    def state(self, name):
        tensor = ctypes.c_void_p()
        call("mpcRunnerShareState", self.handle, name.encode(), ctypes.byref(tensor))
        return np.from_dlpack(Shared(tensor))


class Shared:
    """What NumPy takes a tensor from."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __dlpack__(self, **_):
        return capsule.PyCapsule_New(self.pointer, b"dltensor_versioned", None)

    def __dlpack_device__(self):
        return (1, 0)


data = load_file(data_file)
runner = Runner(program_file)
call("mpcRunnerWriteNumber", runner.handle, b"lr", ctypes.c_double(float(rate)))
batch, samples = 256, len(data["target"])
for step in range(int(steps)):
    first = step * batch % samples
    for name, values in data.items():
        runner.bind(name, values[first : first + batch])
    call("mpcRunnerStep", runner.handle, None)

expected = load_file(checkpoint)
weights = {name: runner.state(name) for name in expected if name.startswith("fc")}
library.mpcRunnerDestroy(runner.handle)  # Its memory lives on, as NumPy's.
assert len(weights) == 12, sorted(weights)
for name, values in weights.items():
    assert not values.flags.writeable and values.dtype == np.float32
    assert np.array_equal(values.view(np.uint32), expected[name].view(np.uint32)), name
