"""Pictures of answers: spectra, responses, sweeps, reactions, sensitivities, and more.

Every answer of the room `analyse` draws itself by one of these; each gives a `Picture`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.answer_table import ROUNDING
from polhode.errors import AnalysisError
from polhode.show.plots.labels import coordinate_label
from polhode.show.plots.palette import FAINT, INK, PAPER, colour, style_axes
from polhode.show.plots.picture import Picture
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.analyse.conserved import Conserved
    from polhode.analyse.equilibria.equilibrium_sweep import EquilibriumSweep
    from polhode.analyse.equilibria.rest_sensitivity import RestSensitivity
    from polhode.analyse.integrability import Integrability
    from polhode.analyse.linear.linear_along import LinearAlong
    from polhode.analyse.linear.margins import LimitMargins
    from polhode.analyse.linear.state_space import Transfer
    from polhode.analyse.machinery.leaves import PositionIntegrals
    from polhode.analyse.machinery.second_variation import SecondVariation
    from polhode.analyse.reactions import ReactionTable
    from polhode.analyse.sensitivities.gradient import Gradient
    from polhode.analyse.sensitivities.identifiable import Identifiable
    from polhode.analyse.sensitivities.sensitivity import Sensitivity
    from polhode.analyse.sensitivities.uncertainty import Uncertainty
    from polhode.integrate.results.trajectory import Trajectory

SMALLEST = 1e-17  # a change of nothing is drawn here
MOST = 6  # panels


def spectrum_picture(values: Any, title: str, zeros: Any = ()) -> Picture:
    """Eigenvalues or poles as crosses in the plane, zeros as rings; stable is left."""
    figure, (axes,) = panels_of(1, 4.4)
    s, o = np.asarray(values, complex), np.asarray(zeros, complex)
    axes.axvline(0.0, color=FAINT, linewidth=1.0)
    axes.axhline(0.0, color=FAINT, linewidth=1.0)
    noise = 1e-10 * np.max(np.abs(s), initial=0.0)
    s = np.where(np.abs(s.real) > noise, s, 1j * s.imag)
    grows = s.real > 1e-8 * np.abs(s)
    for flags, k, word in ((~grows, 0, "lasts or dies out"), (grows, 1, "grows")):
        if np.any(flags):
            x = (s.real[flags], s.imag[flags])
            axes.plot(*x, "x", color=colour(k), ms=8, mew=2, label=word)
    if len(o):
        axes.plot(o.real, o.imag, "o", color=colour(2), mfc="none", ms=8, label="zeros")
    axes.margins(0.15)
    _widened(axes, max(np.max(np.abs(s), initial=0.0), np.max(np.abs(o), initial=0.0)))
    axes.set_xlabel("real part  [1/s]")
    axes.set_ylabel("imaginary part  [rad/s]")
    return finish(figure, axes, title)


def transfer_picture(transfer: Transfer) -> Picture:
    """Poles as crosses, zeros as rings."""
    return spectrum_picture(transfer.poles, "poles and zeros", transfer.zeros)


def sweep_picture(sweep: EquilibriumSweep, coordinates: Sequence[str]) -> Picture:
    """Coordinates of rest over the first parameter that changes."""
    names = tuple(coordinates) or sweep.system.coordinate_names[:MOST]
    figure, panels = panels_of(len(names), 1.9)
    moving = [n for n, v in sweep.parameters.items() if np.ptp(v) > 0]
    along = (moving or list(sweep.parameters))[0]
    p = sweep.parameters[along]
    order = np.argsort(p, kind="stable")
    for k, (name, axes) in enumerate(zip(names, panels, strict=True)):
        style = {"marker": "o", "ms": 3} if len(p) < 40 else {}
        axes.plot(p[order], sweep[name][order], color=colour(k), lw=1.6, **style)
        axes.set_ylabel(coordinate_label(sweep.system, name))
    panels[-1].set_xlabel(along)
    return finish(figure, panels[0], f"equilibria of {sweep.system.name}")


def reaction_picture(table: ReactionTable, names: Sequence[str]) -> Picture:
    """Components of force and couple along the motion, a panel each.

    What is nothing all along is left out, unless all is.
    """
    for name in names:
        if name not in table.names:
            raise AnalysisError(
                f"the table has no reaction of {name!r}.",
                "It holds those of joints and constraints, by their names.",
                f"{suggestion(name, table.names)}",
            )
    chosen = tuple(names) or table.names[: MOST // 2]
    parts = [
        part
        for name in chosen
        for part in (
            (name, "force  [N]", table.forces[name], 0.0),
            (name, "couple  [N m]", table.torques[name], table.lever),
        )
    ]
    cleared = [
        (name, word, np.where(np.abs(rows) > ROUNDING * size, rows, 0.0))
        for name, word, rows, size in parts
    ]
    shown = [each for each in cleared if np.any(each[2])] or cleared[:1]
    figure, panels = panels_of(len(shown), 1.8)
    for axes, (name, word, rows) in zip(panels, shown, strict=True):
        for k, axis in enumerate("xyz"):
            label = f"{axis} of {table.axes}"
            axes.plot(table.t, rows[:, k], color=colour(k), lw=1.5, label=label)
        axes.set_ylabel(f"{name}\n{word}", fontsize=9)
    panels[-1].set_xlabel("time  [s]")
    return finish(figure, panels[0], f"reactions of {table.motion.system.name}")


def margin_picture(found: LimitMargins) -> Picture:
    """Margins of coordinates along a motion; a limit is at zero."""
    figure, (axes,) = panels_of(1, 3.2)
    for k, (name, margin) in enumerate(found.margins.items()):
        axes.plot(found.motion.t, margin, color=colour(k), linewidth=1.5, label=name)
    axes.axhline(0.0, color=FAINT, linewidth=1.0)
    axes.set_xlabel("time  [s]")
    axes.set_ylabel("to the nearer limit  [rad or m]")
    return finish(figure, axes, f"margins of {found.motion.system.name}")


def conserved_picture(conserved: Conserved, motion: Trajectory) -> Picture:
    """How far a motion has changed what it should keep, of its largest size."""
    figure, (axes,) = panels_of(1, 3.4)
    for k, (name, value) in enumerate(conserved.along(motion).items()):
        size = np.max(np.abs(value)) or 1.0
        gap = np.maximum(np.abs(value - value[0]) / size, SMALLEST)[1:]
        axes.semilogy(motion.t[1:], gap, color=colour(k), linewidth=1.4, label=name)
    axes.set_xlabel("time  [s]")
    axes.set_ylabel("change, of its largest size")
    return finish(figure, axes, f"what {motion.system.name} should keep")


def sensitivity_picture(found: Sensitivity, columns: Sequence[str]) -> Picture:
    """Derivatives of the coordinates over time, a panel for each column."""
    asked = tuple(columns) or found.columns[:MOST]
    figure, panels = panels_of(len(asked), 1.8)
    names = found.motion.system.coordinate_names
    for column, axes in zip(asked, panels, strict=True):
        rows = found[column]
        for k, name in enumerate(names[:MOST]):
            label = coordinate_label(found.motion.system, name)
            axes.plot(found.t, rows[:, k], color=colour(k), linewidth=1.5, label=label)
        axes.set_ylabel(f"d / d {column}", fontsize=9)
    panels[-1].set_xlabel("time  [s]")
    title = f"sensitivity of {found.motion.system.name}"
    return finish(figure, panels[0], title)


def uncertainty_picture(found: Uncertainty, names: Sequence[str]) -> Picture:
    """Means over time, in bands of two standard deviations, a panel each."""
    system = found.motion.system
    asked = tuple(names) or system.coordinate_names[:MOST]
    figure, panels = panels_of(len(asked), 1.9)
    for k, (name, axes) in enumerate(zip(asked, panels, strict=True)):
        mean, two = found.mean[:, found.place(name)], 2 * found[name]
        band = {"color": colour(k), "alpha": 0.22, "linewidth": 0, "label": "± 2 s"}
        axes.fill_between(found.t, mean - two, mean + two, **band)
        axes.plot(found.t, mean, color=colour(k), linewidth=1.5, label="mean")
        is_place = name in system.coordinate_names
        axes.set_ylabel(coordinate_label(system, name) if is_place else name)
    panels[-1].set_xlabel("time  [s]")
    return finish(figure, panels[0], f"{system.name}, {found.how}")


def rest_picture(found: RestSensitivity) -> Picture:
    """How each frequency changes with each parameter, as bars."""
    groups = [f"{w:.4g} rad/s" for w in found.frequencies]
    slopes, title = found.frequency_slopes, f"frequencies of {found.system.name}"
    labels = [f"d / d {name}" for name in found.names]
    return bars_picture(
        groups, slopes.T, title, labels, along="change, rad/s a unit of the parameter"
    )


def gradient_picture(found: Gradient) -> Picture:
    """Every derivative as a bar."""
    names, values = [f"d / d {name}" for name in found.all], [*found.all.values()]
    title = f"gradient of {found.value:.6g}, {found.motion.system.name}"
    return bars_picture(names, values, title, along="derivative, in SI units")


def identifiable_picture(found: Identifiable) -> Picture:
    """How strongly the motion determines each combination; rounding is drawn as 0."""
    count = len(found.names) - len(found.blind)
    values = np.where(np.arange(len(found.values)) < count, found.values, 0.0)
    names = [f"combination {k + 1}" for k in range(len(values))]
    title = f"{count} of {len(names)} combinations are determined by the motion"
    return bars_picture(names, values, title, along="singular value of the regressor")


def curvature_picture(found: SecondVariation) -> Picture:
    """The energy's curvatures, by size; those of being carried along are zero."""
    values = np.sort(found.curvatures)
    names = [f"direction {k + 1}" for k in range(len(values))]
    word = "a minimum" if found.is_minimum else f"falls in {found.negative} directions"
    title = f"energy among motions with the same momenta: {word}"
    return bars_picture(names, values, title, along="curvature, by the system's scales")


