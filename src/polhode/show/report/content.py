"""The chapters of a report: model, equations, motion, ledger, reactions, modes.

Each is made of blocks that every writer knows; what a model does not have is left out,
and what cannot be given says why.
"""

from __future__ import annotations

import platform
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.analyse.equilibria.equilibrium import equilibria
from polhode.analyse.equilibria.rest import is_equilibrium
from polhode.analyse.linear.linearise import linearise
from polhode.analyse.reactions import ENVELOPE, PEAKS, reaction_table
from polhode.answer_table import number
from polhode.errors import IntegrationError, NumericalWarning, PolhodeError
from polhode.integrate.storage.header import digest, header_of, text_of
from polhode.show.page.equation_lines import FEW, equation_text
from polhode.show.report.blocks import Block, Chapter, Figure, Formula, Grid, Words

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.state import State
    from polhode.system.system import System

PLOTS = 4  # joints whose coordinates are drawn
REACTIONS = 3  # joints whose reactions are drawn
STARTS = 16  # of a search for an equilibrium to linearise about
MODES = 12


def chapters_of(motion: Trajectory) -> list[Chapter]:
    """All chapters of a report, in its order."""
    made = (
        drawing(motion),
        model(motion.system, motion.table),
        equations(motion),
        course(motion),
        ledger(motion),
        reactions(motion),
        modes(motion),
        provenance(motion),
    )
    return [chapter for chapter in made if chapter.blocks]


def summary(motion: Trajectory) -> str:
    """Bodies, speeds, time and method, in a line."""
    system = motion.system
    bodies = f"{len(system.bodies)} bod{'y' if len(system.bodies) == 1 else 'ies'}"
    speeds = f"{system.speeds} speed{'' if system.speeds == 1 else 's'}"
    span = f"{motion.t[0]:g} to {motion.t[-1]:g} s"
    return f"{bodies}, {speeds}; {span} by {motion.note}"


def drawing(motion: Trajectory) -> Chapter:
    """The bodies at some times."""
    from polhode.show.drawing.snapshot import picture

    shown = Figure(picture(motion), "The motion at five times.", is_drawing=True)
    return Chapter("The motion", [shown])


def model(system: System, table: Any = None) -> Chapter:
    """Bodies, joints, what acts, what constrains, and the parameters."""
    whole = system.table(dict(table or {}))
    bodies = []
    for body in system.bodies:
        mass, centre, inertia = (np.asarray(x, float) for x in body.moments(whole))
        moments = _three(np.diag(inertia)) if np.any(inertia) else "–"
        bodies.append((body.name, f"{float(mass):.6g}", _three(centre), moments))
    joints = [
        (j.name, type(j).__name__, j.first.frame.name, j.second.frame.name)
        for j in system.joints
    ]
    blocks: list[Block] = [
        Grid(("body", "mass, kg", "mass centre, m", "moments, kg m²"), bodies),
        Grid(("joint", "kind", "from", "to"), joints),
    ]
    acting = [(a.name, _kind(a)) for a in system.actions]
    holding = [(c.name, _kind(c)) for c in system.constraints]
    if acting or holding:
        rows = [(n, k, "acts") for n, k in acting]
        rows += [(n, k, "constrains") for n, k in holding]
        blocks.append(Grid(("load or constraint", "kind", ""), rows))
    named = {n: float(np.asarray(v)) for n, v in _values(system, whole).items()}
    if named:
        values = [(name, f"{value:.9g}") for name, value in named.items()]
        blocks.append(Grid(("parameter", "value, SI"), values))
    return Chapter("Model", blocks)


def equations(motion: Trajectory) -> Chapter:
    """The equations that were integrated, or laws of bodies where those are long."""
    form = motion.equations if motion.system.speeds <= FEW else None
    formulas, words = equation_text(motion.system, None, form=form)
    return Chapter("Equations of motion", [Words(words), *map(Formula, formulas)])


def course(motion: Trajectory) -> Chapter:
    """Coordinates and energies over time."""
    moving = [j for j in motion.system.joints if j.coordinates]
    names = [j.name if j.coordinates == j.speeds else f"{j.name}.speed" for j in moving]
    shown = names[:PLOTS]
    blocks: list[Block] = []
    for words, asked in (("Coordinates", shown), ("Speeds", _rates(moving))):
        if asked:
            blocks.append(Figure(motion.plot(*asked), f"{words} over time."))
    blocks.append(Figure(motion.plot("energy"), "Energy over time."))
    return Chapter("Curves", blocks)


