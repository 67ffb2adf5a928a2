"""The force of gas on a piston, by the pressure over the angle of the crank."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

from polhode.actions.coefficient import coefficient
from polhode.actions.machines.curves import require_curve
from polhode.arrays import Scalar
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    parameters_in,
)
from polhode.matter.tables.table import Table as Curve


@final
@dataclass(frozen=True, eq=False)
class GasForce:
    """Gas on a piston, as an indicator diagram has it:   F = area pressure(q_crank)

    piston     the joint along which it slides; the force is along it, or against it
               with `inwards=True`, where the head of the cylinder is on that side
    crank      the joint whose angle the pressure is a table of
    pressure   N/m^2 above that of the surroundings, of rad; beyond="repeat" with a
               period of 4 pi for four strokes, of 2 pi for two
    area       m^2

    >>> import numpy as np
    >>> import polhode as ph
    >>> world, rod = ph.World(), ph.Body("rod", ph.solids.rod(mass=1, length=0.1))
    >>> crank = ph.Revolute("crank", world.origin, rod.origin, axis=ph.Y)
    >>> mass = ph.Particle("piston", 0.4)
    >>> slide = ph.Prismatic("slide", world.origin, mass.mass_centre, axis=ph.Z)
    >>> p = ph.Table([0, np.pi, 2 * np.pi], [2e6, 0, 2e6], beyond="repeat", name="p")
    >>> gas = ph.machines.GasForce(slide, crank, p, 0.005, inwards=True)
    >>> gas.effort([np.zeros(1), np.zeros(1)], [np.zeros(1), np.zeros(1)])[0]
    array([-10000.])
    """

    piston: Joint
    crank: Joint
    pressure: Curve
    area: Quantity
    _: KW_ONLY
    inwards: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        name = self.name or f"gas on {self.piston.name}"
        object.__setattr__(self, "name", name)
        for joint in self.joints:
            if joint.coordinates != 1:
                raise ModelError(
                    f"{name!r} cannot use joint {joint.name!r}, which has"
                    f" {joint.coordinates} coordinates.",
                    "A piston slides along one line, and a crank turns about one.",
                    "Use a prismatic joint and a revolute one.",
                )
        require_curve(name, "pressure", self.pressure)
        area = coefficient(name, "area", self.area, unit="m^2")
        object.__setattr__(self, "area", area)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The piston, then the crank, on which it exerts nothing itself."""
        return (self.piston, self.crank)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The bodies of both joints."""
        ends = (f for j in self.joints for f in (j.second.frame, j.first.frame))
        return tuple(dict.fromkeys(ends))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The area: the table is data."""
        return parameters_in([self.area])

    @property
    def is_conservative(self) -> bool:
        """Gas is burnt and let out."""
        return False

    def effort(self, q: Any, z: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """[F (1,) along the piston, 0 (1,) on the crank]"""
        F = at(self.area, table) * self.pressure.lookup(q[1])
        return [-F if self.inwards else F, 0.0 * q[1]]

    def energy(self, q: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """None is stored."""
        return 0.0
