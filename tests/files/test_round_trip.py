"""What is written into a file is read again as the same system."""

from __future__ import annotations

import json
import tomllib

import numpy as np
import pytest

import polhode as ph
from polhode.errors import FileError, ModelError
from polhode.files.model import model_text
from polhode.files.schema import model_schema
from polhode.files.writing import write_system
from polhode.models import GALLERY
from polhode.system import contacts, rows
from schema_check import fits
from source_tree import ROOT
from written_again import again, assert_same

# Models of the gallery with laws of Python, and the words that say which.
OF_PYTHON = {
    "chaplygin_sleigh": "'blade': VelocityRows is a law of Python",
    "four_bars": "pin 0.law: its law is a function of Python",
}
WRITABLE = [name for name in GALLERY if name not in OF_PYTHON]


@pytest.mark.parametrize("name", WRITABLE)
def test_a_model_of_the_gallery_comes_back(name, tmp_path):
    """Parameters, coordinates, rows, inertia, forces and start are the same."""
    state = ph.models.start(name)
    model = again(tmp_path, state.system, start=state)
    assert_same(state.system, model.system, state)
    np.testing.assert_allclose(model.start.q, state.q, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(model.start.z, state.z)


def test_most_of_the_gallery_can_be_written():
    """Only models with a function of Python in them cannot."""
    refused = [name for name in OF_PYTHON if not write_system(GALLERY[name]())[1]]
    assert not refused
    assert len(WRITABLE) >= 50


@pytest.mark.parametrize("name", OF_PYTHON)
def test_laws_of_python_are_named_and_not_written(name, tmp_path):
    """A system with a function in it is refused in words, and no file is left."""
    path = tmp_path / "model.toml"
    with pytest.raises(FileError, match="cannot be written as a file") as refused:
        ph.save_model(GALLERY[name](), path)
    assert OF_PYTHON[name] in refused.value.why
    assert not path.exists()


@pytest.mark.parametrize("name", WRITABLE)
def test_what_is_written_fits_the_schema(name):
    """The published schema allows every file that the library writes."""
    state = ph.models.start(name)
    text = model_text(state.system, start=state, run={"until": 3.0})
    assert fits(tomllib.loads(text), model_schema())


def test_the_schema_is_published_and_refuses():
    """The file in docs is the schema; unknown fields and kinds do not fit it."""
    published = json.loads((ROOT / "docs/model-schema.json").read_text())
    assert published == model_schema()
    document, _ = write_system(ph.models.pendulum())
    assert fits(document, published)
    for section, name, key, value in (
        ("joints", "hinge", "kind", "revolut"),
        ("bodies", "rod", "lenght", 1.0),
        ("actions", "weight", "gravity", [9.81]),
    ):
        wrong = json.loads(json.dumps(document))
        wrong[section][name][key] = value
        assert not fits(wrong, published)


def bodies():
    """Matter of all sorts: pierced, joined, turned, a cloud, by corners, a point."""
    solids = ph.solids
    plate = solids.pierced(
        solids.box(density=1000.0, x=0.4, y=0.4, z=0.02),
        hole=solids.cylinder(density=1000.0, radius=0.1, length=0.02),
    )
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    head = solids.placed(solids.cone(mass=0.3, radius=0.1, height=0.2), (0, 0, 1), turn)
    cloud = ph.Cloud([1, 2, 3], [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    return (
        ph.Body("one", plate),
        ph.Body("two", solids.joined(shaft=solids.rod(mass=1, length=2), head=head)),
        ph.Body("three", cloud),
        ph.Body("four", solids.tetrahedron(mass=2.0, corners=CORNERS)),
        ph.Particle("bob", ph.Parameter("m", 0.2)),
    )


def everything():
    """One of each action and of most constraints that files know."""
    world, (one, two, three, four, bob) = ph.World(), bodies()
    tip = two.point(0, 0, ph.Parameter("l", 1.0) / 2, name="tip")
    lift = ph.Screw("lift", world.point(0, 0, 1), one.origin, axis=ph.Z, pitch=0.01)
    cross = ph.Universal("cross", one.origin, tip, axis=ph.X, second_axis=ph.Y)
    motor = {"rotor_inertia": 1e-3, "gear_ratio": 50.0, "effort_limits": (-5, 5)}
    ends = two.mass_centre, three.origin
    slide = ph.Prismatic("slide", *ends, axis=(1, 2, 2), limits=(-1, 2), **motor)
    wave = ph.Formula("0.1 * sin(2 * t) - 0.5 * z", ("t", "q", "z"))
    rub, load = (
        ph.contact.Regularised(0.3, 0.01),
        ph.theory.Vector([1, 2, 3], world.frame),
    )
    actions = [
        ph.Weight(9.81, up=(0.0, 3.0, 4.0)),
        ph.Spring(tip, world.origin, 10.0, 0.3, name="spring"),
        ph.Damper(four.origin, world.point(1, 1, 1, "wall"), 0.4, name="damper"),
        ph.JointSpring(slide, 20.0, 0.1, name="slide spring"),
        ph.JointDamper(lift, 0.1),
        ph.Motor(slide, wave, name="motor"),
        ph.machines.RotationalSpring(three.frame, one.frame, 2.0, name="twist"),
        ph.machines.TorsionalSpring(
            one.frame, world.frame, ph.Z, 3.0, 0.2, name="torsion"
        ),
        ph.machines.RotationalDamper(one.frame, world.frame, 0.1, ph.Z, name="brake"),
        ph.Drag(bob.mass_centre, world.frame, 0.1, 0.02, name="drag"),
        ph.contact.Friction(tip, world.frame, ph.Z, 5.0, rub, name="rub"),
        ph.AppliedForce(tip, load, world.frame, name="push"),
        ph.AppliedCouple(
            two.frame, ph.theory.Vector([0, 0, 1], two.frame), name="turn"
        ),
        ph.Gravitation([ph.PointMass.of(one), ph.PointMass.of(bob)], 1e-3),
    ]
    string = ph.Distance(bob.mass_centre, three.point(0.1, 0, 0), 0.7, name="string")
    gear = ph.Gear(slide, lift, 0.5, name="gear")
    shackle = ph.Spherical("shackle", four.origin, two.point(0, 0, 0.2))
    members, held = [four, lift, cross, slide, bob], [string, gear, shackle]
    return ph.System(members, actions, held, name="everything")


def in_orbit():
    """A craft of two bodies under every action of space, told in every way."""
    world, space = ph.World(), ph.space
    hub = ph.Body("hub", ph.solids.box(mass=80.0, x=0.5, y=0.6, z=1.5))
    mast = ph.Body("mast", ph.solids.cylinder(mass=5.0, radius=0.1, length=2.0))
    ball = ph.Spherical("ball", hub.point(0, 0, 0.75), mast.point(0, 0, -1.0))
    centre, behind = world.origin, hub.point(0, 0, -0.1)
    both, table = (hub, mast), [[0, 0], [-2.9e-5, 1.4e-6]]
    rows = [[-1e6, 1e11, 0, 0], [1e6, 1e11, 3e10, 0]]
    ephemeris = space.TableEphemeris([r[0] for r in rows], [r[1:] for r in rows])
    moon = space.KeplerianEphemeris(mu=4.04e14, semi_major_axis=3.8e8, inclination=0.4)
    own = ph.Formula("1e-11 * exp(-height / 6e4) * (1 + 0.1 * sin(t))", ("height", "t"))
    fields = space.DipoleField(tilt=0.1), space.HarmonicField(table, table, name="B")
    thin = space.ExponentialAtmosphere(3e-12, 4e5, ph.Parameter("H", 6e4))
    table_air = space.TableAtmosphere([3e5, 5e5], [2e-11, 7e-13])
    actions = [
        space.ZonalGravity(both, centre, mu=ph.Parameter("mu", 4e14)),
        space.HarmonicGravity(
            mast, centre, np.tril(np.ones((3, 3))), np.zeros((3, 3)), name="lumps"
        ),
        space.GravityGradient(both, centre),
        space.ThirdBody(both, centre, 4.9e12, moon, name="moon"),
        space.ThirdBody(hub, centre, 4e12, space.MoonEphemeris(9000.5), name="Luna"),
        space.ThirdBody(hub, centre, 1.3e20, (1.5e11, 0, 0), name="sun"),
        space.SolarPressure(behind, centre, ephemeris, 1.3, 0.9),
        *(
            space.AtmosphericDrag(behind, centre, 2.2, 0.9, air, name=f"drag {k}")
            for k, air in enumerate((thin, table_air, own, space.EARTH_AIR))
        ),
        space.MagneticTorque(behind, centre, fields[0], (1.0, 0, 2.0), limit=9.0),
        space.MagneticTorque(behind, centre, fields[1], (0, 1, 0), name="rods"),
        space.RandomLoad(behind, force=1e-3, torque=1e-4, time=30.0, seed=7),
        space.Thruster(behind, ph.X, 2.0, 0.5, period=0.5, minimum_on=0.02),
        space.WheelMotor(ball, 0.3, torque_limit=0.2, speed_limit=9.0, dry=1e-3),
    ]
    free = ph.Free("orbit", world.origin, hub.origin)
    return ph.System([free, ball], actions, name="in orbit")


def test_actions_of_space_come_back(tmp_path):
    """Gravity, air, sunlight, magnetism and thrusters, and what they are told."""
    system = in_orbit()
    place = {"qw": 0.8, "qx": 0.6, "x": 5e6, "y": 4e6, "z": 2.5e6}
    speeds = {"orbit": (0.1, -0.2, 0.3, -5e3, 5e3, 1e3)}
    state = system.state({"orbit": place}, speeds=speeds, t=100.1)
    document, lost = write_system(system)
    assert not lost
    assert fits(document, model_schema())
    assert_same(system, again(tmp_path, system).system, state)


def test_contacts_of_all_sorts_come_back(tmp_path):
    """A ball in a bowl and on a ball, a wheel that slips, one that may leave."""
    world = ph.World()
    ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.1))
    wheel = ph.Body("wheel", ph.solids.cylinder(mass=1.0, radius=0.2, length=0.1))
    round_ball = ph.surfaces.sphere(ball.origin, 0.1)
    rim = ph.surfaces.disc(wheel.origin, 0.2, axis=ph.Z)
    places = np.array([[0.0, 0.1, -0.8], [0.4, 0.2, 0.15]])
    pose = np.array([[1.0, 0, 0, 0, *places[0]], [0.7, 0.1, 0.7, 0, *places[1]]])
    for on in (
        ph.surfaces.bowl(world.origin, 1.0),
        ph.surfaces.sphere(world.point(0, 0, -1.7), 0.9),
    ):
        hold = ph.rolling(round_ball, on, name="roll")
        slip, stick = ph.rolling(rim, world.origin, normal=(0, 0.6, 0.8), name="rim")
        rows_of = [*hold, slip] if on.shape == "bowl" else [*hold, stick]
        system = ph.System([ball, wheel], constraints=rows_of, name="rolling")
        model = again(tmp_path, system)
        q = system.normalised(pose.ravel())
        assert model.system.row_names == system.row_names
        one, other = (rows.positions(s, 0.0, q, {}) for s in (system, model.system))
        np.testing.assert_allclose(one, other, rtol=1e-14)


def supported():
    """A body that may touch in every way that files know."""
    world = ph.World()
    egg = ph.Body("egg", ph.solids.ellipsoid(mass=1.0, x=0.2, y=0.3, z=0.4))
    low, make = world.point(0, 0, -0.5), ph.surfaces
    skins = {
        "tip": make.point(egg.point(0, 0, -0.2)),
        "ball": make.sphere(egg.origin, 0.2),
        "shell": make.ellipsoid(egg.origin, (0.1, 0.15, 0.2)),
        "wheel": make.disc(egg.origin, 0.2, axis=ph.X),
        "crate": make.box(egg.origin, (0.1, 0.2, 0.3)),
        "feet": make.hull(egg.origin, [(0.1, 0, -0.2), (0, 0.1, -0.2)]),
        "pill": make.capsule(egg.origin, 0.1, 0.3, ph.Y),
        "drum": make.cylinder(egg.origin, 0.1, 0.3, (0, 0.6, 0.8)),
    }
    e = ph.Parameter("e", 0.7)
    laws = [
        0.0,
        0.3,
        ph.contact.Stronge(0.2),
        ph.contact.Poisson(0.4),
        ph.contact.Newton(0.5),
        e,
    ]
    wave = ph.Formula("0.1 * sin(3 * t)")
    plain = [
        ph.Support(
            skin,
            low,
            normal=(0, 0.6, 0.8) if k % 2 else ph.Z,
            friction=ph.Coulomb(ph.Parameter("mu", 0.3), 0.4) if k % 3 else None,
            restitution=laws[k % len(laws)],
            belt=(2.0, 0, wave) if k == 4 else None,
            name=name,
        )
        for k, (name, skin) in enumerate(skins.items())
    ]
    hill, bowl = make.sphere(world.point(0, 0, -2), 1.0), make.bowl(world.origin, 3.0)
    curved = [
        ph.Support(skins["crate"], hill, name="crate on a hill"),
        ph.Support(skins["ball"], bowl, friction=ph.Coulomb(0.2), name="in a bowl"),
    ]
    arm = ph.Body("arm", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("hinge", world.origin, arm.point(0, 0, 0.5), axis=ph.Y)
    dry = ph.Coulomb(0.2, 0.3)
    rubbing = [
        ph.JointFriction(hinge, dry, radius=0.02, span=0.1),
        ph.Brake(hinge, dry, load=2.0),
        ph.contact.RollingFriction(plain[0], 0.01, 0.02),
        ph.contact.SpinningFriction(plain[0], ph.Parameter("arm", 0.03)),
    ]
    own = [*plain, *curved, *rubbing]
    return ph.System([egg, hinge], [ph.Weight(9.81)], supports=own, name="egg")


def test_supports_of_all_sorts_come_back(tmp_path):
    """Surfaces, laws, belts: gaps, velocities, rows and coefficients are the same."""
    system = supported()
    found = again(tmp_path, system).system
    assert found.parameters == system.parameters
    rng = np.random.default_rng(4)
    q = system.normalised(system.neutral() + 0.1 * rng.normal(size=8))
    z = rng.normal(size=7)
    assert contacts.names(found) == contacts.names(system)
    np.testing.assert_array_equal(contacts.laws(found), contacts.laws(system))
    one, other = (contacts.contact_rows(s, 0.4, q, z) for s in (system, found))
    for given, read in zip(one, other, strict=True):
        np.testing.assert_allclose(given, read, rtol=1e-14, atol=1e-15)
    document, lost = write_system(system)
    assert not lost
    assert fits(document, model_schema())


@pytest.mark.parametrize(
    "normal", [(0.6, 0, 0.8), (0, 0, 1), np.array([0.0, -0.6, 0.8])]
)
def test_a_plane_given_by_three_numbers_comes_back(tmp_path, normal):
    """Tilted, or level, which need not be written."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.1))
    skin = ph.surfaces.sphere(ball.origin, 0.1)
    plane = ph.Support(skin, ph.World().origin, normal=normal, name="plane")
    system = ph.System([ball], supports=[plane], name="ball")
    (found,) = again(tmp_path, system).system.supports
    np.testing.assert_array_equal(np.asarray(found.normal, float), normal)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('shape = "box"', 'shape = "bix"', "Did you mean 'box'?"),
        ("restitution = 0.3", "restitution = 1.3", "the restitution of Stronge is 1.3"),
        ('kind = "poisson"', 'kind = "fish"', "no law of restitution"),
        ("static = 0.4", "static = 0.1", "static friction 0.1 below dynamic 0.3"),
        ("belt = [2.0, 0.0,", "belt = [2.0,", "is no list of 3 entries"),
        ('kind = "contact"', 'kind = "contract"', "Did you mean 'contact'?"),
    ],
)
def test_what_is_wrong_with_a_support_is_told_by_its_line(tmp_path, old, new, said):
    """The sentence of the door, with the place in the file."""
    text = model_text(supported())
    assert old in text
    (tmp_path / "wrong.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(ph.PolhodeError) as refused:
        ph.load_model(tmp_path / "wrong.toml")
    assert said in str(refused.value)
    assert "line" in str(refused.value)


def dented():
    """A body on the floor by every law of compliant contact."""
    world = ph.World()
    egg = ph.Body("egg", ph.solids.ellipsoid(mass=1.0, x=0.2, y=0.3, z=0.4))
    rub, low = ph.contact.Regularised(0.3, 0.01), world.point(0, 0, 0.1)
    laws = [
        ph.contact.Hertz(1e3),
        ph.contact.HuntCrossley(2e3, restitution=0.5, at_speed=1.0),
        ph.contact.HuntCrossley(2e3, 1.2, 0.3, name="given"),
        ph.contact.Flores(ph.Parameter("k", 3e3), restitution=0.5, at_speed=1.0),
        ph.contact.LankaraniNikravesh(4e3, 2.0, restitution=0.9, at_speed=1.0),
        ph.contact.KelvinVoigt(5e3, 3.0),
    ]
    skins = [
        egg.point(0, 0, -0.2),
        ph.surfaces.ellipsoid(egg.origin, (0.1, 0.15, 0.2)),
        ph.surfaces.sphere(egg.origin, 0.2),
    ]
    contacts = [
        ph.CompliantContact(skins[k % 3], low, law, friction=rub, name=f"contact {k}")
        for k, law in enumerate(laws)
    ]
    hill = ph.surfaces.sphere(world.point(0, 0, -1.0), 0.95)
    contacts.append(
        ph.CompliantContact(skins[2], hill, laws[0], normal=ph.Z, name="on a hill")
    )
    return ph.System([egg], contacts, name="dented")


def test_compliant_contacts_come_back(tmp_path):
    """Laws, friction, surfaces: the forces are the same numbers."""
    system = dented()
    found = again(tmp_path, system).system
    assert found.parameters == pytest.approx(system.parameters, rel=1e-15)
    rng = np.random.default_rng(3)
    q = system.normalised(system.neutral() + 0.05 * rng.normal(size=7))
    z = rng.normal(size=6)
    one, other = (s.wrenches(0.0, q, z) for s in (system, found))
    assert one.keys() == other.keys()
    for name, given in one.items():
        assert np.any(given.forces), name
        np.testing.assert_allclose(given.forces, other[name].forces, rtol=1e-13)
    document, lost = write_system(system)
    assert not lost
    assert fits(document, model_schema())


def rubbing():
    """A rod on a hinge that rubs, a bead on a string, a ball that slides on a table."""
    world = ph.World()
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    ball = ph.Body("ball", ph.solids.sphere(mass=0.5, radius=0.1))
    bead = ph.Particle("bead", 0.1)
    hinge = ph.Revolute("hinge", world.origin, rod.point(0, 0, 0.4), axis=ph.Y)
    touch, _ = ph.rolling(ph.surfaces.sphere(ball.origin, 0.1), world.origin)
    string = ph.Distance(bead.mass_centre, world.point(0, 1, 1), 0.7, name="string")
    smooth = ph.contact.Regularised(ph.Parameter("mu", 0.2), 0.01)
    acting = [
        ph.Weight(9.81),
        ph.JointFriction(hinge, smooth, radius=0.02, span=0.1),
        ph.contact.ConstraintFriction(touch, ph.Coulomb(0.3)),
        ph.contact.ConstraintFriction(
            string, smooth, point=bead.mass_centre, by=world.frame, name="wind up"
        ),
    ]
    return ph.System([hinge, ball, bead], acting, [touch, string], name="rubbing")


def test_friction_in_joints_and_constraints_comes_back(tmp_path):
    """Who rubs under whose reaction, and how hard under a push of 3 N."""
    system = rubbing()
    found = again(tmp_path, system).system
    q, z = system.neutral(), np.linspace(-1.0, 2.0, system.speeds)
    for one, other in zip(system.actions[1:], found.actions[1:], strict=True):
        assert one.name == other.name
        assert one.load(np.arange(6.0)) == other.load(np.arange(6.0))
        assert _rubs(system, one, q, z) == _rubs(found, other, q, z)
    hinge, ball, wound = system.actions[1:]
    assert np.any(_rubs(system, ball, q, z) != _rubs(system, wound, q, z))
    assert hinge.load(np.arange(6.0)) > np.linalg.norm([3, 4, 5])  # the span presses
    assert [c.name for c in found.constraints] == ["rolling contact", "string"]
    document, lost = write_system(system)
    assert not lost
    assert fits(document, model_schema())


def _rubs(system, action, q, z):
    """What friction exerts under a push of 3 N, as numbers."""
    table = {action.load_name: 3.0}
    if isinstance(action, ph.JointFriction):
        return np.asarray(action.effort(q[:1], z[:1], 0.0, table)).tolist()
    places = list(system.places_of(action.bodies))
    poses, twists = system.poses(0.0, q), system.twists(0.0, q, z)
    still = [np.concatenate([x, np.zeros_like(x[:1])]) for x in (*poses, *twists)]
    still[0][-1] = np.eye(3)  # the world comes last
    R, p, w, v = (x[places] for x in still)
    found = action.wrenches(type(poses)(R, p), type(twists)(w, v), 0.0, table)
    return np.concatenate([*found]).tolist()


@pytest.mark.long
def test_a_model_that_rubs_moves_as_its_file_does(tmp_path):
    """Under the reaction that it changes: the accelerations are the same."""
    system = rubbing()
    rng = np.random.default_rng(5)
    q = system.normalised(system.neutral() + 0.1 * rng.normal(size=system.coordinates))
    start = ph.State(system, 0.0, q, rng.normal(size=system.speeds))
    state = system.consistent(start)
    model = again(tmp_path, system)
    moved = ph.State(model.system, 0.0, state.q, state.z)
    one, other = (ph.gauss(s.system).accelerations(s) for s in (state, moved))
    np.testing.assert_allclose(one, other, rtol=1e-12)
    free = ph.System(system.members, [ph.Weight(9.81)], system.given.constraints)
    bare = ph.gauss(free).accelerations(ph.State(free, 0.0, state.q, state.z))
    assert np.abs(one - bare).max() > 1e-3


def test_a_path_in_the_place_of_the_system_is_told(tmp_path):
    """The order of the arguments is in the words."""
    with pytest.raises(ModelError, match="is no system") as refused:
        ph.save_model("crane.toml", rubbing())
    assert "ph.save_model(system, 'crane.toml')" in str(refused.value)


def test_friction_of_an_unknown_constraint_is_refused(tmp_path):
    """The nearest name is offered, with the line."""
    text = model_text(rubbing())
    wrong = text.replace('constraint = "string"', 'constraint = "strng"')
    (tmp_path / "wrong.toml").write_text(wrong)
    with pytest.raises(ph.PolhodeError, match="no constraint 'strng'") as refused:
        ph.load_model(tmp_path / "wrong.toml")
    assert "Did you mean 'string'?" in str(refused.value)


CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_every_kind_of_thing_comes_back(tmp_path):
    """Each joint's, action's, constraint's and solid's numbers survive the file."""
    system = everything()
    rng = np.random.default_rng(3)
    q = system.normalised(system.neutral() + 0.2 * rng.normal(size=system.coordinates))
    state = ph.State(system, 0.3, q, rng.normal(size=system.speeds))
    model = again(tmp_path, system)
    assert_same(system, model.system, state)
    misses = [rows.positions(each, 0.3, q, {}) for each in (system, model.system)]
    np.testing.assert_array_equal(*misses)
    document, lost = write_system(system)
    assert not lost
    assert fits(document, model_schema())


def test_a_changed_value_is_kept_and_moves_the_points_that_follow_from_it(tmp_path):
    """`with_` comes back, and expressions of parameters stay expressions."""
    system = ph.models.pendulum().with_({"l": 1.7})
    model = again(tmp_path, system)
    assert model.system.parameters["l"] == 1.7
    longer = model.system.with_({"l": 2.0})
    expected = 1.2 * 2.0**2 / 3
    assert float(longer.mass_matrix(0.0, [0.3])[0, 0]) == pytest.approx(expected)


def test_prescribed_motions_and_runs_come_back(tmp_path):
    """A law by its formula, the method by its settings, the start by its numbers."""
    cart = ph.Particle("cart", 1.0)
    rail = ph.Prismatic("rail", ph.World().origin, cart.mass_centre, axis=ph.X)
    law = ph.Formula("0.3 * sin(2 * t)")
    driver = ph.PrescribedMotion(rail, law, name="driver")
    system = ph.System([rail], constraints=[driver], name="driven")
    run = {"until": 2.0, "method": ph.methods.RungeKutta4(step=0.01)}
    state = system.state(speeds={"rail": 0.6})
    model = again(tmp_path, system, start=state, run=run)
    assert model.run["until"] == 2.0
    assert model.run["method"] == run["method"]
    assert model.system.given.constraints[0].law == law
    assert model.start.speed("rail") == 0.6


def test_nothing_is_written_where_nothing_can_be(tmp_path):
    """A path in no folder is refused by name."""
    with pytest.raises(FileError, match="cannot be written"):
        ph.save_model(ph.models.pendulum(), tmp_path / "no" / "model.toml")
