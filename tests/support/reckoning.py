"""Accelerations of a system reckoned plainly on the host: the tests' own dynamics.

M z_dot + b = f + A^T l,      A z_dot = gamma      solved by least squares
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from finite import derivative
from polhode import State


class Reckoned(NamedTuple):
    """z_dot, the multipliers of least size, and body accelerations (n, 6).

    bodies   d/dt [w; v of the origin] of each body in its own axes
    """

    z_dot: np.ndarray
    multipliers: np.ndarray
    bodies: np.ndarray


def reckon(state: State) -> Reckoned:
    """The accelerations of a system at a state."""
    system, (t, q, z) = state.system, (state.t, state.q, state.z)
    A, gamma = system.constraint_rows(t, q, z)
    J, V = system.jacobians(t, q), system.body_twists(t, q, z)
    drift = derivative(lambda s: system.body_twists(t, system.local(q, s * z), z), 0.0)
    momenta = np.einsum("nij,nj->ni", system.inertias(), V)
    inertial = np.einsum("nij,nj->ni", system.inertias(), drift) + turned(V, momenta)
    f = np.einsum("nik,ni->k", J, system.applied(t, q, z) - inertial)
    M, n, m = system.mass_matrix(t, q), len(z), len(A)
    kkt = np.block([[M, -A.T], [A, np.zeros((m, m))]])
    answer = np.linalg.lstsq(kkt, np.concatenate([f, gamma]), rcond=1e-11)[0]
    z_dot = answer[:n]
    return Reckoned(z_dot, answer[n:], J @ z_dot + drift)


def turned(V: np.ndarray, momenta: np.ndarray) -> np.ndarray:
    """V x* h: how momenta turn with the axes they are written in."""
    w, v, H, p = V[:, :3], V[:, 3:], momenta[:, :3], momenta[:, 3:]
    return np.concatenate([np.cross(w, H) + np.cross(v, p), np.cross(w, p)], axis=1)
