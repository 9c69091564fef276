# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How scripts/docs.sh renders the pages, with Sphinx. The sources are the project's own folder."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

project = "mpc"
html_theme = "furo"
html_title = "mpc"
html_copy_source = False
root_doc = "README"
extensions = ["myst_parser"]
include_patterns = ["*.md", "docs/**.md", "examples/*.md", "benchmarks/gpu/*.md", "test/Inputs/*.md"]
exclude_patterns = [".*", "build*", "out", "**/__pycache__"]
myst_heading_anchors = 4
# Pages by TableGen go from the first level to the third.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

# The order of the sidebar.
SECTIONS = {
    "The project": ["docs/architecture", "docs/command-line", "docs/program-file", "CONTRIBUTING", "SECURITY"],
    "How to": ["docs/how-to/*"],
    "What it means": ["docs/semantics/*"],
    "Why so": ["docs/rationale/*"],
    "Reference": ["docs/generated/*"],
    "Folders": ["examples/README", "benchmarks/gpu/README", "test/Inputs/README"],
}


def sidebar():
    for caption, names in SECTIONS.items():
        lines = "\n".join(f"/{name}" for name in names)
        yield f"```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{lines}\n```\n"


def generated_link(match):
    return f"[generated/{match[1]}.md](/docs/generated/{match[1]}.md)"


def folder_link(page):
    """A link to a folder leads to its README, where it has one; else it is its text."""

    def replace(match):
        text, target = match.groups()
        folder = page.parent / target
        if not folder.is_dir():
            return match[0]
        return f"[{text}]({target.rstrip('/')}/README.md)" if (folder / "README.md").exists() else text

    return replace


def read_source(app, name, source):
    page = ROOT / f"{name}.md"
    text = re.sub(r"`(?:docs/)?generated/([\w-]+)\.md`", generated_link, source[0])
    text = re.sub(r"\[([^][]*)\]\(([\w./-]+)\)", folder_link(page), text)
    if name == root_doc:
        text += "\n" + "\n".join(sidebar())
    source[0] = text


def write_index(app, error):
    """The site's first page under the name that a browser looks for."""
    if not error:
        folder = pathlib.Path(app.outdir)
        (folder / "index.html").write_text((folder / "README.html").read_text())


def setup(app):
    app.connect("source-read", read_source)
    app.connect("build-finished", write_index)
