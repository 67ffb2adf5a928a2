"""Matrices as squares: the parts of linear equations of motion, a panel each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.show.plots.palette import INK, PAPER, colour
from polhode.show.plots.picture import Picture

if TYPE_CHECKING:
    from polhode.analyse.machinery.parts import Parts

READABLE = 6  # coordinates up to which entries are written as numbers


def parts_picture(parts: Parts) -> Picture:
    """Mass, damping, gyroscopic, stiffness, circulatory: those that there are.

    Blue is positive, red negative, the strongest colour the largest entry.
    """
    from matplotlib.figure import Figure

    words = {part: word for part, word in parts.words().items() if word != "none"}
    wide = 2.6 * len(words) + 0.6
    figure = Figure((wide, 3.1), dpi=100, facecolor=PAPER, layout="constrained")
    panels = figure.subplots(1, len(words), squeeze=False)[0]
    for axes, (part, word) in zip(panels, words.items(), strict=True):
        _squares(axes, getattr(parts, part), parts.names)
        axes.set_title(f"{part}\n{word}", fontsize=9.5, color=INK)
    return Picture(figure)


def _squares(axes: Any, matrix: np.ndarray, names: tuple[str, ...]) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    largest = float(np.max(np.abs(matrix))) or 1.0
    inks = LinearSegmentedColormap.from_list("", [colour(1), PAPER, colour(0)])
    axes.imshow(matrix, cmap=inks, vmin=-1.6 * largest, vmax=1.6 * largest)
    places = np.arange(len(names))
    axes.set_xticks(places, names, rotation=35, ha="right", fontsize=8, color=INK)
    axes.set_yticks(places, names, fontsize=8, color=INK)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    if len(names) > READABLE:
        return
    for (i, k), value in np.ndenumerate(matrix):
        text = f"{value:.3g}" if abs(value) > 1e-12 * largest else "0"
        axes.text(k, i, text, ha="center", va="center", fontsize=8, color=INK)
