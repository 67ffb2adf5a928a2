"""Gravity gradient: what the size of a body adds to the pull on its mass centre.

    V = -mu/(2 r^3) (tr I - 3 e . I e)           MacCullagh, without the pull -mu m/r
    torque = 3 mu/r^3 e x I e                    about the mass centre
    F = -3 mu/(2 r^4) [(tr I - 5 e . I e) e + 2 I e]

e = r/|r| goes from the planet to the mass centre and I is the inertia about it. The
error is of the third order in the body's size over r.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

from polhode.actions.attachment import Attachment, parameters_of
from polhode.actions.coefficient import coefficient
from polhode.actions.fields.gravity import inverse_distance
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.actions.space.loads import (
    CraftAction,
    Placed,
    admit_craft,
    along_observer,
    loads_on_bodies,
    mass_centres,
    parameters_of_bodies,
)
from polhode.actions.space.planet import EARTH
from polhode.arrays import Array, Scalar, namespace
from polhode.geometry.vector import cross, dot
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at, distinct


def gradient_torque(x: Array, inertia: Array, mu: Scalar) -> Any:
    """3 mu/r^3 e x I e (..., 3), about the mass centre at x from a point that pulls."""
    near = inverse_distance(x)
    e = near[..., None] * x
    return (3 * mu * near**3)[..., None] * cross(e, _times(inertia, e))


def gradient_force(x: Array, inertia: Array, mu: Scalar) -> Any:
    """-3 mu/(2 r^4) [(tr I - 5 e.Ie) e + 2 I e] (..., 3)"""
    near = inverse_distance(x)
    e = near[..., None] * x
    Ie = _times(inertia, e)
    along = (_trace(inertia) - 5 * dot(e, Ie))[..., None] * e
    return (-1.5 * mu * near**4)[..., None] * (along + 2 * Ie)


def gradient_energy(x: Array, inertia: Array, mu: Scalar) -> Any:
    """-mu/(2 r^3) (tr I - 3 e.Ie)"""
    near = inverse_distance(x)
    e = near[..., None] * x
    spread = _trace(inertia) - 3 * dot(e, _times(inertia, e))
    return -0.5 * mu * near**3 * spread


@final
@dataclass(frozen=True, eq=False)
class GravityGradient(CraftAction):
    """The torque, and the small force, of an uneven pull on bodies with a size.

    on   a body, or several; a particle feels none
    by   the planet's centre

    It is added to a pull on mass centres, such as `ZonalGravity`. Beside the round part
    of a planet the gradient of its zonals is a thousandth, and is left out.

    >>> import polhode as ph
    >>> craft = ph.Body("craft", ph.solids.box(mass=80.0, x=0.5, y=0.6, z=1.5))
    >>> ph.space.GravityGradient(craft, ph.World().origin).is_conservative
    True
    """

    on: Any
    by: Attachment
    _: KW_ONLY
    mu: Quantity = EARTH.mu
    name: str = "gravity gradient"

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", admit_craft(self.name, self.on, self.by))
        mu = coefficient(self.name, "mu", self.mu, unit="m^3/s^2")
        object.__setattr__(self, "mu", mu)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """mu, and those of the inertias."""
        own = parameters_of((self.by,), self.mu)
        return distinct((*own, *parameters_of_bodies(self.on)))

    @property
    def is_conservative(self) -> bool:
        """It has MacCullagh's energy."""
        return True

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Torque about and force through each mass centre; opposites on the planet."""
        mu, places = at(self.mu, table), mass_centres(poses, self.on, self.by, table)
        forces, couples = [], []
        for x, inertia, p in self._planet_view(poses, places, table):
            forces.append(along_observer(p, gradient_force(x, inertia, mu)))
            couples.append(along_observer(p, gradient_torque(x, inertia, mu)))
        return loads_on_bodies(poses, [p.arm for p in places], forces, couples)

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = -mu/(2 r^3) (tr I - 3 e.Ie)"""
        mu, places = at(self.mu, table), mass_centres(poses, self.on, self.by, table)
        seen = self._planet_view(poses, places, table)
        return sum(gradient_energy(x, inertia, mu) for x, inertia, _ in seen)

    def fault(self) -> str:
        """At the centre there is no direction."""
        return "A mass centre is at the planet's centre: its pull has no direction."

    def _planet_view(
        self, poses: Poses, places: list[Placed], table: Table
    ) -> list[Any]:
        """x, the central inertia along the planet's axes, and the place, of each."""
        found = []
        for k, (body, p) in enumerate(zip(self.on, places, strict=True)):
            xp = namespace(*poses, p.x)
            R = p.axes.swapaxes(-1, -2) @ poses.rotations[..., k, :, :]
            inertia = xp.asarray(body.moments(table).inertia)
            found.append((p.x, R @ inertia @ R.swapaxes(-1, -2), p))
        return found


def _times(matrix: Array, column: Array) -> Any:
    return (matrix * column[..., None, :]).sum(-1)


def _trace(matrix: Array) -> Any:
    return matrix[..., 0, 0] + matrix[..., 1, 1] + matrix[..., 2, 2]
