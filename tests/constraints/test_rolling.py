"""Pure rolling: material points in contact move alike, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.constraints.constraint import Moving, Placed
from polhode.constraints.loop import Loop
from polhode.errors import ModelError
from polhode.geometry.rotations import so3
from reckoning import reckon

G, SLOPE, R = 9.81, 0.3, 0.4


def wheel_on_a_slope(mass: float = 2.0) -> ph.System:
    """A disc on edge in a plane that is inclined: gravity leans instead."""
    wheel = ph.Body("wheel", ph.solids.cylinder(mass=mass, radius=R, length=0.01))
    world = ph.World()
    plane = ph.Planar("plane", world.origin, wheel.origin, normal=ph.Y,
                      second_axes=so3.exp(np.array([-np.pi / 2, 0, 0])))  # fmt: skip
    rim = ph.surfaces.disc(wheel.origin, R, axis=ph.Z)
    up = (-np.sin(SLOPE), 0.0, np.cos(SLOPE))
    roll = ph.rolling(rim, world.origin)
    return ph.System([plane], [ph.Weight(G, up=up)], [*roll], name="wheel")


@pytest.mark.row("C-11")
def test_a_cylinder_rolls_down_a_slope():
    """a = g sin b / (1 + I/(m R^2)); the friction it needs is tan b I/(I + m R^2)."""
    system = wheel_on_a_slope()
    state = ph.assemble(system).state
    assert_close(system.poses(0, state.q).origins[0, 2], R)
    found = reckon(state)
    mass, _, inertia = system.bodies[0].moments()
    moment = inertia[2, 2]
    a = system.jacobians(0, state.q)[0] @ found.z_dot
    rotation = system.poses(0, state.q).rotations[0]
    expected = G * np.sin(SLOPE) / (1 + moment / (mass * R**2))
    assert_close(rotation @ a[3:], [expected, 0, 0], rtol=1e-9, atol=1e-9)
    normal, along, across = found.multipliers
    sideways = np.hypot(along, across)
    needed = np.tan(SLOPE) * moment / (moment + mass * R**2)
    assert_close(sideways / normal, needed, rtol=1e-9)


@pytest.mark.row("C-11")
def test_the_contact_does_no_work():
    """Normal and friction forces have no power on a wheel that rolls."""
    system = wheel_on_a_slope()
    state = system.consistent(
        ph.State(system, 0.0, ph.assemble(system).state.q, np.ones(system.speeds))
    )
    A, gamma = system.constraint_rows(0.0, state.q, state.z)
    power = reckon(state).multipliers @ (A @ state.z)
    assert abs(state.z).max() > 0.1
    assert_close(power, 0.0, atol=1e-10)
    assert np.all(np.isfinite(gamma))


def free_roller(surface_of, inertia=(0.3, 0.2, 0.1)) -> ph.System:
    body = ph.Body.from_inertia("body", mass=1.0, inertia=inertia)
    world = ph.World()
    free = ph.Free("free", world.origin, body.origin)
    roll = ph.rolling(surface_of(body), world.origin)
    return ph.System([free], [ph.Weight(G)], [*roll])


SURFACES = {
    "sphere": lambda body: ph.surfaces.sphere(body.origin, 0.5),
    "disc": lambda body: ph.surfaces.disc(body.origin, 0.5, axis=ph.Y),
    "ellipsoid": lambda body: ph.surfaces.ellipsoid(body.origin, (0.3, 0.5, 0.7)),
}


@pytest.mark.parametrize("name", SURFACES)
def test_the_lowest_point_is_the_contact(name):
    """No point of the body is below the plane, and the one in contact is at rest."""
    system = free_roller(SURFACES[name])
    rng = np.random.default_rng(4)
    start = system.local(system.rest().q, 0.4 * rng.normal(size=6))
    state = system.consistent(ph.State(system, 0.0, start, rng.normal(size=6)))
    touching = system.constraints[0].contact
    poses, twists = system.poses(0, state.q), system.twists(0, state.q, state.z)
    rotations = np.stack([poses.rotations[0], np.eye(3)])
    origins = np.stack([poses.origins[0], np.zeros(3)])
    P = touching.point(Placed(rotations, origins, ()), {})
    assert_close(P[2], 0.0, atol=1e-12)
    v = twists.linear[0] + np.cross(twists.angular[0], P - origins[0])
    assert_close(v, np.zeros(3), atol=1e-10)
    directions = rng.normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    places = [touching.surface.support(u) for u in directions]
    heights = origins[0, 2] + (np.array(places) @ rotations[0].T)[:, 2]
    assert np.min(heights) >= -1e-12
    assert ph.mobility(system, state).by_rank == 3


def test_rolling_between_two_moving_bodies_is_invariant():
    """Plane and ball may both be carried along: the rows do not change."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.5))
    table = ph.Body("table", ph.solids.box(mass=1.0, x=1.0, y=1.0, z=0.1))
    parts = ph.rolling(ph.surfaces.sphere(ball.origin, 0.5), table.point(0, 0, 0.05))
    for part in parts:
        assert ph.theory.audit_constraint(part).is_invariant


