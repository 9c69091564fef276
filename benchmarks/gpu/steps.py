#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times whole training steps beside PyTorch's, in turns, on the GPU at hand.

    python steps.py FOLDER [--out=results.json] [--rounds=3] [--steps=20] [--seconds=420]

FOLDER is what pack.py made. First the ceilings of the device, then each step: `rounds` times our process and PyTorch's
torch.compile, each `steps` steps after some that do not count; medians of all. Where PyTorch is not installed only ours
is timed. Then where the time of a step goes: its launches one by one, each between two events of the device, summed up
by class, and the largest, beside the least that their bytes and operations take at the ceilings. No model begins that
would end after --seconds.
"""
import argparse
import array
import collections
import json
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import time

import cost_model
import models
from packed import find_nvrtc


def environment(folder):
    """Ours and not PyTorch's libraries come first only for our own programs."""
    found = dict(os.environ)
    found["LD_LIBRARY_PATH"] = os.pathsep.join([str(folder / "lib"), found.get("LD_LIBRARY_PATH", "")])
    if nvrtc := find_nvrtc():
        found.setdefault("MPC_NVRTC", nvrtc)
    return found


# --- one batch ------------------------------------------------------------------------------------


def random_integers(shape, below):
    count = 1
    for size in shape:
        count *= size
    return "I64", shape, array.array("q", (random.randrange(below) for _ in range(count)))


def random_floats(shape):
    count = 1
    for size in shape:
        count *= size
    return "F32", shape, array.array("f", (random.gauss(0, 1) for _ in range(count)))


def make_batch(sizes):
    """The tensors of a model's batch, by name."""
    if sizes.length:
        shape = (sizes.batch, sizes.length)
        return {name: random_integers(shape, sizes.vocabulary) for name in ("tokens", "target")}
    shape = (sizes.batch, sizes.width) if sizes.width else (sizes.batch, 3, 32, 32)
    return {"x": random_floats(shape), "target": random_integers((sizes.batch,), sizes.vocabulary or 10)}


def write_safetensors(path, tensors):
    header, place = {}, 0
    for name, (kind, shape, values) in tensors.items():
        size = len(values) * values.itemsize
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [place, place + size]}
        place += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, values in tensors.values():
            values.tofile(file)


# --- times ----------------------------------------------------------------------------------------


def our_milliseconds(folder, step, data, steps):
    done = subprocess.run(
        [folder / "bin/mpc-run", folder / "steps" / step["program"], "--target=cuda", f"--data={data}",
         f"--steps={steps}", "--order=sequential", "--lr=1e-4", "--json"],
        env=environment(folder), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout)["step_ms_median"]


# --- where it goes --------------------------------------------------------------------------------

LARGEST = 10
TIMED_RUNS = 5


def launches_of(folder, step):
    """Of the step, each as its class, symbol, bytes and operations on Tensor Cores."""
    done = subprocess.run(
        [folder / "bin/mpc-inspect", folder / "steps" / step["program"], f"--cpu=cuda:{step['arch']}", "--json"],
        env=environment(folder), text=True, stdout=subprocess.PIPE, check=True,
    )
    program = json.loads(done.stdout)
    kernels = {kernel["symbol"]: kernel for kernel in program["kernels"]}
    roles = {tensor["slab"]: tensor["role"] for tensor in program["state"]}
    entry = next(entry for entry in program["entries"] if entry["name"] == "step")
    return [describe(launch, kernels.get(launch["symbol"]), roles) for launch in entry["launches"]]


def describe(launch, kernel, roles):
    if launch["kind"] != "kernel":
        moved = sum(buffer["bytes"] for buffer in launch["buffers"])
        return {"class": "copies", "symbol": launch["kind"], "bytes": moved, "tensor_flops": 0}
    moved = cost_model.bytes_of(launch, roles)
    on_tensor_cores = kernel.get("products", 0) > 0
    if cost_model.is_update(launch, roles):
        name = "optimizer"
    elif launch["work"] == "contraction":
        name = "products, Tensor Cores" if on_tensor_cores else "products, others"
    else:
        name = launch["work"]
    return {"class": name, "symbol": launch["symbol"], "bytes": moved,
            "tensor_flops": launch["flops"] if on_tensor_cores else 0}


def floor_milliseconds(launch, limits):
    """At the rates that the device has shown: what a copy moves, and the best product."""
    rate = max(limits["matmul_f16_tflop_s"].values())
    return 1e3 * max(launch["bytes"] / (limits["copy_gb_s"] * 1e9), launch["tensor_flops"] / (rate * 1e12))


