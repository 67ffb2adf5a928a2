"""What nouns look like in a notebook: tables and formulas, every name escaped."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.show.page.sections import note, table

if TYPE_CHECKING:
    from polhode.formulation.compare import Comparison
    from polhode.formulation.equations import Equations
    from polhode.geometry.rotations.rotation import Rotation
    from polhode.integrate.audit.ledger import Ledger
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System

MANY = 40  # lines of a table; what is more is counted


def system_html(system: System) -> str:
    """Bodies, joints with their coordinates, actions, constraints, parameters."""
    values = system.table()
    bodies = [(b.name, f"{float(b.moments(values)[0]):.6g}") for b in system.bodies]
    joints = [
        (
            joint.name,
            type(joint).__name__,
            f"{joint.first.frame.name} → {joint.second.frame.name}",
            ", ".join(joint.coordinate_names) or "none",
        )
        for joint in system.joints
    ]
    named = {**system.parameters, **system.values}
    numbers = [(name, f"{_number(value):.6g}") for name, value in named.items()]
    return titled(
        repr(system),
        listed(("body", "mass, kg"), bodies),
        listed(("joint", "kind", "between", "coordinates"), joints),
        _words("Acting", [action.name for action in system.actions]),
        _words("Constraints", [each.name for each in system.constraints]),
        _folded("parameters", listed(("parameter", "value"), numbers)),
    )


def equations_html(equations: Equations) -> str:
    """Which form, its velocities and rows; `read()` shows the equations."""
    return titled(
        repr(equations),
        _words("Velocities", list(equations.velocity_names)),
        _words("Rows of constraints", list(equations.row_names)),
        note("M ẏ + b = f + Aᵀ λ, A ẏ = g. Ask read() for them in symbols."),
    )


def trajectory_html(motion: Trajectory) -> str:
    """Where it began and ended, how it was made, and how it ended."""
    system = motion.system
    if not len(motion):
        return titled(repr(motion))
    units = [unit for joint in system.joints for unit in joint.units]
    columns = zip(system.coordinate_names, units, motion.q.T, strict=True)
    lines = [
        (f"{name}, {unit}" if unit not in ("", "1") else name, *_ends(values))
        for name, unit, values in columns
    ]
    heads = ("", f"t = {motion.t[0]:g} s", f"t = {motion.t[-1]:g} s", "least", "most")
    made = f"{len(motion)} rows, {motion.outcome.accepted} steps by {motion.note}."
    return titled(
        f"Motion of {system.name}",
        listed(heads, lines),
        note(made),
        note(str(motion.outcome)),
        _words("Events", [f"{e.name} at {e.t:.6g} s" for e in motion.events]),
    )


def ledger_html(ledger: Ledger) -> str:
    """What must balance: first row, last row, change; and by how much it does not."""
    size = np.linalg.norm
    rows = {
        "kinetic energy, J": ledger.kinetic,
        "potential energy, J": ledger.potential,
        **{f"work of {name}, J": work for name, work in ledger.work.items()},
        "|momentum|, kg m/s": size(ledger.momentum, axis=1),
        "|angular momentum|, kg m²/s": size(ledger.angular_momentum, axis=1),
    }
    lines = [
        (name, f"{v[0]:.6g}", f"{v[-1]:.6g}", f"{v[-1] - v[0]:.6g}")
        for name, v in rows.items()
    ]
    worst = float(np.max(np.abs(ledger.balance)))
    words = f"unaccounted for: {worst:.3g} J at most; promised: {ledger.promise:.3g} J"
    return titled("Ledger", listed(("", "start", "end", "change"), lines), note(words))


def comparison_html(comparison: Comparison) -> str:
    """All forms side by side; those that do not apply say why."""
    heads = ("formulation", "unknowns", "disagreement", "reactions", "motion")
    lines = [
        (
            row.name,
            row.unknowns,
            *map(_gap, (row.disagreement, row.reactions, row.motion)),
        )
        for row in comparison.applied
    ]
    refused = [(row.name, row.reason) for row in comparison.rows if row.reason]
    return titled(
        f"{comparison.system}: all forms agree within {comparison.worst:.1e}",
        listed(heads, lines),
        _folded("does not apply", listed(("formulation", "why"), refused)),
    )


def rotation_html(rotation: Rotation) -> str:
    """The matrix, and the turn that it is; what is tiny is shown as zero."""
    R = np.array(rotation.matrix, dtype=float)
    R = np.where(np.abs(R) < 1e-15, 0.0, R)
    axis, angle = rotation.to_axis_angle()
    along = ", ".join(f"{x:.6g}" for x in np.where(np.abs(axis) < 1e-15, 0.0, axis))
    of = f"{rotation.of.name} seen from {rotation.seen_from.name}"
    return titled(
        f"Rotation of {of}",
        table(("x", "y", "z"), [[f"{x:.6g}" for x in row] for row in R]),
        note(f"{float(angle):.6g} rad about ({along}); columns are the frame's axes."),
    )


def titled(title: str, *parts: str) -> str:
    """Parts, HTML already, below a title."""
    return f"<div><strong>{html.escape(title)}</strong>{''.join(parts)}</div>"


def listed(heads: tuple[str, ...], lines: list[Any]) -> str:
    """A table of the first lines, and how many more there are."""
    if not lines:
        return ""
    more = len(lines) - MANY
    return table(heads, lines[:MANY]) + (note(f"and {more} more") if more > 0 else "")


def _words(what: str, names: list[str]) -> str:
    return note(f"{what}: {', '.join(names)}.") if names else ""


def _folded(title: str, body: str) -> str:
    if not body:
        return ""
    return f"<details><summary>{html.escape(title)}</summary>{body}</details>"


def _ends(values: np.ndarray) -> tuple[str, ...]:
    four = (values[0], values[-1], values.min(), values.max())
    return tuple(f"{value:.6g}" for value in four)


def _gap(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.1e}"


def _number(value: Any) -> float:
    return float(getattr(value, "value", value))
