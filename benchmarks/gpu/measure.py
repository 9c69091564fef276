#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Everything to be learnt of a GPU with one command, in about two minutes.

    python measure.py BUILD [--out=FOLDER]

Runs the tests that need a device (a skipped one is a failure), then
device-limits, then the same products by cuBLAS through PyTorch, where that is
installed. Prints a table; writes test.log and limits.json to FOLDER. Exit code 1
if a test fails.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

from packed import find_nvrtc


def run_tests(build, out, environment):
    done = subprocess.run(
        [build / "bin/MpcCUDADeviceTest"],
        env={**environment, "MPC_TEST_CUDA": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    (out / "test.log").write_text(done.stdout)
    for line in done.stdout.splitlines():
        if not line.startswith("[ RUN"):
            print(line[:300])
    return done.returncode == 0


def milliseconds(torch, work, repeats=20):
    times = []
    for repeat in range(-3, repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        end.synchronize()
        if repeat >= 0:
            times.append(start.elapsed_time(end))
    return statistics.median(times)


def measure_cublas(limits):
    """TFLOP/s of the products that device-limits did, by PyTorch."""
    try:
        import torch
    except ImportError:
        print("no PyTorch: nothing to compare with")
        return
    results = limits["cublas_f16_tflop_s"] = {}
    for size in map(int, limits["matmul_f16_tflop_s"]):
        a, b = (torch.randn(size, size, device="cuda").half() for _ in range(2))
        results[str(size)] = 2 * size**3 / milliseconds(torch, lambda: a @ b.T) * 1e-9
    limits["torch"] = torch.__version__


def print_table(limits):
    print(f"\n{limits['device']} (sm_{limits['arch']}), driver {limits['driver']}, NVRTC {limits['nvrtc']}")
    print(f"copy, read + written     {limits['copy_gb_s']:8.0f} GB/s")
    print(f"launch                   {limits['launch_us']:8.2f} us")
    print(f"node of a graph          {limits['graph_node_us']:8.2f} us")
    for size, rate in limits["matmul_f16_tflop_s"].items():
        other = limits.get("cublas_f16_tflop_s", {}).get(size)
        beside = f", cuBLAS {other:.0f} ({rate / other:.2f}x)" if other else ""
        print(f"f16 product of {size:>5}^3   {rate:8.1f} TFLOP/s{beside}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    arguments = parser.parse_args()
    environment = dict(os.environ)
    nvrtc = find_nvrtc()
    if nvrtc:
        environment.setdefault("MPC_NVRTC", nvrtc)
    passed = run_tests(arguments.build, arguments.out, environment)
    done = subprocess.run(
        [arguments.build / "bin/device-limits"], env=environment, text=True, stdout=subprocess.PIPE
    )
    if done.returncode != 0:
        return done.returncode
    limits = json.loads(done.stdout)
    measure_cublas(limits)
    print_table(limits)
    (arguments.out / "limits.json").write_text(json.dumps(limits, indent=1) + "\n")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
