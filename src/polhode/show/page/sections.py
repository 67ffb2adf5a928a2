"""The written parts of a page: equations, ledger, comparison, model, provenance."""

from __future__ import annotations

import html
import platform
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.answer_table import AnswerTable
from polhode.answer_table import note_html as note
from polhode.errors import (
    IntegrationError,
    NumericalWarning,
)
from polhode.formulation.compare import Comparison, compare
from polhode.integrate.storage.header import digest, header_of, text_of
from polhode.show.page.equation_lines import FEW, written_equations
from polhode.show.page.mathml import mathml

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.show.drawing.scene import Scene
    from polhode.system.system import System

COMPARABLE = 12  # speeds beyond which forms are compared only when they are asked for


def section(title: str, body: str, kind: str = "") -> str:
    """A card of the page; `body` is HTML already."""
    return (
        f'<section class="card {kind}"><h2>{html.escape(title)}</h2>{body}</section>\n'
    )


def table(heads: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """A table; everything in it is escaped."""
    return AnswerTable("", heads, lines).grid_html(most=len(lines))


# --------------------------------------------------------------------- equations


def equations_section(motion: Trajectory, asked: Any) -> str:
    """The equations as MathML: those integrated, or given, or a reading of them."""
    if asked is False or asked is None:
        return ""
    source = None if asked is True else asked
    form = motion.equations if motion.system.speeds <= FEW else None
    formulas, words = written_equations(motion.system, source, form=form)
    body = "".join(f'<div class="equation">{mathml(each)}</div>' for each in formulas)
    return section("Equations of motion", body + note(words), "wide")


# ------------------------------------------------------------------------ ledger


def ledger_section(motion: Trajectory) -> str:
    """What must balance: first row, last row, change."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumericalWarning)  # the page says it itself
            ledger = motion.ledger()
    except IntegrationError as refusal:
        return section("Ledger", note(f"{refusal.what} {refusal.why}"))
    size = np.linalg.norm
    lines = [
        _line("kinetic energy, J", ledger.kinetic),
        _line("potential energy, J", ledger.potential),
        *(_line(f"work of {name}, J", work) for name, work in ledger.work.items()),
        _line("|momentum|, kg m/s", size(ledger.momentum, axis=1)),
        _line("|angular momentum|, kg m²/s", size(ledger.angular_momentum, axis=1)),
    ]
    worst = float(np.max(np.abs(ledger.balance)))
    balanced = worst <= max(ledger.promise, 1e-12 * ledger.scale)
    verdict = "balances" if balanced else "is out of balance"
    words = (
        f"The energy {verdict}: at most {worst:.2g} J of {ledger.scale:.4g} J that move"
        f" are unaccounted for; {ledger.promise:.2g} J are promised."
    )
    kind = "good" if balanced else "bad"
    verdict = f'<p class="{kind}">{html.escape(words)}</p>'
    steps = f"{ledger.accepted} steps accepted, {ledger.rejected} rejected."
    if np.any(ledger.constraint_violation) or np.any(ledger.velocity_miss):
        steps += (
            f" Constraints are kept to {ledger.constraint_violation.max():.2g} in"
            " position"
            f" and {ledger.velocity_miss.max():.2g} in velocity."
        )
    body = table(("", "start", "end", "change"), lines) + verdict + note(steps)
    return section("Ledger", body)


def _line(name: str, values: Any) -> tuple[str, ...]:
    a, b = float(values[0]), float(values[-1])
    return name, f"{a:.6g}", f"{b:.6g}", f"{b - a:.3g}"


# -------------------------------------------------------------------- comparison


def comparison_section(system: System, asked: Any) -> str:
    """All forms side by side: a table given, or made within so many operations."""
    title = "All formulations, side by side"
    if asked is None or asked == 0:  # False, too
        return ""
    is_short = not isinstance(asked, bool | Comparison) and np.isfinite(asked)
    if is_short and system.speeds > COMPARABLE:
        words = f"Not made: the forms of {system.speeds} equations take long to derive."
        return section(title, note(f"{words} motion.page(path, compare=True) waits."))
    comparison = asked if isinstance(asked, Comparison) else _compared(system, asked)
    heads = ("formulation", "unknowns", "disagreement", "after a motion", "operations")
    lines = [
        (
            row.name,
            row.unknowns,
            f"{row.disagreement:.1e}",
            "–" if np.isnan(row.motion) else f"{row.motion:.1e}",
            row.operations,
        )
        for row in comparison.applied
    ]
    refused = [row.name for row in comparison.rows if row.reason]
    which = "These" if comparison.left_out else "All"
    words = f"{which} forms agree within {comparison.worst:.1e}."
    if len(lines) == 1 and comparison.left_out:
        words = "One form was made."
    if refused:
        words += f" Not for this system: {', '.join(refused)}."
    if comparison.left_out:
        words += f" Not made, as too many operations: {', '.join(comparison.left_out)}."
    return section(title, table(heads, lines) + note(words))


def _compared(system: System, asked: Any) -> Any:
    """A comparison of the system, made once; a whole one serves for a short one."""
    known = system.compiled.get("comparison")
    operations = np.inf if asked is True else float(asked)
    if known is None or (known.left_out and operations == np.inf):
        known = system.compiled["comparison"] = compare(system, operations=operations)
    return known


# ------------------------------------------------------------- model, provenance


def model_section(system: System, scene: Scene) -> str:
    """Bodies, joints, what acts and what constrains, and the parameters."""
    bodies = [(b.name, f"{b.mass:.6g}", _three(b.centre)) for b in scene.bodies]
    joints = [
        (
            joint.name,
            type(joint).__name__,
            joint.first.frame.name,
            joint.second.frame.name,
        )
        for joint in system.joints
    ]
    body = table(("body", "mass, kg", "mass centre, m"), bodies)
    body += "<br>" + table(("joint", "kind", "from", "to"), joints)
    acting = [action.name for action in system.actions]
    held = [constraint.name for constraint in system.constraints]
    body += note(f"Acting: {', '.join(acting) or 'nothing'}.")
    body += note(f"Constraints: {', '.join(held)}.") if held else ""
    for each in scene.bodies:
        if each.magnified > 1:
            body += note(f"{each.name} is drawn {each.magnified:.2g} times larger.")
    return section("Model", body)


def _three(values: Any) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in values) + ")"


def provenance_section(motion: Trajectory) -> str:
    """Which program, model, method and numbers made it."""
    header = header_of(motion.equations, motion.method, {})
    values = {name: float(value) for name, value in dict(motion.table).items()}
    header["parameters varied"] = values
    chosen = header["method"]["settings"].items()
    settings = ", ".join(f"{k} = {v}" for k, v in chosen if v is not None)
    lines = [
        ("Polhode", header["polhode"]),
        (
            "Python, JAX, NumPy",
            f"{platform.python_version()}, {header['jax']}, {header['numpy']}",
        ),
        ("equations", header["formulation"]),
        ("method", f"{motion.note} ({settings})" if settings else motion.note),
        ("outcome", str(motion.outcome)),
        ("model and settings, SHA-256", digest(text_of(header))),
    ]
    lines.append(("parameters", _parameters(header, values)))
    rows = "".join(
        f'<tr><td>{html.escape(a)}</td><td class="left">{html.escape(b)}</td></tr>'
        for a, b in lines
    )
    return section("Provenance", f'<table class="facts"><tbody>{rows}</tbody></table>')


def _parameters(header: dict[str, Any], values: dict[str, float]) -> str:
    named = {**header["model"]["parameters"], **values}
    return ", ".join(f"{name} = {value:.9g}" for name, value in named.items()) or "none"
