"""The vocabulary of mechanics: frames, twists, wrenches, forces, and definitions."""

from polhode.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "AircraftAngles": "polhode.geometry.aircraft_angles",
    "AngularVelocity": "polhode.geometry.angular_velocity",
    "ContactPoint": "polhode.geometry.contact_point",
    "CoriolisChoice": "polhode.formulation.spatial_forms.choices",
    "Couple": "polhode.actions.force",
    "Dyadic": "polhode.geometry.vector",
    "Force": "polhode.actions.force",
    "ForceField": "polhode.actions.field",
    "ForceSystem": "polhode.actions.force",
    "Frame": "polhode.geometry.frame",
    "FrameMotion": "polhode.geometry.frame_motion",
    "FrameTree": "polhode.geometry.frame_tree",
    "Momentum": "polhode.matter.momentum",
    "Observer": "polhode.formulation.spatial_forms.observer",
    "Parametrisation": "polhode.geometry.parametrisation",
    "Point": "polhode.geometry.point",
    "Pose": "polhode.geometry.pose",
    "Rate": "polhode.geometry.rate",
    "SpatialInertia": "polhode.matter.spatial_inertia",
    "Twist": "polhode.geometry.twist",
    "Vector": "polhode.geometry.vector",
    "VelocityChoice": "polhode.geometry.velocity_choice",
    "Wrench": "polhode.geometry.wrench",
    "circulation": "polhode.actions.work",
    "conservativity": "polhode.actions.conservative",
    "forces_by_power": "polhode.actions.power_definition",
    "forces_by_virtual_work": "polhode.actions.power_definition",
    "hamiltonian_ledger": "polhode.formulation.questions.hamiltonian_ledger",
    "least_deviation": "polhode.formulation.questions.deviation",
    "momentum_of": "polhode.matter.momentum",
    "multiplier_family": "polhode.actions.power_definition",
    "poisson_bracket": "polhode.formulation.questions.poisson",
    "quadrature": "polhode.actions",
    "work": "polhode.actions.work",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
