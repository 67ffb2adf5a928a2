"""Rolling, sliding and other constraints of velocity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.models.rolling.bicycle import riding
from polhode.verification import sources
from polhode.verification.problem import PRINTED, Answer, problem

G = 9.81


def disc_at(system: ph.System, angles: Sequence[float], u: np.ndarray) -> ph.State:
    """The gallery's rolling disc at (yaw, lean, roll), turning at u in its own axes."""
    radius = 0.26
    R = Rotation.from_euler("ZXY", angles).as_matrix()
    up, axle = np.array([0, 0, 1.0]), R[:, 1]
    to_centre = up - axle * (up @ axle)
    to_centre *= radius / np.linalg.norm(to_centre)
    (free,) = system.joints
    q = free.coordinates_from(R, to_centre - [0, 0, radius])
    v = R.T @ np.cross(R @ u, to_centre)
    return ph.State(system, 0.0, q, np.concatenate([u, v]))


@problem(sources.SYMPY, "test_kane5.py", digits=11, basis=PRINTED)
def rolling_disc() -> Sequence[Answer]:
    """The angular accelerations of a disc that rolls on a plane.

    Radius 0.26 m, mass 3.43 kg, g = 9.81 m/s², at (yaw, lean, roll) = (0.3, 0.1, 1.97)
    and (3.97, -0.28, 8.2) rad with the rates u = (-0.2, 1.3, 0.15) and
    (-0.25, -2.2, 0.62) rad/s in the disc's axes.
    """
    form = ph.gauss(ph.models.start("rolling_disc").system)
    one = disc_at(form.system, (0.3, 0.1, 1.97), np.array([-0.2, 1.3, 0.15]))
    two = disc_at(form.system, (3.97, -0.28, 8.2), np.array([-0.25, -2.2, 0.62]))
    printed = [
        [-0.925848952664489, -0.0181350656532944, 2.91695398184589],
        [1.45030568179066, -0.0110924422400793, -8.35617840186040],
    ]
    pairs = zip(("first", "second"), printed, (one, two), strict=True)
    return [
        Answer(f"u', {n}, rad/s²", np.array(a), form.accelerations(state)[:3])
        for n, a, state in pairs
    ]


@problem(
    sources.NEIMARK, "rolling disc and hoop, stability of upright rolling", digits=8
)
def upright_wheels() -> Sequence[Answer]:
    """A disc and a hoop that roll upright fall if they are slow.

    (I + m R²) I s² = m g R I - J (J + m R²) w², with I across and J along the axle: a
    disc is stable above w² = g/(3R), a hoop above g/(4R). Here s² at w² = g/(2R).
    """
    R, answers = 0.26, []
    shapes = {
        "disc": (ph.solids.disc(mass=2.0, radius=R, along=ph.Y), 1 / 4, 1 / 2),
        "hoop": (ph.solids.ring(mass=2.0, radius=R, along=ph.Y), 1 / 2, 1.0),
    }
    w = np.sqrt(G / (2 * R))
    for name, (solid, I, J) in shapes.items():
        world, body = ph.World(), ph.Body(name, solid)
        free = ph.Free("free", world.point(0, 0, R), body.origin)
        rim = ph.surfaces.disc(body.origin, R, axis=ph.Y)
        ground = ph.rolling(rim, world.origin)
        system = ph.System([free], [ph.Weight(G)], ground, name=name)
        state = system.state(speeds={"free": (0, w, 0, w * R, 0, 0)})
        values = ph.linearise(system, state).spectrum.values
        expected = (I - J * (J + 1) / 2) / (I * (I + 1)) * G / R
        found = np.real(values[np.argmax(np.abs(values))] ** 2)
        answers.append(Answer(f"s² of the {name}, 1/s²", expected, found))
    return answers


