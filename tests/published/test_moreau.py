"""Published contact problems with digits, by Moreau's scheme.

S5 and S7: closed forms (the thrown cube is that of Genesis #3115). S13 and S17: the
dry oscillator and the impacting stick of Siconos, whose own scheme is of first order,
too; the digits are of independent integrations.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph

Moreau = ph.methods.Moreau
SIDE, G = 0.1, 9.81


@cache
def cube(slope=0.0):
    """A cube on a plane that falls towards +X, and its place there; compiled once."""
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    body = ph.Body("cube", ph.solids.box(mass=1.0, x=SIDE, y=SIDE, z=SIDE))
    skin = ph.surfaces.box(body.origin, (SIDE, SIDE, SIDE))
    rest = ph.Support(
        skin,
        ph.World().origin,
        normal=tuple(normal),
        friction=ph.Coulomb(0.5),
        name="rest",
    )
    system = ph.System([body], [ph.Weight(G)], supports=[rest], name="cube")
    turn = [np.cos(slope / 2), 0, np.sin(slope / 2), 0]
    return system, np.array([*turn, *(SIDE / 2 * normal)])


def rubbing(mu):
    """The coefficient of one run."""
    return {"rest.dynamic": mu, "rest.static": mu}


@pytest.mark.parametrize(("h", "most"), [(5e-3, 1.5e-5), (2e-3, 2.4e-6)])
def test_a_thrown_cube_slides_and_does_not_tip(h, most):
    """S7: 3.669725 m, no tilt, three quarters of the weight on the front edge."""
    system, q = cube()
    start = ph.State(system, 0.0, q, np.array([0, 0, 0, 6.0, 0, 0]))
    motion = ph.simulate(
        system, start, until=2.0, method=Moreau(h), parameters=rubbing(0.5)
    )
    assert abs(motion.final.q[4] - 3.66972477064220183) < most
    assert np.abs(motion.q[:, 1:4]).max() < 1e-12
    assert np.abs(motion.q[:, 6] - SIDE / 2).max() < 3e-14
    push = motion["rest"].push[int(0.5 / h)]
    assert abs(push[4:].sum() / push.sum() - 0.75) < 1e-12
    stopped = motion.t[np.argmax(motion.z[:, 3] < 1e-9)]
    assert abs(stopped - 1.22324159021406728) < h


def test_a_thrown_cube_tips_with_more_friction():
    """S7 with 1.1: it must tip."""
    system, q = cube()
    start = ph.State(system, 0.0, q, np.array([0, 0, 0, 6.0, 0, 0]))
    motion = ph.simulate(
        system, start, until=0.3, method=Moreau(1e-3), parameters=rubbing(1.1)
    )
    assert np.abs(motion.q[:, 2]).max() > 0.05


@pytest.mark.parametrize(
    ("mu", "slid"), [(1.0, 0.0), (0.5000001, 0.0), (0.4999999, 1.5793795342e-5)]
)
def test_a_cube_on_a_slope_of_a_half(mu, slid):
    """S5: friction 0.5000001 holds it for ever, 0.4999999 does not."""
    system, q = cube(np.arctan(0.5))
    start = ph.State(system, 0.0, q, np.zeros(6))
    motion = ph.simulate(
        system, start, until=6.0, method=Moreau(5e-3), parameters=rubbing(mu)
    )
    moved = np.linalg.norm(motion.final.q[4:] - q[4:])
    assert abs(moved - slid) < 2e-14
    if not slid:
        turning, sliding = np.abs(motion.final.z).reshape(2, 3).max(axis=1)
        assert max(SIDE * turning, sliding) < 3e-15


def test_a_dry_oscillator_comes_to_rest_where_it_must():
    """S13: 0.682178936723646846; Siconos prints 0.682044135195 with this step."""
    bob, world = ph.Particle("bob", 1.0), ph.World()
    floor = ph.Support(
        ph.surfaces.point(bob.mass_centre),
        world.origin,
        friction=ph.Coulomb(1.0),
        name="floor",
    )
    spring = ph.Spring(bob.mass_centre, world.origin, 1.0)
    system = ph.System([bob], [ph.Weight(1.0), spring], supports=[floor], name="dry")
    start = ph.State(system, 0.0, np.array([12.0, 0, 0]), np.array([6.0, 0, 0]))
    exact, published, errors = 0.682178936723646846, 0.682044135195, []
    for h in (1e-2, 5e-3):
        final = ph.simulate(system, start, until=30.0, method=Moreau(h)).final
        errors.append(abs(final.q[0] - exact))
        assert np.abs(final.z).max() < 1e-14
    assert errors[0] < abs(published - exact)
    assert 1.5 < errors[0] / errors[1] < 2.5


@cache
def stick():
    """A stick whose tip strikes a floor of little friction; compiled once."""
    body = ph.Body.from_inertia("stick", mass=1.0, inertia=(1 / 12, 1 / 12, 1 / 12))
    tip = ph.Support(
        ph.surfaces.point(body.point(0, 0, -0.5)),
        ph.World().origin,
        friction=ph.Coulomb(0.01),
        restitution=ph.contact.Newton(1.0),
        name="tip",
    )
    return ph.System([body], [ph.Weight(10.0)], supports=[tip], name="stick")


@pytest.mark.parametrize("h", [1e-3, 1e-4])
def test_an_impacting_stick(h):
    """S17, Newton with e = 1: where it is after 0.2 s, to first order; it gains."""
    system = stick()
    a = np.pi / 4
    c, s = np.cos(a), np.sin(a)
    q = np.array([np.cos(a / 2), 0, -np.sin(a / 2), 0, 0.5 * s, 0, 0.5 * c + 0.01])
    v = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]).T @ [-0.5, 0, 0.1]
    start = ph.State(system, 0.0, q, np.array([0, -0.1, 0, *v]))
    motion = ph.simulate(system, start, until=0.2, method=Moreau(h))
    q = motion.final.q
    found = [q[4], q[6], -2 * np.arctan2(q[2], q[0])]
    known = [0.25291708, 0.24718415, 1.08198051]
    np.testing.assert_allclose(found, known, atol=1.2 * h)
    ledger = motion.ledger()
    assert abs(ledger.energy[0] - 3.76595057) < 1e-8
    assert abs(ledger.energy[-1] - 3.76606193) < h
    assert abs(ledger.balance[-1]) < 0.2 * h
