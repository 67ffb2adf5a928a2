"""Further questions to a system, its equations, a state or a motion."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "wrench_about": "polhode.system.wrench_about",
    "projection_work": "polhode.integrate.methods.projection",
    "rank_along": "polhode.integrate.audit.constraint_rank",
    "balance": "polhode.formulation.questions.balance",
    "cyclic_coordinates": "polhode.formulation.routh",
    "ideal": "polhode.formulation.questions.real_reactions",
    "needed_friction": "polhode.formulation.questions.slip",
    "passive_dynamics": "polhode.formulation.recursive.passive_dynamics",
    "point_motion": "polhode.formulation.questions.point_motion",
    "reaction_parts": "polhode.formulation.questions.real_reactions",
    "solvability": "polhode.formulation.questions.solvability",
    "ideal_reactions": "polhode.formulation.questions.ideal_reactions",
    "integrability": "polhode.analyse.integrability",
    "is_equilibrium": "polhode.analyse.equilibria.rest",
    "limit_margins": "polhode.analyse.linear.margins",
    "linear_form": "polhode.analyse.linear.linear_form",
    "rest_sensitivity": "polhode.analyse.equilibria.rest_sensitivity",
    "sleeping_spin": "polhode.analyse.top",
    "steady_precessions": "polhode.analyse.top",
    "regressor": "polhode.control.adaptive",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
