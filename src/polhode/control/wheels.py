"""Clusters of reaction wheels: bodies, joints and motors in one call, and their laws.

    A (3, n)   axes of the wheels along the craft's
    torque on the craft   -A u,      u = -A^+ torque

A wheel is a body like any other: what it does to the craft, gyroscopic torques and the
shaking of an imbalance included, follows from the equations of motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from polhode.actions.space.wheel_motor import WheelMotor
from polhode.arrays import Numbers, Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.rotations import so3
from polhode.joints.revolute import Revolute
from polhode.matter.rigid_body import Body
from polhode.system.checked_argument import system_argument
from polhode.system.state import State
from polhode.system.system import System

TorqueLaw = Callable[[Any, State], Any]


@final
@dataclass(frozen=True, eq=False, repr=False)
class WheelCluster:
    """Reaction wheels on a hub: give `joints` and `motors` to the system.

    hub       the craft's body
    axes      (3, n), columns along the hub's axes
    inertia   of each wheel about its axis, kg m^2
    """

    hub: Body
    axes: np.ndarray
    inertia: float
    wheels: tuple[Body, ...]
    joints: tuple[Revolute, ...]
    motors: tuple[WheelMotor, ...]

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Hub and wheels, for what acts on all of them, such as gravity."""
        return (self.hub, *self.wheels)

    def momentum(self, state: State) -> Any:
        """What the wheels turn with on their craft, sum of I s a (3,), hub's axes."""
        speeds = [state.speed(joint.name) for joint in self.joints]
        column = namespace(*speeds).stack([1.0 * s for s in speeds])
        return self.inertia * (self.axes @ column)

    def inputs(self, torque: TorqueLaw) -> dict[str, Callable[..., Any]]:
        """The inputs of a run in which the wheels give the craft a torque.

        `torque(t, state)` (3,) is along the hub's axes, traceable. It is shared among
        the wheels with the least sum of squares, and cut by each motor's limits.
        """
        shares = -np.linalg.pinv(self.axes)

        def law_of(row: np.ndarray) -> Callable[..., Any]:
            def law(t: Scalar, state: State) -> Any:
                wanted = torque(t, state)
                return row @ namespace(wanted, state.q).asarray(wanted)

            return law

        pairs = zip(self.motors, shares, strict=True)
        return {motor.name: law_of(row) for motor, row in pairs}

    def __repr__(self) -> str:
        return f"WheelCluster({len(self.wheels)} wheels on {self.hub.name!r})"


def pyramid(count: int = 4, tilt: float = 0.6154797) -> np.ndarray:
    """Axes (n, 3) evenly round Z, raised from the XY plane by an angle (rad).

    At 35.26 degrees, four wheels have the same authority about all axes.

    >>> pyramid(4, 0.0).round(12)[1].tolist()
    [0.0, 1.0, 0.0]
    """
    angle = 2 * np.pi * np.arange(count) / count
    flat = np.cos(tilt) * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.concatenate([flat, np.full((count, 1), np.sin(tilt))], axis=1)


