"""The public functions that no kernel reaches, and why: the one table of them."""

from __future__ import annotations

_REASONS = {
    "a door or a constructor: it checks numbers and makes a noun, outside a trace": """
        geometry.frame.require_frame geometry.frame.require_same_frame
        geometry.frame.require_adjacent geometry.frame.is_name
        geometry.point.require_same_point
        geometry.admission.number_of
        geometry.rotations.rotation_admission.admit_matrix
        geometry.rotations.rotation_admission.nearest_matrix
        geometry.rotations.rotation_admission.admit_quaternion
        geometry.rotations.rotation_admission.admit_axis
        geometry.rotations.rotation_admission.admit_angles
        geometry.rotations.rotation_admission.admit_tangents
        geometry.rotations.rotation_admission.refuse_singular
        geometry.rotations.rotation_admission.frozen
        geometry.twist.require_same_place geometry.twist.require_same_motion
        geometry.rotations.parametrisation.euler
        geometry.motion.velocity_choice.jet geometry.motion.velocity_choice.custom
        matter.spatial_inertia.require_same_body
        matter.axes.turn_to matter.given.given matter.material_point.material_point
        matter.parameter.number matter.parameter.quantity matter.parameter.named
        matter.parameter.parameters_in matter.parameter.distinct
        matter.parameter.table_of matter.quantities.scalar.scalar
        matter.submerged.submerged matter.submerged.with_added_mass
        matter.validity.require_mass matter.validity.require_symmetric
        matter.validity.require_physical matter.validity.require_positive
        matter.validity.require_not_negative matter.validity.nearest_physical
        matter.shape.admit_shapes matter.rigid_body.allows_unphysical
        actions.action.require_frames actions.action.require_two_bodies
        actions.space.loads.admit_craft actions.space.loads.parameters_of_bodies
        actions.space.harmonics.admit_coefficients
        actions.space.ephemeris.admit_ephemeris actions.space.frames.perifocal
        actions.attachment.require_points actions.attachment.parameters_of
        actions.coefficient.coefficient actions.coefficient.rest
        actions.force_elements.connectors.Spring
        actions.force_elements.connectors.Damper
        actions.contact.contact_laws.restitution_of
        actions.potentials.potential.distinct
        actions.machines.curves.require_curve actions.machines.curves.require_resisting
        matter.parameter.unit_of matter.quantities.constants.admit_constants
        matter.quantities.constants.call_form actions.user_law.admit_law_constants
        matter.quantities.direction.parameters_of_direction
    """,
    "an expression of parameters, evaluated by a table of them like every quantity": """
        matter.quantities.functions.sin matter.quantities.functions.cos
        matter.quantities.functions.tan matter.quantities.functions.exp
        matter.quantities.functions.log matter.quantities.functions.sqrt
        matter.quantities.functions.tanh matter.quantities.functions.arctan
        matter.quantities.functions.of_quantity
    """,
    "coefficients of pieces, made once; their values are kernels": """
        matter.tables.pieces.pieces_of matter.tables.pieces.patches_of
        matter.tables.pieces.derivative matter.tables.pieces.integral
        matter.tables.pieces.slope_of_patches matter.tables.table.family_1d
    """,
    "a constructor of solids: their moments, unit_* and others, are the kernels": """
        matter.solids.compound.joined matter.solids.compound.pierced
        matter.solids.compound.placed
        matter.solids.lines.rod matter.solids.lines.ring
        matter.solids.polyhedra.tetrahedron matter.solids.polyhedra.extrusion
        matter.solids.polyhedra.mesh
        matter.solids.solid.fill matter.solids.solid.lengths
        matter.solids.solid.length_or_zero matter.solids.solid.an
        matter.solids.solid.require_less
        matter.solids.surfaces.plate matter.solids.surfaces.disc
        matter.solids.surfaces.spherical_shell matter.solids.surfaces.ellipsoidal_shell
        matter.solids.volumes.box matter.solids.volumes.sphere
        matter.solids.volumes.ellipsoid matter.solids.volumes.cylinder
        matter.solids.volumes.tube matter.solids.volumes.cone
        matter.solids.volumes.torus matter.solids.volumes.capsule
    """,
    "a verb of nouns: it minds frames and points, and calls a kernel on columns": """
        geometry.twist.twist_of_velocity_field
        matter.inertia.spread matter.inertia.transport matter.inertia.placed
        matter.inertia.joined matter.inertia.removed matter.inertia.moment
        matter.inertia.static_moment matter.inertia.spatial matter.inertia.principal
        matter.momentum.momentum_of
        actions.action.poses_of actions.action.twists_of
        actions.apparent.apparent_forces
    """,
    "text, equality or a constant: no function of arrays": """
        geometry.vector.permutation_symbol geometry.vector.shown
        geometry.vector.components_close geometry.vector.is_scalar
        actions.gravitation.listed_masses actions.machines.curves.line_of
        matter.tables.table.as_plain
    """,
    "a question answered on the host: a rank, a choice or a fit with refusals": """
        geometry.motion.configuration.degrees_of_freedom
        geometry.rotations.parametrisation.condition
        geometry.rotations.parametrisation.safest
        geometry.motion.velocity_field.fit_rigid_velocity
        actions.potentials.power_definition.multiplier_family
        actions.potentials.power_definition.forces_by_power
        actions.potentials.power_definition.forces_by_virtual_work
        actions.potentials.power_definition.require_independent_of_velocity
    """,
    "it reads a mesh, or checks that its surface is closed": """
        matter.mesh.read_mesh matter.mesh.closed_surface matter.mesh.signed_volume
    """,
    "it reads published coefficients from a file": """
        actions.space.coefficients.gravity_coefficients
        actions.space.coefficients.magnetic_coefficients
    """,
    "nodes and weights of a rule, made once; sums over them are kernels": """
        matter.continuum.sampled
        actions.fields.flux.star_surface actions.fields.flux.box_triangles
        actions.fields.quadrature.unit_rule actions.fields.quadrature.segment
        actions.fields.quadrature.triangle actions.fields.quadrature.tetrahedron
        actions.fields.quadrature.rectangle actions.fields.quadrature.box
        actions.fields.quadrature.sphere
        actions.fields.quadrature.ball
        actions.fields.quadrature.disc
    """,
    "it makes a function, once, on the host; the function made is a kernel": """
        actions.fields.conservative.energy_from
        actions.potentials.driven_potential.driven_potential
        actions.moving_observer.observed_from
        actions.generalised_force.generalised_force
        actions.generalised_force.generalised_force_of_energy
    """,
    "adaptive quadrature, whose work depends on the numbers met": """
        actions.fields.work.work
        actions.fields.work.circulation
        actions.fields.work.work_of_power
        actions.fields.work.integral
    """,
    "an audit: it draws states, looks at numbers and reports in words": """
        actions.action.evaluate actions.action.third_law_residual
        actions.fields.conservative.conservativity actions.fields.field.matches
        actions.potentials.invariance.audit_invariance
    """,
    "both curves of a finished motion, made on the host for pictures": """
        matter.poinsot.poinsot
    """,
}

UNCOMPILED = {name: why for why, names in _REASONS.items() for name in names.split()}
