"""A formation told from any of its members is one formation."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from strategies_system import block

NAMES = ("a", "b", "c")
TREES = {
    "a leads": ("a", {}),
    "b leads": ("b", {}),
    "a chain": ("a", {"c": "b"}),
    "the other way": ("c", {"a": "b", "b": "c"}),
}


def craft():
    """Three lopsided bodies with springs between them."""
    bodies = [block(name, 1 + 0.3 * k) for k, name in enumerate(NAMES)]
    springs = [
        ph.Spring(
            bodies[i].point(0.2, 0, 0), bodies[j].point(0, 0.1, 0), 3.0, 1.0, name=name
        )
        for name, i, j in (("first", 0, 1), ("second", 1, 2))
    ]
    return bodies, springs


def absolute(bodies, actions):
    """Every body seen from the world."""
    return ph.System(bodies, actions, name="absolute")


def start(system):
    rng = np.random.default_rng(5)
    q = system.normalised(rng.normal(size=system.coordinates))
    return ph.State(system, 0.0, q, rng.normal(size=system.speeds))


def placed(state):
    """Poses and body twists by name."""
    system = state.system
    poses = system.poses(state.t, state.q)
    twists = system.body_twists(state.t, state.q, state.z)
    return {
        body.name: np.concatenate(
            [poses.rotations[k].ravel(), poses.origins[k], twists[k]]
        )
        for k, body in enumerate(system.bodies)
    }


@pytest.mark.row("S-09")
@pytest.mark.parametrize("tree", TREES)
def test_absolute_and_relative_states_are_one(tree):
    """From absolute to relative coordinates and back nothing has moved."""
    bodies, actions = craft()
    far = absolute(bodies, actions)
    leader, carriers = TREES[tree]
    near = ph.formations.formation_tree(bodies, leader, carriers, actions=actions)
    state = start(far)
    told = ph.formations.in_tree(state, near)
    for name, row in placed(state).items():
        assert_close(placed(told)[name], row, rtol=1e-12, atol=1e-12)
    back = ph.formations.in_tree(told, far)
    for name, row in placed(state).items():
        assert_close(placed(back)[name], row, rtol=1e-12, atol=1e-12)


@pytest.mark.row("S-09")
def test_another_root_leaves_the_motion_as_it_is():
    """Bodies are where they are, whichever of them leads."""
    bodies, actions = craft()
    far = absolute(bodies, actions)
    state, ends = start(far), []
    for leader, carriers in (TREES["a leads"], TREES["the other way"]):
        system = ph.formations.formation_tree(bodies, leader, carriers, actions=actions)
        motion = ph.simulate(
            system, ph.formations.in_tree(state, system), until=1.0, rtol=1e-11
        )
        ends.append(placed(motion.final))
    for name in NAMES:
        assert_close(ends[1][name], ends[0][name], rtol=1e-8, atol=1e-8)


def test_wrong_trees_are_refused_by_name():
    """A body that is not there, and carriers that carry each other."""
    bodies, actions = craft()
    with pytest.raises(ph.PolhodeError, match="no body 'd'"):
        ph.formations.formation_tree(bodies, "d", actions=actions)
    with pytest.raises(ph.PolhodeError, match="no tree: b on c on b"):
        ph.formations.formation_tree(bodies, "a", {"b": "c", "c": "b"})
