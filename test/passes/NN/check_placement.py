# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the placement of casts to an exhaustive search.

Makes small random graphs, runs nn-autocast and nn-simplify-casts on them, and
tries every placement of every graph by the cost model that
docs/rationale/cast-placement.md states, written here a second time. The pass
must have found a cheapest one, of these the one with the most ops in the low
type, and its IR must hold the casts that the model paid for, each once. Every
graph goes through the pass in two orders of its ops.

  check_placement.py [--refuse] [--graphs=N] [--planted]

--planted runs the pass without placement instead, and succeeds only if this
check then finds fault.
"""

import argparse
import random
import re
import subprocess
import sys

import numpy as np

LOW_BYTES, F32_BYTES = 2, 4
BYTE, F32_MULTIPLY_ADD, LOW_MULTIPLY_ADD = 64, 8, 1
ELEMENTWISE = {"tanh", "relu", "sigmoid", "exp", "add", "mul"}
INFER = {"tanh", "relu", "sigmoid", "reduce_max"}
CLEAR = {"transpose", "concat", "split"}
KEEP = {"exp", "softmax"}
LOWER = {"matmul"}


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


class Model:
    """The stated costs of a graph's placements."""

    def __init__(self, graph, refuse):
        self.graph = graph
        self.was_low = {}
        for op in graph.ops:
            self.was_low[op] = self.autocast(op)
        self.free = [
            op
            for op in graph.ops
            if op.kind in INFER | CLEAR or (refuse and op.kind in LOWER)
        ]
        self.may_be_low = {}
        for op in reversed(graph.ops):
            self.may_be_low[op] = self.limit(op)

    def autocast(self, op):
        """True where the rules alone put the op in the low type."""
        if op.kind in LOWER:
            return True
        if op.kind in INFER | CLEAR | {"add", "mul"}:
            return all(self.was_low[v[0]] for v in op.operands)
        return False

    def limit(self, op):
        if op not in self.free or self.was_low[op]:
            return self.was_low[op]
        readers = [r for i in range(len(op.shapes)) for r in self.readers((op, i))]
        return bool(readers) and all(self.reads_low(reader) for reader in readers)

    def readers(self, value):
        return self.graph.readers_of(value)

    def reads_low(self, reader):
        if reader == "return":
            return False
        return reader.kind == "round" or self.may_be_low[reader]

    def moved(self, value):
        op = value[0]
        if op.kind == "constant":
            return False
        readers = self.readers(value)
        inside = len(readers) == 1 and readers[0] != "return"
        inside = inside and readers[0].kind in ELEMENTWISE
        return not (op.kind in ELEMENTWISE and inside)

    def own_cost(self, op, low):
        count = sum(elements(v) for v in set(op.operands) if self.moved(v))
        results = [(op, i) for i in range(len(op.shapes))]
        count += sum(elements(v) for v in results if self.moved(v))
        cost = count * (LOW_BYTES if low else F32_BYTES) * BYTE
        if op.kind == "matmul":
            adds = elements((op, 0)) * op.operands[0][0].shapes[op.operands[0][1]][1]
            cost += adds * (LOW_MULTIPLY_ADD if low else F32_MULTIPLY_ADD)
        return cost

    def cast_bytes(self, value, narrowing):
        if not self.moved(value):
            return 0
        per_element = LOW_BYTES + F32_BYTES
        if value[0].kind == "get" and narrowing:
            per_element = LOW_BYTES
        return elements(value) * per_element

    def writes_low(self, op, placement):
        # Where the model rounds, it is the rounded value that others read.
        return True if op.kind == "round" else self.label(op, placement)

    def label(self, op, placement):
        """A column of booleans: is the op in the low type, for all placements."""
        if op == "return":
            return False
        if op.kind == "round":
            return True
        return placement.get(op, self.was_low[op])

    def cast_costs(self, placement):
        total = 0
        for value in self.graph.values():
            written = self.writes_low(value[0], placement)
            other = False
            for reader in self.readers(value):
                other = other | (self.label(reader, placement) != written)
            cost = np.where(
                written, self.cast_bytes(value, False), self.cast_bytes(value, True)
            )
            total = total + other * cost
        return total

    def costs(self, placement):
        total = self.cast_costs(placement) * BYTE
        for op in self.free:
            low, f32 = self.own_cost(op, True), self.own_cost(op, False)
            total = total + np.where(placement[op], low, f32)
        return total

    def all_placements(self):
        choices = [op for op in self.free if self.may_be_low[op]]
        rows = np.arange(1 << len(choices))
        placement = {op: np.zeros_like(rows, bool) for op in self.free}
        for bit, op in enumerate(choices):
            placement[op] = (rows >> bit) & 1 == 1
        return placement, len(choices)


def parse(text):
    """For each function its ops, without casts, and its casts."""
    functions = {}
    for line in text.splitlines():
        if match := re.search(r"func\.func @(\w+)\((.*?)\) ->", line):
            ops, casts, writers = [], [], {}
            functions[match[1]] = ops, casts, writers
            for arg in re.findall(r"%arg\d+", match[2]):
                writers[arg] = "arg"
        elif match := re.search(r"(%\w+)(?::\d)? = nn\.(\w+) (.*) :(.*)", line):
            name, kind, operands, types = match.groups()
            if kind == "cast":
                casts.append((name, operands, types))
            else:
                ops.append((name, kind, types))
                writers[name] = kind
    return functions


