"""Laws of supports, over shapes of rest, coefficients and laws of impact.

An impact by Stronge's or Poisson's law along Routh's path pushes, its friction does not
work forward, energy does not grow, momentum changes by the impulses; several that
strike at once take any law's number as Newton's, and may gain, which is told. Runs
that land end, and what rests stays.
"""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import polhode as ph
from closeness import assert_close
from polhode.errors import NumericalWarning, StateError

G = 9.81
SOME = settings(max_examples=8, deadline=None)


@cache
def block(law: str) -> ph.System:
    """A block in a plane on two corners, and a corner above, that may land on any."""
    solid = ph.solids.box(mass=2.0, x=0.4, y=0.1, z=0.2)
    body, world = ph.Body("block", solid), ph.World()
    plane = ph.Planar("plane", world.origin, body.origin, normal=-ph.Y)
    corners = [(-0.2, 0, -0.1), (0.2, 0, -0.1), (0.2, 0, 0.1)]
    base = ph.Support(
        ph.surfaces.hull(body.origin, corners),
        world.origin,
        friction=ph.Coulomb(0.3, 0.4),
        restitution=getattr(ph.contact, law)(0.5),
        name="base",
    )
    return ph.System([plane], [ph.Weight(G)], supports=[base], name="block")


def landing(system: ph.System, tilt: float, speeds: tuple[float, ...]) -> ph.State:
    """The block with its lowest corner on the floor, moving."""
    corners = np.array([(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1)])
    c, s = np.cos(tilt), np.sin(tilt)
    low = np.min(s * corners[:, 0] + c * corners[:, 1])
    return system.state(plane=(tilt, 0.0, -low), speeds={"plane": speeds})


angles = st.floats(-0.6, 1.2)
rates = st.tuples(st.floats(-4, 4), st.floats(-3, 3), st.floats(-3, -0.1))
mus = st.floats(0.0, 1.2)
es = st.floats(0.0, 1.0)


@pytest.mark.row("D-03")
@pytest.mark.parametrize("law", ["Stronge", "Poisson"])
@SOME
@given(angles, rates, mus, es)
def test_an_impact_pushes_and_gains_nothing(law, tilt, speeds, mu, e):
    """Impulses push, the work of both parts is the change of energy, and is a loss."""
    system = block(law)
    table = {"base.dynamic": mu, "base.static": mu, "base.restitution": e}
    state = landing(system, tilt, speeds)
    try:
        hit = ph.impact(state, order="in sequence", table=table)
    except StateError:
        return  # the lowest corner goes up: nothing strikes
    before = float(system.kinetic_energy(0.0, state.q, state.z))
    assert hit.energy <= 1e-9 * before
    total = sum(hit.impulses.values())
    assert total[2] >= -1e-12
    moved = 2.0 * (hit.after.z[1:] - state.z[1:])  # m (v+ - v-), along x and z
    np.testing.assert_allclose(moved, total[[0, 2]], atol=1e-9)
    works = sum(hit.push.values()) + sum(hit.friction.values())
    np.testing.assert_allclose(works, hit.energy, atol=1e-9 * max(before, 1.0))
    assert sum(hit.friction.values()) <= 1e-9 * before


def test_several_that_strike_at_once_may_gain_and_say_so():
    """A flat landing that turns: Newton's rule with friction, whatever law is named."""
    state = landing(block("Poisson"), 0.0, (2.9, 0.0, -2.7))
    table = {"base.dynamic": 0.9, "base.static": 0.9, "base.restitution": 1.0}
    with pytest.warns(NumericalWarning, match="strike at once take the number of any"):
        hit = ph.impact(state, table=table)
    assert hit.energy > 0
    assert ph.impact(state, order="in sequence", table=table).energy <= 0


@pytest.mark.row("C-08")
def test_a_flat_landing_that_bounces_comes_to_rest():
    """Two corners chatter at once; they settle together, and the block lies."""
    run = landed(0.0, (0.0, 0.0, -1.0), 0.3, 0.5)
    assert run.outcome.is_complete
    assert np.all(run["base"].status[-1, :2] == "sticks")
    assert np.max(np.abs(run.z[-1])) < 1e-12
    kinds = [event.kind for event in run.events]
    assert kinds.count("touches") > 20
    assert kinds[-4:] == ["settles", "settles", "sticks", "sticks"]
    # 2 v/g (e + e^2 + ...) after the first blow at 1 m/s
    assert_close(run.events.t[-1], 2 / G, atol=1e-8)


def landed(
    tilt: float, speeds: tuple[float, ...], mu: float, e: float
) -> ph.results.Trajectory:
    """A run that begins with an impact, of 1.5 s."""
    table = {"base.dynamic": mu, "base.static": mu, "base.restitution": e}
    state = landing(block("Stronge"), tilt, speeds)
    with warnings.catch_warnings():
        # Gains of impacts at once, and ends that the laws of contact force, are told.
        warnings.simplefilter("ignore")
        return ph.simulate(state.system, state, until=1.5, parameters=table)


