"""Equilibria: all that are found, with what holds them."""

from __future__ import annotations

from functools import cache
from math import asin, cos, pi, sin

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

MB, L, K, G = 0.8, 0.9, 5.0, 9.81  # of the cart-pendulum


@cache
def cart(F: float, C: float) -> ph.results.Equilibria:
    return ph.equilibria(ph.models.cart_pendulum().with_({"F": F, "C": C}), starts=24)


@pytest.mark.row("E-01", "X-04")
@pytest.mark.parametrize(("F", "C"), [(0.0, 0.0), (-2.0, -6.5)])
def test_the_cart_rests_where_its_force_and_couple_say(F, C):
    """x = F/k, sin th = C/(mB g l): two places, stable where cos th > 0."""
    found = cart(F, C)
    lean = asin(C / (MB * G * L))
    assert len(found) == 2
    for each, th in zip(found, _by_energy(lean, C), strict=True):
        assert_close(each["rail"], F / K, atol=1e-12)
        assert_close(sin(each["hinge"]), sin(th), atol=1e-12)
        assert_close(cos(each["hinge"]), cos(th), atol=1e-9)
        verdict = "stable" if cos(th) > 0 else "unstable"
        assert each.stability().verdict == verdict
        assert ph.questions.is_equilibrium(each.state)


def _by_energy(lean: float, C: float) -> list[float]:
    """Both angles, the lower first: V of the weight alone is what is stored."""
    return sorted((lean, pi - lean), key=lambda th: -cos(th))


@pytest.mark.row("E-01", "X-04")
def test_too_large_a_couple_lets_nothing_rest():
    """|C| > mB g l: no equilibrium, and the answer says what is still pushed."""
    found = cart(0.0, 1.01 * MB * G * L)
    assert len(found) == 0
    assert "hinge is still pushed by" in found.note


R1F = 0.5 * 0.2  # the brake must hold the couple, or the wheels never rest


@cache
def arm() -> ph.results.Equilibria:
    system = ph.models.gears_on_arm().with_({"C": R1F, "k": 2.0})
    return ph.equilibria(system, starts=24)


@pytest.mark.row("E-01", "X-13")
def test_the_arm_rests_where_its_spring_and_couple_balance():
    """k th + m1 g l cos th = C, each root once; the wheels may stand anyhow."""
    angles = sorted(float(each["arm"]) for each in arm())

    def gap(th: np.ndarray) -> np.ndarray:
        return 2.0 * th + 1.2 * G * 0.8 * np.cos(th) - R1F

    grid = np.linspace(-7, 7, 200001)
    changes = np.flatnonzero(np.diff(np.sign(gap(grid))))
    assert_close(angles, (grid[changes] + grid[changes + 1]) / 2, atol=1e-4)
    assert_close(gap(np.array(angles)), np.zeros(len(angles)), atol=1e-11)
    assert len(angles) == 3
    for each in arm():
        (family,) = each.family  # both wheels turn, the belt with them
        assert "wheel 1" in family
        assert "wheel 2" in family


@pytest.mark.long
@pytest.mark.row("X-13")
def test_the_arm_swings_about_its_rest():
    """w^2 = (k - m1 g l sin th)(I1 + I2 r^2)/det M; three methods find it at rest."""
    r, I1, I2 = 0.625, 0.3, 0.5
    wheels, mixed = I1 + I2 * r**2, I1 + I2 * r
    det = (I1 + I2 + 1.2 * 0.8**2) * wheels - mixed**2
    for each in arm():
        square = (2.0 - 1.2 * G * 0.8 * sin(each["arm"])) * wheels / det
        found = each.stability().spectrum.values
        part = found.imag if square > 0 else found.real
        assert_close(np.max(part), np.sqrt(abs(square)), rtol=1e-8)
        hinge = each.reactions()["arm"].force
        assert_close(hinge, [0, 0, 3.2 * G], atol=1e-8)  # both wheels hang on it
    system, state = arm()[0].state.system, arm()[0].state
    for form in (ph.gauss, ph.lagrange_first_kind, ph.newton_euler):
        moved = form(system).body_accelerations(state)
        assert_close(moved, np.zeros((3, 6)), atol=1e-9)


@pytest.mark.row("E-02")
def test_a_pendulum_in_cartesian_coordinates_hangs_on_its_multiplier():
    """grad U + s grad g = 0 with g = (r^2 - l^2)/2: s = -m g/l below, +m g/l above."""
    m, l = 1.3, 0.7
    bob = ph.Particle("bob", m)

    def length(bob, t):
        return (bob.position @ bob.position - l**2) / 2

    rod = ph.Holonomic([bob.frame], length, name="rod")
    system = ph.System([bob], [ph.Weight(G)], [rod], name="pendulum")
    found = ph.equilibria(system, starts=24)
    assert [len(each.family) for each in found] == [0, 0]
    below, above = found
    assert_close(below.state.q, [0, 0, -l], atol=1e-9)
    assert_close(above.state.q, [0, 0, l], atol=1e-9)
    assert_close(below.multipliers, [-m * G / l], rtol=1e-9)
    assert_close(above.multipliers, [m * G / l], rtol=1e-9)
    reaction = below.reactions()["rod on bob"]
    assert_close(reaction.force, [0, 0, m * G], rtol=1e-9)


