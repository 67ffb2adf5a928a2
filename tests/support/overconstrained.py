"""Mechanisms with more equations than they need, whose freedoms are known otherwise.

Rings of hinges are made by Denavit and Hartenberg's numbers; others are trees to which
equations are added that repeat what already holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import polhode as ph

G = 9.81


class Ring(NamedTuple):
    """Links of a closed chain of hinges: T = Rz(angle) Tz(offset) Tx(length) Rx(twist).

    lengths, twists, angles, offsets   one a link; the product of all T is the identity
    """

    lengths: Sequence[float]
    twists: Sequence[float]
    angles: Sequence[float]
    offsets: Sequence[float] = ()


def ring(given: Ring, *, unit: float = 1.0, name: str = "ring") -> ph.System:
    """Hinges "1" to "n" in space, the first link in the world; the last closes it."""
    assert np.allclose(_chain(given)[-1], np.eye(4), atol=1e-12)
    return hinged(given, unit=unit, name=name)


def hinged(given: Ring, *, unit: float = 1.0, name: str = "ring") -> ph.System:
    """The same of links that need not close: the ground is as long as it takes."""
    axes, places = _lines(given)
    places = places * unit
    world, joints, bodies = ph.World(), [], []
    count = len(axes)
    for k in range(count - 1):
        thin = ph.solids.sphere(mass=1.0 + 0.2 * k, radius=0.2 * unit)
        bodies.append(ph.Body(f"link {k + 1}", thin))
    homes = [(places[k] + places[k + 1]) / 2 for k in range(count - 1)]
    for k in range(count):
        one = world.point(*places[k])
        if k:
            one = bodies[k - 1].point(*(places[k] - homes[k - 1]))
        two = world.point(*places[k])
        if k < count - 1:
            two = bodies[k].point(*(places[k] - homes[k]))
        across = _square(axes[k])
        joints.append(
            ph.Revolute(
                str(k + 1), one, two, axis=ph.Z, first_axes=across, second_axes=across
            )
        )
    return ph.System(joints, [ph.Weight(G * unit)], name=name)


def _chain(given: Ring) -> list[np.ndarray]:
    found = [np.eye(4)]
    offsets = given.offsets or [0.0] * len(given.lengths)
    rows = zip(given.lengths, given.twists, given.angles, offsets, strict=True)
    for a, alpha, theta, d in rows:
        (c, s), (k, n) = _unit(theta), _unit(alpha)
        turn = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, d], [0, 0, 0, 1.0]])
        arm = np.array([[1, 0, 0, a], [0, k, -n, 0], [0, n, k, 0], [0, 0, 0, 1.0]])
        found.append(found[-1] @ turn @ arm)
    return found


def _unit(angle: float) -> tuple[float, float]:
    return float(np.cos(angle)), float(np.sin(angle))


def _lines(given: Ring) -> tuple[np.ndarray, np.ndarray]:
    """Directions and points of the axes in the world, leaning: no entry is zero."""
    lean, _ = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))
    frames = _chain(given)[:-1]
    axes = np.array([lean @ T[:3, 2] for T in frames])
    return axes, np.array([lean @ T[:3, 3] + [0.3, -0.2, 0.5] for T in frames])


def _square(axis: np.ndarray) -> np.ndarray:
    """Right-handed axes (3, 3) with the given third one."""
    least = np.eye(3)[np.argmin(np.abs(axis))]
    first = np.cross(least, axis)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(axis, first), axis], axis=-1)


def bennett(angle: float = 0.9) -> Ring:
    """Opposite links alike, sin(alpha)/a = sin(beta)/b: four skew axes, and it turns.

    tan(t1/2) tan(t2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2)
    """
    a, alpha, beta = 1.0, 0.5, 1.1
    b = a * np.sin(beta) / np.sin(alpha)
    gain = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    other = 2 * np.arctan(gain / np.tan(angle / 2))
    return Ring(
        [a, b, a, b], [alpha, beta, alpha, beta], [angle, other, -angle, -other]
    )


def spherical_four_bar() -> Ring:
    """Four axes through one point: the equations of force repeat each other."""
    twists = [0.4, 1.1, 0.9, 1.2]
    return _closed([0.0] * 4, twists, [0.0] * 4, [0.7, 2.0, 1.0, 2.0])


def planar_four_bar() -> Ring:
    """Four parallel axes, leaning: three of the five closing rows are repeated."""
    return _closed([1.0, 2.0, 1.5, 2.0], [0.0] * 4, [0.0] * 4, [0.7, 2.0, 1.0, 2.0])


def plain_seven() -> Ring:
    """Seven hinges that are placed anyhow: nothing is repeated, and one is left."""
    rng = np.random.default_rng(5)
    lengths, twists = rng.uniform(0.8, 1.2, 7), rng.uniform(0.5, 1.5, 7)
    return _closed(lengths, twists, rng.uniform(0, 0.3, 7), rng.uniform(0.5, 1.5, 7))


def goldberg() -> Ring:
    """Two Bennett rings with one link laid over the other's: five hinges that turn."""
    a, alpha, beta, gamma = 1.0, 0.5, 1.1, 0.8
    b, c = (a * np.sin(x) / np.sin(alpha) for x in (beta, gamma))
    lengths = [a, b + c, a, c, b]
    twists = [alpha, beta + gamma, alpha, gamma, beta]
    return _closed(lengths, twists, [0.0] * 5, [1.0, 1.0, 1.0, 1.0, 1.0])


