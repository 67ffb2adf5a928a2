"""Rotations: their parametrisations, their group and its derivatives, and the noun."""
