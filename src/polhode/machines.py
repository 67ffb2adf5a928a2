"""Machine elements: pulleys, gears, shafts, bushings, stops, curves and motors."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    # what joins motions
    "ConstantVelocityCoupling": "polhode.constraints.machines.shafts",
    "HookeCoupling": "polhode.constraints.machines.shafts",
    "Pulley": "polhode.constraints.machines.rope",
    "differential": "polhode.constraints.machines.transmissions",
    "planetary_gear": "polhode.constraints.machines.transmissions",
    "rack_and_pinion": "polhode.constraints.machines.transmissions",
    "worm_gear": "polhode.constraints.machines.transmissions",
    # what acts
    "BumpStop": "polhode.actions.machines.bump_stop",
    "Bushing": "polhode.actions.machines.bushing",
    "DamperCurve": "polhode.actions.machines.curves",
    "GasForce": "polhode.actions.machines.gas_force",
    "JointCurve": "polhode.actions.machines.curves",
    "SpringCurve": "polhode.actions.machines.curves",
    "TorqueMotor": "polhode.actions.machines.torque_motor",
    # matter
    "flywheel": "polhode.joints.flywheel",
    "NonlinearSpring": "polhode.actions.force_elements.spring",
    "RotationalDamper": "polhode.actions.force_elements.damper",
    "RotationalSpring": "polhode.actions.force_elements.rotational_spring",
    "Servo": "polhode.actions.force_elements.transmission",
    "TendonDamper": "polhode.actions.force_elements.transmission",
    "TendonSpring": "polhode.actions.force_elements.transmission",
    "TorsionalSpring": "polhode.actions.force_elements.rotational_spring",
    "Belt": "polhode.constraints.machines.transmissions",
    "Cam": "polhode.constraints.machines.cam",
    "Chain": "polhode.constraints.machines.transmissions",
    "Rope": "polhode.constraints.machines.rope",
    "TendonLength": "polhode.constraints.tendon_length",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
