"""Motions do not feel who describes them: frames, names, roots, units.

Promises 14 to 16 of the list that the project keeps, by steps of a fixed size; units
also with the default tolerance, which follows the system's own scales.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest

import polhode as ph
from polhode.geometry.rotations import quaternion, so3

MASS = {"hub": 3.0, "pod": 1.3}
INERTIA = np.array([[0.31, 0.02, -0.01], [0.02, 0.22, 0.03], [-0.01, 0.03, 0.17]])
CENTRE = np.array([0.11, -0.07, 0.05])
AXIS = np.array([0.0, 0.6, 0.8])
TURN, SPIN, RATE = 0.4, np.array([0.3, -0.5, 0.9]), 1.1
PLACE, GOING = np.array([0.2, -0.4, 0.7]), np.array([0.5, 0.1, -0.3])
ANCHOR = np.array([0.5, 0.2, 1.5])
JOINED = {"hub": np.array([0.5, 0.1, 0.0]), "pod": np.array([-0.3, 0.0, 0.2])}


@dataclass(frozen=True)
class Axes:
    """Axes that are turned by R and begin at p, both in the old ones."""

    R: np.ndarray = field(default_factory=lambda: np.eye(3))
    p: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def place(self, point):
        return self.R.T @ (point - self.p)


SAME = Axes()
WORLD = Axes(so3.exp(np.array([0.7, -1.1, 0.4])), np.array([3.0, -2.0, 5.0]))
HUB = Axes(so3.exp(np.array([-0.2, 0.5, 1.9])), np.array([0.2, 0.1, -0.3]))


def pair(root="hub", world=SAME, hub=SAME, back=False, names=("hub", "pod")):
    """A hub and a pod on a hinge, on a spring and under weight; and its start.

    `world` and `hub` are the axes in which places are given; `back` turns the hinge
    round; `root` is the body that floats in the world. Listed in the order of `names`.
    """
    axes = {"hub": hub, "pod": SAME}
    called = dict(zip(("hub", "pod"), names, strict=True))
    bodies = {
        name: ph.Body.from_inertia(
            called[name], mass=MASS[name], centre=own.place(CENTRE),
            inertia=own.R.T @ INERTIA @ own.R * MASS[name],
        )
        for name, own in axes.items()
    }  # fmt: skip
    ground = ph.World()
    ends = [bodies[n].point(*axes[n].place(JOINED[n])) for n in ("hub", "pod")]
    seats = {"first_axes": axes["hub"].R.T, "second_axes": axes["pod"].R.T}
    if back:
        ends, seats = ends[::-1], {"first_axes": seats["second_axes"],
                                   "second_axes": seats["first_axes"]}  # fmt: skip
    hinge = ph.Revolute("hinge", *ends, axis=AXIS, **seats)
    spring = ph.Spring(
        ground.point(*world.place(ANCHOR)),
        bodies["pod"].point(*axes["pod"].place(CENTRE)), 40.0, 0.3,
    )  # fmt: skip
    free = ph.Free("float", ground.origin, bodies[root].origin)
    joints = [free, hinge] if names == ("hub", "pod") else [hinge, free]
    system = ph.System(
        joints, [ph.Weight(9.81, up=world.R.T @ [0, 0, 1.0]), spring], name="pair"
    )
    return system, start(system, root, world, axes[root], back)


def start(system, root, world, own, back):
    """The same instant, told in other words."""
    R, p, w, v = so3.exp(SPIN), PLACE, SPIN, GOING  # of the hub, in the world
    if root == "pod":
        turn = so3.exp(AXIS * TURN)
        p = p + R @ (JOINED["hub"] - turn @ JOINED["pod"])
        fixed = w + RATE * R @ AXIS
        joint = PLACE + R @ JOINED["hub"]
        v = v + np.cross(w, joint - PLACE) + np.cross(fixed, p - joint)
        R, w = R @ turn, fixed
    v = v + np.cross(w, R @ own.p)
    place, R = world.place(p + R @ own.p), world.R.T @ R @ own.R
    w, v = (R.T @ (world.R.T @ each) for each in (w, v))
    sign = -1.0 if back else 1.0
    hinge, floating = (system.edge(name) for name in ("hinge", "float"))
    q, z = np.zeros(8), np.zeros(7)
    q[floating.q] = [*quaternion.from_matrix(R), *place]
    z[floating.z] = [*w, *v]
    q[hinge.q], z[hinge.z] = sign * TURN, sign * RATE
    return ph.State(system, 0.0, q, z)


def traced(names=("hub", "pod"), world=SAME, hub=SAME, **more):
    """Where the mass centres are, and how the bodies turn, in the world's first axes.

    By fixed steps, for half a second; so short that another root errs alike.
    """
    system, state = pair(world=world, hub=hub, names=names, **more)
    motion = ph.simulate(
        system, state, until=0.5, method=ph.methods.CommutatorFree4(5e-4)
    )
    found = []
    for name, own in zip(names, (hub, SAME), strict=True):
        part, c = motion[name], own.place(CENTRE)
        arm = np.einsum("nij,j->ni", part.orientation, c)
        found.append((part.position + arm) @ world.R.T + world.p)
        found.append(part.angular_velocity @ world.R.T)
    return np.stack(found)


@pytest.fixture(scope="module")
def plain():
    """The pair as it is told first."""
    found = traced()
    assert np.ptp(found[0], axis=0).max() > 0.5  # it does move
    return found


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param({"world": WORLD, "hub": HUB}, id="both"),
        pytest.param({"world": WORLD}, id="world", marks=pytest.mark.long),
        pytest.param({"hub": HUB}, id="hub", marks=pytest.mark.long),
    ],
)
def test_motions_do_not_feel_the_axes(plain, frames):
    """14: the world turned and shifted, a body in other axes: the same motion."""
    assert np.allclose(traced(**frames), plain, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param({"root": "pod", "back": True, "names": ("b", "a")}, id="all"),
        pytest.param({"root": "pod"}, id="root", marks=pytest.mark.long),
        pytest.param({"back": True}, id="back", marks=pytest.mark.long),
        pytest.param({"names": ("b", "a")}, id="names", marks=pytest.mark.long),
    ],
)
def test_motions_do_not_feel_names_roots_and_directions(plain, words):
    """16: other names and order, a hinge given backwards, the pod as the root."""
    assert np.allclose(traced(**words), plain, rtol=0, atol=1e-11)


@cache
def beaded(L, M, T):
    """A bead on a spring along a swinging rod, in units of length, mass and time."""
    rod = ph.Body("rod", ph.solids.rod(mass=M, length=L, along=ph.Z))
    bead = ph.Body("bead", ph.solids.box(mass=M, x=L / 9, y=L / 9, z=L / 9))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, L / 2), axis=ph.Y)
    track = ph.Prismatic("track", rod.origin, bead.origin, axis=ph.Z)
    spring = ph.Spring(track, 300.0 * M / T**2)
    system = ph.System([hinge, track], [ph.Weight(9.81 * L / T**2), spring])
    motion = ph.simulate(system, system.state(hinge=1.0), until=5.0 * T, samples=6)
    return np.concatenate([motion.q / [1, L], motion.z * T / [1, L]], axis=1)


UNITS = [(1e-6, 1e6, 1e-6)]
MORE = [
    (1e6, 1e-6, 1e6),
    (1e6, 1, 1),
    (1e-6, 1, 1),
    (1, 1e6, 1),
    (1, 1e-6, 1),
    (1, 1, 1e6),
    (1, 1, 1e-6),
]


@pytest.mark.parametrize(
    "units", [*UNITS, *(pytest.param(u, marks=pytest.mark.long) for u in MORE)]
)
def test_motions_do_not_feel_the_units(units):
    """15: lengths, masses and times a million times larger or smaller, by default."""
    assert np.allclose(beaded(*units), beaded(1.0, 1.0, 1.0), rtol=1e-9, atol=1e-9)
