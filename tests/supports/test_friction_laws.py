"""Stribeck's law and friction of two directions, against plain integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError

G = 9.81


def slider(law, **more) -> ph.System:
    """A particle of 2 kg on a level plane."""
    bob = ph.Particle("bob", 2.0)
    floor = ph.Support(ph.surfaces.point(bob.mass_centre), ph.World().origin,
                       friction=law, name="floor", **more)  # fmt: skip
    return ph.System([bob], [ph.Weight(G)], supports=[floor])


@pytest.mark.long
@pytest.mark.row("C-10")
def test_a_block_stops_under_stribecks_law():
    """v' = -g mu(v): when and where it stops."""
    law = ph.contact.Stribeck(0.3, 0.5, 0.5, viscous=0.1)
    system = slider(law)
    start = system.state(speeds={"bob": (2.0, 0, 0)})
    motion = ph.simulate(system, start, until=1.0, rtol=1e-11)

    def stops(t, y):
        return y[0]

    stops.terminal = True
    found = solve_ivp(
        lambda t, y: [-G * law.coefficient(y[0]), y[0]],
        (0, 2), [2.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13, events=stops,
    )  # fmt: skip
    assert_close(motion.events.t, found.t_events[0], rtol=1e-8)
    assert_close(motion.q[-1, 0], found.y_events[0][0][1], rtol=1e-8)
    assert motion["floor"].status[-1, 0] == "sticks"
    assert "exp(-(|v|/floor_speed)^2)" in str(ph.contact_reading(system))


@pytest.mark.long
@pytest.mark.row("C-09")
def test_stick_and_slip_where_friction_falls_with_the_slip():
    """On a belt: it breaks away at mu_s N, where the slip begins as slowly as t^3."""
    law = ph.contact.Stribeck(0.3, 0.4, 0.2)
    bob, world = ph.Particle("bob", 1.0), ph.World()
    belt = ph.Support(ph.surfaces.point(bob.mass_centre), world.origin, friction=law,
                      belt=(0.1, 0, 0), name="belt")  # fmt: skip
    spring = ph.Spring(bob.mass_centre, world.origin, 10.0)
    system = ph.System([bob], [ph.Weight(10.0), spring], supports=[belt])
    start = system.state(bob=(0.3, 0, 0), speeds={"bob": (0.1, 0, 0)})
    motion = ph.simulate(system, start, until=7.5, rtol=1e-10)
    kinds = [e.kind for e in motion.events]
    assert kinds == ["slides", "sticks", "slides", "sticks"]
    t = motion.events.t
    assert_close(t[0], 1.0, rtol=1e-9)
    assert_close(t[3] - t[2], t[1] - t[0], rtol=1e-6)  # the cycle repeats
    ends = motion.at(t[1]).q[0], motion.at(t[3]).q[0]
    assert_close(*ends, rtol=1e-6)
    # What the spring has at the two ends of a slip differs by what rubbed less belt.
    assert np.max(np.abs(motion.ledger().balance)) <= motion.ledger().promise


@pytest.fixture(scope="module")
def turned() -> ph.results.Trajectory:
    law = ph.contact.Anisotropic((0.2, 0.6), axis=(1, 1, 0))
    system = slider(law, restitution=0.5)
    start = system.state(speeds={"bob": (1.0, 0.3, 0)})
    return ph.simulate(system, start, until=1.0, rtol=1e-11)


Q = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2)  # rows: along and across
D = np.array([0.2, 0.6])


@pytest.mark.long
@pytest.mark.row("C-10")
def test_a_block_slides_over_grooves(turned):
    """T = -N D^2 v/|D v|: it turns towards the grooves, and stops where it should."""

    def rates(t, y):
        v = Q @ y[:2]
        return [*(Q.T @ (-G * D**2 * v / np.linalg.norm(D * v))), *y[:2]]

    end = turned.events.t[0]
    found = solve_ivp(rates, (0, end * (1 - 1e-9)), [1.0, 0.3, 0, 0],
                      method="DOP853", rtol=1e-12, atol=1e-13)  # fmt: skip
    assert np.max(np.abs(found.y[:2, -1])) < 1e-7
    assert_close(turned.q[-1, :2], found.y[2:, -1], atol=1e-9)


@pytest.mark.long
def test_friction_is_on_its_ellipse_and_slip_is_told_as_it_is(turned):
    """Not in the axes in which the ellipse is a circle."""
    floor, k = turned["floor"], len(turned) // 3
    T, N = floor.friction[k, 0, :2], floor.push[k, 0]
    assert_close(np.linalg.norm(Q @ T / D), N, rtol=1e-12)
    assert_close(floor.slip[:, 0], turned.z, atol=1e-15)
    ledger = turned.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
    assert "T = -N_floor D^2 v/|D v|" in str(ph.contact_reading(turned.system))


def test_a_blow_along_and_across():
    """An impact slides on by mu (1 + e) v_n, each direction by its own."""
    system = slider(ph.contact.Anisotropic((0.2, 0.6), axis=(1, 1, 0)), restitution=0.5)
    for row, mu in zip(Q, D, strict=True):
        v = np.array([*(5 * row), -1.0])
        hit = ph.impact(system.state(speeds={"bob": v}))
        assert_close(hit.after.z[:2], (5 - mu * 1.5) * row, atol=1e-12)


@pytest.mark.parametrize(
    ("lean", "rests"),
    [((0.19, 0), True), ((0.21, 0), False), ((0, 0.59), True), ((0, 0.61), False)],
)
def test_a_slope_holds_by_its_direction(lean, rests):
    """Within 0.2 along X, and 0.6 across."""
    bob = ph.Particle("bob", 2.0)
    law = ph.contact.Anisotropic((0.2, 0.6))
    floor = ph.Support(ph.surfaces.point(bob.mass_centre), ph.World().origin,
                       friction=law, name="floor")  # fmt: skip
    weight = ph.Weight(G, up=(-lean[0], -lean[1], 1.0))
    system = ph.System([bob], [weight], supports=[floor])
    (mode,) = ph.contact_modes(system.state())
    assert mode.status["floor"] == ("sticks" if rests else "slides")


def test_an_axis_that_stands_on_the_plane_is_refused():
    """Along and across are directions in the plane."""
    with pytest.raises(ModelError, match="axis along the normal"):
        slider(ph.contact.Anisotropic((0.1, 0.2), axis=ph.Z))


@pytest.mark.long
def test_a_skate_glides_along_and_holds_across():
    """An axis of the body, no friction along it: it goes in a circle of v/omega."""
    blade = ph.Body("blade", ph.solids.box(mass=1.0, x=0.3, y=0.01, z=0.1))
    law = ph.contact.Anisotropic((0.0, 0.5), axis=ph.X, of="body")
    edge = ph.Support(ph.surfaces.point(blade.origin), ph.World().origin,
                      friction=law, name="edge")  # fmt: skip
    system = ph.System([blade], [ph.Weight(G)], supports=[edge])
    start = system.state(speeds={"blade": (0, 0, 2.0, 1.0, 0, 0)})
    motion = ph.simulate(system, start, until=np.pi / 2, rtol=1e-10)
    assert set(motion["edge"].status[:, 0]) == {"sticks"}
    assert_close(motion["blade"].position[-1], [0, 1.0, 0], atol=1e-8)
    assert_close(np.linalg.norm(motion["edge"].friction[3, 0]), 2.0, rtol=1e-8)
