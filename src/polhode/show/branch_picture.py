"""Branches of equilibria over their parameter, with folds and bifurcations."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.show.palette import FAINT, PAPER, colour, dressed
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
    for branch in branches:
        p, y, low = branch.parameter, branch[coordinate], branch.falling == 0
        for flags, style, ink in ((low, "-", colour(0)), (~low, "--", FAINT)):
            axes.plot(np.where(flags, p, np.nan), y, style, color=ink, lw=1.6)
        names = branch.system.coordinate_names
        for mark in branch.marks:
            place = mark.state.q[names.index(coordinate)]
            shape, k = MARKS[mark.kind]
            axes.plot([mark.parameter], [place], shape, color=colour(k))
    axes.set_xlabel(branches.name)
    axes.set_ylabel(coordinate)
    axes.set_title(branches.system.name, fontsize=10.5, loc="left", pad=10)
    return Picture(figure)
