"""Rolling contacts: the friction that they need, and balls on tables that turn."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError

G, SLOPE, R = 9.81, 0.3, 0.4


@cache
def rolling_ball(rate: float = 0.0, slope: float = 0.0, lean: float = 0.0):
    """A homogeneous ball on a table that turns about Z; gravity may lean."""
    world = ph.World()
    table = ph.Body("table", ph.solids.cylinder(mass=5.0, radius=2.0, length=0.1))
    ball = ph.Body("ball", ph.solids.sphere(mass=1.5, radius=R))
    axle = ph.Revolute("axle", world.origin, table.origin, axis=ph.Z)
    free = ph.Free("free", world.point(0, 0, R), ball.origin)
    driver = ph.PrescribedMotion(axle, lambda t: rate * t, name="driver")
    roll = ph.rolling(ph.surfaces.sphere(ball.origin, R), table.origin)
    up = (-np.sin(slope), 0.0, np.cos(slope) * (1 - 2 * lean))
    system = ph.System(
        [axle, free], [ph.Weight(G, up=up)], [driver, *roll], name="ball on a table"
    )
    return ph.recursive(system)


@pytest.mark.row("C-11")
def test_a_ball_on_a_turning_table_goes_in_circles():
    """v' = (2/7) Omega z x v: two turns of its path take seven of the table."""
    rate = 1.3
    form = rolling_ball(rate)
    rng = np.random.default_rng(1)
    for _ in range(3):
        place, spin = rng.normal(size=2), rng.normal()
        v = np.array([*rng.normal(size=2), 0.0])
        # Without slip: v + w x (-R z) = Omega z x r.
        r = np.array([*place, 0.0])
        carried = np.cross([0, 0, rate], r)
        w = np.cross([0, 0, 1.0], v - carried) / R + [0, 0, spin]
        speeds = {"axle": rate, "free": (*w, *v)}
        where = {"free": {"x": place[0], "y": place[1]}}
        state = form.system.state(where, speeds=speeds)
        found = form.body_accelerations(state)[1][3:] + np.cross(w, v)
        assert_close(found, 2 / 7 * np.cross([0, 0, rate], v), rtol=1e-9)


@pytest.mark.row("C-11")
def test_friction_that_a_ball_needs_on_a_slope():
    """mu = tan b I/(I + m R^2), 2/7 tan b for a ball; on the level none."""
    form = rolling_ball(0.0, SLOPE)
    found = ph.questions.needed_friction(form, form.system.rest())
    assert_close(found, 2 / 7 * np.tan(SLOPE), rtol=1e-9)
    level = rolling_ball()
    assert ph.questions.needed_friction(level, level.system.rest()) < 1e-12


def test_a_plane_that_would_have_to_pull_needs_more_than_friction():
    """Hung from below it is held by the constraint, and by no friction."""
    form = rolling_ball(0.0, SLOPE, 1.0)
    assert ph.questions.needed_friction(form, form.system.rest()) == np.inf


def test_contacts_that_are_not_there_are_refused():
    """By name, with those that are."""
    form = rolling_ball()
    with pytest.raises(ModelError, match="Did you mean 'rolling'"):
        ph.questions.needed_friction(form, form.system.rest(), "roling")


@cache
def ball_at(kind: str) -> ph.results.Equations:
    """A ball of radius 0.1 on a ball, or in a bowl, of radius 1 about the origin."""
    world, big, small = ph.World(), 1.0, 0.1
    ball = ph.Body("ball", ph.solids.sphere(mass=1.5, radius=small))
    free = ph.Free("free", world.origin, ball.origin)
    make = ph.surfaces.sphere if kind == "ball" else ph.surfaces.bowl
    side = 1 if kind == "ball" else -1
    on = make(world.origin, big)
    roll = ph.rolling(
        ph.surfaces.sphere(ball.origin, small), on, normal=ph.Z, name="rolling"
    )
    start = ph.System([free], [ph.Weight(G)], [*roll], name=f"ball and {kind}")
    assert start.rest().q[4:] @ start.rest().q[4:] == pytest.approx(
        (big + side * small) ** 2
    )
    return ph.recursive(start)


