# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the placement of casts to an exhaustive search.

Makes small random graphs, runs nn-autocast and nn-simplify-casts on them, and
reads the placement problem that the pass prints, with its answer. The answer
must be a cheapest of all placements that the problem allows, of these the one
with the most ops in the low type. Every graph goes through the pass in two
orders of its ops, which must be placed alike. What things cost, and that the
IR is as decided, is for place-casts-costs.mlir and place-casts.mlir.

  check_placement.py [--refuse] [--graphs=N] [--planted]

--planted changes the type of one op in each answer, and succeeds only if this
check then finds fault with all of them.
"""

import argparse
import json
import random
import subprocess
import sys

import numpy as np

class Op:
    def __init__(self, kind, operands, shapes):
        self.kind = kind
        self.operands = operands  # values: (op, result number)
        self.shapes = shapes  # of the results


def elements(value):
    op, number = value
    return int(np.prod(op.shapes[number]))


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, [*shape, element]))}>"


class Graph:
    """Ops in program order; arguments, parameters and constants come first."""

    def __init__(self, rng, size):
        self.rng = rng
        rows, columns = rng.choice([2, 4, 8, 48]), rng.choice([2, 4, 6, 32])
        self.ops = [Op(k, [], [(rows, columns)]) for k in ("arg", "arg", "get")]
        if rng.random() < 0.5:
            self.ops.append(Op("constant", [], [(rows, columns)]))
        # Low values to start from; else most ops would be pinned to f32.
        operands = [(self.ops[0], 0), (self.ops[2], 0)]
        self.ops.append(Op("matmul", operands, [(rows, rows)]))
        self.ops.append(Op("round", operands[:1], [(rows, columns)]))
        size += len(self.ops)
        while len(self.ops) < size:
            self.add()
        self.returned = [v for v in self.values() if not self.readers_of(v)]
        extra = rng.choice(self.values())
        if rng.random() < 0.3 and extra not in self.returned:
            self.returned.append(extra)

    def values(self):
        return [(op, i) for op in self.ops for i in range(len(op.shapes))]

    def readers_of(self, value):
        found = [op for op in self.ops if value in op.operands]
        if value in getattr(self, "returned", []):
            found.append("return")
        return found

    def add(self):
        rng, values = self.rng, self.values()
        # Late values more often, so that chains grow.
        value = rng.choice(values[-4:] if rng.random() < 0.6 else values)
        shape = value[0].shapes[value[1]]
        kind = rng.choice(
            ["tanh", "relu", "sigmoid", "transpose", "concat", "split"] * 3
            + ["reduce_max", "add", "mul"] * 2
            + ["matmul"] * 4
            + ["exp", "softmax", "round"]
        )
        same = [v for v in values if v[0].shapes[v[1]] == shape]
        other = rng.choice(same)
        operands, shapes = [value], [shape]
        if kind in ("transpose", "concat", "split", "matmul", "softmax", "reduce_max"):
            if len(shape) != 2:
                return
        if kind == "transpose":
            shapes = [shape[::-1]]
        elif kind == "concat":
            operands = [value, other]
            shapes = [(2 * shape[0], shape[1])]
        elif kind == "split":
            if shape[0] % 2:
                return
            shapes = [(shape[0] // 2, shape[1])] * 2
        elif kind in ("add", "mul"):
            operands = [value, other]
        elif kind == "matmul":
            operands = [value, other]
            shapes = [(shape[0], shape[0])]
        elif kind == "reduce_max":
            shapes = [shape[:1]]
        elif kind == "round":
            # Elsewhere, or twice, it may coincide with a cast that is placed.
            if value[0].kind not in ("arg", "exp", "softmax"):
                return
            if any(op.kind == kind and op.operands == operands for op in self.ops):
                return
        if elements((Op(kind, operands, shapes), 0)) > 1 << 14:
            return
        self.ops.append(Op(kind, operands, shapes))

    def shuffled(self):
        """The ops in another order in which operands come first."""
        first = [op for op in self.ops if not op.operands]
        rest = [op for op in self.ops if op.operands]
        order = list(first)
        while rest:
            ready = [
                op for op in rest if all(operand[0] in order for operand in op.operands)
            ]
            op = self.rng.choice(ready)
            rest.remove(op)
            order.append(op)
        return order

    def print(self, name, order):
        args = [op for op in order if op.kind == "arg"]
        head = ", ".join(
            f"%v{self.ops.index(op)}: {tensor(op.shapes[0], 'f32')}" for op in args
        )
        results = ", ".join(tensor(v[0].shapes[v[1]], "f32") for v in self.returned)
        lines = [f"func.func @{name}({head}) -> ({results}) {{"]
        for op in order:
            lines += self.print_op(op)
        values = ", ".join(self.name(v) for v in self.returned)
        return "\n".join([*lines, f"  return {values} : {results}", "}"])

    def name(self, value):
        op, number = value
        part = f"#{number}" if op.kind == "split" else ""
        return f"%v{self.ops.index(op)}{part}"

    def print_op(self, op):
        index = self.ops.index(op)
        names = [self.name(v) for v in op.operands]
        types = [tensor(v[0].shapes[v[1]], "f32") for v in op.operands]
        out = [tensor(shape, "f32") for shape in op.shapes]
        head = f"%v{index}:2" if op.kind == "split" else f"%v{index}"
        shape = f"{types[0]} -> {out[0]}" if types else out[0]
        if op.kind == "arg":
            return []
        if op.kind == "round":
            low = tensor(op.shapes[0], "f16")
            return [
                f"  %r{index} = nn.cast {names[0]} : {types[0]} -> {low}",
                f"  {head} = nn.cast %r{index} : {low} -> {out[0]}",
            ]
        text = {
            "get": lambda: f"nn.get @w{'x'.join(map(str, op.shapes[0]))} : {out[0]}",
            "constant": lambda: f"nn.constant dense<0.5> : {out[0]}",
            "transpose": lambda: f"nn.transpose {names[0]} [1, 0] : {shape}",
            "reduce_max": lambda: f"nn.reduce_max {names[0]} axes [1] : {shape}",
            "softmax": lambda: f"nn.softmax {names[0]} axis(1) : {out[0]}",
            "concat": lambda: f"nn.concat {', '.join(names)} axis(0) : "
            f"{', '.join(types)} -> {out[0]}",
            "split": lambda: f"nn.split {names[0]} axis(0) : {types[0]} -> "
            f"{', '.join(out)}",
            "matmul": lambda: f"nn.matmul {', '.join(names)} transpose_rhs : "
            f"{', '.join(types)} -> {out[0]}",
        }.get(op.kind, lambda: f"nn.{op.kind} {', '.join(names)} : {out[0]}")()
        return [f"  {head} = {text}"]


def run(graphs, refuse):
    """The printed problems, by function."""
    shapes = {op.shapes[0] for g in graphs for op in g.ops if op.kind == "get"}
    module = [
        f"nn.parameter @w{'x'.join(map(str, s))} : {tensor(s, 'f32')} = <zeros>"
        for s in sorted(shapes)
    ]
    for i, graph in enumerate(graphs):
        for j, order in enumerate([graph.ops, graph.shuffled()]):
            module.append(graph.print(f"g{i}_{j}", order))
    options = f"print-graph=true refuse={str(refuse).lower()}"
    pipeline = (
        "builtin.module(nn-autocast{precision=fp16 leave-open=true},"
        f"func.func(nn-simplify-casts{{{options}}}))"
    )
    text = "\n".join(module)
    done = subprocess.run(
        ["mpc-opt", "-o", "/dev/null", "--mlir-disable-threading", f"--pass-pipeline={pipeline}"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"mpc-opt failed on\n{text}\n{done.stderr[:2000]}")
    lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
    problems = [json.loads(line) for line in lines]
    return {problem["function"]: problem for problem in problems}


def all_placements(ops):
    """A column of booleans for each op: is it in the low type, in each placement there is."""
    choices = [i for i, op in enumerate(ops) if op["can_be_low"] and op["can_be_f32"]]
    rows = np.arange(1 << len(choices))
    columns = [np.full_like(rows, op["can_be_low"], bool) for op in ops]
    for bit, op in enumerate(choices):
        columns[op] = (rows >> bit) & 1 == 1
    return columns, len(choices)


def costs(problem, columns):
    """Of each placement: every op in its type, every value cast once a direction."""
    total = np.zeros(len(columns[0]), np.int64)
    for op, low in zip(problem["ops"], columns):
        total += np.where(low, op["low_cost"], op["f32_cost"])
    for value in problem["values"]:
        written = columns[value["writer"]]
        is_cast = np.zeros_like(written)
        for reader in value["readers"]:
            is_cast |= columns[reader] != written
        total += is_cast * np.where(written, value["widening"], value["narrowing"])
    return total


def check(problem):
    """What is wrong with the answer, or None."""
    ops = problem["ops"]
    answer = [op["is_low"] for op in ops]
    for op in ops:
        if not op["can_be_low" if op["is_low"] else "can_be_f32"]:
            return f"{op.get('name', 'a decided op')} is in a type that it may not have"
    columns, _ = all_placements(ops)
    paid = int(costs(problem, [np.array([low]) for low in answer])[0])
    every = costs(problem, columns)
    if paid != every.min():
        return f"costs {paid}, {every.min()} is possible"
    if sum(answer) != sum(columns)[every == every.min()].max():
        return "a cheapest placement has more ops in the low type"
    return None


def plant(problem):
    """Gives the first op that has a choice the other type. False where none has."""
    for op in problem["ops"]:
        if op["can_be_low"] and op["can_be_f32"]:
            op["is_low"] = not op["is_low"]
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--refuse", action="store_true")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    flags = parser.parse_args()
    rng = random.Random(flags.seed)
    graphs = [Graph(rng, rng.randint(3, 14)) for _ in range(flags.graphs)]
    problems = run(graphs, flags.refuse)
    placed = [name for name, p in problems.items() if not flags.planted or plant(p)]
    faults = {name: fault for name in placed if (fault := check(problems[name]))}
    if not flags.planted:
        for i in range(len(graphs)):
            # Ops of one name and one cost are alike, whatever their order.
            first, second = (
                sorted(json.dumps(op, sort_keys=True) for op in problems.get(f"g{i}_{j}", {"ops": []})["ops"])
                for j in (0, 1)
            )
            if first != second:
                faults[f"g{i}"] = "the placement depends on the order of the ops"
    for name, fault in faults.items():
        print(f"{name}: {fault}")
    choices = [all_placements(problems[name]["ops"])[1] for name in placed]
    print(
        f"{len(placed)} placements, up to {max(choices)} free choices "
        f"({sum(choices)} in all), {len(faults)} faults"
    )
    if flags.planted:
        sys.exit(0 if len(faults) == len(placed) else "a planted error was not found")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
