"""Equilibria followed along a parameter, and many of them in one call."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

pytestmark = pytest.mark.long  # compiling takes longer than a quick suite has

WEIGHT = 0.8 * 9.81 * 0.9  # mB g l of the cart-pendulum
MGL = 0.3 * 9.81 * 0.5  # of the sprung pendulum


@cache
def cart() -> ph.results.Branches:
    system = ph.models.cart_pendulum()
    return ph.continuation(system.rest(), "C", (-9.0, 9.0), step=0.1)


@pytest.mark.row("E-01", "X-04")
def test_the_cart_turns_back_where_its_couple_is_too_large():
    """sin th = C/(mB g l) goes round and round; folds at C = +-mB g l."""
    (branch,) = cart()
    assert_close(sorted(branch.folds), [-WEIGHT, WEIGHT], rtol=1e-7)
    assert not branch.bifurcations
    assert_close(WEIGHT * np.sin(branch["hinge"]), branch.parameter, atol=1e-9)
    stable = np.cos(branch["hinge"]) > 1e-6
    assert np.all(branch.falling[stable] == 0)
    assert np.all(branch.falling[np.cos(branch["hinge"]) < -1e-6] == 1)
    assert np.ptp(branch["hinge"]) > 6.0  # it went all the way round
    assert "folds" in repr(cart())


@pytest.mark.row("E-01")
def test_a_softening_spring_lets_the_rod_lean():
    """Upright loses its minimum at k = m g l; there k th = m g l sin th crosses."""
    system = ph.models.sprung_pendulum(6.0)
    upright, leaning = ph.continuation(system.rest(), "k", (0.5, 6.0))
    assert_close(upright.bifurcations, [MGL], rtol=1e-7)
    assert not upright.folds
    assert_close(upright["hinge"], np.zeros(len(upright)), atol=1e-12)
    assert np.array_equal(upright.falling == 0, upright.parameter > MGL)
    k, th = leaning.parameter, leaning["hinge"]
    assert_close(k * th, MGL * np.sin(th), atol=1e-9)
    assert th.min() < -2.0
    assert th.max() > 2.0
    assert_close(leaning.parameter[[0, -1]], [0.5, 0.5], rtol=1e-9)


def strut(links: int, load: float) -> ph.System:
    """Links on a fixed foot, a spring at every hinge, pressed along by a load P."""
    import jax.numpy as jnp

    world, joints = ph.World(), []
    before, end = world.origin, jnp.array([0.0, 0.0, LINK])
    for k in range(links):
        link = ph.Body(f"link {k}", ph.solids.rod(mass=0.3, length=LINK))
        foot, head = link.point(0, 0, -LINK / 2), link.point(0, 0, LINK / 2)
        joints.append(ph.Revolute(f"h{k}", before, foot, axis=ph.Y))
        before = head
    pressed = ph.Potential(
        (world.frame, link.frame),
        lambda b, P: P * (b.position + b.rotation @ end / 2)[2],
        {"P": ph.Parameter("P", load)},
        name="load",
    )
    springs = [ph.JointSpring(joint, STIFF) for joint in joints]
    return ph.System(joints, [*springs, pressed], name="strut")


STIFF, LINK = 2.0, 0.5


@pytest.mark.row("E-01")
def test_a_strut_of_links_buckles_at_its_loads():
    """P l/c = (3 -+ sqrt 5)/2 for two links; beyond, it stands in balance bent."""
    system = strut(2, 0.2)
    straight, first, second = ph.continuation(system.rest(), "P", (0.1, 14.0))
    loads = STIFF / LINK * (3 + np.array([-1, 1]) * np.sqrt(5)) / 2
    assert_close(straight.bifurcations, loads, rtol=1e-8)
    assert np.array_equal(np.unique(straight.falling), [0, 1, 2])
    for branch in (first, second):
        lean, turn, P = branch["h0"], branch["h0"] + branch["h1"], branch.parameter
        bend = STIFF * branch["h1"]
        assert_close(bend, P * LINK * np.sin(turn), atol=1e-9)
        assert_close(STIFF * lean - bend, P * LINK * np.sin(lean), atol=1e-9)
        assert np.ptp(lean) > 2.0
    assert np.all(first.falling[np.abs(first["h0"]) > 1e-6] == 0)


def test_no_bifurcation_is_stepped_over():
    """Six links: five loads within the range, the first within the first step, and
    in one stride over all of them none is lost."""
    K = 2 * np.eye(6) - np.eye(6, k=1) - np.eye(6, k=-1)
    K[-1, -1] = 1.0
    loads = np.linalg.eigvalsh(K) * STIFF / LINK
    rest = strut(6, 0.01).rest()
    for step in (0.05, 0.6):
        wide = ph.continuation(rest, "P", (0.005, 14.0), step=step, branches=False)
        assert_close(wide[0].bifurcations, loads[:5], rtol=1e-6)


def test_lines_of_a_picture_meet_where_the_curve_changes():
    """Upright is drawn full up to the bifurcation, and dashed from there on."""
    branches = ph.continuation(ph.models.sprung_pendulum(6.0).rest(), "k", (0.5, 6.0))
    drawn = branches[0].plot("hinge").figure.axes[0].get_lines()
    soft, stiff = (
        next(x for x in drawn if x.get_linestyle() == s) for s in ("--", "-")
    )
    assert_close(np.max(soft.get_xdata()), MGL, rtol=1e-6)
    assert_close(np.min(stiff.get_xdata()), MGL, rtol=1e-6)


def test_branches_have_a_picture(tmp_path):
    """Curves, folds and bifurcations in one file."""
    assert cart().plot("hinge").save(tmp_path / "cart.svg").stat().st_size > 1000


def test_what_cannot_be_followed_is_refused():
    """No such parameter; a range without the system's value; no rest to begin at."""
    rest = ph.models.cart_pendulum().rest()
    with pytest.raises(ph.PolhodeError, match="no parameter 'D'"):
        ph.continuation(rest, "D", (0.0, 1.0))
    with pytest.raises(ph.PolhodeError, match="does not lie between"):
        ph.continuation(rest, "C", (1.0, 2.0))
    pushed = ph.models.cart_pendulum(couple=8.0)
    with pytest.raises(ph.PolhodeError, match="does not come to rest near"):
        ph.continuation(pushed.rest(), "C", (0.0, 9.0))


