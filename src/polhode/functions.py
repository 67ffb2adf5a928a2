"""Functions of parameters: `ph.functions.sin(angle)`, written into the model."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "arctan": "polhode.matter.quantities.functions",
    "cos": "polhode.matter.quantities.functions",
    "exp": "polhode.matter.quantities.functions",
    "log": "polhode.matter.quantities.functions",
    "sin": "polhode.matter.quantities.functions",
    "sqrt": "polhode.matter.quantities.functions",
    "tan": "polhode.matter.quantities.functions",
    "tanh": "polhode.matter.quantities.functions",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
