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
    "read": "polhode.lowering.reading.sympy_reader",
    "to_c": "polhode.lowering.backends.source.c",
    "to_matlab": "polhode.lowering.backends.source.matlab",
    # geometry: frames, poses and motions
    # geometry: rotations
    "Rotation": "polhode.geometry.rotations.rotation",
    # matter
    "Body": "polhode.matter.rigid_body",
    "Cloud": "polhode.matter.cloud",
    "Inertia": "polhode.matter.inertia",
    "Parameter": "polhode.matter.parameter",
    "Particle": "polhode.matter.particle",
    "Shape": "polhode.matter.shape",
    "Table": "polhode.matter.tables.table",
    "World": "polhode.matter.world",
    "X": "polhode.matter.axes",
    "Y": "polhode.matter.axes",
    "Z": "polhode.matter.axes",
    "inertia": "polhode.matter",
    "solids": "polhode.matter",
    "arctan": "polhode.matter.quantities.functions",
    "cos": "polhode.matter.quantities.functions",
    "exp": "polhode.matter.quantities.functions",
    "log": "polhode.matter.quantities.functions",
    "sin": "polhode.matter.quantities.functions",
    "sqrt": "polhode.matter.quantities.functions",
    "submerged": "polhode.matter.submerged",
    "tan": "polhode.matter.quantities.functions",
    "tanh": "polhode.matter.quantities.functions",
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
    "ApparentForce": "polhode.actions.moving_observer",
    "AppliedCouple": "polhode.actions.applied",
    "AppliedForce": "polhode.actions.applied",
    "CentralForce": "polhode.actions.central_force",
    "CompliantContact": "polhode.actions.contact.compliant_contact",
    "ConstraintFriction": "polhode.actions.contact.carried_friction",
    "Coulomb": "polhode.actions.contact.friction",
    "Damper": "polhode.actions.force_elements.connectors",
    "Drag": "polhode.actions.drag",
    "Flores": "polhode.actions.contact.contact_laws",
    "ForceFunction": "polhode.actions.potentials.potential",
    "ForceLaw": "polhode.actions.force_law",
    "Friction": "polhode.actions.contact.friction",
    "Gravitation": "polhode.actions.gravitation",
    "Hertz": "polhode.actions.contact.contact_laws",
    "HuntCrossley": "polhode.actions.contact.contact_laws",
    "JointDamper": "polhode.actions.force_elements.joint_law",
    "JointFriction": "polhode.actions.contact.carried_friction",
    "JointSpring": "polhode.actions.force_elements.joint_law",
    "KelvinVoigt": "polhode.actions.contact.contact_laws",
    "LankaraniNikravesh": "polhode.actions.contact.contact_laws",
    "Motor": "polhode.actions.force_elements.joint_law",
    "NonlinearSpring": "polhode.actions.force_elements.spring",
    "PointMass": "polhode.actions.gravitation",
    "Potential": "polhode.actions.potentials.potential",
    "RawPotential": "polhode.actions.potentials.raw_potential",
    "Regularised": "polhode.actions.contact.friction",
    "RotationalDamper": "polhode.actions.force_elements.damper",
    "RotationalSpring": "polhode.actions.force_elements.rotational_spring",
    "Servo": "polhode.actions.force_elements.transmission",
    "Spring": "polhode.actions.force_elements.connectors",
    "TendonDamper": "polhode.actions.force_elements.transmission",
    "TendonSpring": "polhode.actions.force_elements.transmission",
    "TorsionalSpring": "polhode.actions.force_elements.rotational_spring",
    "Viscous": "polhode.actions.contact.friction",
    "Weight": "polhode.actions.weight",
    "audit_invariance": "polhode.actions.potentials.invariance",
    "driven_potential": "polhode.actions.potentials.driven_potential",
    "observed_from": "polhode.actions.moving_observer",
    # constraints
    "Belt": "polhode.constraints.machines.transmissions",
    "Cam": "polhode.constraints.machines.cam",
    "Chain": "polhode.constraints.machines.transmissions",
    "Distance": "polhode.constraints.distance",
    "Gear": "polhode.constraints.gear",
    "Holonomic": "polhode.constraints.holonomic",
    "JointEquation": "polhode.constraints.joint_equation",
    "PointOn": "polhode.constraints.holonomic",
    "PrescribedMotion": "polhode.constraints.prescribed_motion",
    "Rope": "polhode.constraints.machines.rope",
    "TendonLength": "polhode.constraints.tendon_length",
    "VelocityEquation": "polhode.constraints.velocity_rows",
    "VelocityRows": "polhode.constraints.velocity_rows",
    "Driven": "polhode.constraints.driven",
    "audit_constraint": "polhode.constraints.invariance",
    "driven": "polhode.constraints.driven",
    "prescribed": "polhode.constraints.driven",
    "rolling": "polhode.constraints.rolling",
    "surfaces": "polhode.constraints",
    # supports
    "Newton": "polhode.supports.restitution",
    "Poisson": "polhode.supports.restitution",
    "Stronge": "polhode.supports.restitution",
    "Floor": "polhode.supports.floor",
    "tether": "polhode.supports.tether",
    "Support": "polhode.supports.support",
    # system
    "State": "polhode.system.state",
    "System": "polhode.system.system",
    "assemble": "polhode.system.assemble",
    "lock": "polhode.system.locking",
    "mobility": "polhode.system.check",
    "unlock": "polhode.system.locking",
    "wrench_about": "polhode.system.wrench_about",
    # integrate
    "Choice": "polhode.integrate.field.distribution",
    "Controller": "polhode.integrate.inputs.controller",
    "Ensemble": "polhode.integrate.field.ensemble",
    "Event": "polhode.integrate.events.event",
    "Noise": "polhode.integrate.inputs.inputs",
    "Normal": "polhode.integrate.field.distribution",
    "Quantity": "polhode.integrate.results.quantity",
    "Sampled": "polhode.integrate.inputs.inputs",
    "States": "polhode.integrate.field.states",
    "Uniform": "polhode.integrate.field.distribution",
    "limit_events": "polhode.integrate.events.ready_made",
    "load_motion": "polhode.integrate.storage.recording",
    "load_sweep": "polhode.integrate.storage.sweep_parts",
    "projection_work": "polhode.integrate.methods.projection",
    "rank_along": "polhode.integrate.audit.constraint_rank",
    "resume": "polhode.integrate.storage.resume",
    "saturation_events": "polhode.integrate.events.ready_made",
    "simulate": "polhode.integrate.simulate",
    "stepper": "polhode.integrate.stepper",
    "sweep": "polhode.integrate.sweep",
    "surface_event": "polhode.integrate.events.ready_made",
    # formulation
    "Coordinates": "polhode.formulation.reading.coordinates",
    "Equations": "polhode.formulation.equations",
    "Velocities": "polhode.formulation.shared.velocities",
    "audit": "polhode.formulation.audit",
    "balance": "polhode.formulation.questions.balance",
    "boltzmann_hamel": "polhode.formulation.boltzmann_hamel",
    "compare": "polhode.formulation.compare",
    "cyclic_coordinates": "polhode.formulation.routh",
    "contact_modes": "polhode.formulation.contact.questions",
    "contact_reading": "polhode.formulation.reading.contact_reading",
    "dalembert": "polhode.formulation.dalembert",
    "gauss": "polhode.formulation.gauss",
    "gibbs_appell": "polhode.formulation.gibbs_appell",
    "hamilton": "polhode.formulation.hamilton",
    "hybrid": "polhode.formulation.hybrid",
    "ideal": "polhode.formulation.questions.real_reactions",
    "impact": "polhode.formulation.contact.questions",
    "in_mode": "polhode.formulation.contact.in_mode",
    "kane": "polhode.formulation.kane",
    "kirchhoff": "polhode.formulation.kirchhoff",
    "lagrange": "polhode.formulation.lagrange",
    "lagrange_first_kind": "polhode.formulation.lagrange_first_kind",
    "lie_poisson": "polhode.formulation.lie_poisson",
    "maggi": "polhode.formulation.maggi",
    "needed_friction": "polhode.formulation.questions.slip",
    "newton_euler": "polhode.formulation.newton_euler",
    "percussion": "polhode.formulation.contact.questions",
    "passive_dynamics": "polhode.formulation.recursive.passive_dynamics",
    "point_motion": "polhode.formulation.questions.point_motion",
    "reaction_parts": "polhode.formulation.questions.real_reactions",
    "recursive": "polhode.formulation.recursive.recursive",
    "routh": "polhode.formulation.routh",
    "solvability": "polhode.formulation.questions.solvability",
    "spatial_form": "polhode.formulation.spatial_forms.spatial_form",
    "udwadia_kalaba": "polhode.formulation.udwadia_kalaba",
    "unified": "polhode.formulation.unified",
    "ideal_reactions": "polhode.formulation.questions.ideal_reactions",
    # analyse
    "symmetries": "polhode.analyse.symmetries",
    "bifurcation": "polhode.analyse.section",
    "campbell": "polhode.analyse.linear.campbell",
    "poincare": "polhode.analyse.section",
    "conserved": "polhode.analyse.conserved",
    "equilibria": "polhode.analyse.equilibria.equilibrium",
    "continuation": "polhode.analyse.equilibria.continuation",
    "gradient": "polhode.analyse.sensitivities.gradient",
    "identifiable": "polhode.analyse.sensitivities.identifiable",
    "identify": "polhode.analyse.sensitivities.identify",
    "integrability": "polhode.analyse.integrability",
    "inverse_kinematics": "polhode.analyse.inverse_kinematics",
    "is_equilibrium": "polhode.analyse.equilibria.rest",
    "kinematics": "polhode.analyse.robot_kinematics",
    "InputShape": "polhode.analyse.optimisation.variable",
    "optimise": "polhode.analyse.optimisation.optimise",
    "limit_margins": "polhode.analyse.linear.margins",
    "linear_form": "polhode.analyse.linear.linear_form",
    "linearise": "polhode.analyse.linear.linearise",
    "reaction_table": "polhode.analyse.reactions",
    "rest_sensitivity": "polhode.analyse.equilibria.rest_sensitivity",
    "sensitivity": "polhode.analyse.sensitivities.sensitivity",
    "sleeping_spin": "polhode.analyse.top",
    "stability": "polhode.analyse.equilibria.stability",
    "steady_motions": "polhode.analyse.equilibria.steady_motion",
    "steady_precessions": "polhode.analyse.top",
    "sweep_equilibria": "polhode.analyse.equilibria.equilibrium_sweep",
    "uncertainty": "polhode.analyse.sensitivities.uncertainty",
    # control
    "adaptive_tracking": "polhode.control.adaptive",
    "linear_quadratic": "polhode.control.linear_quadratic",
    "regressor": "polhode.control.adaptive",
    "tracking": "polhode.control.tracking",
    # formation
    # files
    "Formula": "polhode.files.expression",
    "load_mjcf": "polhode.files.robots.mjcf",
    "load_model": "polhode.files.model",
    "load_urdf": "polhode.files.robots.urdf",
    "save_model": "polhode.files.model",
    "to_c_package": "polhode.files.c_package",
    "to_fmu": "polhode.files.fmu.unit",
    # show
    "work_precision": "polhode.show.plots.charts",
    # namespaces, and models: a room of its own
    "formations": "polhode",
    "goals": "polhode",
    "gym": "polhode",
    "machines": "polhode",
    "marine": "polhode",
    "methods": "polhode",
    "models": "polhode",
    "results": "polhode",
    "space": "polhode",
    "theory": "polhode",
    "vehicles": "polhode",
    # errors
    "PolhodeError": "polhode.errors",
}