@problem(sources.SYMPY, "test_kane.py, equations of the rolling disc", digits=10)
def steady_turn_of_a_disc() -> Sequence[Answer]:
    """A disc that leans and turns steadily rolls on a circle.

    From u₁' = (6 u₂ u₃ r - u₃² r tan q₂ + 4 g sin q₂)/(5 r) = 0 follows u₂ for the lean
    q₂ = 0.3 and u₃ = 1.2 rad/s; then the angular velocity turns with the yaw rate
    u₃/cos q₂ about the vertical, and nothing else changes.
    """
    r, lean, u3 = 0.26, 0.3, 1.2
    u2 = (u3**2 * r * np.tan(lean) - 4 * G * np.sin(lean)) / (6 * u3 * r)
    form = ph.gauss(ph.models.start("rolling_disc").system)
    u = np.array([0.0, u2, u3])
    state = disc_at(form.system, (0.4, lean, 0.0), u)
    R = Rotation.from_euler("ZXY", (0.4, lean, 0.0)).as_matrix()
    yaw = np.array([0, 0, u3 / np.cos(lean)])
    expected = np.cross(yaw, R @ u)
    found = R @ form.accelerations(state)[:3]
    return (Answer("ω', rad/s²", expected, found),)


@problem(sources.NEIMARK, "Chaplygin's sleigh in closed form", digits=8)
def chaplygin_sleigh() -> Sequence[Answer]:
    """A sledge with one blade ends straight ahead.

    m = 1 kg, I = 0.5 kg m², mass centre a = 0.3 m ahead of the blade, u = 1 m/s,
    w = 2 rad/s: u = V tanh(k V (t - t₀)), w = (V/κ) sech(k V (t - t₀)),
    κ² = I/m + a², k = a/κ², V² = u² + κ² w².
    """
    m, I, a, u0, w0 = 1.0, 0.5, 0.3, 1.0, 2.0
    sled = ph.Body.from_inertia("sled", mass=m, inertia=(0.3, 0.3, I), centre=(a, 0, 0))
    ice = ph.Planar("ice", ph.World().origin, sled.origin, normal=ph.Z)

    def across(q: Any, t: Any) -> Any:
        return jnp.stack([0.0 * q[0], -jnp.sin(q[0]), jnp.cos(q[0])]), 0.0

    blade = ph.VelocityRows([ice], across, rows=("across",), name="blade")
    system = ph.System([ice], constraints=[blade], name="sleigh")
    start = system.state(speeds={"ice": (w0, u0, 0)})
    t = np.linspace(0, 10, 41)
    motion = ph.simulate(system, start, until=10.0, rtol=1e-11, samples=t)
    kappa = np.sqrt(I / m + a * a)
    V = np.hypot(u0, kappa * w0)
    phase = a / kappa**2 * V * t + np.arctanh(u0 / V)
    w, x, y = motion.z.T
    angle = motion.q[:, 0]
    u = x * np.cos(angle) + y * np.sin(angle)
    return (
        Answer("u, m/s", V * np.tanh(phase), u, at=t),
        Answer("w, rad/s", V / kappa / np.cosh(phase), w, at=t),
    )


@problem(sources.CHAPLYGIN, "the sleigh, equations of motion", digits=11)
def equations_of_the_sleigh() -> Sequence[Answer]:
    """The accelerations of Chaplygin's sleigh, and the push of its blade.

    u' = a w², w' = -m a u w/(I + m a²); across, the blade pushes m (u w + a w').
    """
    m, I, a = 1.0, 0.5, 0.3
    system = ph.models.start("chaplygin_sleigh").system
    form, angle, u, w = ph.recursive(system), 0.7, 1.3, -0.8
    c, s = np.cos(angle), np.sin(angle)
    state = system.state(ice=(angle, 0.3, -0.2), speeds={"ice": (w, u * c, u * s)})
    turn, x, y = form.accelerations(state)
    expected = -m * a * u * w / (I + m * a**2)
    push = float(np.ravel(form.multipliers(state))[0])
    return (
        Answer("u', m/s²", a * w**2, x * c + y * s),
        Answer("w', rad/s²", expected, turn),
        Answer("push, N", m * (u * w + a * expected), push),
    )


