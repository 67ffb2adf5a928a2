"""Axes, `up`, normals and rolling radii by parameters are those of the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError
from written_again import again

ALPHA = ph.Parameter("alpha", 0.3)
DOWN = (ph.functions.cos(ALPHA), 0, -ph.functions.sin(ALPHA))
WORLD = ph.World()


def block(mass=2.0):
    return ph.Body("block", ph.solids.box(mass=mass, x=0.4, y=0.3, z=0.2))


def test_the_block_on_a_slope_prints_its_weight_along_it():
    """m g sin(alpha), by a guide along the slope and by a tilted `up` alike."""
    m, g = ph.Parameter("m", 2.0), ph.Parameter("g", 9.81)
    along = ph.Prismatic("slide", WORLD.origin, block(m).origin, axis=DOWN)
    level = ph.Prismatic("slide", WORLD.origin, block(m).origin, axis=ph.X)
    up = (-ph.functions.sin(ALPHA), 0, ph.functions.cos(ALPHA))
    for joint, weight in ((along, ph.Weight(g)), (level, ph.Weight(g, up))):
        system = ph.System([joint], [weight], name="slope")
        assert "m*(-g*sin(alpha) + slideddot) = 0" in str(ph.lagrange(system).read())


KINDS = {
    "revolute": lambda b, n: ph.Revolute("j", WORLD.origin, b.point(0.3, 0.1, 0), n),
    "prismatic": lambda b, n: ph.Prismatic("j", WORLD.origin, b.origin, n),
    "cylindrical": lambda b, n: ph.Cylindrical("j", WORLD.origin, b.origin, n),
    "screw": lambda b, n: ph.Screw("j", WORLD.origin, b.origin, n, 0.1),
    "slider": lambda b, n: ph.Slider("j", WORLD.origin, b.origin, n),
    "planar": lambda b, n: ph.Planar("j", WORLD.origin, b.origin, n),
    "ball roller": lambda b, n: ph.BallRoller("j", WORLD.origin, b.origin, n),
    "universal": lambda b, n: ph.Universal("j", WORLD.origin, b.mass_centre, n, ph.Y),
    "universal, second": lambda b, n: ph.Universal(
        "j", WORLD.origin, b.origin, ph.Y, n
    ),
    "roller": lambda b, n: ph.Roller("j", WORLD.origin, b.origin, n, ph.Y),
    "roller, axis": lambda b, n: ph.Roller("j", WORLD.origin, b.origin, ph.Y, n),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("angle", [0.3, -0.8])
def test_a_joint_by_parameters_is_that_of_the_numbers(kind, angle):
    """Mass matrix, potential and what it carries, at values that are not nominal."""
    column = (np.cos(angle), 0.0, -np.sin(angle))
    pair = [KINDS[kind](block(), n) for n in (DOWN, column)]
    systems = [ph.System([joint], [ph.Weight(9.81)]) for joint in pair]
    table = {"alpha": angle}
    q = pair[0].neutral() + 0.1
    q = systems[0].normalised(q)
    z = np.linspace(0.2, 0.5, systems[0].speeds)
    T = [s.kinetic_energy(0.0, q, z, table) for s in systems]
    V = [s.potential_energy(0.0, q, table) for s in systems]
    assert_close(*T, rtol=1e-13)
    assert_close(*V, rtol=1e-13, atol=1e-14)
    B, S = pair[0].reaction(q, table), pair[0].twist(q, z, table)
    assert_close(B.T @ S, np.zeros(B.shape[1]), atol=1e-14)
    pose = pair[0].pose(q, table)
    residual = pair[0].residual(*pose, table)
    assert_close(residual, np.zeros(B.shape[1]), atol=1e-14)
    assert_close(pair[0].coordinates_from(*pose, table), q, atol=1e-14)


def test_a_direction_of_any_length_is_brought_to_one():
    """(1, 0, -grade) is the slope of arctan(grade)."""
    grade = ph.Parameter("grade", 0.2)
    slide = ph.Prismatic("slide", WORLD.origin, block().origin, axis=(1, 0, -grade))
    system = ph.System([slide], [ph.Weight(9.81)])
    for value in (0.2, 0.7, -1.5):
        z_dot = ph.gauss(system.with_({"grade": value})).accelerations(
            system.with_({"grade": value}).rest()
        )
        assert_close(z_dot[0], 9.81 * np.sin(np.arctan(value)), rtol=1e-13)


def test_a_normal_near_minus_z_is_smooth_in_its_parameters():
    """The triad turns by way of half a turn and stays orthonormal."""
    n = (ph.functions.sin(ALPHA), 0, -ph.functions.cos(ALPHA))
    table = ph.Slider("j", WORLD.origin, block().origin, normal=n)
    for angle in (0.0, 0.3, -0.4):
        triad = table.triad_at({"alpha": angle})
        assert_close(triad.T @ triad, np.eye(3), atol=1e-14)
        assert_close(np.linalg.det(triad), 1.0, rtol=1e-14)
        assert_close(triad[:, 2], [np.sin(angle), 0, -np.cos(angle)], atol=1e-15)


def test_sweeps_gradients_and_files_know_the_slope(tmp_path):
    """s = g sin(alpha) t^2/2, its derivative, and the same again from a file."""
    slide = ph.Prismatic("slide", WORLD.origin, block().origin, axis=DOWN)
    system = ph.System([slide], [ph.Weight(9.81)], name="slope")
    angles = np.array([0.1, 0.3, 1.2])
    fallen = ph.sweep(system, system.rest(), until=1.0, parameters={"alpha": angles})
    assert_close(fallen.final_q[:, 0], 9.81 * np.sin(angles) / 2, rtol=1e-9)
    motion = ph.simulate(system, system.rest(), until=1.0)
    found = ph.gradient(motion, lambda t, state: state["slide"], ["alpha"])
    assert_close(found["alpha"], 9.81 * np.cos(0.3) / 2, rtol=1e-9)
    same = again(tmp_path, system).system
    assert set(same.parameters) == set(system.parameters)
    own = same.with_({"alpha": 1.2})
    assert_close(ph.simulate(own, own.rest(), until=1.0).q[-1, 0], fallen.final_q[2, 0])


def rolled(radius, normal=ph.Z):
    """A ball rolls down a slope that the weight makes."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.5, radius=0.2))
    surface = ph.surfaces.sphere(ball.origin, radius)
    rows = ph.rolling(surface, WORLD.origin, normal=normal)
    weight = ph.Weight(9.81, up=(-ph.functions.sin(ALPHA), 0, ph.functions.cos(ALPHA)))
    free = ph.Free("ball", WORLD.origin, ball.origin)
    return ph.System([free], [weight], [*rows], name="rolled")


