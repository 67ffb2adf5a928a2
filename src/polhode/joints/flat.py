"""Joints whose coordinates are plain numbers and whose speeds are their rates.

z = q_dot,      q moved by δ is q + δ
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array
from polhode.joints.joint import Joint


class FlatJoint(Joint):
    """A joint of plain coordinates; its kind says what motion they allow."""

    def neutral(self) -> np.ndarray:
        """Zeros: M coincides with F."""
        return np.zeros(self.coordinates)

    def normalised(self, q: Array) -> Any:
        """The coordinates themselves: there is nothing to put right."""
        return q

    def rates(self, q: Array, z: Array) -> Any:
        """q_dot = z"""
        return z

    def speeds_from(self, q: Array, q_dot: Array) -> Any:
        """z = q_dot"""
        return q_dot

    def local(self, q: Array, delta: Array) -> Any:
        """q + δ"""
        return q + delta
