"""Contacts at an instant: Painleve's rod, Kane's double pendulum, the cradle, tables.

Genot and Brogliato 1999, Leine 2002 (the rod); Kane 1984, Stronge 1990 (the pendulum).
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import NoMotion, NumericalWarning

G = 9.81


def sliding_rod(mu: float, omega: float, slip: float) -> ph.State:
    """A uniform rod of half length 1, its foot on the floor, at 1.1 rad from it."""
    theta, world = 1.1, ph.World()
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=2.0))
    plane = ph.Planar("plane", world.origin, rod.origin, normal=-ph.Y)
    foot = ph.Support(ph.surfaces.point(rod.point(0, 0, -1)), world.origin,
                      friction=ph.Coulomb(mu), name="foot")  # fmt: skip
    system = ph.System([plane], [ph.Weight(G)], supports=[foot])
    lean = np.pi / 2 - theta  # the centre is at (cos, sin) theta from the foot
    # A turn by -lean about -Y puts the foot at minus the centre's place.
    arm = np.array([np.cos(theta), np.sin(theta)])
    v = omega * np.array([-arm[1], arm[0]])  # of the centre about the foot
    return system.state(plane=(-lean, *arm),
                        speeds={"plane": (omega, v[0] + slip, v[1])})  # fmt: skip


@pytest.mark.row("C-10")
@pytest.mark.row("P-23")
def test_painleves_rod_has_no_motion_or_several():
    """theta = 1.1: mu = 1.5 is inconsistent at rest of turning, else indeterminate."""
    assert ph.contact_modes(sliding_rod(1.5, 0.0, -1.0)).kind == "inconsistent"
    stuck = sliding_rod(1.5, 0.0, -1.0)
    # Its pivot, p = -0.201868584477, and the coefficient at which that is zero.
    said = r"by -0\.202 m/s\^2 along .*friction 1\.5 is above 1\.334 here"
    with pytest.raises(NoMotion, match=said):
        ph.simulate(stuck.system, stuck, until=0.1)
    both = ph.contact_modes(sliding_rod(1.5, 4.0, -1.0))
    assert both.kind == "indeterminate"
    assert len(both) == 2
    pushes = sorted(mode.push["foot"] for mode in both)
    assert_close(pushes, [0.0, 22.0406645864], rtol=1e-11)
    for mu, slip, push in [(1.5, 1.0, 2.8547605786), (1.2, -1.0, 60.5724570502)]:
        (mode,) = ph.contact_modes(sliding_rod(mu, 0.0, slip))
        assert mode.status == {"foot": "slides"}
        assert_close(mode.push["foot"], push, rtol=1e-11)


def kanes_pendulum(law) -> ph.State:
    """Rods of 1 kg and 1 m at 20 and 30 degrees; the end strikes a floor."""
    one, two = (
        ph.Body(name, ph.solids.rod(mass=1.0, length=1.0)) for name in ("one", "two")
    )
    world = ph.World()
    first = ph.Revolute("first", world.origin, one.point(0, 0, 0.5), axis=-ph.Y)
    second = ph.Revolute("second", one.point(0, 0, -0.5), two.point(0, 0, 0.5),
                         axis=-ph.Y)  # fmt: skip
    a, b = np.radians([20, 30])
    floor = world.point(0, 0, -np.cos(a) - np.cos(b))
    tip = ph.Support(ph.surfaces.point(two.point(0, 0, -0.5)), floor,
                     friction=ph.Coulomb(0.5), restitution=law, name="tip")  # fmt: skip
    system = ph.System([first, second], [ph.Weight(G)], supports=[tip])
    return system.state(first=a, second=b - a, speeds={"first": -0.1, "second": -0.1})


@pytest.mark.row("D-03")
@pytest.mark.parametrize(
    ("law", "change", "rates"),
    [
        (ph.contact.Stronge(0.5), -0.44681201, (-0.19893234, 0.22313679)),
        (ph.contact.Poisson(0.5), -0.45492201, (-0.19717971, 0.21960668)),
        (ph.contact.Newton(0.5), -0.26284666, None),
    ],
)
def test_kanes_pendulum_along_rouths_path(law, change, rates):
    """Digits of both codes: Stronge and Poisson lose, and so does Newton on a path."""
    before = kanes_pendulum(law)
    T = before.system.kinetic_energy(0, before.q, before.z)
    assert_close(T, 0.023181410863, rtol=1e-10)
    found = ph.impact(before)
    assert_close(found.energy / T, change, rtol=3e-8)
    work = sum(found.push.values()) + sum(found.friction.values())
    assert_close(work, found.energy, rtol=1e-12)
    if rates is not None:
        z = found.after.z
        assert_close([z[0], z[0] + z[1]], rates, rtol=3e-8)


@pytest.mark.row("D-03")
def test_newtons_law_with_friction_gains_energy_and_says_so():
    """All at once, Newton and Coulomb gain 58.7 %: told by name and number."""
    from polhode.formulation.contact.collide import simultaneous
    from polhode.formulation.contact.instant import laws_of, seen
    from polhode.formulation.contact.questions import _warn_of_gain

    before = kanes_pendulum(ph.contact.Newton(0.5))
    now = seen(before)
    struck = simultaneous(now.problem.delassus, now.problem.rows.velocity,
                          laws_of(now), np.array([True]))  # fmt: skip
    T = before.system.kinetic_energy(0, before.q, before.z)
    gained = float(np.sum(struck.push + struck.friction))
    assert_close(gained / T, 0.58749469, rtol=1e-8)
    with pytest.warns(NumericalWarning, match=r"'tip' gained 0.0136 J .* \(Kane\)"):
        _warn_of_gain(now, struck)


def cradle(n: int) -> ph.State:
    """n balls in a row that touch; the first strikes."""
    balls = [ph.Body(f"ball {k}", ph.solids.sphere(mass=1.0, radius=0.5))
             for k in range(n)]  # fmt: skip
    world = ph.World()
    rails = [
        ph.Prismatic(f"rail {k}", world.origin, ball.origin, axis=ph.X)
        for k, ball in enumerate(balls)
    ]
    touches = [
        ph.Support(
            ph.surfaces.sphere(after.origin, 0.5),
            ph.surfaces.sphere(before.origin, 0.5),
            restitution=1.0,
            name=f"touch {k}",
        )
        for k, (before, after) in enumerate(itertools.pairwise(balls))
    ]
    system = ph.System(rails, supports=touches)
    return system.state({f"rail {k}": float(k) for k in range(n)},
                        speeds={"rail 0": 1.0})  # fmt: skip


@pytest.mark.row("D-02")
@pytest.mark.row("D-03")
def test_a_cradle_at_once_and_in_sequence():
    """n = 4: -(n-2)/n and 2/n at once; 0, .., 0, 1 in sequence; momentum is kept."""
    state = cradle(4)
    at_once = ph.impact(state, order="at once").after.z
    assert_close(at_once, [-0.5, 0.5, 0.5, 0.5], atol=1e-9)
    in_turn = ph.impact(state, order="in sequence").after.z
    assert_close(in_turn, [0, 0, 0, 1.0], atol=1e-12)


def table(legs: list[tuple[float, float]]) -> ph.State:
    """A plate of 1 kg on legs of 1 m."""
    plate = ph.Body("plate", ph.solids.box(mass=1.0, x=2.0, y=2.0, z=0.01))
    corners = [(x, y, -1.0) for x, y in legs]
    stand = ph.Support(ph.surfaces.hull(plate.origin, corners), ph.World().origin,
                       friction=ph.Coulomb(0.5), name="leg")  # fmt: skip
    system = ph.System([plate], [ph.Weight(G)], supports=[stand])
    return system.state(plate={"z": 1.0})


@pytest.mark.long  # the least norm of four is Moreau's, too, in the quick suite
@pytest.mark.row("C-08")
def test_three_legs_share_uniquely_and_four_by_least_norm():
    """Three legs have unique pushes; of four the least norm is a quarter each."""
    (three,) = ph.contact_modes(table([(1, 0), (-0.5, 0.6), (-0.5, -0.6)]))
    assert_close(sorted(three.push.values()), [G / 3, G / 3, G / 3], rtol=1e-9)
    (four,) = ph.contact_modes(table([(1, 1), (1, -1), (-1, 1), (-1, -1)]))
    assert_close([*four.push.values()], [2.4525] * 4, rtol=1e-9)
    assert set(four.status.values()) == {"sticks"}
    assert not three.starred
    assert len(four.starred) == 4
    assert "leg corner 1 sticks under 2.4525 N*" in repr(four)


@cache
def four_balls() -> ph.State:
    """A ball on three that touch one another, on a floor."""
    r, floor = 0.1, ph.World().origin
    top, *low = (
        ph.Body(name, ph.solids.sphere(mass=1.0, radius=r))
        for name in ("top", "one", "two", "three")
    )
    skins = [ph.surfaces.sphere(ball.origin, r) for ball in (top, *low)]
    touches = [
        ph.Support(a, b, friction=ph.Coulomb(0.5), name=f"{kind} {ball.name}")
        for skin, ball in zip(skins[1:], low, strict=True)
        for kind, a, b in (("on", skins[0], skin), ("under", skin, floor))
    ]
    system = ph.System([top, *low], [ph.Weight(G)], supports=touches)
    around, turns = 2 * r / np.sqrt(3), 2 * np.pi * np.arange(3) / 3
    places: dict[str, dict[str, float]] = {
        ball.name: {"x": around * np.cos(a), "y": around * np.sin(a), "z": r}
        for ball, a in zip(low, turns, strict=True)
    }
    return system.state({**places, "top": {"z": r + 2 * r * np.sqrt(2 / 3)}})


@pytest.mark.row("C-09")
@pytest.mark.parametrize("below", [1e-6, 0.1])
@pytest.mark.parametrize(
    ("kind", "limit"),
    [("on", np.sqrt(3) - np.sqrt(2)), ("under", (np.sqrt(3) - np.sqrt(2)) / 4)],
)
def test_a_pyramid_of_four_balls_stands_by_friction(kind, limit, below):
    """tan(half of the contact's angle) between balls, and a quarter of it below.

    Its three-fold symmetry keeps all that slip together, to a millionth of the limit.
    """
    state = four_balls()

    def rough(mu):
        return {
            f"{kind} {ball}.{word}": mu
            for ball in ("one", "two", "three")
            for word in ("dynamic", "static")
        }

    above = rough(limit * (1 + 1e-8))
    assert ph.static_rest(state, table=above).rests
    (rests,) = ph.contact_modes(state, table=above)
    assert set(rests.status.values()) == {"sticks"}
    assert np.max(np.abs(rests.accelerations)) < 1e-11
    less = rough(limit * (1 - below))
    assert not ph.static_rest(state, table=less).rests
    (falls,) = ph.contact_modes(state, table=less)
    found = {name: falls.status[name] for name in falls.status}
    other = {"on": "under", "under": "on"}[kind]
    assert {w for n, w in found.items() if n.startswith(kind)} == {"slides"}
    assert {w for n, w in found.items() if n.startswith(other)} == {"sticks"}
    pushes = [N for name, N in falls.push.items() if name.startswith(kind)]
    assert_close(pushes, [pushes[0]] * 3, rtol=1e-4)


@pytest.mark.long
@pytest.mark.row("C-10")
@pytest.mark.parametrize("side", [2, 5])
def test_a_box_pulled_along_its_diagonal_from_under_balls(side):
    """S20's cone: (F - mu g (M + n m))/(M + 2 n m/7), the n balls 2/7 of it.

    A pyramid in the place of the cone would hold it along the diagonal.
    """
    world, r, count = ph.World(), 0.05, side * side
    box = ph.Body("box", ph.solids.box(mass=10.0, x=2.0, y=2.0, z=0.4))
    corners = [(x, y, -0.2) for x in (-1, 1) for y in (-1, 1)]
    under = ph.Support(ph.surfaces.hull(box.origin, corners), world.origin,
                       friction=ph.Coulomb(0.4), name="under")  # fmt: skip
    balls = [ph.Body(f"ball {k}", ph.solids.sphere(mass=1.0, radius=r))
             for k in range(count)]  # fmt: skip
    on = [ph.Support(ph.surfaces.sphere(ball.origin, r), box.point(0, 0, 0.2),
                     friction=ph.Coulomb(0.8), name=f"on {ball.name}")
          for ball in balls]  # fmt: skip
    along = 150.0 / np.sqrt(2) * np.array([1.0, 1.0, 0.0])
    force = ph.theory.Vector(along, box.frame)
    pull = ph.AppliedForce(box.point(0, 0, -0.2), force)
    system = ph.System([box, *balls], [ph.Weight(9.81), pull], supports=[under, *on])
    across = 0.3 * (np.arange(side) - (side - 1) / 2)
    grid = [{"x": x, "y": y, "z": 0.4 + r} for x in across for y in across]
    places = {ball.name: place for ball, place in zip(balls, grid, strict=True)}
    (mode,) = ph.contact_modes(system.state({"box": {"z": 0.2}, **places}))
    a = np.linalg.norm(mode.accelerations.reshape(-1, 6)[:, 3:], axis=1)
    expected = (150.0 - 0.4 * 9.81 * (10 + count)) / (10 + 2 * count / 7)
    assert_close(a[0], expected, rtol=1e-12)
    assert_close(a[1:], np.full(count, 2 / 7 * expected), rtol=1e-12)
    assert abs(mode.accelerations[2]) < 1e-12  # it does not turn
