#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs what a GPU machine needs to prove and to measure: programs, compiled steps, recorded answers and scripts.

    python pack.py BUILD FOLDER [--arch=sm_90] [--driver=13.0] [--models=gpt2,...] [--precisions=bf16,fp16]
        [--parts=device,proofs,trainings,steps] [--small]

There: `python FOLDER/prove.py FOLDER`, then `python FOLDER/measure.py FOLDER`; README.md has the first half hour. The
machine needs a driver, glibc 2.34, Python 3.10, and for the peers PyTorch; no compiler and no LLVM.

--driver is the release of CUDA that the machine's driver is of (the head of nvidia-smi): machine code by a newer NVRTC
($MPC_NVRTC, else that of this Python) is refused, since such a driver may refuse it. The text stands beside the machine
code, for a driver that refuses it all the same. All is below 64 MiB: weights are drawn there, by rule, and --parts makes
folders of less.
"""
import argparse
import json
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import models
from packed import find_nvrtc
from sweep import Nvrtc

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIMIT = 64 << 20
SCRIPTS = ("prove.py", "measure.py", "report.py", "packed.py", "batches.py", "launches.py", "models.py", "peers.py",
           "cost_model.py", "README.md")
# By their names there, those of the build.
PROGRAMS = {"mpc-run": "pack-mpc-run", "mpc-inspect": "pack-mpc-inspect", "device-limits": "device-limits",
            "kernel-times": "kernel-times", "prove-kernels": "prove-kernels",
            "MpcCUDADeviceTest": "MpcCUDADeviceTest"}
PARTS = ("device", "proofs", "trainings", "steps")
# What a program is proven as: its sizes, and flags of the compiler.
PROOFS = {"small": ("small", []), "ragged": ("ragged", []), "wide": ("small", ["--wide-places"])}
# Runs that PyTorch recorded: flags of the compiler, and the learning rate.
RECORDED = {
    "chargpt": (["--optimizer=adamw", "--beta2=0.95", "--weight-decay=0.1", "--no-decay=ln", "--clip-global-norm=1.0"],
                1e-3),
    "digits-mlp": (["--optimizer=sgd", "--momentum=0.9"], 0.05),
}
SCALERS = {"fp16": ["--loss-scale=torch", "--growth-interval=10"],
           "fp16hi": ["--loss-scale=torch", "--init-scale=1073741824", "--growth-interval=5"]}
# What every machine has, and must take its own of; libresolv, of glibc too, is the sanitizers' wish.
OF_THE_SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libgcc_s)\b")


class Packer:
    def __init__(self, arguments):
        self.build, self.folder, self.arch = arguments.build.resolve(), arguments.folder, arguments.arch
        self.small, self.names = arguments.small, arguments.models.split(",")
        self.precisions = arguments.precisions.split(",")
        self.recorded, self.training_steps = arguments.trainings.split(","), arguments.training_steps

    def compile(self, model, program, precision, *flags):
        """One program; the batch's size stays that of the model."""
        subprocess.run(
            [self.build / "bin/mpc-compile", model, f"--precision={precision}", f"--target=cuda:{self.arch}", *flags,
             "-o", program],
            check=True,
        )

    def compile_model(self, folder, name, changes, precision, *forms):
        """A program of models.py in each of the forms, which are a suffix of its file and flags."""
        with tempfile.TemporaryDirectory() as scratch:
            source = pathlib.Path(scratch) / f"{name}.mlir"
            source.write_text(models.write(name, **changes))
            for suffix, flags in forms:
                program = self.folder / folder / f"{suffix}.mpc"
                self.compile(source, program, precision, "--clip-global-norm=1", *flags)

    # --- steps that are measured ------------------------------------------------------------------

    def steps(self):
        """Each with its kernels by plain loops beside it."""
        found = []
        for name in self.names:
            changes = models.SMALL[name] if self.small else {}
            for precision in self.precisions:
                program = f"{name}-{precision}"
                self.compile_model("steps", name, changes, precision, (program, []), (f"{program}-plain", ["--naive"]))
                found.append({"model": name, "precision": precision, "program": f"{program}.mpc",
                              "plain": f"{program}-plain.mpc", "changes": changes})
        return found

    # --- proofs -----------------------------------------------------------------------------------

    def record(self, program, answers):
        """What the emulator answers to the program's text, on the architecture that it is for."""
        subprocess.run(
            [self.build / "bin/prove-kernels", "record", program, answers], check=True, stdout=subprocess.DEVNULL,
            env=self.emulator(),
        )

    def prove(self, name, size, precision):
        program = f"{name}-{size}-{precision}"
        sizes, flags = PROOFS[size]
        # The approximate instructions of a device have bits that no emulator knows.
        self.compile_model("proofs", name, models.PROVEN[sizes][name], precision, (program, [*flags, "--math=exact"]))
        with tempfile.TemporaryDirectory() as scratch:
            answers = pathlib.Path(scratch) / "answers"
            self.record(self.folder / "proofs" / f"{program}.mpc", answers)
            compressed = lzma.compress(answers.read_bytes(), preset=1)
        (self.folder / "proofs" / f"{program}.answers.xz").write_bytes(compressed)
        return {"name": program}

    def proofs(self):
        return [self.prove(name, size, precision) for name in self.names for size in PROOFS
                for precision in self.precisions]

    # --- the driver layer, and trainings ------------------------------------------------------------

    def emulator(self):
        """Environment in which a program runs in the emulator, of the architecture that is packed for."""
        library = self.build / "lib"
        variables = {
            "MPC_CUDA_DRIVER": library / "libMpcFakeCuda.so", "MPC_NVRTC": library / "libMpcFakeNvrtc.so",
            "MPC_FAKE_CUDA": f"sm={self.arch.removeprefix('sm_')} memory={4 << 30}", "MPC_SIMT_CHECKS": "0",
        }
        return {**os.environ, **{key: str(value) for key, value in variables.items()}}

    def device(self):
        """The emulator's answers to the test kernels."""
        subprocess.run([self.build / "bin/MpcCUDADeviceTest", f"--record={self.folder / 'device'}"], check=True,
                       stdout=subprocess.DEVNULL, env={**self.emulator(), "MPC_TEST_CUDA": "1"})
        return sorted(path.name for path in (self.folder / "device").iterdir())

    def training(self, name, kind):
        """The model's file has the run's initial weights."""
        flags, rate = RECORDED[name]
        program = f"{name}-{kind}.mpc"
        self.compile(ROOT / f"test/Inputs/workloads/{name}.onnx", self.folder / "trainings" / program,
                     kind.removesuffix("hi"), *flags, *SCALERS.get(kind, []))
        return {"name": f"{name} {kind}", "kind": kind, "program": program, "data": f"{name}.data", "lr": rate,
                "steps": self.training_steps, "reference": f"{name}.safetensors"}

    def trainings(self):
        """Programs, data, and what PyTorch recorded, with what holds one against the other."""
        folder = self.folder / "trainings"
        for script, place in (("test/e2e/check_training.py", "e2e"), ("test/support/reference.py", "support")):
            (folder / place).mkdir(exist_ok=True)
            shutil.copy2(ROOT / script, folder / place)
        wanted = [training.split(":") for training in self.recorded]
        for name in {name for name, _ in wanted}:
            subprocess.run([sys.executable, "-B", ROOT / "test/Inputs/training_data.py", name,
                            f"--steps={self.training_steps}", f"--data={folder / name}.data"], check=True)
            shutil.copy2(ROOT / f"test/Inputs/training/{name}.safetensors", folder)
        return [self.training(name, kind) for name, kind in wanted]

    # --- all --------------------------------------------------------------------------------------

    def copy_runtime(self):
        """Programs, and the libraries beside the system's that they name."""
        for name, built in PROGRAMS.items():
            shutil.copy2(self.build / "bin" / built, self.folder / "bin" / name)
            listed = subprocess.run(["ldd", self.build / "bin" / built], check=True, text=True, stdout=subprocess.PIPE)
            beside = [found for found in re.findall(r"(\S+) => /\S+", listed.stdout)
                      if not OF_THE_SYSTEM.match(found)]
            if beside:
                sys.exit(f"pack.py: error: {name} is linked with {', '.join(beside)}, which is not the system's")
        for text in (self.build / "Prelude.cuh", HERE / "Loops.cu", *(ROOT / "test/Inputs/cuda").glob("*.cu")):
            shutil.copy2(text, self.folder / "lib")
        self.compile_loops()
        for script in SCRIPTS:
            shutil.copy2(HERE / script, self.folder / script)

    def compile_loops(self):
        """Machine code of what device-limits runs, so that no NVRTC is asked there: of sm_90 with all that it has, where
        this NVRTC knows that."""
        library = packed_nvrtc()
        number = self.arch.removeprefix("sm_")
        prelude = (self.build / "Prelude.cuh").read_text()
        for name in ("Loops", "matmul") if library else ():
            text = prelude + (self.folder / f"lib/{name}.cu").read_text()
            codes = (Nvrtc(library).compile(text, arch)[0] for arch in ([number + "a"] if number == "90" else []) + [number])
            if code := next(filter(None, codes), b""):
                (self.folder / f"lib/{name}.cubin").write_bytes(code)

    def pack(self, parts):
        for part in ("bin", "lib", *PARTS):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        self.copy_runtime()
        return {part: getattr(self, part)() if part in parts else [] for part in PARTS}


