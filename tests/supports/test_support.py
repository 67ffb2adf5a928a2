"""Supports: their candidate points, gaps and material slips, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import FileError, ModelError
from polhode.system import contacts

R = 0.3
SHAPES = {
    "point": lambda b: ph.surfaces.point(b.point(0.1, -0.2, -0.3)),
    "sphere": lambda b: ph.surfaces.sphere(b.point(0.05, 0.0, 0.02), R),
    "box": lambda b: ph.surfaces.box(b.origin, (0.2, 0.3, 0.4)),
    "hull": lambda b: ph.surfaces.hull(b.origin, [(0.1, 0, -0.1), (0.0, 0.2, -0.3)]),
    "capsule": lambda b: ph.surfaces.capsule(b.origin, 0.1, 0.5, ph.X),
    "cylinder": lambda b: ph.surfaces.cylinder(b.origin, 0.1, 0.5),
    "disc": lambda b: ph.surfaces.disc(b.origin, 0.2, ph.X),
    "ellipsoid": lambda b: ph.surfaces.ellipsoid(b.origin, (0.1, 0.2, 0.3)),
}
POINTS = {"box": 8, "hull": 2, "capsule": 2, "cylinder": 6}
GROUNDS = {
    "plane": lambda w: w.origin,
    "sphere": lambda w: ph.surfaces.sphere(w.point(0, 0, -1.0), 0.7),
    "bowl": lambda w: ph.surfaces.bowl(w.origin, 3.0),
}
TURNED = (0.7, 0.3, -0.2, 0.5)  # about no axis of the body


def resting(surface: str, ground: str = "plane", **more) -> ph.System:
    body = ph.Body("body", ph.solids.box(mass=2.0, x=0.2, y=0.3, z=0.4))
    on = GROUNDS[ground](ph.World())
    support = ph.Support(SHAPES[surface](body), on, name="rest", **more)
    return ph.System([body], [ph.Weight(9.81)], supports=[support])


def somewhere(system: ph.System) -> ph.State:
    turn = np.array(TURNED) / np.linalg.norm(TURNED)
    names = dict(zip(("qw", "qx", "qy", "qz"), turn, strict=True))
    z = (0.3, -0.7, 0.4, 0.5, -0.2, 0.6)
    place = {**names, "x": 0.1, "y": 0.2, "z": 0.6}
    return system.state(body=place, speeds={"body": z})


ON = {
    "plane": [*SHAPES],
    "sphere": ["point", "sphere", "box", "capsule", "ellipsoid"],
    "bowl": ["point", "sphere", "box", "capsule"],
}


def with_all(ground: str) -> ph.System:
    """One body whose every surface may touch, so that one program tests them all."""
    body = ph.Body("body", ph.solids.box(mass=2.0, x=0.2, y=0.3, z=0.4))
    on = GROUNDS[ground](ph.World())
    supports = [ph.Support(SHAPES[s](body), on, name=s) for s in ON[ground]]
    return ph.System([body], [ph.Weight(9.81)], supports=supports)


@pytest.mark.parametrize("ground", ON)
def test_velocities_and_biases_are_derivatives(ground):
    """u is the rate of the gap, J its slope by speeds, u' = J z' + bias."""
    system = with_all(ground)
    state = somewhere(system)
    rows = contacts.contact_rows(system, 0.0, state.q, state.z)
    assert len(rows.gap) == sum(POINTS.get(s, 1) for s in ON[ground])
    push = np.array([0.2, 0.1, -0.4, 0.3, 0.5, -0.1])

    def along(s: float) -> tuple[np.ndarray, np.ndarray]:
        z = state.z + push * s
        # The midpoint's speeds: right to third order.
        q = system.local(state.q, s * (state.z + push * s / 2))
        return contacts.gaps(system, s, q), contacts.velocities(system, s, q, z)

    h = 1e-4
    (g0, u0), (g1, u1) = along(-h), along(h)
    # Points of a rim beside its lowest touch only where it is flat.
    nearest = [not name.endswith(("2", "3", "5", "6")) or "rim" not in name
               for name in contacts.names(system)]  # fmt: skip
    rates = (g1 - g0) / (2 * h)
    assert_close(rows.velocity[nearest, 0], rates[nearest], rtol=1e-6, atol=1e-6)
    expected = rows.jacobian @ push + rows.bias
    assert_close(expected, (u1 - u0) / (2 * h), rtol=1e-5, atol=1e-5)


@pytest.mark.row("K-23")
def test_slip_is_of_material_points():
    """A ball that rolls does not slip, though its contact point moves with it."""
    system = resting("sphere")
    rolling = system.state(body={"x": -0.05, "z": R - 0.02},
                           speeds={"body": (0, 2.0, 0, 2.0 * R, 0, 0)})  # fmt: skip
    # Its centre is off the body's origin by (0.05, 0, 0.02): turning lifts it.
    v = np.array([2.0 * R, 0, 0]) - np.cross([0, 2.0, 0], [0.05, 0, 0.02])
    rolling = rolling.changed(speeds={"body": (0, 2.0, 0, *v)})
    rows = contacts.contact_rows(system, 0.0, rolling.q, rolling.z)
    assert_close(rows.velocity, np.zeros((1, 3)), atol=1e-15)
    assert_close(rows.point[0], [0, 0, 0], atol=1e-15)


def test_the_rows_are_the_directions_of_forces():
    """A force axes @ r at P has the power r . u, whatever the speeds."""
    system = resting("box")
    state = somewhere(system)
    rows = contacts.contact_rows(system, 0.0, state.q, state.z)
    twists = system.twists(0.0, state.q, state.z)
    origin = system.poses(0.0, state.q).origins[0]
    for k in range(8):
        v = twists.linear[0] + np.cross(twists.angular[0], rows.point[k] - origin)
        assert_close(rows.axes[k].T @ v, rows.velocity[k], atol=1e-12)
        assert_close(rows.axes[k].T @ rows.axes[k], np.eye(3), atol=1e-12)


def test_a_belt_runs_under_what_rests():
    """Slip is seen from the belt's own matter, constant or a function of time."""
    system = resting("point", belt=(2.0, 0, 0))
    later = resting("point", belt=lambda t: np.array([1.0, 0, 0]) * 3 * t)
    state = system.state(body={"z": 1.0})
    slip = contacts.velocities(system, 0.0, state.q, state.z)[0, 1:]
    rows = contacts.contact_rows(later, 1.0, state.q, state.z)
    axes = rows.axes[0][:, 1:]
    assert_close(axes @ slip, [-2.0, 0, 0], atol=1e-15)
    assert_close(axes @ rows.velocity[0, 1:], [-3.0, 0, 0], atol=1e-15)
    assert_close(axes @ rows.bias[0, 1:], [-3.0, 0, 0], atol=1e-15)