def leaf_picture(found: PositionIntegrals, motion: Trajectory) -> Picture:
    """Functions of the place along a motion."""
    figure, (axes,) = panels_of(1, 3.2)
    times, values = found.along_motion(motion)
    for k, (name, line) in enumerate(zip(found.names, values.T, strict=True)):
        axes.plot(times, line, color=colour(k), linewidth=1.5, label=f"pi of {name}")
    axes.set_xlabel("time  [s]")
    axes.set_ylabel("function of the place")
    return finish(figure, axes, f"what the rows of {found.system.name} keep")


def bars_picture(
    names: Sequence[str],
    values: Any,
    title: str,
    labels: Sequence[str] = ("",),
    *,
    along: str,
) -> Picture:
    """Bars (groups,) or (labels, groups), from left to right."""
    rows = np.atleast_2d(np.asarray(values, float))
    height = 0.28 * rows.size + 1.4
    figure, (axes,) = panels_of(1, height)
    width = 0.8 / max(len(rows), 1)
    places = np.arange(len(names))
    for k, (row, label) in enumerate(zip(rows, labels, strict=True)):
        at = places + (k - (len(rows) - 1) / 2) * width
        axes.barh(at, row, height=0.9 * width, color=colour(k), label=label or None)
    axes.axvline(0.0, color=FAINT, linewidth=1.0)
    axes.set_yticks(places, names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel(along)
    return finish(figure, axes, title)


def along_picture(found: LinearAlong) -> Picture:
    """Real parts of the eigenvalues of A(t) along the motion."""
    figure, (axes,) = panels_of(1, 3.2)
    real = np.sort(np.linalg.eigvals(found.A).real, axis=1)
    for line in real.T:
        axes.plot(found.t, line, color=colour(0), linewidth=1.3)
    axes.axhline(0.0, color=FAINT, linewidth=1.0)
    axes.set_xlabel("time  [s]")
    axes.set_ylabel("real parts of eigenvalues  [1/s]")
    title = f"A(t) along a motion of {found.motion.system.name}: above zero, it grows"
    return finish(figure, axes, title)


def integrability_picture(found: Integrability) -> Picture:
    """What each row sees of brackets, and how many directions these reach."""
    from matplotlib.ticker import MaxNLocator

    figure, (rows, reach) = panels_of(2, 0.2 * len(found.rows) + 1.8, is_shared=False)
    rows.set_ylim(-0.8, len(found.rows) - 0.2)
    largest = np.max(np.abs(found.curvature), axis=0, initial=0.0)
    rows.barh(found.rows, largest, color=colour(1), height=0.5)
    rows.set_xlabel("curvature")
    levels = np.arange(1, len(found.growth) + 1)
    reach.step(levels, found.growth, where="mid", color=colour(0), lw=1.8, marker="o")
    speeds = found.state.system.speeds
    reach.axhline(speeds, color=FAINT, linestyle=":", label=f"all {speeds}")
    for axis in (reach.xaxis, reach.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    reach.set_xlabel("brackets deep")
    reach.set_ylabel("directions reached")
    return finish(figure, rows, found.verdict)


def _widened(axes: Any, largest: float) -> None:
    """Both sides of the axis in sight, and not on a scale of rounding errors."""
    left, right = axes.get_xlim()
    least = 0.1 * largest or 1.0
    axes.set_xlim(min(left, -least), max(right, least))


def panels_of(
    count: int, height: float, is_shared: bool = True
) -> tuple[Any, list[Any]]:
    """A figure with panels below each other, each `height` inches."""
    from matplotlib.figure import Figure

    size = (6.8, height * count + 0.7)
    figure = Figure(figsize=size, dpi=100, facecolor=PAPER, layout="constrained")
    panels = figure.subplots(count, 1, sharex=is_shared, squeeze=False)[:, 0]
    return figure, [style_axes(axes) for axes in panels]


def finish(figure: Any, first: Any, title: str) -> Picture:
    """A title above all, and a legend in every panel that has several lines.

    Where all panels have the same lines there is one legend, above the first.
    """
    first.set_title(title, fontsize=10.5, loc="left", pad=10)
    legends = [axes.get_legend_handles_labels() for axes in figure.axes]
    if len(legends) > 1 and all(labels == legends[0][1] for _, labels in legends):
        legend_above(first, *legends[0])
        return Picture(figure)
    for axes, (handles, labels) in zip(figure.axes, legends, strict=True):
        if labels:
            style = {"facecolor": PAPER, "edgecolor": "none", "framealpha": 0.8}
            axes.legend(handles, labels, fontsize=8, labelcolor=INK, **style)
    return Picture(figure)


def legend_above(axes: Any, handles: Any, labels: Any) -> None:
    """One row of lines at the upper right of a panel, outside of it."""
    if labels:
        axes.legend(
            handles,
            labels,
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=len(labels),
            frameon=False,
            fontsize=8.5,
            labelcolor=INK,
            handlelength=1.4,
            borderaxespad=0.1,
        )
