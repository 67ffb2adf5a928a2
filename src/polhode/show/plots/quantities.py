"""Names of quantities along a motion, as people say them: values, words and units.

"hinge", "hinge.speed", "ball.qw"              coordinates and speeds of joints
"hinge.force", "hinge.torque"                  what a joint exerts on its second body
"rod.position", "rod.velocity", "rod.angular_velocity", "rod.position.z"
"energy", "ledger", "balance"                  of the whole
"momentum", "angular momentum"                 about the world's origin
"motor of hinge"                               a sampled input of the run
"rest", "rest.push", "rest.friction", "rest.slip", "rest.gap"      of a support
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import ShowError
from polhode.integrate.audit.rates import audited
from polhode.system.contacts import contact_length
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

OF_BODIES = {"position": "m", "velocity": "m/s", "angular_velocity": "rad/s"}
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


def smooth(motion: Trajectory) -> Trajectory:
    """The motion in rows close enough for a line; its own, where steps are not kept."""
    if not motion.is_dense or len(motion) < 2 or len(motion) >= FINE:
        return motion
    even = np.linspace(motion.t[0], motion.t[-1], FINE)
    if motion.t[-1] < motion.t[0] or len(motion.events):
        return motion.resampled(even)  # a time may come twice: ask evenly
    return motion.resampled(np.union1d(even, motion.t))


def series_of(motion: Trajectory, name: str) -> list[Series]:
    """The lines that a name asks for, of the rows of a motion."""
    if name in WHOLE:
        return _of_whole(motion, name)
    for find in (_coordinates, _speeds, _of_support, _of_joint, _of_body, _input):
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


def known_names(motion: Trajectory) -> list[str]:
    """All names that can be asked of a motion."""
    system = motion.system
    joints = [j.name for j in system.joints if j.coordinates]
    speeds = [f"{n}.speed" for n in (*joints, *system.speed_names)]
    loads = [f"{j.name}.{word}" for j in system.joints for word in OF_JOINTS]
    bodies = [f"{b.name}.{word}" for b in system.bodies for word in OF_BODIES]
    rests = [s.name for s in system.supports]
    rests += [f"{name}.{word}" for name in rests for word in OF_SUPPORTS]
    listed = [*joints, *system.coordinate_names, *speeds, *loads, *bodies, *WHOLE]
    return list(dict.fromkeys([*listed, *rests, *_inputs(motion)]))


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
    return [source.name for source in motion.inputs.inputs.sources]


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
