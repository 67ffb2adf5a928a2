"""Robots of other tools: URDF and MJCF, read into systems."""
