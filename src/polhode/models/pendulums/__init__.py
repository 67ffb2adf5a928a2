"""Pendulums: plane, spherical, double, in chains, on carts and on moving hinges."""
