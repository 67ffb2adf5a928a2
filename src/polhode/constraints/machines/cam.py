r"""`ph.machines.Cam`: a follower that a cam lifts by a profile.

        q_follower = lift(q_cam) + offset

The lift is a table, a formula or a function of the cam's angle: the displacement
diagram. Follower and cam are joints of one coordinate, a slide or a lever and a shaft.
The multiplier is the force of the cam along the follower; a closed track holds it both
ways, an open cam only pushes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.arrays import Scalar, namespace
from polhode.constraints.constraint import (
    JointCoupling,
    Placed,
    called,
    require_single,
    shaped,
)
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.joints.joint import Joint
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    named,
    parameters_in,
    quantity,
)


@final
@dataclass(frozen=True, eq=False)
class Cam(JointCoupling):
    """A follower lifted by a cam:   q_follower = lift(q_cam) + offset

    lift   m or rad of the cam's angle in rad; a `ph.Table` with beyond="repeat" for a
           cam that turns round and round

    >>> import numpy as np
    >>> import polhode as ph
    >>> world, disc = ph.World(), ph.Body("disc", ph.solids.disc(mass=1, radius=0.1))
    >>> valve = ph.Body("valve", ph.solids.rod(mass=0.1, length=0.1))
    >>> shaft = ph.Revolute("shaft", world.origin, disc.origin, axis=ph.Y)
    >>> stem = ph.Prismatic("stem", world.origin, valve.origin, axis=ph.Z)
    >>> angle = np.linspace(0, 2 * np.pi, 9)
    >>> lift = ph.Table(angle, 0.005 * (1 - np.cos(angle)), smooth="spline",
    ...                 beyond="repeat", name="lift")
    >>> ph.machines.Cam(stem, shaft, lift).rows
    ('lift',)
    """

    follower: Joint
    cam: Joint
    lift: Callable[[Any], Any]
    offset: Quantity = 0.0
    _: KW_ONLY
    name: str = "cam"

    def __post_init__(self) -> None:
        require_single(self.name, self.follower)
        require_single(self.name, self.cam)
        if self.follower is self.cam:
            raise ModelError(
                f"{self.name!r} lifts its own shaft {self.cam.name!r}.",
                "A cam turns on one joint and lifts another.",
                "Give the joint of the follower, then that of the cam.",
            )
        if not callable(self.lift):
            raise ModelError(
                f"the lift of {self.name!r} is no function: {self.lift!r}.",
                "It says how far the follower is out at every angle of the cam.",
                "Give ph.Table(angles, lifts, smooth='spline', beyond='repeat').",
            )
        given = quantity(self.offset, f"the offset of {self.name!r}")
        object.__setattr__(self, "offset", named(given, f"{self.name}.offset"))

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The follower, then the cam."""
        return (self.follower, self.cam)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The offset: the lift holds its own numbers."""
        return parameters_in([self.offset])

    @property
    def rows(self) -> tuple[str, ...]:
        """One: the lift."""
        return ("lift",)

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """q_follower - lift(q_cam) - offset"""
        follower, cam = placed.coordinates
        row = follower[0] - self._lift(cam[0]) - at(self.offset, table)
        return namespace(row).stack([row])

    def outline(self, base_radius: float, points: int = 181) -> np.ndarray:
        """The pitch curve (points, 2) of a follower that slides through the axis, m.

        r = base_radius + lift(angle), in the axes of the cam at angle 0.
        """
        angle = np.linspace(0.0, 2 * np.pi, points)
        r = base_radius + np.array([float(self._lift(a)) for a in angle])
        # The follower meets the point of the cam that lies backwards by the angle.
        return np.stack([r * np.cos(angle), -r * np.sin(angle)], axis=-1)

    def pressure_angle(self, angle: float, base_radius: float) -> float:
        """Between the follower's way and the normal of the pitch curve, rad.

        tan alpha = lift'(angle) / (base_radius + lift(angle))
        """
        import jax

        with jax.enable_x64(True):
            lift, slope = jax.jvp(self._lift, (float(angle),), (1.0,))
        return float(np.arctan2(float(slope), base_radius + float(lift)))

    @cached_property
    def _lift(self) -> Callable[..., Any]:
        law = doubled(self.lift)

        def lift(angle: Scalar) -> Any:
            return shaped(self.name, called(self.name, law, {"angle": angle}), ())

        return lift
