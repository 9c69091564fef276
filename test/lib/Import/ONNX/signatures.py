# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the importer's table of ops against the schemas of the onnx package.

    mpc-import --list-ops | python signatures.py

In every opset from the oldest supported to the newest of the package, an op's row may say no more than the schema in
force: no other attribute, no other kind, no more inputs or outputs. What a schema has and the row has not is refused
where a file uses it.
"""
import re
import sys

from onnx import defs

OLDEST, MANY = 1, 1000
KINDS = {"GRAPH": "g", "FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "FLOATS": "fs", "INTS": "is", "STRINGS": "ss"}
ROW = re.compile(r"(?:([\w.]+)::)?(\w+) from opset (\d+): inputs (\d+) to (\w+), outputs to (\w+), attributes (.*)")


def read_rows(lines):
    rows = {}
    for line in lines:
        domain, op, since, least, most, outputs, attributes = ROW.fullmatch(line.strip()).groups()
        pairs = [] if attributes == "none" else [entry.split(":") for entry in attributes.split()]
        limits = [MANY if bound == "any" else int(bound) for bound in (most, outputs)]
        rows.setdefault((domain or "", op), []).append((int(since), int(least), *limits, dict(pairs)))
    return rows


def kinds_of(schema):
    return {name: KINDS.get(str(a.type).split(".")[-1], "other") for name, a in schema.attributes.items()}


def excess(row, schema):
    _, least, most, outputs, attributes = row
    theirs = kinds_of(schema)
    faults = [f"attribute {name}:{kind}" for name, kind in attributes.items() if theirs.get(name) != kind]
    options = [formal.option for formal in schema.inputs]
    optional = defs.OpSchema.FormalParameterOption.Optional
    needed = min(schema.min_input, options.index(optional) if optional in options else MANY)
    if least < needed:
        faults.append(f"{least} inputs, the schema needs {needed}")
    if most > min(schema.max_input, MANY) or outputs > min(schema.max_output, MANY):
        faults.append(f"{most} inputs and {outputs} outputs, of {schema.max_input} and {schema.max_output}")
    return faults


def main():
    checked = faults = 0
    for (domain, op), rows in read_rows(sys.stdin).items():
        newest = max(schema.since_version for schema in defs.get_all_schemas_with_history() if schema.domain == domain)
        for opset in range(OLDEST, defs.onnx_opset_version() + 1) if domain == "" else range(1, newest + 1):
            in_force = [row for row in sorted(rows, key=lambda row: row[0]) if row[0] <= opset]
            if not in_force:
                continue
            checked += 1
            for fault in excess(in_force[-1], defs.get_schema(op, opset, domain)):
                faults += 1
                print(f"{op} at opset {opset}: {fault}")
    print(f"{checked} signatures checked up to opset {defs.onnx_opset_version()}, {faults} differ")


if __name__ == "__main__":
    main()
