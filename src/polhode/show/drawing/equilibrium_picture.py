"""The bodies of a system where it rests or moves steadily: one state, or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from polhode.analyse.machinery.mode_motion import rows_of
from polhode.errors import ShowError
from polhode.show.drawing import render as drawn
from polhode.show.drawing.snapshot import EXPOSURES, blank, picture, plates
from polhode.show.plots.palette import INK, PAPER
from polhode.show.plots.picture import Picture

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.state import State

MOST = 6
PANEL = (3.2, 2.4)  # inches, in the proportions of one plate


def rest_picture(state: State, words: str) -> Picture:
    """One state, with its system's name and a few words."""
    drawing = drawn.drawing_of(rows_of([state], np.zeros(1)), None, None)
    figure, (axes,), _ = plates([drawing])
    drawn.paint(axes, drawing, 0)
    drawn.shadow(axes, drawing, 0)
    drawn.connections(axes, drawing, 0)
    text = f"{state.system.name}   {words}"
    axes.text(0.02, 0.975, text, color=INK, transform=axes.transAxes, va="top")
    return Picture(figure)


def steady_picture(motion: Trajectory) -> Picture:
    """A third of a steady motion, several times on one plate."""
    first, last = motion.t[[0, -1]]
    return picture(motion, np.linspace(first, first + (last - first) / 3, EXPOSURES))


def rests_picture(states: Sequence[State], words: Sequence[str]) -> Picture:
    """The first few states, each with its number and a word."""
    from matplotlib.figure import Figure

    if not states:
        raise ShowError(
            "there is nothing to draw: no state was found.",
            "Each state is drawn in a panel of its own.",
            "Print the answer: it says why none was found.",
        )
    count = min(len(states), MOST)
    across = min(count, 3)
    down = -(-count // across)
    figure = Figure((PANEL[0] * across, PANEL[1] * down), dpi=100, facecolor=PAPER)
    drawing = drawn.drawing_of(rows_of(states[:count], np.arange(count)), None, None)
    for k in range(count):
        left, low = (k % across) / across, 1 - (k // across + 1) / down
        axes = figure.add_axes((left, low, 1 / across, 1 / down))
        blank(axes, drawing)
        drawn.paint(axes, drawing, k)
        drawn.connections(axes, drawing, k)
        text = f"{k}   {words[k]}"
        axes.text(0.03, 0.97, text, color=INK, transform=axes.transAxes, va="top")
    return Picture(figure)
