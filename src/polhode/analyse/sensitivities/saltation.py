r"""Derivatives across a switch of contacts: saltation matrices.

A guard g(t, x, p) falls at t*, where x- becomes x+ = R(t, x-, p). What is varied moves
t* as well. At one time, on the two sides of the switch,

    dt* = -(g_x dx + g_p dp) / (g_t + g_x f-)
    dx+ = R_x (dx + f- dt*) + R_t dt* + R_p dp - f+ dt*

f- and f+ are the rates before and after. An opening gives the identity, for nothing
jumps; a slip that stops loses a direction; an impact that grazes, whose g' is zero, has
no derivative, and that is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.formulation.contact.delassus import problem_function
from polhode.formulation.contact.mode_forces import (
    GUARDS,
    MEMORY,
    guards,
    without_modes,
)
from polhode.formulation.contact.switch_traced import struck_by
from polhode.integrate.field.vector_field import field_of, settled
from polhode.system.contacts import contact_length, names

if TYPE_CHECKING:
    from polhode.analyse.machinery.step_chain import Replay

# Of natural lengths a second: an approach that grazes.
GRAZES = 1e-9


def jump_of_tangents(
    replay: Replay, row: int, tangents: np.ndarray, along: np.ndarray
) -> np.ndarray:
    """dx (columns, width) after the switch before a row, of those in front of it."""
    switch = next(s for s in replay.switches if s.row == row)
    assert replay.held is not None
    t, x, held = replay.t[row], replay.x, replay.held
    before, after = (x[row - 1], held[row - 1]), (x[row], held[row])
    what = (float(switch.fired), 1.0 * switch.hit, float(switch.settles))
    now = (float(t), before, after, what)
    fixed = (replay.values, replay.table)
    example = (now, tangents[0], along[0], fixed)
    word = ("saltation", replay.motion.contacts.order)
    program = replay.program(
        word, _saltation(replay), example, ["tangent", "direction"]
    )
    found, rate = program(now, tangents, along, fixed)
    _require_crossing(replay, row, switch, float(np.asarray(rate).reshape(-1)[0]))
    return np.asarray(found)


def saltation_matrix(replay: Replay, row: int) -> tuple[np.ndarray, np.ndarray]:
    """dx+/dx- (width, width) and dx+/dp (width, p) of the switch before a row."""
    width, p = replay.x.shape[1], len(replay.names)
    tangents = np.concatenate([np.eye(width), np.zeros((p, width))])
    along = np.concatenate([np.zeros((width, p)), np.eye(p)])
    columns = jump_of_tangents(replay, row, tangents, along)
    return columns[:width].T, columns[width:].T


def _saltation(replay: Replay) -> Any:
    """(now, tangent, direction, fixed) -> dx+ (width,), and g' along the motion."""
    system, equations = replay.system, replay.motion.equations
    drive, n = replay.motion.inputs.inputs.drive, replay.system.coordinates
    order, kinds = replay.motion.contacts.order, len(GUARDS) * len(names(system))

    def saltation(now: Any, tangent: Any, direction: Array, fixed: Any) -> Any:
        t, (x, held), (x_after, after), (fired, hit, settles) = now
        p, table = fixed

        def whole(p: Array, held: Any) -> Any:
            return {**replay.whole(p, table), **drive.unpacked(held)}

        def guard(t: Scalar, x: Array, p: Array) -> Any:
            q, z = x[:n], x[n:]
            own = drive.table(t, q, z, replay.whole(p, table), held)
            own = {name: v for name, v in own.items() if name != MEMORY}
            values = guards(system, t, q, z, own).value.reshape(-1)
            return jnp.sum(jnp.where(jnp.arange(kinds) == fired, values, 0.0))

        def change(t: Scalar, x: Array, p: Array) -> Any:
            q, z = x[:n], x[n:]
            own = without_modes(drive.table(t, q, z, replay.whole(p, table), held))
            problem = problem_function(system)(t, q, z, own)
            P = struck_by(system, problem, hit > 0, settles > 0, order=order).impulse
            blow = problem.speeds @ jnp.where(jnp.any(hit > 0), P, 0.0).reshape(-1)
            landed = jnp.concatenate([q, z + blow])
            return settled(
                equations, t, landed, drive.table(t, q, z, whole(p, after), after)
            )

        def rates(x: Array, held: Any) -> Any:
            return field_of(equations, whole(p, held), drive.driven).x_dot(t, x)

        f, f_after = rates(x, held), rates(x_after, after)
        one, none = jnp.ones_like(t), jnp.zeros_like(t)
        varied = jax.jvp(guard, (t, x, p), (none, tangent, direction))[1]
        rate = jax.jvp(guard, (t, x, p), (one, f, jnp.zeros_like(p)))[1]
        dt = jnp.where(fired < kinds, -varied / jnp.where(rate == 0, 1.0, rate), 0.0)
        moved = jax.jvp(change, (t, x, p), (dt, tangent + f * dt, direction))[1]
        return moved - f_after * dt, rate

    return saltation


def _require_crossing(replay: Replay, row: int, switch: Any, rate: float) -> None:
    """Refuse an approach so slow that another would not touch at all."""
    labels, kinds = names(replay.system), len(GUARDS)
    if switch.fired >= kinds * len(labels) or switch.settles:
        return
    contact, kind = divmod(switch.fired, kinds)
    slow = GRAZES * contact_length(replay.system) if kind == 0 else 0.0
    if abs(rate) > slow:
        return
    raise AnalysisError(
        f"{labels[contact]!r} grazes at t = {replay.t[row]:.6g} s: it {GUARDS[kind]} at"
        f" a rate of {rate:.3g} a second.",
        "A motion a little beside it does not touch there, or much sooner: derivatives"
        " have no bound.",
        "Change the start a little, or ask for times before it.",
    )
