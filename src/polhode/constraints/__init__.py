"""Equations of position or velocity that keep a system to some of its motions."""

from polhode.constraints import surfaces

__all__ = ["surfaces"]
