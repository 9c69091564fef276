#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every error that a reader of files gives is provoked by a test, which quotes it.

    reader_errors.py ROOT

Looks in the sources of the readers for what they say of a file that is at fault, and in the
tests for those words: of each message the longest piece that is the same each time, and each
side of a choice within it. Of a long piece the first words are enough. Prints those that no
test has.
"""
import pathlib
import re
import sys

# A new reader of files goes to one of these, or is added.
READERS = (
    "runtime/Program", "runtime/Support", "runtime/Train", "runtime/LossScale", "lib/Import",
)
# What makes an error of a file or of the flags given with it, and what of the readers passes a
# message on to that; and texts that are returned, which are what is wrong with a part.
MAKERS = re.compile(
    r"\b(?:invalidInput|invalidModel|usageFault|fail|failAt|refused|refuse\w*|damaged)\("
    r'|\breturn (?=(?:fmt::format\()?"|[^;"]*\? ")'
)
LITERAL = re.compile(r'R"\((?P<raw>.*?)\)"|"(?P<text>(?:[^"\\\n]|\\.)*)"', re.S)
# Between two literals that are one.
SEAM = re.compile(r'(?<!\\)"\s*\n\s*[fr]?"')
PLACEHOLDER = re.compile(r"\{[^{}]*\}")
LEAST_LETTERS = 8  # Fewer are in any text.
LEAST_WORDS = 4  # Of a text that is returned; shorter ones are names.
ENOUGH_WORDS = 5
TEXTS = {".cpp", ".h", ".py", ".test", ".mlir", ".txt", ".json"}
# Errors that no test provokes, and why.
EXEMPT = {
    "its functions are more than": "of 4 million nodes, which take many seconds",
    "the graph unrolls into more than": "of 4 million ops, which take gigabytes",
    "names take over 100 MB": "of a file that is written, with names of that length",
    "holds no numbers": "our own fault: rows name attributes with numbers alone",
    "every tensor of the batch is finite when": "no error but a report",
    "it cannot be run again": "what else is wrong where a training ends already",
}


def end_of(text, begin):
    """Behind the call whose arguments begin at `begin`, or the statement that goes on there."""
    depth, place = 1, begin
    while depth and place < len(text) and (depth > 1 or text[place] != ";"):
        literal = LITERAL.match(text, place)
        if literal:
            place = literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        place += 1
    return place


def unescaped(text):
    return re.sub(r"\\(.)", r"\1", text)


def pieces(call):
    """The texts of a call, each with whether it is one side of a choice."""
    for literal in LITERAL.finditer(call):
        text = unescaped(literal["text"]) if literal["raw"] is None else literal["raw"]
        before = call[: literal.start()].rstrip()
        is_choice = before.endswith("?") or before.endswith(":") and not before.endswith("::")
        for piece in PLACEHOLDER.split(text) if "format(" in call else [text]:
            yield piece.strip(" '\",:;()"), is_choice


def messages(text):
    """Line and texts of every error that a source makes."""
    for maker in MAKERS.finditer(text):
        call = SEAM.sub("", text[maker.end() : end_of(text, maker.end())])
        least_words = LEAST_WORDS if maker[0].startswith("return") else 1
        found = [
            (piece, is_choice)
            for piece, is_choice in pieces(call)
            if sum(map(str.isalpha, piece)) >= LEAST_LETTERS and len(piece.split()) >= least_words
        ]
        wanted = {piece for piece, is_choice in found if is_choice}
        rest = [piece for piece, is_choice in found if not is_choice]
        if rest:
            wanted.add(max(rest, key=len))
        line = text.count("\n", 0, maker.start()) + 1
        yield from ((line, piece) for piece in sorted(wanted))


def quotations(root):
    """What tests say, texts of several lines in one."""
    own = ("reader_errors.py", "reader_errors_test.py")
    paths = (p for p in sorted((root / "test").rglob("*")) if p.suffix in TEXTS and p.name not in own)
    text = "\n".join(SEAM.sub("", path.read_text(errors="replace")) for path in paths)
    return text + "\n" + unescaped(text)


def is_quoted(piece, said):
    words = piece.split(" ")
    return piece in said or len(words) > ENOUGH_WORDS and " ".join(words[:ENOUGH_WORDS]) in said


def faults(root):
    said = quotations(root)
    for folder in READERS:
        for path in sorted((root / folder).rglob("*.cpp")):
            for line, piece in sorted(set(messages(path.read_text()))):
                if not is_quoted(piece, said) and not any(text in piece for text in EXEMPT):
                    yield f"{path.relative_to(root)}:{line}: no test provokes '{piece}'"


if __name__ == "__main__":
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "every error of a reader has a test that quotes it")
    sys.exit(bool(found))