@pytest.mark.parametrize("kind", ["ball", "bowl"])
def test_a_ball_rolls_on_a_ball_and_in_a_bowl(kind):
    """a = 5/7 g sin th along the way, N = m (g cos th -+ v^2/(R +- r))."""
    m, small, th, v = 1.5, 0.1, 0.5, 0.8
    side = 1 if kind == "ball" else -1
    reach, form = 1.0 + side * small, ball_at(kind)
    n = np.array([np.sin(th), 0, np.cos(th)])  # from the surface to the ball
    along = np.array([np.cos(th), 0, -np.sin(th)])  # downhill on a ball
    c = side * reach * n
    w = np.cross(n, v * along) / small + 0.7 * n
    where = dict(zip("xyz", c, strict=True))
    speeds = {"free": (*w, *(v * along))}
    state = form.system.state({"free": where}, speeds=speeds)
    V_dot = form.body_accelerations(state)[0]
    a = V_dot[3:] + np.cross(w, v * along)
    downhill = 5 / 7 * G * np.sin(th)
    centripetal = -side * v**2 / reach * n
    # Spin about n, carried round, pushes across the way: 2/7 r w_n v/(R +- r).
    assert_close(a @ along, downhill, rtol=1e-9)
    assert_close(a @ n, centripetal @ n, rtol=1e-9)
    N = m * (G * np.cos(th) + centripetal @ n)
    assert_close(form.multipliers(state)[0], N, rtol=1e-9)
    across = np.cross(n, along)
    drift = a @ across
    friction = m * np.hypot(downhill - G * np.sin(th), drift)
    assert_close(ph.questions.needed_friction(form, state), friction / N, rtol=1e-9)
    assert_close(abs(drift), 2 / 7 * small * 0.7 * v / reach, rtol=1e-8)


@pytest.mark.row("C-11")
def test_a_ball_rolls_along_any_curve():
    """On a hill of constant slope beyond a bend it falls as on that slope.

    The track is a half pipe of radius 1 along Y that goes on straight, at 45 degrees.
    """
    import jax.numpy as jnp

    def height(x):
        """Over z = |x|, its edge rounded inside by a circle of radius 1."""
        s = jnp.sqrt(0.5)
        u, v = s * (jnp.abs(x[0]) + x[2]), s * (x[2] - jnp.abs(x[0]))
        # Beside the circle the nearest point is on the straight part.
        middle = jnp.array([0.0, jnp.sqrt(2.0)])
        d = jnp.array([x[0], x[2]]) - middle
        return jnp.where(u > 1.0, v, 1.0 - jnp.sqrt(d @ d))

    world, small = ph.World(), 0.1
    ball = ph.Body("ball", ph.solids.sphere(mass=1.5, radius=small))
    free = ph.Free("free", world.origin, ball.origin)
    on = ph.surfaces.track(world.origin, height)
    roll = ph.rolling(ph.surfaces.sphere(ball.origin, small), on)
    form = ph.recursive(ph.System([free], [ph.Weight(G)], [*roll], name="pipe"))
    s = np.sqrt(0.5)
    uphill, n = np.array([s, 0, s]), np.array([-s, 0, s])
    on_slope = 2.0 * uphill + small * n
    lower = np.array([0.9 * np.sin(0.3), 0, np.sqrt(2) - 0.9 * np.cos(0.3)])
    for c, slope in ((on_slope, np.pi / 4), (lower, 0.3)):
        state = form.system.state({"free": dict(zip("xyz", c, strict=True))})
        a = form.body_accelerations(state)[0][3:]
        down = -np.array([np.cos(slope), 0, np.sin(slope)])
        assert_close(a, 5 / 7 * G * np.sin(slope) * down, rtol=1e-9)
        needed = ph.questions.needed_friction(form, state)
        assert_close(needed, 2 / 7 * np.tan(slope), rtol=1e-9)


def test_a_track_is_given_by_a_distance_that_is_one():
    """A height that grows by two metres a metre is refused."""
    with pytest.raises(ModelError, match="grows by 2 m a metre"):
        ph.surfaces.track(ph.World().origin, lambda x: 2 * x[2])
