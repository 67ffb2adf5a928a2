"""How mass is spread, and the momentum and energy of one body.

Kernels are functions of plain arrays; nouns are frozen and know their frame.
Numbers that describe matter are named parameters (see `parameter`), so that the
moments of a body are a function of the table of parameters.
"""

from polhode.matter import inertia, solids

__all__ = ["inertia", "solids"]
