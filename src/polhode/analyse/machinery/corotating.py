"""Error coordinates that turn with a steady motion, so that its equations are constant.

    d = exp(O t) y,      O skew

A disc that rolls straight on has axes that turn with it, and in these its first-order
equations change in time: M' = O M - M O, z_dot = O z. About y they are constant:

    M y'' + (D + 2 M O) y' + (K + D O + M O^2) y = B u,      A y' + (F + A O) y = 0

O has a block of unknown turns for each joint whose speeds are components of vectors; it
is the least one for which the rates above hold. Whether the motion is steady is then
seen at a later time, where everything must be what it was, turned.
"""

from __future__ import annotations

import numpy as np

from polhode.analyse.machinery.variations import (
    Outputs,
    Ports,
    Variations,
    variations_of,
)
from polhode.geometry.vector import skew
from polhode.matter.parameter import Table
from polhode.system.lengths import coordinate_lengths, natural_length
from polhode.system.state import State
from polhode.system.system import System

LATER = 0.7  # by how much of the quickest turn, in radians, the later state is on
ACCELERATED = 1e-8  # of what acts and turns: a rate of speeds that is rounding
STEADY = 1e-7  # what may differ there, of its own size
TRIPLES = ((".wx", ".wy", ".wz"), (".vx", ".vy", ".vz"))
PAIR = (".u", ".v")


def turning_of(state: State, near: Variations) -> np.ndarray:
    """O (n, n), the least that turns the speeds and the mass matrix as they turn."""
    system, z = state.system, state.z
    unknown = generators(system)
    n = system.speeds
    if not unknown or not np.any(z):
        return np.zeros((n, n))
    M = near.mass
    size, speed = np.max(np.abs(M)), np.max(np.abs(z))
    columns = [
        np.concatenate([(g @ M - M @ g).ravel() / size, g @ z / speed]) for g in unknown
    ]
    wanted = np.concatenate([near.mass_rate.ravel() / size, near.accelerations / speed])
    found = np.linalg.lstsq(np.transpose(columns), wanted, rcond=1e-9)[0]
    found = np.where(np.abs(found) > 1e-13 * speed, found, 0.0)
    return np.tensordot(found, np.array(unknown), 1)


def generators(system: System) -> list[np.ndarray]:
    """Turns (n, n) of the speeds of each joint that are components of vectors."""
    found = []
    for edge in system.tree.edges:
        suffixes, first = edge.joint.speed_suffixes, edge.z.start
        starts = [first + suffixes.index(t[0]) for t in TRIPLES if t[0] in suffixes]
        for axis in np.eye(3) if starts else ():
            found.append(_placed(system.speeds, starts, np.asarray(-skew(axis))))
        if PAIR[0] in suffixes:
            quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
            start = first + suffixes.index(PAIR[0])
            found.append(_placed(system.speeds, [start], quarter))
    return found


def turned(near: Variations, turn: np.ndarray) -> Variations:
    """The first-order changes about y, where d = exp(O t) y, at this instant."""
    if not np.any(turn):
        return near
    M, D = near.mass, near.damping
    return near._replace(
        damping=D + 2 * M @ turn,
        stiffness=near.stiffness + D @ turn + M @ turn @ turn,
        drift=near.drift + near.rows @ turn,
        seen=near.seen + near.seen_rates @ turn,
    )


def unsteadiness(
    state: State,
    table: Table,
    near: Variations,
    turn: np.ndarray,
    *,
    ports: Ports,
    outputs: Outputs,
) -> str:
    """Why the first-order equations change in time; "" where they do not.

    Sizes are compared in the measure of masses, and rates with those of the motion and
    of its oscillations, so that units do not matter.
    """
    rate = _rate(state, near, turn)
    if found := _accelerated(state, table, near, turn, rate):
        what = "is at rest" if not np.any(state.z) else "moves"
        return f"it {what} and is accelerated: {found}"
    later, E = _later(state, turn, LATER / rate)
    then = variations_of(later, table, ports, outputs)
    if found := _accelerated(later, table, then, turn, rate):
        return f"it will be accelerated, at t = {later.t:.4g} s: {found}"
    for word, (one, other), size in _pairs(near, then, E, rate):
        gap = np.max(np.abs(one - other), initial=0.0)
        size = max(size, np.max(np.abs(one), initial=0.0))
        if gap > STEADY * size:
            share, span = gap / size, later.t - state.t
            return f"its {word} changes by {share:.1e} of itself in {span:.3g} s"
    return ""