@pytest.mark.long
@pytest.mark.row("E-02")
def test_a_table_on_four_legs_is_statically_indeterminate():
    """Four legs carry the weight; how they share it, statics does not say."""
    top = ph.Body("top", ph.solids.box(mass=4.0, x=1.0, y=1.0, z=0.02))
    corners = [(a, b) for a in (-0.5, 0.5) for b in (-0.5, 0.5)]

    floor = ph.World().frame
    legs = [
        ph.PointOn(top.point(x, y, 0.0), floor, lambda x: x[2], name=f"leg {k}")
        for k, (x, y) in enumerate(corners)
    ]
    table = ph.System([top], [ph.Weight(G)], legs, name="table")
    found = ph.equilibria(table, starts=4)
    each = found[0]
    assert not each.is_determinate
    assert each.shared == tuple(f"leg {k}" for k in range(4))
    assert_close(abs(each.multipliers.sum()), 4.0 * G, rtol=1e-9)
    assert "statically indeterminate" in repr(each)


@pytest.mark.long
def test_a_disc_on_the_ground_is_a_family():
    """Upright it rests anywhere, in any heading, at any turn of its axle: once told."""
    found = ph.equilibria(ph.models.rolling_disc(), starts=24)
    assert len(found) == 1
    assert len(found[0].family) == 4
    assert_close(found[0].multipliers[0], 3.43 * G, rtol=1e-9)
    assert "one of a family" in repr(found)


@pytest.mark.row("X-11")
def test_the_cone_rests_below_and_loses_its_contact_above():
    """th = 0 stable, swinging at w0; th = pi unstable, where the plane must pull."""
    found = ph.equilibria(ph.models.rolling_cone(), starts=24)
    below, above = found
    assert not below.pulled
    assert above.pulled == ("rim contact",)
    assert "would have to pull" in repr(above)
    assert not below.is_determinate  # the force along OA
    w0 = 2.45219425106141
    swing = below.stability()
    assert swing.verdict == "stable"
    assert_close(np.max(swing.spectrum.values.imag), w0, rtol=1e-9)
    fall = above.stability()
    assert fall.verdict == "unstable"
    assert_close(np.max(fall.spectrum.values.real), w0, rtol=1e-9)


@pytest.mark.row("D-36")
def test_rest_at_an_instant_is_no_equilibrium():
    """Zero speeds and zero rates: a pendulum at its turning point does not rest."""
    pendulum = ph.models.pendulum()
    assert ph.questions.is_equilibrium(pendulum.state(hinge=0.0))
    assert ph.questions.is_equilibrium(pendulum.state(hinge=pi))
    turning = ph.questions.is_equilibrium(pendulum.state(hinge=1.0))
    assert not turning
    assert set(turning.starting) == {"hinge"}
    assert not turning.moving
    passing = ph.questions.is_equilibrium(
        pendulum.state(hinge=0.0, speeds={"hinge": 0.3})
    )
    assert set(passing.moving) == {"hinge"}
    assert not passing.starting
    assert "does not rest: hinge moves at 0.3" in repr(passing)


@pytest.mark.long
@pytest.mark.row("D-36")
def test_a_constraint_is_active_in_an_equilibrium():
    """What a loop holds rests; the same bodies in another place of it do not."""
    system = ph.models.four_bar()
    found = ph.equilibria(system, starts=16)
    assert all(ph.questions.is_equilibrium(each.state) for each in found)
    assert not ph.questions.is_equilibrium(system.rest())


@pytest.mark.row("D-36")
def test_a_driver_that_moves_lets_nothing_rest():
    """Forces balance, but the hinge is driven on: no equilibrium, and why."""
    found = ph.equilibria(ph.models.moving_hinge_pendulum(), starts=8)
    assert len(found) == 0
    assert "'driver' drives it at 0.6" in found.note


def test_units_do_not_matter():
    """A pendulum of a nanogram and a micrometre rests where a large one does."""
    for m, l in ((1e-12, 1e-6), (1e9, 1e3)):
        bob = ph.Body.from_inertia("bob", mass=m, inertia=(0, 0, 0))
        end = bob.point(0, 0, l)
        hinge = ph.Revolute("hinge", ph.World().origin, end, axis=ph.Y)
        spring = ph.JointSpring(hinge, 0.5 * m * G * l, rest=1.0)
        system = ph.System([hinge], [ph.Weight(G), spring])
        for each in ph.equilibria(system, starts=8):
            th = each["hinge"]
            assert_close(sin(th) + 0.5 * (th - 1.0), 0.0, atol=1e-10)


def test_no_start_is_no_search():
    """A search without a start is refused."""
    with pytest.raises(ph.PolhodeError, match="at least one start"):
        ph.equilibria(ph.models.pendulum(), starts=0)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_every_way_to_stand_or_hang_is_found_from_any_seed(seed):
    """Each of five links up or down: 32 equilibria, of which starts alone miss some."""
    place, joints = ph.World().origin, []
    for k in range(5):
        link = ph.Body(f"link {k}", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
        joints.append(ph.Revolute(f"{k}", place, link.point(0, 0, 0.5), axis=ph.Y))
        place = link.point(0, 0, -0.5)
    chain = ph.System(joints, [ph.Weight(9.81)], name="chain")
    found = ph.equilibria(chain, seed=seed)
    upward = np.round(np.cumsum([e.state.q for e in found], axis=1) / pi) % 2
    assert len(np.unique(upward, axis=0)) == len(found) == 32
    assert found.starts == found.arrived
