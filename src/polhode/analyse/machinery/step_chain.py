"""A motion as a chain of its accepted steps, each of which can be made again.

    x[k+1] = S(t[k], x[k], h[k], p),      x[0] = X(d, e, p),      x = [q; y]

S is one step of the motion's method, put back on its manifold and constraints; h are
the steps that the run took, and stay. X moves the first state by d along the joints and
by e in speed, and puts it on the constraints. What S and X do to small changes is what
the run, repeated with the same steps, would do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import jax.numpy as jnp
import numpy as np

from polhode.analyse.machinery.naming import nominal
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.integrate.field.backend import backend_of
from polhode.integrate.field.dense_output import bare
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.methods.mechanical.generalised_alpha import GeneralisedAlpha
from polhode.integrate.methods.mechanical.moreau import Moreau
from polhode.integrate.methods.projection import Unprojected, settling
from polhode.matter.parameter import Table, at, parameters_in
from polhode.system.rolled import contact_tables
from polhode.system.rolled.size import LARGE, is_rolled, refuse_dense
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.integrate.results.contact_log import SwitchRow
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False, repr=False)
class Replay:
    """The steps of a motion, and the parameters that are asked about.

    t (n,), x (n, width)   rows, each one step after the last
    names, values          parameters by name, and their values (p,) in the motion
    is_asked (n,)          which rows are among the times asked for
    held (n, m)            of a motion with supports: modes that each row has; else None
    switches               of these, in the order of time
    """

    motion: Trajectory
    names: tuple[str, ...]
    values: np.ndarray
    t: np.ndarray
    x: np.ndarray
    is_asked: np.ndarray
    held: np.ndarray | None = None
    switches: tuple[SwitchRow, ...] = ()

    @property
    def spans(self) -> list[tuple[int, int]]:
        """First and last rows between switches; each last row is before a jump."""
        jumps = [s.row for s in self.switches if s.row > 0]
        return [
            *zip([0, *jumps], [*(j - 1 for j in jumps), len(self.t) - 1], strict=True)
        ]

    def rows(self, take: np.ndarray) -> tuple[Any, ...]:
        """Times, states and steps (k, ...) from some rows, and their modes."""
        own = (self.t[take], self.x[take], self.t[take + 1] - self.t[take])
        return own if self.held is None else (*own, self.held[take])

    @property
    def system(self) -> System:
        """What moves."""
        return self.motion.system

    @property
    def table(self) -> dict[str, Any]:
        """The values of parameters in the motion that are not asked about."""
        own = self.motion.table.items()
        return {name: float(v) for name, v in own if name not in self.names}

    def step(self, row: tuple[Any, ...], p: Array, table: Table) -> Any:
        """S, traced, of one of `rows`; p (p,) are values of those asked about."""
        t, x, h, *held = row
        return _step(self.motion, self.whole(p, table), *held)(t, x, h)

    def start(self, first: Any, move: Any, p: Array, table: Table) -> Any:
        """X, traced, of the first (t, q, z) and move = (d, e), (nz,) each."""
        (t, q, z), (d, e), whole = first, move, self.whole(p, table)
        if self.held is not None:
            whole = {**whole, **self.motion.inputs.inputs.drive.unpacked(self.held[0])}
        equations = self.motion.equations
        q = self.system.local(q, d)
        y = equations.functions.start(t, q, z + e, whole)
        field = settling(field_of(equations, whole), self.motion.method)
        return field.settled(t, jnp.concatenate([q, y]))

    def speeds(self, t: Scalar, x: Array, p: Array, table: Table) -> Any:
        """The system's speeds z (nz,) in a state x, traced."""
        n, core = self.system.coordinates, self.motion.equations.functions
        return 1.0 * jnp.asarray(core.speeds(t, x[:n], x[n:], self.whole(p, table)))

    def numbers(self, state: State, y: Array, p: Array, table: Table) -> Table:
        """The values of all parameters, and of inputs at a time and state, traced."""
        whole = self.whole(p, table)
        driven = self.motion.inputs.inputs.drive.driven
        if driven is not None:
            whole = driven(state.t, state.q, state.z, whole, y)
        full = self.system.table(whole)
        own = {name: at(value, full) for name, value in self.system.parameters.items()}
        return {**own, **whole}

    @property
    def first(self) -> tuple[float, np.ndarray, np.ndarray]:
        """The first (t, q, z)."""
        state = self.motion[0]
        return float(state.t), np.array(state.q), np.array(state.z)

    def program(
        self, word: Any, function: Callable[..., Any], example: Any, batched: Any
    ) -> Any:
        """A function of the replay, compiled once for each word and set of names."""
        equations, method = self.motion.equations, self.motion.method
        made_by = (type(method), method.name, self.motion.inputs.inputs.drive.key)
        name = ("replay", word, made_by, self.names, tuple(sorted(self.table)))
        backend = backend_of(equations)
        return equations.program(
            name, function, example, batched=batched, backend=backend
        )

    def whole(self, p: Array, table: Table) -> Table:
        """A table with the parameters asked about."""
        own = {name: p[k] for k, name in enumerate(self.names)}
        return {**table, **own}


