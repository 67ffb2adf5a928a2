"""Runs with supports: what they refuse, what they tell, and what they keep."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import (
    IntegrationError,
    ModelError,
    NoMotion,
    Overlap,
    SeveralMotions,
    StateError,
)


def bouncing(e: float = 0.5) -> ph.System:
    ball = ph.Particle("ball", 1.0)
    floor = ph.Support(ph.surfaces.point(ball.mass_centre), ph.World().origin,
                       friction=ph.Coulomb(0.3), restitution=e,
                       name="floor")  # fmt: skip
    return ph.System([ball], [ph.Weight(9.81)], supports=[floor], name="bouncing")


SYSTEM = bouncing()
ABOVE = SYSTEM.state(ball=(0, 0, 1))


@pytest.mark.parametrize(
    ("ask", "error", "said"),
    [
        (lambda: ph.simulate(SYSTEM, SYSTEM.state(ball=(0, 0, -0.0013)), until=1.0),
         Overlap, "starts 0.0013 m inside 'world' at 'floor'"),
        (lambda: ph.simulate(SYSTEM, ABOVE, until=1.0, method=ph.methods.RadauIIA()),
         IntegrationError, "cannot run 'bouncing', which has supports"),
        (lambda: ph.simulate(SYSTEM, ABOVE, until=-1.0), IntegrationError, "run back"),
        (lambda: ph.simulate(SYSTEM, ABOVE, until=1.0, impacts="later"),
         ModelError, "cannot strike 'later'"),
        (lambda: ph.sweep(SYSTEM, [ABOVE], until=1.0, method=ph.methods.RadauIIA()),
         IntegrationError, "cannot run 'bouncing', which has supports"),
        (lambda: ph.simulate(SYSTEM, ABOVE, until=1.0,
                             events=[ph.Event("floor", lambda t: t)]),
         IntegrationError, "two events are called 'floor'"),
        (lambda: ph.stepper(SYSTEM, 0.1),
         ModelError, "which has supports"),
        (lambda: ph.linearise(SYSTEM, ABOVE), ModelError, "which has supports"),
        (lambda: ph.symmetries(SYSTEM), ModelError, "which has supports"),
        (lambda: ph.impact(ABOVE), StateError, "nothing of 'bouncing' strikes"),
        (lambda: ph.contact_modes(SYSTEM.state(speeds={"ball": (0, 0, -2)})),
         StateError, "'floor' strikes at 2 m/s"),
        (lambda: ph.contact_modes(SYSTEM.without_supports.state()),
         ModelError, "has no supports"),
    ],
)  # fmt: skip
def test_what_a_run_with_supports_refuses(ask, error, said):
    """Overlap, implicit methods, times before the start: told, never ignored."""
    with pytest.raises(error, match=said):
        ask()


def test_more_than_eight_points_are_refused():
    """Exact mode tries combinations: a pile is for a method that steps over."""
    bodies = [ph.Body(n, ph.solids.box(mass=1.0, x=1, y=1, z=1)) for n in ("a", "b")]
    world = ph.World()
    supports = [
        ph.Support(ph.surfaces.box(b.origin, (1, 1, 1)), world.origin, name=f"on {n}")
        for b, n in zip(bodies, ("a", "b"), strict=True)
    ]
    system = ph.System(bodies, [ph.Weight(9.81)], supports=supports)
    with pytest.raises(ModelError, match="16 points that may touch"):
        ph.simulate(system, system.rest(), until=1.0)


@pytest.fixture(scope="module")
def motion():
    start = SYSTEM.state(ball=(0, 0, 0.2), speeds={"ball": (3.0, 0.4, 0)})
    return ph.simulate(SYSTEM, start, until=2.0, rtol=1e-10)


def test_a_motion_tells_its_contacts(motion):
    """Bounces with friction, then slides to rest; every row has its status."""
    floor = motion["floor"]
    words = set(floor.status[:, 0])
    assert words == {"open", "slides", "sticks"}
    assert floor.gap.min() > -1e-12
    assert floor.push.min() >= 0.0
    assert floor.friction.shape == (len(motion), 1, 3)
    assert_close(floor.push[-1, 0], 9.81)
    assert np.max(np.abs(motion.z[-1])) < 1e-15
    slides = (floor.status == "slides")[:, 0]
    power = np.sum(floor.friction[slides, 0] * floor.slip[slides, 0], axis=1)
    assert np.max(power) <= 1e-12
    kinds = {e.kind for e in motion.events["floor"]}
    assert {"touches", "settles", "slides", "sticks"} <= kinds
    assert "floor touches" in repr(motion.events)


def test_the_ledger_closes_over_impacts_friction_and_settling(motion):
    """All the energy is in rows with names, and the last of it in settling."""
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
    assert (
        ledger.work["impacts of floor"][-1] < 0 > ledger.work["friction of floor"][-1]
    )
    text = repr(ledger)
    for line in ("impacts of floor", "friction of floor", "overlap, at most", "least"):
        assert line in text


def test_parts_and_samples_keep_their_modes(motion):
    """Some rows, and other times, know what their contacts did."""
    last = motion[-3:]
    assert set(last["floor"].status[:, 0]) == {"sticks"}
    times = np.linspace(0.0, 2.0, 7)
    at = motion.resampled(times)
    assert at["floor"].status[0, 0] == "open"
    assert at["floor"].status[-1, 0] == "sticks"
    assert_close(at["floor"].gap[:, 0], at.q[:, 2], atol=1e-12)


@pytest.mark.row("C-08")
def test_what_rests_stays_at_rest():
    """A particle in its cone does not move at all, however long it waits."""
    up = (-np.sin(0.2), 0, np.cos(0.2))
    ball = ph.Particle("ball", 1.0)
    floor = ph.Support(ph.surfaces.point(ball.mass_centre), ph.World().origin,
                       friction=ph.Coulomb(0.3), name="floor")  # fmt: skip
    system = ph.System([ball], [ph.Weight(9.81, up=up)], supports=[floor])
    motion = ph.simulate(system, system.rest(), until=1e4)
    assert np.max(np.abs(motion.z)) < 1e-15
    assert np.max(np.abs(motion.q)) < 1e-12


@pytest.mark.row("C-10")
def test_painleves_rod_stops_a_run_with_its_reason():
    """Where no motion, or two, obey the laws, a run does not begin by guessing."""
    rod, world = ph.Body("rod", ph.solids.rod(mass=1.0, length=2.0)), ph.World()
    plane = ph.Planar("plane", world.origin, rod.origin, normal=-ph.Y)
    foot = ph.Support(ph.surfaces.point(rod.point(0, 0, -1)), world.origin,
                      friction=ph.Coulomb(1.5), name="foot")  # fmt: skip
    system = ph.System([plane], [ph.Weight(9.81)], supports=[foot])
    theta = 1.1
    arm = np.array([np.cos(theta), np.sin(theta)])

    def sliding(omega: float) -> ph.State:
        v = omega * np.array([-arm[1], arm[0]])
        speeds = {"plane": (omega, v[0] - 1.0, v[1])}
        return system.state(plane=(theta - np.pi / 2, *arm), speeds=speeds)

    with pytest.raises(NoMotion, match="'foot' slides at 1 m/s and no push keeps"):
        ph.simulate(system, sliding(0.0), until=1.0)
    with pytest.raises(SeveralMotions, match=r"pressed by 22\.04 N"):
        ph.simulate(system, sliding(4.0), until=1.0)


@pytest.mark.row("C-09")
def test_a_block_rides_on_a_table_that_a_driver_shakes():
    """Within its cone it sticks; the driver's work is all that it gains."""
    table, world = (
        ph.Body("table", ph.solids.box(mass=5.0, x=1, y=1, z=0.1)),
        ph.World(),
    )
    block = ph.Particle("block", 1.0)
    slide = ph.Prismatic("slide", world.origin, table.origin, axis=ph.X)
    drive = ph.PrescribedMotion(slide, lambda t: 0.1 * (1 - jnp.cos(3 * t)))
    rest = ph.Support(ph.surfaces.point(block.mass_centre), table.origin,
                      friction=ph.Coulomb(0.5), name="rest")  # fmt: skip
    system = ph.System([slide, block], [ph.Weight(9.81)], [drive], supports=[rest])
    motion = ph.simulate(system, system.state(slide=0.0), until=1.0, rtol=1e-9)
    assert_close(motion["block"].position[-1, 0], 0.1 * (1 - np.cos(3)), atol=1e-9)
    assert set(motion["rest"].status[:, 0]) == {"sticks"}
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
    assert_close(ledger.work["constraints"][-1], ledger.kinetic[-1], atol=1e-8)


