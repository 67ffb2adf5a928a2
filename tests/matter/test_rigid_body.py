"""Bodies at the door: what is accepted, what is refused, and in which words."""

import sys
from functools import partial

import numpy as np
import pytest

import polhode as ph
from call_count import count_calls
from closeness import assert_close
from polhode.errors import ModelError, StateError, UnphysicalInertia
from polhode.matter.solids import rod


def test_the_script_of_the_front_page():
    """A rod along Z with points on it, a world with an origin."""
    world = ph.World()
    body = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8, along=ph.Z))
    tip = body.point(0, 0, 0.4, name="tip")
    assert_close(tip.coordinates, [0, 0, 0.4])
    assert tip.frame is body.frame
    assert_close(body.mass_centre.coordinates, [0, 0, 0])
    assert world.origin.frame is world.frame
    assert_close(world.point(1, 2, 3).coordinates, [1, 2, 3])
    assert_close(np.diag(body.inertia), [1.2 * 0.64 / 12, 1.2 * 0.64 / 12, 0])
    assert_close((tip - body.mass_centre).components, [0, 0, 0.4])


def test_matter_needs_no_heavy_library():
    """Building bodies imports neither jax nor sympy, scipy or trimesh."""
    import subprocess

    script = (
        "import sys, polhode as ph;"
        "ph.Body('b', ph.solids.cone(mass=1, radius=1, height=2));"
        "ph.Body('s', ph.marine.submerged(ph.solids.sphere(mass=1, radius=1),"
        " fluid_density=1.0));"
        "print([m for m in ('jax', 'sympy', 'scipy', 'trimesh') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("moments", "mass"),
    [
        ((1, 1, 2 + 1e-15), 1.0),  # fault 6: round-off
        ((200, 300, 500), 1.0),  # fault 7: a plane body, exactly on the boundary
        ((0, 1, 1), 1.0),  # fault 12: a rod, until something spins about it
        ((0, 0, 0), 0.0),  # fault 2: massless, until something moves it alone
        ((0, 0, 0), 1.0),  # a particle
        ((1e-12, 1e-12, 2e-12), 1e-6),
    ],
)
def test_moments_on_the_boundary_are_accepted(moments, mass):
    """Rounding, plane bodies, rods and points are physical."""
    body = ph.Body.from_inertia("body", mass=mass, inertia=moments)
    assert_close(np.diag(body.moments().inertia), np.array(moments, float), rtol=1e-14)


