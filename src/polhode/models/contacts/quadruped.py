r"""A quadruped from a URDF file, on springs in its hips.

       ____________
      |____________|      m   its trunk, 8 kg
      /           /       k   of each hip, N m/rad
     /           /
    o           o

Surprise: standing straight, its hips bear nothing, and yet springs in them decide
whether it stands: below k = (m l + 4 m_leg (l - c)) g/4, 6.13 N m/rad, its legs lean
over together, as a column buckles, whatever the friction of the floor.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph

LENGTH, FOOT = 0.28, 0.02  # of a leg from its hip to the middle of its foot, and a foot


def quadruped() -> ph.System:
    """A trunk and four legs on a floor: hips "front left hip" and so on."""
    file = Path(__file__).with_name("quadruped.urdf")
    floor = ph.Floor(friction=ph.Coulomb(0.8))
    robot = ph.load_urdf(file, base="free", floor=floor).system
    stiffness = ph.Parameter("k", 2.0)
    hips = [joint for joint in robot.joints if joint.name.endswith("hip")]
    springs = [
        ph.JointSpring(hip, stiffness, name=f"spring of {hip.name}") for hip in hips
    ]
    return robot.plus(actions=springs, name="quadruped")


def quadruped_start(lean: float = 0.05) -> tuple[dict[str, Any], dict[str, Any]]:
    """All legs lean back by the same angle, the feet on the floor."""
    hips = {
        f"{end} {side} hip": lean
        for end in ("front", "rear")
        for side in ("left", "right")
    }
    height = LENGTH * float(np.cos(lean)) + FOOT
    return {**hips, "base": {"z": height}}, {}
