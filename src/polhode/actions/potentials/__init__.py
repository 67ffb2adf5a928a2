"""Energies, what they may depend on, and the forces and moments that follow."""
