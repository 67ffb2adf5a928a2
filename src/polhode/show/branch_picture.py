"""Branches of equilibria over their parameter, with folds and bifurcations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

INK, FAINT, FOLD, CROSS = "#2f6f9f", "#8b93a1", "#d1495b", "#c98a1b"


def branch_picture(branches: Any, coordinate: str, path: Any) -> Path:
    """Draw a coordinate of all branches over the parameter.

    Full lines are minima of the potential, dashed ones are not; dots are folds, squares
    are bifurcations.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.0), dpi=100)
    axes = figure.add_axes((0.13, 0.14, 0.84, 0.8))
    for branch in branches:
        p, y, low = branch.parameter, branch[coordinate], branch.falling == 0
        for flags, style, colour in ((low, "-", INK), (~low, "--", FAINT)):
            axes.plot(np.where(flags, p, np.nan), y, style, color=colour, lw=1.6)
        names = branch.system.coordinate_names
        for mark in branch.marks:
            place = mark.state.q[names.index(coordinate)]
            shape, colour = ("o", FOLD) if mark.kind == "fold" else ("s", CROSS)
            axes.plot([mark.parameter], [place], shape, color=colour)
    axes.set_xlabel(branches.name)
    axes.set_ylabel(coordinate)
    where = Path(path)
    where.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(where)
    return where
