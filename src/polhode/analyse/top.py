r"""A heavy body that is alike all round, about a fixed point: the top.

    I_O w_dot + w x I_O w = r_G x m g

It precesses steadily at the lean th, spinning at s along its axis, if

    A p^2 cos th - C s p + m g l = 0        twice, slowly and fast, or not at all

and it sleeps upright if C^2 s^2 > 4 A m g l. Neither formula is used here: motions are
found as steady motions of the model, sleep as a minimum of the energy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.analyse.equilibria.steady_motion import SteadyMotions, steady_motions
from polhode.analyse.machinery.second_variation import second_variation
from polhode.analyse.symmetries import pick, symmetries
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System

TURN = "turn z"
SUFFIXES = (".wx", ".wy", ".wz")
DOUBLINGS, HALVINGS = 60, 50


def steady_precessions(
    top: System, lean: float, spin: float, *, starts: int = 32
) -> SteadyMotions:
    """The steady precessions of a top at a lean from the vertical, slow ones first.

    `spin` is its angular velocity along its own axis, in rad/s; the rate of "turn z"
    is the precession.
    """
    name, axis = _axis(top)
    k = top.speed_names.index(name)

    def leans(t: Scalar, q: Array, z: Array) -> Any:
        return top.poses(t, q).rotations[0][2] @ axis - np.cos(lean)

    def spins(t: Scalar, q: Array, z: Array) -> Any:
        return z[k] - spin

    rates = {TURN: None, name: None}
    found = steady_motions(top, rates, where=(leans, spins), starts=starts)
    slow_first = sorted(found, key=lambda each: abs(each.rates[TURN]))
    return SteadyMotions(top, tuple(slow_first), found.starts, found.arrived)


def sleeping_spin(top: System, upright: State | None = None) -> float:
    """The least spin at which a top stands upright as if nailed there, in rad/s.

    Above it the energy has a minimum there among motions with the same momenta.

    >>> import polhode as ph
    >>> round(sleeping_spin(ph.models.heavy_top()), 3)
    23.771
    """
    name, _ = _axis(top)
    both, stands = pick(top, (TURN, name)), upright or top.rest()
    k = top.speed_names.index(name)

    def sleeps(spin: float) -> bool:
        z = np.eye(top.speeds)[k] * spin
        state = State(top, stands.t, stands.q, z)
        rates = np.array([0.0, spin])
        found = second_variation(both, state, rates, np.zeros(0))
        return found is not None and found.is_minimum

    low, high = 0.0, 1.0
    for _ in range(DOUBLINGS):
        if sleeps(high):
            break
        low, high = high, 2 * high
    else:
        raise AnalysisError(
            f"{top.name!r} sleeps at no spin up to {high:.2g} rad/s.",
            "Its axis must be vertical in the state where it is to sleep.",
            "Give such a state as `upright`.",
        )
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if sleeps(middle) else (middle, high)
    return high


def _axis(top: System) -> tuple[str, np.ndarray]:
    """The speed of the spin, and its axis in the body."""
    known = symmetries(top)
    spins = [n for n in top.speed_names if n in known and n[-3:] in SUFFIXES]
    if TURN not in known or len(spins) != 1 or len(top.bodies) != 1:
        raise AnalysisError(
            f"{top.name!r} is no top.",
            "A top is one body on a ball joint, alike all round one of its axes, in a"
            " field along Z.",
            f"Its symmetries are {', '.join(known) or 'none'}; see ph.steady_motions.",
        )
    (joint,) = top.joints
    R_CM, _ = joint.second_frame(top.table())
    return spins[0], np.asarray(R_CM) @ np.eye(3)[SUFFIXES.index(spins[0][-3:])]