def is_low(types):
    return types.rsplit("->", 1)[-1].strip().endswith("xf16>")


def run(graphs, refuse, planted):
    shapes = {op.shapes[0] for g in graphs for op in g.ops if op.kind == "get"}
    module = [
        f"nn.parameter @w{'x'.join(map(str, s))} : {tensor(s, 'f32')} = <zeros>"
        for s in sorted(shapes)
    ]
    orders = []
    for i, graph in enumerate(graphs):
        orders.append([graph.ops, graph.shuffled()])
        for j, order in enumerate(orders[-1]):
            module.append(graph.print(f"g{i}_{j}", order))
    options = f"place={'false' if planted else 'true'} refuse={str(refuse).lower()}"
    pipeline = (
        "builtin.module(nn-autocast{precision=fp16 leave-open=true},"
        f"func.func(nn-simplify-casts{{{options}}}))"
    )
    text = "\n".join(module)
    done = subprocess.run(
        ["mpc-opt", f"--pass-pipeline={pipeline}"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"mpc-opt failed on\n{text}\n{done.stderr[:2000]}")
    return orders, parse(done.stdout)


def read_back(order, function):
    """The placement that the pass's output shows, and its casts' bytes."""
    ops, casts, _ = function
    wanted = [op for op in order if op.kind not in ("arg", "round")]
    if [op.kind for op in wanted] != [kind for _, kind, _ in ops]:
        raise ValueError("ops are missing or out of order")
    placement, by_name = {}, {}
    for op, (name, _, types) in zip(wanted, ops):
        placement[op] = np.array([is_low(types)])
        by_name[name] = op
    args = [op for op in order if op.kind == "arg"]
    return placement, by_name, args, casts


def count_casts(model, by_name, args, casts):
    total, cast_names = 0, {}
    for name, operand, types in casts:
        source, _, number = operand.partition("#")
        narrowing = is_low(types)
        cast_names[name] = operand
        while source in cast_names:  # What a round of the model's own has made.
            source, _, number = cast_names[source].partition("#")
        if source.startswith("%arg"):
            op = args[int(source[4:])]
        else:
            op = by_name[source]
        value = (op, int(number or 0))
        # A rounded value lies in memory whoever wrote the value before.
        is_round = operand.partition("#")[0] in cast_names
        if is_round:
            total += elements(value) * (LOW_BYTES + F32_BYTES)
        else:
            total += model.cast_bytes(value, narrowing)
    return total


def check(model, order, function):
    """What is wrong with the pass's placement, or None."""
    found, by_name, args, casts = read_back(order, function)
    for op in model.graph.ops:
        if op not in model.free and op in found and found[op][0] != model.was_low[op]:
            return f"nn.{op.kind} is decided, but was changed"
        if op in model.free and found[op][0] and not model.may_be_low[op]:
            return f"nn.{op.kind} rounds what is read in f32"
    free = {op: found[op] for op in model.free}
    placements, bits = model.all_placements()
    costs = np.broadcast_to(model.costs(placements), 1 << bits)
    paid = int(np.max(model.costs(free)))
    if paid != costs.min():
        return f"costs {paid / BYTE} bytes, {costs.min() / BYTE} are possible"
    lows = sum(np.broadcast_to(low, costs.shape).astype(int) for low in placements.values())
    if model.free and np.sum([low[0] for low in free.values()]) != lows[
        costs == costs.min()
    ].max():
        return "a cheapest placement has more ops in the low type"
    counted = count_casts(model, by_name, args, casts)
    stated = int(np.max(model.cast_costs(free)))
    if counted != stated:
        return f"has casts of {counted} bytes, the model counts {stated}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--refuse", action="store_true")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    flags = parser.parse_args()
    rng = random.Random(flags.seed)
    graphs = [Graph(rng, rng.randint(3, 14)) for _ in range(flags.graphs)]
    orders, functions = run(graphs, flags.refuse, flags.planted)
    faults, choices, changed = 0, [], 0
    for i, graph in enumerate(graphs):
        model = Model(graph, flags.refuse)
        choices.append(model.all_placements()[1])
        labels = []
        for j, order in enumerate(orders[i]):
            function = functions[f"g{i}_{j}"]
            fault = check(model, order, function)
            found = read_back(order, function)[0]
            labels.append([bool(found[op][0]) for op in model.free])
            changed += any(found[op][0] != model.was_low[op] for op in model.free)
            if fault:
                faults += 1
                print(f"graph {i}, order {j}: {fault}")
                if faults == 1 and not flags.planted:
                    print(graph.print(f"g{i}_{j}", order))
        if labels[0] != labels[1]:
            faults += 1
            print(f"graph {i}: the placement depends on the order of the ops")
    print(
        f"{len(graphs)} graphs, up to {max(choices)} free choices "
        f"({sum(choices)} in all), {changed} of {2 * len(graphs)} placements "
        f"differ from autocast's, {faults} faults"
    )
    if flags.planted:
        sys.exit(0 if faults else "the planted error was not found")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