def _closed(lengths: Any, twists: Any, offsets: Any, angles: Any) -> Ring:
    """The angles, near to given ones, that close a ring; its first stays."""
    from scipy.optimize import least_squares

    def ring_at(others: Any) -> Ring:
        turns = [float(angles[0]), *map(float, others)]
        parts = (list(map(float, part)) for part in (lengths, twists))
        return Ring(*parts, turns, [float(d) for d in offsets])

    def misses(others: Any) -> Any:
        return (_chain(ring_at(others))[-1] - np.eye(4))[:3].ravel()

    rng = np.random.default_rng(1)
    starts = [np.array(angles[1:], float)]
    starts += [rng.uniform(-np.pi, np.pi, len(starts[0])) for _ in range(60)]
    fine = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    for start in starts:
        found = least_squares(misses, start, **fine)
        if found.cost < 1e-28:
            return ring_at(found.x)
    raise AssertionError("the ring does not close")


class Repeated(NamedTuple):
    """A tree with equations of which many say the same, and how it moves.

    freedoms   how many are left, counted by who made it
    repeated   how many equations say what others say
    """

    system: ph.System
    freedoms: int
    repeated: int


# How their axes are given, and how often each is drawn.
KINDS: dict[Any, tuple[dict[str, Any], float]] = {
    ph.Revolute: ({"axis": ph.Z}, 0.4),
    ph.Prismatic: ({"axis": ph.Z}, 0.3),
    ph.Spherical: ({}, 0.1),
    ph.Universal: ({"axis": ph.X, "second_axis": ph.Y}, 0.1),
    ph.Cylindrical: ({"axis": ph.Z}, 0.1),
}


def repeated(seed: int, unit: float = 1.0) -> Repeated:
    """Bodies on a random tree; gears, drivers, bearings and rods, each maybe twice.

    Single coordinates follow q_k = r_k s of their group: any gear in a group agrees
    with the others, and so do drivers r_k f(t).
    """
    rng = np.random.default_rng(seed)
    world, bodies, joints, freedoms, doubled = ph.World(), [], [], 0, 0
    extra: list[Any] = []
    for k in range(int(rng.integers(2, 6))):
        solid = ph.solids.box(mass=1.0, x=0.3 * unit, y=0.2 * unit, z=0.4 * unit)
        body, carrier = ph.Body(f"b{k}", solid), rng.integers(-1, k)
        first = unit * rng.normal(size=3)
        one, two = 0.3 * unit * rng.normal(size=(2, 3))
        kind = [*KINDS][rng.choice(len(KINDS), p=[p for _, p in KINDS.values()])]
        words = KINDS[kind][0]
        axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        axes *= np.sign(np.linalg.det(axes))
        here = world if carrier < 0 else bodies[carrier]
        start = first if carrier < 0 else one
        joint = kind(
            f"j{k}", here.point(*start), body.point(*two), first_axes=axes, **words
        )
        joints.append(joint)
        bodies.append(body)
        freedoms += joint.speeds
        if kind in (ph.Revolute, ph.Cylindrical, ph.Prismatic) and rng.uniform() < 0.5:
            # A second bearing in line with the first repeats all of its equations.
            along = unit * rng.uniform(0.5, 2) * np.array([0, 0, 1.0])
            places = here.point(*(start + axes @ along)), body.point(*(two + along))
            extra.append(kind(f"again {k}", *places, first_axes=axes, **words))
            doubled += 6 - joint.speeds
        if kind in (ph.Revolute, ph.Spherical) and rng.uniform() < 0.4:
            # A rod from the centre of a joint to the body it carries: both rigid ends.
            end = body.point(*(two + unit * np.array([0.6, 0.0, 0.8])))
            extra.append(ph.Distance(here.point(*start), end, unit, name=f"rod {k}"))
            doubled += 1
    single = [joint for joint in joints if joint.speeds == 1]
    return _geared(Repeated(None, freedoms, doubled), joints + extra, single, rng, unit)


def _geared(
    sofar: Repeated, members: list[Any], single: list[Any], rng: Any, unit: float
) -> Repeated:
    freedoms, doubled, rows = sofar.freedoms, sofar.repeated, []
    groups: dict[int, list[Any]] = {}
    for joint in single:
        groups.setdefault(int(rng.integers(3)), []).append(joint)
    for number, group in groups.items():
        rates = rng.uniform(0.3, 2, len(group)) * rng.choice([-1, 1], len(group))
        rates = rates * [unit if j.units[0] == "m" else 1.0 for j in group]
        joined = {0}
        for _ in range(int(rng.integers(0, 5)) if len(group) > 1 else 0):
            one, other = rng.choice(len(group), 2, replace=False)
            if not {one, other} & joined:
                continue
            is_new = not {one, other} <= joined
            freedoms, doubled = freedoms - is_new, doubled + (not is_new)
            joined |= {int(one), int(other)}
            ratio = rates[one] / rates[other]
            name = f"gear {number}.{len(rows)}"
            rows.append(ph.Gear(group[one], group[other], ratio, name=name))
        drivers = rng.choice([0, 0, 1, 2])
        for count in range(drivers):
            which = int(rng.choice(sorted(joined)))
            law = _law(rates[which])
            name = f"driver {number}.{count}"
            rows.append(ph.PrescribedMotion(group[which], law, name=name))
            freedoms, doubled = freedoms - (count == 0), doubled + (count > 0)
    joints = [m for m in members if not isinstance(m, ph.Distance)]
    rods = [m for m in members if isinstance(m, ph.Distance)]
    actions = [ph.Weight(G * unit)]
    system = ph.System(joints, actions, rods + rows, name="repeated")
    return Repeated(system, freedoms, doubled)


def _law(rate: float) -> Any:
    return lambda t: rate * (0.2 + 0.1 * t)
