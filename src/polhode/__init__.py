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
    "Parameter": "polhode.matter.parameter",
    "Particle": "polhode.matter.particle",
    "Shape": "polhode.matter.shape",
    "Table": "polhode.matter.tables.table",
    "World": "polhode.matter.world",
    "X": "polhode.matter.axes",
    "Y": "polhode.matter.axes",
    "Z": "polhode.matter.axes",
    "solids": "polhode.matter",
    # joints
    "BallRoller": "polhode.joints.ball_roller",
    "Cylindrical": "polhode.joints.cylindrical",
    "Fixed": "polhode.joints.fixed",
    "Free": "polhode.joints.free",
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
    "CompliantContact": "polhode.actions.contact.compliant_contact",
    "Coulomb": "polhode.actions.contact.friction",
    "Damper": "polhode.actions.force_elements.connectors",
    "Drag": "polhode.actions.drag",
    "ForceLaw": "polhode.actions.force_law",
    "Gravitation": "polhode.actions.gravitation",
    "JointDamper": "polhode.actions.force_elements.joint_law",
    "JointFriction": "polhode.actions.contact.carried_friction",
    "JointSpring": "polhode.actions.force_elements.joint_law",
    "Motor": "polhode.actions.force_elements.joint_law",
    "PointMass": "polhode.actions.gravitation",
    "Potential": "polhode.actions.potentials.potential",
    "Spring": "polhode.actions.force_elements.connectors",
    "Weight": "polhode.actions.weight",
    # constraints
    "Distance": "polhode.constraints.distance",
    "Gear": "polhode.constraints.gear",
    "Holonomic": "polhode.constraints.holonomic",
    "JointEquation": "polhode.constraints.joint_equation",
    "PointOn": "polhode.constraints.holonomic",
    "PrescribedMotion": "polhode.constraints.prescribed_motion",
    "VelocityEquation": "polhode.constraints.velocity_rows",
    "VelocityRows": "polhode.constraints.velocity_rows",
    "rolling": "polhode.constraints.rolling",
    "surfaces": "polhode.constraints",
    # supports
    "Floor": "polhode.supports.floor",
    "Brake": "polhode.supports.joint_supports",
    "Stop": "polhode.supports.joint_supports",
    "tether": "polhode.supports.tether",
    "Support": "polhode.supports.support",
    # system
    "State": "polhode.system.state",
    "System": "polhode.system.system",
    "assemble": "polhode.system.assemble",
    "lock": "polhode.system.locking",
    "mobility": "polhode.system.check",
    "unlock": "polhode.system.locking",
    # integrate
    "Controller": "polhode.integrate.inputs.controller",
    "Ensemble": "polhode.integrate.field.ensemble",
    "Event": "polhode.integrate.events.event",
    "Noise": "polhode.integrate.inputs.inputs",
    "Quantity": "polhode.integrate.results.quantity",
    "Sampled": "polhode.integrate.inputs.inputs",
    "States": "polhode.integrate.field.states",
    "limit_events": "polhode.integrate.events.ready_made",
    "load_motion": "polhode.integrate.storage.recording",
    "load_sweep": "polhode.integrate.storage.sweep_parts",
    "resume": "polhode.integrate.storage.resume",
    "saturation_events": "polhode.integrate.events.ready_made",
    "simulate": "polhode.integrate.simulate",
    "stepper": "polhode.integrate.stepper",
    "sweep": "polhode.integrate.sweep",
    "surface_event": "polhode.integrate.events.ready_made",
    # formulation
    "Coordinates": "polhode.formulation.reading.coordinates",
    "audit": "polhode.formulation.audit",
    "boltzmann_hamel": "polhode.formulation.boltzmann_hamel",
    "compare": "polhode.formulation.compare",
    "contact_modes": "polhode.formulation.contact.questions",
    "contact_reading": "polhode.formulation.reading.contact_reading",
    "dalembert": "polhode.formulation.dalembert",
    "gauss": "polhode.formulation.gauss",
    "gibbs_appell": "polhode.formulation.gibbs_appell",
    "hamilton": "polhode.formulation.hamilton",
    "hybrid": "polhode.formulation.hybrid",
    "impact": "polhode.formulation.contact.questions",
    "in_mode": "polhode.formulation.contact.in_mode",
    "kane": "polhode.formulation.kane",
    "kirchhoff": "polhode.formulation.kirchhoff",
    "lagrange": "polhode.formulation.lagrange",
    "lagrange_first_kind": "polhode.formulation.lagrange_first_kind",
    "lie_poisson": "polhode.formulation.lie_poisson",
    "maggi": "polhode.formulation.maggi",
    "newton_euler": "polhode.formulation.newton_euler",
    "percussion": "polhode.formulation.contact.questions",
    "recursive": "polhode.formulation.recursive.recursive",
    "routh": "polhode.formulation.routh",
    "spatial_form": "polhode.formulation.spatial_forms.spatial_form",
    "udwadia_kalaba": "polhode.formulation.udwadia_kalaba",
    "unified": "polhode.formulation.unified",
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
    "inverse_kinematics": "polhode.analyse.inverse_kinematics",
    "kinematics": "polhode.analyse.robot_kinematics",
    "InputShape": "polhode.analyse.optimisation.variable",
    "optimise": "polhode.analyse.optimisation.optimise",
    "linearise": "polhode.analyse.linear.linearise",
    "reaction_table": "polhode.analyse.reactions",
    "sensitivity": "polhode.analyse.sensitivities.sensitivity",
    "stability": "polhode.analyse.equilibria.stability",
    "static_rest": "polhode.analyse.equilibria.static_rest",
    "steady_motions": "polhode.analyse.equilibria.steady_motion",
    "sweep_equilibria": "polhode.analyse.equilibria.equilibrium_sweep",
    "uncertainty": "polhode.analyse.sensitivities.uncertainty",
    # control
    "adaptive_tracking": "polhode.control.adaptive",
    "linear_quadratic": "polhode.control.linear_quadratic",
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
    "contact": "polhode",
    "distributions": "polhode",
    "functions": "polhode",
    "questions": "polhode",
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

# Modules of names beside the flat list, each with its table `HOMES`.
NAMESPACES = tuple(
    name for name, home in PUBLIC.items() if home == __name__ and name != "models"
)


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        from polhode.public.lazy import near

        # Of None, so that Python adds no suggestion of its own to ours.
        text = f"module 'polhode' has no attribute {name!r}{near(name, PUBLIC)}"
        raise AttributeError(text, name=name, obj=None)
    if PUBLIC[name] == __name__:
        return import_module(f"{__name__}.{name}")
    from polhode.public.public_call import public

    value = public(getattr(import_module(PUBLIC[name]), name), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _install() -> None:
    from polhode.tracebacks import install

    install()


_install()