def sum_up(launches):
    """Rows of a table: launches, their time and their floor, by class, the longest first."""
    rows = collections.defaultdict(lambda: {"launches": 0, "ms": 0.0, "floor_ms": 0.0})
    for launch in launches:
        row = rows[launch["class"]]
        row["launches"] += 1
        row["ms"] += launch["ms"]
        row["floor_ms"] += launch["floor_ms"]
    return [{"class": name, **row} for name, row in sorted(rows.items(), key=lambda item: -item[1]["ms"])]


def kernel_times(folder, step, data, limits):
    done = subprocess.run(
        [folder / "bin/kernel-times", folder / "steps" / step["program"], data, str(TIMED_RUNS)],
        env=environment(folder), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    launches = launches_of(folder, step)
    for launch, time_of in zip(launches, json.loads(done.stdout), strict=True):
        launch |= {"ms": time_of, "floor_ms": floor_milliseconds(launch, limits)}
    largest = sorted(launches, key=lambda launch: -launch["ms"])[:LARGEST]
    return {"classes": sum_up(launches), "largest": largest}


def print_kernels(found):
    for row in found["classes"]:
        print(f"{row['ms']:12.3f} ms, floor {row['floor_ms']:9.3f}  {row['class']} ({row['launches']})")
    for launch in found["largest"]:
        print(f"{launch['ms']:20.3f} ms, floor {launch['floor_ms']:9.3f}  {launch['symbol']}")


# --- PyTorch, and both ----------------------------------------------------------------------------


def make_peer(sizes, step, batch):
    """PyTorch's side; null where it is not installed or has no GPU."""
    try:
        import torch

        import peers
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    parts = [torch.tensor(values).view(shape) for _, shape, values in batch.values()]
    return peers.Trainer(sizes, step["precision"], parts)


def measure(folder, step, limits, rounds, steps):
    """Our and PyTorch's median milliseconds of a step, each of its own rounds, taken in turns; our kernels'."""
    sizes = models.sizes(step["model"], **step["changes"])
    batch = make_batch(sizes)
    data = folder / "steps" / "batch.safetensors"
    write_safetensors(data, batch)
    peer = make_peer(sizes, step, batch)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(our_milliseconds(folder, step, data, steps))
        if peer:
            theirs.append(peer.milliseconds(steps))
    result = {"model": step["model"], "precision": step["precision"], "ms": statistics.median(ours), "rounds_ms": ours}
    if theirs:
        result |= {"torch_ms": statistics.median(theirs), "torch_rounds_ms": theirs}
        result["speedup"] = result["torch_ms"] / result["ms"]
    return result | {"kernels": kernel_times(folder, step, data, limits)}


def ceilings(folder, small):
    texts = {"MPC_PRELUDE": str(folder / "lib/Prelude.cuh"), "MPC_MATMUL": str(folder / "lib/matmul.cu")}
    done = subprocess.run(
        [folder / "bin/device-limits", *(["--small"] if small else [])], env=environment(folder) | texts,
        text=True, stdout=subprocess.PIPE,
    )
    return json.loads(done.stdout) if done.returncode == 0 else None


def row(result):
    if "error" in result:
        return f"{result['model']:>16} {result['precision']}: {result['error']}"
    beside = f"  torch {result['torch_ms']:9.3f} ms  {result['speedup']:.2f}x" if "torch_ms" in result else ""
    return f"{result['model']:>16} {result['precision']}  {result['ms']:9.3f} ms{beside}"


def run(folder, arguments):
    begin = time.monotonic()
    is_fake = "MPC_CUDA_DRIVER" in os.environ
    report = {"ceilings": ceilings(folder, is_fake), "steps": []}
    if not report["ceilings"]:
        sys.exit("steps.py: error: no GPU to time")
    if is_fake:
        print("no GPU: this is the test driver, and its times mean nothing")
    limits = report["ceilings"]
    print(f"{limits['device']} (sm_{limits['arch']}): copy {limits['copy_gb_s']:.0f} GB/s, "
          f"launch {limits['launch_us']:.2f} us")
    longest = 0.0
    packed = json.loads((folder / "steps.json").read_text())
    for step in packed["steps"]:
        step["arch"] = packed["arch"]
        before = time.monotonic()
        if before - begin + longest > arguments.seconds:
            print(f"{step['model']} {step['precision']}: no time left")
            continue
        try:
            result = measure(folder, step, limits, arguments.rounds, arguments.steps)
        except RuntimeError as error:
            result = {"model": step["model"], "precision": step["precision"], "error": str(error)}
        longest = max(longest, time.monotonic() - before)
        report["steps"].append(result)
        print(row(result), flush=True)
        if "kernels" in result:
            print_kernels(result["kernels"])
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("results.json"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=420)
    arguments = parser.parse_args()
    report = run(arguments.folder.resolve(), arguments)
    arguments.out.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if any("error" in step for step in report["steps"]) else 0


if __name__ == "__main__":
    sys.exit(main())