def test_a_ball_on_a_turntable_rolls_with_it():
    """At rest in the table's frame a ball does not slip on it."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.5))
    table = ph.Body("table", ph.solids.box(mass=1.0, x=1.0, y=1.0, z=0.1))
    _, no_slip = ph.rolling(ph.surfaces.sphere(ball.origin, 0.5), table.origin)
    spin, place = np.array([0, 0, 2.0]), np.array([1.0, 0.3, 0.5])
    placed = Placed(np.stack([np.eye(3)] * 2), np.stack([place, np.zeros(3)]), ())
    carried = np.stack([np.cross(spin, place), np.zeros(3)])
    moving = Moving(np.stack([spin, spin]), carried, ())
    assert_close(no_slip.velocity(placed, moving), [0, 0], atol=1e-15)
    still = Moving(np.stack([0 * spin, spin]), 0 * carried, ())
    assert_close(no_slip.velocity(placed, still), [0.6, -2.0])


def test_what_cannot_roll_is_refused():
    """A radius is positive, and a body does not roll on itself."""
    body = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.5))
    with pytest.raises(ModelError, match="A point does not roll"):
        ph.surfaces.sphere(body.origin, 0.0)
    with pytest.raises(ModelError, match="to itself"):
        ph.rolling(ph.surfaces.sphere(body.origin, 0.5), body.origin)


def test_a_loop_has_the_name_of_its_joint():
    """Reports call a closing joint what the user called it."""
    joint = ph.Spherical("ball", ph.World().origin, ph.Particle("p", 1.0).mass_centre)
    assert (Loop(joint).name, len(Loop(joint).rows)) == ("ball", 3)


@pytest.mark.parametrize("surface", [None, 1.0, "disc"])
def test_what_has_no_surface_does_not_roll(surface):
    """It is refused with what to give, whatever it is."""
    with pytest.raises(ModelError, match="has no surface to roll"):
        ph.rolling(surface, ph.World().origin)
    ball = ph.surfaces.sphere(
        ph.Body("b", ph.solids.sphere(mass=1, radius=1)).origin, 1
    )
    if not isinstance(surface, str):
        with pytest.raises(ModelError, match="has nothing to roll on"):
            ph.rolling(ball, surface)


def test_the_radius_of_a_bowl_is_no_parameter():
    """The words do not ask for what was given."""
    body = ph.Body("b", ph.solids.sphere(mass=1, radius=1))
    with pytest.raises(ModelError, match="cannot be the parameter 'r'") as said:
        ph.surfaces.bowl(body.origin, ph.Parameter("r", 0.3))
    assert "Give its number, 0.3" in str(said.value)


@pytest.mark.parametrize("radius", [0.3, ph.Parameter("R", 0.3)])
def test_a_coin_that_lies_flat_has_no_lowest_point_and_is_refused_in_words(radius):
    """At 0/0 NumPy warned before the refusal, and warnings may be errors."""
    coin = ph.Body("coin", ph.solids.cylinder(mass=1.0, radius=0.3, length=0.01))
    floor = ph.World().origin
    free = ph.Free("free", floor, coin.mass_centre)
    disc = ph.surfaces.disc(coin.mass_centre, radius, ph.Z)
    rolls = ph.rolling(disc, floor)
    with pytest.raises(ModelError, match="'rolling contact' is not finite at t = 0"):
        ph.System([free], [ph.Weight(9.81)], constraints=rolls)
