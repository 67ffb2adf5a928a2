"""Pictures of many runs: histograms, bands over time, what follows from what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.errors import ShowError
from polhode.show.plots.labels import with_unit
from polhode.show.plots.palette import COLOURS, INK, PAPER, style_axes
from polhode.show.plots.picture import Picture
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.integrate.results.sweep_result import Sweep

BLUE, RED = COLOURS[0], COLOURS[1]
WIDTH, PANEL = 3.5, 2.7  # inches of a panel
MOST = 12  # panels: more are too small to read
CLOUD = 4000  # points; of more, how many lie where is drawn
MARKS = 400  # failures that are marked each
# Quantiles of the bands: 98 %, 90 % and half of the runs.
BANDS = {
    "98 % of the runs": (0.01, 0.99, 0.18),
    "90 %": (0.05, 0.95, 0.3),
    "half": (0.25, 0.75, 0.5),
}


@final
@dataclass(frozen=True)
class Quantity:
    """A number of each run, (runs,) or at each sample (runs, s); its unit."""

    name: str
    values: np.ndarray
    unit: str = ""

    @property
    def last(self) -> np.ndarray:
        """Of each run at its end."""
        return self.values if self.values.ndim == 1 else self.values[:, -1]

    @property
    def label(self) -> str:
        """Its name with its unit."""
        return with_unit(self.name, self.unit)


def quantities(sweep: Sweep) -> dict[str, Quantity]:
    """All that can be drawn: coordinates, 'speed of ...', parameters."""
    system = sweep.system
    units = [u for joint in system.joints for u in joint.units]
    rates = [u for joint in system.joints for u in joint.speed_units]
    found = {}
    for k, name in enumerate(system.coordinate_names):
        found[name] = Quantity(name, sweep.q[:, :, k], units[k])
    for k, name in enumerate(system.speed_names):
        word = f"speed of {name}"
        found[word] = Quantity(word, sweep.z[:, :, k], rates[k])
    for name, values in sweep.parameters.items():
        word = f"parameter {name}" if name in found else name
        found[word] = Quantity(word, values)
    return found


def sweep_picture(
    sweep: Sweep, names: tuple[str, ...] = (), *, against: str | None = None
) -> Picture:
    """A panel for each quantity; runs that failed are marked in red.

    Without `against` histograms of what it is at the end of each run; against "t" its
    median and bands with half, 90 % and 98 % of the runs; against a parameter, a
    coordinate or a speed a cloud of points, one a run.
    """
    known = quantities(sweep)
    chosen = [_known(known, name) for name in names or sweep.system.coordinate_names]
    if len(chosen) > MOST:
        raise ShowError(
            f"{len(chosen)} quantities are too many for one picture.",
            f"It has room for {MOST} panels.",
            "Name those to be drawn: sweep.plot('hinge', 'speed of hinge').",
        )
    draw: Any = _histogram
    if against in ("t", "time"):
        _require_samples(sweep)
        draw = _bands
    elif against is not None:
        draw = _cloud_against(_known(known, against))
    failed = np.zeros(len(sweep), bool)
    failed[sweep.failed] = True
    figure, panels = _figure(len(chosen))
    for axes, own in zip(panels, chosen, strict=True):
        draw(style_axes(axes), sweep, own, failed)
    panels[0].set_title(_title(sweep, failed), fontsize=10, loc="left", pad=10)
    handles, labels = panels[0].get_legend_handles_labels()
    if labels:
        style = {"fontsize": 8, "frameon": False, "labelcolor": INK}
        figure.legend(handles, labels, loc="outside lower right", ncols=4, **style)
    return Picture(figure)


def _histogram(axes: Any, sweep: Sweep, own: Quantity, failed: np.ndarray) -> None:
    values = _finite(own.last[~failed])
    if len(values):
        axes.hist(values, bins=_bins(values), color=BLUE, alpha=0.85)
        middle = {"color": INK, "linewidth": 1.0, "linestyle": "--"}
        axes.axvline(np.median(values), label="median", **middle)
    ends = _finite(own.last[failed])[:MARKS]
    # Where those that failed were at their ends: below the axis, as strokes.
    across = axes.get_xaxis_transform()
    if len(ends):
        style = {"color": RED, "markersize": 7, "clip_on": False, "transform": across}
        (strokes,) = axes.plot(ends, np.full(len(ends), -0.03), "|", **style)
        strokes.set_in_layout(False)
        axes.tick_params(axis="x", pad=10)  # numbers stay clear of the strokes
    axes.set_xlabel(own.label)
    axes.set_ylabel("runs")
    axes.set_ylim(bottom=0)


def _bands(axes: Any, sweep: Sweep, own: Quantity, failed: np.ndarray) -> None:
    if own.values.ndim == 1:
        raise ShowError(
            f"{own.name!r} cannot be drawn over time.",
            "It is one number for a whole run.",
            "Leave against='t' out: its histogram is drawn.",
        )
    whole, times = own.values[~failed], sweep.t[~failed]
    if len(whole):
        # A run that an event has ended stays at its end: it is in no band after that.
        longest = np.argmax(np.abs(times[:, -1] - times[:, 0]))
        t = times[longest]
        whole = np.where(times == t, whole, np.nan)
        for name, (low, high, strength) in BANDS.items():
            edges = np.nanquantile(whole, (low, high), axis=0)
            style = {"color": BLUE, "alpha": strength, "linewidth": 0, "label": name}
            axes.fill_between(t, *edges, **style)
        middle = np.nanmedian(whole, axis=0)
        axes.plot(t, middle, color=INK, linewidth=1.3, label="median")
        axes.margins(x=0)
    marked = np.flatnonzero(failed)[:MARKS]
    axes.plot(sweep.t[marked, -1], own.values[marked, -1], "x", color=RED, markersize=5)
    axes.set_xlabel("time  [s]")
    axes.set_ylabel(own.label)


def _cloud_against(along: Quantity) -> Any:
    def draw(axes: Any, sweep: Sweep, own: Quantity, failed: np.ndarray) -> None:
        x, y = along.last, own.last
        seen = ~failed & np.isfinite(x) & np.isfinite(y)
        if np.count_nonzero(seen) > CLOUD:
            where = {"gridsize": 48, "mincnt": 1, "linewidths": 0.1, "bins": "log"}
            axes.hexbin(x[seen], y[seen], cmap=_shades(), **where)
        else:
            axes.plot(x[seen], y[seen], ".", color=BLUE, markersize=3, alpha=0.6)
        marked = np.flatnonzero(failed)[:MARKS]
        axes.plot(x[marked], y[marked], "x", color=RED, markersize=5)
        axes.set_xlabel(along.label)
        axes.set_ylabel(own.label)

    return draw


def _shades() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("runs", ["#dce8f1", BLUE, INK])


def _figure(count: int) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    across = min(count, 2)
    down = -(-count // across)
    # One panel alone is as wide as two.
    size = (WIDTH * 2, PANEL * down + 0.5)
    figure = Figure(figsize=size, dpi=100, facecolor=PAPER, layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).reshape(-1)
    for axes in panels[count:]:
        axes.set_visible(False)
    return figure, list(panels[:count])


def _title(sweep: Sweep, failed: np.ndarray) -> str:
    title = f"{sweep.system.name}: {len(sweep)} runs to {sweep.until:g} s"
    count = int(np.count_nonzero(failed))
    return f"{title}, {count} failed (red)" if count else title


def _bins(values: np.ndarray) -> int:
    """As many as show the shape: the cube root rule, within reason."""
    return int(np.clip(2 * len(values) ** (1 / 3), 8, 80))


def _finite(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)]


def _known(known: dict[str, Quantity], name: str) -> Quantity:
    if name not in known:
        raise ShowError(
            f"the sweep has no {name!r} to draw.",
            "A run has coordinates, speeds and the parameters that were varied.",
            suggestion(name, list(known)),
        )
    return known[name]


def _require_samples(sweep: Sweep) -> None:
    if sweep.t.shape[1] < 2:
        raise ShowError(
            "the sweep cannot be drawn over time.",
            "Of each run only the last state was kept.",
            "Sweep with samples=100.",
        )
