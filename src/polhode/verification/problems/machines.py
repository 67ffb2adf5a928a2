"""Machines, mechanisms, strings and ladders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy.optimize import brentq

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import PRINTED, Answer, problem

G = 9.81


@problem(sources.GOLDSTEIN, "section 1.6, Atwood's machine", digits=11)
def atwood_machine() -> Sequence[Answer]:
    """Two masses on a string over a pulley.

    x'' = g (M₁ - M₂)/(M₁ + M₂), and the tension 2 g M₁ M₂/(M₁ + M₂) from the multiplier
    of the string.
    """
    M1, M2, world = 2.0, 1.3, ph.World()
    one, two = ph.Particle("one", M1), ph.Particle("two", M2)
    left = ph.Prismatic("left", world.origin, one.mass_centre, axis=-ph.Z)
    right = ph.Prismatic("right", world.origin, two.mass_centre, axis=-ph.Z)
    string = ph.Gear(left, right, -1.0, name="string")
    system = ph.System([left, right], [ph.Weight(G)], [string], name="Atwood")
    form, state = ph.lagrange(system), system.rest()
    tension = abs(float(np.ravel(form.multipliers(state))[0]))
    return (
        Answer("x'', m/s²", G * (M1 - M2) / (M1 + M2), form.accelerations(state)[0]),
        Answer("tension, N", 2 * G * M1 * M2 / (M1 + M2), tension),
    )


@problem(sources.MORIN, "chapter 3, the double Atwood's machine", digits=11)
def double_atwood_machine() -> Sequence[Answer]:
    """A pulley that hangs from a string carries two masses itself.

    m₁ against a massless pulley with m₂ and m₃: the acceleration of m₁ downwards is
    g (m₁(m₂ + m₃) - 4 m₂ m₃)/(m₁(m₂ + m₃) + 4 m₂ m₃).
    """
    m1, m2, m3, world = 3.0, 1.1, 1.7, ph.World()
    names = zip(("one", "two", "three"), (m1, m2, m3), strict=True)
    bodies = [ph.Particle(name, mass) for name, mass in names]
    joints = [
        ph.Prismatic(f"x{k}", world.origin, body.mass_centre, axis=-ph.Z)
        for k, body in enumerate(bodies, start=1)
    ]

    def string(a: Any, b: Any, c: Any, t: Any) -> Any:
        # The lower pulley is between two and three, and one goes against it.
        return 2 * a.position[2] + b.position[2] + c.position[2]

    held = ph.Holonomic([body.frame for body in bodies], string, name="string")
    system = ph.System(joints, [ph.Weight(G)], [held], name="double Atwood")
    found = ph.recursive(system).accelerations(system.rest())[0]
    both, four = m1 * (m2 + m3), 4 * m2 * m3
    return (Answer("x₁'', m/s²", G * (both - four) / (both + four), found),)


@problem(sources.TUFILLARO, "the integrable case M = 3m", digits=7)
def swinging_atwood_machine() -> Sequence[Answer]:
    """A swinging Atwood machine has one integral more if M = 3m.

    r² θ' (r' cos(θ/2) - (r θ'/2) sin(θ/2)) + g r² sin(θ/2) cos²(θ/2) does not change.
    """
    world, M, m = ph.World(), ph.Particle("M", 3.0), ph.Particle("m", 1.0)
    heavy = ph.Prismatic("heavy", world.origin, M.mass_centre, axis=ph.Z)
    string = ph.Holonomic(
        [M.frame, m.frame],
        lambda a, b, t: jnp.linalg.norm(b.position) - a.position[2] - 3.0,
        name="string",
    )
    free = ph.Translation("free", world.origin, m.mass_centre)
    flat = ph.PointOn(m.mass_centre, world.frame, lambda x: x[1], name="plane")
    system = ph.System([heavy, free], [ph.Weight(G)], [string, flat], name="Atwood")
    start = system.state(heavy=-2.0, free=(np.sin(1.2), 0, -np.cos(1.2)))
    motion = ph.simulate(system, start, until=2.0, rtol=1e-11, samples=41)
    (x, _, z), (u, _, w) = motion["m"].position.T, motion["m"].velocity.T
    r, th = np.hypot(x, z), np.unwrap(np.arctan2(x, -z))
    r_dot, th_dot = (x * u + z * w) / r, (u * np.cos(th) + w * np.sin(th)) / r
    s, c = np.sin(th / 2), np.cos(th / 2)
    kept = r**2 * th_dot * (r_dot * c - r * th_dot / 2 * s) + G * r**2 * s * c**2
    return (Answer("integral, m³/s²", np.full(41, kept[0]), kept, at=motion.t),)


@problem(sources.ROUTH_ELEMENTARY, "a falling rod that is fixed at its foot", digits=9)
def falling_chimney() -> Sequence[Answer]:
    """The bending moment in a falling chimney is largest at a third of its height.

    At x of its length l, leaning θ: M = m g l sin θ x (1 - x)²/4. Here at x = 1/4, 1/3
    and 1/2 of 20 m.
    """
    L, line, lean = 20.0, 1.5, 0.6
    shares, found = np.array([0.25, 1 / 3, 0.5]), []
    for share in shares:
        pieces = []
        for name, length in (("foot", L * share), ("head", L * (1 - share))):
            rod = ph.solids.rod(density=line, length=length)
            pieces.append(ph.Body(name, ph.solids.placed(rod, (0, 0, length / 2))))
        foot, head = pieces
        hinge = ph.Revolute("hinge", ph.World().origin, foot.origin, axis=ph.Y)
        weld = ph.Fixed("weld", foot.point(0, 0, L * share), head.origin)
        system = ph.System([hinge, weld], [ph.Weight(G)], name="chimney")
        state = system.state(hinge=lean)
        found.append(abs(ph.recursive(system).reactions(state)["weld"].torque[1]))
    expected = line * L * G * L * np.sin(lean) * shares * (1 - shares) ** 2 / 4
    return (Answer("moment, N m", expected, np.array(found)),)


@problem(sources.ROUTH_ELEMENTARY, "a ladder that slides down a smooth wall", digits=8)
def falling_ladder() -> Sequence[Answer]:
    """A ladder leaves the wall at two thirds of its height.

    A rod slides between a smooth wall and a smooth floor from rest at 70°: the wall's
    push is zero where sin θ is 2/3 of where it began.
    """
    l, world, th = 2.0, ph.World(), np.radians(70)
    ladder = ph.Body("ladder", ph.solids.rod(mass=3, length=l, along=ph.X))
    plane = ph.Planar("plane", world.origin, ladder.origin, normal=ph.Y)
    head, foot = ladder.point(-l / 2, 0, 0), ladder.point(l / 2, 0, 0)
    wall = ph.PointOn(head, world.frame, lambda x: x[0], name="wall")
    floor = ph.PointOn(foot, world.frame, lambda x: x[2], name="floor")
    system = ph.System([plane], [ph.Weight(G)], [wall, floor], name="ladder")
    # At an angle a, after the fall from th: a'² = 3 g (sin th - sin a)/l.
    form = ph.recursive(system)

    def push(a: Any) -> Any:
        rate = np.sqrt(3 * G / l * (np.sin(th) - np.sin(a)))
        s, c = np.sin(a), np.cos(a)
        # The angle about Y, then the place along Z and along X.
        where = (a, l / 2 * s, l / 2 * c)
        speeds = (-rate, -l / 2 * c * rate, l / 2 * s * rate)
        state = system.state(plane=where, speeds={"plane": speeds})
        return form.multipliers(state)[0]

    found = brentq(push, 0.1, th - 0.01, xtol=1e-13)
    return (Answer("sin θ", 2 / 3 * np.sin(th), np.sin(found)),)


@problem(sources.LANDAU, "§5, problem 4", digits=8)
def centrifugal_governor() -> Sequence[Answer]:
    """A point on a rod that is turned about the vertical stands at cos θ = g/(l Ω²).

    The conical balance of a governor's ball on an arm l = 0.3 m, turned at 7 rad/s: the
    lean at which the arm has no acceleration, by continuity of its sign.
    """
    l, rate = 0.3, 7.0
    hub = ph.Body.from_inertia("hub", mass=1.0, inertia=(1, 1, 1))
    ball = ph.Body.from_inertia("ball", mass=0.5, inertia=(0, 0, 0), centre=(0, 0, -l))
    axle = ph.Revolute("axle", ph.World().origin, hub.origin, axis=ph.Z)
    arm = ph.Revolute("arm", hub.origin, ball.origin, axis=ph.Y)
    turned = ph.PrescribedMotion(axle, lambda t: rate * t)
    system = ph.System([axle, arm], [ph.Weight(G)], [turned], name="governor")
    form = ph.recursive(system)

    def unrest(lean: Any) -> Any:
        state = system.state(arm=lean, speeds={"axle": rate})
        return form.accelerations(state)[1]

    found = brentq(unrest, 0.1, 1.5, xtol=1e-14)
    return (Answer("θ, rad", np.arccos(G / (l * rate**2)), found),)


@problem(sources.WITTENBURG, "Hooke's joint", digits=9)
def hookes_joint() -> Sequence[Answer]:
    """A universal joint turns its shaft unevenly.

    Shafts at β = 30°: ω₂/ω₁ = cos β/(1 - sin² β cos² θ), θ from the plane of both.
    """
    b, world = np.radians(30), ph.World()
    axis = np.array([np.sin(b), 0, np.cos(b)])
    one, two = (
        ph.Body(n, ph.solids.cylinder(mass=1, radius=0.1, length=1)) for n in "ab"
    )
    turn = ph.Revolute("in", world.origin, one.origin, axis=ph.Z)
    cross = ph.Universal("cross", one.origin, two.origin, axis=ph.X, second_axis=ph.Y)
    out = ph.Revolute("out", world.origin, two.origin, axis=axis)
    system = ph.System([turn, cross, out], name="shafts")
    angles, found = np.linspace(0, 2.4, 7), []
    for th in angles:
        state = ph.assemble(system, {"in": th}, speeds={"in": 2.0}).state
        w = system.twists(0.0, state.q, state.z).angular[1]
        found.append(w @ axis / 2.0)
    ratio = np.cos(b) / (1 - (np.sin(b) * np.cos(angles)) ** 2)
    return (Answer("ω₂/ω₁", ratio, np.array(found), at=angles, axis="θ, rad"),)


@problem(sources.SYMPY, "test_jointsmethod.py", digits=8, basis=PRINTED)
def four_bar_linkage() -> Sequence[Answer]:
    """Kane's equation of a four-bar linkage, and the rows that close it.

    Links of 0.13, 0.24, 0.21 and 0.34 m, density 997 kg/m; at the printed angles and
    rates: the mass row of the free speed, the rows of the loop and the forcing.
    """
    lengths, world = (0.13, 0.24, 0.21, 0.34), ph.World()
    joints, before = [], world.origin
    for k, length in enumerate(lengths[1:], start=2):
        rod = ph.solids.rod(density=997.0, length=length, along=ph.X)
        link = ph.Body(f"link {k}", ph.solids.placed(rod, (length / 2, 0, 0)))
        joints.append(ph.Revolute(f"q{k - 1}", before, link.origin, axis=ph.Z))
        before = link.point(length, 0, 0)
    away = np.array([lengths[0], 0])
    pin = ph.PointOn(
        before, world.frame, lambda x: x[:2] + away, rows=("x", "y"), name="pin"
    )
    system = ph.System(joints, constraints=[pin], name="four-bar")
    q = {"q1": 2.1, "q2": 0.6655470375077588, "q3": 2.527408138024188}
    u = {"q1": 0.2, "q2": -0.17963733938852067, "q3": 0.1309060540601612}
    form, state = ph.gauss(system), system.state(q, speeds=u)
    A, right = form.rows(state)
    own = np.array([1.0, *(-np.linalg.solve(A[:, 1:], A[:, 0]))])
    row = np.array([34.52709815256506, 7.003948798374735, -4.939690970641498])
    loop = [
        [0, 0.2071702479957077, 0.2842917573033711],
        [-0.13, -0.008836934896046506, 0.1864891330060847],
    ]
    forcing = np.array([-0.00066022608181, 0.001813559741243])
    return (
        Answer("mass row", row, own @ form.mass_matrix(state)),
        Answer("rows of the loop", np.array(loop), A),
        Answer("right sides of the loop", forcing, right),
        Answer("forcing", -0.031211821321648, -own @ form.bias(state)),
    )


@problem(sources.TEST_SET, "car axis, reference solution", digits=9, basis=PRINTED)
def car_axis() -> Sequence[Answer]:
    """The car axis: an index-3 problem with a constraint that moves.

    M = 10, L = 1, L₀ = 1/2, ε = 10⁻², r = 0.1, ω = 10, g = 1 (units of the source): an
    axle whose right wheel rides on y_b = r sin ωt; places and multipliers at t = 3.
    """
    mass, world = 10 * 1e-2**2 / 2, ph.World()
    left, right, base = (ph.Particle(n, mass) for n in ("left", "right", "base"))
    springs = [
        ph.Spring(world.origin, left.mass_centre, 1.0, 0.5, name="left spring"),
        ph.Spring(base.mass_centre, right.mass_centre, 1.0, 0.5, name="right spring"),
    ]

    def road(t: Any) -> Any:
        z = 0.1 * jnp.sin(10 * t)
        return jnp.sqrt(1 - z * z), z

    def on_the_road(base: Any, t: Any) -> Any:
        x, z = road(t)
        return base.position - jnp.stack([x, 0.0 * x, z])

    def upright(left: Any, t: Any) -> Any:
        x, z = road(t)
        return x * left.position[0] + z * left.position[2]

    def apart(left: Any, right: Any, t: Any) -> Any:
        d = left.position - right.position
        return d @ d - 1.0

    held = [
        ph.Holonomic([left.frame], upright, name="upright"),
        ph.Holonomic([left.frame, right.frame], apart, name="apart"),
        ph.Holonomic([base.frame], on_the_road, rows=("x", "y", "z"), name="road"),
    ]
    actions, bodies = [ph.Weight(1.0), *springs], [left, right, base]
    system = ph.System(bodies, actions, held, name="car axis")
    start = system.state(
        left=(0, 0, 0.5),
        right=(1, 0, 0.5),
        base=(1, 0, 0),
        speeds={"left": (-0.5, 0, 0), "right": (-0.5, 0, 0), "base": (0, 0, 1.0)},
    )
    motion = ph.simulate(system, start, until=3.0, rtol=1e-12, samples=2)
    end = motion.final
    places = [0.0493455784275402809, 0.496989460230171154]
    places += [1.04174252488542152, 0.373911027265361257]
    pushes = np.array([-0.00473688659084893325, -0.00110468033125734369])
    return (
        Answer("places", np.array(places), end.q[[0, 2, 3, 5]]),
        Answer("multipliers", pushes, motion.equations.multipliers(end)[:2], size=1.0),
    )


@problem(sources.LAMB, "table of k₁, k₂, k'", digits=2.4, basis=PRINTED)
def added_mass_of_spheroids() -> Sequence[Answer]:
    """The added mass of prolate spheroids.

    Coefficients of inertia along and across the axis in a fluid of the density 1, for
    ratios of the axes 2.00, 2.99 and 4.99, printed with three digits and rounded
    ratios.
    """
    printed = {2.0: (0.209, 0.702), 2.99: (0.122, 0.803), 4.99: (0.059, 0.895)}
    answers = []
    for ratio, (along, across) in printed.items():
        solid = ph.solids.ellipsoid(density=1.0, x=ratio, y=1.0, z=1.0)
        body = ph.Body("hull", ph.marine.submerged(solid, fluid_density=1.0))
        free = ph.Free("free", ph.World().origin, body.origin)
        inertia = ph.System([free], name="hull").inertias()[0]
        displaced = 4 / 3 * np.pi * ratio
        found = np.diag(inertia)[3:5] / displaced - 1
        expected = np.array([along, across])
        answers.append(Answer(f"k₁, k₂ at {ratio}", expected, found))
    return answers


@problem(sources.IMLAY, "formulas of a prolate ellipsoid", digits=10)
def added_mass_of_a_prolate_ellipsoid() -> Sequence[Answer]:
    """The added mass of a prolate ellipsoid in closed form.

    e² = 1 - (b/a)², α₀ = 2(1 - e²)/e³ (½ ln((1+e)/(1-e)) - e),
    β₀ = 1/e² - (1 - e²)/(2e³) ln((1+e)/(1-e)); k₁ = α₀/(2 - α₀), k₂ = β₀/(2 - β₀), and
    k' = e⁴ (β₀ - α₀)/((2 - e²)(2e² - (2 - e²)(β₀ - α₀))); a/b = 2.
    """
    a, b = 2.0, 1.0
    solid = ph.solids.ellipsoid(density=1.0, x=a, y=b, z=b)
    body = ph.Body("hull", ph.marine.submerged(solid, fluid_density=1.0))
    free = ph.Free("free", ph.World().origin, body.origin)
    inertia = np.diag(ph.System([free], name="hull").inertias()[0])
    m = 4 / 3 * np.pi * a * b * b
    moment = m / 5 * (a * a + b * b)
    found = np.array([inertia[3] / m, inertia[4] / m, inertia[1] / moment]) - 1
    e2 = 1 - (b / a) ** 2
    e = np.sqrt(e2)
    log = np.log((1 + e) / (1 - e))
    alpha = 2 * (1 - e2) / e**3 * (log / 2 - e)
    beta = 1 / e2 - (1 - e2) / (2 * e**3) * log
    gap = beta - alpha
    turning = e2**2 * gap / ((2 - e2) * (2 * e2 - (2 - e2) * gap))
    expected = np.array([alpha / (2 - alpha), beta / (2 - beta), turning])
    return (Answer("k₁, k₂, k'", expected, found),)


@problem(sources.KIRCHHOFF, "equations of a body in a fluid", digits=10)
def munk_moment() -> Sequence[Answer]:
    """A body in an ideal fluid turns its broad side to the flow.

    d/dt (J ω) = J ω × ω + (M v) × v: the angular acceleration of an ellipsoid that
    moves at (1, 0.2, -0.1) m/s without turning.
    """
    system = ph.models.start("ellipsoid_in_fluid").system
    v = np.array([1.0, 0.2, -0.1])
    state = system.state(speeds={"free": (0, 0, 0, *v)})
    inertia = system.inertias()[0]
    M, J = inertia[3:, 3:], inertia[:3, :3]
    found = ph.recursive(system).body_accelerations(state)[0]
    expected = np.linalg.solve(J, np.cross(M @ v, v))
    return (Answer("ω', rad/s²", expected, found[:3]),)


@problem(sources.CRAIG, "section 6.7, two-link planar manipulator", digits=11)
def two_link_manipulator() -> Sequence[Answer]:
    """The joint torques of a planar arm with two links.

    Masses at the ends of links l₁, l₂ in a vertical plane:
    τ₁ = m₂l₂²(θ₁''+θ₂'') + m₂l₁l₂c₂(2θ₁''+θ₂'') + (m₁+m₂)l₁²θ₁'' - m₂l₁l₂s₂θ₂'²
    - 2m₂l₁l₂s₂θ₁'θ₂' + m₂l₂g c₁₂ + (m₁+m₂)l₁g c₁ and
    τ₂ = m₂l₁l₂c₂θ₁'' + m₂l₁l₂s₂θ₁'² + m₂l₂g c₁₂ + m₂l₂²(θ₁''+θ₂'').
    """
    m1, m2, l1, l2 = 3.0, 2.0, 0.5, 0.4
    one = ph.Body.from_inertia("one", mass=m1, inertia=(0, 0, 0), centre=(l1, 0, 0))
    two = ph.Body.from_inertia("two", mass=m2, inertia=(0, 0, 0), centre=(l2, 0, 0))
    shoulder = ph.Revolute("shoulder", ph.World().origin, one.origin, axis=-ph.Y)
    elbow = ph.Revolute("elbow", one.point(l1, 0, 0), two.origin, axis=-ph.Y)
    system = ph.System([shoulder, elbow], [ph.Weight(G)], name="arm")
    (p, q), (u, v), (a, b) = (0.4, -1.1), (0.9, 1.6), (2.0, -3.0)
    state = system.state(shoulder=p, elbow=q, speeds={"shoulder": u, "elbow": v})
    form = ph.kane(system)
    # Without torques it accelerates as it likes; the rest is theirs.
    lacking = np.array([a, b]) - form.accelerations(state)
    found = form.mass_matrix(state) @ lacking
    s2, c2, c1, c12 = np.sin(q), np.cos(q), np.cos(p), np.cos(p + q)
    k, low = m2 * l1 * l2, m2 * l2 * G * c12
    first = m2 * l2**2 * (a + b) + k * c2 * (2 * a + b) + (m1 + m2) * l1**2 * a
    first += -k * s2 * v**2 - 2 * k * s2 * u * v + low + (m1 + m2) * l1 * G * c1
    second = k * c2 * a + k * s2 * u**2 + low + m2 * l2**2 * (a + b)
    return (Answer("τ, N m", np.array([first, second]), found),)
