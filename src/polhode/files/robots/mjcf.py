"""`ph.load_mjcf`: robots in MJCF, by MuJoCo's own parser.

MuJoCo reads and compiles the file, so that defaults, inertias from geoms, includes and
assets are as it has them; the compiled model is walked. Coordinates and speeds are
MuJoCo's `qpos` and `qvel`, entry by entry: a free body is a `Translation`, along the
world's axes, and then a `Spherical` joint, whose speed is along the body's own.

Equalities are exact here and soft there. What is not taken is noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np

from polhode.actions.force_elements.joint_law import JointDamper, JointSpring
from polhode.actions.weight import Weight
from polhode.errors import FileError, ModelFileError
from polhode.files.model import Model
from polhode.files.robots.inertial import Inertial, body_of
from polhode.files.robots.mjcf_shapes import shapes_of, touching_shapes
from polhode.files.robots.mjcf_transmissions import equalities, servos, tendons
from polhode.files.robots.standing import on_floor, supports_of
from polhode.geometry.rotations.quaternion import to_matrix
from polhode.integrate.storage.paths import admit_path
from polhode.joints.fixed import Fixed
from polhode.joints.prismatic import Prismatic
from polhode.joints.revolute import Revolute
from polhode.joints.spherical import Spherical
from polhode.joints.translation import Translation
from polhode.matter.world import World
from polhode.supports.floor import Floor, require_floor
from polhode.system.state import State
from polhode.system.system import System

# Attributes of bodies, joints and shapes that are numbers.
QUANTITY = re.compile(
    r"\b(?P<word>mass|density|size|pos|quat|euler|axis|range|damping|stiffness|armature"
    r"|diaginertia|fullinertia|frictionloss|gear)\s*=\s*[\"'](?P<numbers>[^\"']*)[\"']"
)
FREE, BALL, SLIDE, HINGE = range(4)  # MuJoCo's numbers of the types of joints


@final
@dataclass(frozen=True, eq=False)
class Reading:
    """What is known of a model while it is walked.

    m, mujoco   the compiled model, and the library
    bodies      by number; 0 is the world
    joints      by number, those of one coordinate
    """

    m: Any
    mujoco: Any
    bodies: dict[int, Any] = field(default_factory=dict)
    joints: dict[int, Any] = field(default_factory=dict)
    members: list[Any] = field(default_factory=list)
    actions: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    made: set[tuple[str, str]] = field(default_factory=set)

    def name(self, kind: str, number: int) -> str:
        """What the file calls a thing, or its kind and number."""
        given = self.mujoco.mj_id2name(self.m, self._word(kind), number)
        return given or self.new_name(kind, f"{kind} {number}")

    def new_name(self, kind: str, name: str) -> str:
        """A name for what has none in the file, and which nothing else has."""
        word = self._word(kind)
        while (kind, name) in self.made or (
            self.mujoco.mj_name2id(self.m, word, name) >= 0
        ):
            name += "'"
        self.made.add((kind, name))
        return name

    def _word(self, kind: str) -> Any:
        return getattr(self.mujoco.mjtObj, f"mjOBJ_{kind.upper()}")

    def note(self, text: str) -> None:
        """Tell something that is not taken."""
        self.notes.append(text)


def load_mjcf(path: Any, *, floor: Floor | None = None) -> Model:
    """The robot of an MJCF file as a model; needs the extra `import` (MuJoCo).

    Coordinates and speeds are MuJoCo's `qpos` and `qvel`, entry by entry, and
    `model.start` is its `qpos0`. Actuators are servos, whose controls are inputs of
    their names. `model.notes` tells what the file says and is not taken: contacts, dry
    friction, limits of tendons. With a `ph.Floor` the geoms that collide may rest on
    it: they are supports, and a robot that starts inside it is lifted out.

        robot = ph.load_mjcf("humanoid.xml")
        motion = ph.simulate(robot.system, robot.start, until=0.5)
    """
    require_floor(floor)
    place = admit_path(path)
    mujoco = _library()
    with _heard(mujoco) as warnings:
        reading = Reading(_compile(mujoco, place), mujoco)
    reading.notes.extend(f"MuJoCo says: {text.strip()}" for text in warnings)
    m = reading.m
    world = World()
    reading.bodies[0] = world
    for number in range(1, m.nbody):
        _add_body(reading, number)
    _note_rest(reading)
    weight = _weight(m, mujoco)
    tendons(reading)
    servos(reading)
    own = [
        (reading.bodies[k], shape)
        for k in range(1, m.nbody)
        if reading.bodies[k] is not world
        for shape in touching_shapes(reading, k)
    ]
    system = System(
        reading.members,
        [*weight, *reading.actions],
        equalities(reading),
        supports_of(floor, world, own, reading.notes),
        name=_model_name(m) or place.stem,
    )
    start = State(system, 0.0, np.array(m.qpos0), np.zeros(m.nv))
    start = system.consistent(start) if system.constraints else start
    start = on_floor(system, start, is_placed=True)
    return Model(system, start, {}, tuple(dict.fromkeys(reading.notes)))


def _library() -> Any:
    try:
        import mujoco
    except ImportError as reason:
        raise FileError(
            "an MJCF file is read by MuJoCo, which is not installed.",
            "Its own parser knows its defaults, includes and assets best.",
            'Install it: pip install "polhode[import]".',
        ) from reason
    return mujoco


@contextmanager
def _heard(mujoco: Any) -> Iterator[list[str]]:
    """What MuJoCo warns of meanwhile; else it writes a file where one works."""
    texts: list[str] = []
    if not hasattr(mujoco, "get_mju_user_warning"):
        yield texts
        return
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(texts.append)
    try:
        yield texts
    finally:
        mujoco.set_mju_user_warning(before)


def _require_numbers(place: Path) -> None:
    """Refuse NaN: to MuJoCo it is a quantity that was not given."""
    text = place.read_text(encoding="utf-8", errors="replace")
    for found in QUANTITY.finditer(text):
        if "nan" in found["numbers"].lower().split():
            line = text.count("\n", 0, found.start()) + 1
            raise ModelFileError(
                f"{found['word']} is not a number in line {line} of {place.name!r}.",
                "NaN measures nothing.",
                "Give a number, or leave the attribute out.",
            )


def _compile(mujoco: Any, place: Path) -> Any:
    if not place.is_file():
        raise FileError(
            f"{str(place)!r} cannot be read: there is no such file.",
            "A model is read from a file that exists and may be read.",
            "Check the path, and the folder that it starts from.",
        )
    _require_numbers(place)
    try:
        m = mujoco.MjModel.from_xml_path(str(place))
    except ValueError as reason:
        raise ModelFileError(
            f"MuJoCo cannot read {place.name!r}.",
            str(reason).strip()[:500],
            "Correct the file where it says.",
        ) from reason
    if m.nv == 0:
        raise ModelFileError(
            f"{place.name!r} has no joints.",
            "A system needs a freedom to have a motion.",
            "Load the file that has the moving bodies.",
        )
    return m


def _model_name(m: Any) -> str:
    return bytes(m.names).split(b"\0", 1)[0].decode("utf-8", "replace")


def _weight(m: Any, mujoco: Any) -> list[Any]:
    off = int(m.opt.disableflags) & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    g = float(np.linalg.norm(m.opt.gravity))
    return [] if off or not g else [Weight(g, -np.array(m.opt.gravity) / g)]


# ------------------------------------------------------------------------ bodies


def _add_body(reading: Reading, number: int) -> None:
    """A body, the joints that carry it, and massless bodies between these."""
    m = reading.m
    R = np.asarray(to_matrix(m.body_iquat[number]))
    inertia = R @ np.diag(m.body_inertia[number]) @ R.T
    own = Inertial(
        float(m.body_mass[number]),
        m.body_ipos[number].tolist(),
        (inertia + inertia.T) / 2,
    )
    name = reading.name("body", number)
    body, note = body_of(name, own, "keep", shapes_of(reading, number))
    if note:
        reading.note(note)
    reading.bodies[number] = body
    carrier = reading.bodies[int(m.body_parentid[number])]
    seat = _Seat(
        carrier,
        np.array(m.body_pos[number]),
        np.asarray(to_matrix(m.body_quat[number])),
    )
    first, count = int(m.body_jntadr[number]), int(m.body_jntnum[number])
    if not count:
        at = seat.carrier.point(*seat.place)
        word = reading.new_name("joint", f"{name} weld")
        weld = Fixed(word, at, body.origin, first_axes=seat.axes)
        reading.members.append(weld)
        return
    for k in range(first, first + count):
        is_last, word = k == first + count - 1, f"{name} {k - first + 1}"
        child = body if is_last else _between(reading.new_name("body", word))
        _add_joint(reading, k, seat, child)
        seat = _Seat(child, np.zeros(3), np.eye(3))


@final
@dataclass(frozen=True, eq=False)
class _Seat:
    """Where a body is on its carrier while its joints are at zero."""

    carrier: Any
    place: np.ndarray
    axes: np.ndarray


def _between(name: str) -> Any:
    nothing = Inertial(0.0, (0.0, 0.0, 0.0), np.zeros((3, 3)))
    return body_of(name, nothing, "keep")[0]


def _add_joint(reading: Reading, k: int, seat: _Seat, child: Any) -> None:
    m, name = reading.m, reading.name("joint", k)
    kind, dof, place = int(m.jnt_type[k]), int(m.jnt_dofadr[k]), m.jnt_pos[k]
    if kind == FREE:
        middle = _between(reading.new_name("body", f"{child.name} moved"))
        world = reading.bodies[0].origin
        rotors = _each(m.dof_armature[dof : dof + 6])
        move = Translation(name, world, middle.origin, rotor_inertia=rotors[:3])
        word = reading.new_name("joint", f"{name} turn")
        turn = Spherical(word, middle.origin, child.origin, rotor_inertia=rotors[3:])
        _keep(reading, k, move, slice(dof, dof + 3))
        _keep(reading, k, turn, slice(dof + 3, dof + 6))
        return
    first, second = seat.place + seat.axes @ place, child.point(*place)
    if kind == BALL:
        rotors = _each(m.dof_armature[dof : dof + 3])
        ends = (seat.carrier.point(*first), second)
        ball = Spherical(name, *ends, first_axes=seat.axes, rotor_inertia=rotors)
        _keep(reading, k, ball, slice(dof, dof + 3))
        return
    axis, zero = np.array(m.jnt_axis[k]), float(m.qpos0[m.jnt_qposadr[k]])
    axes = seat.axes
    # At qpos0 the body is where the file places it: the joint starts from there back.
    if kind == SLIDE:
        first = first - seat.axes @ axis * zero
    elif zero:
        axes = seat.axes @ _turn(axis, -zero)
    noun: Any = Prismatic if kind == SLIDE else Revolute
    joint = noun(
        name,
        seat.carrier.point(*first),
        second,
        axis=axis,
        first_axes=axes,
        limits=tuple(m.jnt_range[k]) if m.jnt_limited[k] else None,
        rotor_inertia=float(m.dof_armature[dof]),
    )
    reading.joints[k] = joint
    _keep(reading, k, joint, slice(dof, dof + 1))


def _keep(reading: Reading, k: int, joint: Any, dofs: slice) -> None:
    """A joint, its damper and its spring."""
    m, name = reading.m, joint.name
    reading.members.append(joint)
    damping = _each(m.dof_damping[dofs])
    if any(damping):
        reading.actions.append(
            JointDamper(joint, damping if len(damping) > 1 else damping[0])
        )
    if np.any(m.dof_frictionloss[dofs]):
        reading.note(
            f"the dry friction of joint {name!r} is not taken: add"
            " supports=[ph.Brake(joint, ph.Coulomb(...))]"
        )
    if m.jnt_limited[k] and joint.coordinates != 1:
        reading.note(f"the limit of joint {name!r} is not taken")
    if not m.jnt_stiffness[k]:
        return
    if joint.coordinates != 1:
        reading.note(f"the spring of joint {name!r} is not taken")
        return
    rest = float(m.qpos_spring[m.jnt_qposadr[k]])
    reading.actions.append(JointSpring(joint, float(m.jnt_stiffness[k]), rest))


def _each(values: Any) -> list[float]:
    return [float(value) for value in values]


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    half = angle / 2
    return np.asarray(to_matrix(np.array([np.cos(half), *(np.sin(half) * axis)])))


def _note_rest(reading: Reading) -> None:
    """What the file has, and a system has not."""
    m = reading.m
    if m.npair or np.any(m.geom_contype) or np.any(m.geom_conaffinity):
        reading.note("contacts are not taken: geoms are shapes in pictures")
    if m.opt.density or m.opt.viscosity or np.any(m.opt.wind):
        reading.note("the drag of the medium (density, viscosity, wind) is not taken")
    if np.any(m.body_gravcomp):
        reading.note("gravity compensation of bodies is not taken")
    if m.nmocap:
        reading.note("mocap bodies are fixed where the file places them")
    if m.nflex or m.nplugin:
        reading.note("flexible bodies and plugins are not taken")
    for word, what in (
        ("dof_dampingpoly", "damping"),
        ("jnt_stiffnesspoly", "stiffness"),
        ("tendon_dampingpoly", "damping of tendons"),
        ("tendon_stiffnesspoly", "stiffness of tendons"),
    ):
        if np.any(getattr(m, word, 0.0)):
            reading.note(f"the {what} of higher order is not taken")
