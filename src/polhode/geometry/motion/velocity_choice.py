"""Which six numbers are called the velocity of a free body.

A choice is a basis of one-forms on the group: z = σ(X) V_B, with V_B the body twist.

    LEFT      z = V_B                              left-invariant
    RIGHT     z = Ad(X) V_B                        right-invariant
    HYBRID    z = [w_B; R v_B]                     velocity along the observer's axes
    jet(X0)   z = rates of log(X0⁻¹ X)             coordinates near a base pose
    custom    z = σ(X) V_B                         the user's own forms
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.arrays import Array, namespace
from polhode.errors import StateError
from polhode.geometry import se3
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.motion.moving_frame import apply


@final
@dataclass(frozen=True, eq=False)
class VelocityChoice:
    """Six velocity components of a free body, and the way back to its body twist.

    `speeds(X, V_B)` gives z (6,), `body_twist(X, z)` gives V_B; X is the 4x4 pose.
    """

    name: str
    speeds: Callable[[Any, Any], Any]
    body_twist: Callable[[Any, Any], Any]

    def __repr__(self) -> str:
        return f"VelocityChoice({self.name!r})"


def _same(X: Array, twist: Array) -> Any:
    return twist


def _to_right(X: Array, twist: Array) -> Any:
    return se3.adjoint(X) @ twist


def _from_right(X: Array, twist: Array) -> Any:
    return se3.adjoint(se3.inverse(X)) @ twist


def _to_hybrid(X: Array, twist: Array) -> Any:
    xp = namespace(X, twist)
    linear = apply(se3.rotation_of(X), twist[..., 3:])
    return xp.concatenate([twist[..., :3], linear], axis=-1)


def _from_hybrid(X: Array, speeds: Array) -> Any:
    return _to_hybrid(se3.inverse(X), speeds)


LEFT = VelocityChoice("left", _same, _same)
RIGHT = VelocityChoice("right", _to_right, _from_right)
HYBRID = VelocityChoice("hybrid", _to_hybrid, _from_hybrid)


def jet(base: Array) -> VelocityChoice:
    """The rates of the six coordinates q = log(base⁻¹ X) near a base pose (4, 4).

    Singular where the turn from the base reaches 2π; q itself jumps at π.
    """
    back = se3.inverse(admit(base, (4, 4), "the base pose"))

    def speeds(X: Array, twist: Array) -> Any:
        return se3.right_jacobian_inverse(se3.log(back @ X)) @ twist

    def body_twist(X: Array, rates: Array) -> Any:
        return se3.right_jacobian(se3.log(back @ X)) @ rates

    return VelocityChoice("jet", speeds, body_twist)


def custom(name: str, forms: Callable[[Any], Any]) -> VelocityChoice:
    """Velocities from any six independent one-forms: z = σ(X) V_B, σ = forms(X) 6x6.

    Forms that depend on each other are refused at the pose where they do.
    """

    def speeds(X: Array, twist: Array) -> Any:
        return _independent(name, forms(X)) @ twist

    def body_twist(X: Array, z: Array) -> Any:
        sigma = _independent(name, forms(X))
        return namespace(sigma, z).linalg.solve(sigma, z)

    return VelocityChoice(name, speeds, body_twist)


def _independent(name: str, sigma: Array) -> Any:
    if is_traced(sigma):
        return sigma
    matrix = admit(sigma, (6, 6), f"the matrix of the velocity forms {name!r}")
    _, sizes, directions = np.linalg.svd(matrix)
    if sizes[-1] <= 1e-12 * sizes[0]:
        raise StateError(
            f"the velocity forms {name!r} are not independent: their matrix has rank"
            f" {int(np.sum(sizes > 1e-12 * sizes[0]))} of 6.",
            "Some motion of the body has all six of these velocities zero.",
            "Replace one form, or choose other velocities near this pose.",
            f"That motion, as body twist: {np.round(directions[-1], 6) + 0.0}.",
        )
    return matrix
