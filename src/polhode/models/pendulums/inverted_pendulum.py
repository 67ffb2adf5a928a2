r"""A pendulum on its head: on a cart, on a spring, on a shaken hinge.

             o m          th from upright, towards +x
            /
           / th, l        (M + m) x'' + m l th'' cos th - m l th'^2 sin th = F
     _____/_____          m l x'' cos th + m l^2 th'' - m g l sin th = 0
    |     M     |-> F
    `--o-----o--'--> x

Surprise: a blind shake holds it up. A hinge that goes up and down fast enough,
(amplitude x rate)^2 > 2 g l, keeps the rod upright though nothing measures its angle.
"""

from __future__ import annotations

from typing import Any

import polhode as ph

GAINS = (2.0, 40.0, 5.0, 10.0)


def inverted_pendulum() -> ph.System:
    """A cart M with a bob m on a massless rod l above it: joints "rail" and "hinge".

    Parameter F pushes the cart along X. Surprise: to carry the rod to the left without
    dropping it, the cart has to go to the right first.
    """
    cart = ph.Particle("cart", ph.Parameter("M", 1.0))
    rail = ph.Prismatic("rail", ph.World().origin, cart.mass_centre, axis=ph.X)
    push = ph.Motor(rail, ph.Parameter("F", 0.0), name="push")
    hinge = _pole(cart.mass_centre)
    return ph.System([rail, hinge], [ph.Weight(_g()), push], name="inverted pendulum")


def balancing_force(state: ph.State, gains: tuple[float, ...] = GAINS) -> Any:
    """F = K . (x, th, x', th'): state feedback that keeps the rod upright.

    All four gains are positive: the cart is pushed away from where it should be, to
    lean the rod back.
    """
    where, moving = state["rail"], state.speed("rail")
    lean, turning = state["hinge"], state.speed("hinge")
    return gains[0] * where + gains[1] * lean + gains[2] * moving + gains[3] * turning


def sprung_pendulum(stiffness: float = 6.0) -> ph.System:
    """A rod on its head on a torsion spring k: upright is stable if k > m g l.

    Surprise: below that it leans to either side, and nothing in the model says to which
    of the two.
    """
    hinge = _pole(ph.World().origin)
    spring = ph.JointSpring(hinge, ph.Parameter("k", stiffness), name="spring")
    return ph.System([hinge], [ph.Weight(_g()), spring], name="sprung pendulum")


def shaken_pendulum(amplitude: float = 0.02, rate: float = 300.0) -> ph.System:
    """Kapitza's pendulum: the hinge goes up and down by amplitude sin(rate t)."""

    sizes = {"a": ph.Parameter("a", amplitude), "w": ph.Parameter("w", rate)}
    shake = ph.Formula("a * sin(w * t)", constants=sizes)
    hand = ph.Particle("hand", ph.Parameter("M", 1.0))
    lift = ph.Prismatic("lift", ph.World().origin, hand.mass_centre, axis=ph.Z)
    driver = ph.PrescribedMotion(lift, shake, name="shaker")
    hinge = _pole(hand.mass_centre)
    return ph.System([lift, hinge], [ph.Weight(_g())], [driver], name="shaken pendulum")


def _g() -> ph.Parameter:
    return ph.Parameter("g", 9.81)


def _pole(foot: Any) -> ph.Revolute:
    """A bob m on a massless rod l that stands on `foot`, th towards +x."""
    bob = ph.Body.from_inertia("bob", mass=ph.Parameter("m", 0.3), inertia=(0, 0, 0))
    end = bob.point(0, 0, -ph.Parameter("l", 0.5))
    return ph.Revolute("hinge", foot, end, axis=ph.Y)
