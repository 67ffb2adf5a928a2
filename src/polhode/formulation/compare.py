"""All forms side by side: do they agree, and what does each cost?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np

from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array, Scalar
from polhode.errors import ModelError, PolhodeError
from polhode.formulation.equations import Equations
from polhode.formulation.registry import FORMULATIONS
from polhode.formulation.shared.dense_form import refuse_many_bodies
from polhode.formulation.shared.short_motion import after_steps, answers_of, step_of
from polhode.lowering.compile import Program, compile
from polhode.lowering.garbage import RareCollections
from polhode.lowering.trace.captured_constants import one_look
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.check import mobility
from polhode.system.lengths import natural_length, speed_lengths
from polhode.system.state import State
from polhode.system.system import System

STATES = 20  # random states, where none is given
BATCH = 1000  # systems in one call, to measure the time of one
STEPS = 8  # of the short motion
REPEATS = 10  # of which the quickest is taken
HEADS = (
    *("formulation", "unknowns", "equations", "disagreement", "reactions", "motion"),
    *("operations", "us"),
)
Watch: TypeAlias = Callable[[int, int, str], None]


@final
@dataclass(frozen=True)
class Row:
    """One formulation's line of the table; `reason` where it does not apply.

    `disagreement` is that of accelerations, `motion` that of places and velocities
    after a short motion.
    The disagreement of reactions is not a number where constraints are redundant: then
    many reactions serve one motion.
    """

    name: str
    unknowns: int = 0
    equations: int = 0
    disagreement: float = 0.0
    reactions: float = 0.0
    motion: float = 0.0
    operations: int = 0
    microseconds: float = 0.0
    reason: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """As the table prints them."""
        after = "-" if np.isnan(self.motion) else f"{self.motion:.1e}"
        loads = "many" if np.isnan(self.reactions) else f"{self.reactions:.1e}"
        counts = self.unknowns, self.equations
        gaps = f"{self.disagreement:.1e}", loads, after
        costs = str(self.operations), f"{self.microseconds:.2f}"
        return (self.name, *map(str, counts), *gaps, *costs)


@final
@dataclass(frozen=True, repr=False)
class Comparison(Answer):
    """The table of `compare`; print it, or read its rows."""

    system: str
    rows: tuple[Row, ...]
    left_out: tuple[str, ...] = ()  # names of forms for which there was no time

    @property
    def applied(self) -> tuple[Row, ...]:
        """The rows of the formulations that apply."""
        return tuple(row for row in self.rows if not row.reason)

    @property
    def worst(self) -> float:
        """The largest disagreement of any formulation with the middle of all."""
        gaps = [x for row in self.applied for x in (row.disagreement, row.motion)]
        return float(np.nanmax(gaps))

    def plot(self) -> Any:
        """Disagreements and costs as a picture; see `show.charts`."""
        from polhode.show.plots.charts import comparison_picture

        return comparison_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        refused = [
            (r.name, f"does not apply: {r.reason}") for r in self.rows if r.reason
        ]
        late = [f"no time was left for: {', '.join(self.left_out)}"]
        return AnswerTable(
            self.system,
            HEADS,
            [row.cells for row in self.applied],
            late if self.left_out else (),
            [AnswerTable("", ("formulation", "why"), refused)] if refused else (),
        )


@final
@dataclass(frozen=True)
class _Found:
    equations: Equations
    program: Program
    velocities: np.ndarray
    accelerations: np.ndarray
    reactions: np.ndarray
    moved: tuple[np.ndarray, np.ndarray] | None

    @property
    def values(self) -> tuple[np.ndarray, np.ndarray]:
        return self.accelerations, self.reactions


def compare(
    system: System,
    state: State | None = None,
    *,
    steps: int = STEPS,
    operations: float = np.inf,
    watch: Watch | None = None,
) -> Comparison:
    """Every formulation's accelerations, reactions, and a short motion.

    Evaluated at a state, or at random ones, and after `steps` short steps from there. A
    disagreement is the largest difference from the median of all formulations, relative
    to the largest value at that state. Microseconds are those of one system in a batch,
    on one thread. A formulation that does not apply says why. No steps, no motion.

    Once the programs made have so many `operations`, as they were traced, no other form
    is begun, and the table says which were left out. To derive and compile some 30 000
    takes a second; they are counted, so that every machine gives the same table.
    `watch(done, total, name)` is told of each form that begins.

    Of a system with supports forms are compared in the mode that its contacts have in
    the state, without one while all are open; `ph.in_mode` gives any other.
    """
    if not isinstance(system, System):
        raise ModelError(
            f"compare takes a ph.System, not {system!r}.",
            "It derives all equations of one system anew.",
            "Give the system: that of a motion is motion.system.",
        )
    refuse_many_bodies(system, "a comparison of all forms")
    if system.supports:
        from polhode.formulation.contact.in_mode import mode_of

        system, state = mode_of(system, state)
    states = [state] if state is not None else random_states(system, STATES)
    found, reasons = _all_evaluated(system, states, steps, operations, watch)
    gaps = _gaps(system, states, found)
    rows = [
        Row(name, reason=reasons[name])
        if name in reasons
        else _row(found[name], gaps[name], states[0])
        for name in FORMULATIONS
        if name in found or name in reasons
    ]
    rest = (name for name in FORMULATIONS if name not in found and name not in reasons)
    return Comparison(system.name, tuple(rows), tuple(rest))


def _all_evaluated(
    system: System,
    states: list[State],
    steps: int,
    operations: float,
    watch: Watch | None,
) -> tuple[dict[str, _Found], dict[str, str]]:
    """What the forms say, as many as `operations` allow, and why some do not."""
    found: dict[str, _Found] = {}
    reasons: dict[str, str] = {}
    # Between programs garbage waits too: each of two dozen would have it collected.
    with one_look(), RareCollections():
        for number, (name, make) in enumerate(FORMULATIONS.items()):
            if found and _operations(found) > operations:
                break
            if watch is not None:
                watch(number, len(FORMULATIONS), name)
            try:
                found[name] = _evaluate(make(system), states, steps)
            except PolhodeError as refusal:
                reasons[name] = refusal.what
    return found, reasons


def _operations(found: dict[str, _Found]) -> int:
    """Operations of the programs made, before any is folded: what compiling costs."""
    reports = (each.program.report() for each in found.values())
    return sum(report.operations_traced for report in reports)


def _gaps(
    system: System, states: list[State], found: dict[str, _Found]
) -> dict[str, tuple[float, float, float]]:
    """By formulation: disagreement of accelerations, reactions, and after a motion."""
    least = np.array([sizes(s) for s in states]).T[..., None, None]
    middles = [
        _middle([getattr(each, word) for each in found.values()])
        for word in ("accelerations", "reactions")
    ]
    gaps = {
        name: [
            disagreement(values, middle, size)
            for values, middle, size in zip(each.values, middles, least, strict=True)
        ]
        for name, each in found.items()
    }
    many = mobility(system, states[0]).redundant
    after = _gaps_after(found)
    return {
        name: (of_motion, np.nan if many else of_loads, after[name])
        for name, (of_motion, of_loads) in gaps.items()
    }


def _middle(each: list[np.ndarray]) -> np.ndarray:
    """The median of those forms that give numbers: one that does not is alone."""
    sound = [values for values in each if np.all(np.isfinite(values))]
    return np.median(sound or each, axis=0)


def answers(equations: Equations) -> Callable[..., tuple[Any, Any]]:
    """(t, q, z, table) -> body accelerations and joint wrenches, of the own speeds."""
    core = equations.functions

    def both(t: Scalar, q: Array, z: Array, table: Table = NOMINAL) -> tuple[Any, Any]:
        table = dict(table)
        y = core.start(t, q, z, table)
        solution = core.accelerations(t, q, y, table)
        bodies = core.bodies(t, q, y, solution[0], table)
        return bodies, core.joint_wrenches(t, q, y, solution, table)

    return both


def random_states(system: System, count: int, seed: int = 0) -> list[State]:
    """States that the system can be in, spread over its configurations."""
    rng = np.random.default_rng(seed)
    states, rest = [], system.rest().q
    # Farther away a body may come to lie where its contact has no place.
    size = speed_lengths(system, 0.5 * natural_length(system, rest))
    for _ in range(count):
        q = system.local(rest, size * rng.uniform(-1.0, 1.0, system.speeds))
        z = rng.normal(size=system.speeds)
        state = State(system, float(rng.uniform()), system.normalised(q), z)
        states.append(system.consistent(state) if system.constraints else state)
    return states


def disagreement(values: Array, middle: Any, size: Any) -> float:
    """The largest difference at any state, relative to the largest value there.

    Where all cancels, relative to `size`: that of what cancels. Infinite where a value
    is not finite: that agrees with nothing.
    """
    if not np.all(np.isfinite(values)):
        return np.inf
    scale = np.max(np.abs(middle), axis=(1, 2), keepdims=True)
    return float(np.max(np.abs(values - middle) / np.maximum(scale, size)))


def sizes(state: State) -> tuple[float, float]:
    """Of accelerations and of wrenches: V^2 + F/M and F + M V^2 of a state."""
    system, at = state.system, (state.t, state.q, state.z)
    V, F = (np.max(np.abs(f(*at))) for f in (system.body_twists, system.applied))
    M = np.max(np.abs(system.inertias()))
    return V**2 + F / M, F + M * V**2


def _evaluate(equations: Equations, states: list[State], steps: int) -> _Found:
    system, core = equations.system, equations.functions
    t, q, z = (np.stack([getattr(s, word) for s in states]) for word in ("t", "q", "z"))
    y = z
    if core.start is not core.speeds:  # else its velocities are the speeds themselves
        first = compile(
            lambda t, q, z: 1.0 * core.start(t, q, z, {}),
            t[0],
            q[0],
            z[0],
            batched=True,
        )
        y = first(t, q, z)
    program = compile(answers_of(equations), t[0], q[0], y[0], batched=True, threads=1)
    now = program(t, q, y)
    pairs = zip(states, now.bodies, strict=True)
    h = np.array([step_of(*pair) for pair in pairs])
    end = None
    if steps:
        q, twists = after_steps(program, t, q, y, h=h, steps=steps)
        end = np.stack([system.normalised(row) for row in q]), twists
    return _Found(equations, program, y[0], now.bodies, now.wrenches, end)


def _gaps_after(all_found: dict[str, _Found]) -> dict[str, float]:
    """By formulation: how far places and velocities are from the median of all."""
    ends = {name: f.moved for name, f in all_found.items() if f.moved is not None}
    found = dict.fromkeys(all_found, 0.0 if ends else np.nan)
    if not ends:
        return found
    for part in range(2):
        middle = _middle([end[part] for end in ends.values()])
        size = np.maximum(np.max(np.abs(middle)), 1.0)
        for name, end in ends.items():
            gap = float(np.max(np.abs(end[part] - middle)) / size)
            gap = gap if np.isfinite(gap) else np.inf
            found[name] = max(found[name], gap)
    return found


def _row(found: _Found, gaps: tuple[float, ...], first: State) -> Row:
    equations = found.equations
    size = len(equations.velocity_names) + len(equations.row_names)
    return Row(
        equations.name,
        unknowns=size,
        equations=size,
        disagreement=gaps[0],
        reactions=gaps[1],
        motion=gaps[2],
        operations=found.program.report().operations,
        microseconds=1e6 * _time_of_call(found, first) / BATCH,
    )


def _time_of_call(found: _Found, state: State) -> float:
    """Seconds of the quickest call with a batch of equal states."""
    one = state.t, state.q, found.velocities
    batch = [np.repeat(np.asarray(x)[None], BATCH, axis=0) for x in one]
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        found.program(*batch)
        best = min(best, time.perf_counter() - start)
    return best