def ledger(motion: Trajectory) -> Chapter:
    """What must balance: first row, last row, change."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumericalWarning)  # it is said below
            found = motion.ledger()
    except IntegrationError as refusal:
        return Chapter("Ledger", [Words(f"{refusal.what} {refusal.why}")])
    size = np.linalg.norm
    lines = [
        _ends("kinetic energy, J", found.kinetic),
        _ends("potential energy, J", found.potential),
        *(_ends(f"work of {name}, J", work) for name, work in found.work.items()),
        _ends("|momentum|, kg m/s", size(found.momentum, axis=1)),
        _ends("|angular momentum|, kg m²/s", size(found.angular_momentum, axis=1)),
    ]
    worst = float(np.max(np.abs(found.balance)))
    balanced = worst <= max(found.promise, 1e-12 * found.scale)
    verdict = "balances" if balanced else "is out of balance"
    words = (
        f"The energy {verdict}: at most {worst:.2g} J of {found.scale:.4g} J that move"
        f" are unaccounted for; {found.promise:.2g} J are promised."
    )
    steps = f"{found.accepted} steps accepted, {found.rejected} rejected."
    if np.any(found.constraint_violation) or np.any(found.velocity_miss):
        steps += (
            f" Constraints are kept to {found.constraint_violation.max():.2g} in"
            " position"
            f" and {found.velocity_miss.max():.2g} in velocity."
        )
    mood = "good" if balanced else "bad"
    return Chapter(
        "Ledger",
        [Grid(("", "start", "end", "change"), lines), Words(words, mood), Words(steps)],
    )


def reactions(motion: Trajectory) -> Chapter:
    """Largest reactions of joints and constraints, and between what they vary."""
    title = "Reactions"
    try:
        found = reaction_table(motion)
    except PolhodeError as refusal:
        return Chapter(title, [Words(f"{refusal.what} {refusal.why}")])
    if not found.names:
        return Chapter(title, [])
    peaks = [(n, *row) for n, row in zip(found.names, found.peaks, strict=True)]
    spans = [(n, *row) for n, row in zip(found.names, found.envelopes, strict=True)]
    blocks: list[Block] = [
        Words(f"In axes of {found.axes}: the largest, then between what they vary."),
        Grid(("", *PEAKS), peaks),
        Grid(("", *ENVELOPE), spans),
        *map(Words, found.notes),
    ]
    busy = sorted(found.names, key=lambda n: -found.peak_force(n).size)[:REACTIONS]
    shown = [n for n in found.names if n in busy]
    words = f"Reactions of {', '.join(shown)}."
    return Chapter(title, [*blocks, Figure(found.plot(*shown), words)])


def modes(motion: Trajectory) -> Chapter:
    """Small motions about an equilibrium, where there is one."""
    title, system = "Small motions", motion.system
    try:
        state = _equilibrium(motion)
        if state is None:
            return Chapter(title, [Words("No equilibrium was found near its states.")])
        found = linearise(system, state, parameters=dict(motion.table)).modes()
    except PolhodeError as refusal:
        return Chapter(title, [Words(f"{refusal.what} {refusal.why}")])
    shown = range(min(len(found.eigenvalues), MODES))
    lines = [
        (
            f"{k + 1}",
            number(found.eigenvalues[k]),
            *map(number, (found.frequencies[k], found.hertz[k], found.damping[k])),
        )
        for k in shown
    ]
    place = ", ".join(
        f"{name} = {number(value)}"
        for name, value in zip(system.coordinate_names, state.q, strict=True)
    )
    blocks: list[Block] = [
        Words(f"About the equilibrium {place}."),
        Grid(("mode", "s, 1/s", "w, rad/s", "f, Hz", "damping"), lines),
    ]
    if len(found.eigenvalues) <= MODES:
        blocks.append(Figure(found.plot(), "Shapes of the modes."))
    return Chapter(title, blocks)


def provenance(motion: Trajectory) -> Chapter:
    """Which program, model, method and numbers made it."""
    header = header_of(motion.equations, motion.method, {})
    values = {name: float(value) for name, value in dict(motion.table).items()}
    header["parameters varied"] = values
    chosen = header["method"]["settings"].items()
    settings = ", ".join(f"{k} = {v}" for k, v in chosen if v is not None)
    shown = ", ".join(f"{name} = {value:.9g}" for name, value in values.items())
    versions = f"{platform.python_version()}, {header['jax']}, {header['numpy']}"
    lines = [
        ("Polhode", header["polhode"]),
        ("Python, JAX, NumPy", versions),
        ("equations", header["formulation"]),
        ("method", f"{motion.note} ({settings})" if settings else motion.note),
        ("outcome", str(motion.outcome)),
        ("model and settings, SHA-256", digest(text_of(header))),
        ("parameters changed", shown or "none"),
    ]
    return Chapter("Provenance", [Grid((), lines)])


def _equilibrium(motion: Trajectory) -> State | None:
    """Rest as the model stands, else the equilibrium that falls least."""
    system = motion.system
    rest = system.rest()
    try:
        if is_equilibrium(rest):
            return rest
    except PolhodeError:
        pass  # rest may break a constraint; a search does not
    found = equilibria(system, starts=STARTS)
    states: list[State] = [one.state for one in found]
    return states[0] if states else None


def _rates(joints: Any) -> list[str]:
    flat = [j for j in joints if j.coordinates == j.speeds]
    return [f"{j.name}.speed" for j in flat[:PLOTS]]


def _values(system: System, table: Any) -> dict[str, Any]:
    from polhode.matter.parameter import at

    return {name: at(value, table) for name, value in system.parameters.items()}


def _kind(member: Any) -> str:
    """What users call it: a weight that knows its bodies is a weight."""
    return type(member).__name__.removesuffix("Of")


def _ends(name: str, values: Any) -> tuple[str, ...]:
    a, b = float(values[0]), float(values[-1])
    return name, f"{a:.6g}", f"{b:.6g}", f"{b - a:.3g}"


def _three(values: Any) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in values) + ")"
