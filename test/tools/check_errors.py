# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the command lines of a table, each of which must fail as the table says.

    python check_errors.py TABLE FOLDER

A line of TABLE is `EXIT | COMMAND | MESSAGE`; EXIT is the code, MESSAGE a part of the error
text. Commands run in FOLDER, and may not leave a new file there. Empty lines and lines that
start with # are for the reader. Exits 1 where one does not hold.
"""
import os
import shlex
import subprocess
import sys


def failure(code, command, message):
    """What is wrong with one command, or None."""
    before = set(os.listdir())
    ran = subprocess.run(shlex.split(command), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    tool = command.split()[0]
    if ran.returncode != int(code):
        return f"exit {ran.returncode}, expected {code}: {ran.stderr.strip() or 'no message'}"
    if not any(line.startswith(f"{tool}: error: ") and message in line for line in ran.stderr.splitlines()):
        return f"expected '{message}' in: {ran.stderr.strip()}"
    if set(os.listdir()) != before:
        return f"left {', '.join(set(os.listdir()) - before)}"
    return None


def main():
    table, folder = sys.argv[1:]
    with open(table) as file:
        rows = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    os.chdir(folder)
    failed = 0
    for row in rows:
        code, command, message = (field.strip() for field in row.split(" | "))
        wrong = failure(code, command, message)
        if wrong:
            failed += 1
            print(f"FAIL {command}\n     {wrong}")
    print(f"{len(rows) - failed} of {len(rows)} fail as they should")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
