#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for dead links in the pages, and for flags in FLAG_PAGES that no tool has.

    doc_links.py ROOT GENERATED

GENERATED is a folder that scripts/generate_docs.py has written. Its pages are not in the
repository, so that no page links to them: it names them as `generated/NAME.md`, and
scripts/docs.sh makes a link of that.
"""
import pathlib
import re
import sys

FOLDERS = ("docs", "examples", "benchmarks", "test/Inputs")
FENCE = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\[[^][]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.M)
GENERATED = re.compile(r"`(?:docs/)?generated/([\w-]+\.md)`")
# Pages whose flags are those of tools, or of scripts.
FLAG_PAGES = ("README.md", "docs/command-line.md")
OF_SCRIPTS = {"--preset", "--runtime-only"}


def pages(root):
    yield from root.glob("*.md")
    for folder in FOLDERS:
        yield from (page for page in (root / folder).rglob("*.md") if page.parent != root / "docs/generated")


def without(pattern, text):
    """`text` with blanks where `pattern` matches; lines stay lines."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def slug(heading):
    """The anchor of a heading, as forges and the site make it."""
    words = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).strip().lower()
    return re.sub(r"[^\w -]", "", words).replace(" ", "-")


def anchors(page):
    return {slug(heading) for heading in HEADING.findall(without(FENCE, page.read_text()))}


def link_fault(page, target, root):
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    file = (page.parent / path) if path else page
    if file.resolve().is_relative_to((root / "docs/generated").resolve()):
        return f"'{target}' is not in the repository: name it as `generated/{file.name}`"
    if not file.exists():
        return f"'{target}' does not exist"
    if anchor and anchor not in anchors(file):
        return f"'{target}': there is no heading for '#{anchor}'"
    return None


def page_faults(page, root, generated):
    text = without(FENCE, page.read_text())
    for number, line in enumerate(text.splitlines(), 1):
        for target in LINK.findall(without(CODE, line)):
            if fault := link_fault(page, target, root):
                yield f"{number}: {fault}"
        for name in GENERATED.findall(line):
            if name not in generated:
                yield f"{number}: scripts/generate_docs.py writes no {name}"


def flags(text):
    """Names of the flags that stand in code."""
    code = " ".join(CODE.findall(text))
    return set(re.findall(r"(?<![\w-])--[a-z][\w-]*\w", code))


def faults(root, generated_folder):
    generated = {page.name: page.read_text() for page in generated_folder.glob("*.md")}
    for page in sorted({*pages(root)}):
        yield from (f"{page.relative_to(root)}:{fault}" for fault in page_faults(page, root, generated))
    for name in sorted(generated):
        page = generated_folder / name
        yield from (f"generated/{name}:{fault}" for fault in page_faults(page, root, generated))
    known = set().union(OF_SCRIPTS, *(flags(text) for name, text in generated.items() if name.startswith("mpc-")))
    for name in FLAG_PAGES:
        for flag in sorted(flags((root / name).read_text()) - known):
            yield f"{name}: no tool has the flag {flag}"


if __name__ == "__main__":
    found = list(faults(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
    print("\n".join(found) or "every link leads somewhere, and every flag is a tool's")
    sys.exit(bool(found))
