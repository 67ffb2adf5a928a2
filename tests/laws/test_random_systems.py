"""Systems drawn at random, trees and loops, agree in every form that applies."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.formulation.compare import answers, disagreement, sizes
from polhode.formulation.registry import FORMULATIONS
from polhode.joints.registry import ALL_JOINTS
from strategies_joints import OWN
from strategies_system import block, random_state

SEEDS = range(12)
QUICK = ("recursive", "Gauss", "Lagrange, second kind")


def random_system(seed: int) -> ph.System:
    """One to five bodies on a random tree of random joints, with random actions.

    Every third has a rod of fixed length between its last body and the world.
    """
    rng = np.random.default_rng(seed)
    world, bodies = ph.World(), []
    joints = []
    for k in range(int(rng.integers(1, 6))):
        carrier = rng.integers(-1, k)
        body = block(f"b{k}", rng.uniform(0.5, 2.0))
        ends = [
            world.point(*rng.normal(size=3))
            if carrier < 0
            else bodies[carrier].point(*(0.3 * rng.normal(size=3))),
            body.point(*(0.3 * rng.normal(size=3))),
        ]
        kind = ALL_JOINTS[rng.integers(len(ALL_JOINTS))]
        if rng.uniform() < 0.3:
            ends = ends[::-1]
        joints.append(kind(f"j{k}", *ends, **OWN.get(kind, {})))
        bodies.append(body)
    last = bodies[-1]
    spring = ph.Spring(world.point(1, 2, 3), last.point(0.1, 0, 0.2), 12.0, 0.7)
    drag = ph.Drag(bodies[0].mass_centre, world.frame, 0.3, 0.1)
    actions = [ph.Weight(9.81), spring, drag]
    system = ph.System(joints, actions, name=f"random {seed}")
    if seed % 3 or system.speeds < 2:
        return system
    origin = system.poses(0.0, system.rest().q).origins[-1]
    far = origin + np.array([0.4, -0.9, 0.6])
    rod = ph.Distance(
        world.point(*far), last.origin, float(np.linalg.norm(far - origin))
    )
    return ph.System(joints, actions, [rod], name=f"random {seed}")


def cases() -> list:
    """Each seed with every form; two seeds and three forms are quick."""
    found = []
    for seed in SEEDS:
        for form in FORMULATIONS:
            quick = seed in (1, 11) and form in QUICK
            marks = () if quick else pytest.mark.long
            found.append(pytest.param(seed, form, marks=marks))
    return found


def evaluated(system, form, states):
    """Accelerations and reactions in a form at states; None where it is refused."""
    try:
        equations = FORMULATIONS[form](system)
    except ph.PolhodeError:
        return None
    first = states[0]
    program = ph.compile(answers(equations), first.t, first.q, first.z)
    values = [program(s.t, s.q, s.z) for s in states]
    return [np.stack(part) for part in zip(*values, strict=True)]


@pytest.mark.long
@pytest.mark.parametrize(("seed", "form"), cases())
def test_random_systems_move_alike_in_every_form(seed, form):
    """Accelerations to 1e-10, and reactions where they are unique, as Gauss's."""
    system = random_system(seed)
    if system.speeds == 0:
        pytest.skip("nothing moves")
    rng = np.random.default_rng(100 + seed)
    states = [random_state(system, rng) for _ in range(4)]
    found = evaluated(system, form, states)
    if found is None:
        pytest.skip("the form does not apply")
    wanted = evaluated(system, "Gauss", states)
    redundant = bool(ph.mobility(system, states[0]).redundant)
    for part in range(1 if redundant else 2):
        size = np.array([sizes(s)[part] for s in states])[:, None, None]
        assert disagreement(found[part], wanted[part], size) < 1e-10
