"""The functions of a system with example arguments, for the test of native code."""

from __future__ import annotations

import numpy as np

from polhode.system import kinematics, loads, mass, rows
from strategies_system import random_state, topology

ARM, TREE, LOOP = (topology(name) for name in ("arm", "floating_chain", "four_bar"))
_STATE = random_state(TREE, np.random.default_rng(1))
_BENT = random_state(ARM, np.random.default_rng(2))
# Not closed, so that no row is zero but by structure.
_OPEN = np.array([0.3, -0.4, 0.5]), np.array([1.0, 2.0, -1.5])
_T = np.array(0.3)


def _of_arm(function):
    return lambda *arguments: function(ARM, *arguments)


def _of_tree(function):
    return lambda *arguments: function(TREE, *arguments)


def _of_loop(function):
    return lambda *arguments: function(LOOP, *arguments)


KERNELS = {
    "rates": (_of_tree(kinematics.rates), (_T, _STATE.q, _STATE.z)),
    "poses": (_of_tree(kinematics.poses), (_T, _STATE.q)),
    "twists": (_of_tree(kinematics.twists), (_T, _STATE.q, _STATE.z)),
    "body_twists": (_of_tree(kinematics.body_twists), (_T, _STATE.q, _STATE.z)),
    "jacobians": (_of_arm(kinematics.jacobians), (_T, _BENT.q)),
    "speeds_from": (_of_tree(kinematics.speeds_from), (_STATE.q, np.ones(10))),
    "normalised": (_of_tree(kinematics.normalised), (1.1 * _STATE.q,)),
    "local": (_of_tree(kinematics.local), (_STATE.q, 0.1 * _STATE.z)),
    "mass_matrix": (_of_arm(mass.mass_matrix), (_T, _BENT.q)),
    "kinetic_energy": (_of_arm(mass.kinetic_energy), (_T, _BENT.q, _BENT.z)),
    "potential_energy": (_of_arm(loads.potential_energy), (_T, _BENT.q)),
    "applied": (_of_arm(loads.applied), (_T, _BENT.q, _BENT.z)),
    "positions": (_of_loop(rows.positions), (_T, _OPEN[0])),
    "velocities": (_of_loop(rows.velocities), (_T, *_OPEN)),
    "constraint_rows": (_of_loop(rows.constraint_rows), (_T, *_OPEN)),
    "unstored": (_of_arm(loads.nonconservative_wrenches), (_T, _BENT.q, _BENT.z)),
}
