"""`ph.kinematics`: what roboticists ask of a system, for plain arrays, at native speed.

All arrays are angular first: a twist is [w; v], a Jacobian (6, nz) with [w; v] = J z.
The same motion is told in three ways, by the word `axes`:

    "aligned"   of the frame's origin, along the world's axes (the default)
    "local"     of the frame's origin, along the frame's own axes
    "world"     of the point that is at the world's origin, along the world's axes

Each question is compiled once, on its first call, and kept with the system. Inside a
law of a controller it is traced along, with the nominal parameters of its system.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array
from polhode.errors import ModelError
from polhode.formulation.recursive.composite_inertia import mass_matrix
from polhode.formulation.recursive.inverse_dynamics import inverse_dynamics
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.rotations.rotation_admission import admit_matrix
from polhode.geometry.vector import cross
from polhode.lowering.compile import compile
from polhode.lowering.repeated_call import RepeatedCall
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import NOMINAL
from polhode.system.checked_argument import system_argument
from polhode.system.kinematics import placement, subspace
from polhode.system.members import suggestion
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System
from polhode.system.tree import Edge

AXES = ("aligned", "local", "world")


class Placed(NamedTuple):
    """Where a frame is, seen from the world: rotation R_WB (3, 3), position (3,)."""

    rotation: np.ndarray
    position: np.ndarray


@final
@dataclass(frozen=True, eq=False, repr=False)
class RobotFrame:
    """A frame that a body carries: its place, its motion, what a push there feels.

    system   whose coordinates q (nq,) and speeds z (nz,) are meant
    body     the name of the body
    place    its origin in the body (3,)
    turn     its axes in those of the body, as columns (3, 3)
    """

    system: System
    body: str
    place: np.ndarray
    turn: np.ndarray

    def pose(self, q: Array) -> Placed:
        """Where it is."""
        return Placed(*self._answer_of("pose", self._pose, q))

    def jacobian(self, q: Array, axes: str = "aligned") -> np.ndarray:
        """J (6, nz) with [w; v] = J z."""
        law = self._jacobian(_choice(axes))
        return self._answer_of(f"jacobian {axes}", law, q)

    def jacobian_rate(self, q: Array, z: Array, axes: str = "aligned") -> np.ndarray:
        """dJ/dt (6, nz) along the speeds z."""
        law = self._jacobian(_choice(axes))

        def rate(q: Array, z: Array) -> Any:
            along = self.system.rates(0.0, q, z)
            return jax.jvp(law, (q,), (along,))[1]

        return self._answer_of(f"rate {axes}", rate, q, z)

    def velocity(self, q: Array, z: Array, axes: str = "aligned") -> np.ndarray:
        """[w; v] (6,)."""
        law = self._jacobian(_choice(axes))
        return self._answer_of(f"velocity {axes}", lambda q, z: law(q) @ z, q, z)

    def drift(self, q: Array, z: Array, axes: str = "aligned") -> np.ndarray:
        """dJ/dt z (6,): what the acceleration is while the speeds are constant."""
        law = self._jacobian(_choice(axes))

        def drift(q: Array, z: Array) -> Any:
            along = self.system.rates(0.0, q, z)
            return jax.jvp(lambda q: law(q) @ z, (q,), (along,))[1]

        return self._answer_of(f"drift {axes}", drift, q, z)

    def operational_inertia(self, q: Array, axes: str = "aligned") -> np.ndarray:
        """L (6, 6) = (J M^-1 J^T)^-1: what a wrench at its origin feels.

        Along directions in which nothing yields it is infinite: that is refused, and
        `ph.recursive(system).operational_inertia` takes directions.
        """
        J = self.jacobian(q, axes)
        M = kinematics(self.system).mass_matrix(q)
        if is_traced(q):
            return jnp.linalg.inv(J @ jnp.linalg.solve(M, J.T))
        yielding = J @ np.linalg.solve(M, J.T)
        if np.linalg.cond(yielding) > 1e12:
            raise ModelError(
                f"{self.body!r} does not yield in all six directions at this place.",
                "Along the others its inertia is infinite.",
                "Give directions to ph.recursive(system).operational_inertia.",
            )
        return np.linalg.inv(yielding)

    @property
    def chain(self) -> tuple[Edge, ...]:
        """The joints from the world out to the body."""
        edges = {edge.child: edge for edge in self.system.tree.edges}
        names = [body.name for body in self.system.bodies]
        found, number = [], names.index(self.body)
        while number >= 0:
            found.append(edges[number])
            number = edges[number].parent
        return tuple(reversed(found))

    def _pose(self, q: Array) -> tuple[Any, Any]:
        _, (R, p) = _walk(self, q)
        return R @ self.turn, p + R @ self.place

    def _jacobian(self, axes: str) -> Callable[[Any], Any]:
        def jacobian(q: Array) -> Any:
            return frame_jacobian(self, q, axes)

        return jacobian

    def _answer_of(self, word: str, law: Callable[..., Any], *arguments: Any) -> Any:
        seat = (self.body, self.place.tobytes(), self.turn.tobytes())
        return _answer(self.system, ("frame", *seat, word), law, arguments)

    def __repr__(self) -> str:
        return f"RobotFrame({self.body!r} of {self.system.name!r})"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Kinematics:
    """Kinematics and simple statics of a whole system, for arrays q and z.

    >>> import numpy as np, polhode as ph
    >>> arm = ph.kinematics(ph.models.arm())
    >>> arm.frame(arm.frames[-1]).jacobian(np.zeros(7)).shape
    (6, 7)
    """

    system: System

    @property
    def frames(self) -> tuple[str, ...]:
        """The names of all frames: those of the bodies."""
        return tuple(body.name for body in self.system.bodies)

    def frame(self, place: Any, axes: Any = None) -> RobotFrame:
        """The frame of a body by its name, or at a point of a body.

        axes   its own axes in those of the body (3, 3), as columns; the body's if none
        """
        body, origin = _locate(self.system, place)
        turn = np.eye(3) if axes is None else np.asarray(axes, float)
        turn = np.asarray(admit_matrix(turn, f"the axes of a frame of {body!r}"))
        return RobotFrame(self.system, body, origin, turn)

    def mass_matrix(self, q: Array) -> np.ndarray:
        """M (nz, nz), by composite bodies."""
        system = self.system
        return self._answer_of("M", lambda q: mass_matrix(system, q, NOMINAL), q)

    def mass_centre(self, q: Array) -> np.ndarray:
        """Where the mass centre of the whole is (3,)."""
        return self._answer_of("G", lambda q: _mass_centre(self.system, q), q)

    def mass_centre_jacobian(self, q: Array) -> np.ndarray:
        """J (3, nz) with v_G = J z."""

        def jacobian(q: Array) -> Any:
            return _centroidal(self.system, q)[3:] / _mass(self.system)

        return self._answer_of("G jacobian", jacobian, q)

    def centroidal_matrix(self, q: Array) -> np.ndarray:
        """A (6, nz) with [L_G; P] = A z, along the world's axes."""
        return self._answer_of("A", lambda q: _centroidal(self.system, q), q)

    def centroidal_momentum(self, q: Array, z: Array) -> np.ndarray:
        """[L_G; P] (6,): the momentum about the mass centre, along the world's axes."""
        return self._answer_of("h", lambda q, z: _centroidal(self.system, q) @ z, q, z)

    def gravity_compensation(self, q: Array) -> np.ndarray:
        """What motors must give (nz,) for the system to stay at rest at q.

        All actions count, springs and weight alike: tau = -f(q, 0).
        """

        def efforts_needed(q: Array) -> Any:
            still = jnp.zeros(self.system.speeds)
            return inverse_dynamics(
                self.system, StateArrays(0.0, q, still), still, NOMINAL
            )

        return self._answer_of("rest", efforts_needed, q)

    def inverse_dynamics(self, q: Array, z: Array, z_dot: Array) -> np.ndarray:
        """What must act (nz,) beside the actions for these accelerations."""

        def efforts_needed(q: Array, z: Array, z_dot: Array) -> Any:
            return inverse_dynamics(self.system, StateArrays(0.0, q, z), z_dot, NOMINAL)

        return self._answer_of("inverse dynamics", efforts_needed, q, z, z_dot)

    def _answer_of(self, word: str, law: Callable[..., Any], *arguments: Any) -> Any:
        return _answer(self.system, ("kinematics", word), law, arguments)

    def __repr__(self) -> str:
        return f"Kinematics({self.system.name!r}, {len(self.frames)} frames)"


