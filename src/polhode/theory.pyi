# Written by tests/support/stubs.py from the table of public names.
from polhode.actions.fields import quadrature as quadrature
from polhode.actions.fields.conservative import conservativity as conservativity
from polhode.actions.fields.field import ForceField as ForceField
from polhode.actions.fields.work import circulation as circulation
from polhode.actions.fields.work import work as work
from polhode.actions.force import Couple as Couple
from polhode.actions.force import Force as Force
from polhode.actions.force import ForceSystem as ForceSystem
from polhode.actions.potentials.power_definition import forces_by_power as forces_by_power
from polhode.actions.potentials.power_definition import forces_by_virtual_work as forces_by_virtual_work
from polhode.actions.potentials.power_definition import multiplier_family as multiplier_family
from polhode.formulation.questions.deviation import least_deviation as least_deviation
from polhode.formulation.questions.hamiltonian_ledger import hamiltonian_ledger as hamiltonian_ledger
from polhode.formulation.questions.poisson import poisson_bracket as poisson_bracket
from polhode.formulation.spatial_forms.choices import CoriolisChoice as CoriolisChoice
from polhode.formulation.spatial_forms.observer import Observer as Observer
from polhode.geometry.frame import Frame as Frame
from polhode.geometry.motion.angular_velocity import AngularVelocity as AngularVelocity
from polhode.geometry.motion.contact_point import ContactPoint as ContactPoint
from polhode.geometry.motion.frame_motion import FrameMotion as FrameMotion
from polhode.geometry.motion.frame_tree import FrameTree as FrameTree
from polhode.geometry.motion.rate import Rate as Rate
from polhode.geometry.motion.velocity_choice import VelocityChoice as VelocityChoice
from polhode.geometry.point import Point as Point
from polhode.geometry.pose import Pose as Pose
from polhode.geometry.rotations.aircraft_angles import AircraftAngles as AircraftAngles
from polhode.geometry.rotations.parametrisation import Parametrisation as Parametrisation
from polhode.geometry.twist import Twist as Twist
from polhode.geometry.vector import Dyadic as Dyadic
from polhode.geometry.vector import Vector as Vector
from polhode.geometry.wrench import Wrench as Wrench
from polhode.matter.momentum import Momentum as Momentum
from polhode.matter.momentum import momentum_of as momentum_of
from polhode.matter.spatial_inertia import SpatialInertia as SpatialInertia

HOMES: dict[str, str]
