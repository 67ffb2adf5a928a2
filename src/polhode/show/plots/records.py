"""Pictures of records: measured and found, what is left, and how sure it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.show.plots.answers import finish, panels_of
from polhode.show.plots.palette import FAINT, INK, colour
from polhode.show.plots.picture import Picture

if TYPE_CHECKING:
    from polhode.analyse.sensitivities.identify import Identified

MOST = 4  # columns that are drawn with their record
DOTS: dict[str, Any] = {"marker": "o", "ms": 3, "linestyle": "none"}


def identified_picture(found: Identified) -> Picture:
    """Every column with the motion found in its band, then all residuals.

    The band is two standard deviations of the motion, from those of the parameters;
    that of the residuals is the noise.
    """
    shown = min(len(found.columns), MOST)
    figure, panels = panels_of(shown + 1, 2.1)
    fitted = found.record + found.residuals
    for k in range(shown):
        axes, y, s = panels[k], fitted[:, k], 2 * found.spread[:, k]
        axes.plot(found.times, found.record[:, k], color=FAINT, label="record", **DOTS)
        there = np.isfinite(y)
        style = {"color": colour(k), "linewidth": 1.6, "label": "found"}
        axes.plot(found.times[there], y[there], **style)
        band = {"color": colour(k), "alpha": 0.25, "linewidth": 0, "label": "± 2 s"}
        axes.fill_between(found.times[there], (y - s)[there], (y + s)[there], **band)
        axes.set_ylabel(found.columns[k])
    last = panels[-1]
    for k, row in enumerate(found.residuals.T):
        last.plot(found.times, row, color=colour(k), label=found.columns[k], **DOTS)
    noise = {"color": FAINT, "alpha": 0.2, "label": f"noise, {found.noise:.2g}"}
    last.axhspan(-found.noise, found.noise, **noise)
    last.set_ylabel("found - record")
    last.set_xlabel("time  [s]")
    values = ", ".join(f"{n} = {v:.4g}" for n, v in found.values.items())
    return finish(figure, panels[0], f"{found.motion.system.name}: {values}")


def confidence_picture(found: Identified) -> Picture:
    """Intervals of 95 % by share of each value, and correlations as a square."""
    from matplotlib.figure import Figure

    from polhode.show.plots.palette import PAPER, style_axes

    names = list(found.values)
    height = max(2.8, 0.42 * len(names) + 1.6)
    figure = Figure((7.6, height), dpi=100, facecolor=PAPER, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
    style_axes(left)
    for k, name in enumerate(names):
        low, high = found.interval(name)
        size = abs(found.values[name]) or 1.0
        ends = (np.array([low, high]) - found.values[name]) / size * 100
        if np.all(np.isfinite(ends)):
            left.plot(ends, [k, k], color=colour(0), linewidth=5, solid_capstyle="butt")
        else:
            words = {"fontsize": 8, "color": FAINT, "ha": "center", "va": "center"}
            left.annotate("not told by the record", (0, k), **words)
        left.plot(0, k, "|", color=INK, ms=12)
    left.set_yticks(range(len(names)), names)
    left.set_ylim(len(names) - 0.5, -0.5)
    left.set_xlabel("95 % interval, % of the value")
    left.set_title("confidence", fontsize=10.5, loc="left")
    _correlations(right, found, names)
    return Picture(figure)


def _correlations(axes: Any, found: Identified, names: list[str]) -> None:
    R = found.correlation
    axes.imshow(R, vmin=-1, vmax=1, cmap="RdBu_r")
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=8)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    for i, j in np.ndindex(R.shape):
        ink = "white" if abs(R[i, j]) > 0.6 else INK
        words = {"ha": "center", "va": "center", "fontsize": 8, "color": ink}
        axes.text(j, i, f"{R[i, j]:.2f}", **words)
    axes.set_title("correlation", fontsize=10.5, loc="left")
    axes.tick_params(length=0)