@problem(sources.ROUTH, "sphere on a turning plane", digits=7)
def ball_on_a_turntable() -> Sequence[Answer]:
    """A ball on a turntable goes round in a circle at 2/7 of the table's rate.

    v' = (2/7) W k × v for a homogeneous sphere: a circle about a centre that depends on
    the start only, here after a tenth and a quarter of the revolution.
    """
    W, r = 2.0, 0.1
    world, table = ph.World(), ph.Body("table", ph.solids.disc(mass=1, radius=3))
    ball = ph.Body("ball", ph.solids.sphere(mass=1.5, radius=r))
    axle = ph.Revolute("axle", world.origin, table.origin, axis=ph.Z)
    rolls = ph.rolling(ph.surfaces.sphere(ball.origin, r), table.origin)
    turns = ph.PrescribedMotion(axle, lambda t: W * t)
    system = ph.System([axle, ball], [ph.Weight(G)], [turns, *rolls], name="turntable")
    p, v, up = np.array([1.0, 0, 0]), np.array([0.3, 0.1, 0]), np.array([0, 0, 1])
    w = np.cross(up, v - W * np.cross(up, p)) / r
    start = system.state(ball={"x": p[0], "z": r}, speeds={"axle": W, "ball": (*w, *v)})
    times = 7 * np.pi / W * np.array([0.1, 0.25])
    motion = ph.simulate(system, start, until=times[-1], rtol=1e-10, samples=times)
    centre = p + np.cross(up, v) / (2 * W / 7)
    turn, first = 2 * W / 7 * times, p - centre
    away = np.outer(np.cos(turn), first) + np.outer(np.sin(turn), np.cross(up, first))
    found = motion["ball"].position - [0, 0, r]
    return (Answer("place, m", (centre + away).ravel(), found.ravel()),)


@problem(sources.CORIOLIS, "a ball struck through its centre", digits=8)
def billiard_ball() -> Sequence[Answer]:
    """A ball that slides comes to roll at 5/7 of its speed.

    v = v₀ - μ g t and r ω = 5/2 μ g t, alike at t = 2 v₀/(7 μ g): shortly before, the
    speed and the spin of a ball of 0.03 m that began at 1 m/s, with μ = 0.2.
    """
    mu, v0, r = 0.2, 1.0, 0.03
    ball = ph.Body("ball", ph.solids.sphere(mass=0.2, radius=r))
    touch, _ = ph.rolling(ph.surfaces.sphere(ball.origin, r), ph.World().origin)
    rubs = ph.contact.ConstraintFriction(touch, ph.Coulomb(mu))
    system = ph.System([ball], [ph.Weight(G), rubs], [touch], name="billiard ball")
    start = system.state(ball={"z": r}, speeds={"ball": {"vx": v0}})
    t = 0.999 * 2 * v0 / (7 * mu * G)
    motion = ph.simulate(system, start, until=t, rtol=1e-11, samples=2)
    spin = motion["ball"].angular_velocity[-1, 1] * r
    return (
        Answer("v, m/s", v0 - mu * G * t, motion["ball"].velocity[-1, 0]),
        Answer("r ω, m/s", 2.5 * mu * G * t, spin),
    )


@problem(sources.ROUTH, "sphere that rolls inside a cylinder", digits=9)
def ball_in_a_pipe() -> Sequence[Answer]:
    """A ball loops the loop in a pipe.

    A ball of radius 0.1 m rolls in a level pipe of 1 m: 7/5 v' = -g sin θ along, and
    the wall pushes m (v²/a + g cos θ), a = 0.9 m; at θ = 2.4 rad with v² = 5 g a.
    """
    R, r, m, theta = 1.0, 0.1, 1.5, 2.4
    world, a = ph.World(), R - r
    ball = ph.Body("ball", ph.solids.sphere(mass=m, radius=r))
    wall = ph.surfaces.track(
        world.origin, lambda x: R - jnp.sqrt(x[0] ** 2 + x[2] ** 2)
    )
    rolls = ph.rolling(ph.surfaces.sphere(ball.origin, r), wall)
    system = ph.System([ball], [ph.Weight(G)], rolls, name="ball in a pipe")
    s, c, v = np.sin(theta), np.cos(theta), np.sqrt(5 * G * a)
    state = system.state(
        ball={"x": a * s, "z": -a * c},
        speeds={"ball": {"vx": v * c, "vz": v * s, "wy": v / r}},
    )
    form = ph.recursive(system)
    spin, along = np.array([0, v / r, 0]), np.array([c, 0, s])
    # In the ball's own axes, which are those of the world here.
    linear = form.body_accelerations(state)[0][3:] + np.cross(spin, v * along)
    push = form.reactions(state)["rolling contact on ball"].force
    return (
        Answer("acceleration along, m/s²", -5 / 7 * G * s, linear @ along),
        Answer("push, N", m * (v**2 / a + G * c), np.linalg.norm(push)),
    )


