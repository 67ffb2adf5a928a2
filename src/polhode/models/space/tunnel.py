r"""A ball in a straight tunnel through a homogeneous planet that may turn.

            .-'''''-.            pull inside:  G M/R^3 r, towards the centre
          .'  ball   `.          pull outside: G M/r^2
    =====|=====o=======|=====  tunnel, d_perp from the centre
          `.    + O   .'
            `-.....-'            diametral, equatorial:  r'' + (G M/R^3 - w^2) r = 0
                                 wall pushes N = 2 m w r' across

Surprise: every straight tunnel takes the same time, and it is the time of half an
orbit at the ground: 42 minutes through the Earth, from anywhere to anywhere.
"""

from __future__ import annotations

from math import cos, sin

import polhode as ph


def tunnel(rate: float = 0.0, offset: float = 0.0, tilt: float = 0.0) -> ph.System:
    """A ball in a tunnel along the planet's X axis, `offset` from the centre along Y.

    `rate` is the planet's spin about Z, prescribed; `tilt` raises the tunnel out of the
    equator towards the pole. Joints: "spin" and "tunnel". G M, R and m have names.
    """
    planet, ball, spin = _planet_and_ball()
    way, middle = (cos(tilt), 0.0, sin(tilt)), planet.point(0, offset, 0)
    bore = ph.Prismatic("tunnel", middle, ball.mass_centre, axis=way)
    actions, drivers = [_pull(planet, ball)], [_driver(spin, rate)]
    return ph.System([spin, bore], actions, drivers, name="ball through a planet")


def flight(rate: float = 0.25) -> ph.System:
    """The same ball above the ground, free: what comes out of the tunnel flies on.

    Joints: "spin" and "ball". Surprise: it comes down behind the mouth that it left.
    """
    planet, ball, spin = _planet_and_ball()
    actions, drivers = [_pull(planet, ball)], [_driver(spin, rate)]
    return ph.System([spin, ball], actions, drivers, name="ball above a planet")


def released(state: ph.State, above: ph.System) -> ph.State:
    """The ball of a tunnel let go where it is: a state of `flight` at the same time."""
    system = state.system
    poses = system.poses(state.t, state.q)
    twists = system.twists(state.t, state.q, state.z)
    speeds = {"spin": state.speed("spin"), "ball": twists.linear[1]}
    where = {"spin": state["spin"], "ball": poses.origins[1]}
    return above.state(where, speeds=speeds, t=state.t)


def escapes(state: ph.State) -> bool:
    """Whether a ball in flight never comes back: its energy is not below zero."""
    v, m = state.speed("ball"), state.system.parameters["m"]
    stored = state.system.potential_energy(state.t, state.q)
    return bool(m * (v @ v) / 2 + stored >= 0)


def _planet_and_ball() -> tuple[ph.Body, ph.Particle, ph.Revolute]:
    planet = ph.Body("planet", ph.solids.sphere(mass=1.0, radius=1.0))
    ball = ph.Particle("ball", ph.Parameter("m", 0.01))
    spin = ph.Revolute("spin", ph.World().origin, planet.origin, axis=ph.Z)
    return planet, ball, spin


# V is G M m (r^2 - 3 R^2)/(2 R^3) inside and -G M m/r outside, the same at r = R; here
# of the lesser and of the greater of r^2 and R^2.
RR = "x ** 2 + y ** 2 + z ** 2"
ENERGY = (
    f"-GM * m * ((3 * R ** 2 - min({RR}, R ** 2)) / (2 * R ** 3) - 1 / R"
    f" + 1 / sqrt(max({RR}, R ** 2)))"
)


def _pull(planet: ph.Body, ball: ph.Particle) -> ph.Potential:
    constants = {
        "GM": ph.Parameter("GM", 1.0),
        "R": ph.Parameter("R", 1.0),
        "m": ph.Parameter("m", 0.01),
    }
    law = ph.Formula(ENERGY, ("x", "y", "z"), constants=constants)
    return ph.Potential((planet.frame, ball.frame), law, name="pull")


def _driver(spin: ph.Revolute, rate: float) -> ph.PrescribedMotion:
    turning = ph.Formula("rate * t", constants={"rate": ph.Parameter("rate", rate)})
    return ph.PrescribedMotion(spin, turning, name="driver")
