"""Problems of textbooks with contact, friction and impact, by their closed forms.

Rolling down a slope up to the limit of friction, a table that shakes, a spinning ball
that bounces (Garwin 1969), a ladder with friction on both ends, a block on a cart, a
wedge, a cradle of three balls.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import brentq

import polhode as ph
from closeness import assert_close

G, R = 9.81, 0.1
WORLD = ph.World()


def run(system: ph.System, state: ph.State, until: float, **more):
    motion = ph.simulate(system, state, until=until, rtol=1e-10, **more)
    assert motion.outcome.is_complete
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= max(ledger.promise, 1e-9)
    return motion


@pytest.mark.long
@pytest.mark.row("C-11")
@pytest.mark.parametrize(
    ("shape", "share", "most"), [("ball", 0.4, 3.5), ("disc", 0.5, 3.0)]
)
@pytest.mark.parametrize("rolls", [True, False])
def test_what_rolls_down_a_slope_slips_beyond_its_limit(shape, share, most, rolls):
    """tan = 7/2 mu of a ball, 3 mu of a disc; a = g sin/(1 + k) or g (sin - mu cos)."""
    ball = ph.solids.sphere(mass=1.0, radius=R)
    disc = ph.solids.cylinder(mass=1.0, radius=R, length=0.02, along=ph.Y)
    body = ph.Body("body", ball if shape == "ball" else disc)
    plane = ph.Planar("plane", WORLD.origin, body.origin, normal=-ph.Y)
    rest = ph.Support(ph.surfaces.sphere(body.origin, R), WORLD.origin,
                      friction=ph.Coulomb(0.2), name="rest")  # fmt: skip
    a = np.arctan(0.2 * most * (1 - 1e-6 if rolls else 1 + 1e-6))
    weight = ph.Weight(G, up=(-np.sin(a), 0, np.cos(a)))
    system = ph.System([plane], [weight], supports=[rest])
    motion = run(system, system.state(plane=(0, 0, R)), 1.0)
    rolling, sliding = G * np.sin(a) / (1 + share), G * (np.sin(a) - 0.2 * np.cos(a))
    assert_close(abs(motion.z[-1, 1]), rolling if rolls else sliding, rtol=1e-9)
    assert motion["rest"].status[-1, 0] == ("rolls" if rolls else "slides")


@pytest.mark.long
@pytest.mark.row("C-08")
def test_a_table_that_shakes_throws_and_catches():
    """It leaves where a w^2 sin(w t) = g, and lands on the parabola's other end."""
    table = ph.Body("table", ph.solids.box(mass=1.0, x=1, y=1, z=0.1))
    bob, A, w = ph.Particle("bob", 1.0), 0.02, 30.0
    lift = ph.Prismatic("lift", WORLD.origin, table.origin, axis=ph.Z)
    drive = ph.PrescribedMotion(lift, lambda t: A * jnp.sin(w * t))
    rest = ph.Support(ph.surfaces.point(bob.mass_centre), table.origin, name="rest")
    system = ph.System([lift, bob], [ph.Weight(G)], [drive], supports=[rest])
    speeds = {"lift": A * w, "bob": (0, 0, A * w)}
    motion = run(system, system.state(lift=0.0, speeds=speeds), 0.6)
    leaves = np.arcsin(G / (A * w * w)) / w
    assert_close(motion.events[0].t, leaves, rtol=1e-10)
    z, v = A * np.sin(w * leaves), A * w * np.cos(w * leaves)

    def above(t):
        s = t - leaves
        return z + v * s - G / 2 * s * s - A * np.sin(w * t)

    lands = brentq(above, leaves + 0.02, leaves + 0.25, xtol=1e-14)
    assert_close(motion["rest"].impacts[0].t, lands, rtol=1e-9)


@pytest.mark.long
@pytest.mark.row("D-03")
@pytest.mark.parametrize(("spin", "grips"), [(150.0, True), (400.0, False)])
def test_a_spinning_ball_bounces(spin, grips):
    """Friction gives 2/7 of the slip where it grips, mu (1 + e) v_n where it slides."""
    r, e, mu = 0.05, 0.8, 0.6
    ball = ph.Body("ball", ph.solids.sphere(mass=0.1, radius=r))
    floor = ph.Support(ph.surfaces.sphere(ball.origin, r), WORLD.origin,
                       friction=ph.Coulomb(mu), restitution=e,
                       name="floor")  # fmt: skip
    system = ph.System([ball], [ph.Weight(G)], supports=[floor])
    start = system.state(ball={"z": r + 0.5}, speeds={"ball": (0, spin, 0, 1.0, 0, 0)})
    motion = run(system, start, 0.5)
    slip, most = spin * r - 1.0, mu * (1 + e) * np.sqrt(2 * G * 0.5)
    assert (2 / 7 * slip < most) == grips
    gained = min(2 / 7 * slip, most)
    assert_close(motion["ball"].velocity[-1, 0], 1.0 + gained, rtol=1e-7)


