#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the tables of docs/semantics against the tests.

    python feature_table.py PROJECT

features.md: a row is `| id | feature | answer | how, or why not | tests |`. Every row of ROWS
is there, once. The answer is one of ANSWERS; `yes` and `partly` name at least one test, all
but `yes` a reason. api-cases.md: a row is `| id | theirs | answer | how | tests |`, one for
each recorded case; `same` and `error` name a test.

A test is `Suite.Name` of a GoogleTest, or a file below test/, where `file:text` also asks
that the file contains the text. It must be one that runs: its program's sources are listed
for CMake and it is not disabled; lit finds the file, which has a RUN line; a Python file is
named where something runs it. And it must know of the row: `Features: A1, B2.` is a line of the
file, or of the comment above a GoogleTest.
"""
import itertools
import json
import pathlib
import re
import sys

# Which answers there are, and which of them need a test, and a reason.
ANSWERS = ("yes", "partly", "no", "later", "does not arise")
CASE_ANSWERS = ("same", "error", "differs", "cannot be written")
SHOWN = ("yes", "partly", "same", "error")
SELF_EXPLAINING = ("yes", "same")

# How many rows each section has.
ROWS = {
    "A": 17, "B": 25, "C": 18, "D": 11, "E": 15, "F": 14, "G": 9, "H": 13,
    "I": 19, "J": 15, "K": 8, "L": 14, "M": 12, "X": 29,
}  # fmt: skip

ROW = re.compile(r"^\| *([A-Z]\d+|[a-z]\w*_\w+|defaults) *\|(.*)\|\s*$")
FEATURES = re.compile(r"Features: ([A-Z]\d+(?:, [A-Z]\d+)*)")
GTEST = re.compile(r"TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)|TYPED_TEST\(\s*(\w+),\s*(\w+)\s*\)")


def features_of(text):
    """The rows that a test says it is of."""
    return {row for match in FEATURES.finditer(text) for row in match.group(1).split(", ")}


def comment_above(text, position):
    lines = text[:position].splitlines()
    above = itertools.takewhile(lambda line: line.startswith("//"), reversed(lines))
    return "\n".join(above)


def is_listed(source):
    """Whether CMake builds a source: it is listed in its folder."""
    listing = source.with_name("CMakeLists.txt")
    names = re.sub(r"#.*", "", listing.read_text()) if listing.is_file() else ""
    return re.search(rf"(?<![\w./]){re.escape(source.name)}\b", names) is not None


class Tests:
    """The tests of the project: names of GoogleTests, files of all others."""

    def __init__(self, root):
        self.root = root / "test"
        self.names = {}
        for file in filter(is_listed, self.root.rglob("*.cpp")):
            text = file.read_text()
            for match in GTEST.finditer(text):
                suite, name = match.group(1, 2) if match.group(1) else match.group(3, 4)
                self.names[f"{suite}.{name}"] = features_of(comment_above(text, match.start()))
        runners = [f for f in self.root.rglob("*") if f.suffix in (".test", ".mlir", ".py", ".txt")]
        self.texts = {file: file.read_text(errors="replace") for file in runners}

    def runs(self, file):
        """Whether lit, CMake or another Python file runs `file`."""
        if file.suffix in (".test", ".mlir"):
            return "RUN:" in self.texts[file] and "Inputs" not in file.relative_to(self.root).parts
        if file.suffix != ".py":
            return True
        listing = self.texts.get(file.with_name("CMakeLists.txt"), "")
        if file.name.endswith("_test.py") and "--pattern *_test.py" in listing:
            return True
        named = re.compile(rf"\b{re.escape(file.name)}\b|\bimport {file.stem}\b")
        return any(named.search(text) for other, text in self.texts.items() if other != file)

    def fault(self, reference):
        path, _, text = reference.partition(":")
        file = self.root / path
        if is_file(path):
            if not file.is_file():
                return f"no file test/{path}"
            if text and text not in file.read_text():
                return f"test/{path} does not contain '{text}'"
            return None if self.runs(file) else f"nothing runs test/{path}"
        if "DISABLED_" in reference:
            return f"{reference} is disabled"
        return None if reference in self.names else f"no test {reference}"

    def features(self, reference):
        """The rows that a test without fault says it is of."""
        path = reference.partition(":")[0]
        return features_of((self.root / path).read_text()) if is_file(path) else self.names[path]


def is_file(path):
    return "/" in path or path.endswith(".py")


def cells(line):
    """The id and the four other cells of a row; None for other lines."""
    match = ROW.match(line)
    if not match:
        return None
    return [match.group(1), *(cell.strip() for cell in match.group(2).split("|"))]


def row_faults(row, tests, answers=ANSWERS):
    if len(row) != 5:
        yield f"has {len(row)} cells, not 5"
        return
    name, _, answer, reason, references = row
    references = re.findall(r"`([^`]+)`", references)
    if answer not in answers:
        yield f"'{answer}' is none of {', '.join(answers)}"
    if answer in SHOWN and not references:
        yield f"says {answer} and names no test"
    if answer not in SELF_EXPLAINING and not reason:
        yield f"says {answer} and not why"
    for reference in references:
        if fault := tests.fault(reference):
            yield fault
        elif answers is ANSWERS and name not in tests.features(reference):
            yield f"{reference} says nothing of {name} (Features: {name}.)"


def faults(text, tests, wanted, answers=ANSWERS):
    """What is wrong with the page `text`, which has to have the rows `wanted`."""
    seen = []
    for number, line in enumerate(text.splitlines(), 1):
        if row := cells(line):
            seen.append(row[0])
            for fault in row_faults(row, tests, answers):
                yield f"{number}: {row[0]}: {fault}"
    for name in wanted:
        if seen.count(name) != 1:
            yield f"{name} is there {seen.count(name)} times"
    for name in sorted(set(seen) - set(wanted)):
        yield f"{name} is no known row"


def feature_ids():
    return [f"{section}{i}" for section, count in ROWS.items() for i in range(1, count + 1)]


def case_ids(root):
    for system in ("torch", "keras"):
        file = root / f"test/Inputs/loss_scale/{system}_api_cases.json"
        yield from (case["id"] for case in json.loads(file.read_text())["cases"])


def main():
    root = pathlib.Path(sys.argv[1])
    tests = Tests(root)
    pages = {
        "features.md": (feature_ids(), ANSWERS),
        "api-cases.md": (list(case_ids(root)), CASE_ANSWERS),
    }
    failed = False
    for name, (wanted, answers) in pages.items():
        page = root / "docs/semantics" / name
        found = list(faults(page.read_text(), tests, wanted, answers))
        for fault in found:
            print(f"{page}:{fault}")
        print(f"{name}: {len(wanted)} rows, {len(found)} faults")
        failed |= bool(found)
    return failed


if __name__ == "__main__":
    sys.exit(main())
