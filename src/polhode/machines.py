"""Machine elements: pulleys, gears, shafts, bushings, stops, curves and motors."""

from polhode.lazy import lazy_names

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
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