def packed_nvrtc():
    """That which makes machine code; empty where there is none, and programs hold their text."""
    library = os.environ.get("MPC_NVRTC") or find_nvrtc()
    return "" if library == "/none" else library


def check_nvrtc(driver):
    """The version of the NVRTC that makes the machine code."""
    library = packed_nvrtc()
    if not library:
        return ""
    version = Nvrtc(library).version
    if tuple(map(int, version.split("."))) > tuple(map(int, driver.split("."))):
        sys.exit(f"pack.py: error: NVRTC {version} is newer than a driver of CUDA {driver}, which may refuse its machine "
                 "code; name another by MPC_NVRTC, or MPC_NVRTC=/none to pack text alone")
    return version


def describe_commit():
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return done.stdout.strip()


def check_size(folder):
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {size / 2**20:.1f} MiB")
    if size >= LIMIT:
        sys.exit(f"pack.py: error: {size} bytes are not below {LIMIT}; make folders of fewer --parts, --models or "
                 "--precisions")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--driver", default="13.0", help="release of CUDA that the machine's driver is of")
    parser.add_argument("--models", default=",".join(models.SIZES))
    parser.add_argument("--precisions", default="bf16,fp16")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--trainings", default="chargpt:fp32,chargpt:bf16,chargpt:fp16,chargpt:fp16hi")
    parser.add_argument("--training-steps", type=int, default=50)
    parser.add_argument("--small", action="store_true", help="steps as small as the test driver wants them")
    arguments = parser.parse_args()
    content = {"arch": arguments.arch, "nvrtc": check_nvrtc(arguments.driver), "driver": arguments.driver, "commit": describe_commit()}
    content |= Packer(arguments).pack(arguments.parts.split(","))
    (arguments.folder / "pack.json").write_text(json.dumps(content, indent=1) + "\n")
    check_size(arguments.folder)


if __name__ == "__main__":
    main()
