"""Craft in water."""
