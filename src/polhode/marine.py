"""Marine craft: buoyancy, drag by coefficients and propellers; see also `submerged`."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "Buoyancy": "polhode.actions.marine.buoyancy",
    "HydrodynamicDrag": "polhode.actions.marine.hydrodynamic_drag",
    "Propeller": "polhode.actions.marine.propeller",
    "submerged": "polhode.matter.submerged",
    "with_added_mass": "polhode.matter.submerged",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
