"""Plots of a motion: quantities by name against time, or against one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import ShowError
from polhode.show.plots.labels import with_unit
from polhode.show.plots.palette import ARROWS, FAINT, INK, PAPER, colour, style_axes
from polhode.show.plots.picture import Picture
from polhode.show.plots.quantities import (
    WHOLE,
    Series,
    in_degrees,
    series_of,
    smooth,
)

if TYPE_CHECKING:
    from polhode.integrate.results.quantity import Quantity
    from polhode.integrate.results.trajectory import Trajectory

WIDTH, PANEL = 6.8, 2.5  # inches
MANY = 12  # marks of events; more would be a wall
NOTHING = 1e-14  # rad, m or so: less is rounding
ROUNDING = 1e-12  # of the largest value: a line that moves less is drawn level


def plot(
    motion: Trajectory,
    names: tuple[str | Quantity, ...],
    against: str = "t",
    *,
    degrees: bool = False,
) -> Picture:
    """A panel for each unit, with labels and units; see `quantities` for the names.

    Without names, the coordinates of all joints. Against another quantity it is a
    curve: `motion.plot("hinge.speed", against="hinge")` is a phase portrait.
    """
    _require_rows(motion)
    asked = names or tuple(j.name for j in motion.system.joints if j.coordinates)
    fine = smooth(motion)
    lines = [
        line
        for name in dict.fromkeys(asked)
        for line in series_of(motion if name in WHOLE else fine, name)
    ]
    if degrees:
        lines = [in_degrees(line) for line in lines]
    if against in ("t", "time"):
        return _histories(motion, lines)
    along = _only(series_of(fine, against), against)
    along = in_degrees(along) if degrees else along
    return portrait(lines, along, motion.system.name)


def portrait(lines: list[Series], along: Series, title: str) -> Picture:
    """Curves of some quantities against one other."""
    figure = _figure(1, height=4.8)
    axes = style_axes(figure.subplots())
    for k, line in enumerate(lines):
        if line.values.shape != along.values.shape:
            raise ShowError(
                f"{line.label!r} cannot be drawn against {along.label!r}.",
                "They are known at different times.",
                "Draw each against time.",
            )
        axes.plot(along.values, line.values, color=colour(k), linewidth=1.6)
        axes.plot(
            *(along.values[0], line.values[0]),
            marker="o",
            color=PAPER,
            markeredgecolor=colour(k),
            markeredgewidth=1.6,
            label=line.label,
        )
    axes.set_xlabel(with_unit(along.label, along.unit))
    axes.set_ylabel(with_unit(_common_label(lines), lines[0].unit))
    if along.unit == "m" and all(line.unit == "m" for line in lines):
        axes.set_aspect("equal", adjustable="datalim")
    _legend(axes, lines)
    axes.set_title(title, fontsize=10.5, loc="left", pad=10)
    return Picture(figure)


def _histories(motion: Trajectory, lines: list[Series]) -> Picture:
    groups: dict[tuple[str, str], list[Series]] = {}
    for line in lines:
        groups.setdefault((line.unit, line.panel), []).append(line)
    figure = _figure(len(groups))
    panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    largest = max((_size(line.values) for line in lines), default=0.0)
    for axes, group in zip(panels, groups.values(), strict=True):
        style_axes(axes)
        for k, line in enumerate(group):
            axes.plot(line.t, line.values, color=colour(k), lw=1.6, label=line.label)
        axes.set_ylabel(with_unit(_common_label(group), group[0].unit))
        _level(axes, group, largest)
        _legend(axes, group)
        for time in _marks(motion):
            axes.axvline(time, color=FAINT, linewidth=0.8, linestyle=":")
        _mark_impacts(axes, motion)
        axes.margins(x=0)
    panels[0].set_title(motion.system.name, fontsize=10.5, loc="left", pad=10)
    panels[-1].set_xlabel("time  [s]")
    figure.align_ylabels(panels)
    return Picture(figure)


def _figure(panels: int, height: float | None = None) -> Any:
    from matplotlib.figure import Figure

    size = (WIDTH, height or PANEL * panels + 0.7)
    return Figure(figsize=size, dpi=100, facecolor=PAPER, layout="constrained")


def _common_label(group: list[Series]) -> str:
    """One word for all lines of a panel: the label, or what labels have in common."""
    if len(group) == 1:
        return group[0].label
    if stem := _stem(group):
        return stem
    last = {line.label.rpartition(" ")[2] for line in group}
    if len(last) == 1:
        return last.pop()
    return "energy" if group[0].unit == "J" else ""


def _stem(group: list[Series]) -> str:
    """`force of hinge` of `force of hinge, x` and its like; else nothing."""
    stems = {line.label.rpartition(",")[0] for line in group}
    return stems.pop() if len(stems) == 1 else ""


def _legend(axes: Any, group: list[Series]) -> None:
    if len(group) < 2:
        return
    # What the axis says already is not said again.
    said = len(_stem(group)) + 1 if _stem(group) else 0
    lines, words = axes.get_legend_handles_labels()
    axes.legend(
        lines,
        [word[said:].strip() for word in words],
        # At the right: the title and the power of ten of the axis are at the left.
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=min(len(group), 4),
        frameon=False,
        fontsize=8.5,
        labelcolor=INK,
        handlelength=1.4,
        columnspacing=1.2,
        borderaxespad=0.1,
    )


def _level(axes: Any, group: list[Series], largest: float) -> None:
    """A quantity that does not change is a level line, not a graph of rounding.

    So is one that is nothing beside the others of the picture, and one that is less
    than what doubles tell of a radian or a metre.
    """
    values = np.concatenate([line.values for line in group])
    values = values[np.isfinite(values)]
    size = _size(values)
    if any(line.panel == "balance" for line in group) or not size:
        return
    if size <= ROUNDING * max(largest, NOTHING / ROUNDING):
        axes.set_ylim(-1.0, 1.0)
    elif np.ptp(values) <= ROUNDING * size:
        axes.set_ylim(values[0] - 0.1 * size, values[0] + 0.1 * size)


def _size(values: np.ndarray) -> float:
    """The largest of what is finite."""
    return float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))


def _marks(motion: Trajectory) -> list[float]:
    times = [float(event.t) for event in motion.events]
    return times if len(times) <= MANY else []


def _mark_impacts(axes: Any, motion: Trajectory) -> None:
    """A short stroke on the time axis for every impact."""
    hits = sorted({hit.t for hit in motion.contacts.impacts})
    if hits:
        place = {"transform": axes.get_xaxis_transform(), "clip_on": False}
        axes.plot(hits, np.zeros(len(hits)), ls="", marker="|", ms=9, mew=1.2,
                  color=ARROWS["force"], label="_impacts", **place)  # fmt: skip


def _only(found: list[Series], name: str) -> Series:
    if len(found) == 1:
        return found[0]
    raise ShowError(
        f"nothing can be drawn against {name!r}: it is {len(found)} quantities.",
        f"They are {', '.join(line.label for line in found)}.",
        "Name one of them.",
    )


def _require_rows(motion: Trajectory) -> None:
    if len(motion):
        return
    raise ShowError(
        f"the motion of {motion.system.name!r} has no row to plot.",
        "It ended before it began.",
        "Read motion.outcome: it says why.",
    )
