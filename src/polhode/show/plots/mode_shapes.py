"""Modes as bars: how far each coordinate moves, a panel a mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polhode.show.plots.palette import FAINT, PAPER, colour, style_axes
from polhode.show.plots.picture import Picture

if TYPE_CHECKING:
    from polhode.analyse.linear.modes import Modes

MOST = 6  # panels in a picture


def mode_shapes(modes: Modes) -> Picture:
    """Draw the slowest modes that swing or fall, or drifts where there are none.

    Bars are the real parts of a shape over its largest entry; a complex one is turned
    so that the largest is real.
    """
    from matplotlib.figure import Figure

    moving = np.flatnonzero(modes.eigenvalues != 0)
    shown = (moving if len(moving) else np.arange(len(modes.eigenvalues)))[:MOST]
    count = len(shown)
    size = (6.4, 1.5 * count + 0.6)
    figure = Figure(figsize=size, facecolor=PAPER, layout="constrained")
    panels = figure.subplots(count, 1, squeeze=False, sharex=True)[:, 0]
    for k, panel in zip(shown, panels, strict=True):
        style_axes(panel)
        shape = modes.shapes[k]
        largest = shape[np.argmax(np.abs(shape))]
        heights = np.real(shape / (largest or 1.0))
        panel.bar(modes.names, heights, color=colour(0), width=0.55)
        panel.axhline(0.0, color=FAINT, linewidth=0.8)
        panel.set_ylim(-1.15, 1.15)
        numbers = f"{modes.hertz[k]:.4g} Hz, damping {modes.damping[k]:.3g}"
        words = f"mode {k + 1}: {numbers}"
        panel.set_title(words, fontsize=9.5, loc="left")
    return Picture(figure)
