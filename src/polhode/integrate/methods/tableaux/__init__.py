"""Coefficients of methods that are only numbers."""