def _accelerated(
    state: State, table: Table, near: Variations, turn: np.ndarray, rate: float
) -> str:
    """The largest rate of a speed that a steady motion would not have; "" if none."""
    z, weights = state.z, np.sqrt(np.diag(near.mass))
    missed = weights * np.abs(near.accelerations - turn @ z)
    acting = _acting(state, table, weights) + rate * np.max(weights * np.abs(z))
    if np.max(missed, initial=0.0) <= ACCELERATED * acting:
        return ""
    k = int(np.argmax(missed))
    return f"{state.system.speed_names[k]}' = {near.accelerations[k]:.4g}"


def _rate(state: State, near: Variations, turn: np.ndarray) -> float:
    """The quickest of the motion's turns and of its oscillations, 1/s."""
    weights = np.sqrt(np.diag(near.mass))
    stiff = np.max(np.abs(near.stiffness) / np.outer(weights, weights), initial=0.0)
    units = [u for joint in state.system.joints for u in joint.speed_units]
    angular = np.array([u == "rad/s" for u in units], bool)
    spins = np.max(np.abs(state.z[angular]), initial=0.0)
    return float(max(np.sqrt(stiff), spins, np.max(np.abs(turn), initial=0.0))) or 1.0


def _acting(state: State, table: Table, weights: np.ndarray) -> float:
    """The size of what acts, were it all along one speed: the sum of |F| |J|."""
    system, at = state.system, (state.t, state.q)
    J = np.asarray(system.jacobians(*at, table))
    ways = np.linalg.norm(J.reshape(len(J), 2, 3, -1), axis=2)  # (n, 2, nz)
    # A force through the origin of a body on a hinge there has no moment, but that of
    # its points is rounded as if it had an arm.
    ways[:, 1] += natural_length(system, np.asarray(state.q)) * ways[:, 0]
    total = np.zeros(system.speeds)
    for pair in system.wrenches(*at, state.z, table).values():
        for k, part in enumerate(pair):
            total += np.linalg.norm(part, axis=1) @ ways[:, k]
    return float(np.max(total / weights, initial=0.0))


def _pairs(near: Variations, then: Variations, E: np.ndarray, rate: float) -> list:
    """What must be the same now and, turned back, later; and a size of it."""
    weights = np.sqrt(np.diag(near.mass))
    scale = np.outer(weights, weights)

    def both(field: str) -> tuple[np.ndarray, np.ndarray]:
        one, other = getattr(near, field), E.T @ getattr(then, field) @ E
        return one / scale, other / scale

    return [
        ("mass matrix", both("mass"), 1.0),
        ("damping", both("damping"), rate),
        ("stiffness", both("stiffness"), rate**2),
        ("set of free velocities", (_free(near), E.T @ _free(then) @ E), 1.0),
        ("constraint drift", (_shift(near), E.T @ _shift(then) @ E), rate),
        ("forcing by inputs", (near.forcing, E.T @ then.forcing), 0.0),
        ("output by places", (near.seen, then.seen @ E), 0.0),
        ("output by rates", (near.seen_rates, then.seen_rates @ E), 0.0),
    ]


def _free(near: Variations) -> np.ndarray:
    """The projector on the velocities that the rows leave free."""
    return np.eye(near.mass.shape[0]) - np.linalg.pinv(near.rows, 1e-9) @ near.rows


def _shift(near: Variations) -> np.ndarray:
    return np.linalg.pinv(near.rows, 1e-9) @ near.drift


def _later(state: State, turn: np.ndarray, span: float) -> tuple[State, np.ndarray]:
    """The state of the steady motion a while later, z = exp(O t) z, and exp(O t)."""
    from scipy.integrate import solve_ivp
    from scipy.linalg import expm

    system, z = state.system, state.z
    E = expm(turn * span)
    t = float(state.t)
    if not np.any(z):
        return State(system, t + span, state.q, z), E

    def slope(s: float, q: np.ndarray) -> np.ndarray:
        now = expm(turn * s) @ z if np.any(turn) else z
        return np.asarray(system.rates(t + s, q, now), float)

    atol = 1e-13 * coordinate_lengths(system, natural_length(system, state.q))
    found = solve_ivp(slope, (0.0, span), state.q, "DOP853", rtol=1e-12, atol=atol)
    return State(system, t + span, found.y[:, -1], E @ z), E


def _placed(n: int, starts: list[int], block: np.ndarray) -> np.ndarray:
    turn = np.zeros((n, n))
    for start in starts:
        stop = start + len(block)
        turn[start:stop, start:stop] = block
    return turn
