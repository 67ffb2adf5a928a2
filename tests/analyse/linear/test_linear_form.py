"""A and B of spatial forms and relative equations are slopes of the flow."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm

import polhode as ph
from closeness import assert_close
from polhode.double import doubled
from polhode.geometry.rotations import so3

FORMS = {
    f"form {k}": {"about": about, "rates": rates}
    for k, about, rates in (
        (1, "mass centre", "inertial"),
        (2, "mass centre", "body"),
        (3, "origin", "inertial"),
        (4, "origin", "body"),
    )
}
MU, RADIUS = 3.0, 1.3
RATE = np.sqrt(MU / RADIUS**3)
LAG = 0.3  # how far the second craft is behind on the same orbit, rad
SPAN = 0.4


@cache
def systems(names):
    """Craft in orbit, c a particle: absolute, and the others seen from the first."""
    craft = [
        ph.Particle(name, m)
        if name == "c"
        else ph.Body.from_inertia(
            name, mass=m, inertia=np.diag([0.2, 0.25, 0.3]), centre=(0, 0, z)
        )
        for name, m, z in (("a", 1.1, 0.05), ("b", 0.7, -0.04), ("c", 0.3, 0))
        if name in names
    ]
    earth = ph.PointMass(ph.World().origin, 1.0, "earth")
    pulls = [
        ph.Gravitation([earth, ph.PointMass.of(body)], MU, name=f"on {body.name}")
        for body in craft
    ]
    far = ph.System(craft, pulls, name="absolute")
    return far, ph.formations.formation_tree(craft, "a", actions=pulls)


@cache
def equations(name, names):
    far, near = systems(names)
    if name == "relative":
        return ph.formations.relative_equations(near)
    return ph.spatial_form(far, **FORMS[name])


def orbiting(names, spins=((0, 0, RATE), (0, 0, RATE))):
    """On one circle, the second behind; each turns with the orbit, or tumbles."""
    far, near = systems(names)
    q, z = [], []
    for body, angle, spin in zip(far.bodies, (0.0, -LAG), spins, strict=False):
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        centre, v = body.moments().centre, np.array([0, RADIUS * RATE, 0])
        if body.name == "c":
            q, z = [*q, *(R @ (RADIUS, 0, 0))], [*z, *(R @ v)]
            continue
        quaternion = (np.cos(angle / 2), 0, 0, np.sin(angle / 2))
        q += [*quaternion, *(R @ ((RADIUS, 0, 0) - centre))]
        z += [*spin, *(v - np.cross(spin, centre))]
    state = ph.State(far, 0.0, np.array(q), np.array(z, float))
    return {far: state, near: ph.formations.in_tree(state, near)}


TUMBLING = ((0.4, -0.3, 0.8), (-0.2, 0.9, 0.3))


@cache
def speeds_of(form):
    """(q, y) -> z"""
    return doubled(lambda q, y: form.functions.speeds(0.0, q, y, {}))


def moved(form, state, x, size):
    """The state at an error `size` x from one, and where it goes."""
    system, n = form.system, form.system.speeds
    q = system.local(state.q, size * x[:n])
    y = form.velocities(state) + size * x[n:]
    return ph.State(system, 0.0, q, speeds_of(form)(q, y))


def error(form, state, other):
    """[d; e] of a state from another, on SE(3) body by body."""
    found = []
    for edge in form.system.tree.edges:
        p, q = state.q[edge.q], other.q[edge.q]
        (R, here), (S, there) = edge.joint.pose(p), edge.joint.pose(q)
        phi = so3.log(R.T @ S)
        way = np.linalg.solve(so3.left_jacobian(phi), R.T @ (there - here))
        found.append(np.concatenate([phi, way])[-edge.joint.speeds :])
    return np.concatenate([*found, form.velocities(other) - form.velocities(state)])


def flow_slope(form, state, end, x, size=1e-3):
    """Where an error x goes: Richardson's differences of the flow."""

    def run(h):
        final = ph.simulate(stepped(form), moved(form, state, x, h), **exact()).final
        return error(form, end, final)

    one, two = (run(h) - run(-h) for h in (size, 2 * size))
    return (8 * one - two) / (12 * size)


def stepped(form):
    """What is simulated: one system serves all spatial forms."""
    return form if form.name.startswith("relative") else form.system


def exact():
    return {"until": SPAN, "method": ph.methods.RungeKutta4(1e-3)}


