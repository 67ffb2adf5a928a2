"""Distributions that the parameters and starts of an ensemble are drawn from."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "Choice": "polhode.integrate.field.distribution",
    "Normal": "polhode.integrate.field.distribution",
    "Uniform": "polhode.integrate.field.distribution",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
