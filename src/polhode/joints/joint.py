"""What every joint answers: where its frames sit, what it lets through, what it holds.

A joint leads from a point of the predecessor body B to one of the successor body C.

         B -- first_frame --> F ~~ pose(q) ~~> M <-- second_frame -- C

F has its origin at `first` and M at `second`, each with the axes of its body unless
`first_axes` or `second_axes` turns them. At q = neutral() M coincides with F. With
X = (R_FM, p_FoMo_F) and V = [w_FM_M; v_FMo_M], the twist of M in F about Mo, in M's
axes, and S = dV/dz, B = reaction(q):

    V = twist(q, z) = S z               hat V = X⁻¹ Ẋ along q_dot = rates(q, z)
    speeds_from(q, rates(q, z)) = z     for every tangent vector q_dot
    Bᵀ S = 0,  rank B = 6 - speeds      ideal: reactions do no work, and hold the rest
    residual(pose(q)) = 0               and only there; its rate is Bᵀ V, any V
    coordinates_from(pose(q)) = q       up to whole turns and a quaternion's sign
    local(q, 0) = q                     and d local/dδ = rates(q, .) there

Coordinates and speeds are angular first. All are array kernels, for use in traces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from polhode.arrays import namespace
from polhode.errors import ModelError
from polhode.joints.motor_data import (
    admit_bounds,
    admit_motor,
    common_unit,
    effort_unit,
)
from polhode.joints.seat import Place, admit_axes, coordinates_of, require_ends
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import NOMINAL, Parameter, Table, at, parameters_in
from polhode.matter.parameter import distinct as each_once
from polhode.matter.quantities.direction import Direction

if TYPE_CHECKING:
    from polhode.public.shapes import (
        Column3,
        Column6,
        Columns6,
        JointColumn,
        Matrix3,
        ReactionBasis,
        Residual,
        Speeds,
    )

Frames = tuple[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Joint(ABC):  # limit: the contract is one list of questions
    """The contract of the module, the ends of a joint, and what engineers know of it.

    limits         (lower, upper) of the coordinates, in radians and metres
    rotor_inertia  of the motor on each speed, about its own shaft
    gear_ratio     shaft turns a turn of the joint
    effort_limits  (lower, upper) of what the motor gives along each speed

    A number serves every coordinate or speed; a sequence gives one for each. A kind of
    joint adds its axes and the abstract kernels, and overrides nothing.
    """

    name: str
    first: Place
    second: Place
    _: KW_ONLY
    first_axes: Any = None
    second_axes: Any = None
    limits: Any = None
    rotor_inertia: Any = 0.0
    gear_ratio: Any = 1.0
    effort_limits: Any = None
    quantities: tuple[Any, ...] = field(init=False)
    # Its axis or normal where that depends on parameters; None where it is a column.
    directed: Direction | None = field(init=False, default=None)

    # Numbers of coordinates and of speeds, and of each: the end of its name, its unit,
    # and for a coordinate whether a whole turn of it is the same pose.
    coordinates: ClassVar[int]
    speeds: ClassVar[int]
    coordinate_suffixes: ClassVar[tuple[str, ...]]
    speed_suffixes: ClassVar[tuple[str, ...]]
    units: ClassVar[tuple[str, ...]]
    speed_units: ClassVar[tuple[str, ...]]
    angles: ClassVar[tuple[bool, ...]]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers it depends on, those of its ends included."""
        ends = (self.first, self.second)
        held = [p for e in ends if isinstance(e, MaterialPoint) for p in e.parameters]
        return each_once([*held, *parameters_in(self.quantities)])

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """What each coordinate is called: 'hinge', or 'ball.qw', 'ball.qx', ..."""
        return tuple(self.name + suffix for suffix in self.coordinate_suffixes)

    @property
    def speed_names(self) -> tuple[str, ...]:
        """What each speed is called: 'hinge', or 'ball.wx', ..."""
        return tuple(self.name + suffix for suffix in self.speed_suffixes)

    def first_frame(self, table: Table = NOMINAL) -> Frames:
        """F in the predecessor's frame B: R_BF (3, 3) and p_BoFo_B (3,)."""
        return self.first_axes, coordinates_of(self.first, table)

    def second_frame(self, table: Table = NOMINAL) -> Frames:
        """M in the successor's frame C: R_CM (3, 3) and p_CoMo_C (3,)."""
        return self.second_axes, coordinates_of(self.second, table)

    def triad_at(self, table: Table = NOMINAL) -> Any:
        """Of a joint with one axis: (u, v, n) as columns (3, 3)."""
        own: Any = self  # kinds with an axis keep their triad
        return own.triad if self.directed is None else self.directed.triad(table)

    def axis_at(self, table: Table = NOMINAL) -> Any:
        """Of a joint with one axis, or one normal: n (3,)."""
        own: Any = self
        return own.triad[:, 2] if self.directed is None else self.directed.at(table)

    def margin(self, q: JointColumn) -> JointColumn:
        """How far each coordinate is from its nearer limit; below 0 beyond it."""
        lower, upper = self.limits
        return namespace(q).minimum(q - lower, upper - q)

    def reflected_inertia(self, table: Table = NOMINAL) -> Any:
        """What rotors add to the diagonal of the mass matrix: gear² J (speeds,)."""
        pairs = zip(self.gear_ratio, self.rotor_inertia, strict=True)
        reflected = [at(gear, table) ** 2 * at(rotor, table) for gear, rotor in pairs]
        return namespace(*reflected).array(reflected, dtype=float)

    @abstractmethod
    def neutral(self) -> np.ndarray:
        """The coordinates (coordinates,) at which M coincides with F."""

    @abstractmethod
    def normalised(self, q: JointColumn) -> JointColumn:
        """The coordinates put right: a quaternion of length one."""

    @abstractmethod
    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """Where M is in F: R_FM (3, 3) and p_FoMo_F (3,)."""

    @abstractmethod
    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """How M moves in F, written in M: [w_FM_M; v_FMo_M] (6,)."""

    @abstractmethod
    def rates(self, q: JointColumn, z: Speeds) -> JointColumn:
        """q_dot (coordinates,) of the speeds z (speeds,)."""

    @abstractmethod
    def speeds_from(self, q: JointColumn, q_dot: JointColumn) -> Speeds:
        """The speeds z that give a tangent vector q_dot."""

    @abstractmethod
    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """A basis (6, 6 - speeds) of the wrenches it can put on the successor.

        Columns [torque about Mo; force], written in M.
        """

    @abstractmethod
    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """What keeps a pose from being an allowed one (6 - speeds,), in rad and m."""

    @abstractmethod
    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The coordinates of an allowed pose; angles in (-π, π]."""

    @abstractmethod
    def local(self, q: JointColumn, delta: Speeds) -> JointColumn:
        """The coordinates moved by a small δ (speeds,): the exact exponential."""

    def __repr__(self) -> str:
        ends = f"{self.first.frame.name!r}, {self.second.frame.name!r}"
        return f"{type(self).__name__}({self.name!r}, {ends})"


def construct(joint: Joint, *numbers: Any, axis: Any = None) -> None:
    """The door of every joint: its name, its ends, its motors and its own numbers.

    `axis` is that of a kind with one, as `admit_axis` gave it.
    """
    require_ends(joint.name, joint.first, joint.second)
    admitted = {
        "first_axes": admit_axes(joint.name, joint.first_axes, joint.first.frame),
        "second_axes": admit_axes(joint.name, joint.second_axes, joint.second.frame),
        "limits": _limits(joint),
        "effort_limits": admit_bounds(
            *(joint.name, "effort limit", joint.effort_limits, joint.speeds),
            unit=effort_unit(joint.units),
        ),
        **admit_motor(joint.name, joint.rotor_inertia, joint.gear_ratio, joint.speeds),
    }
    motors = (*admitted["rotor_inertia"], *admitted["gear_ratio"])
    directed = axis if isinstance(axis, Direction) else None
    admitted["quantities"] = (
        *numbers,
        *(directed.entries if directed else ()),
        *motors,
    )
    admitted["directed"] = directed
    for word, value in admitted.items():
        object.__setattr__(joint, word, value)


def _limits(joint: Joint) -> Any:
    if joint.limits is not None and joint.coordinates != joint.speeds:
        raise ModelError(
            f"joint {joint.name!r} cannot have limits on its coordinates.",
            "Some are parts of a quaternion: no box in them is a range of motion.",
            "Leave limits out, and bound the tilt or the turn by an event.",
        )
    own, unit = (joint.limits, joint.coordinates), common_unit(joint.units)
    return admit_bounds(joint.name, "limit", *own, unit=unit)


def freedoms(joint: Joint, q: JointColumn, table: Table = NOMINAL) -> Any:
    """The motions it lets through, S (6, speeds): twist(q, z) = S z."""
    columns = [joint.twist(q, e, table) for e in np.eye(joint.speeds)]
    xp = namespace(*columns)
    return xp.stack(columns, axis=-1) if columns else np.zeros((6, 0))


def reaction_power(
    V_first: Columns6, V_second: Columns6, wrench_on_first: Columns6
) -> Any:
    """The power of a joint's reaction on both its bodies together.

        P = (w₁ - w₂) . M_on1 + (v₁ - v₂) . F_on1

    Twists [w; v] and the wrench [M; F] are about one joint point and in one frame's
    axes. Zero if the joint is ideal.
    """
    xp = namespace(V_first, V_second, wrench_on_first)
    return xp.sum(wrench_on_first * (V_first - V_second), axis=-1)