@pytest.mark.row("S-13")
@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("form 1", "a"),
        ("form 4", "a"),
        ("relative", "ac"),
        pytest.param("form 2", "a", marks=pytest.mark.long),
        pytest.param("form 3", "a", marks=pytest.mark.long),
        *(pytest.param(n, "ab", marks=pytest.mark.long) for n in (*FORMS, "relative")),
    ],
)
def test_a_form_is_linear_along_a_motion_as_the_flow_is(name, names):
    """P' = A(t) P carries small errors of tumbling craft on as the flow does; B = 1/M.

    Twelve states a body: six on SE(3), six of the form's own velocities.
    """
    form, rng = equations(name, names), np.random.default_rng(2)
    state, n = orbiting(names, TUMBLING)[form.system], form.system.speeds
    motion = ph.simulate(stepped(form), state, **exact())
    along = ph.questions.linear_form(form, motion)
    P = along.transition()
    assert P.shape == (2 * n, 2 * n)
    x = rng.normal(size=2 * n)
    assert_close(P @ x, flow_slope(form, state, motion.final, x), rtol=1e-7)
    A, B = along.at(0.0)
    assert not np.any(B[:n])
    for y in rng.normal(size=(3, n)):
        z = speeds_of(form)(state.q, y)
        energy = form.system.kinetic_energy(0.0, state.q, z)
        assert_close(y @ np.linalg.solve(B[n:], y) / 2, energy, rtol=1e-11)
    # Nothing is constant here.
    assert np.max(np.abs(along.at(SPAN)[0] - A)) > 1e-2


@pytest.mark.row("S-13")
@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("form 4", "a"),
        ("relative", "ac"),
        pytest.param("form 2", "a", marks=pytest.mark.long),
        pytest.param("relative", "ab", marks=pytest.mark.long),
    ],
)
def test_about_a_relative_equilibrium_a_form_is_constant(name, names):
    """Craft that stand still in each other's eyes: one A, and exp(A t) is the flow."""
    form, rng = equations(name, names), np.random.default_rng(4)
    state = orbiting(names)[form.system]
    motion = ph.simulate(stepped(form), state, **exact())
    along = ph.questions.linear_form(form, motion)
    A = ph.questions.linear_form(form, state).A
    assert_close(along.at(SPAN)[0], A, atol=1e-8)
    P = expm(A * SPAN)
    assert_close(P, along.transition(), rtol=1e-7)
    x = rng.normal(size=len(A))
    assert_close(P @ x, flow_slope(form, state, motion.final, x), rtol=1e-7)


@pytest.mark.row("S-10")
@pytest.mark.parametrize("names", ["ac", pytest.param("ab", marks=pytest.mark.long)])
def test_seen_from_a_leader_on_a_circle_craft_obey_clohessy_and_wiltshire(names):
    """x'' = 2 n y' + 3 n^2 x, y'' = -2 n x', z'' = -n^2 z (radial, ahead, normal)."""
    form, n = equations("relative", names), RATE
    start = orbiting(names)[form.system]
    q, z = start.q.copy(), start.z.copy()
    # The second craft where the first is, mass centre on mass centre.
    a, b = (body.moments().centre for body in form.system.bodies)
    q[7:] = (1, 0, 0, 0, *(a - b)) if names == "ab" else a - b
    z[6:] = 0.0
    linear = ph.questions.linear_form(form, ph.State(form.system, 0.0, q, z))
    count = form.system.speeds
    own = np.concatenate([np.arange(count - 3, count), np.arange(-3, 0)])
    found = linear.A[np.ix_(own, own)]
    rate = [[3 * n**2, 0, 0, 0, 2 * n, 0], [0, 0, 0, -2 * n, 0, 0]]
    down = [0, 0, -(n**2), 0, 0, 0]
    expected = np.concatenate([np.eye(6)[3:], [*rate, down]])
    assert_close(found, expected, atol=1e-10)


@pytest.mark.row("S-10")
@pytest.mark.parametrize("names", ["ac", pytest.param("ab", marks=pytest.mark.long)])
def test_relative_and_absolute_motions_go_side_by_side(names):
    """Integrated apart, both end with all craft in the same places and velocities."""
    (far, one), (near, two) = orbiting(names, TUMBLING).items()
    form = equations("relative", names)
    end = ph.simulate(far, one, **exact()).final
    last = ph.simulate(form, two, **exact()).final
    expected = ph.formations.in_tree(end, far)  # quaternions of one sign
    told = ph.formations.in_tree(last, far)
    assert_close(told.q, expected.q, rtol=1e-10)
    assert_close(told.z, expected.z, rtol=1e-10)
    assert near is last.system


def test_forms_that_are_held_by_rows_are_refused():
    """A pendulum's body has six velocities and one speed: their errors are not free."""
    hung = ph.models.double_pendulum()
    form = ph.kirchhoff(hung)
    with pytest.raises(ph.PolhodeError, match=r"held by .* rows"):
        ph.questions.linear_form(form)
    with pytest.raises(ph.PolhodeError, match="cannot be linearised about 3"):
        ph.questions.linear_form(equations("form 2", "a"), 3)
