# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mpc-train does where a GPU, its memory or its compiler fails: exit code, message, and what is left on disk.

    python cuda_faults.py LIBRARIES MODEL DATA FOLDER

LIBRARIES holds the test driver and the test NVRTC.
"""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys

LIBRARIES, MODEL, DATA, FOLDER = map(pathlib.Path, sys.argv[1:])
STEPS, EVERY = 6, 2
FAKE = {
    "MPC_CUDA_DRIVER": str(LIBRARIES / "libMpcFakeCuda.so"),
    "MPC_NVRTC": str(LIBRARIES / "libMpcFakeNvrtc.so"),
    "MPC_CACHE_DIR": str(FOLDER / "cache"),  # Of the kernels, which all runs have in common.
    "MPC_SIMT_CHECKS": "0",
}


def train(name, machine="", *flags, **environment):
    """On a machine as MPC_FAKE_CUDA has it: see FakeState.h."""
    return subprocess.run(
        ["mpc-train", MODEL, f"--data={DATA}", "--target=cuda", "--precision=fp16", "--order=sequential", "--lr=0.01",
         f"--steps={STEPS}", f"--checkpoint-every={EVERY}", f"--checkpoint-dir={FOLDER / name}",
         f"--metrics={FOLDER / name}.csv", *flags],
        env={**os.environ, **FAKE, "MPC_FAKE_CUDA": machine, **environment}, text=True, capture_output=True,
    )


def expect(what, holds, *about):
    if not holds:
        sys.exit(f"FAIL {what}: {about}")


def expect_error(name, done, pattern):
    """Exit code 3, one error that says so, and no other."""
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    expect(name, done.returncode == 3, done.returncode, done.stderr)
    expect(name, len(errors) == 1 and re.search(pattern, errors[0]), errors)
    print(f"ok   {name}: {errors[0]}")


def checkpoints(name):
    return sorted(path.name for path in (FOLDER / name).glob("ckpt-*"))


def rows(name):
    with open(FOLDER / f"{name}.csv", newline="") as file:
        return [{key: value for key, value in row.items() if key != "step_ms"} for row in csv.DictReader(file)]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refused(name, pattern, machine="", **environment):
    """A run that cannot go on from the checkpoints that it has, which stay as they are."""
    last = f"ckpt-{STEPS:08}.safetensors"
    shutil.copytree(FOLDER / "whole", FOLDER / name, ignore=shutil.ignore_patterns(last))
    before = contents(FOLDER / name)
    expect(name, len(before) > 0, before.keys())
    expect_error(name, train(name, machine, "--resume", **environment), pattern)
    expect(name, contents(FOLDER / name) == before, checkpoints(name))


def ends_as_whole(name):
    """From its last checkpoint."""
    resumed = train(name, "", "--resume")
    expect(name, resumed.returncode == 0, resumed.stderr)
    last = f"ckpt-{STEPS:08}.safetensors"
    same = (FOLDER / name / last).read_bytes() == (FOLDER / "whole" / last).read_bytes()
    expect(name, same, "the resumed run ends in another state")


def interrupted(name, fault, pattern):
    """A run that fails behind some steps: its last checkpoint is whole, and goes on to where it would have come."""
    expect_error(name, train(name, f"fail={fault}"), pattern)
    last = f"ckpt-{STEPS:08}.safetensors"
    expect(name, checkpoints(name) and last not in checkpoints(name), checkpoints(name))
    ends_as_whole(name)
    expect(name, rows(name) == rows("whole"), rows(name), rows("whole"))


whole = train("whole")
expect("whole", whole.returncode == 0, whole.stderr)

# The loader takes a file of its name for the driver, and finds that it is none.
nothing = FOLDER / "no-driver-here"
nothing.mkdir()
(nothing / "libcuda.so.1").write_text("no library")
refused("no-driver", r"--target=cuda: no CUDA driver: .*libcuda\.so\.1: .*; without a GPU use --target=cpu",
        MPC_CUDA_DRIVER="", LD_LIBRARY_PATH=str(nothing))
ends_as_whole("no-driver")
refused("no-nvrtc", r"sm_90.*no machine code.*no NVRTC, which compiles kernels for the GPU", MPC_NVRTC="/nowhere",
        MPC_CACHE_DIR="")
refused("old-gpu", r"--target=cuda: .* is sm_70, for which no kernels can be made", "sm=70")
refused("no-shared-memory", r"'k_node_linear\w*' does not fit: its block has .* at most 8192 are possible", "shared=8192")
refused("no-memory", r"allocating [\d.]+ KiB for the arena \(64\.0 KiB of .*CUDA_ERROR_OUT_OF_MEMORY", "memory=65536")
refused("no-state-memory", r"allocating [\d.]+ KiB for state slab '.*CUDA_ERROR_OUT_OF_MEMORY", "memory=400000")

# An NVRTC of before the GPU makes PTX, which the driver compiles, unless that is older still.
refused("driver-before-nvrtc", r"loading module 'kernels0': cuModuleLoadDataEx failed: .*CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
        "sm=130 fail=cuModuleLoadDataEx:1:222")
newer = train("nvrtc-before-gpu", "sm=130")
expect("nvrtc-before-gpu", newer.returncode == 0 and rows("nvrtc-before-gpu") == rows("whole"), newer.stderr)

# An error that a later call may not have again, and those that lose the device to the process: in a step, when
# a batch is copied, and when the state is for a checkpoint.
interrupted("refused-launch", "cuGraphLaunch:4:2", r"entry 'step': .*cuGraphLaunch failed: CUDA_ERROR_OUT_OF_MEMORY")
interrupted("lost-in-a-step", "cuEventSynchronize:5:719", r"cuEventSynchronize.*; this process cannot use the device any more")
# A step has four inputs, two of them rates; the one behind a checkpoint is not begun ahead, so that its upload is told.
interrupted("lost-in-an-upload", "cuMemcpyHtoDAsync_v2:26:700",
            r"entry 'step': .*cuMemcpyHtoDAsync_v2.*; this process cannot use the device any more")
interrupted("lost-in-a-checkpoint", "cuMemcpyDtoHAsync_v2:36:700",
            r"copying .* from the device: .*; this process cannot use the device any more")
