# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the time of a step goes: its launches by class, beside the least that their bytes and operations take."""
import collections

import cost_model

LARGEST = 10


def launches_of(program):
    """Of the step of what mpc-inspect tells, each as its class, symbol, bytes and operations on Tensor Cores."""
    kernels = {kernel["symbol"]: kernel for kernel in program["kernels"]}
    roles = {tensor["slab"]: tensor["role"] for tensor in program["state"]}
    entry = next(entry for entry in program["entries"] if entry["name"] == "step")
    return [describe(launch, kernels.get(launch["symbol"]), roles) for launch in entry["launches"]]


def describe(launch, kernel, roles):
    if launch["kind"] not in cost_model.KERNELS:
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
    """At the rates that the device has shown: what a copy moves, and the best product, which is cuBLAS' where that was
    measured. Empty where nothing was."""
    rates = [*limits.get("matmul_f16_tflop_s", {}).values(), *limits.get("cublas_f16_tflop_s", {}).values()]
    if not rates or "copy_gb_s" not in limits:
        return None
    return 1e3 * max(launch["bytes"] / (limits["copy_gb_s"] * 1e9), launch["tensor_flops"] / (max(rates) * 1e12))


def sum_up(launches):
    """Rows of a table: launches, their time and their floor, by class, the longest first."""
    rows = collections.defaultdict(lambda: {"launches": 0, "ms": 0.0, "floor_ms": 0.0})
    for launch in launches:
        row = rows[launch["class"]]
        row["launches"] += 1
        row["ms"] += launch["ms"]
        row["floor_ms"] += launch["floor_ms"] or 0.0
    return [{"class": name, **row} for name, row in sorted(rows.items(), key=lambda item: -item[1]["ms"])]


def tell(program, times, limits):
    """The classes, and the largest launches, of a step whose launches took `times`."""
    launches = launches_of(program)
    for launch, time_of in zip(launches, times, strict=True):
        launch |= {"ms": time_of, "floor_ms": floor_milliseconds(launch, limits)}
    largest = sorted(launches, key=lambda launch: -launch["ms"])[:LARGEST]
    return {"ms": sum(times), "launches": len(launches), "classes": sum_up(launches), "largest": largest}
