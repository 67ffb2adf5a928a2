"""Variations of a motion, to first order, by exact derivatives.

A neighbour of a reference motion q(t), z(t) has error coordinates d (nz,) along the
joints, so that no orientation is singular:

    q_near = local(q(t), d),    R(t, d, d', d'') = tau(q_near, z_near, z_near') - A^T l

tau is inverse dynamics, l the multipliers of the reference, where R = 0. To first order

    M d'' + D d' + K d = B u,      A d' + F d = 0,      G d = 0

with K = dR/dd, so that the multipliers' share -d(A^T l)/dd, the geometric stiffness, is
in it; A d' + F d is the change of all velocity equations, G d that of those of place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.formulation.recursive.inverse_dynamics import (
    inertial_efforts,
    inverse_dynamics,
)
from polhode.formulation.recursive.recursive import recursive
from polhode.lowering.compile import compile
from polhode.matter.parameter import Table
from polhode.system import numeric_constraints, rows
from polhode.system.rolled.size import is_rolled, refuse_dense
from polhode.system.state import State
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System

Ports = Mapping[str, int]  # names of inputs -> how many numbers; 0 is one bare number
Outputs = Mapping[str, Callable[[Any, State], Any]]
LANES = 4  # directions side by side


class Variations(NamedTuple):
    """First-order changes about a state, in all error coordinates (n = nz).

    mass, damping, stiffness   M, D, K (n, n)
    geometric                  the part of K that the multipliers give (n, n)
    rows, drift                A, F (m, n): A d' + F d = 0
    places                     G (h, n): G d = 0
    forcing                    B (n, k), by each number of the inputs
    seen, seen_rates, passed   of outputs (o, n), (o, n), (o, k), by d, d' and inputs
    mass_rate                  dM/dt along the motion (n, n)
    accelerations              z_dot (n,) of the reference
    multipliers                l (m,) of the reference
    """

    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    geometric: np.ndarray
    rows: np.ndarray
    drift: np.ndarray
    places: np.ndarray
    forcing: np.ndarray
    seen: np.ndarray
    seen_rates: np.ndarray
    passed: np.ndarray
    mass_rate: np.ndarray
    accelerations: np.ndarray
    multipliers: np.ndarray


def variations_of(
    state: State, table: Table, ports: Ports, outputs: Outputs
) -> Variations:
    """Every first-order change about a state of a motion.

    `table` holds the reference values of all inputs.
    """
    system = state.system
    refuse_dense(system, "a linear system")
    program, masses, solve = _programs(system, state, table, ports, outputs)
    at = (float(state.t), state.q, state.z)
    width = sum(max(size, 1) for size in ports.values())
    n, m = system.speeds, len(system.row_names)
    units = np.eye(2 * n + width)
    M, mass_rate = (part.T for part in masses(*at, dict(table), np.eye(n)))
    if m:
        rates, multipliers = solve(*at, dict(table))
    else:  # what would be needed to stay unaccelerated is missing
        still = (np.zeros(n), np.zeros(0))
        missing = program(*at, still, dict(table), units)[1][0]
        rates, multipliers = -np.linalg.solve(M, missing), still[1]
    J = program(*at, (rates, multipliers), dict(table), units)[0].T
    loose = J
    if m:
        loose = program(*at, (rates, 0.0 * multipliers), dict(table), units)[0].T
    by_d, by_rate, by_input = np.split(J, [n, 2 * n], axis=1)
    assert by_input.shape[1] == width
    h = len(J) - n - m - sum(_sizes(system, state, outputs))
    cuts = [n, n + m, n + m + h]
    K, F, G, seen = np.split(by_d, cuts)
    D, A, _, seen_rates = np.split(by_rate, cuts)
    B, _, _, passed = np.split(by_input, cuts)
    A, F, G = _without_rounding(state, table, A, F, G)
    return Variations(
        M, D, K, K - loose[:n, :n], A, F, G, -B, seen, seen_rates, passed,
        mass_rate, rates, multipliers,
    )  # fmt: skip


def _without_rounding(
    state: State, table: Table, A: np.ndarray, F: np.ndarray, G: np.ndarray
) -> tuple[np.ndarray, ...]:
    """A, F and G, without the rounding that rows show which feel no motion."""
    system = state.system
    moving = numeric_constraints.moving_rows(system, state, table)
    flags = [c.is_holonomic for c in system.constraints for _ in c.rows]
    places = moving[np.array(flags, dtype=bool)]
    pairs = ((moving, A), (moving, F), (places, G))
    return tuple(np.where(mask[:, None], part, 0.0) for mask, part in pairs)


def output_sizes(state: State, outputs: Outputs) -> list[int]:
    """How many numbers each output is."""
    return _sizes(state.system, state, outputs)


def _sizes(system: System, state: State, outputs: Outputs) -> list[int]:
    sizes = []
    for function in outputs.values():
        with jax.enable_x64(True):
            found = jax.eval_shape(
                lambda t, q, z, function=function: _output(system, function, t, q, z),
                jnp.zeros(()), jnp.asarray(state.q), jnp.asarray(state.z),
            )  # fmt: skip
        sizes.append(int(found.size))
    return sizes


def _programs(
    system: System, state: State, table: Table, ports: Ports, outputs: Outputs
) -> tuple[Any, Any, Any]:
    names = tuple(sorted(table))
    key = ("variations", tuple(ports.items()), tuple(outputs.items()), names)

    def made() -> tuple[Any, Any, Any]:
        at = (float(state.t), state.q, state.z)
        n, m = system.speeds, len(system.row_names)
        law = recursive(system).functions.accelerations
        solve = compile(law, *at, dict(table)) if m else None
        given = (*at, (np.zeros(n), np.zeros(m)), dict(table))
        width = sum(max(size, 1) for size in ports.values())
        # Of a large system lanes side by side take longer to be made than they save.
        beside = 1 if is_rolled(system) else LANES
        lanes = partial(compile, batched=["direction"], lanes=beside)
        changes = first_order(system, ports, outputs)
        program = lanes(changes, *given, np.zeros(2 * n + width))
        masses = lanes(_masses(system), *at, dict(table), np.zeros(n))
        return program, masses, solve

    return system.remembered(key, made)


def first_order(system: System, ports: Ports, outputs: Outputs) -> Callable[..., Any]:
    """(t, q, z, (z_dot, l), table, direction) -> the change of all along it, and R.

    A direction is of d, d' and inputs. Changes are of R, velocity equations, equations
    of place, outputs. Each direction is a lane of one straight program: as turns of a
    loop they would take LLVM five times as long.
    """
    n = system.speeds

    def found(
        t: Scalar, q: Array, z: Array, solution: tuple, table: Table, direction: Array
    ) -> Any:  # limit: what a lane of the program is called with
        z_dot, l = solution
        q_dot = system.rates(t, q, z, table)

        def moved(q: Array, z: Array, d: Array, rate: Scalar) -> tuple[Any, Any]:
            along = system.rates(t, q, z, table), rate
            place, place_dot = jax.jvp(system.local, (q, d), along)
            return place, system.speeds_from(t, place, place_dot)

        def change(x: Array) -> Any:
            d, rate = x[:n], x[n : 2 * n]
            whole = {**table, **shift_inputs(table, ports, x[2 * n :])}
            here, along = (q, z, d, rate), (q_dot, z_dot, rate, jnp.zeros(n))
            (place, speeds), (_, speeds_dot) = jax.jvp(moved, here, along)
            needed = inverse_dynamics(
                system, StateArrays(t, place, speeds), speeds_dot, whole
            )
            phi, back = jax.vjp(
                lambda s: rows.velocities(system, t, place, s, whole), speeds
            )
            g = rows.positions(system, t, place, whole)
            seen = [_output(system, f, t, place, speeds) for f in outputs.values()]
            missing = needed - back(l)[0]
            return jnp.concatenate([missing, phi, g, *seen]), missing

        zero = 0.0 * direction
        _, along, missing = jax.jvp(change, (zero,), (direction,), has_aux=True)
        return along, missing

    return found


def _masses(system: System) -> Callable[..., Any]:
    """(t, q, z, table, direction) -> M and its rate, times a direction."""

    def masses(t: Scalar, q: Array, z: Array, table: Table, direction: Array) -> Any:
        def needed(q: Array) -> Any:
            return inertial_efforts(system, t, q, direction, table)

        return jax.jvp(needed, (1.0 * q,), (system.rates(t, q, z, table),))

    return masses


def slopes_of(function: Callable[[Any], Any], x: Array) -> Any:
    """df/dx, a column a turn of a loop: the function is traced once."""

    def column(_: object, direction: Any) -> tuple[None, Any]:
        return None, jax.jvp(function, (x,), (direction,))[1]

    return lax.scan(column, None, jnp.eye(len(x)))[1].T


def shift_inputs(table: Table, ports: Ports, change: Array) -> dict[str, Any]:
    """The values of inputs, each changed by its numbers in `change`."""
    found, first = {}, 0
    for name, size in ports.items():
        last = first + max(size, 1)
        step = change[first:last] if size else change[first]
        found[name], first = table[name] + step, last
    return found


def _output(system: System, function: Callable, t: Scalar, q: Array, z: Array) -> Any:
    return 1.0 * jnp.reshape(jnp.asarray(function(t, State(system, t, q, z))), (-1,))
