"""Andrews' squeezing mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import PRINTED, Answer, problem

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


def meeting(
    name: str, one: ph.Body, other: ph.Body, here: tuple[float, float]
) -> ph.Holonomic:
    """The end F of K2 and a point of another link are one, in the plane."""
    ends = np.array([-28e-3, 0.0, 0.0]), np.array([*here, 0.0])

    def apart(a: Any, b: Any, t: Any) -> Any:
        one, other = (
            p.position + p.rotation @ x for p, x in zip((a, b), ends, strict=True)
        )
        return (one - other)[:2]

    return ph.Holonomic([one.frame, other.frame], apart, rows=("x", "y"), name=name)


def squeezer() -> ph.System:
    """Seven links on pins, three of which meet in F; a spring and a motor."""
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
    ends = ((K3, (0.0, -35e-3)), (K4, (0.0, -20e-3)), (K6, (20e-3, 0.0)))
    loops = [meeting(f"F on {body.name}", K2, body, end) for body, end in ends]
    C = world.point(0.014, 0.072, 0)
    spring = ph.Spring(K3.point(20e-3, -18e-3, 0), C, 4530.0, 0.07785)
    drive = ph.Motor(hinges[0], 0.033)
    return ph.System(hinges, [spring, drive], loops, name="squeezer")


@problem(sources.ANDREWS, "VII.7, consistent accelerations", digits=11, basis=PRINTED)
def squeezer_at_the_start() -> Sequence[Answer]:
    """The first accelerations of Andrews' squeezing mechanism.

    Seven links, three loops, one freedom: β'' = 14222.4439199541138706 and
    θ'' = -10666.8329399655854029 rad/s² at the printed start.
    """
    system = squeezer()
    state = system.state(dict(zip(ANGLES, START, strict=True)))
    every = ph.gauss(system).accelerations(state)
    named = dict(zip(system.speed_names, every, strict=True))
    printed = np.array([14222.4439199541138706, -10666.8329399655854029])
    found = np.array([named["beta"], named["theta"]])
    return (Answer("β'', θ'', rad/s²", printed, found),)


@problem(sources.TEST_SET, "Andrews' squeezing mechanism", digits=8, basis=PRINTED)
def squeezer_after_30_ms() -> Sequence[Answer]:
    """The seven angles of Andrews' squeezing mechanism after 30 ms.

    Started at rest at the printed angles, driven by 0.033 N m at the first link.
    """
    system = squeezer()
    start = system.state(dict(zip(ANGLES, START, strict=True)))
    end = ph.simulate(system, start, until=0.03, rtol=1e-11, samples=2).final
    printed = [15.81077119629904, -15.75637105984298, 0.04082224013073101]
    printed += [-0.5347301163226948, 0.5244099658805304, 0.5347301163226948]
    printed += [1.048080741042263]
    found = np.array([float(np.ravel(end[name])[0]) for name in ANGLES])
    return (Answer("angles, rad", np.array(printed), found),)
