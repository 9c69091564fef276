# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""README's table of models, which is taken from the page that compare.py writes."""
from . import page

BEGIN, END = "<!-- begin models: benchmarks/compare.py --readme -->", "<!-- end models -->"


class Models:
    """The table of models of a page's first section that has one: a dict of cells for each row."""

    def __init__(self, text):
        self.cpu, lines = "", []
        for section in text.split("\n## ")[1:]:
            if f"### {page.TITLES['model']}\n" in section and not lines:
                self.cpu = section.split("\n", 1)[0]
                rest = section.split(f"### {page.TITLES['model']}\n", 1)[1].lstrip("\n")
                lines = rest.split("\n\n", 1)[0].splitlines()
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        self.rows = [dict(zip(cells[0], row)) for row in cells[2:]] if cells else []


def median(cell):
    """Of `2999 (2950) (!)` the first number and the mark."""
    return " ".join(part for part in cell.split() if part == "(!)" or not part.startswith("("))


def best(row, precision):
    """PyTorch's best cell of a precision."""
    columns = [f"torch {engine} {precision}" for engine in ("eager", "compile")]
    found = [median(row[name]) for name in columns if row.get(name)]
    return min(found, key=lambda cell: float(cell.split()[0]), default="")


def cells(row):
    pairs = [f"{median(row[f'ours {precision}'])} / {best(row, precision)}" for precision in ("fp32", "bf16")]
    return [*pairs, row.get(page.COMPILED, "")]


def table(text):
    """Lines of Markdown, of the page's text; none where it has no models."""
    models = Models(text)
    if not models.rows:
        return []
    lines = ["| | fp32 | bf16 | compiled in, s |", "|---|---|---|---|"]
    lines += [f"| {row['model']} | " + " | ".join(cells(row)) + " |" for row in models.rows if row["model"] != "geometric mean"]
    means = next((row for row in models.rows if row["model"] == "geometric mean"), {})
    ratios = [means.get(f"torch / ours, {precision}", "") for precision in ("fp32", "bf16")]
    return [*lines, f"| geometric mean, theirs / ours | {ratios[0]} | {ratios[1]} | |"] if means else lines


def update(path, page_path):
    """Puts the table between its marks."""
    text = path.read_text()
    head, rest = text.split(BEGIN, 1)
    new = "\n".join(table(page_path.read_text()))
    path.write_text(f"{head}{BEGIN}\n\n{new}\n\n{END}{rest.split(END, 1)[1]}")