def test_rolling_radii_may_be_parameters(tmp_path):
    """Down a slope: a = g sin(alpha)/(1 + I/(m r^2)), also where r is not nominal."""
    system = rolled(ph.Parameter("r", 0.2))
    assert system.parameters["r"] == 0.2
    for one in (system, again(tmp_path, system).system):
        other = one.with_({"r": 0.1, "alpha": 0.5})
        state = other.state(ball={"z": 0.1})
        I, m = 0.4 * 1.5 * 0.2**2, 1.5
        expected = 9.81 * np.sin(0.5) / (1 + I / (m * 0.1**2))
        z_dot = ph.gauss(other).accelerations(state)
        assert_close(z_dot[other.speed_names.index("ball.vx")], expected, rtol=1e-12)


def test_the_normal_of_a_plane_may_be_a_parameter():
    """A ball rolls down a plane that is tilted itself, under an upright weight."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.5, radius=0.2))
    n = (ph.functions.sin(ALPHA), 0, ph.functions.cos(ALPHA))
    rows = ph.rolling(ph.surfaces.sphere(ball.origin, 0.2), WORLD.origin, normal=n)
    free = ph.Free("ball", WORLD.origin, ball.origin)
    system = ph.System([free], [ph.Weight(9.81)], [*rows]).with_({"alpha": 0.5})
    up = np.array([np.sin(0.5), 0, np.cos(0.5)])
    state = system.state(ball=dict(zip("xyz", 0.2 * up, strict=True)))
    z_dot = ph.gauss(system).accelerations(state)
    names = [system.speed_names.index(f"ball.v{k}") for k in "xyz"]
    along = z_dot[names] @ [np.cos(0.5), 0, -np.sin(0.5)]
    assert_close(along, 9.81 * np.sin(0.5) / 1.4, rtol=1e-12)


def test_springs_dampers_and_friction_turn_their_axes():
    """The same accelerations as with numbers in place of the parameters."""

    def system(n):
        body = block()
        free = ph.Free("block", WORLD.origin, body.origin)
        actions = [
            ph.machines.TorsionalSpring(body.frame, WORLD.frame, n, 2.0),
            ph.machines.RotationalDamper(body.frame, WORLD.frame, 0.3, n),
            ph.contact.Friction(
                body.origin, WORLD.frame, n, 5.0, ph.contact.Regularised(0.3, 0.1)
            ),
        ]
        return ph.System([free], actions)

    column = (np.cos(0.7), 0.0, -np.sin(0.7))
    rates = []
    for one in (system(DOWN).with_({"alpha": 0.7}), system(column)):
        turn = {"qw": 0.9, "qx": 0.1, "qy": np.sqrt(1 - 0.81 - 0.01), "qz": 0.0}
        start = one.state(block=turn, speeds={"block": (1, 2, 3, 0.1, 0.2, 0.3)})
        rates.append(ph.gauss(one).accelerations(start))
    assert_close(*rates, rtol=1e-12)


def test_what_cannot_vary_is_refused():
    """Zero directions, radii that are none, and curved bodies on curved ones."""
    zero = ph.Parameter("zero", 0.0)
    with pytest.raises(ModelError, match="is zero"):
        ph.Prismatic("slide", WORLD.origin, block().origin, axis=(zero, 0, 0))
    r = ph.Parameter("r", 0.2)
    with pytest.raises(ModelError, match=r"rolling body, '-r', is -0\.2 m"):
        ph.surfaces.sphere(block().origin, -r)
    egg = ph.surfaces.ellipsoid(block().origin, (r, 0.1, 0.1))
    other = ph.Body("other", ph.solids.sphere(mass=1, radius=1))
    hill = ph.surfaces.ellipsoid(other.origin, (1, 1, 2))
    with pytest.raises(ModelError, match="cannot touch a curved"):
        ph.rolling(egg, hill)


def test_functions_of_numbers_and_arrays_are_the_functions():
    """ph.functions.sin of a number is a number, of an array an array."""
    for word in ("sin", "cos", "tan", "sqrt", "exp", "log", "arctan", "tanh"):
        x = np.array([0.2, 0.7])
        law = getattr(ph.functions, word)
        assert_close(law(x), getattr(np, word)(x), rtol=0)
        assert_close(law(ph.Parameter("x", 0.7)).value, law(0.7), rtol=0)
