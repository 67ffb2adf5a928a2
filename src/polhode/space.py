"""Spacecraft: what acts on them, orbital frames and times, actuators and sensors."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    # what acts
    "AtmosphericDrag": "polhode.actions.space.atmospheric_drag",
    "GravityGradient": "polhode.actions.space.gravity_gradient",
    "HarmonicGravity": "polhode.actions.space.harmonic_gravity",
    "MagneticTorque": "polhode.actions.space.magnetic_torque",
    "RandomLoad": "polhode.actions.space.random_load",
    "SolarPressure": "polhode.actions.space.solar_pressure",
    "ThirdBody": "polhode.actions.space.third_body",
    "Thruster": "polhode.actions.space.thruster",
    "ZonalGravity": "polhode.actions.space.zonal_gravity",
    # what they are told
    "DipoleField": "polhode.actions.space.magnetic_field",
    "EARTH": "polhode.actions.space.planet",
    "EARTH_FIELD": "polhode.actions.space.magnetic_field",
    "EARTH_AIR": "polhode.actions.space.atmosphere",
    "ExponentialAtmosphere": "polhode.actions.space.atmosphere",
    "FixedPlace": "polhode.actions.space.ephemeris",
    "HarmonicField": "polhode.actions.space.magnetic_field",
    "KeplerianEphemeris": "polhode.actions.space.ephemeris",
    "MOON": "polhode.actions.space.planet",
    "MoonEphemeris": "polhode.actions.space.moon",
    "Planet": "polhode.actions.space.planet",
    "SUN": "polhode.actions.space.planet",
    "TableAtmosphere": "polhode.actions.space.atmosphere",
    "TableEphemeris": "polhode.actions.space.ephemeris",
    "gravity_coefficients": "polhode.actions.space.coefficients",
    "magnetic_coefficients": "polhode.actions.space.coefficients",
    "sunlit_fraction": "polhode.actions.space.sunlight",
    # actuators, sensors, laws
    "Accelerometer": "polhode.control.sensors",
    "Gyroscope": "polhode.control.sensors",
    "StarTracker": "polhode.control.sensors",
    "WheelCluster": "polhode.control.wheels",
    "WheelMotor": "polhode.actions.space.wheel_motor",
    "attitude_feedback": "polhode.control.wheels",
    "detumbling": "polhode.control.magnetic",
    "momentum_dumping": "polhode.control.magnetic",
    "pyramid": "polhode.control.wheels",
    "wheel_cluster": "polhode.control.wheels",
    # frames and times
    "Epoch": "polhode.actions.space.frames",
    "LocalFrame": "polhode.actions.space.frames",
    "local_rate": "polhode.actions.space.frames",
    "lvlh": "polhode.actions.space.frames",
    "perifocal": "polhode.actions.space.frames",
    "rotating": "polhode.actions.space.frames",
    "rtn": "polhode.actions.space.frames",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
