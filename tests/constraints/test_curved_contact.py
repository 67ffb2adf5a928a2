"""Any smooth convex body rolls on any smooth surface: where, and how it is held."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.constraints.constraint import Placed
from polhode.constraints.curved_contact import CurvedContact
from polhode.constraints.surfaces import Surface
from polhode.geometry.rotations import so3

WORLD = ph.World()
SMALL, LARGE = 0.3, 1.1
EGG, STONE = np.array([0.3, 0.5, 0.4]), np.array([1.2, 0.8, 0.6])


def nameless(ball: ph.Body) -> Surface:
    """A ball by its support alone, which no formula is known for."""
    return Surface(ball.origin, lambda u: SMALL * u)


def rolled(surface_of, on) -> ph.System:
    """A body that is free but for rolling on something of the world."""
    ball = ph.Body.from_inertia("ball", mass=1.0, inertia=(0.03, 0.05, 0.04))
    free = ph.Free("free", WORLD.origin, ball.origin)
    return ph.System([free], [ph.Weight(9.81)], [*ph.rolling(surface_of(ball), on)])


def grounds() -> dict:
    """What is rolled on, where a ball's centre is then, and the same by a support."""
    n = np.array([0.36, -0.48, 0.8])
    return {
        "bowl": (ph.surfaces.bowl(WORLD.origin, LARGE), -(LARGE - SMALL) * n),
        "ball": (ph.surfaces.sphere(WORLD.origin, LARGE), (LARGE + SMALL) * n),
        "dale": (ph.surfaces.track(WORLD.origin, dale), np.array([0.36, 0.1, -0.48])),
    }


def dale(x):
    """The distance from a valley along Y, inside a pipe."""
    return 0.9 - jnp.sqrt(x[0] ** 2 + x[2] ** 2)


def rows_at(system, q, z):
    """Rows and right sides, compiled."""
    return ph.compile(lambda q, z: system.constraint_rows(0.0, q, z), q, z)(q, z)


@pytest.mark.parametrize(
    "name",
    ["bowl", *(pytest.param(n, marks=pytest.mark.long) for n in ("ball", "dale"))],
)
def test_a_ball_is_held_as_by_its_formula(name):
    """Rows A and right sides of a ball found by Newton's steps are those of c - r n."""
    on, c = grounds()[name]
    known = rolled(lambda ball: ph.surfaces.sphere(ball.origin, SMALL), on)
    found = rolled(nameless, on)
    assert isinstance(found.constraints[0].contact, CurvedContact)
    rng = np.random.default_rng(3)
    q = known.state({"free": dict(zip("xyz", c, strict=True))}).q
    q = known.local(q, np.append(rng.normal(size=3), 0.01 * rng.normal(size=3)))
    z = rng.normal(size=6)
    expected, rows = (rows_at(s, q, z) for s in (known, found))
    assert_close(rows[0], expected[0], rtol=1e-10, atol=1e-11)
    assert_close(rows[1], expected[1], rtol=1e-9, atol=1e-9)


@cache
def egg_on_stone() -> CurvedContact:
    stone = ph.Body("stone", ph.solids.sphere(mass=1.0, radius=1.0))
    egg = ph.Body("egg", ph.solids.sphere(mass=1.0, radius=1.0))
    under = ph.surfaces.ellipsoid(stone.origin, STONE)
    contact = ph.rolling(ph.surfaces.ellipsoid(egg.origin, EGG), under)[0].contact
    assert isinstance(contact, CurvedContact)
    return contact


@pytest.mark.parametrize("seed", range(6))
def test_two_eggs_touch_where_no_point_of_the_one_is_in_the_other(seed):
    """At height zero they share one point and its normal, and are apart elsewhere."""
    rng = np.random.default_rng(seed)
    R, S = so3.exp(rng.normal(size=3)), so3.exp(rng.normal(size=3))
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)  # from the stone, in the world
    P = S @ (STONE**2 * (S.T @ n) / np.linalg.norm(STONE * (S.T @ n)))
    down = R.T @ -n
    c = P - R @ (EGG**2 * down / np.linalg.norm(EGG * down))
    placed = Placed(np.stack([R, S]), np.stack([c, np.zeros(3)]), ())
    contact = egg_on_stone()
    assert_close(contact.height(placed, {}), 0.0, atol=1e-12)
    assert_close(contact.point(placed, {}), P, atol=1e-10)
    across = contact.tangents(placed, {})
    assert_close(across.T @ across, np.eye(2), atol=1e-12)
    assert_close((S @ across).T @ n, np.zeros(2), atol=1e-9)
    away = Placed(placed.rotations, np.stack([c + 0.2 * n, np.zeros(3)]), ())
    height = contact.height(away, {})
    sphere = rng.normal(size=(4000, 3))
    sphere /= np.linalg.norm(sphere, axis=1)[:, None]
    of_egg = c + 0.2 * n + (EGG * sphere) @ R.T
    of_stone = (STONE * sphere) @ S.T
    gaps = np.linalg.norm(of_egg[:, None] - of_stone[None, ::4], axis=2)
    assert 0.2 - 1e-12 <= height <= np.min(gaps) + 1e-12


@pytest.mark.long
def test_an_egg_rolls_in_a_bowl_and_keeps_its_energy():
    """No slip, no loss: what an egg gains in speed it has lost in height."""
    on = ph.surfaces.bowl(WORLD.origin, LARGE)
    system = rolled(lambda egg: ph.surfaces.ellipsoid(egg.origin, EGG), on)
    near = system.local(system.neutral(), np.array([0, 0, 0, 0.4, 0.1, -0.5]))
    start = system.consistent(ph.State(system, 0.0, near, np.zeros(6)))
    motion = ph.simulate(system, start, until=2.0)
    assert motion.outcome.is_complete
    assert np.ptp(motion["ball"].position[:, 0]) > 0.1
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-7
    assert np.max(ledger.constraint_violation) < 1e-10
