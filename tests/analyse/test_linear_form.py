"""A and B of spatial forms and relative equations are slopes of the flow."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm

import polhode as ph
from closeness import assert_close
from polhode.geometry import so3
from polhode.lowering.double import doubled

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
def systems(count):
    """Craft in orbit: absolute, and the second seen from the first."""
    craft = [
        ph.Body.from_inertia(
            name, mass=m, inertia=np.diag([0.2, 0.25, 0.3]), centre=(0, 0, z)
        )
        for name, m, z in (("a", 1.1, 0.05), ("b", 0.7, -0.04))[:count]
    ]
    earth = ph.PointMass(ph.World().origin, 1.0, "earth")
    pulls = [
        ph.Gravitation([earth, ph.PointMass.of(body)], MU / 1.0, name=f"on {body.name}")
        for body in craft
    ]
    far = ph.System(craft, pulls, name="absolute")
    return far, ph.formation_tree(craft, "a", actions=pulls)


@cache
def equations(name, count=2):
    far, near = systems(count)
    if name == "relative":
        return ph.relative_equations(near)
    return ph.spatial_form(far, **FORMS[name])


def orbiting(count, spins=((0, 0, RATE), (0, 0, RATE))):
    """Both on one circle, the second behind; each turns with the orbit, or tumbles."""
    far, near = systems(count)
    q, z = [], []
    for body, angle, spin in zip(far.bodies, (0.0, -LAG), spins, strict=False):
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        centre = body.moments().centre
        origin = R @ ((RADIUS, 0, 0) - centre)
        quaternion = (np.cos(angle / 2), 0, 0, np.sin(angle / 2))
        q += [*quaternion, *origin]
        v = np.array([0, RADIUS * RATE, 0]) - np.cross(spin, centre)
        z += [*spin, *v]
    state = ph.State(far, 0.0, np.array(q), np.array(z, float))
    return {far: state, near: ph.retold(state, near)}


TUMBLING = ((0.4, -0.3, 0.8), (-0.2, 0.9, 0.3))


def moved(form, state, x, size):
    """The state at an error `size` x from one, and where it goes."""
    system, n = form.system, form.system.speeds
    q = system.local(state.q, size * x[:n])
    y = form.velocities(state) + size * x[n:]
    z = doubled(lambda q, y: form.functions.speeds(0.0, q, y, {}))(q, y)
    return ph.State(system, 0.0, q, z)


def error(form, state, other):
    """[d; e] of a state from another, on SE(3) body by body."""
    found = []
    for p, q in zip(state.q.reshape(-1, 7), other.q.reshape(-1, 7), strict=True):
        free = form.system.joints[0]
        (R, here), (S, there) = free.pose(p), free.pose(q)
        phi = so3.log(R.T @ S)
        way = np.linalg.solve(so3.left_jacobian(phi), R.T @ (there - here))
        found.append(np.concatenate([phi, way]))
    return np.concatenate([*found, form.velocities(other) - form.velocities(state)])


def flow_slope(form, state, end, x, size=1e-3):
    """Where an error x goes: Richardson's differences of the flow."""

    def run(h):
        final = ph.simulate(form.system, moved(form, state, x, h), **exact()).final
        return error(form, end, final)

    one, two = (run(h) - run(-h) for h in (size, 2 * size))
    return (8 * one - two) / (12 * size)


def exact():
    return {"until": SPAN, "method": ph.DormandPrince8(rtol=1e-13)}


@pytest.mark.row("S-13")
@pytest.mark.parametrize(
    ("name", "count"),
    [
        *((name, 1) for name in FORMS),
        ("relative", 2),
        *(pytest.param(name, 2, marks=pytest.mark.long) for name in FORMS),
    ],
)
def test_a_form_is_linear_along_a_motion_as_the_flow_is(name, count):
    """P' = A(t) P carries small errors of tumbling craft on as the flow does; B = 1/M.

    Twelve states a body: six on SE(3), six of the form's own velocities.
    """
    form, rng, n = equations(name, count), np.random.default_rng(2), 6 * count
    state = orbiting(count, TUMBLING)[form.system]
    motion = ph.simulate(form.system, state, **exact())
    along = ph.linear_form(form, motion)
    P = along.transition()
    assert P.shape == (2 * n, 2 * n)
    x = rng.normal(size=2 * n)
    assert_close(P @ x, flow_slope(form, state, motion.final, x), rtol=1e-7)
    A, B = along.at(0.0)
    assert_close(B[n:] @ form.mass_matrix(state), np.eye(n), atol=1e-11)
    assert not np.any(B[:n])
    # Nothing is constant here.
    assert np.max(np.abs(along.at(SPAN)[0] - A)) > 1e-2


@pytest.mark.row("S-13")
@pytest.mark.parametrize(
    ("name", "count"), [("form 2", 1), ("form 4", 1), ("relative", 2)]
)
def test_about_a_relative_equilibrium_a_form_is_constant(name, count):
    """Craft that stand still in each other's eyes: one A, and exp(A t) is the flow."""
    form, rng = equations(name, count), np.random.default_rng(4)
    state = orbiting(count)[form.system]
    motion = ph.simulate(form.system, state, **exact())
    along = ph.linear_form(form, motion)
    A = ph.linear_form(form, state).A
    assert_close(along.at(SPAN)[0], A, atol=1e-8)
    P = expm(A * SPAN)
    assert_close(P, along.transition(), rtol=1e-7)
    x = rng.normal(size=len(A))
    assert_close(P @ x, flow_slope(form, state, motion.final, x), rtol=1e-7)


@pytest.mark.row("S-10")
def test_seen_from_a_leader_on_a_circle_the_craft_obey_clohessy_and_wiltshire():
    """x'' = 2 n y' + 3 n^2 x, y'' = -2 n x', z'' = -n^2 z (radial, ahead, normal)."""
    form, n = equations("relative"), RATE
    start = orbiting(2)[form.system]
    q = start.q.copy()
    # The second craft where the first is, mass centre on mass centre.
    a, b = (body.moments().centre for body in form.system.bodies)
    q[7:] = (1, 0, 0, 0, *(a - b))
    z = start.z.copy()
    z[6:] = 0.0
    linear = ph.linear_form(form, ph.State(form.system, 0.0, q, z))
    place, speed = np.arange(9, 12), np.arange(21, 24)
    own = np.concatenate([place, speed])
    found = linear.A[np.ix_(own, own)]
    rate = [[3 * n**2, 0, 0, 0, 2 * n, 0], [0, 0, 0, -2 * n, 0, 0]]
    down = [0, 0, -(n**2), 0, 0, 0]
    expected = np.concatenate([np.eye(6)[3:], [*rate, down]])
    assert_close(found, expected, atol=1e-10)


def test_forms_that_are_held_by_rows_are_refused():
    """A pendulum's body has six velocities and one speed: their errors are not free."""
    hung = ph.models.double_pendulum()
    form = ph.kirchhoff(hung)
    with pytest.raises(ph.PolhodeError, match=r"held by .* rows"):
        ph.linear_form(form)
    with pytest.raises(ph.PolhodeError, match="cannot be linearised about 3"):
        ph.linear_form(equations("form 2", 1), 3)
