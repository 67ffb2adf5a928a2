"""The verification manual: a page for each problem, from the problem itself."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

from polhode.verification import PROBLEMS, Answer, Result, verified
from polhode.verification.register import CHAPTERS, problems_of

matplotlib.use("Agg")

ROWS = 12  # of an array in the table of a page; a longer one is told by its worst
TOLD = (
    "Each problem was stated and answered by others. It is built here with public names"
    " only, run, and compared: `polhode verify` does it all and prints this table,"
    " `polhode verify --only NAME` one row of it. *Digits* are those of the answer that"
    " agrees least, -log10 of the largest difference over the largest expected number;"
    " *stated* are those that a problem must reach, or the command and the test suite"
    " fail. *Printed* means numbers taken from the source, *formula evaluated* that the"
    " source's formula was evaluated beside the model, without it."
)


def write_verification(folder: Path, wanted: list[str] | None = None) -> None:
    """Write index.md, and a page and a plot a problem."""
    folder.mkdir(parents=True, exist_ok=True)
    results = {}
    for name in wanted or list(PROBLEMS):
        print(f"verification: {name}", file=sys.stderr, flush=True)
        results[name] = verified(PROBLEMS[name])
        (folder / f"{name}.md").write_text(page(results[name], folder), "utf-8")
    (folder / "index.md").write_text(index(results), encoding="utf-8")


def index(results: dict[str, Result]) -> str:
    """The table of all problems, chapter by chapter, and how many there are."""
    sources = {result.problem.source for result in results.values()}
    count = f"**{len(results)} problems from {len(sources)} sources.**"
    parts = ["# Verification manual", f"{count} {TOLD}"]
    for chapter, title in CHAPTERS.items():
        rows = [row(results[p.name]) for p in problems_of(chapter) if p.name in results]
        if rows:
            head = "| problem | source | basis | digits | stated | s |\n|---|---|---|"
            parts.append(f"## {title}\n\n{head}---|---|---|\n" + "\n".join(rows))
    parts.append("```{toctree}\n:hidden:\n\n" + "\n".join(results) + "\n```")
    return "\n\n".join(parts) + "\n"


def row(result: Result) -> str:
    problem = result.problem
    cells = (
        f"[{problem.title}]({problem.name}.md)",
        problem.citation,
        problem.basis,
        f"{result.digits:.1f}",
        f"{problem.digits:g}",
        f"{result.seconds:.1f}",
    )
    return line(*cells)


def line(*cells: str) -> str:
    """A row of a table; a bar in a cell would end it."""
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def page(result: Result, folder: Path) -> str:
    """Statement, source, answers, plots, model."""
    problem = result.problem
    verdict = "reached" if result.is_reached else "**not reached**"
    parts = [
        f"# {problem.title}",
        f"*Source:* {problem.citation}. *Expected numbers:* {problem.basis}.",
        *(" ".join(part.split()) for part in problem.statement.split("\n\n")),
        "## Answers",
        result.failure or table(result.answers),
        f"{result.digits:.1f} digits agree; {problem.digits:g} are stated: {verdict}."
        f" It took {result.seconds:.1f} s, compiling included.",
        *(plot(answer, problem.name, folder) for answer in curves(result.answers)),
        "## Model",
        f"```python\n{problem.code.rstrip()}\n```",
        f"Run it: `polhode verify --only {problem.name}`.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def curves(answers: tuple[Answer, ...]) -> list[Answer]:
    return [answer for answer in answers if answer.at is not None]


def table(answers: tuple[Answer, ...]) -> str:
    """A row a number; of long arrays the one that differs most."""
    rows = ["| quantity | printed | ours | digits |", "|---|---|---|---|"]
    for answer in answers:
        for what, expected, found in numbers(answer):
            digits = Answer(what, expected, found, answer.size or largest(answer))
            cells = (what, shown(expected), shown(found), f"{digits.digits:.1f}")
            rows.append(line(*cells))
    return "\n".join(rows)


def largest(answer: Answer) -> float:
    return float(np.max(np.abs(answer.expected))) or 1.0


def numbers(answer: Answer) -> list[tuple[str, complex, complex]]:
    expected, found = np.ravel(answer.expected), np.ravel(answer.found)
    if len(expected) == 1:
        return [(answer.what, expected[0], found[0])]
    if len(expected) > ROWS:
        return [(f"{answer.what} (worst of {len(expected)})", *answer.worst_pair)]
    pairs = zip(expected, found, strict=True)
    return [(f"{answer.what} [{k}]", a, b) for k, (a, b) in enumerate(pairs, start=1)]


def shown(number: complex) -> str:
    if np.iscomplexobj(number):
        return f"{number.real:.15g} {number.imag:+.15g} i"
    return f"{number:.15g}"


def plot(answer: Answer, name: str, folder: Path) -> str:
    """Ours as a line, expected as rings; and the way to the picture."""
    from matplotlib import pyplot

    file = f"{name}_{slug(answer.what)}.png"
    figure, axes = pyplot.subplots(figsize=(6.4, 3.2), layout="constrained")
    every = max(1, len(answer.at) // 40)
    axes.plot(answer.at, answer.found, lw=1.4, label="ours")
    expected = np.asarray(answer.expected)[::every]
    rings = {"ls": "", "marker": "o", "mfc": "none", "ms": 5}
    axes.plot(answer.at[::every], expected, color="black", label="expected", **rings)
    axes.set(xlabel=answer.axis, ylabel=answer.what)
    axes.legend()
    figure.savefig(folder / file, dpi=110)
    pyplot.close(figure)
    return f"![{answer.what}: ours and expected]({file})"


def slug(text: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in text).strip("_")
