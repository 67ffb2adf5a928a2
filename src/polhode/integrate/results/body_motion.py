"""How one body or joint moves along a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np
from numpy.typing import DTypeLike

from polhode.arrays import Array, Scalar
from polhode.errors import StateError
from polhode.integrate.results.observer import (
    SeenMotion,
    body_frame_to_second_order,
    seen_motion,
)
from polhode.integrate.results.state_functions import at_rows
from polhode.matter.parameter import Table
from polhode.system.loads import with_world

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.tree import Edge


@final
@dataclass(frozen=True, eq=False, repr=False)
class BodyMotion:
    """A body along a motion, seen from the world in its axes; leading axes are rows."""

    motion: Trajectory
    place: int

    @property
    def position(self) -> np.ndarray:
        """Where the body's origin is (n, 3)."""
        return at_rows(self.motion, "poses").origins[:, self.place]

    @property
    def orientation(self) -> np.ndarray:
        """R_WB (n, 3, 3): the columns are the body's axes."""
        return at_rows(self.motion, "poses").rotations[:, self.place]

    @property
    def velocity(self) -> np.ndarray:
        """The velocity of the body's origin (n, 3)."""
        return at_rows(self.motion, "twists").linear[:, self.place]

    @property
    def angular_velocity(self) -> np.ndarray:
        """The angular velocity (n, 3)."""
        return at_rows(self.motion, "twists").angular[:, self.place]

    @property
    def acceleration(self) -> np.ndarray:
        """The acceleration of the body's origin (n, 3), under the inputs of the run."""
        return body_frame_to_second_order(self.motion, self.place).acceleration

    @property
    def angular_acceleration(self) -> np.ndarray:
        """The rate of the angular velocity (n, 3)."""
        frame = body_frame_to_second_order(self.motion, self.place)
        return frame.angular_acceleration

    def seen_from(self, observer: Any) -> SeenMotion:
        """The same motion as another observer sees it, along that observer's axes.

        `observer` is a body of the system or the world, by name or itself; a function
        t -> (R, p) in `jax.numpy`, the pose of a frame before the world; or
        `ph.space.LocalFrame("leader")`, the local frame of an orbit.

        `motion["follower"].seen_from("leader").position`
        """
        return seen_motion(self.motion, self.place, observer)

    def __repr__(self) -> str:
        body = self.motion.system.bodies[self.place]
        return f"BodyMotion({body.name!r}, {len(self.motion)} rows)"


class Reaction(NamedTuple):
    """What a joint exerts on its second body, about its point there: (n, 3) each.

    Along the world's axes.
    """

    torque: np.ndarray
    force: np.ndarray


@final
@dataclass(frozen=True, eq=False, repr=False)
class JointMotion:
    """A joint along a motion; leading axes are rows.

    t (n,), coordinates (n, k), speeds (n, m). To NumPy and matplotlib it is the array
    of its coordinates: `np.degrees(motion["elbow"])`.
    """

    t: np.ndarray
    coordinates: np.ndarray
    speeds: np.ndarray
    motion: Trajectory | None = None
    edge: Edge | None = None

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        """Its coordinates: (n,) where it has one, so that plots and NumPy take it."""
        q = self.coordinates
        return np.array(q[:, 0] if q.shape[1] == 1 else q, dtype=dtype)

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, rows: Any) -> Any:
        return np.asarray(self)[rows]

    def min(self) -> Any:
        """The least of its coordinates along the motion; (k,) of several."""
        return np.min(np.asarray(self), axis=0)

    def max(self) -> Any:
        """The largest of its coordinates along the motion; (k,) of several."""
        return np.max(np.asarray(self), axis=0)

    @property
    def reaction(self) -> Reaction:
        """What the joint exerts on its second body; a motor's effort is not in it."""
        if self.motion is None or self.edge is None:
            raise StateError(
                "the reaction of a joint cannot be known without its model.",
                "A file has coordinates and speeds; forces follow from the model.",
                "Give the model: ph.load_motion(path).of(system).",
            )
        if self.motion.system.supports and not self.motion.contacts:
            raise StateError(
                "a motion by Moreau's scheme has no reactions of its joints.",
                "Contacts act by impulses, once a step, and joints answer with some of"
                " their own.",
                "Leave the method out, or ask ph.impact about a state.",
            )
        place = self.motion.system.tree.edges.index(self.edge)
        both = _reactions(self.motion)[:, place]
        return Reaction(both[:, :3], both[:, 3:])

    def __repr__(self) -> str:
        name = f"{self.edge.joint.name!r}, " if self.edge else ""
        return f"JointMotion({name}{len(self.t)} rows)"


def _reactions(motion: Trajectory) -> np.ndarray:
    """What all joints of the tree exert (n, joints, 6), along the world's axes."""
    equations, table = motion.equations, dict(motion.table)
    drive, held = motion.inputs.inputs.drive, motion.inputs.held(motion.t)
    if motion.contacts:
        # Of two rows of one time the first is before the switch.
        held = motion.contacts.parts.held
    function, x = _reaction_function(equations, drive), motion.steps.x
    example = (0.0, np.zeros(x.shape[1]), np.zeros(held.shape[1]), table)
    name, batched = ("reactions along", drive.key), ["t", "x", "held"]
    program = equations.program(name, function, example, batched=batched)
    return program(motion.t, x, held, table)


def _reaction_function(equations: Equations, drive: Drive) -> Any:
    system, core = equations.system, equations.functions
    n = system.coordinates

    def reactions(t: Scalar, x: Array, held: Any, table: Table) -> Any:
        q, y = x[:n], x[n:]
        z = core.speeds(t, q, y, table)
        table = drive.table(t, q, z, table, held, y=y)
        solution = core.accelerations(t, q, y, table)
        wrenches = core.joint_wrenches(t, q, y, solution, table)
        rotations = with_world(system.poses(t, q, table)).rotations
        own = system.table(table)
        found = []
        for edge, wrench in zip(system.tree.edges, wrenches, strict=True):
            body = edge.parent if edge.is_reversed else edge.child
            R_WM = rotations[body] @ edge.joint.second_frame(own)[0]
            found += [R_WM @ wrench[:3], R_WM @ wrench[3:]]
        return jnp.stack(found).reshape(-1, 6)

    return reactions
