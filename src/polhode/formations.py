"""Formations of spacecraft: trees of craft, relative equations, orbits."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "DoubleIntegrator": "polhode.formation.double_integrator",
    "Orbit": "polhode.formation.orbit",
    "RelativeOrbit": "polhode.formation.relative_orbit",
    "anomaly_after": "polhode.formation.closed_forms",
    "double_integrator": "polhode.formation.double_integrator",
    "formation_keeping": "polhode.formation.keeping",
    "formation_tree": "polhode.formation.tree",
    "hill": "polhode.formation.closed_forms",
    "hill_transition": "polhode.formation.closed_forms",
    "in_tree": "polhode.formation.tree",
    "relative_equations": "polhode.formation.relative",
    "relative_orbit": "polhode.formation.relative_orbit",
    "tschauner_hempel": "polhode.formation.closed_forms",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
