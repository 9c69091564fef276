#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks an explanation of a transformer in 16 bits.

    python check_explain.py EXPLANATION.json LOW TRAINS

Every number is made again from shapes and types; every op has a reason that names something that
is there; casts and ops agree about types. Prints what does not hold, and exits 1.
"""
import json
import re
import sys

SIZE = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i64": 8, "i1": 1 / 8}


def named(node, op):
    return f"'{node}' ({op})" if node else op


def faults(report, low, trains):
    ops, casts, totals = report["ops"], report["casts"], report["totals"]
    names = {named(op["node"], op["op"]) for op in ops}
    for op in ops:
        name = named(op["node"], op["op"])
        expected = {"lower": low, "keep-f32": "f32"}.get(op["rule"], op["type"])
        if op["source"] != "nn-simplify-casts" and op["type"] != expected:
            yield f"{name}: runs in {op['type']} by rule {op['rule']}"
        if not op["why"] or not op["source"]:
            yield f"{name}: no reason"
        # There autocast's own reason stands in parentheses, at the end.
        why = op["why"].removesuffix(")") if op["source"] == "nn-simplify-casts" else op["why"]
        followed = re.search(r"comes from (.*?)(?:, which .*|; .* stays f32 within)?$", why)
        if followed and not re.match(r"parameter|an input|(?:a|the) constant|operands of", followed[1]) and followed[1] not in names:
            yield f"{name}: follows {followed[1]}, which is not an op here"
        if op["type"] == low and op["bytes_in_f32"] < op["bytes"]:
            yield f"{name}: {op['bytes']} bytes, {op['bytes_in_f32']} in f32"
    for cast in casts:
        name = f"cast of {cast['value']}"
        read, written = (cast["elements"] * SIZE[cast[key]] for key in ("from", "to"))
        if (cast["bytes_read"], cast["bytes_written"]) != (read, written):
            yield f"{name}: {cast['bytes_read']} and {cast['bytes_written']} bytes, expected {read} and {written}"
        if not cast["readers"] or any(r not in names | {"the result", "cast"} for r in cast["readers"]):
            yield f"{name}: readers {cast['readers']}"
        if cast["weight_copy"] != (trains and cast["value"].startswith("parameter") and cast["to"] == low):
            yield f"{name}: weight copy is {cast['weight_copy']}"
    moved = [c["bytes_read"] + c["bytes_written"] for c in casts if not c["weight_copy"]]
    sums = {
        "cast_bytes": sum(moved),
        "gradient_cast_bytes": sum(c["bytes_read"] + c["bytes_written"] for c in casts if c["has_gradient"]),
        "activation_bytes": sum(op["bytes"] for op in ops)
        + sum(c["bytes_written"] for c in casts if not c["weight_copy"]),
        "activation_bytes_in_f32": sum(op["bytes_in_f32"] for op in ops),
        "weight_copy_bytes": sum(c["bytes_written"] for c in casts if c["weight_copy"]),
        "carrying_ops": sum("stays f32 within" in op["why"] for op in ops),
        "carrying_bytes": sum(op["bytes"] for op in ops if "stays f32 within" in op["why"]),
    }
    for key, value in sums.items():
        if totals[key] != value:
            yield f"total {key} is {totals[key]}, expected {value}"
    for op, kind in (("linear", low), ("matmul", low), ("softmax", "f32"), ("layer_norm", "f32")):
        found = {o["type"] for o in ops if o["op"] == op and o["source"] != "nn-simplify-casts"}
        if found - {kind}:
            yield f"{op} runs in {found}, expected {kind} alone"


def main():
    path, low, trains = sys.argv[1:]
    with open(path) as file:
        report = json.load(file)
    found = list(faults(report, low, trains == "trains"))
    print("\n".join(found + [f"{len(report['ops'])} ops, {len(report['casts'])} casts, {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
