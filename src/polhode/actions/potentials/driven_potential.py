"""Potential energies relative to a body whose motion is prescribed.

Forces come first, from the energy of relative placements; the motion x_3 = p(t),
Q_3 = P(t) of the driving body is imposed afterwards. What is left is an energy of the
others and of time:

    W(x, Q, t) = U(P^T (x - p), P^T Q),      dW/dx = P U_y,   w_Q = P u_Y

    dW/dt at fixed x, Q = -sum (P U_y) . p_dot - sum ((x - p) x P U_y + P u_Y) . w_P

and minus this is the power of the potential's own wrench on the driving body.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polhode.actions.potentials.invariant import Placement
from polhode.actions.potentials.potential import Potential
from polhode.actions.potentials.raw_potential import RawPotential
from polhode.errors import ModelError
from polhode.geometry.frame import Frame

Path = Callable[[Any], tuple[Any, Any]]


def driven_potential(potential: Potential, driver: Frame, path: Path) -> RawPotential:
    """The energy W of the other bodies, one of the potential's bodies being driven.

    `path(t)` is (P, p): rotation (3, 3) and place (3,) of the driver before the world;
    traceable. The driver is no longer a body of the action: its reaction is not seen,
    and its power is the explicit dW/dt. To see both keep it, by `ph.theory.prescribed`.
    """
    if driver not in potential.bodies:
        names = ", ".join(repr(body.name) for body in potential.bodies)
        raise ModelError(
            f"{potential.name!r} cannot be driven by {driver.name!r}.",
            f"Its bodies are {names}.",
            "Give the frame of one of them.",
        )
    own = potential.with_pivot(driver)
    law = own.law

    def energy(*arguments: Any, **constants: Any) -> Any:
        *others, t = arguments
        P, p = path(t)
        seen = (Placement(P.T @ (b.position - p), P.T @ b.rotation) for b in others)
        return law(*seen, **constants)

    return RawPotential(own.bodies[1:], energy, own.constants, name=own.name)
