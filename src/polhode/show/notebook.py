"""What nouns look like in a notebook: tables and formulas, every name escaped."""

from __future__ import annotations

import html
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.show.page.mathml import mathml
from polhode.show.page.sections import note, table

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.formulation.reading.read import Reading
    from polhode.geometry.rotations.rotation import Rotation
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System


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
        table(("body", "mass, kg"), bodies),
        table(("joint", "kind", "between", "coordinates"), joints),
        _words("Acting", [action.name for action in system.actions]),
        _words("Constraints", [each.name for each in system.constraints]),
        _fold("parameters", table(("parameter", "value"), numbers)),
    )


def show(
    motion: Trajectory,
    *,
    frames: int | None = None,
    browser: bool | None = None,
    wait: bool | None = None,
    follow: Any = None,
    axes: str = "world",
    theme: str | None = None,
    beside: Trajectory | None = None,
) -> Any:
    """A replay: inline where a notebook runs this, else the live viewer.

    Inline it is the offline page without equations, which stays in the notebook's file.
    `follow`, `axes` and `theme` are those of both; `browser` and `wait` are the
    viewer's: one of them given asks for the viewer.
    """
    seen: dict[str, Any] = {"frames": frames, "follow": follow, "axes": axes}
    if in_notebook() and browser is None and wait is None:
        from polhode.show.page.page import page

        bare: dict[str, Any] = {"equations": False, "compare": False}
        return page(motion, **seen, **bare, theme=theme, beside=beside)
    from polhode.show.live.viewer import show as live

    return live(
        motion,
        **seen,
        browser=True if browser is None else browser,
        wait=bool(wait),
        theme=theme or "light",
        beside=beside,
    )


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this: a terminal has no kernel."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return getattr(running, "kernel", None) is not None


def reading_html(reading: Reading) -> str:
    """Equations as MathML: a notebook without the net shows them, not LaTeX."""
    lines = [each.replace("&", "") for each in reading.equation_lines()]
    return titled(reading.name, *(f"<div>{mathml(line)}</div>" for line in lines))


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
        table(heads, lines),
        note(made),
        note(str(motion.outcome)),
        _words("Events", [f"{e.name} at {e.t:.6g} s" for e in motion.events]),
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


def _words(what: str, names: list[str]) -> str:
    return note(f"{what}: {', '.join(names)}.") if names else ""


def _fold(title: str, body: str) -> str:
    if not body:
        return ""
    return f"<details><summary>{html.escape(title)}</summary>{body}</details>"


def _ends(values: np.ndarray) -> tuple[str, ...]:
    four = (values[0], values[-1], values.min(), values.max())
    return tuple(f"{value:.6g}" for value in four)


def _number(value: Any) -> float:
    return float(getattr(value, "value", value))
