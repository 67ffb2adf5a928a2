r"""A wheel with a tyre on a road: load by compression, forces in the road by slip.

            e  axis of the wheel          f = e x n   forwards
        ____|____                         l = n x f   to the left
       (    +    )  centre, radius r      d = r cos(camber) - height    compression
        `-------'                         N = k d + c d'  >= 0
    ~~~~~~~~~~~~~~~~~ road, normal n      slip from the velocity of the tyre's lowest
                                          point in the road: it opposes it
                                          M = -trail F_l n     aligns the wheel

The road is the plane z = 0 of the body `ground`, or a height over it. Under the wheel
it is taken as flat.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
)
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import BodyAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    arm_from_other,
    interaction,
    turn,
    velocity_of,
)
from polhode.actions.user_law import given
from polhode.actions.vehicles.tyre_laws import LAWS, TyreLaw
from polhode.arrays import Array, Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.geometry.vector import cross, dot
from polhode.matter.axes import Y, direction
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    distinct,
)
from polhode.matter.tables.table import Table as Heights

LENGTHS = ("radius", "trail", "relaxation")
# m/s: the least speed by which slip is divided, so that it has a value at rest.
LOW_SPEED = 0.3


class Contact(NamedTuple):
    """Where and how a tyre meets the road, along the observer's axes.

    normal, forward, left   unit vectors (3,)
    arm                     from the origin of the wheel's body to the road below it
    compression             m, below zero in the air
    """

    normal: Any
    forward: Any
    left: Any
    arm: Any
    compression: Any


@final
@dataclass(frozen=True, eq=False)
class Tyre(BodyAction):
    """A tyre on a wheel, on a road.

    wheel       the centre of the wheel, a point of the body that turns with it
    ground      the body that has the road: its plane z = 0, or `road` above it
    radius      m, unloaded
    law         `LinearTyre`, `FialaTyre` or `MagicFormula`
    stiffness   N/m, and `damping`, N s/m, against the road; or `load`, N, where the
                model has no vertical motion: then the tyre does not lift
    axis        of the wheel, in its own axes, to the left
    road        height in m of x, or of x and y: a `ph.Table` or a function
    spins       False where the body does not turn with the wheel: it rolls freely, and
                there is no slip along
    low_speed   m/s, the least speed by which slip is divided
    trail       m, of the force across behind the lowest point at small slip: its moment
                turns the wheel towards its velocity. It fades as 1/(1 + (tan a/fade)^2)
    fade        tan(alpha) at which half of the trail is left
    relaxation  m, of travel over which slip builds up: the two slips are then states of
                their own in `ph.simulate` and `ph.sweep` (`motion.controller(name)`),
                or inputs of the tyre's name; questions at an instant take steady slip

    >>> import polhode as ph
    >>> disc = ph.Body("wheel", ph.solids.disc(mass=20, radius=0.3, along=ph.Y))
    >>> ph.vehicles.Tyre(disc.origin, ph.World().frame, 0.3,
    ...                  ph.vehicles.LinearTyre(6e4, 8e4), stiffness=2e5).stiffness
    Parameter('tyre.stiffness', 200000)
    """

    wheel: Attachment
    ground: Frame
    radius: Quantity
    law: TyreLaw
    _: KW_ONLY
    stiffness: Quantity = 0.0
    damping: Quantity = 0.0
    load: Quantity = 0.0
    axis: Any = Y
    road: Callable[..., Any] | None = None
    spins: bool = True
    low_speed: float = LOW_SPEED
    trail: Quantity = 0.0
    fade: Quantity = 0.1
    relaxation: Quantity = 0.0
    name: str = "tyre"

    def __post_init__(self) -> None:
        require_points(self.name, self.wheel)
        require_two_bodies(self.name, self.wheel.frame, self.ground)
        put = object.__setattr__
        units = dict.fromkeys(LENGTHS, "m")
        units |= {"stiffness": "N/m", "damping": "N*s/m", "load": "N", "fade": ""}
        for word, unit in units.items():
            value = coefficient(self.name, word, getattr(self, word), unit=unit)
            put(self, word, value)
        axle = direction(self.axis, f"the axis of {self.name!r}")
        put(self, "axis", np.asarray(axle, float))
        if not isinstance(self.law, LAWS):
            raise ModelError(
                f"{self.name!r} has no law of tyres: {self.law!r}.",
                "Its forces in the road follow from slip and load.",
                "Give ph.vehicles.LinearTyre(60e3, 80e3), FialaTyre or MagicFormula.",
            )
        if self.road is not None:
            _arguments(self.road)
        values = [at(getattr(self, w)) for w in ("stiffness", "load", "radius")]
        if is_traced(*values):
            return
        if (values[0] > 0) == (values[1] > 0) or not values[2] > 0:
            raise ModelError(
                f"{self.name!r} has stiffness {values[0]:g} N/m, load {values[1]:g} N"
                f" and radius {values[2]:g} m.",
                "The road presses by the compression of the tyre, or by a load that is"
                " given; and a wheel has a radius.",
                "Give stiffness=2e5, or load=3000 for a model without vertical motion.",
            )
        if not is_traced(at(self.fade)) and not at(self.fade) > 0:
            raise ModelError(
                f"the trail of {self.name!r} fades at {at(self.fade):g}.",
                "It is the tangent of a slip angle.",
                "Give fade > 0, such as 0.1.",
            )
        if not float(self.low_speed) > 0:
            raise ModelError(
                f"the low_speed of {self.name!r} is {self.low_speed!r}.",
                "Slip is a ratio of speeds, and has no value at rest.",
                "Give a speed above zero, such as 0.3 m/s.",
            )

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The wheel, then the ground."""
        return (self.wheel.frame, self.ground)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Radius, stiffness, damping, load, trail; of the law and of the centre."""
        road = (self.radius, self.stiffness, self.damping, self.load)
        numbers = (*road, self.trail, self.fade) if at(self.trail) else road
        numbers = (*numbers, self.relaxation) if at(self.relaxation) else numbers
        own = parameters_of((self.wheel,), *numbers)
        return distinct([*own, *self.law.parameters])

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The force of the road at the lowest point, and its opposite on the ground."""
        contact = self.contact(poses, table)
        N, pressed = self._load(contact, poses, twists, table)
        slip = self._slip(contact, poses, twists, table)[:2]
        if self.input_size is not None and self.name in table:
            slip = (table[self.name][0], table[self.name][1])
        along, across = self.law.forces(*slip, N, table)
        F = along[..., None] * contact.forward + across[..., None] * contact.left
        F = F + pressed[..., None] * contact.normal
        if not at(self.trail):
            return interaction(poses, contact.arm, F, 0.0 * F)
        ratio = slip[1] / at(self.fade, table)
        trail = at(self.trail, table) / (1.0 + ratio * ratio)
        aligning = -(trail * across)[..., None] * contact.normal
        return interaction(poses, contact.arm, F, aligning)

    @property
    def input_size(self) -> int | None:
        """Two slips, where they lag; else none."""
        return 2 if is_traced(at(self.relaxation)) or at(self.relaxation) else None

    def slips(
        self, poses: Poses, twists: Twists, table: Table = NOMINAL
    ) -> tuple[Any, Any, Any]:
        """Steady slips kappa and tan(alpha), and the speed m/s that they are of."""
        return self._slip(self.contact(poses, table), poses, twists, table)

    def fault(self) -> str:
        """A wheel that lies flat has no lowest point."""
        return "The wheel lies flat on the road, or the road has no height there."

    def contact(self, poses: Poses, table: Table = NOMINAL) -> Contact:
        """Where the tyre meets the road."""
        xp = namespace(*poses)
        centre = arm_of(poses, 0, self.wheel, table)
        from_ground = arm_from_other(poses, centre)
        R_G = poses.rotations[..., 1, :, :]
        x = (R_G * from_ground[..., :, None]).sum(-2)
        height, normal = self._surface(x)
        n = turn(poses, 1, normal)
        e = turn(poses, 0, xp.asarray(self.axis))
        up = n - dot(n, e)[..., None] * e
        cosine = xp.sqrt(dot(up, up))  # of the camber
        up = up / cosine[..., None]
        forward = cross(e, n) / cosine[..., None]
        r = at(self.radius, table)
        gap = (x[..., 2] - height) * normal[..., 2]
        # A model without vertical motion has its road where the wheel stands on it.
        reach = r if at(self.load) else gap / cosine
        down = -xp.asarray(reach)[..., None] * up
        return Contact(n, forward, cross(n, forward), centre + down, r * cosine - gap)

    def _surface(self, x: Array) -> tuple[Any, Any]:
        """The height below a place, and the normal there, in the axes of the ground."""
        xp = namespace(x)
        if self.road is None:
            flat = 0.0 * x[..., 0]
            return flat, xp.stack([flat, flat, flat + 1.0], axis=-1)
        height, slopes = self._road(x)
        n = xp.concatenate([-slopes, 0.0 * slopes[..., :1] + 1.0], axis=-1)
        return height, n / xp.sqrt(dot(n, n))[..., None]

    @cached_property
    def _road(self) -> Callable[..., Any]:
        from polhode.double import doubled

        count = _arguments(self.road)

        def height(place: Array) -> Any:
            values = {"xy"[k]: place[k] for k in range(count)}
            assert self.road is not None
            return given(self.name, self.road, values)

        def both(x: Array) -> Any:
            import jax

            return jax.value_and_grad(height)(x[:2])

        return doubled(both)

    def _load(
        self, contact: Contact, poses: Poses, twists: Twists, table: Table
    ) -> tuple[Any, Any]:
        """The load that slip is under, and the force out of the road."""
        xp = namespace(*poses, *twists)
        d = contact.compression
        if at(self.load):
            return at(self.load, table) + 0.0 * d, 0.0 * d
        rate = -dot(_sliding(contact, poses, twists), contact.normal)
        N = at(self.stiffness, table) * d + at(self.damping, table) * rate
        N = xp.where(d > 0, xp.maximum(N, 0.0), 0.0)
        return N, N

    def _slip(
        self, contact: Contact, poses: Poses, twists: Twists, table: Table
    ) -> tuple[Any, Any, Any]:
        """kappa, tan(alpha), and the speed by which both are divided."""
        xp = namespace(*poses, *twists)
        v = _sliding(contact, poses, twists)
        along, across = dot(v, contact.forward), dot(v, contact.left)
        e = turn(poses, 0, xp.asarray(self.axis))
        w = twists.angular[..., 0, :] - twists.angular[..., 1, :]
        down = contact.arm - arm_of(poses, 0, self.wheel, table)
        rolling = -dot(cross(e, down), contact.forward) * dot(w, e)
        travel = along + rolling if self.spins else along
        size = xp.sqrt(travel * travel + float(self.low_speed) ** 2)
        kappa = -along / size if self.spins else 0.0 * along
        return kappa, across / size, size


def _sliding(contact: Contact, poses: Poses, twists: Twists) -> Any:
    """The velocity of the tyre's lowest point over the road."""
    v = velocity_of(twists, 0, contact.arm)
    return v - velocity_of(twists, 1, arm_from_other(poses, contact.arm))


def _arguments(road: Any) -> int:
    """Whether a height is a function of x, or of x and y."""
    import inspect

    if isinstance(road, Heights):
        return road.variables
    if hasattr(road, "of"):  # a formula
        count = len(road.of)
    else:
        count = len(inspect.signature(road).parameters) if callable(road) else 0
    if count not in (1, 2):
        raise ModelError(
            f"a road takes {count} numbers.",
            "Its height is one of x, or of x and y, in the axes of the ground.",
            "Give lambda x: ..., lambda x, y: ..., or a ph.Table.",
        )
    return count
