"""Starts and steps that are allowed and hardly meant: a warning, or the reason."""

from __future__ import annotations

import re
import warnings
from functools import cache

import numpy as np
import pytest

import overconstrained as over
import polhode as ph
from polhode.errors import IntegrationError, IntegrationWarning, NumericalWarning
from polhode.integrate.field.states import states_of
from polhode.integrate.host.checks import warn_of_start
from unit_systems import rod


@cache
def hinged() -> ph.System:
    """A pendulum that is built for half a turn."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    ends = ph.World().origin, rod.point(0, 0, 0.5)
    hinge = ph.Revolute("hinge", *ends, axis=ph.Y, limits=(-1.5, 1.5))
    return ph.System([hinge], [ph.Weight(9.81)], name="hinged")


@cache
def kite() -> ph.System:
    """Two cranks of one length joined by a rod as long as their hinges are apart.

    Where all three lie in one line the motion forks: the cranks go on side by side, or
    against each other.
    """
    world = ph.World()
    cranks = [ph.Body(n, ph.solids.rod(mass=1.0, length=1.0)) for n in ("one", "two")]
    joints = [
        ph.Revolute(
            f"pin {k}", world.point(2.0 * k, 0, 0), crank.point(0, 0, -0.5), axis=ph.Y
        )
        for k, crank in enumerate(cranks)
    ]
    ends = [crank.point(0, 0, 0.5) for crank in cranks]
    coupler = ph.Distance(*ends, 2.0, name="coupler")
    return ph.System(joints, [ph.Weight(9.81)], [coupler], name="kite")


def doors(system: ph.System, state: ph.State):
    """Every way to a run, once each."""
    yield lambda: ph.simulate(system, state, until=0.01)
    yield lambda: ph.sweep(system, state, until=0.01)
    yield lambda: ph.sweep(system, [state, state], until=0.01)
    yield lambda: ph.stepper(system, 0.001)(state)


def test_a_start_beyond_a_limit_warns_at_every_door():
    """With the joint, where it is and its limits; within them nothing is said."""
    system = hinged()
    for door in doors(system, system.state(hinge=2.0)):
        with pytest.warns(NumericalWarning, match=r"hinge = 2 rad .* -1.5 and 1.5 rad"):
            door()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for door in doors(system, system.state(hinge=1.0)):
            door()


def test_a_start_at_a_fork_warns_at_every_door():
    """The rank of the constraints is less than beside."""
    system = kite()
    flat = system.state({"pin 0": np.pi / 2, "pin 1": np.pi / 2})
    for door in doors(system, flat):
        with pytest.warns(NumericalWarning, match="rank is 0, and 1 beside"):
            door()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for door in doors(system, system.state({"pin 0": 1.0, "pin 1": 1.0})):
            door()


def taut() -> ph.System:
    """A ball between two rods that are just long enough."""
    ball, world = ph.Particle("ball", 1.0), ph.World()
    rods = [
        ph.Distance(world.point(x, 0, 0), ball.mass_centre, 1.0, name=f"rod {x}")
        for x in (-1, 1)
    ]
    return ph.System([ball], [ph.Weight(9.81)], rods, name="taut")


def cranks_in_line() -> ph.System:
    """Three cranks and one beam, in one line where they are made."""
    world, beam = ph.World(), rod("beam", 2.0, 2.0)
    joints = []
    for k, x in enumerate((0.0, 2.0, 1.0)):
        bar = rod(f"crank {k}", 1.0, 1.0)
        ends = (
            (world.point(x, 0, 0), bar.origin),
            (bar.point(1, 0, 0), beam.point(x, 0, 0)),
        )
        for letter, pair in zip("gk", ends, strict=True):
            joints.append(ph.Revolute(f"{letter}{k}", *pair, axis=ph.Y))
    return ph.System(joints, [ph.Weight(9.81)], name="cranks")


STARTS = {
    "ball between taut rods": (taut, "cannot move.*rank of its constraints is 1"),
    "three cranks in line": (cranks_in_line, "fork.*rank is 2, and 3 beside"),
    "Bennett's ring": (lambda: over.ring(over.bennett()), ""),
    "Bricard's ring": (ph.models.bricard, ""),
    "a spherical four-bar": (lambda: over.ring(over.spherical_four_bar()), ""),
    **{
        f"equations said twice, {k}": (lambda k=k: over.repeated(k).system, "")
        for k in range(3)
    },
}


@pytest.mark.parametrize("name", STARTS)
def test_a_start_is_warned_of_where_more_moves_than_can_go_on_and_nowhere_else(name):
    """Redundant rows are no reason; places at a tangent are, found from any side."""
    make, words = STARTS[name]
    system = make()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warn_of_start(states_of(system, system.rest()))
    assert len(said) == bool(words)
    assert ph.mobility(system).is_singular == bool(words)
    if words:
        assert re.search(f"(?s){words}", str(said[0].message))


def test_redundant_rows_are_no_fork():
    """A planar linkage of hinges has rows that no motion feels, wherever it is."""
    system = ph.models.four_bar()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ph.simulate(system, system.rest(), until=0.01)


@cache
def stiff() -> ph.System:
    """1 kg on a spring of 1e8 N/m: a rate of 1e4 1/s."""
    block = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, block.origin, axis=ph.X)
    return ph.System([track], [ph.JointSpring(track, 1e8)], name="stiff")


def test_a_step_too_long_is_no_fault_of_a_law():
    """The state grew without bound: it says by what rate, and which step is stable."""
    system, method = stiff(), ph.methods.RungeKutta4(0.01)
    start = system.state(track=1.0)
    with pytest.warns(IntegrationWarning, match="grows without bound"):
        motion = ph.simulate(system, start, until=10.0, method=method)
    with pytest.warns(IntegrationWarning, match="grows without bound"):
        found = ph.sweep(system, [start, start], until=10.0, method=method)
    for outcome in (motion.outcome, found.outcome(1)):
        assert outcome.code == "INTEG"
        assert "a step of 0.01 s is 100 times its time" in outcome.sentence
        assert "a step of 0.0002 s" in outcome.sentence


def test_a_stepper_says_so_too():
    """Its error is one of integration, not of a force."""
    system = stiff()
    step, state = ph.stepper(system, 0.01), system.state(track=1.0)

    def run() -> None:
        nonlocal state
        while True:
            state = step(state)

    with pytest.raises(
        IntegrationError, match=r"(?s)no next state.*grows without bound"
    ):
        run()