def wheel_cluster(
    hub: Body,
    axes: Numbers,
    *,
    inertia: float,
    mass: float,
    transverse: float | None = None,
    radius: float = 0.0,
    torque_limit: float = np.inf,
    speed_limit: float = np.inf,
    viscous: float = 0.0,
    dry: float = 0.0,
    static_imbalance: float = 0.0,
    dynamic_imbalance: float = 0.0,
    name: str = "wheel",
) -> WheelCluster:
    """Reaction wheels on a hub, one for each axis.

    axes                (n, 3) along the hub's axes, such as `np.eye(3)` or `pyramid()`
    inertia             of a wheel about its axis, kg m^2
    transverse          about axes across it, kg m^2; 0.6 of the other if not given
    mass                of a wheel, kg
    radius              of the wheels from the hub's origin, along their axes, m
    static_imbalance    kg m: mass times how far its centre is off the axis
    dynamic_imbalance   kg m^2: product of inertia of the axis and one across it

    Limits and friction are those of `WheelMotor`. Wheels are `name 1`, `name 2`, ...

    >>> import polhode as ph
    >>> hub = ph.Body("hub", ph.solids.box(mass=80.0, x=0.5, y=0.6, z=1.5))
    >>> wheels = ph.space.wheel_cluster(hub, ph.space.pyramid(), inertia=0.02, mass=4.0)
    >>> ph.System([hub, *wheels.joints], wheels.motors)
    System('system': 5 bodies, 5 joints, 10 degrees of freedom)
    """
    directions = _unit_axes(name, axes)
    side = 0.6 * inertia if transverse is None else transverse
    wheels, joints, motors = [], [], []
    for k, axis in enumerate(directions, start=1):
        across = _across(axis)
        about_axes = side * np.eye(3) + (inertia - side) * np.outer(axis, axis)
        pair = np.outer(axis, across)
        product = dynamic_imbalance * (pair + pair.T)
        wheel = Body.from_inertia(
            f"{name} {k}",
            mass=mass,
            inertia=about_axes - product,
            centre=tuple(static_imbalance / mass * across),
        )
        x, y, z = (float(part) for part in radius * axis)
        seat = hub.point(x, y, z, f"seat of {name} {k}")
        joint = Revolute(f"{name} {k}", seat, wheel.origin, axis=tuple(axis))
        motor = WheelMotor(
            joint,
            torque_limit=torque_limit,
            speed_limit=speed_limit,
            viscous=viscous,
            dry=dry,
        )
        motors.append(motor)
        wheels.append(wheel)
        joints.append(joint)
    columns = directions.T.copy()
    members = tuple(wheels), tuple(joints), tuple(motors)
    return WheelCluster(hub, columns, float(inertia), *members)


@system_argument
def attitude_feedback(
    system: System,
    craft: str,
    target: Any,
    *,
    stiffness: Numbers,
    damping: Numbers,
) -> TorqueLaw:
    """torque(t, state) (3,) that turns a craft to an attitude: -K log(R_d^T R) - D w

    craft       the name of its free joint
    target      R_WD (3, 3), or a function of time, traceable
    stiffness   N m/rad, one number or (3, 3) along the craft's axes; damping N m s/rad

    With wheels: `inputs=cluster.inputs(attitude_feedback(...))`.
    """
    edge = system.edge(craft)
    K, D = (np.eye(3) * x if np.ndim(x) == 0 else x for x in (stiffness, damping))

    def torque(t: Scalar, state: State) -> Any:
        R_WD = jnp.asarray(target(t) if callable(target) else target)
        R_WB, _ = edge.joint.pose(state.q[edge.q])
        error = so3.log(R_WD.T @ R_WB)
        return -jnp.asarray(K) @ error - jnp.asarray(D) @ state.z[edge.z][:3]

    return torque


def _unit_axes(name: str, axes: Any) -> np.ndarray:
    given = np.array([np.asarray(axis, float) for axis in axes], dtype=float)
    sizes = np.linalg.norm(given, axis=1) if given.ndim == 2 else np.zeros(1)
    if given.ndim != 2 or given.shape[1] != 3 or not np.all(sizes > 0):
        raise ModelError(
            f"the axes of {name!r} are {axes!r}.",
            "Each wheel turns about one direction of the hub.",
            "Give (n, 3) numbers, none of the rows zero: np.eye(3), or pyramid().",
        )
    return given / sizes[:, None]


def _across(axis: np.ndarray) -> np.ndarray:
    """A unit vector across an axis."""
    other = np.eye(3)[np.argmin(np.abs(axis))]
    found = np.cross(axis, other)
    return found / np.linalg.norm(found)


def require_wheels(given: Sequence[Any] | Any) -> None:
    """Refuse what is no cluster of wheels."""
    if not isinstance(given, WheelCluster):
        raise ModelError(
            f"{given!r} is no cluster of wheels.",
            "The law takes the momentum of reaction wheels away.",
            "Give what ph.space.wheel_cluster(...) made.",
        )