@pytest.mark.long
@pytest.mark.row("C-08")
@pytest.mark.row("C-10")
@settings(max_examples=40, deadline=None)
@given(angles, rates, st.floats(0.05, 0.9), st.floats(0.0, 0.8))
def test_a_run_ends_and_never_pulls(tilt, speeds, mu, e):
    """It lands, rocks, slides and rests, or says why not; friction works backward."""
    motion = landed(tilt, speeds, mu, e)
    assert motion.outcome.code in ("DONE", "CONTACT")
    base, weight = motion["base"], 2.0 * G
    assert np.min(base.gap) > -1e-8
    assert np.min(base.push) > -1e-6 * weight
    power = np.sum(base.friction * base.slip, axis=2)
    assert np.max(power) < 1e-6 * weight
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= max(ledger.promise, 1e-9)


@cache
def thrown(shape: str) -> ph.System:
    """A body with three different moments of inertia over a floor, free in space."""
    body, world = (
        ph.Body("body", ph.solids.box(mass=2.0, x=0.3, y=0.2, z=0.1)),
        ph.World(),
    )
    skin = {
        "ball": lambda: ph.surfaces.sphere(body.origin, 0.1),
        "egg": lambda: ph.surfaces.ellipsoid(body.origin, (0.15, 0.1, 0.08)),
        "capsule": lambda: ph.surfaces.capsule(body.origin, 0.05, 0.2, axis=ph.X),
    }[shape]()
    skid = ph.Support(skin, world.origin, friction=ph.Coulomb(0.3), restitution=0.5,
                      name="skid")  # fmt: skip
    return ph.System([body], [ph.Weight(G)], supports=[skid], name=shape)


@pytest.mark.long
@pytest.mark.row("C-08")
@pytest.mark.row("C-10")
@pytest.mark.parametrize("shape", ["ball", "egg", "capsule"])
@SOME
@given(st.tuples(*6 * [st.floats(-4, 4)]), st.floats(0.0, 0.9), st.floats(0.0, 0.9))
def test_what_is_thrown_is_pushed_and_loses_energy(shape, speeds, mu, e):
    """In space: pushes do not pull, friction works backward, energy never grows."""
    system = thrown(shape)
    table = {"skid.dynamic": mu, "skid.static": mu, "skid.restitution": e}
    state = system.state(body={"z": 0.25}, speeds={"body": speeds})
    with warnings.catch_warnings():
        # Gains of impacts at once, and ends that the laws of contact force, are told.
        warnings.simplefilter("ignore")
        motion = ph.simulate(system, state, until=0.8, parameters=table, limit=5000)
    skid, weight, ledger = motion["skid"], 2.0 * G, motion.ledger()
    assert np.min(skid.gap) > -1e-8
    assert np.min(skid.push) > -1e-6 * weight
    assert np.max(np.sum(skid.friction * skid.slip, axis=2)) < 1e-6 * weight
    assert np.max(np.abs(ledger.balance)) <= max(ledger.promise, 1e-8)
    # Two ends that strike at once obey Newton's law, which may gain and says so.
    if shape != "capsule":
        assert np.max(np.diff(ledger.energy), initial=0.0) < 1e-7 * ledger.energy[0]


@cache
def at_rest_on_a_slope() -> ph.State:
    """The block of the gallery, compiled once."""
    return ph.models.start("incline").changed(speeds={"plane": (0, 0, 0)})


@pytest.mark.row("C-09")
@SOME
@example(0.0, 0.5)
@example(0.0, 0.5 * (1 + 1e-8))
@given(st.floats(0.0, 0.95), st.floats(0.1, 1.5))
def test_what_rests_within_its_cone_stays(share, mu):
    """On a slope up to the limit of friction, and at it: no speed, no path."""
    start = at_rest_on_a_slope()
    if mu < 0.5:
        mu = 0.5 + share  # tan a = 1/2: from it on the block rests
    table = {"base.dynamic": min(mu, 0.3), "base.static": mu}
    motion = ph.simulate(start.system, start, until=5.0, parameters=table)
    assert np.max(np.abs(motion.z)) < 1e-14
    np.testing.assert_allclose(motion.q, np.tile(start.q, (len(motion), 1)), atol=1e-15)


@pytest.mark.row("C-09")
def test_what_is_below_its_limit_slides():
    """By one part in 10^8, on two corners: bisection finds tan(a) = mu_s so well."""
    start = ph.models.start("incline").changed(speeds={"plane": (0, 0, 0)})
    table = {"base.dynamic": 0.3, "base.static": 0.5 * (1 - 1e-8)}
    motion = ph.simulate(start.system, start, until=1.0, parameters=table)
    a = np.arctan(0.5)
    assert_close(np.linalg.norm(motion.z[-1]), G * (np.sin(a) - 0.3 * np.cos(a)))
