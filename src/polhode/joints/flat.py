"""Joints whose coordinates are plain numbers and whose speeds are their rates.

z = q_dot,      q moved by δ is q + δ
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polhode.joints.joint import Joint

if TYPE_CHECKING:
    from polhode.public.shapes import JointColumn, Speeds


class FlatJoint(Joint):
    """A joint of plain coordinates; its kind says what motion they allow."""

    def neutral(self) -> np.ndarray:
        """Zeros: M coincides with F."""
        return np.zeros(self.coordinates)

    def normalised(self, q: JointColumn) -> JointColumn:
        """The coordinates themselves: there is nothing to put right."""
        return q

    def rates(self, q: JointColumn, z: Speeds) -> JointColumn:
        """q_dot = z"""
        return z

    def speeds_from(self, q: JointColumn, q_dot: JointColumn) -> Speeds:
        """z = q_dot"""
        return q_dot

    def local(self, q: JointColumn, delta: Speeds) -> JointColumn:
        """q + δ"""
        return q + delta
