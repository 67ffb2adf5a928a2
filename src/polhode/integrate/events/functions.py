"""Event functions compiled: their values along a step, and states projected.

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

from polhode.arrays import Array, Scalar
from polhode.integrate.events.switch import Switch
from polhode.integrate.field.dense_output import between
from polhode.integrate.field.input_table import Drive
from polhode.integrate.field.vector_field import field_of
from polhode.lowering.compile import Program
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations

ROUNDING = 64 * np.finfo(float).eps


class Ends(NamedTuple):
    """A step: its first time, its length, (x, x_dot) at both ends and its terms."""

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
    equations: Equations, switches: tuple[Switch, ...], drive: Drive, example: Any
) -> Program:
    """(s, ends, table, held) -> g (e,) and dg/ds (e,)."""
    value = values_of(equations, switches, drive)

    def look(s: Scalar, ends: Ends, table: Table, held: Any) -> tuple[Any, Any]:
        def along(s: Scalar) -> Any:
            x = between(s, ends.h, ends.start, ends.end, ends.dense)
            return value(ends.t + s * ends.h, x, table, held)

        return jax.jvp(along, (s,), (jnp.ones_like(s),))

    word = ("look", len(example[1].dense), ("s", "ends"))
    return _program(equations, word, look, example, switches=switches, drive=drive)


def weigh_program(
    equations: Equations, switches: tuple[Switch, ...], drive: Drive, example: Any
) -> Program:
    """(row (t, x, x_dot, i), allowed (rtol, atol), table, held) -> g, its rate, u."""
    uncertainty = weighing(values_of(equations, switches, drive))
    return _program(
        equations,
        ("weigh", ("row",)),
        uncertainty,
        example,
        switches=switches,
        drive=drive,
    )


def weighing(value: Any) -> Any:
    """(row (t, x, x_dot, i), allowed (rtol, atol), table, held) -> g, its rate, u."""

    def uncertainty(
        row: Any, allowed: Any, table: Table, held: Any
    ) -> tuple[Any, Any, Any]:
        (t, x, x_dot, instant), (rtol, atol) = row, allowed

        def here(t: Scalar, x: Array) -> Any:
            return value(t, x, table, held)

        g, rate = jax.jvp(here, (t, x), (jnp.ones_like(t), x_dot))
        by_x = jax.jacfwd(here, 1)(t, x)
        sure = atol + (rtol + ROUNDING) * jnp.abs(x)
        return g, rate, jnp.abs(by_x) @ sure + jnp.abs(rate) * instant

    return uncertainty


def land_program(equations: Equations, drive: Drive, example: Any) -> Program:
    """(t, x, table, held) -> Landed."""
    core, n = equations.functions, equations.system.coordinates

    def project_state(t: Scalar, x: Array, table: Table, held: Any) -> Landed:
        table = {**table, **drive.unpacked(held)}
        field = field_of(equations, table, drive.driven)
        x = field.settled(t, x)
        x_dot = field.x_dot(t, x)
        good = jnp.all(jnp.isfinite(x)) & jnp.all(jnp.isfinite(x_dot))
        z = 1.0 * jnp.asarray(core.speeds(t, x[:n], x[n:], table))
        return Landed(x, x_dot, z, good & field.is_sound(t, x))

    return _program(
        equations, ("land", False), project_state, example, switches=(), drive=drive
    )


def values_of(equations: Equations, switches: tuple[Switch, ...], drive: Drive) -> Any:
    """(t, x, table, held) -> g (e,), of x as the interpolant has it."""
    system, core, n = (
        equations.system,
        equations.functions,
        equations.system.coordinates,
    )

    def value(t: Scalar, x: Array, table: Table, held: Any) -> Any:
        q = system.normalised(x[:n]) if system.coordinates != system.speeds else x[:n]
        z = 1.0 * jnp.asarray(core.speeds(t, q, x[n:], table))
        whole = drive.table(t, q, z, table, held, y=x[n:])
        return jnp.concatenate([s.values(t, q, z, whole) for s in switches])

    return value


def _program(
    equations: Equations,
    word: tuple[Any, ...],
    function: Any,
    example: Any,
    *,
    switches: tuple[Switch, ...],
    drive: Drive,
) -> Program:
    """Compiled once; the last of `word` says which arguments come in batches."""
    functions = tuple(switch.looks for switch in switches)
    name = (*word, functions, drive.key)
    return equations.program(name, function, example, batched=word[-1])
