# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains whole workloads on the test driver, which takes minutes: those that PyTorch recorded against its losses, norms and
scales (check_training.py), the others against the same steps on the CPU.

    python cuda_runs.py BUILD FOLDER [--runs=chargpt:fp16,resnet18-cifar:bf16,...] [--steps=1] [--batch=N] [--checks]

--batch is that of the models that nobody recorded.

With --checks the emulator looks for races and accesses outside of memory too, which takes some ten times as long. Prints
what was compared and the CPU seconds; exit code 1 where something differs. Files stay in FOLDER.
"""
import argparse
import csv
import os
import pathlib
import resource
import subprocess
import sys

import numpy as np
from safetensors.numpy import save_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "benchmarks/gpu"))

import models  # noqa: E402

INPUTS = HERE.parent / "Inputs"
SCALER = {"fp16": ["--loss-scale=torch", "--growth-interval=10"],
          "fp16hi": ["--loss-scale=torch", "--init-scale=1073741824", "--growth-interval=5"]}
ADAMW = ["--optimizer=adamw", "--lr=1e-3", "--beta2=0.95", "--weight-decay=0.1", "--no-decay=ln", "--clip-global-norm=1.0"]
RECORDED = {"chargpt": ADAMW}
# Random data: shapes of a sample, and what integers are below.
DRAWN = {
    "chargpt-m": ({"tokens": (256,), "target": (256,)}, 63, ADAMW),
    "resnet18-cifar": ({"x": (3, 32, 32), "target": ()}, 10, ["--optimizer=sgd", "--lr=0.05", "--momentum=0.9"]),
}
# Relative, of losses: one rounding to 16 bits more or less of each activation.
TOLERANCE = {"fp32": 1e-5, "bf16": 5e-3, "fp16": 1e-3, "fp16hi": 1e-3}
RUNS = ",".join(f"{name}:{kind}" for name in (*RECORDED, *DRAWN) for kind in ("fp32", "bf16", "fp16"))


def train(build, folder, name, kind, target, steps, flags):
    """Losses, norms, scales and skips, and the CPU seconds."""
    metrics = folder / f"{name}-{kind}-{target}.csv"
    environment = {
        "MPC_CUDA_DRIVER": build / "lib/libMpcFakeCuda.so", "MPC_NVRTC": build / "lib/libMpcFakeNvrtc.so",
        "MPC_FAKE_CUDA": f"memory={8 << 30}", "MPC_CACHE_DIR": folder / "cache",
    }
    command = [
        build / "bin/mpc-train", f"--target={target}", f"--data={folder / name}.data", "--order=sequential",
        f"--steps={steps}", f"--metrics={metrics}", f"--precision={kind.removesuffix('hi')}", *SCALER.get(kind, []),
        *flags,
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env={**os.environ, **{key: str(value) for key, value in environment.items()}})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return metrics, after.ru_utime - before.ru_utime


def draw(folder, name, steps, batch):
    """Data, and the model, whose weights mpc-train draws."""
    (folder / f"{name}.mlir").write_text(models.write(name, batch=batch))
    shapes, below, _ = DRAWN[name]
    samples = models.sizes(name, batch=batch).batch * steps
    numbers = np.random.default_rng(11)
    tensors = {}
    for tensor, sample in shapes.items():
        shape = (samples, *sample)
        floats = tensor == "x"
        tensors[tensor] = numbers.normal(size=shape).astype(np.float32) if floats else numbers.integers(0, below, shape)
    save_file(tensors, folder / f"{name}.data")


def compare(cpu, gpu, tolerance):
    """Whether the rows agree: skips and scales exactly."""
    ours, theirs = (list(csv.DictReader(open(path))) for path in (gpu, cpu))
    exact = all(a[key] == b[key] for a, b in zip(ours, theirs, strict=True) for key in ("skipped", "scale", "good_steps"))
    worst = {}
    for key in ("loss", "grad_norm"):
        pairs = [(float(a[key]), float(b[key])) for a, b in zip(ours, theirs) if a["skipped"] == "0"]
        worst[key] = max((abs(a / b - 1) for a, b in pairs), default=0.0)
    print(f"     loss {worst['loss']:.2g} and grad_norm {worst['grad_norm']:.2g} from the CPU's, at most {tolerance}")
    return exact and worst["loss"] <= tolerance and worst["grad_norm"] <= 10 * tolerance


def run(build, folder, name, kind, arguments):
    steps = arguments.steps
    if name in RECORDED:
        files = [f"--init={folder / name}.init", f"--data={folder / name}.data"]
        subprocess.run([sys.executable, "-B", INPUTS / "training_data.py", name, f"--steps={steps}", *files], check=True)
        model = [INPUTS / f"workloads/{name}.onnx", files[0]]
        gpu, seconds = train(build, folder, name, kind, "cuda", steps, [*model, *RECORDED[name]])
        reference = INPUTS / f"training/{name}.safetensors"
        command = [sys.executable, "-B", HERE / "check_training.py", reference, kind, gpu, f"--steps={steps}"]
        passed = subprocess.run(command).returncode == 0
    else:
        draw(folder, name, steps, arguments.batch)
        flags = [folder / f"{name}.mlir", *DRAWN[name][2]]
        cpu, _ = train(build, folder, name, kind, "cpu", steps, flags)
        gpu, seconds = train(build, folder, name, kind, "cuda", steps, flags)
        passed = compare(cpu, gpu, TOLERANCE[kind])
    print(f"{'ok  ' if passed else 'FAIL'} {name} {kind}: {steps} steps, {seconds:.0f} s of CPU", flush=True)
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--runs", default=RUNS)
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--checks", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    os.environ["MPC_SIMT_CHECKS"] = "1" if arguments.checks else "0"
    runs = [one.split(":") for one in arguments.runs.split(",")]
    build, folder = arguments.build.resolve(), arguments.folder.resolve()
    results = [run(build, folder, *one, arguments) for one in runs]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
