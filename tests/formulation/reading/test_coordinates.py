"""Equations in coordinates of one's choice are the same equations."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError, UnreadableProgram

PAIR = ph.models.double_pendulum()
ABSOLUTE = ph.Coordinates(
    ("phi_1", "phi_2"), lambda a, b: {"shoulder": a, "elbow": b - a}
)


def test_absolute_angles_of_a_double_pendulum_read_as_in_books():
    """M has cos(phi_1 - phi_2) beside constants; the Lagrangian has no third angle."""
    found = ph.lagrange(PAIR).read(coordinates=ABSOLUTE)
    l1, l2, m1, m2 = sympy.symbols("l_1 l_2 m_1 m_2", positive=True)
    a, b = sympy.symbols("phi_1 phi_2")
    M = sympy.Matrix(
        [
            [l1**2 * (m1 / 3 + m2), m2 * l1 * l2 * sympy.cos(a - b) / 2],
            [m2 * l1 * l2 * sympy.cos(a - b) / 2, m2 * l2**2 / 3],
        ]
    )
    assert sympy.simplify(found.mass_matrix - M) == sympy.zeros(2, 2)
    assert "in phi_1, phi_2" in found.name


def test_what_is_read_vanishes_along_the_motion():
    """With the accelerations of the system's own form, in numbers."""
    found = ph.kane(PAIR).read(coordinates=ABSOLUTE)
    state = PAIR.state(shoulder=0.4, elbow=0.7, speeds={"shoulder": 1.1, "elbow": -0.3})
    z_dot = ph.gauss(PAIR).accelerations(state)
    q, z = state.q, state.z
    table = {s: PAIR.parameters[s.name] for s in found.origin.symbols.table.values()}
    values = dict(zip(found.origin.symbols.q, np.cumsum(q), strict=True))
    values |= dict(zip(found.origin.symbols.z, np.cumsum(z), strict=True))
    values |= dict(zip(found.origin.symbols.y_dot, np.cumsum(z_dot), strict=True))
    for each in found.motion:
        assert abs(float(each.subs({**values, **table}))) < 1e-12


def test_hamiltons_equations_vanish_along_the_motion_in_coordinates_of_ones_own():
    """p = dL/ds' of their own Lagrangian, and p' along a motion with a damper."""
    damped = PAIR.plus(actions=[ph.JointDamper(PAIR["elbow"], 0.3)])
    found = ph.hamilton(damped).read(coordinates=ABSOLUTE)
    state = damped.state(
        shoulder=0.4, elbow=0.7, speeds={"shoulder": 1.1, "elbow": -0.3}
    )
    symbols = found.origin.symbols
    table = {s: damped.parameters[name] for name, s in symbols.table.items()}
    s_ddot = np.cumsum(ph.gauss(damped).accelerations(state))
    values = dict(zip(symbols.q, np.cumsum(state.q), strict=True))
    values |= dict(zip(symbols.z, np.cumsum(state.z), strict=True))
    L = found.lagrangian
    for name, each in reversed(found.where):
        L = L.subs(name, each)
    momenta = [sympy.diff(L, v) for v in symbols.z]
    for p, p_dot, each in zip(symbols.y, symbols.y_dot, momenta, strict=True):
        along = sum(
            sympy.diff(each, s) * v + sympy.diff(each, v) * a
            for s, v, a in zip(symbols.q, symbols.z, s_ddot, strict=True)
        )
        values[p], values[p_dot] = (
            float(x.subs({**values, **table})) for x in (each, along)
        )
    assert str(symbols.y[0]) == "p(phi_1)"
    for name, each in found.where:
        values[name] = float(each.subs({**values, **table}))
    for each in found.motion:
        assert abs(float(each.subs({**values, **table}))) < 1e-10


def test_the_momentum_of_a_cyclic_angle_is_kept():
    """Polar coordinates of a free particle: p_th' = 0, p_r' = p_th^2/(m r^3)."""
    from jax.numpy import cos, sin

    ball = ph.Particle("ball", ph.Parameter("m", 2.0))
    plane = ph.Slider("plane", ph.World().origin, ball.mass_centre, normal=ph.Z)
    polar = ph.Coordinates(
        ("r", "th"), lambda r, th: {"plane": [r * cos(th), r * sin(th)]}
    )
    found = ph.hamilton(ph.System([plane])).read(coordinates=polar)
    m, r = sympy.Symbol("m", positive=True), sympy.Symbol("r")
    own, turning = found.origin.symbols.y_dot
    spin = found.origin.symbols.y[1]
    assert sympy.simplify(found.motion[0] - (own - spin**2 / (m * r**3))) == 0
    assert found.motion[1] == turning


