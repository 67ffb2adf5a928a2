"""Equations in the symbols of their system."""