__all__ = ["__version__", *PUBLIC]

# What other tools and books call things, and where they are here.
ELSEWHERE = {
    "Hinge": "ph.Revolute",
    "HingeJoint": "ph.Revolute",
    "Pin": "ph.Revolute",
    "PinJoint": "ph.Revolute",
    "RevoluteJoint": "ph.Revolute",
    "Ball": "ph.Spherical",
    "BallJoint": "ph.Spherical",
    "SphericalJoint": "ph.Spherical",
    "Slide": "ph.Prismatic",
    "SlideJoint": "ph.Prismatic",
    "PrismaticJoint": "ph.Prismatic",
    "Weld": "ph.Fixed",
    "WeldJoint": "ph.Fixed",
    "FreeJoint": "ph.Free",
    "FloatingJoint": "ph.Free",
    "Hooke": "ph.Universal",
    "Gravity": "ph.Weight",
    "gravity": "ph.Weight",
    "RigidBody": "ph.Body",
    "Link": "ph.Body",
    "Mass": "ph.Particle",
    "PointParticle": "ph.Particle",
    "Symbol": "ph.Parameter",
    "Actuator": "ph.Motor",
    "Torque": "ph.AppliedCouple or ph.Motor",
    "Force": "ph.AppliedForce or ph.ForceLaw",
    "LinearSpring": "ph.Spring",
    "SpringDamper": "ph.Spring and ph.Damper",
    "Contact": "ph.Support, or ph.CompliantContact with a stiffness",
    "Ground": "ph.World",
    "Model": "ph.System",
    "Multibody": "ph.System",
    "LagrangesMethod": "ph.lagrange",
    "KanesMethod": "ph.kane",
    "solve_ivp": "ph.simulate",
    "integrate": "ph.simulate",
    "simulation": "ph.simulate",
    "linearize": "ph.linearise",
    "equilibrium": "ph.equilibria",
    "optimize": "ph.optimise",
    "minimize": "ph.optimise",
    "Quaternion": "ph.Rotation.from_quaternion_wxyz",
    "EulerAngles": "ph.Rotation.from_euler_angles",
}


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(f"module 'polhode' has no attribute {name!r}{_near(name)}")
    if PUBLIC[name] == __name__:
        return import_module(f"{__name__}.{name}")
    value = getattr(import_module(PUBLIC[name]), name)
    globals()[name] = value
    return value


def _near(name: str) -> str:
    from difflib import get_close_matches

    if name in ELSEWHERE:
        return f"; it is {ELSEWHERE[name]} here"

    # Names with an underscore are asked for by other programs, again and again.
    close = () if name.startswith("_") else get_close_matches(name, PUBLIC, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def __dir__() -> list[str]:
    return sorted(__all__)


def _install() -> None:
    from polhode.tracebacks import install

    install()


_install()
