"""No step is accepted whose constraints cannot be met: the run says which, and stops.

Two rods of 1 m lie between a hinge and a slider, which a driver pulls away. They reach
2 m; the driver asks for 1 m + t^2, so that they are stretched at t = 1 s.
"""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ConstraintError, IntegrationError, IntegrationWarning


@cache
def pulled() -> tuple[ph.System, ph.State]:
    """A rod and a massless one that are pulled apart, and where they begin."""
    world = ph.World()
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    shoe = ph.Body("shoe", ph.solids.sphere(mass=0.5, radius=0.1))
    hip = ph.Revolute("hip", world.origin, rod.point(0, 0, -0.5), axis=ph.Y)
    guide = ph.Prismatic("guide", world.origin, shoe.origin, axis=ph.X)
    link = ph.Distance(rod.point(0, 0, 0.5), shoe.origin, 1.0, name="link")
    driver = ph.PrescribedMotion(guide, lambda t: 1.0 + t * t, name="pull")
    acts, held = [ph.Weight(9.81)], [link, driver]
    system = ph.System([hip, guide], actions=acts, constraints=held, name="pulled")
    return system, ph.assemble(system, guide=1.0, hip=np.pi / 6).state


def worst_miss(system: ph.System, t: float, q: np.ndarray) -> float:
    """By how much the link is longer or shorter than it is, m."""
    R, p = system.poses(t, q)
    at = [body.name for body in system.bodies].index
    way = p[at("rod")] + R[at("rod")] @ [0, 0, 0.5] - p[at("shoe")]
    return abs(float(np.linalg.norm(way)) - 1.0)


METHODS = [
    None,
    ph.methods.RungeKutta4(0.01),
    ph.methods.RadauIIA(),
    ph.methods.Rattle(0.01),
    ph.methods.GeneralisedAlpha(0.01),
    ph.methods.GearGuptaLeimkuhler(0.01),
    ph.methods.GaussLegendre4(0.01),
    ph.methods.CommutatorFree4(0.01),
]
FEW = METHODS[:2]


@pytest.mark.parametrize(
    "method",
    [pytest.param(m, marks=() if m in FEW else pytest.mark.long) for m in METHODS],
    ids=lambda m: "default" if m is None else type(m).__name__,
)
def test_a_run_stops_where_its_rods_are_stretched(method):
    """Alone and in a sweep: rods keep their lengths to the end, and it says why."""
    system, start = pulled()
    with pytest.warns(IntegrationWarning, match="link by 0.0"):
        motion = ph.simulate(system, start, until=3.0, method=method)
    with pytest.warns(IntegrationWarning, match="2 of 2 runs stopped.*link"):
        found = ph.sweep(system, [start, start], until=3.0, method=method)
    assert motion.outcome.code == "CONSTR"
    assert 0.98 < motion.outcome.t < 1.0 + 1e-6
    assert "cannot all be kept further" in motion.outcome.sentence
    for t, q in zip(motion.t, motion.q, strict=True):
        assert worst_miss(system, float(t), q) < 1e-7
    assert found.outcome(1).code == "CONSTR"
    assert np.array_equal(found.final_q[1], motion.q[-1])


def test_a_sweep_of_one_stops_likewise():
    """The form for a run alone refuses the same step."""
    system, start = pulled()
    with pytest.warns(IntegrationWarning, match="cannot all be kept further"):
        found = ph.sweep(system, start, until=3.0, method=ph.methods.RungeKutta4(0.01))
    assert found.outcome(0).t == pytest.approx(0.99)


def test_a_stepper_raises_where_constraints_cannot_be_met():
    """With the rows, and the state before it as it was."""
    system, start = pulled()
    step = ph.stepper(system, 0.06)
    state = start
    while state.t + 0.06 < 1.0:
        state = step(state)
    with pytest.raises(ConstraintError, match=r"does not meet.*\n.*\n.*link by"):
        step(state)
    with pytest.raises(ConstraintError, match="does not meet"):
        step(ph.States(system, state.t, state.q[None], state.z[None]))


def test_a_stepper_raises_where_an_implicit_step_is_not_solved():
    """A step far longer than the motion has no solution, and is not given as one."""
    system = ph.models.double_pendulum()
    start = system.rest().changed(speeds={system.joints[0].name: 40.0})
    step = ph.stepper(system, 7.3, method=ph.methods.GaussLegendre4)
    with pytest.raises(IntegrationError, match="could not be solved"):
        step(start)


def test_constraints_that_can_be_met_are_no_reason_to_stop():
    """The same rods pulled less far reach their end with their lengths."""
    system, start = pulled()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = ph.simulate(system, start, until=0.9)
    assert motion.outcome.is_complete
    assert worst_miss(system, 0.9, motion.q[-1]) < 1e-9


def test_an_unprojected_method_is_not_held_to_its_constraints():
    """It is for comparison: it drifts, and its ledger shows by how much."""
    system, start = pulled()
    free = ph.methods.Unprojected(ph.methods.RungeKutta4(0.01))
    assert ph.simulate(system, start, until=0.5, method=free).outcome.is_complete
