"""Goals of a motion for `ph.optimise`: `ph.goals.AtEnd(lambda t, state: ...)`."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "AtEnd": "polhode.analyse.optimisation.goal",
    "AtTime": "polhode.analyse.optimisation.goal",
    "Bound": "polhode.analyse.optimisation.goal",
    "Integral": "polhode.analyse.optimisation.goal",
    "Peak": "polhode.analyse.optimisation.goal",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