@system_argument
def kinematics(system: System) -> Kinematics:
    """Frames, Jacobians, mass centre and statics of a system, for plain arrays.

    >>> import numpy as np, polhode as ph
    >>> ph.kinematics(ph.models.arm()).mass_centre(np.zeros(7)).shape
    (3,)
    """
    return Kinematics(system)


def frame_jacobian(frame: RobotFrame, q: Array, axes: str = "aligned") -> Any:
    """J (6, nz) of a frame; traceable.

    Each joint of the chain turns and moves all that is beyond it:
    w += R S_w z,   v_P += (R S_v + R S_w x (P - C)) z
    """
    steps, (R, p) = _walk(frame, q)
    P = p + R @ frame.place
    at = jnp.zeros(3) if axes == "world" else P
    columns = jnp.zeros((6, frame.system.speeds))
    for edge, (R_WC, p_C) in steps:
        if not edge.joint.speeds:
            continue
        S = subspace(edge, q, frame.system.table())
        w = R_WC @ S[:3]
        v = R_WC @ S[3:] + cross(w.T, at - p_C).T
        columns = columns.at[:, edge.z].set(jnp.concatenate([w, v]))
    if axes == "local":
        R_FW = (R @ frame.turn).T
        return jnp.concatenate([R_FW @ columns[:3], R_FW @ columns[3:]])
    return columns


