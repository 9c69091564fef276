#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the steps of many models for many GPUs, and finds kernels that NVRTC refuses or that spill.

    python sweep.py BUILD MODEL... [--archs=75,80,...] [--precisions=fp16,bf16] [--flags="--loss=mse"] [--out=FILE.csv]

Needs NVRTC (scripts/requirements-cuda.txt; MPC_NVRTC may name it) and no GPU. One row a model, precision and GPU: its
kernels, those without machine code, those with local memory and the most registers. Exit code 1 where one spills or has
no code, 77 where there is no NVRTC.
"""
import argparse
import csv
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

from measure import find_nvrtc

ARCHS = "75,80,86,89,90,100,120"
COLUMNS = ("model", "precision", "arch", "kernels", "without_code", "with_local_memory", "most_registers", "names")


def compile_step(build, model, precision, archs, flags, program):
    """All GPUs at once; what is wrong, or null."""
    targets = ",".join(f"cuda:sm_{arch}" for arch in archs)
    done = subprocess.run(
        [build / "bin/mpc-compile", model, f"--precision={precision}", f"--target={targets}", "-o", program, *flags],
        text=True, stderr=subprocess.PIPE,
    )
    return None if done.returncode == 0 else done.stderr.strip()


def kernels_of(build, program, arch):
    done = subprocess.run(
        [build / "bin/mpc-inspect", program, f"--cpu=cuda:sm_{arch}", "--json"],
        text=True, stdout=subprocess.PIPE, check=True,
    )
    return json.loads(done.stdout)["kernels"]


def describe(kernels):
    without = [kernel["symbol"] for kernel in kernels if "registers" not in kernel]
    spilled = [kernel["symbol"] for kernel in kernels if kernel.get("local_bytes") or kernel.get("local_accesses")]
    most = max((kernel["registers"] for kernel in kernels if "registers" in kernel), default=0)
    return [len(kernels), len(without), len(spilled), most, " ".join(without + spilled)]


def sweep(build, names, precisions, archs, flags):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "step.mpc"
        for name in names:
            for precision in precisions:
                fault = compile_step(build, name, precision, archs, flags, program)
                if fault:
                    yield [pathlib.Path(name).name, precision, "all", 0, 1, 0, 0, fault.splitlines()[-1]]
                    continue
                for arch in archs:
                    found = describe(kernels_of(build, program, arch))
                    yield [pathlib.Path(name).name, precision, arch, *found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--archs", default=ARCHS)
    parser.add_argument("--precisions", default="fp16,bf16")
    parser.add_argument("--flags", default="", help="further flags of mpc-compile")
    parser.add_argument("--out", type=argparse.FileType("w"), default=sys.stdout)
    arguments = parser.parse_args()
    if "MPC_NVRTC" not in os.environ:
        if not (nvrtc := find_nvrtc()):
            print("sweep.py: no NVRTC", file=sys.stderr)
            return 77
        os.environ["MPC_NVRTC"] = nvrtc
    table = csv.writer(arguments.out, lineterminator="\n")
    table.writerow(COLUMNS)
    failed = False
    for row in sweep(arguments.build, arguments.models, arguments.precisions.split(","), arguments.archs.split(","),
                     shlex.split(arguments.flags)):
        table.writerow(row)
        arguments.out.flush()
        failed |= bool(row[4] or row[5])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