REFUSED = {
    "fault 1": ({"mass": -1, "inertia": (1, 1, 1)}, "'hull' cannot have mass -1 kg"),
    "fault 3": (
        {"mass": np.nan, "inertia": (1, 1, 1)},
        "mass of 'hull' is not finite: nan",
    ),
    "fault 3b": (
        {"mass": np.inf, "inertia": (1, 1, 1)},
        "mass of 'hull' is not finite: inf",
    ),
    "fault 5": (
        {"mass": 1, "inertia": (1, 1, 3)},
        "'hull'.*principal moments \\(1, 1, 3\\)",
    ),
    "fault 8": (
        {"mass": 1, "inertia": [[1, 1e-3, 0], [0, 1, 0], [0, 0, 1]]},
        "'hull'.*not symmetric: entry \\(1, 2\\) is 0.001",
    ),
    "fault 10": (
        {"mass": 1, "inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]},
        "'hull'.*principal moments \\(-1, 1, 3\\)",
    ),
    "nan moment": ({"mass": 1, "inertia": (1, np.nan, 1)}, "'hull' is not finite"),
    "negative moment": ({"mass": 1, "inertia": (1, -1, 1)}, "never < 0"),
    "no mass": ({"mass": 0, "inertia": (1, 1, 1)}, "Nothing without mass"),
    "hidden": (
        {"mass": 1, "inertia": (1, 1, 1), "centre": (2, 0, 0), "about": (0, 0, 0)},
        "About point \\(0, 0, 0\\) all moments look sound",
    ),
    "not about G": (
        {"mass": 1, "inertia": (2, 1, 5), "centre": (1, 0, 0), "about": (0, 0, 0)},
        "not about point \\(0, 0, 0\\)",
    ),
    "shape": ({"mass": 1, "inertia": (1, 1)}, "neither three moments nor"),
    "centre": (
        {"mass": 1, "inertia": (1, 1, 1), "centre": (0, 0)},
        "has 2 coordinates",
    ),
    "overflow": (
        {
            "mass": 1e300,
            "inertia": (1, 1, 1),
            "centre": (1e300, 0, 0),
            "about": (0, 0, 0),
        },
        "'hull' cannot have inertia.*NaN and infinity",
    ),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_unphysical_bodies_are_refused_by_name(fault):
    """The refusal names the body, the value and the limit it breaks."""
    arguments, words = REFUSED[fault]
    with pytest.raises(ModelError, match=f"(?s){words}") as refusal:
        ph.Body.from_inertia("hull", **arguments)
    assert refusal.value.code == "MODEL"
    assert "'hull'" in str(refusal.value)


def test_sizes_beyond_all_numbers_are_refused():
    """Squares that overflow are a matter of units, and said so."""
    with pytest.raises(ModelError, match="'rod'"):
        ph.Body("rod", rod(mass=1.0, length=1e200))
    with pytest.raises(ModelError, match="'rod'"):
        ph.Body("rod", rod(mass=1e300, length=1e100))


def test_slightly_uneven_matrices_are_made_even():
    """Fault 8: 1e-14 relative is rounding; the stored matrix is symmetric."""
    matrix = np.array([[1, 0.1, 0], [0.1 + 1e-14, 1, 0], [0, 0, 1.0]])
    body = ph.Body.from_inertia("hull", mass=1, inertia=matrix)
    inertia = body.moments().inertia
    assert_close(inertia, inertia.T, rtol=0)
    assert_close(inertia[0, 1], 0.1 + 5e-15, rtol=1e-16)
    assert matrix[1, 0] == 0.1 + 1e-14


def test_inertia_about_another_point_is_brought_to_the_mass_centre():
    """A rod's m l^2/3 about its end is m l^2/12 about its middle."""
    end = ph.Body.from_inertia(
        "rod", mass=2, inertia=(6, 6, 0), centre=(0, 0, 1.5), about=(0, 0, 0)
    )
    middle = rod(mass=2, length=3).moments()
    assert_close(end.moments().inertia, middle.inertia)
    assert_close(end.spatial_inertia()[:3, :3], np.diag([6.0, 6, 0]))


def test_bad_points_and_names_are_refused():
    """A point needs finite coordinates, a body and a particle a name."""
    body = ph.Body("rod", rod(mass=1, length=1))
    with pytest.raises((ModelError, StateError), match="'tip' of 'rod' is not finite"):
        body.point(0, 0, np.nan, name="tip")
    with pytest.raises(ModelError, match="cannot be named ''"):
        ph.Body("", rod(mass=1, length=1))
    with pytest.raises(UnphysicalInertia, match="'bob' cannot have mass -1 kg"):
        ph.Particle("bob", -1)


def test_a_body_is_made_of_matter():
    """Anything else is refused by name."""
    with pytest.raises(ModelError, match=r"'rod' cannot be made of 1\.2"):
        ph.Body("rod", 1.2)


def test_moments_may_be_given_as_parameters():
    """Every entry, the point of reference included, is looked up in the table."""
    m, d = ph.Parameter("m", 2.0), ph.Parameter("d", 1.5)
    body = ph.Body.from_inertia(
        "rod", mass=m, inertia=(m * d**2 * 4 / 3,) * 2 + (0,), centre=(0, 0, d),
        about=(0, 0, 0),
    )  # fmt: skip
    found = body.moments({"m": 3.0, "d": 2.0})
    assert_close(np.diag(found.inertia), [3.0 * 4 / 3, 3.0 * 4 / 3, 0])
    assert_close(found.centre, [0, 0, 2])


def test_particles_are_points_with_mass():
    """No moments, the mass at the origin of the particle's frame."""
    bob = ph.Particle("bob", 0.3)
    mass, centre, inertia = bob.moments({"bob.mass": 0.5})
    assert mass == 0.5
    assert bob.mass == 0.3
    assert not np.any(centre)
    assert not np.any(inertia)
    assert_close(bob.mass_centre.coordinates, [0, 0, 0])
    assert_close(np.diag(bob.spatial_inertia()), [0, 0, 0, 0.3, 0.3, 0.3])
    assert repr(bob) == "Particle(name='bob', mass=0.3)"


def test_bodies_read_well():
    """The matter shows itself with the names of its parameters."""
    l = ph.Parameter("l", 0.8)
    body = ph.Body("rod", rod(mass=1.2, length=l))
    assert repr(body.matter) == "rod(mass=rod.mass, length=l)"
    assert repr(body.point(0, 0, l / 2, name="tip")) == (
        "MaterialPoint('rod', [0, 0, 0.4], 'tip')"
    )


def test_a_body_is_built_by_few_calls():
    """Doors hold NumPy arrays, some 750 calls: arrays of JAX would take thousands."""
    build = partial(ph.Body, "rod", rod(mass=1.2, length=0.8, along=ph.Y))
    assert count_calls(build) < 1200


@pytest.mark.parametrize("inertia", [2.0, None, [1, 2]])
def test_an_inertia_is_three_moments_or_a_matrix(inertia):
    """One number for all three moments is a guess, and refused."""
    with pytest.raises(ModelError, match="neither three moments nor"):
        ph.Body.from_inertia("ball", mass=1, inertia=inertia)


def test_a_mass_centre_has_three_coordinates():
    """A number is no place."""
    with pytest.raises(ModelError, match="no coordinates"):
        ph.Body.from_inertia("ball", mass=1, inertia=[1, 1, 1], centre=0)


def test_what_a_body_says_of_itself():
    """Name, mass, mass centre and moments, in numbers."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.5))
    assert (
        repr(rod)
        == "Body('rod', mass=1.2, centre=[0, 0, 0], moments=[0.025, 0.025, 0])"
    )
    pair = ph.Body("pair", ph.Cloud([1, 1], [[0, 0, 0], [1, 1, 0]]))
    assert repr(pair).startswith(
        "Body('pair', mass=2, centre=[0.5, 0.5, 0], inertia=[["
    )


def test_what_a_submerged_body_says_of_itself():
    """The matter, and the fluid or the numbers that were given for it."""
    ball = ph.solids.sphere(mass=1, radius=0.1)
    wet = ph.marine.submerged(ball, fluid_density=1000)
    assert repr(wet) == "Submerged(sphere(mass=1, radius=0.1), fluid_density=1000)"
    hull = ph.solids.sphere(mass=0, radius=0.2)
    held = ph.marine.submerged(ball, fluid_density=1000, hull=hull)
    assert repr(held).endswith(", hull=sphere(mass=0, radius=0.2), fluid_density=1000)")
    added = ph.marine.with_added_mass(ball, np.diag([1.0, 2, 3, 4, 5, 6]))
    assert repr(added).endswith("added diagonal=[1, 2, 3, 4, 5, 6])")


def test_particles_are_compared_by_mass():
    """Names and frames are labels; what moves alike is close."""
    bob = ph.Particle("bob", 0.3)
    assert bob.is_close(ph.Particle("other", 0.3 * (1 + 1e-14)))
    assert not bob.is_close(ph.Particle("bob", 0.31))
