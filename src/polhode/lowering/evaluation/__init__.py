"""Traces evaluated at once, by NumPy: for functions that are asked a few times."""
