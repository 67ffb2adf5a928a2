"""Quantities of laws and directions: constants by name, functions, unit columns."""
