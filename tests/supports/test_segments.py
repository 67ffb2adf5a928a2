"""Balls and capsules on capsules: nearest places, and logs that lie on logs."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError
from polhode.supports.segments import nearest_pair

G, R = 9.81, 0.1
WORLD = ph.World()


def test_nearest_places_are_the_nearest_of_many():
    """Against all pairs of a fine grid, segments of any place and direction."""
    rng, share = np.random.default_rng(3), np.linspace(0, 1, 201)
    for _ in range(200):
        first, second = rng.normal(size=(2, 2, 3))
        found = np.linalg.norm(np.subtract(*nearest_pair(first, second)))
        a, b = ((1 - share)[:, None] * e[0] + share[:, None] * e[1]
                for e in (first, second))  # fmt: skip
        every = np.linalg.norm(a[:, None] - b[None], axis=2)
        assert found <= np.min(every) + 1e-12
        assert found >= np.min(every) - 0.02 * np.linalg.norm(first[1] - first[0])


def logs(turn: float, count: int = 1) -> ph.System:
    """A capsule over one that is fixed along X, turned about Z."""
    log = ph.Body("log", ph.solids.capsule(mass=1.0, radius=R, length=1.0, along=ph.X))
    along = (np.cos(turn), np.sin(turn), 0)
    under = ph.surfaces.capsule(WORLD.origin, R, 1.0, along)
    own = ph.surfaces.capsule(log.origin, R, 1.0, ph.X)
    on = ph.Support(own, under, friction=ph.Coulomb(0.5), name="on")
    return ph.System([log], [ph.Weight(G)], supports=[on], name="logs")


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_a_log_bears_on_a_log_by_its_ends_or_where_they_cross(turn):
    """Balanced on top: all of its weight, and at the middle where they cross."""
    system = logs(turn)
    rest = ph.static_rest(system.state(log={"z": 2 * R}))
    assert rest.rests
    total = sum(force for force in rest.forces.values())
    assert_close(total, [0, 0, G], atol=1e-8)
    crossing = {"on nearest"} if turn else set(rest.pushes)
    assert set(rest.pushes) == crossing
    assert len(rest.pushes) == (1 if turn else 5)


def test_other_shapes_on_a_capsule_are_refused():
    """Boxes find no place on a capsule; capsules do on boxes."""
    block = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    under = ph.surfaces.capsule(WORLD.origin, R, 1.0)
    with pytest.raises(ModelError, match="where a box touches a capsule"):
        ph.Support(ph.surfaces.box(block.origin, (0.1, 0.1, 0.1)), under)
    with pytest.raises(ModelError, match="has nothing to rest on"):
        ph.Support(ph.surfaces.point(block.origin), "floor")


@pytest.mark.long
def test_a_ball_falls_off_a_capsule_as_off_a_ball():
    """From rest at 0.1 rad, smooth: it leaves at 2/3 of the height of its start."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.01))
    under = ph.surfaces.capsule(WORLD.origin, 1.0 - 0.01, 2.0, ph.Y)
    on = ph.Support(ph.surfaces.sphere(ball.origin, 0.01), under, name="on")
    system = ph.System([ball], [ph.Weight(G)], supports=[on])
    start = system.state(ball={"x": np.sin(0.1), "z": np.cos(0.1)})
    motion = ph.simulate(system, start, until=1.0, rtol=1e-11)
    (left,) = [e for e in motion.events if e.kind == "opens"]
    assert_close(left.t, 0.907110111046269434, rtol=1e-8)
