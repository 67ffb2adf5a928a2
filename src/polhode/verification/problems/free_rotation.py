"""Bodies that turn freely, without a torque."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk, ellipkinc

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import Answer, problem


@problem(sources.LANDAU, "§37, (37.10)", digits=9)
def asymmetrical_top() -> Sequence[Answer]:
    """The free asymmetrical top in elliptic functions.

    Moments 1, 2, 3 kg m², angular velocity (1, 1, 1) rad/s in the body's axes. With
    2E and M² of the start: Ω₁ ~ cn τ, Ω₂ ~ sn τ, Ω₃ ~ dn τ,
    τ = t √((I₃-I₂)(M² - 2E I₁)/(I₁ I₂ I₃)),
    k² = (I₂-I₁)(2E I₃ - M²)/((I₃-I₂)(M² - 2E I₁)).
    """
    I1, I2, I3 = I = np.array([1.0, 2.0, 3.0])
    body = ph.Body.from_inertia("body", mass=1.0, inertia=I)
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    system = ph.System([ball], name="asymmetrical top")
    t, w = np.linspace(0, 10, 101), np.ones(3)
    start = system.state(speeds={"ball": w})
    motion = ph.simulate(system, start, until=10.0, rtol=1e-12, samples=t)
    E2, M2 = I @ w**2, I**2 @ w**2
    rate = np.sqrt((I3 - I2) * (M2 - E2 * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1))
    sizes = np.sqrt(
        [
            (E2 * I3 - M2) / (I1 * (I3 - I1)),
            (E2 * I3 - M2) / (I2 * (I3 - I2)),
            (M2 - E2 * I1) / (I3 * (I3 - I1)),
        ]
    )
    begin = ellipkinc(np.arctan2(w[1] / sizes[1], w[0] / sizes[0]), m)
    sn, cn, dn, _ = ellipj(rate * t + begin, m)
    pairs = zip("₁₂₃", sizes, (cn, sn, dn), motion.z.T, strict=True)
    return [Answer(f"Ω{k}, rad/s", a * f, found, at=t) for k, a, f, found in pairs]


@problem(sources.LANDAU, "§37, (37.12)", digits=8)
def period_of_the_asymmetrical_top() -> Sequence[Answer]:
    """The angular velocity of a free top returns after a period in K(k).

    T = 4K √(I₁ I₂ I₃/((I₃-I₂)(M² - 2E I₁))), for moments 200, 300, 500 kg m² and the
    angular velocity (-0.4, 0.7, 0.5) rad/s: after T it has the same components in the
    body.
    """
    I1, I2, I3 = I = np.array([200.0, 300.0, 500.0])
    w = np.array([-0.4, 0.7, 0.5])
    body = ph.Body.from_inertia("body", mass=1.0, inertia=I)
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    system = ph.System([ball], name="asymmetrical top")
    E2, M2 = I @ w**2, I**2 @ w**2
    # Here M² < 2E I₂: axes 1 and 3 change their roles.
    if M2 < E2 * I2:
        I1, I3 = I3, I1
    rate = np.sqrt((I3 - I2) * (M2 - E2 * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1))
    T = 4 * ellipk(m) / rate
    start = system.state(speeds={"ball": w})
    end = ph.simulate(system, start, until=T, rtol=1e-12, samples=2).final
    return (Answer("Ω after T, rad/s", w, end.z),)


@problem(sources.LANDAU, "§37, (37.12), near the middle axis", digits=6)
def flipping_racket() -> Sequence[Answer]:
    """A body spun about its middle axis turns over, again and again.

    Moments 1, 2, 3 kg m², spin (0.01, 1, 0.01) rad/s. The spin about the middle axis
    changes its sign twice in T = 4K/λ; half of T lies between two turns.
    """
    I1, I2, I3 = I = np.array([1.0, 2.0, 3.0])
    w = np.array([0.01, 1.0, 0.01])
    body = ph.Body.from_inertia("body", mass=1.0, inertia=I)
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    system = ph.System([ball], name="racket")
    E2, M2 = I @ w**2, I**2 @ w**2
    rate = np.sqrt((I3 - I2) * (M2 - E2 * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1))
    turns = ph.Event("turns", lambda t, state: state.z[1], 0, terminal=False)
    start = system.state(speeds={"ball": w})
    motion = ph.simulate(system, start, until=40.0, rtol=1e-12, events=turns)
    first, second = motion.events["turns"].t[:2]
    return (Answer("time between turns, s", 2 * ellipk(m) / rate, second - first),)


@problem(sources.DRAKE, "free_body, exact solution of an axisymmetric body", digits=9)
def axisymmetric_body() -> Sequence[Answer]:
    """An axisymmetric body turns about its axis and precesses about its momentum.

    Moments 0.04 across and 0.02 kg m² along the axis, w(0) = (2, -4, 3) rad/s. In the
    body's axes w turns about the third at s = (I-J)/I w₃; the body's pose is a turn at
    p = |H|/I about the momentum H after a turn at s about its own axis.
    """
    I, J, w = 0.04, 0.02, np.array([2.0, -4.0, 3.0])
    body = ph.Body.from_inertia("body", mass=1.0, inertia=(I, I, J))
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    system = ph.System([ball], name="axisymmetric body")
    t = 1.0
    start = system.state(speeds={"ball": w})
    motion = ph.simulate(system, start, until=t, rtol=1e-12, samples=2)
    s = (I - J) / I * w[2]
    H = np.array([I, I, J]) * w
    own = Rotation.from_rotvec([0, 0, s * t])
    pose = (Rotation.from_rotvec(H / I * t) * own).as_matrix()
    return (
        Answer("w(1 s) in the body, rad/s", own.inv().apply(w), motion.z[-1]),
        Answer("orientation after 1 s", pose, motion["body"].orientation[-1]),
    )


@problem(sources.POINSOT, "the invariable plane", digits=10)
def poinsot_construction() -> Sequence[Answer]:
    """The ellipsoid of inertia rolls on a plane that stands still.

    In a free rotation the component of ω along the momentum H is 2T/|H|, always: the
    distance of the plane on which the ellipsoid rolls.
    """
    I, w = np.array([0.7, 1.1, 1.5]), np.array([1.2, 0.3, -0.8])
    body = ph.Body.from_inertia("body", mass=1.0, inertia=I)
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    system = ph.System([ball], name="free body")
    start = system.state(speeds={"ball": w})
    motion = ph.simulate(system, start, until=10.0, rtol=1e-12, samples=51)
    H = I * w  # the body's axes are those of the world at the start
    height = motion["body"].angular_velocity @ H / np.linalg.norm(H)
    expected = np.full(51, I @ w**2 / np.linalg.norm(H))
    return (Answer("ω·H/|H|, rad/s", expected, height, at=motion.t),)


@problem(sources.HUGHES, "torque-free motion near a principal axis", digits=10)
def spin_about_principal_axes() -> Sequence[Answer]:
    """Small motions of a body that spins about a principal axis.

    Spun at ν about the axis k, the other two components change as exp(s t) with s² =
    -ν² (I_k - I_i)(I_k - I_j)/(I_i I_j): they swing about the largest and the least
    axis and grow about the middle one.
    """
    I, spin = np.array([1.0, 1.4, 2.0]), 3.0
    body = ph.Body.from_inertia("body", mass=1.0, inertia=I)
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    system = ph.System([ball], name="free body")
    form = ph.recursive(system)
    answers = []
    for k, axis in enumerate("123"):
        i, j = (k + 1) % 3, (k + 2) % 3
        h, slopes = 1e-3, np.zeros((2, 2))
        # Euler's equations are quadratic: a central difference is their derivative.
        for column, n in enumerate((i, j)):
            ends = [spin * np.eye(3)[k] + sign * h * np.eye(3)[n] for sign in (1, -1)]
            states = [system.state(speeds={"ball": w}) for w in ends]
            ahead, behind = (form.accelerations(state) for state in states)
            slopes[:, column] = (ahead - behind)[[i, j]] / (2 * h)
        square = (slopes @ slopes)[0, 0]
        expected = -(spin**2) * (I[k] - I[i]) * (I[k] - I[j]) / (I[i] * I[j])
        answers.append(Answer(f"s² about axis {axis}, 1/s²", expected, square))
    return answers


@problem(sources.LANDAU, "§32, problem 2", digits=12)
def moments_of_inertia() -> Sequence[Answer]:
    """Principal moments of inertia of homogeneous bodies.

    Sphere 2/5 μ R²; cylinder 1/4 μ (R² + h²/3) and 1/2 μ R²; box
    1/12 μ (b² + c²); cone about its mass centre 3/20 μ (R² + h²/4) and 3/10 μ R²;
    ellipsoid 1/5 μ (b² + c²).
    """
    m, R, h, a, b, c = 2.0, 0.3, 0.8, 0.5, 0.7, 0.9

    def moments(solid: Any) -> Any:
        body = ph.Body("body", solid)
        free = ph.Free("free", ph.World().origin, body.mass_centre)
        inertia = ph.System([free], name="body").inertias()[0]
        return np.sort(np.diag(inertia)[:3])

    across, along = 3 / 20 * m * (R**2 + h**2 / 4), 3 / 10 * m * R**2
    flat = m / 4 * (R**2 + h**2 / 3)
    box = [m / 12 * (b**2 + c**2), m / 12 * (a**2 + c**2), m / 12 * (a**2 + b**2)]
    egg = [m / 5 * (b**2 + c**2), m / 5 * (a**2 + c**2), m / 5 * (a**2 + b**2)]
    solids = ph.solids
    cone = solids.cone(mass=m, radius=R, height=h)  # its base is at the origin
    pairs = {
        "sphere": ([0.4 * m * R**2] * 3, solids.sphere(mass=m, radius=R)),
        "cylinder": (
            [flat, flat, m * R**2 / 2],
            solids.cylinder(mass=m, radius=R, length=h),
        ),
        "box": (box, solids.box(mass=m, x=a, y=b, z=c)),
        "cone": ([across, across, along], solids.placed(cone, (0, 0, -h / 4))),
        "ellipsoid": (egg, solids.ellipsoid(mass=m, x=a, y=b, z=c)),
    }
    return [
        Answer(f"{name}, kg m²", np.sort(expected), moments(solid))
        for name, (expected, solid) in pairs.items()
    ]


@problem(sources.HAIRER, "the Euler equations of Krogh, a₁ = -2, a₂ = 1.25", digits=9)
def euler_equations_of_krogh() -> Sequence[Answer]:
    """Euler's equations with coefficients -2, 1.25 and -0.5.

    y₁' = -2 y₂ y₃, y₂' = 1.25 y₁ y₃, y₃' = -0.5 y₁ y₂ from (1, 0, 0.9) are those of
    moments in the ratio 1 : 4 : 6. No body alone has them (1 + 4 < 6): a fluid round it
    adds the rest. In elliptic functions y₁ = cn, y₂ = b sn, y₃ = 0.9 dn of ν t.
    """
    dry = ph.solids.sphere(mass=1.25, radius=1.0)  # moments of 0.5 kg m²
    added = np.diag([0.5, 3.5, 5.5, 0, 0, 0])
    body = ph.Body("body", ph.marine.with_added_mass(dry, added))
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    system = ph.System([ball], name="Krogh")
    t = np.linspace(0, 20, 81)
    start = system.state(speeds={"ball": (1.0, 0, 0.9)})
    motion = ph.simulate(system, start, until=20.0, rtol=1e-12, samples=t)
    # b² = 1.25/2; ν = 0.9 * 2 b and ν² m 0.9 = 0.5 b ν from the derivatives.
    b = np.sqrt(1.25 / 2)
    rate = 0.9 * 2 * b
    m = 0.5 * b / (0.9 * rate)
    sn, cn, dn, _ = ellipj(rate * t, m)
    rows = zip("₁₂₃", (cn, b * sn, 0.9 * dn), motion.z.T, strict=True)
    return [Answer(f"y{k}", expected, found, at=t) for k, expected, found in rows]
