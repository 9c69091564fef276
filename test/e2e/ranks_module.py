# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A rank of two that uses the module of Open MPI itself: messages of another size than the memory for them wait.

    mpirun -n 2 python ranks_module.py MODULE
"""
import ctypes
import os
import sys
import time

LARGE = 1 << 20


class Message(ctypes.Structure):
    _fields_ = [("peer", ctypes.c_uint32), ("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64)]


class Module(ctypes.Structure):
    """As runtime/Ranks/MPI/Module.h has it, up to `test`."""

    _fields_ = [
        ("version", ctypes.c_uint32),
        ("library", ctypes.c_char_p),
        ("open", ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)),
        ("close", ctypes.CFUNCTYPE(None)),
        ("describe", ctypes.c_void_p),
        ("begin", ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.POINTER(Message), ctypes.c_size_t] * 2)),
        ("test", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)),
    ]


def messages(peer, parts):
    return (Message * len(parts))(*[Message(peer, address, size) for address, size in parts])


def main():
    library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
    library.mpcMpiModule.restype = ctypes.POINTER(Module)
    module = library.mpcMpiModule().contents
    rank, size, threads, done = ctypes.c_uint32(), ctypes.c_uint32(), ctypes.c_int(), ctypes.c_int()
    assert module.open(*map(ctypes.byref, (rank, size, threads))) == 0 and size.value == 2
    if rank.value == 1:
        large, small = ctypes.create_string_buffer(b"L" * LARGE), ctypes.create_string_buffer(b"good")
        parts = [(ctypes.addressof(large), LARGE), (ctypes.addressof(small), 4)]
        assert module.begin(messages(0, parts), 2, None, 0) == 0
    else:
        memory = ctypes.create_string_buffer(2 * LARGE)
        assert module.begin(None, 0, messages(1, [(ctypes.addressof(memory), 4)]), 1) == 0
    end = time.time() + 3
    while time.time() < end and not done.value:
        assert module.test(ctypes.byref(done)) == 0
    if rank.value == 0:
        assert done.value and memory.raw == b"good".ljust(2 * LARGE, b"\0"), memory.raw[:8]
        print("a message of another size: waits", flush=True)
    else:
        assert not done.value
    os._exit(0)


main()
