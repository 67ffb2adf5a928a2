"""Functional mock-up units: a system as a component of other tools."""
