"""Andrews' squeezing mechanism: seven bodies, three loops, one freedom.

Statement and end values at t = 0.03 s: Hairer and Wanner, Solving Ordinary Differential
Equations II, VII.7; test set for IVP solvers (Mazzia and Magherini), problem `andrews`.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
MOMENTS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
# The mass centres of K1 to K7, from the pin that carries each.
CENTRES = (
    *((0.92e-3, 0.0), (-11.5e-3, 0.0), (10.43e-3, -18.74e-3), (0.0, -5.79e-3)),
    *((23.08e-3, 9.16e-3), (5.79e-3, 0.0), (-4.49e-3, -12.28e-3)),
)
ANGLES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
START = (
    *(-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885),
    *(0.487364979543842550, -0.222668390165885885, 1.23054744454982119),
)
END = (
    *(15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948),
    *(0.5244099658805304, 0.5347301163226948, 1.048080741042263),
)
RATES = (
    *(1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385),
    *(0.5735699284790808, -19.29337464421385, 0.3231791658026955),
)
MULTIPLIERS = (
    *(199.1753333731910, -29.75531228015052, 23.06654119098399),
    *(31.45271365475927, 22.64249232082739, 11.61740700019673),
)


def meeting(one: ph.Body, there: tuple, other: ph.Body, here: tuple, name: str):
    """Two points of two bodies are one, in the plane."""
    there, here = (np.array([*point, 0.0]) for point in (there, here))

    def apart(a, b, t):
        one, other = (p.position + p.rotation @ x for p, x in ((a, there), (b, here)))
        return (one - other)[:2]

    return ph.Holonomic([one.frame, other.frame], apart, rows=("x", "y"), name=name)


@cache
def squeezer() -> ph.System:
    links = [
        ph.Body.from_inertia(
            f"K{k + 1}", mass=m, inertia=(I / 2, I / 2, I), centre=(*centre, 0.0)
        )
        for k, (m, I, centre) in enumerate(zip(MASSES, MOMENTS, CENTRES, strict=True))
    ]
    K1, K2, K3, K4, K5, K6, K7 = links
    world = ph.World()
    A, B = world.point(-0.06934, -0.00227, 0), world.point(-0.03635, 0.03273, 0)
    pins = (
        *(("beta", world.origin, K1), ("theta", K1.point(7e-3, 0, 0), K2)),
        *(("gamma", B, K3), ("delta", A, K5), ("phi", K5.point(40e-3, 0, 0), K4)),
        *(("epsilon", A, K7), ("omega", K7.point(0, -40e-3, 0), K6)),
    )
    hinges = [ph.Revolute(n, at, body.origin, axis=ph.Z) for n, at, body in pins]
    ends = ((K3, (0, -35e-3)), (K4, (0, -20e-3)), (K6, (20e-3, 0)))
    loops = [
        meeting(K2, (-28e-3, 0), body, end, f"F on {body.name}") for body, end in ends
    ]
    C = world.point(0.014, 0.072, 0)
    spring = ph.Spring(K3.point(20e-3, -18e-3, 0), C, 4530.0, 0.07785)
    drive = ph.Motor(hinges[0], 0.033)
    return ph.System(hinges, [spring, drive], loops, name="squeezer")


def start() -> ph.State:
    return squeezer().state(dict(zip(ANGLES, START, strict=True)))


@pytest.mark.long
def test_the_squeezer_starts_as_printed():
    """beta'' and theta'' of the consistent start, to the digits of the problem."""
    form = ph.gauss(squeezer())
    found = dict(zip(squeezer().speed_names, form.accelerations(start()), strict=True))
    assert_close(found["beta"], 14222.4439199541138706, rtol=1e-11)
    assert_close(found["theta"], -10666.8329399655854029, rtol=1e-11)


@pytest.mark.long
def test_the_squeezer_ends_as_printed():
    """Angles to 1e-8, rates to 1e-8 of the largest; tighter is nearer.

    The printed multipliers have seven digits: they are not those of the printed state.
    """
    misses = []
    for rtol in (1e-8, 1e-11):
        motion = ph.simulate(squeezer(), start(), until=0.03, rtol=rtol)
        end = motion.final
        angles = np.array([end[name] for name in ANGLES]) - END
        rates = np.array([end.speed(name) for name in ANGLES]) - RATES
        pulls = np.abs(motion.equations.multipliers(end)) - np.abs(MULTIPLIERS)
        misses.append([np.max(np.abs(part)) for part in (angles, rates, pulls)])
    loose, tight = misses
    assert tight[0] < 1e-8
    assert tight[1] < 1e-8 * max(RATES)
    assert tight[2] < 2e-7 * max(MULTIPLIERS)
    assert all(a > 10 * b for a, b in zip(loose[:2], tight[:2], strict=True))
    ledger = motion.ledger()
    assert ledger.constraint_violation.max() < 1e-10 * 0.04
    assert ledger.velocity_miss.max() < 1e-10 * 1e3 * 0.04
