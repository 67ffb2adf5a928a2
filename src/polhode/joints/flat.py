"""Answers of joints whose coordinates are plain numbers and whose speeds their rates.

    z = q_dot,      q moved by δ is q + δ

A kind of joint takes them over by name: `rates = flat.rates`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array
from polhode.joints.joint import Joint


def neutral(joint: Joint) -> np.ndarray:
    """Zeros: M coincides with F."""
    return np.zeros(joint.coordinates)


def normalised(joint: Joint, q: Array) -> Any:
    """The coordinates themselves: there is nothing to put right."""
    return q


def rates(joint: Joint, q: Array, z: Array) -> Any:
    """q_dot = z"""
    return z


def speeds_from(joint: Joint, q: Array, q_dot: Array) -> Any:
    """z = q_dot"""
    return q_dot


def local(joint: Joint, q: Array, delta: Array) -> Any:
    """q + δ"""
    return q + delta
