"""Kernels and actions of spacecraft, with arguments of the size of one to try them on.

Two bodies: the craft, and the planet it is near.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from polhode.actions.motion_arrays import Poses, Twists
from polhode.actions.space import (
    atmosphere,
    ephemeris,
    frames,
    gravity_gradient,
    harmonics,
    magnetic_field,
    rotation,
    sunlight,
    third_body,
    thruster,
    zonal_gravity,
)
from polhode.actions.space.atmospheric_drag import AtmosphericDrag
from polhode.actions.space.gravity_gradient import GravityGradient
from polhode.actions.space.harmonic_gravity import HarmonicGravity
from polhode.actions.space.magnetic_torque import MagneticTorque
from polhode.actions.space.moon import MoonEphemeris
from polhode.actions.space.random_load import RandomLoad
from polhode.actions.space.solar_pressure import SolarPressure
from polhode.actions.space.third_body import ThirdBody
from polhode.actions.space.thruster import Thruster
from polhode.actions.space.zonal_gravity import ZonalGravity
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.rotations import so3
from polhode.matter.rigid_body import Body
from polhode.matter.solids import box

X, V = np.array([1.1, 0.4, -0.9]), np.array([-0.3, 0.8, 0.2])
SUN = np.array([20.0, 30.0, 5.0])
S, W = np.array([4.0, -3.0, 2.0]), np.array([0.3, -0.7, 0.5])
INERTIA = np.array([[2.0, 0.1, 0.2], [0.1, 3.0, -0.3], [0.2, -0.3, 4.0]])
K, L, T = np.float64(3.0), np.float64(0.5), np.float64(0.4)
C = np.tril(np.cos(np.arange(25.0).reshape(5, 5)))
TABLES = harmonics.harmonic_tables(C, C)
ZONALS = (0.1, -0.2, 0.05)
ROWS = ephemeris.TableEphemeris([0.0, 0.3, 1.0], [X, V, S])
ELLIPSE = ephemeris.KeplerianEphemeris(1.0, 5.0, 0.3, 0.4, 0.5, 0.6, 0.7)
MOON = MoonEphemeris(-2820.5)
AIR = atmosphere.TableAtmosphere([0.0, 1.0, 2.0], [1.2, 0.5, 0.1])
THIN = atmosphere.ExponentialAtmosphere(0.6, 0.1, 2.0)

POSES = (np.stack([so3.exp(W), so3.exp(V)]), np.stack([X, 0.01 * S]))
TWISTS = (np.stack([W, V]), np.stack([V, 0.1 * X]))
CRAFT, PLANET = Body("craft", box(mass=2.0, x=0.3, y=0.4, z=0.6)), Frame("planet")
ON, BY = CRAFT.point(0.1, -0.2, 0.3), Point(PLANET, [0.01, 0.02, -0.03])
ROUND = {"mu": 9.0, "radius": 0.7}

ACTIONS = [
    ZonalGravity(CRAFT, BY, **ROUND, zonals=ZONALS),
    HarmonicGravity(CRAFT, BY, C, C, **ROUND, rate=0.0),
    HarmonicGravity(CRAFT, BY, C, C, **ROUND, rate=0.3, name="turning"),
    GravityGradient(CRAFT, BY, mu=9.0),
    ThirdBody(CRAFT, BY, 9.0, SUN),
    ThirdBody(CRAFT, BY, 9.0, ELLIPSE, name="on an ellipse"),
    ThirdBody(CRAFT, BY, 9.0, lambda t: SUN * (1 + t), name="by a law"),
    SolarPressure(ON, BY, SUN, 1.3, 0.9, radius=0.9, sun_radius=9.0, pressure=1e-19),
    AtmosphericDrag(ON, BY, 2.2, 0.9, THIN, radius=0.7, rate=0.3, flattening=0.1),
    AtmosphericDrag(
        ON, BY, 2.2, 0.9, lambda h, t: 0.1 * h * t, radius=0.7, name="own air"
    ),
    MagneticTorque(
        ON, BY, magnetic_field.DipoleField(strength=3.0, radius=0.7), (1.0, 2.0, 3.0)
    ),
    MagneticTorque(
        ON, BY, magnetic_field.HarmonicField(C, C, radius=0.7), (1, 2, 3), name="igrf"
    ),
    MagneticTorque(ON, BY, lambda x, t: x * t, (1, 2, 3), limit=1.5, name="own field"),
    RandomLoad(ON, force=0.3, torque=0.2, time=0.5, seed=3),
    Thruster(ON, W, 2.0, 0.7, period=1.0, minimum_on=0.1),
]


def _wrenches(acting, Q, x, w, v, t):
    count = len(acting.bodies)
    poses, twists = Poses(Q[:count], x[:count]), Twists(w[:count], v[:count])
    return tuple(acting.wrenches(poses, twists, t))


def _energy(acting, Q, x, t):
    return acting.energy(Poses(Q, x), t)


def _harmonic(function):
    """A kernel that is only for traces, as one that is called anywhere."""
    from polhode.double import doubled

    return doubled(lambda x, R: function(x, R, TABLES))


KERNELS = {
    "legendre": (lambda u: zonal_gravity.legendre(u, 5), (L,)),
    "zonal_acceleration": (
        lambda x, mu, R: zonal_gravity.zonal_acceleration(x, mu, R, ZONALS),
        (X, K, L),
    ),
    "zonal_potential": (
        lambda x, mu, R: zonal_gravity.zonal_potential(x, mu, R, ZONALS),
        (X, K, L),
    ),
    "harmonic_gradient": (_harmonic(harmonics.harmonic_gradient), (X, L)),
    "harmonic_sum": (_harmonic(harmonics.harmonic_sum), (X, L)),
    "into_rotating": (rotation.into_rotating, (X, L)),
    "from_rotating": (rotation.from_rotating, (X, L)),
    "carried": (rotation.carried, (X, L)),
    "gradient_torque": (gravity_gradient.gradient_torque, (X, INERTIA, K)),
    "gradient_force": (gravity_gradient.gradient_force, (X, INERTIA, K)),
    "gradient_energy": (gravity_gradient.gradient_energy, (X, INERTIA, K)),
    "eccentric_anomaly": (lambda M: ephemeris.eccentric_anomaly(M, 0.7), (K,)),
    "place_at a table": (partial(ephemeris.place_at, ROWS, name="rows"), (T,)),
    "place_at of the Moon": (MOON.at, (T,)),
    "third_body_acceleration": (third_body.third_body_acceleration, (X, S, K)),
    "density of a table": (AIR.at, (L,)),
    "sunlit_fraction": (sunlight.sunlit_fraction, (-0.1 * SUN + X, SUN, K, K)),
    "dipole_field": (magnetic_field.dipole_field, (X, W, K, L)),
    "pulse": (lambda u, t: thruster.pulse(u, t, 0.3, 0.01), (L, T)),
    "rtn": (frames.rtn, (X, V)),
    "lvlh": (frames.lvlh, (X, V)),
    "local_rate": (frames.local_rate, (X, V)),
    "rotating": (frames.rotating, (T, K, L)),
}
KERNELS |= {
    f"{type(acting).__name__} {acting.name}": (
        partial(_wrenches, acting),
        (*POSES, *TWISTS, T),
    )
    for acting in ACTIONS
}
KERNELS |= {
    f"energy of {type(acting).__name__} {acting.name}": (
        partial(_energy, acting),
        (*POSES, T),
    )
    for acting in ACTIONS
    if acting.is_conservative
}
