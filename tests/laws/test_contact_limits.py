"""Contacts by events, by steps and by stiffness are one law, seen in its limits."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.system.contacts import velocities

G = 9.81
WORLD = ph.World()


def bouncing(**laws) -> ph.System:
    """A ball of 1 kg and radius 0.1 m over a floor."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.1))
    skin = ph.surfaces.sphere(ball.origin, 0.1)
    floor = ph.Support(skin, WORLD.origin, name="floor", **laws)
    return ph.System([ball], [ph.Weight(G)], supports=[floor], name="ball")


@pytest.mark.long
@pytest.mark.row("D-03")
def test_a_stiff_contact_tends_to_the_rigid_one():
    """Restitution e at the speed of the blow: errors fall as the time of contact.

    That is as 1/sqrt(k), of which a spring and a mass have pi sqrt(m/k).
    """
    height, e, T = 0.5, 0.6, 0.5
    speed = np.sqrt(2 * G * height)
    t = speed / G
    exact = e * speed * (T - t) - G * (T - t) ** 2 / 2
    errors = []
    for k in (1e5, 1e7, 1e9):
        bob = ph.Particle("bob", 1.0)
        law = ph.contact.HuntCrossley(k, exponent=1.0, restitution=e, at_speed=speed)
        touch = ph.CompliantContact(
            ph.surfaces.point(bob.mass_centre), WORLD.origin, law
        )
        system = ph.System([bob], [ph.Weight(G), touch])
        start = system.state(bob=(0, 0, height))
        motion = ph.simulate(system, start, until=T, rtol=1e-10)
        errors.append(abs(motion.q[-1, 2] - exact))
    assert errors[-1] < 1e-3
    assert 8.0 < errors[0] / errors[1] < 12.0
    assert 8.0 < errors[1] / errors[2] < 12.0


@pytest.mark.long
@pytest.mark.row("C-10")
def test_steps_over_contacts_come_to_located_ones_with_the_step():
    """A ball with spin that lands and slides: half the step, half the difference."""
    system = bouncing(friction=ph.Coulomb(0.2))
    speeds = {"ball": (0.0, 20.0, 0.0, 1.0, 0.3, 0.0)}
    start = system.state(ball={"z": 0.5}, speeds=speeds)
    exact = ph.simulate(system, start, until=0.7, rtol=1e-11).final
    misses = []
    for h in (4e-3, 2e-3, 1e-3):
        method = ph.methods.Moreau(h)
        stepped = ph.simulate(system, start, until=0.7, method=method).final
        places = np.max(np.abs(stepped.q[-3:] - exact.q[-3:]))
        misses.append([places, np.max(np.abs(stepped.z - exact.z))])
    ratios = np.array(misses[:-1]) / np.array(misses[1:])
    assert np.all((ratios > 1.7) & (ratios < 2.4)), ratios
    assert misses[-1][0] < 5e-3


@pytest.mark.long
@pytest.mark.row("C-08")
def test_what_rests_stays_for_a_million_steps():
    """A cube on a slope within its cone: 10^6 steps of 1 ms leave no speed."""
    cube = ph.Body("cube", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    feet = [(x, y, -0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    rest = ph.Support(ph.surfaces.hull(cube.origin, feet), WORLD.origin,
                      friction=ph.Coulomb(0.5), name="rest")  # fmt: skip
    weight = ph.Weight(G, up=(-np.sin(0.3), 0, np.cos(0.3)))
    system = ph.System([cube], [weight], supports=[rest])
    start = system.state(cube={"z": 0.05})
    method = ph.methods.Moreau(1e-3)
    motion = ph.simulate(system, start, until=1e3, method=method, samples=11)
    assert motion.outcome.accepted >= 10**6
    points = np.abs(motion.z) * [0.05, 0.05, 0.05, 1, 1, 1]  # m/s at its corners
    assert np.max(points) < 1e-15
    assert np.max(np.abs(motion.q - start.q)) < 1e-12


@pytest.mark.long
@pytest.mark.row("C-08")
def test_a_push_does_no_work_while_it_is_closed():
    """N u_N is rounding at every row, and works of impacts change at impacts alone."""
    system = bouncing(friction=ph.Coulomb(0.2), restitution=0.5)
    speeds = {"ball": (0.0, 20.0, 0.0, 1.0, 0.0, 0.0)}
    start = system.state(ball={"z": 0.3}, speeds=speeds)
    motion = ph.simulate(system, start, until=2.0, rtol=1e-10)
    floor = motion["floor"]
    closed = np.flatnonzero(floor.status[:, 0] != "open")
    assert len(closed) > 10
    rates = [
        velocities(system, motion.t[k], motion.q[k], motion.z[k])[0, 0] for k in closed
    ]
    assert np.max(np.abs(floor.push[closed, 0] * np.array(rates))) < 1e-9
    work = motion.ledger().work["impacts of floor"]
    changes = motion.t[1:][np.abs(np.diff(work)) > 1e-12]
    struck = np.array([i.t for i in floor.impacts])
    assert np.all(np.min(np.abs(changes[:, None] - struck), axis=1) < 1e-9)
