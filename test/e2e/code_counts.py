# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what a compiler makes of models: code_counts.py kinds|layers MPC_COMPILE.

`kinds`: the instructions of each kind of kernel are bounded, and no more for larger batches, channels and groups.
`layers`: kernels and launches grow linearly with layers, their code does not, whatever their channels and factors.
"""
import os
import re
import subprocess
import sys
import tempfile

import onnx

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support", "zoo"))
from graph import Graph  # noqa: E402


def image(graph, size):
    return graph.input("x", 2 * size, 32 * size, 12, 12)


def pooled(graph, x, size):
    graph.output(graph.mean(x, 2, 3), 2 * size, 32 * size)


def map_kernel(graph, size):
    pooled(graph, graph.silu(graph.mul(image(graph, size), graph.near("w", 1, 32 * size, 1, 1))), size)


def rows(graph, size):
    x = graph.input("x", 16 * size, 64 * size)
    graph.output(graph.op("Softmax", graph.layer_norm(x, "norm", 64 * size), axis=-1), 16 * size, 64 * size)


def columns(graph, size):
    x = graph.mul(graph.input("x", 16 * size, 64 * size), graph.near("w", 1, 64 * size))
    graph.output(graph.mean(x, 0), 64 * size)


def contraction(graph, size):
    # A sum has a loop more for each 16 times as many terms, 24 to 383 the same: both sizes are of these. The check of
    # gradients is one kernel more where there is more than one block of 4096.
    x = graph.input("x", 32 * size, 120 * size)
    graph.output(graph.linear(x, "fc", 120 * size, 48 * size), 32 * size, 48 * size)


def convolution(groups_of):
    def build(graph, size):
        channels = 32 * size
        x = graph.mul(image(graph, size), graph.near("w", 1, channels, 1, 1))
        pooled(graph, graph.conv(x, "conv", channels, channels, 3, groups=groups_of(channels)), size)

    return build


def concatenation(graph, size):
    """As many parts as a late layer of a DenseNet has."""
    x = graph.mul(image(graph, size), graph.near("w", 1, 32 * size, 1, 1))
    parts = [graph.conv(x, f"conv{i}", 32 * size, 8 * size, 1) for i in range(24)]
    whole = graph.op("Concat", x, *parts, axis=1)
    graph.output(graph.mean(whole, 2, 3), 2 * size, (32 + 24 * 8) * size)


def dense(graph, size):
    """Each layer reads all before it, so that the gradients of an early one are a sum of many."""
    parts = [graph.mul(image(graph, size), graph.near("w", 1, 32 * size, 1, 1))]
    for i in range(64):
        whole = graph.op("Concat", *parts, axis=1) if i else parts[0]
        parts.append(graph.conv(whole, f"conv{i}", (32 + i * 8) * size, 8 * size, 1))
    graph.output(graph.mean(parts[-1], 2, 3), 2 * size, 8 * size)


# Instructions of LLVM IR that the largest kernel of a training step may have: about twice what it has.
KINDS = {
    "map": (map_kernel, 300),
    "rows": (rows, 600),
    "columns": (columns, 300),
    "contraction": (contraction, 650),
    "convolution": (convolution(lambda channels: 1), 800),
    "grouped": (convolution(lambda channels: channels // 8), 750),
    "depthwise": (convolution(lambda channels: channels), 700),
    "concatenation": (concatenation, 600),
    "dense": (dense, 450),
}


def compile_model(tool, graph, emit):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        onnx.save(graph.model(), path)
        command = [tool, path, "--loss=mse", "--optimizer=sgd", "--cpu=x86-64-v3", f"--emit={emit}", "-o", "-"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def instructions(text):
    """Of each function of LLVM IR that is defined."""
    bodies = re.findall(r"^define [^@]*@([\w.]+)\(.*?\{\n(.*?)^\}", text, re.M | re.S)
    return {name: sum(line.startswith("  ") for line in body.split("\n")) for name, body in bodies}


def check(condition, text):
    if not condition:
        sys.exit(f"code_counts.py: {text}")


def kinds(tool):
    for name, (build, most) in KINDS.items():
        small, large = Graph(1), Graph(1)
        build(small, 1)
        build(large, 3)
        counts = [instructions(compile_model(tool, graph, "llvm")) for graph in (small, large)]
        largest, totals = [max(c.values()) for c in counts], [sum(c.values()) for c in counts]
        print(f"{name}: largest kernel {largest}, all {totals} instructions")
        check(max(largest) <= most, f"{name}: a kernel of {max(largest)} instructions, above {most}")
        check(totals[1] <= 1.15 * totals[0], f"{name}: {totals[1]} instructions of a large model, {totals[0]} of a small")


def perceptron(layers):
    """Widths go around, so that neither kernels nor sizes are those of one layer."""
    graph = Graph(1)
    width = [8 * (1 + i % 20) for i in range(layers)] + [8]
    x = graph.input("x", 16, width[0])
    for i in range(layers):
        x = graph.op("Relu", graph.linear(x, f"layer{i}", width[i], width[i + 1]))
    graph.output(x, 16, width[-1])
    return graph


def network(blocks):
    """Blocks of which no two have the same channels, factors and rates of dropout."""
    graph = Graph(1)
    x = graph.input("x", 2, 32, 12, 12)
    for i in range(blocks):
        x = graph.scale(graph.silu(graph.conv(x, f"conv{i}", 32 * (i + 1), 32 * (i + 2), 3)), 1 + i / 8)
        x = graph.dropout(x, (i + 1) / 32)
    graph.output(graph.mean(x, 2, 3), 2, 32 * (blocks + 1))
    return graph


def functions(text):
    """Those of MLIR that have a body."""
    return len(re.findall(r"^  func\.func .*\{$", text, re.M))


def layers(tool):
    few, many = [functions(compile_model(tool, network(blocks), "mlir")) for blocks in (6, 12)]
    print(f"6 blocks: {few} functions, 12 blocks: {many}")
    # A block has a dozen kernels. Some depend on sizes in kind, as on whether a tile is whole.
    check(many - few < 2 * 6, "functions grow with the blocks")
    counts = []
    for number in (250, 500, 1000):
        text = compile_model(tool, perceptron(number), "mlir")
        emitted, codes = text.count("kernel.emitted = "), text.count("cpu.shared")
        bodies = functions(text)
        counts.append((emitted, codes, bodies, text.count("kernel.launch"), text.count("\n")))
        print(f"{number} layers: {emitted} kernels, {codes} shared codes, {bodies} functions, {counts[-1][3]} launches, {counts[-1][4]} lines")
    few, some, many = counts
    check(0 < many[1] <= few[1] and many[0] <= few[0], "code grows with the layers")
    # A kernel that runs another's code has none of its own, however short.
    check(many[2] < many[0] and many[2] <= few[2], "functions grow with the layers")
    for name, a, b, c in zip(("launches", "lines"), few[3:], some[3:], many[3:]):
        check(c - b <= 1.2 * 2 * (b - a), f"{name} grow faster than the layers")


if __name__ == "__main__":
    {"kinds": kinds, "layers": layers}[sys.argv[1]](sys.argv[2])
