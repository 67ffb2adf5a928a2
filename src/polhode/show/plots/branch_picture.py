"""Branches of equilibria over their parameter, with folds and bifurcations."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.analyse.machinery.naming import coordinate_of
from polhode.show.plots.labels import coordinate_label
from polhode.show.plots.palette import FAINT, INK, PAPER, colour, style_axes
from polhode.show.plots.picture import Picture

LOW = {"linestyle": "-", "color": colour(0), "label": "minimum of the potential"}
OTHER = {"linestyle": "--", "color": FAINT, "label": "no minimum"}
MARKS = {"fold": ("o", 1), "bifurcation": ("s", 2)}


def branch_picture(branches: Any, coordinate: str) -> Picture:
    """Draw a coordinate of all branches over the parameter.

    Full lines are minima of the potential, dashed ones are not; dots are folds, squares
    are bifurcations.
    """
    from matplotlib.figure import Figure

    figure = Figure((6.4, 4.0), dpi=100, facecolor=PAPER, layout="constrained")
    axes = style_axes(figure.subplots())
    coordinate_of(branches.system, coordinate)
    for branch in branches:
        place = branch.system.coordinate_names.index(coordinate)
        for points, is_low in _pieces(branch, place):
            style = LOW if is_low else OTHER
            axes.plot(*np.transpose(points), linewidth=1.6, **style)
        for mark in branch.marks:
            shape, k = MARKS[mark.kind]
            at = ([mark.parameter], [mark.state.q[place]])
            axes.plot(*at, shape, color=colour(k), label=mark.kind)
    axes.set_xlabel(branches.name)
    axes.set_ylabel(coordinate_label(branches.system, coordinate))
    title = f"equilibria of {branches.system.name} along {branches.name}"
    axes.set_title(title, fontsize=10.5, loc="left", pad=10)
    _key(axes)
    return Picture(figure)


def _pieces(branch: Any, place: int) -> list[tuple[list[Any], bool]]:
    """Polylines of (parameter, coordinate), minima or not; they meet at marks."""
    points = list(zip(branch.parameter, branch.q[:, place], strict=True))
    low = branch.falling == 0
    found = [([points[0]], bool(low[0]))]
    for k in range(1, len(points)):
        if low[k] != low[k - 1]:
            edge = _edge(branch, place, (points[k - 1], points[k]))
            found[-1][0].append(edge)
            found.append(([edge], bool(low[k])))
        found[-1][0].append(points[k])
    return found


def _edge(branch: Any, place: int, ends: Any) -> Any:
    """Where the curve changes between two points: at the nearest mark, or midway."""
    middle = np.mean(ends, axis=0)
    marks = np.array([(m.parameter, m.state.q[place]) for m in branch.marks])
    if not len(marks):
        return middle
    curve = np.stack([branch.parameter, branch.q[:, place]], axis=1)
    sizes = np.where(np.ptp(curve, axis=0) > 0, np.ptp(curve, axis=0), 1.0)
    gaps = np.linalg.norm((marks - middle) / sizes, axis=1)
    way = np.linalg.norm((np.subtract(*ends)) / sizes)
    return marks[np.argmin(gaps)] if np.min(gaps) <= way else middle


def _key(axes: Any) -> None:
    """One line of the legend for each kind of line or mark."""
    handles, labels = axes.get_legend_handles_labels()
    kinds = dict(zip(labels, handles, strict=True))
    style = {"frameon": False, "fontsize": 8, "labelcolor": INK}
    axes.legend(kinds.values(), kinds.keys(), **style)
