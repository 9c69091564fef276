#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step should take on a GPU, from the counts of its compiled program.

    mpc-inspect STEP.mpc --json | python cost_model.py - [--entry=step] [--largest=N] [--sms=N ...]

A launch takes the longest of three: its bytes at the memory's rate, its operations at the arithmetic's rate, its
instructions at the schedulers' rate; and the gap to the next one. See docs/rationale/cuda-cost.md for what is assumed.
The defaults are an H100 SXM5, by NVIDIA's "H100 Tensor Core GPU Architecture" and the CUDA programming guide's table
of compute capability 9.0. Needs machine code in the program, which has the registers.
"""
import argparse
import collections
import dataclasses
import json
import math
import pathlib
import sys

WARP = 32
REGISTERS_OF_WARP = 256  # Are given out in units of so many,
SHARED_UNIT = 128  # and shared memory in units of so many bytes.
RESERVED_SHARED = 1024  # Of each block, by the system, from sm_80 on.


@dataclasses.dataclass(frozen=True)
class Device:
    sms: int = 132
    clock: float = 1.83e9  # Hz: that at which the datasheet's 989 TFLOP/s hold.
    bandwidth: float = 3.35e12  # bytes/s, by the datasheet
    tensor_flops: int = 4096  # of 16-bit Tensor Cores, an SM and cycle
    f32_flops: int = 256  # an SM and cycle
    schedulers: int = 4  # Warp instructions an SM and cycle.
    threads: int = 2048  # All of the following are an SM's.
    blocks: int = 32
    registers: int = 65536
    shared: int = 233472
    # Assumptions, not published figures of the device.
    bandwidth_share: float = 0.9  # What a well-written kernel reaches,
    tensor_share: float = 0.45  # a product by mma.sync,
    f32_share: float = 0.5  # and one of scalar instructions.
    library_share: float = 0.8  # A product by cuBLASLt: the floor of docs/rationale/cuda-cost.md, 788 TFLOP/s.
    latency: float = 7e-7  # s of a read under load
    in_flight: int = 32  # bytes that a thread has asked for at a time
    gap: float = 1.5e-6  # s between two kernels of a graph

    @property
    def tensor_rate(self):
        return self.sms * self.tensor_flops * self.clock

    @property
    def f32_rate(self):
        return self.sms * self.f32_flops * self.clock


# A kernel, and one in whose place a library may compute the product.
KERNELS = ("device_kernel", "library_product")


def round_up(value, unit):
    return math.ceil(value / unit) * unit


def resident_blocks(launch, kernel, device):
    """Blocks of a launch that an SM holds at a time."""
    warps = math.ceil(launch["threads"] / WARP)
    registers = warps * round_up(WARP * kernel["registers"], REGISTERS_OF_WARP)
    shared = max(kernel["shared_bytes"], RESERVED_SHARED) + launch["shared_bytes"]
    limits = (
        device.blocks,
        device.threads // (warps * WARP),
        device.registers // max(registers, 1),
        device.shared // round_up(shared, SHARED_UNIT),
    )
    return min(limits)


def bytes_of(launch, roles):
    """What a launch reads and writes, each once. State is updated in place: all but derived copies is read too."""
    moved = sum(buffer["bytes"] for buffer in launch["buffers"])
    updated = [b for b in launch["buffers"][launch["reads"]:] if b["space"] == "state"]
    return moved + sum(b["bytes"] for b in updated if roles.get(b["index"]) != "low_precision")


def is_update(launch, roles):
    written = launch["buffers"][launch["reads"]:]
    return any(b["space"] == "state" and roles.get(b["index"]) in ("parameter", "slot") for b in written)


def class_of(launch, kernel, moved, roles, device):
    """Products are told apart by whether their bytes or their operations should take longer."""
    if is_update(launch, roles):
        return "optimizer"
    if launch["work"] != "contraction":
        return launch["work"] or launch["kind"]
    if not kernel["products"]:
        return "products, f32"
    ridge = device.tensor_rate / device.bandwidth
    side = "above" if launch["flops"] > ridge * moved else "below"
    return f"products, Tensor Cores, {side} the ridge"


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of one launch; times in seconds."""

    symbol: str
    kind: str
    flops: int
    moved: int
    running: float  # Threads of an SM, on average, while the device is full of them.
    terms: dict  # What the launch waits for, and how long.
    limit: float  # The same work at the datasheet's rates.
    gap: float

    @property
    def bound(self):
        return max(self.terms, key=self.terms.get)

    @property
    def time(self):
        return self.terms[self.bound] + self.gap


