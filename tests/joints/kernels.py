"""The array kernels of the room, each with arguments to compile it for."""

from __future__ import annotations

import numpy as np

from polhode.joints.complement import complement
from polhode.joints.joint import freedoms, reaction_power
from polhode.joints.turning import angle_about, offset, tilt, turn_about
from strategies_joints import JOINTS, random_motion

_rng = np.random.default_rng(3)
_V_1, _V_2, _W = _rng.normal(size=(3, 6))
_columns = _rng.normal(size=(6, 3))
_triad = np.linalg.qr(_rng.normal(size=(3, 3)))[0]
_R = turn_about(np.array([0.6, 0.0, 0.8]), 0.7)


def _answers(joint):
    """All that is asked of one joint, as one function of its motion and a pose."""

    def answers(q, z, R_FM, p_FoMo_F):
        return {
            "pose": joint.pose(q),
            "twist": joint.twist(q, z),
            "freedoms": freedoms(joint, q),
            "rates": joint.rates(q, z),
            "speeds_from": joint.speeds_from(q, joint.rates(q, z)),
            "normalised": joint.normalised(q),
            "local": joint.local(q, 0.1 * z),
            "margin": joint.margin(q),
            "reaction": joint.reaction(q),
            "residual": joint.residual(R_FM, p_FoMo_F),
            "coordinates_from": joint.coordinates_from(R_FM, p_FoMo_F),
        }

    q, z = random_motion(joint, _rng)
    pose = (np.array(part) for part in joint.pose(q))
    return answers, (q, z, *pose)


KERNELS = {type(joint).__name__: _answers(joint) for joint in JOINTS} | {
    "turn_about": (turn_about, (_triad[:, 0], np.float64(0.4))),
    "angle_about": (angle_about, (_triad, _R)),
    "tilt": (tilt, (_triad, _R)),
    "offset": (offset, (_triad, _R, _W[:3])),
    "complement": (complement, (_columns,)),
    "reaction_power": (reaction_power, (_V_1, _V_2, _W)),
}
