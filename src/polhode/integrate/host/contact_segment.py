"""A run between two switches of contacts: one program, modes as data, guards located.

Guards are looked at in five places of every step, and the first that falls through zero
is found on the method's own interpolant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.formulation.contact.mode_forces import GUARDS, Modes, guards, table_with
from polhode.integrate.events.functions import land_program
from polhode.integrate.events.locate import restricted
from polhode.integrate.field.dense_output import Steps, evaluate, joined
from polhode.integrate.field.input_table import UNDRIVEN
from polhode.integrate.field.states import unchecked
from polhode.integrate.kernel.chunk import Runs, StepperState, chunk_program
from polhode.integrate.kernel.start import initialise, step_settings
from polhode.integrate.kernel.status import RUNNING
from polhode.lowering.compile import compile
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.methods.method import Method

PLACES = np.array([0.2, 0.4, 0.6, 0.8, 1.0])
# Attempts of the first chunk after a switch, and of the longest.
FIRST_ROOM, LAST_ROOM = 8, 128
# Of what is left of the run: a first step that is too long is refused and shortened.
FIRST_SHARE = 1e-5
NO_INPUTS = np.zeros(0)
HALVINGS = 24


class Setting(NamedTuple):
    """What all segments of a run share.

    tolerance   (n, 5) of guards: rounding
    atol        (1, x) of the first segment: a body that has just struck its origin has
                no size to go by
    """

    equations: Equations
    method: Method
    until: float
    table: dict[str, float]
    tolerance: np.ndarray
    atol: np.ndarray


class Fired(NamedTuple):
    """A guard that fell through zero: when, which candidate, which guard."""

    t: float
    contact: int
    kind: str


class Segment(NamedTuple):
    """Rows from one switch to the next, or to the end, and what ended it.

    status   DONE, EVENT's kin, or RUNNING where a guard fired
    """

    steps: Steps
    fired: Fired | None
    status: int
    last: StepperState


def landed(setting: Setting, modes: Modes, t: float, x: np.ndarray) -> np.ndarray:
    """A state put on its closed contacts and constraints."""
    table = {**setting.table, **table_with(setting.equations.system, modes)}
    given = (float(t), x, table, NO_INPUTS)
    return land_program(setting.equations, UNDRIVEN, given)(*given).x


def first_tolerance(setting: Setting, modes: Modes, state: State) -> np.ndarray:
    """The absolute tolerances (1, x) that the scales of a state give."""
    own = {**setting.table, **table_with(state.system, modes)}
    table = {name: np.array([value]) for name, value in own.items()}
    states = unchecked(state.system, *(np.array([p]) for p in state_parts(state)))
    settings = step_settings(setting.method, setting.until)
    return initialise(setting.equations, states, table, settings).bounds.atol


def state_parts(state: State) -> tuple[Any, Any, Any]:
    """t, q and z."""
    return float(state.t), np.asarray(state.q), np.asarray(state.z)


def run_segment(
    setting: Setting, modes: Modes, t: float, x: np.ndarray, limit: int
) -> Segment:
    """The motion in these modes until a guard fires, or until the end."""
    system, n = setting.equations.system, setting.equations.system.coordinates
    own = {**setting.table, **table_with(system, modes)}
    table = {name: np.array([value]) for name, value in own.items()}
    states = unchecked(system, np.array([t]), x[None, :n], x[None, n:])
    settings = step_settings(setting.method, setting.until)
    go = initialise(setting.equations, states, table, settings)
    cursor, bounds = go.stepper_state, go.bounds
    if len(setting.atol):
        bounds = bounds._replace(atol=np.maximum(bounds.atol, setting.atol))
    least = FIRST_SHARE * (setting.until - t)
    cursor = cursor._replace(h=np.clip(cursor.h, least, setting.until - t))
    program = chunk_program(
        setting.equations, setting.method, Runs(cursor, bounds, table), UNDRIVEN
    )
    terms = setting.method.dense_terms
    here = _first(cursor, terms)
    kept, room = [here], FIRST_ROOM
    while True:
        bounds = bounds._replace(room=np.array([min(room, max(limit, 1))]))
        cursor, rows = program(cursor, bounds, table)
        limit -= room
        chosen = np.flatnonzero(rows.accepted[0])
        new = Steps(*(part[0][chosen] for part in rows[1:]))
        if len(chosen):
            whole = joined([Steps(*(part[-1:] for part in kept[-1])), new])
            fired, cut = _searched(setting, own, whole)
            if fired is not None:
                kept.append(cut)
                return _segment(kept, fired, RUNNING, cursor)
            kept.append(new)
        status = int(np.asarray(cursor.status)[0])
        if status != RUNNING or limit <= 0:
            return _segment(kept, None, status, cursor)
        room = min(2 * room, LAST_ROOM)


def _segment(
    kept: list[Steps], fired: Fired | None, status: int, cursor: Any
) -> Segment:
    last = StepperState(*(np.asarray(leaf)[0] for leaf in cursor))
    return Segment(joined(kept), fired, status, last)


def _first(cursor: StepperState, terms: int) -> Steps:
    straight = np.zeros((1, terms, cursor.x.shape[1]))
    t, x, x_dot = (np.array(part) for part in (cursor.t, cursor.x, cursor.x_dot))
    return Steps(t, x, x_dot, straight)


def guard_values(setting: Setting, table: Any, t: Any, x: Any) -> np.ndarray:
    """(k, n, 5): all guards at some times and states."""
    equations, system = setting.equations, setting.equations.system
    key = ("guards", tuple(sorted(table)))
    if key not in equations.programs:
        n = system.coordinates

        def look(t: Any, x: Any, table: Any) -> Any:
            return 1.0 * jnp.asarray(guards(system, t, x[:n], x[n:], table))

        example = (0.0, np.zeros(x.shape[-1]), table)
        equations.programs[key] = compile(look, *example, batched=["t", "x"])
    return equations.programs[key](t, x, table)


def _searched(setting: Setting, table: Any, here: Steps) -> tuple[Fired | None, Steps]:
    """The first guard that falls through zero along some steps, and the rows to it."""
    h = np.diff(here.t)
    times = (here.t[:-1, None] + h[:, None] * PLACES).reshape(-1)
    x = evaluate(here, times)
    values = guard_values(setting, table, times, x)
    first = guard_values(setting, table, here.t[:1], here.x[:1])
    g = np.concatenate([first, values]).reshape(len(times) + 1, -1)
    all_times = np.append(here.t[:1], times)
    tolerance = setting.tolerance.reshape(-1)
    bad = ~np.isfinite(g)
    g = np.where(bad, -np.inf, g)
    fallen = g < -tolerance
    found: list[tuple[float, int]] = []
    for k in np.flatnonzero(np.any(fallen, axis=0)):
        stop = int(np.argmax(fallen[:, k]))
        above = np.flatnonzero(g[:stop, k] > 0)
        low = all_times[above[-1]] if len(above) else here.t[0]
        high = all_times[stop]
        found.append((_zero(setting, table, here, int(k), (low, high)), int(k)))
    if not found:
        return None, here
    t, first_guard = min(found)
    contact, guard = divmod(first_guard, len(GUARDS))
    fired = Fired(t, contact, GUARDS[guard])
    return fired, _cut(here, t)


def _zero(
    setting: Setting, table: Any, here: Steps, k: int, ends: tuple[float, float]
) -> float:
    """When a guard is zero, between two times; the first where it never was above."""
    from scipy.optimize import brentq

    low, high = ends

    def value(t: float) -> float:
        at = np.array([t])
        g = guard_values(setting, table, at, evaluate(here, at)).reshape(-1)[k]
        return float(g) if np.isfinite(g) else -1.0

    if low == high:
        return low
    if value(low) <= 0:
        # It may rise from zero and fall again: a hop within the first place looked at.
        above = (low + (high - low) * 0.5**k for k in range(1, HALVINGS))
        peak = next((t for t in above if value(t) > 0), None)
        if peak is None:
            return low
        low = peak
    return float(brentq(value, low, high, xtol=1e-300, rtol=1e-15, maxiter=200))


def _cut(here: Steps, t: float) -> Steps:
    """The rows after the first up to a time, the last made by cutting its step."""
    j = int(np.clip(np.searchsorted(here.t, t, side="left") - 1, 0, len(here.t) - 2))
    kept = Steps(*(part[1 : j + 1] for part in here))
    s = (t - here.t[j]) / (here.t[j + 1] - here.t[j])
    if s >= 1:
        return Steps(*(part[1 : j + 2] for part in here))
    if s <= 0:
        return kept
    return joined([kept, restricted(here, j, s)._replace(t=np.array([t]))])
