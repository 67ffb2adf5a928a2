"""Modes as bars: how far each coordinate moves, a panel a mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from polhode.analyse.modes import Modes

MOST = 6  # panels in a picture


def mode_shapes(modes: Modes, axes: Any = None) -> Any:
    """Draw the slowest modes; a matplotlib figure.

    Bars are the real parts of a shape over its largest entry; a complex one is turned
    so that the largest is real. `axes` are panels to draw in, one a mode.
    """
    from matplotlib.figure import Figure

    count = min(MOST, len(modes.eigenvalues))
    if axes is None:
        figure = Figure(figsize=(6.4, 1.5 * count + 0.6), layout="constrained")
        axes = figure.subplots(count, 1, squeeze=False)[:, 0]
    panels = np.atleast_1d(axes)
    for k, panel in enumerate(panels[:count]):
        shape = modes.shapes[k]
        largest = shape[np.argmax(np.abs(shape))]
        panel.bar(modes.names, np.real(shape / (largest or 1.0)), color="#2f6f9f")
        panel.axhline(0.0, color="#8b93a1", linewidth=0.6)
        panel.set_ylim(-1.15, 1.15)
        words = f"{modes.hertz[k]:.4g} Hz, damping {modes.damping[k]:.3g}"
        panel.set_title(words, fontsize=9, loc="left")
    return panels[0].figure