@pytest.mark.long
def test_a_heavy_top_in_euler_angles_reads_as_in_books():
    """The cyclic angle psi: C (psi_dot + phi_dot cos theta) is kept."""
    top = ph.models.heavy_top()
    found = ph.lagrange(top).read(coordinates=ph.Coordinates.euler("tip", "zxz"))
    C = next(s for n, s in found.origin.symbols.table.items() if n == "C")
    t = sympy.Symbol("t")
    phi, theta, psi = (sympy.Function(n)(t) for n in ("phi", "theta", "psi"))
    spin = sympy.diff(C * (psi.diff(t) + phi.diff(t) * sympy.cos(theta)), t)
    names = dict(zip(found.origin.symbols.y_dot, (phi, theta, psi), strict=True))
    values = {s: f.diff(t, 2) for s, f in names.items()}
    values |= {
        s: f.diff(t)
        for s, f in zip(found.origin.symbols.z, (phi, theta, psi), strict=True)
    }
    own = found.motion[2].subs(values)
    own = own.subs(dict(zip(found.origin.symbols.q, (phi, theta, psi), strict=True)))
    assert sympy.simplify(own - spin) == 0


def test_modified_rodrigues_parameters_place_a_ball_joint():
    """The kinetic energy is that of the quaternion that they stand for."""
    top = ph.models.heavy_top()
    chart = ph.Coordinates.mrp("tip").of(top)
    sigma, rate = np.array([0.1, -0.2, 0.3]), np.array([0.5, 0.2, -0.1])
    import jax

    with jax.enable_x64(True):
        q = np.asarray(chart.place(jax.numpy.asarray(sigma)))
        z = np.asarray(chart.speeds(0.0, *map(jax.numpy.asarray, (sigma, rate))))
        h = 1e-6
        ahead = np.asarray(chart.place(jax.numpy.asarray(sigma + h * rate)))
        behind = np.asarray(chart.place(jax.numpy.asarray(sigma - h * rate)))
    assert_close(np.linalg.norm(q), 1.0, rtol=1e-14)
    assert_close(top.rates(0.0, q, z), (ahead - behind) / (2 * h), rtol=1e-8)


def test_wrong_coordinates_are_refused():
    """No joint of that name, a quaternion left out, velocities of another kind."""
    nobody = ph.Coordinates(("a",), lambda a: {"knee": a})
    with pytest.raises(ModelError, match="'knee' is, which is no joint"):
        ph.lagrange(PAIR).read(coordinates=nobody)
    with pytest.raises(ModelError, match="leave out 'tip', which has a quaternion"):
        ph.Coordinates(("a",), lambda a: {}).of(ph.models.heavy_top())
    with pytest.raises(UnreadableProgram, match="velocities are its own"):
        ph.newton_euler(PAIR).read(coordinates=ABSOLUTE)
    with pytest.raises(ModelError, match="cannot be called"):
        ph.Coordinates(("a", "a"), lambda a, b: {})


def test_quantities_of_ones_own_are_measured_and_plotted():
    """Absolute angles, and the orientation of a free body, as lines of a plot."""
    start = ph.models.start("double_pendulum")
    motion = ph.simulate(PAIR, ph.State(PAIR, 0.0, start.q, start.z), until=0.3)
    phi = ph.Quantity("phi_2", lambda t, s: s["shoulder"] + s["elbow"], "rad")
    assert_close(motion.measured(phi), motion.q.sum(axis=1), rtol=1e-15)
    axes = motion.plot(phi, degrees=True).figure.axes[0]
    assert "phi_2" in axes.get_ylabel()
    assert "deg" in axes.get_ylabel()
    with pytest.raises(ModelError, match="cannot be measured"):
        motion.measured(lambda t, s: float(s["shoulder"]))


def test_orientations_of_a_free_body_are_plotted():
    """Yaw of a turn about Z is its angle; parameters are the tangent of a quarter."""
    craft = ph.Body("craft", ph.solids.sphere(mass=1.0, radius=0.2))
    system = ph.System([craft], name="craft")
    start = system.state(speeds={"craft.wz": 2.0})
    motion = ph.simulate(system, start, until=1.0)
    lines = {
        word: motion.plot(f"craft.{word}").figure.axes[0].lines
        for word in ("euler_angles", "mrp", "quaternion")
    }
    t = lines["mrp"][2].get_xdata()
    assert_close(lines["euler_angles"][0].get_ydata(), 2.0 * t, atol=1e-9)
    assert_close(lines["mrp"][2].get_ydata(), np.tan(2.0 * t / 4), atol=1e-9)
    assert_close(lines["quaternion"][0].get_ydata(), np.cos(t), atol=1e-9)