def test_entries_of_a_belt_are_numbers_parameters_and_functions_of_time():
    """A named speed may be changed, and a formula is of t."""
    wave = ph.Formula("0.5 * t")
    system = resting("point", belt=(ph.Parameter("v", 2.0), 1.0, wave))
    assert system.parameters["v"] == 2.0
    assert system.parameters["rest.belt.y"] == 1.0
    q, z = system.state(body={"z": 1.0}).q, np.zeros(6)
    for speed in (2.0, 3.0):
        rows = contacts.contact_rows(system, 4.0, q, z, {"v": speed})
        assert_close(rows.axes[0] @ rows.velocity[0], [-speed, -1, -2], atol=1e-15)


def test_numbers_of_supports_are_parameters():
    """Friction and restitution have the support's name, and may be changed."""
    system = resting(
        "box", friction=ph.Coulomb(0.4, 0.5), restitution=ph.contact.Newton(0.3)
    )
    assert system.parameters["rest.dynamic"] == 0.4
    changed = system.with_({"rest.static": 0.7, "rest.restitution": 0.1})
    rows = contacts.contact_rows(changed, 0.0, changed.rest().q, np.zeros(6))
    assert_close([rows.static[0], rows.restitution[0]], [0.7, 0.1])
    assert changed.without_supports.parameters == system.without_supports.parameters


WORLD = ph.World()
BODY = ph.Body("b", ph.solids.sphere(mass=1.0, radius=0.1))
BALL = ph.surfaces.sphere(BODY.origin, 0.1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ph.contact.Stronge(1.2), "restitution of Stronge is 1.2"),
        (lambda: ph.contact.Newton(-0.1), "restitution of Newton is -0.1"),
        (lambda: ph.contact.Poisson(np.nan), "not finite"),
        (lambda: ph.Coulomb(dynamic=0.5, static=0.4), "static friction 0.4 below"),
        (lambda: ph.Support(BALL, BODY.origin), "to itself"),
        (lambda: ph.Support(BALL, "floor"), "nothing to rest on"),
        (lambda: ph.Support(BODY, WORLD.origin), "no surface that touches"),
        (lambda: ph.Support(BALL, WORLD.origin, friction=0.4), "cannot have the frict"),
        (lambda: ph.Support(BALL, WORLD.origin, name=""), "cannot be called"),
        (lambda: ph.Support(BALL, WORLD.origin, belt=2.0), "belt of 'support' cannot"),
        (lambda: ph.Support(BALL, WORLD.origin, belt=(np.nan, 0, 0)), "not finite"),
        (lambda: ph.surfaces.box(BODY.origin, 0.1), "cannot have the sides"),
        (lambda: ph.surfaces.hull(BODY.origin, [1, 2, 3]), "corners of shape"),
        (lambda: ph.surfaces.capsule(BODY.origin, -1, 1), "is -1 m"),
        (lambda: ph.System([BODY], supports=[BALL]), "as a support"),
        (
            lambda: ph.System([BODY], supports=[ph.Support(BALL, WORLD.origin)] * 2),
            "support",
        ),
        (
            lambda: ph.System(
                [BODY], supports=[ph.Support(BALL, WORLD.origin, name="b")]
            ),
            "as a body or a joint",
        ),
    ],
)
def test_what_is_no_support_is_refused(make, said):
    """Restitution outside 0..1, static below dynamic, a body on itself, and kin."""
    with pytest.raises(ModelError, match=said):
        make()


@pytest.mark.parametrize(
    "door",
    [ph.kane, ph.lagrange, ph.recursive, ph.newton_euler, ph.hamilton],
)
def test_forms_refuse_a_system_with_supports(door):
    """A form that would let bodies fall through the floor says so."""
    with pytest.raises(ModelError, match="which has supports: 'rest'"):
        door(resting("box"))


def test_a_model_file_does_not_lose_a_belt_of_python(tmp_path):
    """What a file cannot say is refused before anything is written."""
    system = resting("box", belt=lambda t: np.array([t, 0, 0]))
    with pytest.raises(FileError, match=r"rest\.belt: its velocity is a function"):
        ph.save_model(system, tmp_path / "m.toml")
    assert not [*tmp_path.iterdir()]


def test_a_system_tells_its_supports():
    """What it is made of is in its name."""
    said = repr(resting("sphere"))
    assert said == "System('system': 1 body, 1 joint, 1 support, 6 degrees of freedom)"