def _require_few_rows(system: System, names: Sequence[str]) -> None:
    """Of a large system: parameters that stand in few rows of its tables."""
    if not is_rolled(system):
        return
    refuse_dense(system, "a derivative of a motion")
    parts = (*system.bodies, *system.joints, *system.constraints)
    for name in names:
        count = sum(any(p.name == name for p in each.parameters) for each in parts)
        if count > LARGE:
            raise AnalysisError(
                f"{name!r} is in {count} parts of {system.name!r}, too many to vary in"
                " derivatives.",
                f"Tables of {len(system.bodies)} bodies are constants of its programs;"
                f" derivatives by what is in more than {LARGE} of their rows would be"
                " written row by row.",
                "Compare two motions, of system.with_({...}) a little apart, or ask of"
                " a system of fewer like parts.",
            )


def replay_of(
    motion: Trajectory, parameters: Sequence[str] = (), times: Any = None
) -> Replay:
    """A motion as a chain of steps, with rows at `times` among them.

    Without times every row is asked for.
    """
    _require_steps(motion)
    _require_few_contacts(motion)
    names = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    _require_few_rows(motion.system, names)
    values = np.array([_value(motion, name) for name in names])
    t, x = motion.steps.t, motion.steps.x
    held, switches = _contacts(motion)
    every = np.ones(len(t), bool)
    replay = Replay(motion, names, values, t, x, every, held, switches)
    if times is None:
        return replay
    asked = _admit_times(motion, times)
    between = np.setdiff1d(asked, t)
    if len(between):
        replay = _refine(replay, between)
    return replace(replay, is_asked=np.isin(replay.t, asked))


def _require_few_contacts(motion: Trajectory) -> None:
    if not isinstance(motion.method, Moreau) or not contact_tables.serves(
        motion.system
    ):
        return
    raise AnalysisError(
        f"{motion!r} has no derivatives.",
        "Its contacts are rows of a table, and are solved by loops of unknown length,"
        " of which there is no derivative.",
        "Vary a number and run it again; or keep to fewer points that may touch: fewer"
        " than 500 of them times speeds.",
    )


def _contacts(motion: Trajectory) -> tuple[np.ndarray | None, tuple[SwitchRow, ...]]:
    """The modes of all rows, and the switches between them."""
    if not motion.contacts:
        return None, ()
    own = motion.contacts.parts
    if any(s.row == 0 and np.any(s.hit) for s in own.switches):
        raise AnalysisError(
            f"{motion!r} strikes where it begins.",
            "What a change of the first state does there depends on its side: it"
            " strikes a little later, or begins inside.",
            "Begin a little before the impact, or after it.",
        )
    return own.held, own.switches


