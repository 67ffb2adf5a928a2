# Written by tests/support/stubs.py from the table of public names.
from polhode.analyse.equilibria.rest import is_equilibrium as is_equilibrium
from polhode.analyse.equilibria.rest_sensitivity import rest_sensitivity as rest_sensitivity
from polhode.analyse.integrability import integrability as integrability
from polhode.analyse.linear.linear_form import linear_form as linear_form
from polhode.analyse.linear.margins import limit_margins as limit_margins
from polhode.analyse.top import sleeping_spin as sleeping_spin
from polhode.analyse.top import steady_precessions as steady_precessions
from polhode.control.adaptive import regressor as regressor
from polhode.formulation.questions.balance import balance as balance
from polhode.formulation.questions.ideal_reactions import ideal_reactions as ideal_reactions
from polhode.formulation.questions.point_motion import point_motion as point_motion
from polhode.formulation.questions.real_reactions import ideal as ideal
from polhode.formulation.questions.real_reactions import reaction_parts as reaction_parts
from polhode.formulation.questions.slip import needed_friction as needed_friction
from polhode.formulation.questions.solvability import solvability as solvability
from polhode.formulation.recursive.passive_dynamics import passive_dynamics as passive_dynamics
from polhode.formulation.routh import cyclic_coordinates as cyclic_coordinates
from polhode.integrate.audit.constraint_rank import rank_along as rank_along
from polhode.integrate.methods.projection import projection_work as projection_work
from polhode.system.wrench_about import wrench_about as wrench_about

HOMES: dict[str, str]
