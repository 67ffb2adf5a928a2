"""Compiled looks at a run: events along the interpolant, and states put right.

    look    g and dg/ds of all events at a share s of a step
    weigh   g, its rate, and how well it can be known at a row
    land    a state settled, its slope and its speeds

The uncertainty of g follows from that of the state, and from rounding:

    u = sum_i |dg/dx_i| (atol_i + rtol |x_i| + 64 eps |x_i|) + |dg/dt along the run| i

i is the least time by which events are told apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.errors import IntegrationError, PolhodeError
from polhode.integrate.events.event import Event
from polhode.integrate.field.dense_output import between
from polhode.integrate.field.input_table import Drive
from polhode.integrate.field.vector_field import field_of
from polhode.lowering.compile import Program, compile
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations

ROUNDING = 64 * np.finfo(float).eps


class Ends(NamedTuple):
    """A step: its first time, its length, (x, slope) at both ends and its terms."""

    t: Any
    h: Any
    start: tuple[Any, Any]
    end: tuple[Any, Any]
    dense: Any


class Landed(NamedTuple):
    """A state put right: x settled, its slope, the system's z, whether all is sound."""

    x: Any
    x_dot: Any
    z: Any
    is_sound: Any


def look_program(
    equations: Equations, events: tuple[Event, ...], drive: Drive, example: Any
) -> Program:
    """(s, ends, table, held) -> g (e,) and dg/ds (e,)."""
    value = values_of(equations, events, drive)

    def look(s: Any, ends: Ends, table: Any, held: Any) -> tuple[Any, Any]:
        def along(s: Any) -> Any:
            x = between(s, ends.h, ends.start, ends.end, ends.dense)
            return value(ends.t + s * ends.h, x, table, held)

        return jax.jvp(along, (s,), (jnp.ones_like(s),))

    word = ("look", len(example[1].dense), ("s", "ends"))
    return _made(equations, word, look, (events, drive), example)


def weigh_program(
    equations: Equations, events: tuple[Event, ...], drive: Drive, example: Any
) -> Program:
    """(row (t, x, slope, i), allowed (rtol, atol), table, held) -> g, its rate, u."""
    uncertainty = weighing(values_of(equations, events, drive))
    return _made(equations, ("weigh", ("row",)), uncertainty, (events, drive), example)


def weighing(value: Any) -> Any:
    """(row (t, x, slope, i), allowed (rtol, atol), table, held) -> g, its rate, u."""

    def uncertainty(
        row: Any, allowed: Any, table: Any, held: Any
    ) -> tuple[Any, Any, Any]:
        (t, x, x_dot, instant), (rtol, atol) = row, allowed

        def here(t: Any, x: Any) -> Any:
            return value(t, x, table, held)

        g, rate = jax.jvp(here, (t, x), (jnp.ones_like(t), x_dot))
        by_x = jax.jacfwd(here, 1)(t, x)
        sure = atol + (rtol + ROUNDING) * jnp.abs(x)
        return g, rate, jnp.abs(by_x) @ sure + jnp.abs(rate) * instant

    return uncertainty


def land_program(equations: Equations, drive: Drive, example: Any) -> Program:
    """(t, x, table, held) -> Landed."""
    core, n = equations.functions, equations.system.coordinates

    def project_state(t: Any, x: Any, table: Any, held: Any) -> Landed:
        table = {**table, **drive.unpacked(held)}
        field = field_of(equations, table, drive.driven)
        x = field.settled(t, x)
        x_dot = field.x_dot(t, x)
        good = jnp.all(jnp.isfinite(x)) & jnp.all(jnp.isfinite(x_dot))
        z = 1.0 * jnp.asarray(core.speeds(t, x[:n], x[n:], table))
        return Landed(x, x_dot, z, good & field.is_sound(t, x))

    return _made(equations, ("land", False), project_state, ((), drive), example)


def values_of(equations: Equations, events: tuple[Event, ...], drive: Drive) -> Any:
    """(t, x, table, held) -> g (e,), of x as the interpolant has it."""
    system, core, n = (
        equations.system,
        equations.functions,
        equations.system.coordinates,
    )

    def value(t: Any, x: Any, table: Any, held: Any) -> Any:
        q = system.normalised(x[:n]) if system.coordinates != system.speeds else x[:n]
        z = 1.0 * jnp.asarray(core.speeds(t, q, x[n:], table))
        whole = drive.table(t, q, z, table, held)
        state = State(system, t, q, z)
        each = [_scalar(event, _asked(event, t, state, whole)) for event in events]
        return jnp.stack(each)

    return value


def _asked(event: Event, t: Any, state: State, table: Any) -> Any:
    """g of one event, traced; what its function raises is told with its name."""
    try:
        found = event.value(t, state, table)
    except PolhodeError:
        raise
    except Exception as reason:
        raise IntegrationError(
            f"the function of event {event.name!r} cannot be traced: it raised"
            f" {type(reason).__name__}.",
            "It runs inside a compiled program, where its arguments have no values yet"
            " and cannot be changed.",
            "Use jax.numpy and jnp.where in place of Python's own if, float() and"
            " NumPy's functions.",
        ) from reason
    try:
        value = jnp.asarray(found)
    except (TypeError, ValueError):
        value = None
    if value is None or jnp.iscomplexobj(value):
        kind = "a complex number" if value is not None else repr(found)
        raise IntegrationError(
            f"the function of event {event.name!r} gives {kind}.",
            "An event is where a real number passes zero.",
            "Return that number.",
        )
    return value


def _scalar(event: Event, value: Any) -> Any:
    if value.dtype == bool:
        raise IntegrationError(
            f"the function of event {event.name!r} gives a truth value.",
            "An event is where a number passes zero, so that its time can be found.",
            "Give the number itself: not state['x'] > 1, but state['x'] - 1.",
        )
    found = value.astype(float)
    if found.size != 1:
        raise IntegrationError(
            f"the function of event {event.name!r} gives {found.size} numbers, of"
            f" shape {found.shape}.",
            "An event is where one number is zero.",
            "Give one event for each, or one number of them all, such as their least.",
        )
    return jnp.reshape(found, ())


def _made(
    equations: Equations,
    word: tuple[Any, ...],
    function: Any,
    given: tuple[tuple[Event, ...], Drive],
    example: Any,
) -> Program:
    """Compiled once; the last of `word` says which arguments come in batches."""
    events, drive = given
    functions = tuple((event.function, event.arity) for event in events)
    key = (*word, functions, tuple(sorted(example[-2])), drive.key)
    if key not in equations.programs:
        equations.programs[key] = compile(function, *example, batched=word[-1])
    return equations.programs[key]