def _step(motion: Trajectory, table: Table, held: Any = None) -> Callable[..., Any]:
    """(t, x, h) -> x one step later, for use inside a trace."""
    drive = motion.inputs.inputs.drive
    if held is not None:
        table = {**table, **drive.unpacked(held)}
    field = settling(field_of(motion.equations, table, drive.driven), motion.method)

    def step(t: Scalar, x: Array, h: Scalar) -> Any:
        slope = field.x_dot(t, x)
        here = field._replace(carried=slope)
        moved = motion.method.attempt(here, t, x, slope, h).x
        return field.settled(t + h, moved)

    return step


def _refine(replay: Replay, times: np.ndarray) -> Replay:
    """The rows with others between them, each made by a step from the row before it."""
    motion, t, x = replay.motion, replay.t, replay.x
    sign = 1.0 if t[-1] >= t[0] else -1.0
    before = np.searchsorted(sign * t, sign * times) - 1
    table = dict(motion.table)
    made_by = (type(motion.method), motion.method.name, motion.inputs.inputs.drive.key)

    own = () if replay.held is None else (replay.held[before],)

    def step(t: Scalar, x: Array, h: Scalar, held: Any, table: Table) -> Any:
        return _step(motion, table, *held)(t, x, h)

    example = (0.0, np.zeros(x.shape[1]), 0.1, tuple(h[0] for h in own), table)
    batched = ["t", "x", "h", *(["held"] if own else [])]
    program = motion.equations.program(
        ("step", made_by), step, example, batched=batched
    )
    between = program(t[before], x[before], times - t[before], own, table)
    rows = bare(np.concatenate([t, times]), np.concatenate([x, between]))
    order = np.argsort(sign * rows.t, kind="stable")
    refined = replace(replay, t=rows.t[order], x=rows.x[order])
    if replay.held is None:
        return refined
    held = np.concatenate([replay.held, replay.held[before]])[order]
    place = np.argsort(order)
    switches = tuple(s._replace(row=int(place[s.row])) for s in replay.switches)
    return replace(refined, held=held, switches=switches)


def _value(motion: Trajectory, name: str) -> float:
    if name in motion.table:
        return float(motion.table[name])
    groups = motion.inputs.inputs.drive.groups
    constants = parameters_in([c for g in groups for c in g.constants.values()])
    own = [p.value for p in constants if p.name == name]
    return own[0] if own else nominal(motion.system, name)


def _admit_times(motion: Trajectory, times: Array) -> np.ndarray:
    asked = np.unique(np.atleast_1d(np.array(times, dtype=float)))
    first, last = sorted((motion.t[0], motion.t[-1]))
    if not np.all((asked >= first) & (asked <= last)):
        outside = asked[~((asked >= first) & (asked <= last))][0]
        raise AnalysisError(
            f"the motion of {motion.system.name!r} has no t = {outside:g} s.",
            f"It runs from {motion.t[0]:g} to {motion.t[-1]:g} s.",
            "Ask within, or simulate further.",
        )
    return asked


def _require_steps(motion: Trajectory) -> None:
    """Refuse a motion whose steps cannot be made again from their rows."""
    inner = motion.method
    inner = inner.method if isinstance(inner, Unprojected) else inner
    own = {support.name for support in motion.system.supports}
    reset = [
        event
        for event in motion.events
        if event.name not in own and event.after is not event.before
    ]
    reasons = {
        "Its steps were not kept: only samples of it were.": not motion.is_dense,
        f"A step of {inner.name} also follows from those before it.": isinstance(
            inner, GeneralisedAlpha
        ),
        "Its inputs were sampled by plain Python, which has no derivative.": bool(
            motion.inputs.inputs.sources
        ),
        "Events have set its state anew on the way.": bool(reset),
    }
    for reason, holds in reasons.items():
        if holds:
            raise AnalysisError(
                f"the sensitivity of {motion!r} cannot be known.",
                f"It is found by making each step again from its row. {reason}",
                "Simulate by a one-step method, ph.methods.DormandPrince say, without"
                " samples=..., sampled inputs and resets.",
            )
