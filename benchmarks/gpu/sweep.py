#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the steps of many models for many GPUs, and finds kernels that NVRTC refuses or that spill, and products that
are meant for Tensor Cores and whose machine code does not use them. (That all large ones are meant for them is a test:
LargeProducts.)

    python sweep.py BUILD MODEL... [--archs=75,80,...] [--precisions=fp32,fp16,bf16] [--flags="--loss=mse"]
        [--cache=FOLDER] [--jobs=N] [--out=FILE.csv]

MODEL is a file, or a name of models.py. Needs NVRTC and nvdisasm (scripts/requirements-cuda.txt; MPC_NVRTC may name
another NVRTC) and no GPU. One row a model, precision and GPU. Kernels that differ in their names alone are compiled once;
--cache keeps what was found of them from one run to the next. Exit code 1 where something is wrong, 77 where there is no
NVRTC.
"""
import argparse
import concurrent.futures
import csv
import ctypes
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import models
from packed import find_nvrtc

ARCHS = "75,80,86,89,90,100,120"
COLUMNS = ("model", "precision", "arch", "kernels", "without_code", "spilled", "products", "without_tensor_cores",
           "most_registers", "names")
BATCH = 12  # Kernels that NVRTC gets at a time, since each time it reads the prelude.

# --- texts ----------------------------------------------------------------------------------------

END_OF_PRELUDE = "// End of the prelude.\n"
KERNEL = re.compile(r'^extern "C" __global__ void __launch_bounds__\(\d+, \d+\)\n(\w+)\(.*?^}\n', re.M | re.S)


def write_text(build, model, precision, arch, flags):
    """The step's CUDA C++; ValueError with what is wrong. Without the NVRTC that would compile it here too."""
    done = subprocess.run(
        [build / "bin/mpc-compile", model, f"--precision={precision}", f"--target=cuda:sm_{arch}", *flags, "--emit=cuda",
         "-o", "-"],
        env={**os.environ, "MPC_NVRTC": "/none"}, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    if done.returncode != 0:
        raise ValueError(done.stderr.strip().splitlines()[-1])
    return done.stdout


def split(text):
    """The prelude, and kernels by name."""
    prelude, end, rest = text.partition(END_OF_PRELUDE)
    return prelude + end, {found[1]: found[0] for found in KERNEL.finditer(rest)}


def uses_tensor_cores(text):
    return "mpc_multiply_tiles" in text


# --- machine code ---------------------------------------------------------------------------------


@dataclasses.dataclass
class Code:
    """What NVRTC made of a kernel."""

    registers: int = 0
    spilled: int = 0  # Bytes of the stack, which hold what registers did not.
    products: int = 0  # Instructions of Tensor Cores.
    fault: str = ""


class Nvrtc:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def text_of(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        content = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{what}")(program, content)
        return content.raw

    def compile(self, text, arch):
        """The machine code, empty where it is refused, and what was said."""
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"step.cu", 0, None, None)
        options = [f"--gpu-architecture=sm_{arch}".encode(), b"--fmad=false", b"--ptxas-options=-v"]
        failed = self.library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        log = self.text_of(program, "ProgramLog").rstrip(b"\0").decode()
        code = b"" if failed else self.text_of(program, "CUBIN")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return code, log


COMPILED = re.compile(
    r"entry function '(\w+)' for .*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads.*?"
    r"Used (\d+) registers", re.S)


def disassemble(tool, code):
    """Instructions of Tensor Cores by kernel."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code)
        file.flush()
        done = subprocess.run([tool, "-c", file.name], text=True, stdout=subprocess.PIPE, check=True)
    parts = re.split(r"^\.text\.(\w+):$", done.stdout, flags=re.M)
    return {name: len(re.findall(r"\bHMMA\.", part)) for name, part in zip(parts[1::2], parts[2::2])}


class Compiler:
    """Compiles each text once."""

    def __init__(self, nvrtc, nvdisasm, cache, jobs):
        self.nvrtc, self.nvdisasm, self.folder = nvrtc, nvdisasm, cache
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.known = {}

    def key(self, prelude, kernel, arch):
        """Of a kernel that is called `kernel`."""
        parts = (self.nvrtc.version, str(arch), prelude, kernel)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def find(self, key):
        if key in self.known:
            return self.known[key]
        file = self.folder and self.folder / f"{key}.json"
        if file and file.exists():
            self.known[key] = Code(**json.loads(file.read_text()))
        return self.known.get(key)

    def keep(self, key, code):
        self.known[key] = code
        if self.folder:
            (self.folder / f"{key}.json").write_text(json.dumps(dataclasses.asdict(code)))

    def codes(self, prelude, kernels, arch):
        """Code by name."""
        keys, missing = {}, {}
        for name, text in kernels.items():
            plain = re.sub(rf"^{name}\(", "kernel(", text, count=1, flags=re.M)
            keys[name] = self.key(prelude, plain, arch)
            if not self.find(keys[name]):
                missing.setdefault(keys[name], plain)
        # Products first, which take longest.
        wanted = sorted(missing.items(), key=lambda item: not uses_tensor_cores(item[1]))
        batches = [wanted[i : i + BATCH] for i in range(0, len(wanted), BATCH)]
        for found in self.pool.map(lambda batch: self.compile(prelude, batch, arch), batches):
            for key, code in found.items():
                self.keep(key, code)
        return {name: self.known[key] for name, key in keys.items()}

    def compile(self, prelude, batch, arch):
        named = {f"kernel{i}": key for i, (key, _) in enumerate(batch)}
        texts = [re.sub(r"^kernel\(", f"kernel{i}(", text, count=1, flags=re.M) for i, (_, text) in enumerate(batch)]
        image, log = self.nvrtc.compile(prelude + "\n".join(texts), arch)
        if not image and len(batch) > 1:  # One of them is at fault.
            return {key: code for one in batch for key, code in self.compile(prelude, [one], arch).items()}
        if not image:
            return {key: Code(fault=log or "NVRTC failed") for key in named.values()}
        products = disassemble(self.nvdisasm, image) if any(map(uses_tensor_cores, texts)) else {}
        found = {key: Code(fault="no machine code") for key in named.values()}
        for name, stack, stores, loads, registers in COMPILED.findall(log):
            spilled = max(int(stack), int(stores), int(loads))
            found[named[name]] = Code(int(registers), spilled, products.get(name, 0))
        return found


# --- the table ------------------------------------------------------------------------------------


def describe(kernels, codes):
    """The columns behind the GPU."""
    without = [name for name, code in codes.items() if code.fault]
    spilled = [name for name, code in codes.items() if code.spilled]
    products = [name for name, text in kernels.items() if uses_tensor_cores(text)]
    plain = [name for name in products if not codes[name].products and not codes[name].fault]
    most = max((code.registers for code in codes.values()), default=0)
    return [len(codes), len(without), len(spilled), len(products), len(plain), most, " ".join(without + spilled + plain)]


def row_of(build, compiler, model, precision, arch, flags):
    try:
        text = write_text(build, model, precision, arch, flags)
    except ValueError as error:
        return [0, 1, 0, 0, 0, 0, str(error)]
    prelude, kernels = split(text)
    return describe(kernels, compiler.codes(prelude, kernels, arch))


def file_of(model, folder):
    """The model's file, written where it is one of models.py."""
    if model not in models.SIZES:
        return pathlib.Path(model)
    file = pathlib.Path(folder) / f"{model}.mlir"
    file.write_text(models.write(model))
    return file


def sweep(arguments, compiler):
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models:
            file = file_of(model, folder)
            for precision in arguments.precisions.split(","):
                for arch in arguments.archs.split(","):
                    found = row_of(arguments.build, compiler, file, precision, arch, shlex.split(arguments.flags))
                    yield [file.name, precision, arch, *found]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--archs", default=ARCHS)
    parser.add_argument("--precisions", default="fp32,fp16,bf16")
    parser.add_argument("--flags", default="", help="further flags of mpc-compile")
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=argparse.FileType("w"), default=sys.stdout)
    return parser.parse_args()


def main():
    arguments = parse()
    library = os.environ.get("MPC_NVRTC") or find_nvrtc()
    if not library:
        print("sweep.py: no NVRTC", file=sys.stderr)
        return 77
    nvdisasm = pathlib.Path(library).parents[1] / "bin/nvdisasm"
    if arguments.cache:
        arguments.cache.mkdir(parents=True, exist_ok=True)
    compiler = Compiler(Nvrtc(library), nvdisasm if nvdisasm.exists() else "nvdisasm", arguments.cache, arguments.jobs)
    table = csv.writer(arguments.out, lineterminator="\n")
    table.writerow(COLUMNS)
    failed = False
    for row in sweep(arguments, compiler):
        table.writerow(row)
        arguments.out.flush()
        failed |= bool(row[4] or row[5] or row[7])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
