"""Vehicles: tyres, roads and steering."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "Ackermann": "polhode.constraints.vehicles.ackermann",
    "FialaTyre": "polhode.actions.vehicles.tyre_laws",
    "LinearTyre": "polhode.actions.vehicles.tyre_laws",
    "MagicFormula": "polhode.actions.vehicles.tyre_laws",
    "Tyre": "polhode.actions.vehicles.tyre",
    "ackermann_angles": "polhode.constraints.vehicles.ackermann",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
