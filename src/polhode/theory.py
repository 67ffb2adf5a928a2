"""The vocabulary of mechanics: frames, twists, wrenches, forces, and definitions."""

from polhode.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "AircraftAngles": "polhode.geometry.rotations.aircraft_angles",
    "AngularVelocity": "polhode.geometry.motion.angular_velocity",
    "ContactPoint": "polhode.geometry.motion.contact_point",
    "CoriolisChoice": "polhode.formulation.spatial_forms.choices",
    "Couple": "polhode.actions.force",
    "Dyadic": "polhode.geometry.vector",
    "Force": "polhode.actions.force",
    "ForceField": "polhode.actions.fields.field",
    "ForceSystem": "polhode.actions.force",
    "Frame": "polhode.geometry.frame",
    "FrameMotion": "polhode.geometry.motion.frame_motion",
    "FrameTree": "polhode.geometry.motion.frame_tree",
    "Momentum": "polhode.matter.momentum",
    "Observer": "polhode.formulation.spatial_forms.observer",
    "Parametrisation": "polhode.geometry.rotations.parametrisation",
    "Point": "polhode.geometry.point",
    "Pose": "polhode.geometry.pose",
    "Rate": "polhode.geometry.motion.rate",
    "SpatialInertia": "polhode.matter.spatial_inertia",
    "Twist": "polhode.geometry.twist",
    "Vector": "polhode.geometry.vector",
    "VelocityChoice": "polhode.geometry.motion.velocity_choice",
    "Wrench": "polhode.geometry.wrench",
    "circulation": "polhode.actions.fields.work",
    "conservativity": "polhode.actions.fields.conservative",
    "forces_by_power": "polhode.actions.potentials.power_definition",
    "forces_by_virtual_work": "polhode.actions.potentials.power_definition",
    "hamiltonian_ledger": "polhode.formulation.questions.hamiltonian_ledger",
    "least_deviation": "polhode.formulation.questions.deviation",
    "momentum_of": "polhode.matter.momentum",
    "multiplier_family": "polhode.actions.potentials.power_definition",
    "poisson_bracket": "polhode.formulation.questions.poisson",
    "quadrature": "polhode.actions.fields",
    "work": "polhode.actions.fields.work",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
