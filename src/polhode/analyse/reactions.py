"""Reactions along a motion: force and couple at every joint, their peaks and envelopes.

    torque_Q = torque_P - p_PQ x force,      R_FW (torque, force)   in the axes of F

Where constraints are redundant, only part of the reactions is determined by the motion:
`loose` says which components are not, of joints of the tree too, and of those the
numbers are the least of all that are possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.answer_table import Answer, AnswerTable, number, relative
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.formulation.questions.reactions import (
    about,
    free_reactions,
    named_rows,
    raw_reactions,
    reaction_function,
)
from polhode.geometry.rotations.rotation import Rotation
from polhode.integrate.field.scales import lengths
from polhode.integrate.results.checked_argument import motion_argument
from polhode.matter.parameter import Table
from polhode.system.members import suggestion
from polhode.system.rolled.size import DENSE, is_rolled

if TYPE_CHECKING:
    from polhode.formulation.questions.determinacy import Determinacy
    from polhode.integrate.results.trajectory import Trajectory

ROUNDING_SHARE = 1e-9  # of the largest component: what is less is rounding
STAR = "*"
AXES = ("x", "y", "z")
PEAKS = ("peak force, N", "at t, s", "peak couple, N m", "at t, s")
ENVELOPE = tuple(
    f"{word} {axis}, {unit}"
    for word, unit in (("force", "N"), ("couple", "N m"))
    for axis in AXES
)


class Peak(NamedTuple):
    """The largest size along a motion, and when."""

    size: float
    t: float


@final
@dataclass(frozen=True, eq=False, repr=False)
class ReactionTable(Answer):
    """Reactions at the rows of a motion, each by the name of its joint or constraint.

    t        (n,)
    torques  name -> (n, 3);   forces  name -> (n, 3)
    axes     in whose axes they are written
    loads    what the motion determines of the constraints' loads, at the start
    loose    name -> (6,): which of couple and force x, y, z it does not determine there
    """

    motion: Trajectory
    t: np.ndarray
    torques: dict[str, np.ndarray]
    forces: dict[str, np.ndarray]
    axes: str
    loads: Determinacy
    loose: dict[str, np.ndarray]

    @property
    def names(self) -> tuple[str, ...]:
        """What has a reaction."""
        return tuple(self.forces)

    @property
    def shared(self) -> tuple[str, ...]:
        """Rows of constraints whose loads the motion does not determine."""
        return self.loads.shared

    @property
    def notes(self) -> list[str]:
        """What is not determined, and which sums of it are, a line each."""
        if not self.shared:
            return []
        first = f"{STAR} the least of what the motion leaves open; its rows:"
        first = f"{first} {', '.join(self.shared)}"
        return [first, *(line.strip() for line in repr(self.loads).splitlines()[1:])]

    def peak_force(self, name: str) -> Peak:
        """The largest force of one, N."""
        return self._peak(self._known(name, self.forces))

    def peak_torque(self, name: str) -> Peak:
        """The largest couple of one about its point, N m."""
        return self._peak(self._known(name, self.torques))

    @property
    def peaks(self) -> list[tuple[str, ...]]:
        """As they are printed, of each: largest force, when, largest couple, when."""
        forces = [self.peak_force(name) for name in self.names]
        torques = [self.peak_torque(name) for name in self.names]
        sizes = zip(
            relative([peak.size for peak in forces]),
            (number(peak.t) for peak in forces),
            relative([peak.size for peak in torques], self.lever),
            (number(peak.t) for peak in torques),
            strict=True,
        )
        return [
            (F, "" if F == "0" else t, M, "" if M == "0" else when)
            for F, t, M, when in sizes
        ]

    def envelope(self, name: str) -> dict[str, tuple[float, float]]:
        """The least and the most of each component: 'torque x' to 'force z'."""
        both = {
            "torque": self._known(name, self.torques),
            "force": self._known(name, self.forces),
        }
        return {
            f"{word} {axis}": (float(np.min(v[:, k])), float(np.max(v[:, k])))
            for word, v in both.items()
            for k, axis in enumerate(AXES)
        }

    @property
    def envelopes(self) -> list[tuple[str, ...]]:
        """As they are printed, of each: force x, y, z, then couple x, y, z."""
        found = []
        for parts, size in ((self.forces, 0.0), (self.torques, self.lever)):
            ends = [(v.min(axis=0), v.max(axis=0)) for v in parts.values()]
            texts = iter(relative(np.ravel(ends), size))
            found.append([_spans(texts) for _ in ends])
        rows = [force + couple for force, couple in zip(*found, strict=True)]
        flags = [np.roll(self.loose[name], 3) for name in self.names]
        both = zip(rows, flags, strict=True)
        return [tuple(map(_with_star, row, marks)) for row, marks in both]

    @property
    def lever(self) -> float:
        """The largest force at the length of the system: what a couple is beside."""
        q, z = self.motion.q[:1], self.motion.z[:1]
        arm = float(lengths(self.motion.system, q, z, 0.0)[0])
        sizes = [self.peak_force(name).size for name in self.names]
        return arm * max(sizes, default=0.0)

    def _peak(self, values: np.ndarray) -> Peak:
        sizes = np.linalg.norm(values, axis=1)
        k = int(np.argmax(sizes))
        return Peak(float(sizes[k]), float(self.t[k]))

    def _known(self, name: str, table: dict[str, np.ndarray]) -> np.ndarray:
        if name not in table:
            raise AnalysisError(
                f"{self.motion.system.name!r} has no reaction of {name!r}.",
                "Joints, loops and constraints have reactions.",
                suggestion(name, table),
            )
        return table[name]

    def plot(self, *names: str) -> Any:
        """Forces and couples over time, by name of joint: a `Picture`."""
        from polhode.show.plots.answers import reaction_picture

        return reaction_picture(self, names)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        peaks = zip(self.names, self.peaks, strict=True)
        spans = zip(self.names, self.envelopes, strict=True)
        return AnswerTable(
            f"ReactionTable({self.motion.system.name!r}, axes of {self.axes!r})",
            ("", *PEAKS),
            [(name, *row) for name, row in peaks],
            self.notes,
            [AnswerTable("", ("", *ENVELOPE), [(n, *row) for n, row in spans])],
        )


@motion_argument
def reaction_table(
    motion: Trajectory, *, at: Any = None, axes: Any = None
) -> ReactionTable:
    """What every joint and constraint exerts along a motion, on its second body.

    `at` is the point about which couples are taken: one for all, or by name; without
    it, the joint's own point on the second body. `axes` is a body of the system in
    whose axes all are written, or a `Rotation` of any frame seen from one, or from the
    world; without it, the world's.

    >>> import polhode as ph
    >>> swing = ph.models.pendulum()
    >>> motion = ph.simulate(swing, swing.state(hinge=1.5707963267948966), until=1.0)
    >>> round(reaction_table(motion).peak_force("hinge").size / (1.2 * 9.81), 3)
    2.5
    """
    equations, table = motion.equations, motion.table
    rows = reaction_rows(motion, at)
    name, R_WF = _axes(motion, axes)
    loads = equations.determinacy(motion[0], table)
    torques = _turn_rows({n: v[:, 0] for n, v in rows.items()}, R_WF)
    forces = _turn_rows({n: v[:, 1] for n, v in rows.items()}, R_WF)
    loose = _loose(motion, loads, at, R_WF[0])
    return ReactionTable(motion, motion.t, torques, forces, name, loads, loose)


def reaction_rows(motion: Trajectory, at: Any = None) -> dict[str, np.ndarray]:
    """By name, torque and force (n, 2, 3) of every row, in one native call."""
    from polhode.lowering.compile import compile

    equations, table = motion.equations, dict(motion.table)
    equations.reactions(motion[0], table, at=at)  # which refuses what has no reaction
    drive, held = motion.inputs.inputs.drive, motion.inputs.held(motion.t)
    n, x = motion.system.coordinates, motion.steps.x
    large = is_rolled(motion.system)
    # Of a large system names and points are found on the host: they are no loop.
    reactions = raw_reactions(equations) if large else reaction_function(equations, at)

    def of_row(t: Scalar, x: Array, held: Any, table: Table) -> Any:
        q, y = x[:n], x[n:]
        z = equations.functions.speeds(t, q, y, table)
        return reactions(t, q, y, drive.table(t, q, z, table, held, y=y))

    # Points are known by themselves: the program keeps them, so that no other has
    # their place in memory.
    points = at.items() if isinstance(at, Mapping) else [("", at)]
    own = tuple((name, id(point)) for name, point in points)
    key = ("reactions along", tuple(sorted(table)), drive.key, own)
    if key not in equations.programs:
        example = (0.0, np.zeros(x.shape[1]), np.zeros(held.shape[1]), table)
        lanes, batched = 1 if large else None, ["t", "x", "held"]
        backend = "xla" if motion.system.speeds > DENSE else "auto"
        program = compile(
            of_row, *example, batched=batched, lanes=lanes, backend=backend
        )
        equations.programs[key] = program
    found = equations.programs[key](motion.t, x, held, table)
    if large:
        return named_rows(
            [motion[k] for k in range(len(motion))], found, at, motion.table
        )
    return {name: np.asarray(value) for name, value in found.items()}


def _loose(
    motion: Trajectory, loads: Determinacy, at: Any, R_WF: np.ndarray
) -> dict[str, np.ndarray]:
    """Which components (6,) loads in balance within could change, at the start."""
    equations, state, table = motion.equations, motion[0], motion.table
    names = equations.reactions(state, table)
    found = {name: np.zeros(6, bool) for name in names}
    if not len(loads.undetermined):
        return found
    free = loads.undetermined
    for each in free_reactions(equations, state, free, table):
        shifted = each if at is None else about(each, motion.system, state, at, table)
        for name, wrench in shifted.items():
            parts = np.concatenate([wrench.torque @ R_WF, wrench.force @ R_WF])
            found[name] |= np.abs(parts) > ROUNDING_SHARE * np.max(
                np.abs(parts), initial=1e-300
            )
    return found


def _with_star(text: str, is_loose: bool) -> str:
    return f"{text}{STAR if is_loose else ''}"


def _spans(texts: Iterator[str]) -> list[str]:
    """Of three least and three most values: from where to where."""
    least, most = [next(texts) for _ in AXES], [next(texts) for _ in AXES]
    pairs = zip(least, most, strict=True)
    return [low if low == high else f"{low} to {high}" for low, high in pairs]


def _axes(motion: Trajectory, axes: Any) -> tuple[str, np.ndarray]:
    """A name, and R_WF (n, 3, 3) of the axes in which wrenches are written."""
    if axes is None:
        world = motion.system.tree.world.frame.name
        return world, np.broadcast_to(np.eye(3), (len(motion), 3, 3))
    if isinstance(axes, Rotation):
        _, R_WB = _axes(motion, axes.seen_from)
        return axes.of.name, R_WB @ np.asarray(axes.matrix, float)
    frame = getattr(axes, "frame", axes)
    if frame is motion.system.tree.world.frame:
        return _axes(motion, None)
    for body in motion.system.bodies:
        if body.frame is frame or body.name == axes:
            return body.name, motion[body.name].orientation
    names = [body.name for body in motion.system.bodies]
    raise AnalysisError(
        f"{motion.system.name!r} has no body {axes!r} to write reactions in its axes.",
        "Axes are those of a body that moves along, or of the world.",
        suggestion(str(axes), names),
    )


def _turn_rows(rows: dict[str, np.ndarray], R_WF: np.ndarray) -> dict[str, Any]:
    return {n: np.einsum("tji,tj->ti", R_WF, v) for n, v in rows.items()}