@problem(sources.GOLDSTEIN, "section 2.4, hoop on an incline", digits=11)
def hoop_on_an_incline() -> Sequence[Answer]:
    """A hoop rolls down an incline with half the acceleration of one that slides.

    M = 2 kg, r = 0.4 m, incline φ = 0.6 rad: x'' = g sin φ/2, and the friction, the
    multiplier of the rolling constraint, is M g sin φ/2.
    """
    m, r, slope = 2.0, 0.4, 0.6
    hoop = ph.Body("hoop", ph.solids.ring(mass=m, radius=r, along=ph.Y))
    carrier = ph.Body.from_inertia("axle", mass=0.0, inertia=(0, 0, 0))
    down = (np.cos(slope), 0.0, -np.sin(slope))
    way = ph.Prismatic("x", ph.World().origin, carrier.origin, axis=down)
    turn = ph.Revolute("phi", carrier.origin, hoop.origin, axis=ph.Y)
    roll = ph.Gear(way, turn, r, name="rolling")
    system = ph.System([way, turn], [ph.Weight(G)], [roll], name="hoop")
    form, state = ph.lagrange(system), system.rest()
    friction = abs(float(np.ravel(form.multipliers(state))[0]))
    return (
        Answer("x'', m/s²", G * np.sin(slope) / 2, form.accelerations(state)[0]),
        Answer("friction, N", m * G * np.sin(slope) / 2, friction),
    )


@problem(sources.SYMPY, "test_lagrange.py", digits=11)
def disc_on_an_incline() -> Sequence[Answer]:
    """A disc rolls down an incline, with the multiplier of its constraint.

    x'' = 2 g sin φ/3, and the friction is m g sin φ/3.
    """
    m, r, slope = 2.0, 0.4, 0.6
    disc = ph.Body("disc", ph.solids.disc(mass=m, radius=r, along=ph.Y))
    carrier = ph.Body.from_inertia("axle", mass=0.0, inertia=(0, 0, 0))
    down = (np.cos(slope), 0.0, -np.sin(slope))
    way = ph.Prismatic("x", ph.World().origin, carrier.origin, axis=down)
    turn = ph.Revolute("phi", carrier.origin, disc.origin, axis=ph.Y)
    roll = ph.Gear(way, turn, r, name="rolling")
    system = ph.System([way, turn], [ph.Weight(G)], [roll], name="disc")
    form, state = ph.lagrange(system), system.rest()
    friction = abs(float(np.ravel(form.multipliers(state))[0]))
    return (
        Answer("x'', m/s²", 2 * G * np.sin(slope) / 3, form.accelerations(state)[0]),
        Answer("friction, N", m * G * np.sin(slope) / 3, friction),
    )


@problem(sources.MERIAM, "chapter 6, rolling solids on an incline", digits=9)
def sphere_on_an_incline() -> Sequence[Answer]:
    """A sphere rolls down an incline at 5/7 of g sin φ.

    A sphere of 1.2 kg and 0.15 m on a plane that rises at 0.4 rad: gravity is turned
    instead of the plane.
    """
    m, r, slope = 1.2, 0.15, 0.4
    ball = ph.Body("ball", ph.solids.sphere(mass=m, radius=r))
    world = ph.World()
    rolls = ph.rolling(ph.surfaces.sphere(ball.origin, r), world.origin)
    pull = m * G * np.array([np.sin(slope), 0, -np.cos(slope)])
    vector = ph.theory.Vector(pull, world.frame)
    weight = ph.AppliedForce(ball.origin, vector, by=world.frame)
    system = ph.System([ball], [weight], rolls, name="sphere")
    state = system.state(ball={"z": r})
    found = ph.recursive(system).body_accelerations(state)[0][3]
    return (Answer("x'', m/s²", 5 / 7 * G * np.sin(slope), found),)


