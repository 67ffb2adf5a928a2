"""Branches of equilibria over their parameter, with folds and bifurcations."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.analyse.naming import coordinate_of
from polhode.show.labels import coordinate_label
from polhode.show.palette import FAINT, INK, PAPER, colour, dressed
from polhode.show.picture import Picture

MARKS = {"fold": ("o", 1), "bifurcation": ("s", 2)}


def branch_picture(branches: Any, coordinate: str) -> Picture:
    """Draw a coordinate of all branches over the parameter.

    Full lines are minima of the potential, dashed ones are not; dots are folds, squares
    are bifurcations.
    """
    from matplotlib.figure import Figure

    figure = Figure((6.4, 4.0), dpi=100, facecolor=PAPER, layout="constrained")
    axes = dressed(figure.subplots())
    coordinate_of(branches.system, coordinate)
    for branch in branches:
        p, y, low = branch.parameter, branch[coordinate], branch.falling == 0
        for flags, style, ink, word in _styles(low):
            there = np.where(flags, p, np.nan)
            axes.plot(there, y, style, color=ink, lw=1.6, label=word)
        names = branch.system.coordinate_names
        for mark in branch.marks:
            place = mark.state.q[names.index(coordinate)]
            shape, k = MARKS[mark.kind]
            axes.plot(
                [mark.parameter], [place], shape, color=colour(k), label=mark.kind
            )
    axes.set_xlabel(branches.name)
    axes.set_ylabel(coordinate_label(branches.system, coordinate))
    title = f"equilibria of {branches.system.name} along {branches.name}"
    axes.set_title(title, fontsize=10.5, loc="left", pad=10)
    _key(axes)
    return Picture(figure)


def _styles(low: np.ndarray) -> list[tuple[np.ndarray, str, str, str]]:
    """How minima are drawn, and how the rest is; only what there is."""
    kinds = [
        (low, "-", colour(0), "minimum of the potential"),
        (~low, "--", FAINT, "no minimum"),
    ]
    return [kind for kind in kinds if np.any(kind[0])]


def _key(axes: Any) -> None:
    """One line of the legend for each kind of line or mark."""
    handles, labels = axes.get_legend_handles_labels()
    kinds = dict(zip(labels, handles, strict=True))
    style = {"frameon": False, "fontsize": 8, "labelcolor": INK}
    axes.legend(kinds.values(), kinds.keys(), **style)
