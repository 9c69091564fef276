# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the innermost loops of contractions in a disassembly.

    llvm-objdump -d --no-show-raw-insn FILE.o | python inner_loops.py INSTRUCTION LEAST

Finds all innermost loops over k: they have LEAST or more of INSTRUCTION, elements of rows that are broadcast from
memory, and no other arithmetic. Fails if one of them reads or writes the stack.
"""
import re
import sys

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
OTHERS = ("vaddps", "vsubps", "vmulps", "vdivps")
STACK = re.compile(r"\(%r[sb]p")


def functions(lines):
    """The instructions of each function: (address, name, operands)."""
    body = []
    for line in lines:
        if line.rstrip().endswith(">:"):
            yield body
            body = []
        elif found := INSTRUCTION.match(line):
            body.append((int(found[1], 16), found[2], found[3]))
    yield body


def innermost(body):
    """The instructions of each loop that has no other loop inside: from the target of a jump back to the jump."""
    loops = []
    for place, (address, name, operands) in enumerate(body):
        target = re.match(r"(?:0x)?([0-9a-f]+)", operands) if name.startswith("j") else None
        if target and body[0][0] <= int(target[1], 16) <= address:
            starts = [i for i, one in enumerate(body) if one[0] == int(target[1], 16)]
            loops += [(start, place) for start in starts]
    for start, end in loops:
        if not any(start <= a and b <= end and (a, b) != (start, end) for a, b in loops):
            yield body[start : end + 1]


def main():
    wanted, least = sys.argv[1], int(sys.argv[2])
    count = 0
    for body in functions(sys.stdin):
        for loop in innermost(body):
            products = sum(name.startswith(wanted) for _, name, _ in loop)
            rows = any(name.startswith("vbroadcast") and "(" in operands for _, name, operands in loop)
            others = any(name.startswith(OTHERS) for _, name, _ in loop)
            if products < least or not rows or others:
                continue
            count += 1
            spilled = [f"{address:x}: {name} {operands}" for address, name, operands in loop if STACK.search(operands)]
            assert not spilled, "the loop uses the stack:\n" + "\n".join(spilled)
    print(f"{wanted}: {count} loops")


main()