def busy_share(blocks, device):
    """The part of the device that has work, until the SM with the most blocks is done."""
    return blocks / (device.sms * math.ceil(blocks / device.sms))


def memory_time(moved, threads, device):
    """By Little's law few threads cannot ask for enough at a time."""
    asked = threads * device.in_flight / device.latency
    return moved / min(asked, device.bandwidth * device.bandwidth_share)


def is_by_library(launch, with_library):
    return with_library and launch["kind"] == "library_product"


def cost_by_library(launch, roles, device):
    """A library divides sums among SMs that have no tile of the result, so that all are busy; its memory is not the limit."""
    moved = bytes_of(launch, roles)
    terms = {
        "memory": moved / (device.bandwidth * device.bandwidth_share),
        "arithmetic": launch["flops"] / (device.tensor_rate * device.library_share),
    }
    limit = max(moved / device.bandwidth, launch["flops"] / device.tensor_rate)
    kind = "products, cuBLASLt (assumed)"
    return Cost(launch["symbol"], kind, launch["flops"], moved, float("nan"), terms, limit, device.gap)


def arithmetic_time(launch, kernel, device):
    on_tensor_cores = kernel["products"] > 0
    rate = device.tensor_rate * device.tensor_share if on_tensor_cores else device.f32_rate * device.f32_share
    return launch["flops"] / (rate * busy_share(launch["blocks"], device))


def issue_time(launch, kernel, device):
    """Each instruction once a warp: exact for straight code, a lower bound where there are loops."""
    warps = launch["blocks"] * math.ceil(launch["threads"] / WARP)
    return warps * kernel["instructions"] / (device.sms * device.schedulers * device.clock)


def cost_of_kernel(launch, kernel, roles, device):
    moved = bytes_of(launch, roles)
    blocks = resident_blocks(launch, kernel, device)
    if not blocks:
        raise ValueError(f"{launch['symbol']}: a block of it does not fit into an SM of this device")
    running = min(blocks * device.sms, launch["blocks"]) * launch["threads"]
    terms = {
        "memory": memory_time(moved, running, device),
        "arithmetic": arithmetic_time(launch, kernel, device),
        "instructions": issue_time(launch, kernel, device),
    }
    rate = device.tensor_rate if kernel["products"] else device.f32_rate
    limit = max(moved / device.bandwidth, launch["flops"] / rate)
    kind = class_of(launch, kernel, moved, roles, device)
    return Cost(launch["symbol"], kind, launch["flops"], moved, running / device.sms, terms, limit, device.gap)


def cost_of_copy(launch, device):
    moved = sum(buffer["bytes"] for buffer in launch["buffers"])
    time = moved / (device.bandwidth * device.bandwidth_share)
    return Cost(launch["symbol"], "copies", 0, moved, 0, {"memory": time}, moved / device.bandwidth, device.gap)