@pytest.mark.row("X-04")
def test_ten_thousand_equilibria_in_one_call():
    """x = F/k and sin th = C/(mB g l) for every pair, where |C| <= mB g l."""
    rng = np.random.default_rng(0)
    F, C = rng.uniform(-3, 3, 10_000), rng.uniform(-9, 9, 10_000)
    system = ph.models.cart_pendulum()
    found = ph.sweep_equilibria(system.rest(), {"F": F, "C": C})
    assert np.array_equal(found.found, np.abs(C) <= WEIGHT)
    rests = found.found
    assert_close(found.q[rests, 0], F[rests] / 5.0, rtol=1e-10)
    assert_close(np.sin(found.q[rests, 1]), C[rests] / WEIGHT, atol=1e-9)
    one = int(np.flatnonzero(rests)[0])
    assert ph.questions.is_equilibrium(found.state(one))
    assert f"{int(rests.sum())} of 10000 rest" in repr(found)


def test_values_to_sweep_must_fit():
    """Unknown names, unlike lengths and what is no number are refused."""
    rest = ph.models.cart_pendulum().rest()
    with pytest.raises(ph.PolhodeError, match="no parameter 'D'"):
        ph.sweep_equilibria(rest, {"D": [1.0]})
    with pytest.raises(ph.PolhodeError, match="have lengths"):
        ph.sweep_equilibria(rest, {"F": [1.0, 2.0], "C": [1.0, 2.0, 3.0]})
    with pytest.raises(ph.PolhodeError, match="not finite"):
        ph.sweep_equilibria(rest, {"F": [1.0, np.nan]})
