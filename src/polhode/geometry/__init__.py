"""Kinematics of points and frames: no mass, no force laws.

Kernels are functions of plain arrays; nouns are frozen and know their frame.
"""
