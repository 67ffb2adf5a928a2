"""Bodies in an ideal fluid: a generalised inertia under Kirchhoff's equations."""

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError, StateError, UnphysicalInertia
from polhode.geometry.vector import cross
from polhode.matter.energy import spatial_kinetic_energy
from polhode.matter.momentum import (
    momentum_transport,
    spatial_momentum,
    spatial_momentum_rate,
)
from polhode.matter.parameter import table_of
from rk4 import rk4
from strategies_geometry import generators, rotation_matrix


def hull(density=800.0, fluid=1000.0):
    solid = ph.solids.ellipsoid(density=density, x=0.4, y=0.6, z=1.1)
    return ph.Body("hull", ph.marine.submerged(solid, fluid_density=fluid))


@pytest.mark.row("I-19")
def test_a_sphere_moves_as_if_half_its_water_were_its_own():
    """The mass block is m + half the displaced mass; the energy is V^T M V/2."""
    solid = ph.solids.sphere(mass=2.0, radius=0.1)
    body = ph.Body("ball", ph.marine.submerged(solid, fluid_density=1000.0))
    displaced = 4 / 3 * np.pi * 0.1**3 * 1000
    M = body.spatial_inertia()
    assert_close(M[3:, 3:], (2.0 + displaced / 2) * np.eye(3), rtol=1e-13)
    assert_close(M[:3, :3], 2 / 5 * 2.0 * 0.01 * np.eye(3), rtol=1e-13)
    assert_close(body.moments().mass, 2.0)
    assert_close(body.matter.displaced()[0], displaced, rtol=1e-14)


@pytest.mark.row("I-19")
def test_energy_and_impulse_are_kept_without_forces():
    """Free motion of a submerged ellipsoid: energy, |p| and p . L stay, 10 turns."""
    M = hull().spatial_inertia()
    inverse = np.linalg.inv(M)

    def rate(_, V):
        return -inverse @ momentum_transport(V, M @ V)

    start = np.array([0.9, -0.4, 0.5, 0.6, 0.2, -0.3])
    end = rk4(rate, start, 0.0, 40.0, 8000)
    assert np.max(np.abs(end - start)) > 0.1  # it did move
    before, after = (spatial_kinetic_energy(M, V) for V in (start, end))
    assert_close(after, before, rtol=1e-8)
    h0, h1 = M @ start, M @ end
    assert_close(np.linalg.norm(h1[3:]), np.linalg.norm(h0[3:]), rtol=1e-8)
    assert_close(h1[:3] @ h1[3:], h0[:3] @ h0[3:], rtol=1e-8)


@pytest.mark.row("I-19")
@given(generators)
def test_munks_moment_appears_when_mass_depends_on_direction(rng):
    """Steady motion without spin needs the moment v x dT/dv: zero only if isotropic."""
    M = hull().spatial_inertia()
    v = rng.normal(size=3)
    V = np.concatenate([np.zeros(3), v])
    needed = spatial_momentum_rate(M, V, np.zeros(6))
    dT_dv = np.array(
        [
            (spatial_kinetic_energy(M, V + step) - spatial_kinetic_energy(M, V - step))
            / 2
            for step in np.eye(6)[3:]
        ]
    )
    # T is quadratic, so a central difference of step one is exact.
    assert_close(dT_dv, spatial_momentum(M, V)[3:], rtol=1e-11)
    assert_close(needed[:3], cross(v, dT_dv), rtol=1e-10)
    assert np.max(np.abs(needed[:3])) > 1e-6 * np.max(np.abs(M))
    assert not np.any(needed[3:])
    ball = ph.Body(
        "ball",
        ph.marine.submerged(
            ph.solids.sphere(mass=2.0, radius=0.1), fluid_density=1000.0
        ),
    )
    calm = spatial_momentum_rate(ball.spatial_inertia(), V, np.zeros(6))
    assert_close(calm, np.zeros(6), atol=1e-14)


@pytest.mark.row("I-19")
def test_any_symmetric_positive_matrix_is_accepted():
    """A user's own six by six matrix adds to the body's; others are refused."""
    solid = ph.solids.sphere(mass=2.0, radius=0.1)
    half = np.random.default_rng(5).normal(size=(6, 6))
    added = half @ half.T
    body = ph.Body("hull", ph.marine.with_added_mass(solid, added))
    dry = ph.Body("dry", solid)
    assert_close(body.spatial_inertia(), dry.spatial_inertia() + added)
    with pytest.raises(UnphysicalInertia, match=r"'hull'.*not positive definite"):
        ph.Body("hull", ph.marine.with_added_mass(solid, -added))
    with pytest.raises(UnphysicalInertia, match="not symmetric"):
        ph.Body("hull", ph.marine.with_added_mass(solid, half))
    with pytest.raises(StateError, match="the added mass has shape"):
        ph.marine.with_added_mass(solid, np.eye(3))


@given(generators)
def test_a_turned_and_shifted_hull_carries_its_water_along(rng):
    """About the body's origin the added energy is that about the hull's centre."""
    R, shift = rotation_matrix(rng), rng.normal(size=3)
    solid = ph.solids.ellipsoid(mass=0, x=0.4, y=0.6, z=1.1)
    cargo = ph.solids.box(mass=50.0, x=0.1, y=0.1, z=0.1)
    moved = ph.solids.placed(solid, shift, R)
    plain = ph.marine.submerged(cargo, hull=solid, fluid_density=1000.0).added_inertia()
    there = ph.marine.submerged(cargo, hull=moved, fluid_density=1000.0).added_inertia()
    w, v = rng.normal(size=(2, 3))
    at_origin = np.concatenate([w, v])
    at_centre = np.concatenate([R.T @ w, R.T @ (v + np.cross(w, shift))])
    here = spatial_kinetic_energy(there, at_origin)
    assert_close(here, spatial_kinetic_energy(plain, at_centre), rtol=1e-11)
    assert_close(there, there.T, rtol=0)
    heavy = ph.solids.ellipsoid(mass=3, x=0.4, y=0.6, z=1.1)
    with pytest.raises(ModelError, match="cannot have mass 3 kg of its own"):
        ph.marine.submerged(cargo, hull=heavy, fluid_density=1000.0)


def test_added_mass_follows_the_table():
    """Hull, fluid and cargo are parameters; a shared hull shares its names."""
    body = hull()
    assert set(table_of(body.parameters)) == {
        "hull.density", "hull.x", "hull.y", "hull.z", "hull.fluid_density",
    }  # fmt: skip
    thin = body.spatial_inertia({"hull.fluid_density": 1e-12})
    solid = ph.Body("dry", ph.solids.ellipsoid(density=800.0, x=0.4, y=0.6, z=1.1))
    assert_close(thin, solid.spatial_inertia(), rtol=1e-12)


@pytest.mark.parametrize("size", [0.0, -1.0, np.nan])
def test_axes_without_extent_are_refused(size):
    """Fault 14: half axes are lengths above zero."""
    with pytest.raises(ModelError, match="the y of an ellipsoid"):
        ph.solids.ellipsoid(mass=1, x=1, y=size, z=1)


def test_only_ellipsoids_have_closed_forms():
    """A box has no exact added mass, and empty space is no fluid."""
    box = ph.solids.box(mass=1, x=1, y=1, z=1)
    with pytest.raises(ModelError, match="added mass of a box is not known"):
        ph.marine.submerged(box, fluid_density=1000.0)
    with pytest.raises(ModelError, match="density of the fluid cannot be -1"):
        ph.marine.submerged(ph.solids.sphere(mass=1, radius=1), fluid_density=-1.0)