def frame_pose(frame: RobotFrame, q: Array) -> tuple[Any, Any]:
    """R_WF (3, 3) and the origin (3,) of a frame; traceable."""
    return frame._pose(q)


def _walk(frame: RobotFrame, q: Array) -> tuple[list[Any], tuple[Any, Any]]:
    """The poses of the bodies along the chain, and that of the last."""
    R: Any = np.eye(3)
    p: Any = np.zeros(3)
    table, steps = frame.system.table(), []
    for edge in frame.chain:
        R_PC, p_PoCo_P = placement(edge, q, table)
        p = p + R @ p_PoCo_P
        R = R @ R_PC
        steps.append((edge, (R, p)))
    return steps, (R, p)


def _mass(system: System) -> float:
    return sum(float(body.moments(system.table()).mass) for body in system.bodies)


def _mass_centre(system: System, q: Array) -> Any:
    R, p = system.poses(0.0, q)
    moments = [body.moments(system.table()) for body in system.bodies]
    pairs = [
        (m.mass, p[k] + R[k] @ m.centre)
        for k, m in enumerate(moments)
        if float(m.mass) != 0.0
    ]
    return sum(m * place for m, place in pairs) / _mass(system)


def _centroidal(system: System, q: Array) -> Any:
    """A (6, nz): momenta of all bodies for each unit speed, about the mass centre."""
    R, p = system.poses(0.0, q)
    J, inertias = system.jacobians(0.0, q), system.inertias()
    G = _mass_centre(system, q)
    total = jnp.zeros((6, system.speeds))
    for k, body in enumerate(system.bodies):
        mass, _, inertia = body.moments(system.table())
        if not (float(mass) or np.any(inertia)):
            continue
        h = inertias[k] @ J[k]
        P = R[k] @ h[3:]
        L = R[k] @ h[:3] + cross((p[k] - G)[None, :], P.T).T
        total = total + jnp.concatenate([L, P])
    return total


def _answer(
    system: System,
    key: tuple[Any, ...],
    law: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> Any:
    """law(*arguments) by a program that is kept with the system.

    Inside a trace, such as that of a controller, it is traced along.
    """
    if is_traced(*arguments):
        return law(*arguments)

    def made() -> RepeatedCall:
        sizes = (system.coordinates, system.speeds, system.speeds)
        examples = [np.zeros(size) for size in sizes[: len(arguments)]]
        examples[0] = system.neutral()
        return RepeatedCall(compile(law, *examples))

    return system.remembered(key, made)(*arguments)


def _choice(axes: str) -> str:
    if axes not in AXES:
        raise ModelError(
            f"a motion cannot be given along axes={axes!r}.",
            "It is given along the world's axes, about the frame's origin or the"
            " world's, or along the frame's own.",
            f"Give one of {', '.join(map(repr, AXES))}.",
        )
    return axes


def _locate(system: System, place: Any) -> tuple[str, np.ndarray]:
    """The name of the body that carries a place, and where it is in it (3,)."""
    bodies = {body.frame: body.name for body in system.bodies}
    if isinstance(place, str) and place in bodies.values():
        return place, np.zeros(3)
    frame = place if isinstance(place, Frame) else getattr(place, "frame", None)
    if isinstance(frame, Frame) and frame in bodies:
        if isinstance(place, MaterialPoint):
            return bodies[frame], np.asarray(place.at(system.table()), float)
        is_point = isinstance(place, Point)
        origin = np.asarray(place.coordinates, float) if is_point else np.zeros(3)
        return bodies[frame], origin
    called = str(getattr(frame, "name", place))
    raise ModelError(
        f"{system.name!r} has no frame {called!r}.",
        "Frames are those of bodies, by name, or at points of them.",
        suggestion(called, list(bodies.values())),
    )
