"""Pictures of results: all forms side by side, equations, cost against accuracy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import ShowError
from polhode.show.page.mathml import with_words
from polhode.show.plots.palette import INK, PAPER, colour, style_axes
from polhode.show.plots.picture import Picture

if TYPE_CHECKING:
    from polhode.formulation.compare import Comparison
    from polhode.formulation.reading.read import Reading

LEAST = 1e-17  # a disagreement of nothing is drawn here
WIDE, MOST = 62, 24  # letters of a line, and lines of a picture of equations
TALL = 0.58  # inches of a line


def comparison_picture(comparison: Comparison) -> Picture:
    """By formulation: how far it is from the middle of all, and what it costs."""
    from matplotlib.figure import Figure

    rows = comparison.applied[::-1]
    height = 0.28 * len(rows) + 1.3
    figure = Figure(figsize=(7.6, height), facecolor=PAPER, layout="constrained")
    left, right = (style_axes(axes) for axes in figure.subplots(1, 2, sharey=True))
    names, places = [row.name for row in rows], np.arange(len(rows))
    gaps = np.array([[r.disagreement, r.reactions, r.motion] for r in rows])
    for k, word in enumerate(("accelerations", "reactions", "after a motion")):
        sizes = np.maximum(np.where(np.isnan(gaps[:, k]), LEAST, gaps[:, k]), LEAST)
        seen = np.isfinite(gaps[:, k])
        style = {"marker": "ods"[k], "linestyle": "none", "markersize": 5}
        left.plot(sizes[seen], places[seen], color=colour(k), label=word, **style)
    left.set_xscale("log")
    left.set_xlim(LEAST / 2, max(1e-8, 10 * float(np.nanmax(gaps))))
    left.set_yticks(places, names)
    left.set_xlabel("disagreement, of the largest value")
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 3}
    left.legend(
        frameon=False, fontsize=8, handletextpad=0.2, columnspacing=0.8, **place
    )
    right.barh(places, [row.operations for row in rows], color=colour(0), height=0.55)
    right.set_xlabel("operations of one evaluation")
    left.set_title(comparison.system, fontsize=10.5, loc="left", color=INK, pad=24)
    return Picture(figure)


def reading_picture(reading: Reading) -> Picture:
    """The equations of a reading, typeset; long ones over several lines."""
    from matplotlib.figure import Figure

    from polhode.formulation.reading.read import needed

    lines = [line for each in reading.said() for line in broken(each)]
    lines += [
        line
        for name, each in needed(reading.where, reading.said())
        for line in broken(each, name)
    ]
    if len(lines) > MOST:
        raise ShowError(
            f"the equations {reading.name!r} are too long for a picture.",
            f"They take {len(lines)} lines.",
            "Read them as text or LaTeX: reading.text(), reading.latex().",
        )
    height = TALL * len(lines) + 0.5
    figure = Figure(figsize=(7.6, height), facecolor=PAPER)
    figure.text(0.01, 1 - 0.12 / height, reading.name, size=9.5, color=INK, va="top")
    set_lines = []
    for k, (is_first, line) in enumerate(lines):
        y = 1 - (0.5 + TALL * (k + 0.5)) / height
        tall = line.replace(r"\frac", r"\dfrac")
        x = 0.03 if is_first else 0.07
        said = figure.text(x, y, f"${tall}$", size=13, color=INK, va="center")
        set_lines.append(said)
    _fit(figure, set_lines)
    return Picture(figure)


def _fit(figure: Any, lines: list[Any]) -> None:
    """Lines so large that the widest ends within the figure, all of one size."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [line.get_window_extent(renderer) for line in lines]
    room = [(0.98 * figure.bbox.width - box.x0) / box.width for box in boxes]
    size = lines[0].get_size() * min(1.0, *room)
    for line in lines:
        line.set_size(size)


def broken(expression: Any, name: Any = None) -> list[tuple[bool, str]]:
    """Lines of LaTeX, broken before signs; whether each begins.

    Of `expression = 0`, or of `name = expression`.
    """
    from polhode.lowering.reading.sympy_reader import to_latex

    begins = "" if name is None else f"{with_words(to_latex(name))} ="
    lines: list[str] = [""]
    for term in expression.as_ordered_terms():
        word = with_words(to_latex(term))
        if lines[-1] and not word.startswith("-"):
            word = "+ " + word
        if lines[-1] and seen_letters(lines[-1] + word) > WIDE:
            lines.append("")
        lines[-1] += " " + word
    lines[0] = begins + lines[0]
    lines[-1] += " = 0" if name is None else ""
    return [(k == 0, line) for k, line in enumerate(lines)]


def seen_letters(latex: str) -> int:
    r"""About how many letters of a formula are seen; of a fraction the longer part.

    >>> seen_letters(r"\frac{l^{2} m}{3} \ddot{\theta}")
    5
    """
    plain = re.sub(r"\\text|\\,|\\d?d?ot\b|\\left|\\right|[{}\s^_]", "", latex)
    plain = re.sub(r"\\frac", "", plain)
    return len(re.sub(r"\\[A-Za-z]+", "x", plain))


def work_precision(
    runs: Mapping[str, Sequence[tuple[float, float]]], *, cost: str = "steps"
) -> Picture:
    """What accuracy costs: for each method, its runs as pairs (cost, error).

    The lower to the left the better; on double logarithmic axes a method of order p
    falls with the slope -p against the number of steps.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter

    figure = Figure(figsize=(6.4, 4.4), facecolor=PAPER, layout="constrained")
    axes = style_axes(figure.subplots())
    for k, (name, pairs) in enumerate(runs.items()):
        points = _admit_pairs(name, pairs)
        x, y = points[np.argsort(points[:, 0])].T
        axes.loglog(x, y, color=colour(k), marker="o", markersize=4, lw=1.5, label=name)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(cost)
    axes.set_ylabel("error")
    axes.legend(frameon=False, fontsize=9, labelcolor=INK)
    return Picture(figure)


def _admit_pairs(name: str, pairs: Any) -> np.ndarray:
    points = np.array(pairs, dtype=float)
    is_drawable = np.all((points > 0) & np.isfinite(points))
    if points.ndim == 2 and points.shape[1] == 2 and is_drawable:
        return points
    raise ShowError(
        f"the runs of {name!r} cannot be drawn.",
        "On logarithmic axes each is a pair of positive numbers, cost and error.",
        "Give [(steps, error), ...]; leave out what is exact.",
    )