def costs_of(program, entry, device, with_library=False):
    """Of each launch of the entry of that name; ValueError where the program does not tell enough."""
    kernels = {kernel["symbol"]: kernel for kernel in program["kernels"]}
    roles = {tensor["slab"]: tensor["role"] for tensor in program["state"]}
    launches = next((e["launches"] for e in program["entries"] if e["name"] == entry), None)
    if not launches:
        raise ValueError(f"the program has no entry '{entry}' with launches")
    costs = []
    for launch in launches:
        if launch["kind"] not in KERNELS:
            costs.append(cost_of_copy(launch, device))
        elif is_by_library(launch, with_library):
            costs.append(cost_by_library(launch, roles, device))
        elif "registers" not in kernels[launch["symbol"]]:
            raise ValueError(f"{launch['symbol']}: no machine code; compile for a GPU where NVRTC is found")
        else:
            costs.append(cost_of_kernel(launch, kernels[launch["symbol"]], roles, device))
    return costs


@dataclasses.dataclass
class Row:
    """Launches summed up. Milliseconds, 10^9 operations and bytes."""

    name: str
    launches: int
    gflop: float
    gbytes: float
    threads: float  # Running on an SM, by the time that they run.
    bound: str  # What most of the time goes to.
    ms: float
    limit_ms: float


def sum_up(name, costs):
    bounds = collections.Counter()
    for cost in costs:
        bounds[cost.bound] += cost.time
    time = sum(cost.time for cost in costs)
    return Row(
        name,
        len(costs),
        sum(cost.flops for cost in costs) / 1e9,
        sum(cost.moved for cost in costs) / 1e9,
        sum(cost.running * cost.time for cost in costs) / time,
        max(bounds, key=bounds.get),
        time * 1e3,
        sum(cost.limit for cost in costs) * 1e3,
    )


def grouped(costs, key):
    """A row for each value of `key`, the longest first."""
    groups = collections.defaultdict(list)
    for cost in costs:
        groups[key(cost)].append(cost)
    rows = [sum_up(members[0].kind if key is by_class else members[0].symbol, members) for members in groups.values()]
    return sorted(rows, key=lambda row: -row.ms)


def by_class(cost):
    return cost.kind


def by_work(cost):
    """Launches of one size and kind: mostly one kernel in each layer."""
    return cost.kind, cost.flops, cost.moved, cost.running


def table(title, rows):
    lines = [f"| {title} | launches | GFLOP | GB | threads of an SM | bound by | ms | ms by datasheet |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for row in rows:
        threads = "" if math.isnan(row.threads) else f"{row.threads:.0f}"
        counts = f"{row.launches} | {row.gflop:.1f} | {row.gbytes:.2f} | {threads}"
        lines.append(f"| {row.name} | {counts} | {row.bound} | {row.ms:.2f} | {row.limit_ms:.2f} |")
    return "\n".join(lines)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="what mpc-inspect --json wrote; - is standard input")
    parser.add_argument("--entry", default="step")
    parser.add_argument("--largest", type=int, default=0, help="also list so many kinds of launches")
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--library", action="store_true", help="products that cuBLASLt may compute are so, at --library-share")
    for field in dataclasses.fields(Device):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=field.type, default=field.default)
    return parser.parse_args()


def main():
    arguments = parse()
    device = Device(**{field.name: getattr(arguments, field.name) for field in dataclasses.fields(Device)})
    text = sys.stdin.read() if arguments.program == "-" else pathlib.Path(arguments.program).read_text()
    try:
        costs = costs_of(json.loads(text), arguments.entry, device, arguments.library)
    except ValueError as error:
        sys.exit(f"cost_model.py: error: {error}")
    classes = grouped(costs, by_class) + [sum_up("all", costs)]
    largest = grouped(costs, by_work)[: arguments.largest]
    print(table("class", classes))
    if largest:
        print("\n" + table("first of its kind", largest))
    if arguments.json:
        rows = {"classes": classes, "largest": largest}
        rows = {name: [dataclasses.asdict(row) for row in part] for name, part in rows.items()}
        pathlib.Path(arguments.json).write_text(json.dumps({"device": dataclasses.asdict(device), **rows}, indent=1))


if __name__ == "__main__":
    main()
