"""Pictures of searches: how an objective falls, and the inputs that were found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polhode.show.plots.answers import finish, panels_of
from polhode.show.plots.palette import FAINT, colour
from polhode.show.plots.picture import Picture

if TYPE_CHECKING:
    from polhode.analyse.optimisation.optimum import Optimum

LEAST = 1e-12  # a violation of nothing is drawn here


def optimum_picture(found: Optimum) -> Picture:
    """The objective and the violation by iteration, then every input over time."""
    shapes = found.variables.shapes
    count = 1 + bool(found.bounds) + len(shapes)
    figure, panels = panels_of(count, 2.0, is_shared=False)
    k = [now.iteration for now in found.history]
    panels[0].plot(k, [now.value for now in found.history], color=colour(0), lw=1.6)
    panels[0].set_ylabel("objective")
    panels[0].set_xlabel("iteration")
    if found.bounds:
        off = np.maximum([now.violation for now in found.history], LEAST)
        panels[1].semilogy(k, off, color=colour(1), lw=1.6)
        panels[1].set_ylabel("violation, by size")
        panels[1].set_xlabel("iteration")
    for n, (name, shape) in enumerate(shapes.items()):
        axes = panels[count - len(shapes) + n]
        style = {"color": colour(2 + n), "lw": 1.6, "marker": "o", "ms": 4}
        guess = {"color": FAINT, "lw": 1.0, "label": "guess"}
        axes.plot(shape.times, shape.guess, **guess)
        axes.plot(shape.times, found.inputs[name], label="found", **style)
        axes.set_ylabel(name)
        axes.set_xlabel("time  [s]")
    title = (
        f"{found.motion.system.name}: {found.value:.5g} from {found.first_value:.5g}"
    )
    return finish(figure, panels[0], title)
