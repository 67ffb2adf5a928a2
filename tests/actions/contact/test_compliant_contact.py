"""Compliant contact: restitution by its exact relation, energy, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polhode as ph
from polhode.actions.action import third_law_residual
from polhode.actions.contact.contact_laws import damping_number, restitution_of
from polhode.actions.motion_arrays import Poses, Twists
from polhode.errors import ModelError
from polhode.geometry.rotations import so3

FINE = ph.methods.DormandPrince8(rtol=1e-13, atol=1e-16)


def dropped(law, speed=1.0, mass=1.0, **more):
    """A ball that strikes the floor now, with nothing else that acts."""
    ball, world = ph.Body("ball", ph.solids.sphere(mass=mass, radius=0.1)), ph.World()
    skin = ph.surfaces.sphere(ball.origin, 0.1)
    contact = ph.CompliantContact(skin, world.origin, law, name="bounce", **more)
    system = ph.System([ball], [contact], name="dropped")
    q, z = system.neutral(), np.zeros(6)
    q[-1], z[-1] = 0.1, -speed
    return system, ph.State(system, 0.0, q, z)


def on_a_rail(law, mass=1.0):
    """A particle on an upright rail that strikes the floor now with 1 m/s."""
    bob, world = ph.Particle("bob", mass), ph.World()
    rail = ph.Prismatic("rail", world.origin, bob.mass_centre, axis=ph.Z)
    contact = ph.CompliantContact(bob.mass_centre, world.origin, law)
    system = ph.System([rail], [contact], name="on a rail")
    return system, ph.State(system, 0.0, np.zeros(1), np.array([-1.0]))


# ------------------------------------------------------------------- restitution


@given(st.floats(1e-3, 1.0))
def test_the_damping_number_solves_the_exact_relation(e):
    """alpha - ln(1 + alpha) = -e alpha - ln(1 - e alpha), for every e."""
    alpha = float(damping_number(np.float64(e)))
    assert abs(restitution_of(alpha) - e) < 4e-16
    if 0.3 < e < 0.9:
        miss = alpha - np.log1p(alpha) + e * alpha + np.log1p(-e * alpha)
        assert abs(miss) < 1e-13


@given(st.floats(1e-6, 50.0))
def test_more_damping_gives_less_back(alpha):
    """e falls with alpha, between 1 and 0."""
    one, other = restitution_of(alpha), restitution_of(1.01 * alpha)
    assert 0 < other < one < 1


@pytest.mark.parametrize(
    ("nominal", "found"), [(0.9, 0.909015741349202), (0.5, 0.662962200001546)]
)
def test_the_classical_formula_misses_as_published(nominal, found):
    """S15: alpha = 3 (1 - e)/2 of Hunt and Crossley gives another e."""
    law = ph.contact.HuntCrossley(1e5, damping=1.5 * (1 - nominal))
    assert abs(law.restitution_at(1.0) - found) < 2e-15


@pytest.mark.parametrize(
    ("law", "mass"),
    [
        (ph.contact.HuntCrossley(1e6, restitution=0.5, at_speed=1.0), 1.0),
        (ph.contact.HuntCrossley(2e4, 1.0, restitution=0.8, at_speed=1.0), 0.3),
        (ph.contact.HuntCrossley(1e5, 2.2, restitution=0.1, at_speed=1.0), 2.0),
        (ph.contact.HuntCrossley(1e6, damping=0.75), 1.0),
        (ph.contact.Flores(1e6, restitution=0.5, at_speed=1.0), 1.0),
        (ph.contact.LankaraniNikravesh(1e6, restitution=0.5, at_speed=1.0), 1.0),
        (ph.contact.Hertz(1e6), 1.0),
    ],
    ids=repr,
)
def test_a_run_bounces_with_the_restitution_that_the_law_tells(law, mass):
    """Whatever stiffness, exponent and mass."""
    system, start = on_a_rail(law, mass)
    motion = ph.simulate(system, start, until=0.5, method=FINE)
    assert abs(motion.final.z[-1] - law.restitution_at(1.0)) < 2e-10
    asked = getattr(law, "restitution", None)
    if isinstance(law, ph.contact.HuntCrossley) and asked:
        assert abs(law.restitution_at(1.0) - asked) < 4e-16


# ------------------------------------------------------------------------ energy


def test_the_ledger_has_the_stored_energy_the_damping_and_the_friction():
    """(1 - e^2) m v^2/2 is lost to damping; friction is its own entry; all closes."""
    law = ph.contact.HuntCrossley(1e6, restitution=0.5, at_speed=1.0)
    system, start = dropped(law, friction=ph.contact.Regularised(0.3, 1e-2))
    names = [action.name for action in system.actions]
    assert names == ["bounce", "damping of bounce", "friction of bounce"]
    z = np.array(start.z)
    z[3] = 2.0  # it slides: friction turns it
    state = ph.State(system, 0.0, start.q, z)
    motion = ph.simulate(system, state, until=0.1, method=FINE)
    ledger = motion.ledger()
    work = ledger.work
    assert abs(work["damping of bounce"][-1] + 0.5 * (1 - 0.25)) < 1e-8
    assert np.abs(ledger.balance).max() < 1e-8
    assert work["friction of bounce"][-1] < -0.1
    assert ledger.potential.max() > 0.2
    # mu N all the way: the change of momentum along is mu times that across.
    along, _, up = ledger.momentum[-1] - ledger.momentum[0]
    assert abs(along + 0.3 * up) < 1e-4


def test_a_contact_never_pulls():
    """A separation quicker than the dent recovers has no push, not a pull."""
    for law in (
        ph.contact.HuntCrossley(1e5, damping=2.0),
        ph.contact.KelvinVoigt(1e4, 500.0),
    ):
        depth, rates = np.float64(1e-3), np.linspace(-20.0, 5.0, 101)
        push = law.elastic(depth) + law.damping_force(depth, rates)
        assert np.all(push >= 0)
        assert push[0] == 0.0
        assert push[-1] > law.elastic(depth)


def test_apart_nothing_acts():
    """Not even viscous friction."""
    law = ph.contact.KelvinVoigt(1e4, 50.0)
    system, start = dropped(law, friction=ph.contact.Viscous(3.0))
    q = np.array(start.q)
    q[-1] = 0.2
    found = system.wrenches(0.0, q, np.ones(6))
    assert all(not np.any(np.concatenate([*w])) for w in found.values())
    assert float(system.potential_energy(0.0, q)) == 0.0


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_two_bodies_act_on_each_other_alike(seed):
    """Third law, and power of the elastic part = loss of energy."""
    rng = np.random.default_rng(seed)
    one, other = (
        ph.Body(n, ph.solids.sphere(mass=1.0, radius=0.5)) for n in ("one", "other")
    )
    contact = ph.CompliantContact(
        ph.surfaces.sphere(one.point(0.1, 0, 0), 0.5),
        ph.surfaces.sphere(other.point(0, 0.2, 0), 0.6),
        ph.contact.HuntCrossley(3.0, damping=0.3),
        friction=ph.contact.Regularised(0.4, 0.1),
    )
    place = np.stack([rng.normal(size=3), np.zeros(3)])
    place[0] *= 0.7 / np.linalg.norm(place[0])
    turns = np.stack([so3.exp(a) for a in rng.normal(size=(2, 3))])
    poses = Poses(turns, place)
    twists = Twists(rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
    assert max(third_law_residual(contact, poses, twists)) < 1e-12
    elastic = contact.parts[0]
    h = 1e-6
    moved = [
        Poses(
            np.stack(
                [so3.exp(s * w) @ R for w, R in zip(twists.angular, turns, strict=True)]
            ),
            place + s * twists.linear,
        )
        for s in (-h, h)
    ]
    slope = (elastic.energy(moved[1]) - elastic.energy(moved[0])) / (2 * h)
    wrench = elastic.wrenches(poses, twists)
    power = np.sum(wrench.torques * twists.angular + wrench.forces * twists.linear)
    assert abs(power + slope) < 1e-6 * (1 + abs(power))


def test_lanes_of_a_sweep_have_their_own_damping():
    """The damping is a parameter as others."""
    system, start = on_a_rail(ph.contact.HuntCrossley(1e6, damping=0.75))
    values = {"hunt_crossley.damping": [0.15, 0.75]}
    swept = ph.sweep(system, start, until=0.5, parameters=values, method=FINE)
    found = swept.final_z[:, 0]
    assert np.allclose(found, [0.909015741349202, 0.662962200001546], atol=1e-9)


# ----------------------------------------------------------------------- the door


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ph.contact.HuntCrossley(1e6), "does not know what it loses"),
        (
            lambda: ph.contact.HuntCrossley(1e6, restitution=0.5),
            "does not know what it loses",
        ),
        (
            lambda: ph.contact.HuntCrossley(
                1e6, damping=1, restitution=0.5, at_speed=1
            ),
            "does not know",
        ),
        (lambda: ph.contact.HuntCrossley(1e6, restitution=1.2, at_speed=1), "is 1.2"),
        (lambda: ph.contact.HuntCrossley(1e6, restitution=0.0, at_speed=1), "is zero"),
        (
            lambda: ph.contact.HuntCrossley(1e6, restitution=np.nan, at_speed=1),
            "not finite",
        ),
        (
            lambda: ph.contact.HuntCrossley(
                1e6, restitution=ph.Parameter("e", 0.5), at_speed=1.0
            ),
            "cannot be Parameter",
        ),
        (lambda: ph.contact.HuntCrossley(1e6, 0.5, 0.1), "exponent"),
        (lambda: ph.contact.Hertz(-1.0), "negative"),
        (lambda: ph.contact.Hertz(0.0), "is zero"),
        (lambda: ph.contact.Flores(1.0, restitution=0.5, at_speed=0.0), "is zero"),
        (lambda: dropped(ph.Coulomb(0.3)), "cannot follow"),
        (
            lambda: dropped(ph.contact.Hertz(1.0), friction=ph.Coulomb(0.3)),
            "cannot rub",
        ),
        (lambda: dropped(ph.contact.Hertz(1.0), friction=0.3), "cannot rub"),
    ],
)
def test_bad_input_is_refused_with_a_repair(make, words):
    """At the door, by name."""
    with pytest.raises(ModelError, match=words) as refused:
        make()
    assert refused.value.repair


def test_a_body_does_not_touch_itself():
    """Nor the surface of something that is no surface."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.1))
    skin = ph.surfaces.sphere(ball.origin, 0.1)
    with pytest.raises(ModelError, match="to itself"):
        ph.CompliantContact(skin, ball.origin, ph.contact.Hertz(1.0))
    with pytest.raises(ModelError, match="no surface"):
        ph.CompliantContact(ball, ph.World().origin, ph.contact.Hertz(1.0))
    with pytest.raises(ModelError, match="nothing to touch"):
        ph.CompliantContact(skin, "floor", ph.contact.Hertz(1.0))
