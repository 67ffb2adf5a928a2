r"""A cart on a spring with a pendulum below it: two freedoms that trade their energy.

    |      k      ______                 (mA + mB) x'' + mB l th'' cos th
    |--/\/\/\/\--|  mA  |--> F               - mB l th'^2 sin th + k x = F
    |            `-o--o-'---> x          mB l x'' cos th + mB l^2 th''
                    \                        + mB g l sin th = C
                  l  \ th   C: couple on the rod
                      o mB

Surprise: push the cart with a steady force F and, when all is at rest, the rod hangs
straight again: where it hangs depends on C alone, where the cart stands on F alone.
"""

from __future__ import annotations

import polhode as ph


def cart_pendulum(force: float = 0.0, couple: float = 0.0) -> ph.System:
    """A cart A on a rail, held by a spring k, carries a bob B on a massless rod l.

    Joints: "rail" (x) and "hinge" (th). F pushes the cart, C turns the rod.
    """
    mA, mB = ph.Parameter("m_A", 1.3), ph.Parameter("m_B", 0.8)
    k, l, g = ph.Parameter("k", 5.0), ph.Parameter("l", 0.9), ph.Parameter("g", 9.81)
    cart = ph.Body("cart", ph.solids.box(mass=mA, x=0.4, y=0.2, z=0.2))
    bob = ph.Body.from_inertia("bob", mass=mB, inertia=(0, 0, 0))
    rail = ph.Prismatic("rail", ph.World().origin, cart.origin, axis=ph.X)
    hinge = ph.Revolute("hinge", cart.origin, bob.point(0, 0, l), axis=-ph.Y)
    actions = [
        ph.Weight(g),
        ph.JointSpring(rail, k, name="spring"),
        ph.Motor(rail, ph.Parameter("F", force), name="push"),
        ph.Motor(hinge, ph.Parameter("C", couple), name="couple"),
    ]
    return ph.System([rail, hinge], actions, name="cart-pendulum")
