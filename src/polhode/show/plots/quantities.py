"""Names of quantities along a motion, as people say them: values, words and units.

"hinge", "hinge.speed", "ball.qw"              coordinates and speeds of joints
"hinge.force", "hinge.torque"                  what a joint exerts on its second body
"rod.position", "rod.velocity", "rod.angular_velocity", "rod.position.z"
"craft.euler_angles", "craft.mrp"              of its orientation; "craft.quaternion"
"energy", "ledger", "balance"                  of the whole
"momentum", "angular momentum"                 about the world's origin
"motor of hinge"                               what a motor exerts within its limits
"push"                                         any other sampled input of the run
"rest", "rest.push", "rest.friction", "rest.slip", "rest.gap"      of a support
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.actions.force_elements.joint_law import Motor
from polhode.errors import ShowError
from polhode.geometry.rotations import euler_angles, modified_rodrigues, quaternion
from polhode.integrate.audit.rates import audited
from polhode.integrate.results.quantity import Quantity
from polhode.system.contacts import contact_length
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

OF_BODIES = {"position": "m", "velocity": "m/s", "angular_velocity": "rad/s"}
# Of an orientation: what each number is called, and their unit.
OF_ORIENTATIONS = {
    "euler_angles": (("yaw", "pitch", "roll"), "rad"),
    "mrp": (("sigma 1", "sigma 2", "sigma 3"), ""),
    "quaternion": (("w", "x", "y", "z"), ""),
}
OF_JOINTS = {"force": "N", "torque": "N m"}
OF_SUPPORTS = {"push": "N", "friction": "N", "slip": "m/s", "gap": "m"}
WHOLE = ("energy", "ledger", "balance", "momentum", "angular momentum")
SHUT = 1e-10  # of the natural length: a gap that is none
FINE = 1001  # rows of a smooth line


class Series(NamedTuple):
    """One line of a plot: its word, its unit, when, and how much; (n,) each.

    Lines of one unit share a panel, unless one asks for a `panel` of its own.
    """

    label: str
    unit: str
    t: np.ndarray
    values: np.ndarray
    panel: str = ""


def in_degrees(line: Series) -> Series:
    """The same line with radians as degrees; others as they are."""
    if not line.unit.startswith("rad"):
        return line
    unit = line.unit.replace("rad", "deg", 1)
    return line._replace(unit=unit, values=np.degrees(line.values))


def smooth(motion: Trajectory) -> Trajectory:
    """The motion in rows close enough for a line; its own, where steps are not kept."""
    if not motion.is_dense or len(motion) < 2 or len(motion) >= FINE:
        return motion
    even = np.linspace(motion.t[0], motion.t[-1], FINE)
    if motion.t[-1] < motion.t[0] or len(motion.events):
        return motion.resampled(even)  # a time may come twice: ask evenly
    return motion.resampled(np.union1d(even, motion.t))


def series_of(motion: Trajectory, name: Any) -> list[Series]:
    """The lines that a name or a `ph.Quantity` asks for, of the rows of a motion."""
    if isinstance(name, Quantity):
        return _of_quantity(motion, name)
    if name in WHOLE:
        return _of_whole(motion, name)
    finders = (
        _coordinates,
        _speeds,
        _of_support,
        _of_joint,
        _of_body,
        _orientation,
        _motor,
        _input,
    )
    for find in finders:
        found = find(motion, name)
        if found:
            return found
    raise ShowError(
        f"{motion.system.name!r} has no {name!r} to plot.",
        "A joint has its name, .speed, .force and .torque; a body .position, .velocity"
        " and .angular_velocity; a support .push, .friction, .slip and .gap; all"
        " together have " + ", ".join(WHOLE) + ".",
        suggestion(name, known_names(motion)),
    )


def values_of(motion: Trajectory, name: str) -> np.ndarray:
    """The numbers behind the lines of a name at the rows of a motion: (n,), (n, k)."""
    lines = series_of(motion, name)
    if any(len(line.t) != len(motion) for line in lines):
        raise ShowError(
            f"{name!r} has times of its own, not those of the rows.",
            "A sampled input is asked at its samples.",
            f"times, values = motion.inputs[{name!r}]",
        )
    columns = np.stack([line.values for line in lines], axis=-1)
    return columns[:, 0] if len(lines) == 1 else columns


def known_names(motion: Trajectory) -> list[str]:
    """All names that can be asked of a motion."""
    system = motion.system
    joints = [j.name for j in system.joints if j.coordinates]
    speeds = [f"{n}.speed" for n in (*joints, *system.speed_names)]
    loads = [f"{j.name}.{word}" for j in system.joints for word in OF_JOINTS]
    words = (*OF_BODIES, *OF_ORIENTATIONS)
    bodies = [f"{b.name}.{word}" for b in system.bodies for word in words]
    rests = [s.name for s in system.supports]
    rests += [f"{name}.{word}" for name in rests for word in OF_SUPPORTS]
    listed = [*joints, *system.coordinate_names, *speeds, *loads, *bodies, *WHOLE]
    motors = [a.name for a in system.actions if isinstance(a, Motor)]
    return list(dict.fromkeys([*listed, *rests, *motors, *_inputs(motion)]))


def _coordinates(motion: Trajectory, name: str) -> list[Series]:
    for edge in motion.system.tree.edges:
        joint, q = edge.joint, motion.q[:, edge.q]
        names = joint.coordinate_names
        picked = range(len(names)) if name == joint.name else _place(names, name)
        if len(picked):
            return [Series(names[k], joint.units[k], motion.t, q[:, k]) for k in picked]
    return []


def _speeds(motion: Trajectory, name: str) -> list[Series]:
    stem, dot, word = name.rpartition(".")
    if not dot or word != "speed":
        return []
    for edge in motion.system.tree.edges:
        joint, z = edge.joint, motion.z[:, edge.z]
        names = joint.speed_names
        picked = range(len(names)) if stem == joint.name else _place(names, stem)
        if len(picked):
            label = "speed of {}" if joint.speeds == 1 else "{}"
            units = joint.speed_units
            return [
                Series(label.format(names[k]), units[k], motion.t, z[:, k])
                for k in picked
            ]
    return []


def _place(names: tuple[str, ...], name: str) -> list[int]:
    return [names.index(name)] if name in names else []


def _of_support(motion: Trajectory, name: str) -> list[Series]:
    """Push, friction and gap of a support, or one of them; sizes of vectors."""
    names = [support.name for support in motion.system.supports]
    stem, _, word = name.rpartition(".")
    if name in names:
        words = ["push", "friction", "gap"]
        if motion.system.supports[names.index(name)].friction is None:
            words.remove("friction")
        return [line for w in words for line in _of_support(motion, f"{name}.{w}")]
    if stem not in names or word not in OF_SUPPORTS:
        return []
    rest = motion[stem]
    values = np.asarray(getattr(rest, word))
    sizes = np.linalg.norm(values, axis=-1) if values.ndim == 3 else values
    if word == "gap":  # of what touches only rounding is left
        least = SHUT * contact_length(motion.system)
        sizes = np.where(np.abs(sizes) < least, 0.0, sizes)
    ends = [point.removeprefix(stem).strip() for point in rest.points]
    return [
        Series(f"{word} of {stem}" + (f", {end}" if end else ""),
               OF_SUPPORTS[word], motion.t, sizes[:, k], word)
        for k, end in enumerate(ends)
    ]  # fmt: skip


def _of_joint(motion: Trajectory, name: str) -> list[Series]:
    stem, axis = _without_axis(name)
    joint, _, word = stem.rpartition(".")
    if word not in OF_JOINTS or joint not in [j.name for j in motion.system.joints]:
        return []
    values = getattr(motion.joint(joint).reaction, word)
    return _components(f"{word} of {joint}", OF_JOINTS[word], motion.t, values, axis)


def _of_body(motion: Trajectory, name: str) -> list[Series]:
    names = [body.name for body in motion.system.bodies]
    stem, axis = _without_axis(name)
    if stem in names:
        stem += ".position"
    body, _, word = stem.rpartition(".")
    if body not in names or word not in OF_BODIES:
        return []
    values = getattr(motion[body], word)
    label = f"{word.replace('_', ' ')} of {body}"
    return _components(label, OF_BODIES[word], motion.t, values, axis)


def _of_quantity(motion: Trajectory, quantity: Quantity) -> list[Series]:
    values = quantity.along(motion)
    columns = values.reshape(len(values), -1).T
    ends = [""] if len(columns) == 1 else [f", {k + 1}" for k in range(len(columns))]
    return [
        Series(quantity.name + end, quantity.unit, motion.t, column)
        for column, end in zip(columns, ends, strict=True)
    ]


def _orientation(motion: Trajectory, name: str) -> list[Series]:
    """Euler angles (z, y, x), modified Rodrigues parameters or the quaternion."""
    body, _, word = name.rpartition(".")
    bodies = [each.name for each in motion.system.bodies]
    if word not in OF_ORIENTATIONS or body not in bodies:
        return []
    R = motion[body].orientation
    if word == "euler_angles":
        each = [euler_angles.from_matrix("zyx", one) for one in R]
        values = np.unwrap(np.array(each), axis=0)
    else:
        q = np.array([quaternion.from_matrix(one) for one in R])
        for k in range(1, len(q)):  # of the two signs the one that goes on
            q[k] *= 1.0 if q[k] @ q[k - 1] >= 0 else -1.0
        is_mrp = word == "mrp"
        values = np.asarray(modified_rodrigues.from_quaternion(q)) if is_mrp else q
    names, unit = OF_ORIENTATIONS[word]
    return [
        Series(f"{label} of {body}", unit, motion.t, column)
        for label, column in zip(names, values.T, strict=True)
    ]


def _without_axis(name: str) -> tuple[str, str]:
    stem, dot, axis = name.rpartition(".")
    return (stem, axis) if dot and axis in ("x", "y", "z") else (name, "")


def _components(
    label: str, unit: str, t: np.ndarray, values: Any, axis: str = ""
) -> list[Series]:
    return [
        Series(f"{label}, {each}", unit, t, np.asarray(values)[:, k])
        for k, each in enumerate("xyz")
        if axis in ("", each)
    ]


def _inputs(motion: Trajectory) -> list[str]:
    return [name for s in motion.inputs.inputs.sources for name in s.names]


def _input(motion: Trajectory, name: str) -> list[Series]:
    """A sampled input as stairs: held from each sample to the next."""
    if name not in _inputs(motion):
        return []
    times, values = motion.inputs[name]
    t = np.repeat([*times, motion.t[-1]], 2)[1:-1]
    columns = np.repeat(values.reshape(len(values), -1), 2, axis=0).T
    ends = [""] if len(columns) == 1 else [f", {k + 1}" for k in range(len(columns))]
    pairs = zip(columns, ends, strict=True)
    return [Series(name + end, "", t, column, name) for column, end in pairs]


def _motor(motion: Trajectory, name: str) -> list[Series]:
    """What a motor exerts, cut to its limits; what was requested, where it is cut."""
    motors = [a for a in motion.system.actions if isinstance(a, Motor)]
    motor = next((a for a in motors if a.name == name), None)
    if motor is None:
        return []
    requested = _input(motion, name) or _law_of_motor(motion, motor)
    units = ["N m" if u == "rad/s" else "N" for u in motor.joint.speed_units]
    shape = (len(requested),)
    lower, upper = (np.broadcast_to(e, shape) for e in motor.joint.effort_limits)
    found = []
    for k, line in enumerate(requested):
        acted = np.clip(line.values, lower[k], upper[k])
        own = line._replace(unit=units[k])
        found.append(own._replace(values=acted))
        if not np.array_equal(acted, line.values):
            found.append(own._replace(label=f"{line.label}, requested"))
    return found


def _law_of_motor(motion: Trajectory, motor: Motor) -> list[Series]:
    """What the law of a motor asks for along the motion."""
    fine, system = smooth(motion), motion.system
    drive, held = motion.inputs.inputs.drive, motion.inputs.held(fine.t)
    edge = system.edge(motor.joint.name)
    rows = []
    for k in range(len(fine)):
        state = fine[k]
        table = drive.table_function(motion.table, held[k])
        if callable(table):
            y = fine.steps.x[k, system.coordinates :]
            table = table(state.t, state.q, state.z, y)
        q, z = state.q[edge.q], state.z[edge.z]
        asked = motor.asked(q, z, state.t, system.table(table))
        rows.append(np.asarray(asked, float))
    columns = np.array(rows).T
    ends = [""] if len(columns) == 1 else [f", {k + 1}" for k in range(len(columns))]
    pairs = zip(columns, ends, strict=True)
    name = motor.name
    return [Series(name + end, "", fine.t, column, name) for column, end in pairs]


def _of_whole(motion: Trajectory, name: str) -> list[Series]:
    if name in ("ledger", "balance"):
        return _of_ledger(motion, name)
    fine = smooth(motion)
    rows, t = audited(fine, fine.t, fine.steps.x), fine.t
    if name == "momentum":
        return _components(name, "kg m/s", t, rows.momentum)
    if name == "angular momentum":
        return _components(name, "kg m²/s", t, rows.angular_momentum)
    energy = rows.kinetic + rows.potential
    named = {
        "kinetic energy": rows.kinetic,
        "potential energy": rows.potential,
        "energy": energy,
    }
    return [Series(word, "J", t, values) for word, values in named.items()]


def _of_ledger(motion: Trajectory, name: str) -> list[Series]:
    ledger = motion.ledger()
    t = ledger.t
    missing = Series("unaccounted energy", "J", t, ledger.balance, "balance")
    if name == "balance":
        return [missing]
    works = [Series(f"work of {n}", "J", t, w) for n, w in ledger.work.items()]
    stored = [
        Series("kinetic energy", "J", t, ledger.kinetic),
        Series("potential energy", "J", t, ledger.potential),
    ]
    return [*stored, *works, missing]
