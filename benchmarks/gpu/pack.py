#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the measured steps and puts them, the runtime and the scripts into a folder that runs on a GPU machine
without LLVM.

    python pack.py BUILD FOLDER [--arch=sm_90] [--models=gpt2,...] [--precisions=bf16,fp16] [--small]

There: `python FOLDER/steps.py FOLDER`. Weights are drawn there, by rule, so that all is below 64 MiB.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

import models

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 64 << 20
SCRIPTS = ("steps.py", "peers.py", "models.py", "measure.py", "cost_model.py")
PROGRAMS = ("mpc-run", "mpc-inspect", "device-limits", "kernel-times")
# What every machine has, and must take its own of.
OF_THE_SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt)\b")


def compile_step(build, folder, name, precision, arch, changes):
    """One program; the batch's size stays that of the model."""
    source = folder / "steps" / f"{name}.mlir"
    source.write_text(models.write(name, **changes))
    program = folder / "steps" / f"{name}-{precision}.mpc"
    subprocess.run(
        [build / "bin/mpc-compile", source, f"--precision={precision}", "--clip-global-norm=1",
         f"--target=cuda:{arch}", "-o", program],
        check=True,
    )
    source.unlink()
    return {"model": name, "precision": precision, "program": program.name, "changes": changes}


def copy_runtime(build, folder):
    """Programs, and the libraries beside the system's that they name."""
    for name in PROGRAMS:
        shutil.copy2(build / "bin" / name, folder / "bin" / name)
        listed = subprocess.run(["ldd", build / "bin" / name], check=True, text=True, stdout=subprocess.PIPE)
        for library in re.findall(r"(\S+) => (/\S+)", listed.stdout):
            if not OF_THE_SYSTEM.match(library[0]):
                shutil.copy2(library[1], folder / "lib" / library[0])
    shutil.copy2(build / "Prelude.cuh", folder / "lib")
    shutil.copy2(HERE.parents[1] / "test/Inputs/cuda/matmul.cu", folder / "lib")


def pack(build, folder, names, precisions, arch, small):
    for part in ("bin", "lib", "steps"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    copy_runtime(build, folder)
    for script in SCRIPTS:
        shutil.copy2(HERE / script, folder / script)
    steps = [
        compile_step(build, folder, name, precision, arch, models.SMALL[name] if small else {})
        for name in names
        for precision in precisions
    ]
    (folder / "steps.json").write_text(json.dumps({"arch": arch, "steps": steps}, indent=1) + "\n")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {len(steps)} steps, {size / 2**20:.1f} MiB")
    if size >= LIMIT:
        sys.exit(f"pack.py: error: {size} bytes are not below {LIMIT}; name fewer --models or --precisions")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--models", default=",".join(models.SIZES))
    parser.add_argument("--precisions", default="bf16,fp16")
    parser.add_argument("--small", action="store_true", help="as small as the test driver wants it")
    arguments = parser.parse_args()
    pack(arguments.build, arguments.folder, arguments.models.split(","), arguments.precisions.split(","),
         arguments.arch, arguments.small)


if __name__ == "__main__":
    main()
