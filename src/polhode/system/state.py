"""The state of a system: where everything is and how it moves, at one time."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import FrameMismatch, ModelError, NumericalWarning, StateError
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.pose import Pose
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.vector import shown
from polhode.joints.joint import Joint
from polhode.matter.parameter import Table
from polhode.system.members import suggestion
from polhode.system.tree import Edge
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.system.system import System

# Beyond fifty turns an angle in radians is more often one in degrees.
MANY_TURNS = 100 * np.pi


@final
@dataclass(frozen=True, eq=False, repr=False)
class State:
    """Coordinates q and speeds z of a system at a time t, by place and by name.

    `state["hinge"]` are the coordinates of a joint, `state.speed("hinge")` its speeds;
    `state["ball.z"]` and `state.speed("ball.vz")` are single ones by their own names.
    To JAX a state is a tree of t, q and z, for `jax.jit`, `jax.grad` and `jax.vmap`.
    """

    system: System
    t: Any
    q: Any
    z: Any

    def __post_init__(self) -> None:
        put, system = object.__setattr__, self.system
        _register()
        _require_system(system)
        put(self, "t", admit(self.t, (), "the time of a state"))
        q = _column(system, self.q, "coordinates", system.coordinate_names)
        z = _column(system, self.z, "speeds", system.speed_names)
        if not is_traced(q):
            _require_quaternions(system, q)
            q = np.array(system.normalised(q))
            q.setflags(write=False)
        put(self, "q", q)
        put(self, "z", z)

    def __getitem__(self, joint: str) -> Any:
        return _by_name(self.system, self.q, joint, "coordinate")

    def speed(self, joint: str) -> Any:
        """The speeds of a joint, or one of them; one number where there is one."""
        return _by_name(self.system, self.z, joint, "speed")

    def margins(self) -> dict[str, float]:
        """How far each coordinate with a limit is from the nearer one; below 0 beyond.

        In radians or metres, by the names of coordinates.
        """
        found = {}
        for edge in self.system.tree.edges:
            each = np.asarray(edge.joint.margin(np.asarray(self.q[edge.q])))
            pairs = zip(edge.joint.coordinate_names, each, strict=True)
            found.update({n: float(m) for n, m in pairs if np.isfinite(m)})
        return found

    def changed(
        self,
        coordinates: Mapping[str, Any] | None = None,
        *,
        speeds: Mapping[str, Any] | None = None,
        t: float | None = None,
        **by_name: Any,
    ) -> State:
        """The same state with some joints, or the time, set otherwise, by name.

        `state.changed(speeds={"hinge": -0.5 * state.speed("hinge")})`.
        """
        q, z = list(self.q), list(self.z)
        _fill(self.system, q, z, named_once(coordinates, by_name), speeds or {})
        return State(self.system, self.t if t is None else t, q, z)

    def is_close(self, other: State, rtol: float = 1e-12, atol: float = 0.0) -> bool:
        """The same time, coordinates and speeds, within `rtol` of the largest."""
        pairs = [(self.t, other.t), (self.q, other.q), (self.z, other.z)]
        return all(
            np.allclose(a, b, rtol=0, atol=max(atol, rtol * np.max(np.abs(b))))
            for a, b in pairs
            if np.size(b)
        )

    def tree_flatten(self) -> tuple[tuple[Any, Any, Any], Any]:
        """Its numbers (t, q, z), and the system: so a state is a tree of JAX."""
        return (self.t, self.q, self.z), self.system

    @classmethod
    def tree_unflatten(cls, system: Any, numbers: Array) -> State:
        """The state of the numbers; they are not checked, for JAX may pass anything."""
        state = object.__new__(cls)
        for word, value in zip(("t", "q", "z"), numbers, strict=True):
            object.__setattr__(state, word, value)
        object.__setattr__(state, "system", system)
        return state

    def __repr__(self) -> str:
        system = self.system
        where = _list_values(system.coordinate_names, self.q)
        moves = _list_values(system.speed_names, self.z)
        return f"State({system.name!r}, t = {shown(self.t)} s: {where}; speeds {moves})"


def _register() -> None:
    """Make states known to JAX, once it is loaded: a state alone does not load it."""
    jax = sys.modules.get("jax")
    if jax is not None and State not in _REGISTERED and hasattr(jax, "tree_util"):
        jax.tree_util.register_pytree_node_class(State)
        _REGISTERED.add(State)


_REGISTERED: set[type] = set()


def _require_system(system: Any) -> None:
    if not hasattr(system, "coordinate_names"):
        raise StateError(
            f"{system!r} has no states.",
            "A state is one of a system: coordinates and speeds are called by it.",
            "Give ph.State(system, t, q, z), or use system.state(...).",
        )


def require_names(system: System, *given: Any) -> None:
    """Refuse bare numbers: which joint is each of?"""
    for each in given:
        if each is not None and not isinstance(each, Mapping):
            names = ", ".join(map(repr, (e.joint.name for e in system.tree.edges)))
            raise StateError(
                f"a state of {system.name!r} is given by names of joints, not by"
                f" {each!r}.",
                "The order of coordinates is the system's own.",
                f"Give {{name: value}}; there are: {names}. All at once they are"
                " ph.State(system, t, q, z).",
            )


def named_once(
    coordinates: Mapping[str, Any] | None, by_name: Mapping[str, Any]
) -> dict[str, Any]:
    """Joints from a mapping and by keyword; one that is in both is refused."""
    given = coordinates or {}
    for name in by_name:
        if name in given:
            values = f"{given[name]!r} and {by_name[name]!r}"
            raise StateError(
                f"joint {name!r} is given twice: {values}.",
                "It has one place.",
                "Give it in the mapping or by keyword.",
            )
    return {**given, **by_name}


def state_of(
    system: System, coordinates: Mapping[str, Any], speeds: Mapping[str, Any], t: Scalar
) -> State:
    """The state in which named joints are and move so; the others rest, neutral."""
    q, z = list(system.neutral()), [0.0] * system.speeds
    _fill(system, q, z, coordinates, speeds)
    return State(system, t, q, z)


def _fill(
    system: System,
    q: list[Any],
    z: list[Any],
    coordinates: Mapping[str, Any],
    speeds: Mapping[str, Any],
) -> None:
    """Put coordinates and speeds in their places, of a whole joint or one by one.

    "free" is a joint, "free.wy" one of its speeds.
    """
    table = system.table()
    for name, value in coordinates.items():
        if not _is_joint(system, name) and name in system.coordinate_names:
            _require_apart(system, name, value)
            q[system.coordinate_names.index(name)] = value
            continue
        edge = _known(system, name)
        q[edge.q] = _coordinates(edge.joint, value, table)
    for name, value in speeds.items():
        if not _is_joint(system, name) and name in system.speed_names:
            admit(value, (), f"{name} of a state")
            z[system.speed_names.index(name)] = value
            continue
        edge = _known(system, name, system.speed_names)
        z[edge.z] = _entries(edge.joint, value, edge.joint.speed_names, "speed")


def _is_joint(system: System, name: str) -> bool:
    return name in system.edges_by_name


def _require_apart(system: System, name: str, value: Any) -> None:
    """Refuse one part of a quaternion: alone it is no orientation."""
    admit(value, (), f"{name} of a state")
    if name.rpartition(".")[2] in ("qw", "qx", "qy", "qz"):
        joint = name.rpartition(".")[0]
        raise StateError(
            f"{name!r} cannot be set alone.",
            "It is one of four parts of a quaternion, which turn a body together.",
            f"Set the joint {joint!r} by a ph.Rotation, or by all its parts.",
        )
    edge = next(e for e in system.tree.edges if name in e.joint.coordinate_names)
    _ask_about_degrees(edge.joint, [name], [value])


def held_entries(system: System, name: str) -> Any:
    """The places among the speeds that a named joint, or one speed of it, holds.

    A place of a free body is held with its whole joint: its speeds are along axes that
    turn with it.
    """
    if _is_joint(system, name):
        return system.edge(name).z
    for edge in system.tree.edges:
        joint, names = edge.joint, edge.joint.speed_names
        alike = joint.coordinates == joint.speeds
        if name in names:
            return edge.z.start + names.index(name)
        if name in joint.coordinate_names:
            place = joint.coordinate_names.index(name)
            return edge.z.start + place if alike else edge.z
    return _known(system, name).z


def _by_name(system: System, column: Array, name: str, kind: str) -> Any:
    """What a column has of a joint, or of one of its coordinates or speeds."""
    edges, is_speed = system.edges_by_name, kind == "speed"
    if name in edges:
        part = column[edges[name].z if is_speed else edges[name].q]
        return part[0] if part.shape == (1,) else part
    names = system.speed_names if is_speed else system.coordinate_names
    if name in names:
        return column[names.index(name)]
    raise ModelError(
        f"{system.name!r} has no joint {name!r} with {kind}s.",
        "Joints that close loops have none of their own.",
        suggestion(name, dict.fromkeys([*edges, *names])),
    )


def _known(system: System, name: str, others: tuple[str, ...] = ()) -> Edge:
    edges = system.edges_by_name
    if name in edges:
        return edges[name]
    closing = [joint.name for joint in system.tree.loops]
    why = "A state is given by the joints of the system, by name."
    repair = suggestion(
        name, dict.fromkeys([*edges, *(others or system.coordinate_names)])
    )
    if name in closing:
        why = "It closes a loop: its coordinates follow from those of the others."
    elif not others and name in system.speed_names:
        why = "It is a speed, and speeds are given apart from the coordinates."
        repair = f"Give it as state(..., speeds={{{name!r}: ...}})."
    raise StateError(f"{system.name!r} has no joint {name!r} to set.", why, repair)


def _coordinates(joint: Joint, value: Any, table: Table) -> list[Any]:
    if isinstance(value, Pose | Rotation):
        return list(_from_noun(joint, value, table))
    names = joint.coordinate_names
    if joint.coordinates != joint.speeds and not isinstance(value, Mapping):
        raise StateError(
            f"joint {joint.name!r} cannot be set to {_plain(value)}.",
            "Its coordinates hold a quaternion, and four numbers do not say in which"
            " order they are.",
            "Give a ph.Rotation or ph.theory.Pose of"
            f" {joint.second.frame.name!r} seen from {joint.first.frame.name!r}, or"
            f" numbers by name: {', '.join(_tails(joint, names))}.",
        )
    entries = _entries(joint, value, names, "coordinate")
    _ask_about_degrees(joint, names, entries)
    return entries


def _ask_about_degrees(joint: Joint, names: Any, entries: Any) -> None:
    """Warn of angles that were hardly meant in radians."""
    own = joint.coordinate_names
    for entry, name in zip(entries, names, strict=True):
        if not joint.angles[own.index(name)] or is_traced(entry):
            continue
        turns = abs(float(entry)) / (2 * np.pi)
        # Whole multiples of 15 are angles of a set square, in degrees.
        is_degrees = abs(entry) >= 30 and float(entry) % 15 == 0
        if is_degrees or abs(entry) > MANY_TURNS:
            warn(
                f"{name} = {entry:g} rad is {turns:.{0 if turns > 20 else 1}f} turns:"
                f" are degrees meant? {entry:g} degrees is"
                f" {np.radians(float(entry)):.5g}; angles are in radians",
                NumericalWarning,
            )


def _from_noun(joint: Joint, value: Pose | Rotation, table: Table) -> Any:
    ends = (joint.first.frame, joint.second.frame)
    if (value.seen_from, value.of) != ends:
        raise FrameMismatch(
            f"joint {joint.name!r} cannot be set by a placement of {value.of.name!r}"
            f" seen from {value.seen_from.name!r}.",
            f"It places {ends[1].name!r} seen from {ends[0].name!r}.",
            "Give that one, or its inverse().",
        )
    R_BF, p_BoFo_B = joint.first_frame(table)
    R_CM, p_CoMo_C = joint.second_frame(table)
    rotation = value.rotation if isinstance(value, Pose) else value
    R_BC = rotation.matrix
    R_FM = R_BF.T @ R_BC @ R_CM
    # A rotation alone leaves the origins of the joint together.
    p_FoMo_F = np.zeros(3)
    if isinstance(value, Pose):
        p_FoMo_F = R_BF.T @ (value.origin + R_BC @ p_CoMo_C - p_BoFo_B)
    return joint.coordinates_from(R_FM, p_FoMo_F, table)


def _entries(joint: Joint, value: Any, names: tuple[str, ...], what: str) -> list[Any]:
    """The numbers of a joint: one, some in order, or all by the ends of their names."""
    if isinstance(value, Mapping):
        tails = _tails(joint, names)
        for word in value:
            if word not in tails:
                raise StateError(
                    f"joint {joint.name!r} has no {what} {word!r}.",
                    "Each is called by the end of its name.",
                    suggestion(str(word), tails),
                )
        neutral = joint.neutral() if what == "coordinate" else np.zeros(len(names))
        pairs = zip(tails, neutral, strict=True)
        value = [value.get(tail, default) for tail, default in pairs]
    # Inside a trace NumPy cannot read the entries, and need not.
    is_listed = isinstance(value, list | tuple)
    shape = (len(value),) if is_listed else np.shape(value)
    if shape != (len(names),) and not (shape == () and len(names) == 1):
        raise StateError(
            f"joint {joint.name!r} has {len(names)} {what}s, and {_plain(value)} is not"
            f" {len(names)} of them.",
            f"They are {', '.join(names) or 'none'}, in this order.",
            "Give that many numbers.",
        )
    entries = [value] if shape == () else list(value)
    for entry, name in zip(entries, names, strict=True):
        admit(entry, (), f"{name} of a state")
    return entries


def _plain(value: Any) -> str:
    """A value in an error: numbers of NumPy as those of Python."""
    with np.printoptions(legacy="1.25"):
        return repr(value)


def _tails(joint: Joint, names: tuple[str, ...]) -> list[str]:
    return [name.removeprefix(joint.name).lstrip(".") or name for name in names]


def _column(system: System, value: Any, what: str, names: tuple[str, ...]) -> Any:
    given = value if isinstance(value, list | tuple) else np.shape(value)
    count = len(given) if isinstance(value, list | tuple) else given[:1]
    if count not in (len(names), (len(names),)):
        raise StateError(
            f"{system.name!r} has {len(names)} {what}, and"
            f" {count if isinstance(count, int) else (count or (1,))[0]} were given.",
            f"Their order is {', '.join(names)}.",
            f"Give them so, or by the names of joints: {system.name}.state(...).",
        )
    return admit(value, (len(names),), f"the {what} of a state of {system.name!r}")


def _require_quaternions(system: System, q: np.ndarray) -> None:
    from polhode.geometry.rotations.rotation_admission import admit_quaternion

    for edge in system.tree.edges:
        if edge.joint.coordinates == edge.joint.speeds:
            continue
        names = edge.joint.coordinate_suffixes
        if ".qw" in names:
            start = edge.q.start + names.index(".qw")
            admit_quaternion(q[start : start + 4], f"joint {edge.joint.name!r}")


def _list_values(names: tuple[str, ...], values: Array) -> str:
    pairs = zip(names, values, strict=True)
    return ", ".join(f"{name} = {shown(value)}" for name, value in pairs)


def require_layout(system: System, state: State) -> None:
    """Refuse a state of another system whose coordinates or speeds are not these."""
    if not isinstance(state, State):
        raise StateError(
            f"{system.name!r} cannot answer at {state!r}.",
            "The answer depends on time, coordinates and speeds together.",
            f"Give a state of {system.name!r}: its state(...) or rest().",
        )
    other = state.system
    if other is system or (
        other.coordinate_names == system.coordinate_names
        and other.speed_names == system.speed_names
    ):
        return
    raise StateError(
        f"the state belongs to {other.name!r}, not to {system.name!r}.",
        f"Its coordinates are {', '.join(other.coordinate_names)}; those of"
        f" {system.name!r} are {', '.join(system.coordinate_names)}.",
        f"Make a state of {system.name!r}: its state(...) or rest().",
    )


def tails(joint: Joint) -> list[str]:
    """What the coordinates of a joint are called in a mapping for it alone."""
    return _tails(joint, joint.coordinate_names)
