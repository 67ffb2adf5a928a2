"""A motor by its torque curve: what it can give falls or rises with its speed."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

from polhode.actions.defaults import JointAction
from polhode.actions.machines.curves import require_curve
from polhode.arrays import Array, Scalar, namespace
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
from polhode.matter.tables.table import Table as Curve


@final
@dataclass(frozen=True, eq=False)
class TorqueMotor(JointAction):
    """A motor on a joint that gives a part u of what its curve has at its speed.

        tau = u N torque(N z),     N shaft turns a turn of the joint

    joint      of one speed; its gear_ratio is N, and its rotor_inertia, about the
               shaft, is felt as N^2 J. Its effort_limits cut tau
    torque     N m at the shaft, of the shaft's speed in rad/s
    throttle   u, -1 to 1; a run may give it by the motor's name, as an input

    >>> import numpy as np
    >>> import polhode as ph
    >>> drum = ph.Body("drum", ph.solids.cylinder(mass=5, radius=0.2, length=0.3))
    >>> hub = ph.Revolute("hub", ph.World().origin, drum.origin, axis=ph.Z,
    ...                   gear_ratio=10.0, rotor_inertia=1e-3)
    >>> curve = ph.Table([0, 300], [1.5, 0.0], beyond="extend", name="torque")
    >>> ph.machines.TorqueMotor(hub, curve).effort(np.zeros(1), np.array([10.0]))
    array([10.])
    """

    joint: Joint
    torque: Curve
    throttle: Quantity = 1.0
    _: KW_ONLY
    name: str = ""

    # An input of its name is one number.
    input_size = 0

    def __post_init__(self) -> None:
        name = self.name or f"motor of {self.joint.name}"
        object.__setattr__(self, "name", name)
        if self.joint.speeds != 1:
            raise ModelError(
                f"{name!r} cannot drive {self.joint.name!r}, which has"
                f" {self.joint.speeds} speeds.",
                "A shaft turns about one axis.",
                "Use a revolute, prismatic or screw joint.",
            )
        require_curve(name, "torque", self.torque)
        given = quantity(self.throttle, f"the throttle of {name!r}")
        object.__setattr__(self, "throttle", named(given, f"{name}.throttle"))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The throttle, and the gear."""
        return parameters_in([self.throttle, *self.joint.gear_ratio])

    def effort(
        self, q: Array, z: Array, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """tau (1,), cut to the limits of the joint."""
        u = table[self.name] if self.name in table else at(self.throttle, table)
        xp = namespace(u, q, z)
        N = at(self.joint.gear_ratio[0], table)
        tau = xp.clip(u, -1.0, 1.0) * N * self.torque.lookup(N * z)
        return xp.clip(tau, *self.joint.effort_limits)
