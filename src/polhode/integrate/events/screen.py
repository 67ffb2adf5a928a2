"""Inside a compiled loop: whether a step may hold an event.

Where nothing can have happened a run goes on. Where something may have, it halts, and
the host looks closely (see `crossing`). What is asked here errs on the side of looking:

    g at some places of the step, its cubics between them, and how well g is known
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.integrate.events.context import INSTANT
from polhode.integrate.events.functions import values_of, weighing
from polhode.integrate.events.locate import PARTS, SMOOTH
from polhode.integrate.field.dense_output import between
from polhode.integrate.kernel.chunk import Rows, RunBounds, StepperState
from polhode.integrate.kernel.status import DONE, NEEDS_HOST, RUNNING

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.events.event import Event
    from polhode.integrate.field.input_table import Drive


Lookout = Callable[[StepperState, StepperState, Rows, RunBounds, Any], StepperState]


def lookout_of(
    equations: Equations, events: tuple[Event, ...], drive: Drive
) -> Lookout:
    """(cursor before, after, row, plan, table) -> the cursor after, perhaps watched."""
    value = values_of(equations, events, drive)
    uncertainty = weighing(value)
    spacing = min(event.spacing for event in events)

    def lookout(
        before: StepperState,
        after: StepperState,
        row: Rows,
        bounds: RunBounds,
        table: Any,
    ) -> StepperState:
        h, held = row.t - before.t, before.held
        ends = (before.x, before.x_dot), (row.x, row.x_dot)

        def along(s: Any) -> Any:
            x = between(s, h, *ends, row.dense)
            return value(before.t + s * h, x, table, held)

        looks = [
            jax.jvp(along, (jnp.asarray(s),), (jnp.ones(()),))
            for s in np.linspace(0.0, 1.0, PARTS + 1)
        ]
        g, d = (jnp.stack(part) for part in zip(*looks, strict=True))
        doubt = _doubt(uncertainty, (before, row), bounds, table)
        busy = _is_busy(g, d, doubt, doubt * (before.accepted + 1))
        busy = busy | jnp.any(jnp.sign(before.sides) != jnp.sign(g[0]))
        busy = busy | (2 * jnp.abs(h) > PARTS * spacing)
        seen = row.accepted & ((after.status == RUNNING) | (after.status == DONE))
        clear = (2 * jnp.sign(g[-1])).astype(before.sides.dtype)
        sides = jnp.where(seen & ~busy, clear, before.sides)
        status = jnp.where(seen & busy, NEEDS_HOST, after.status)
        return after._replace(sides=sides, status=status)

    return lookout


def _doubt(
    uncertainty: Any, ends: tuple[StepperState, Rows], bounds: RunBounds, table: Any
) -> Any:
    """How well g is known at the ends of a step, whichever is worse."""
    start, end = ends
    h, found = end.t - start.t, []
    for at in (start, end):
        instant = INSTANT * jnp.maximum(jnp.abs(at.t), jnp.abs(h))
        row = (at.t, at.x, at.x_dot, instant)
        found.append(uncertainty(row, (bounds.rtol, bounds.atol), table, start.held)[2])
    return jnp.maximum(*found)


def _is_busy(g: Any, d: Any, doubt: Any, band: Any) -> Any:
    """Whether g (looks, e) may be zero; d are its slopes by the share of the step."""
    span = 1.0 / PARTS
    g0, g1, d0, d1 = g[:-1], g[1:], span * d[:-1], span * d[1:]
    # A cubic lies among the four points that make it.
    side = jnp.sign(g0)
    hull = [side * each for each in (g0, g0 + d0 / 3, g1 - d1 / 3, g1)]
    near = jnp.minimum(
        jnp.minimum(hull[0], hull[1]), jnp.minimum(hull[2], hull[3])
    ) <= jnp.maximum(doubt, band)
    dips = (g0 * d0 < 0) & (g1 * d1 >= 0) & (jnp.abs(g0) - 2 * jnp.abs(d0) <= band)
    odd = ~jnp.isfinite(g)
    return jnp.any(near) | jnp.any(dips) | jnp.any(odd) | _is_rough(g, d, doubt)


def _is_rough(g: Any, d: Any, doubt: Any) -> Any:
    """Whether the middle of two parts is not what the cubic of their ends says."""
    span = 2.0 / PARTS
    g0, g1, g2, d0, d1, d2 = g[:-1:2], g[1::2], g[2::2], d[:-1:2], d[1::2], d[2::2]
    middle = (g0 + g2) / 2 + span * (d0 - d2) / 8
    leaning = 1.5 * (g2 - g0) / span - (d0 + d2) / 4
    size = jnp.maximum(jnp.max(jnp.abs(g), axis=0), span * jnp.max(jnp.abs(d), axis=0))
    missed = jnp.maximum(jnp.abs(g1 - middle), span * jnp.abs(d1 - leaning))
    return jnp.any(missed > SMOOTH * size + doubt)