@pytest.mark.long
@pytest.mark.row("C-09")
@pytest.mark.parametrize(("above", "rests"), [(1e-7, True), (-1e-7, False)])
def test_a_ladder_with_friction_on_both_ends(above, rests):
    """It slips below tan(theta) = (1 - mu_1 mu_2)/(2 mu_1)."""
    L, mu_1, mu_2 = 2.0, 0.4, 0.3
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=L))
    plane = ph.Planar("plane", WORLD.origin, rod.origin, normal=-ph.Y)
    ends = [rod.point(0, 0, s * L / 2) for s in (-1, 1)]
    floor = ph.Support(ph.surfaces.point(ends[0]), WORLD.origin,
                       friction=ph.Coulomb(mu_1), name="floor")  # fmt: skip
    wall = ph.Support(ph.surfaces.point(ends[1]), WORLD.origin, normal=ph.X,
                      friction=ph.Coulomb(mu_2), name="wall")  # fmt: skip
    system = ph.System([plane], [ph.Weight(G)], supports=[floor, wall])
    a = np.arctan((1 - mu_1 * mu_2) / (2 * mu_1)) + above
    middle = L / 2 * np.array([np.cos(a), np.sin(a)])
    motion = run(system, system.state(plane=(np.pi / 2 - a, *middle)), 1.0)
    assert (np.max(np.abs(motion.z)) < 1e-12) == rests


@pytest.mark.long
@pytest.mark.row("C-10")
@pytest.mark.parametrize("force", [20.0, 40.0])
def test_a_block_on_a_cart_that_is_pulled(force):
    """Together up to mu_s g; beyond, the block goes with mu_d g."""
    cart = ph.Body("cart", ph.solids.box(mass=4.0, x=1, y=1, z=0.1))
    block = ph.Particle("block", 1.0)
    rail = ph.Prismatic("rail", WORLD.origin, cart.origin, axis=ph.X)
    pull = ph.ForceLaw(cart.origin, WORLD.frame,
                       lambda x, v, t: jnp.array([force, 0.0, 0.0]))  # fmt: skip
    rest = ph.Support(ph.surfaces.point(block.mass_centre), cart.origin,
                      friction=ph.Coulomb(0.4, 0.5), name="rest")  # fmt: skip
    system = ph.System([rail, block], [ph.Weight(G), pull], supports=[rest])
    motion = run(system, system.state(), 1.0)
    found = [motion[name].velocity[-1, 0] for name in ("cart", "block")]
    apart = [(force - 0.4 * G) / 4, 0.4 * G]
    together = [force / 5, force / 5]
    assert_close(found, together if force / 5 <= 0.5 * G else apart, rtol=1e-9)


@pytest.mark.long
@pytest.mark.row("C-08")
def test_a_wedge_runs_from_under_a_block():
    """A = g sin cos/(M/m + sin^2), N = M A/sin."""
    wedge = ph.Body("wedge", ph.solids.box(mass=3.0, x=1, y=1, z=0.1))
    block, a = ph.Particle("block", 1.0), 0.5
    rail = ph.Prismatic("rail", WORLD.origin, wedge.origin, axis=ph.X)
    face = ph.Support(ph.surfaces.point(block.mass_centre), wedge.origin,
                      normal=(-np.sin(a), 0, np.cos(a)), name="face")  # fmt: skip
    system = ph.System([rail, block], [ph.Weight(G)], supports=[face])
    motion = run(system, system.state(), 0.5)
    A = G * np.sin(a) * np.cos(a) / (3 + np.sin(a) ** 2)
    assert_close(abs(motion["wedge"].velocity[-1, 0]), 0.5 * A, rtol=1e-10)
    assert_close(motion["face"].push[0, 0], 3 * A / np.sin(a), rtol=1e-10)


@pytest.mark.long
@pytest.mark.row("D-03")
def test_a_cradle_of_three_hands_its_speed_on():
    """In sequence, e = 1: the last goes, the others stay."""
    bobs = [ph.Particle(f"bob {k}", 1.0) for k in range(3)]
    rails = [ph.Prismatic(f"rail {k}", WORLD.origin, bob.mass_centre, axis=ph.X)
             for k, bob in enumerate(bobs)]  # fmt: skip
    balls = [ph.surfaces.sphere(bob.mass_centre, 0.05) for bob in bobs]
    hits = [ph.Support(balls[k + 1], balls[k], restitution=1.0, name=f"hit {k}")
            for k in range(2)]  # fmt: skip
    system = ph.System(rails, supports=hits)
    places = {"rail 0": -0.05, "rail 1": 0.1, "rail 2": 0.2}
    start = system.state(speeds={"rail 0": 1.0}, **places)
    motion = ph.simulate(system, start, until=0.2, impacts="in sequence")
    assert_close(motion.z[-1], [0, 0, 1.0], atol=1e-12)