@pytest.mark.long
@pytest.mark.row("C-10")
def test_painleves_rod_jams_where_it_is_let():
    """An impact without collision stops the foot, e = 0: P = -W^-1 u, both ways."""
    rod, world = ph.Body("rod", ph.solids.rod(mass=1.0, length=2.0)), ph.World()
    plane = ph.Planar("plane", world.origin, rod.origin, normal=-ph.Y)
    foot = ph.Support(ph.surfaces.point(rod.point(0, 0, -1)), world.origin,
                      friction=ph.Coulomb(1.5), jam=True, name="foot")  # fmt: skip
    system = ph.System([plane], [ph.Weight(9.81)], supports=[foot])
    arm = np.array([np.cos(1.1), np.sin(1.1)])  # from the foot to the centre
    start = system.state(plane=(1.1 - np.pi / 2, *arm),
                         speeds={"plane": (0.0, -1.0, 0.0)})  # fmt: skip
    motion = ph.simulate(system, start, until=0.05, rtol=1e-10)
    jam = motion.events[0]
    assert jam.kind == "jams"
    # The foot stops: what is left turns about it, I_foot = m l^2 (1/3 + 1).
    x, y = arm
    omega = (-y * -1.0) / (4 / 3)  # of the angular momentum about the foot
    assert_close(jam.after.z[0], omega, rtol=1e-9)
    assert_close(jam.after.z[1:], omega * np.array([-y, x]), rtol=1e-9)
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= max(ledger.promise, 1e-9)