@problem(sources.MEIJAARD, "benchmark: M, C₁, K₀, K₂", digits=11, basis=PRINTED)
def bicycle_matrices() -> Sequence[Answer]:
    """The linear equations of the benchmark bicycle.

    M q'' + v C₁ q' + (g K₀ + v² K₂) q = 0 for lean and steer, from the bodies, wheels
    and the 25 parameters of the benchmark, linearised at 0 and 7 m/s.
    """
    system = ph.models.start("bicycle").system
    kept, parts = ("free.wx", "steer", "rear wheel"), []
    for speed in (0.0, 7.0):
        state = riding(system, speed)
        linear = ph.linearise(system, state, independent=kept)
        parts.append(linear.parts.of("free.wx", "steer"))
    rest, fast = parts
    M = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
    C1 = [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]
    K0 = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
    K2 = [[0, 76.59734589573222], [0, 2.65431523794604]]
    return (
        Answer("M", np.array(M), rest.mass),
        Answer("C₁", np.array(C1), fast.velocity / 7),
        Answer("K₀", np.array(K0), rest.place / G),
        Answer("K₂", np.array(K2), (fast.place - rest.place) / 49),
    )


@problem(sources.MEIJAARD, "benchmark: eigenvalues", digits=11, basis=PRINTED)
def bicycle_eigenvalues() -> Sequence[Answer]:
    """Weave, capsize and castering of the benchmark bicycle.

    Eigenvalues at 3, 5 and 8 m/s: below the weave speed, between, and above the capsize
    speed.
    """
    system = ph.models.start("bicycle").system
    kept = ("free.wx", "steer", "rear wheel")
    printed = {
        3: (-10.351014672459222, -2.633661372536652, 1.706756056639736),
        5: (-14.078389692798238, -0.775341882195843, -0.322866429004089),
        8: (-20.279408943945644, -2.693486835810955, 0.143278797657128),
    }
    weave = {3: 2.315824473843246, 5: 4.464867713788228, 8: 8.460379713969346}
    answers = []
    for speed, reals in printed.items():
        state = riding(system, float(speed))
        values = ph.linearise(system, state, independent=kept).spectrum.values
        upper = values[values.imag > -1e-9]
        found = np.array([*np.sort(upper.real), np.max(values.imag)])
        expected = np.array([*reals, weave[speed]])
        answers.append(Answer(f"parts at {speed} m/s, 1/s", expected, found))
    return answers


@problem(
    sources.MEIJAARD, "benchmark: weave and capsize speeds", digits=10, basis=PRINTED
)
def bicycle_speeds() -> Sequence[Answer]:
    """The speeds between which the benchmark bicycle rides by itself.

    Weave ends at 4.29238253634111 m/s, capsize begins at 6.02426201538837 m/s: from the
    matrices of lean and steer that the bodies give.
    """
    system = ph.models.start("bicycle").system
    kept = ("free.wx", "steer", "rear wheel")

    def parts(v: Any) -> Any:
        linear = ph.linearise(system, riding(system, v), independent=kept)
        return linear.parts.of("free.wx", "steer")

    def weave(v: Any) -> Any:
        own = parts(v)
        below = -np.linalg.solve(own.mass, np.hstack([own.place, own.velocity]))
        A = np.vstack([np.eye(4)[2:], below])
        values = np.linalg.eigvals(A)
        return np.max(values[np.abs(values.imag) > 1e-3].real)

    found = (
        brentq(weave, 4.2, 4.4, xtol=1e-12),
        brentq(lambda v: np.linalg.det(parts(v).place), 5.9, 6.1, xtol=1e-12),
    )
    printed = np.array([4.29238253634111, 6.02426201538837])
    return (Answer("speeds, m/s", printed, np.array(found)),)
