"""Polhode: rigid-body mechanics described once, read and run in every form.

>>> import polhode as ph
"""

from importlib import import_module
from typing import Any

from polhode.version import __version__

# Public name -> the module that defines it. Loaded on first use: `import polhode`
# itself imports nothing heavy.
PUBLIC = {
    # lowering
    "compile": "polhode.lowering.compile",
    "Program": "polhode.lowering.compile",
    "read": "polhode.lowering.sympy",
    # geometry: frames, poses and motions
    "AngularVelocity": "polhode.geometry.angular_velocity",
    "ContactPoint": "polhode.geometry.contact_point",
    "Dyadic": "polhode.geometry.vector",
    "Frame": "polhode.geometry.frame",
    "FrameMotion": "polhode.geometry.frame_motion",
    "FrameTree": "polhode.geometry.frame_tree",
    "Point": "polhode.geometry.point",
    "Pose": "polhode.geometry.pose",
    "Rate": "polhode.geometry.rate",
    "Twist": "polhode.geometry.twist",
    "Vector": "polhode.geometry.vector",
    "VelocityChoice": "polhode.geometry.velocity_choice",
    "Wrench": "polhode.geometry.wrench",
    # geometry: rotations
    "AircraftAngles": "polhode.geometry.aircraft_angles",
    "Parametrisation": "polhode.geometry.parametrisation",
    "Rotation": "polhode.geometry.rotation",
    # matter
    "Body": "polhode.matter.rigid_body",
    "Cloud": "polhode.matter.cloud",
    "Inertia": "polhode.matter.inertia",
    "Momentum": "polhode.matter.momentum",
    "Parameter": "polhode.matter.parameter",
    "Particle": "polhode.matter.particle",
    "SpatialInertia": "polhode.matter.spatial_inertia",
    "World": "polhode.matter.world",
    "X": "polhode.matter.axes",
    "Y": "polhode.matter.axes",
    "Z": "polhode.matter.axes",
    "inertia": "polhode.matter",
    "momentum_of": "polhode.matter.momentum",
    "solids": "polhode.matter",
    "submerged": "polhode.matter.submerged",
    "with_added_mass": "polhode.matter.submerged",
    # joints
    "BallRoller": "polhode.joints.ball_roller",
    "Cylindrical": "polhode.joints.cylindrical",
    "Fixed": "polhode.joints.fixed",
    "Free": "polhode.joints.free",
    "Joint": "polhode.joints.joint",
    "Planar": "polhode.joints.planar",
    "Prismatic": "polhode.joints.prismatic",
    "Revolute": "polhode.joints.revolute",
    "Roller": "polhode.joints.roller",
    "Screw": "polhode.joints.screw",
    "Slider": "polhode.joints.slider",
    "Spherical": "polhode.joints.spherical",
    "Translation": "polhode.joints.translation",
    "Universal": "polhode.joints.universal",
    "UserJoint": "polhode.joints.user_joint",
    # actions
    "AppliedCouple": "polhode.actions.applied",
    "AppliedForce": "polhode.actions.applied",
    "CentralForce": "polhode.actions.central_force",
    "Coulomb": "polhode.actions.friction",
    "Couple": "polhode.actions.force",
    "Damper": "polhode.actions.connectors",
    "Drag": "polhode.actions.drag",
    "Force": "polhode.actions.force",
    "ForceField": "polhode.actions.field",
    "ForceFunction": "polhode.actions.potential",
    "ForceLaw": "polhode.actions.force_law",
    "ForceSystem": "polhode.actions.force",
    "Friction": "polhode.actions.friction",
    "Gravitation": "polhode.actions.gravitation",
    "JointDamper": "polhode.actions.joint_law",
    "JointSpring": "polhode.actions.joint_law",
    "Motor": "polhode.actions.joint_law",
    "NonlinearSpring": "polhode.actions.spring",
    "PointMass": "polhode.actions.gravitation",
    "Potential": "polhode.actions.potential",
    "RawPotential": "polhode.actions.raw_potential",
    "Regularised": "polhode.actions.friction",
    "RotationalDamper": "polhode.actions.damper",
    "RotationalSpring": "polhode.actions.rotational_spring",
    "Spring": "polhode.actions.connectors",
    "TorsionalSpring": "polhode.actions.rotational_spring",
    "Viscous": "polhode.actions.friction",
    "Weight": "polhode.actions.weight",
    "audit_invariance": "polhode.actions.invariance",
    "circulation": "polhode.actions.work",
    "conservativity": "polhode.actions.conservative",
    "quadrature": "polhode.actions",
    "work": "polhode.actions.work",
    # constraints
    "Distance": "polhode.constraints.distance",
    "Gear": "polhode.constraints.gear",
    "Holonomic": "polhode.constraints.holonomic",
    "PointOn": "polhode.constraints.holonomic",
    "PrescribedMotion": "polhode.constraints.prescribed_motion",
    "VelocityEquation": "polhode.constraints.velocity_rows",
    "VelocityRows": "polhode.constraints.velocity_rows",
    "audit_constraint": "polhode.constraints.invariance",
    "rolling": "polhode.constraints.rolling",
    "surfaces": "polhode.constraints",
    # system
    "State": "polhode.system.state",
    "System": "polhode.system.system",
    "assemble": "polhode.system.assemble",
    "integrability": "polhode.system.integrability",
    "lock": "polhode.system.locking",
    "mobility": "polhode.system.check",
    "unlock": "polhode.system.locking",
    # integrate
    "CommutatorFree4": "polhode.integrate.commutator_free",
    "Composed": "polhode.integrate.composed",
    "CrouchGrossman4": "polhode.integrate.crouch_grossman",
    "DormandPrince": "polhode.integrate.dormand_prince",
    "DormandPrince8": "polhode.integrate.dop853",
    "EnergyMomentum": "polhode.integrate.energy_momentum",
    "Event": "polhode.integrate.events",
    "Events": "polhode.integrate.events",
    "GaussLegendre4": "polhode.integrate.gauss_legendre",
    "GaussLegendre6": "polhode.integrate.gauss_legendre",
    "GearGuptaLeimkuhler": "polhode.integrate.gear_gupta_leimkuhler",
    "GeneralisedAlpha": "polhode.integrate.generalised_alpha",
    "ImplicitMidpoint": "polhode.integrate.implicit_midpoint",
    "Ledger": "polhode.integrate.ledger",
    "MoserVeselov": "polhode.integrate.moser_veselov",
    "Motions": "polhode.integrate.motions",
    "MuntheKaas4": "polhode.integrate.rkmk",
    "Noise": "polhode.integrate.inputs",
    "RadauIIA": "polhode.integrate.radau",
    "Rattle": "polhode.integrate.rattle",
    "Recording": "polhode.integrate.storage.recording",
    "RungeKutta4": "polhode.integrate.rk4",
    "Sampled": "polhode.integrate.inputs",
    "SemiImplicitEuler": "polhode.integrate.semi_implicit_euler",
    "States": "polhode.integrate.states",
    "StormerVerlet": "polhode.integrate.stormer_verlet",
    "Trajectory": "polhode.integrate.trajectory",
    "Variational": "polhode.integrate.variational",
    "limit_events": "polhode.integrate.ready_events",
    "load": "polhode.integrate.storage.recording",
    "resume": "polhode.integrate.storage.restore",
    "saturation_events": "polhode.integrate.ready_events",
    "Unprojected": "polhode.integrate.projection",
    "projection_work": "polhode.integrate.projection",
    "simulate": "polhode.integrate.simulate",
    "stepper": "polhode.integrate.stepper",
    "surface_event": "polhode.integrate.ready_events",
    # formulation
    "Coriolis": "polhode.formulation.coriolis",
    "CoriolisChoice": "polhode.formulation.spatial_forms.choices",
    "Equations": "polhode.formulation.equations",
    "Observer": "polhode.formulation.spatial_forms.observer",
    "Velocities": "polhode.formulation.velocities",
    "Balance": "polhode.formulation.balance",
    "balance": "polhode.formulation.balance",
    "boltzmann_hamel": "polhode.formulation.boltzmann_hamel",
    "compare": "polhode.formulation.compare",
    "cyclic_coordinates": "polhode.formulation.routh",
    "dalembert": "polhode.formulation.dalembert",
    "gauss": "polhode.formulation.gauss",
    "gibbs_appell": "polhode.formulation.gibbs_appell",
    "hamilton": "polhode.formulation.hamilton",
    "hamiltonian_ledger": "polhode.formulation.hamiltonian_ledger",
    "hybrid": "polhode.formulation.hybrid",
    "kane": "polhode.formulation.kane",
    "kirchhoff": "polhode.formulation.kirchhoff",
    "lagrange": "polhode.formulation.lagrange",
    "lagrange_first_kind": "polhode.formulation.lagrange_first_kind",
    "least_deviation": "polhode.formulation.deviation",
    "lie_poisson": "polhode.formulation.lie_poisson",
    "maggi": "polhode.formulation.maggi",
    "newton_euler": "polhode.formulation.newton_euler",
    "point_motion": "polhode.formulation.point_motion",
    "poisson_bracket": "polhode.formulation.poisson",
    "recursive": "polhode.formulation.recursive.recursive",
    "routh": "polhode.formulation.routh",
    "solvability": "polhode.formulation.solvability",
    "spatial_form": "polhode.formulation.spatial_forms.spatial_form",
    "udwadia_kalaba": "polhode.formulation.udwadia_kalaba",
    "unified": "polhode.formulation.unified",
    # models: a room of its own
    "models": "polhode",
    # errors
    "PolhodeError": "polhode.errors",
}

__all__ = ["__version__", *PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(f"module 'polhode' has no attribute {name!r}")
    if PUBLIC[name] == __name__:
        return import_module(f"{__name__}.{name}")
    value = getattr(import_module(PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
