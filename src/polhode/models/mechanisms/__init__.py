"""Mechanisms: arms, linkages with loops, gears, trees of many bodies."""
