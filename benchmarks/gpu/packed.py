# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder that pack.py made, as the scripts in it use it."""
import fnmatch
import json
import os
import pathlib
import sys


def find_library(*names):
    """The first of them in Python packages of NVIDIA, which PyTorch brings along."""
    for folder in map(pathlib.Path, sys.path):
        for name in names:
            if (folder / "nvidia" / name).exists():
                return str(folder / "nvidia" / name)
    return None


def find_nvrtc():
    return find_library("cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12")


def find_cublaslt():
    return find_library("cu13/lib/libcublasLt.so.13", "cublas/lib/libcublasLt.so.12")


def is_fake():
    """Whether this is the test driver, whose times mean nothing, and which no library of NVIDIA knows."""
    return "MPC_CUDA_DRIVER" in os.environ


def environment():
    """For our own programs."""
    found = dict(os.environ)
    if nvrtc := find_nvrtc():
        found.setdefault("MPC_NVRTC", nvrtc)
    if cublaslt := "off" if is_fake() else find_cublaslt():
        found.setdefault("MPC_CUBLASLT", cublaslt)
    return found


class Packed:
    def __init__(self, folder):
        self.folder = folder.resolve()
        self.content = json.loads((self.folder / "pack.json").read_text())
        self.environment = environment()

    def program(self, name):
        return self.folder / "bin" / name

    def facts(self):
        """Of how it was made."""
        return {key: self.content[key] for key in ("arch", "nvrtc", "driver", "commit")} | {"test_driver": is_fake()}


def is_wanted(name, patterns):
    """Whether a row is one of `patterns`, which may name the beginning of it."""
    return not patterns or any(fnmatch.fnmatch(name, pattern) or name.startswith(pattern) for pattern in patterns)


def add_flags(parser, out):
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=pathlib.Path(__file__).parent)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(out))
    parser.add_argument("--only", default="", help="rows by their names or beginnings, apart by commas; * is anything")
    parser.add_argument("--budget", type=float, default=600, help="seconds after which nothing runs any more")
    return parser
