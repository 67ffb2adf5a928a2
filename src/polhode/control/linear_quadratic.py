"""Linear quadratic control: the gain that costs least, by the equation of Riccati.

minimise  integral of x^T Q x + u^T R u dt,      x' = A x + B u,      u = -K x
A^T S + S A - S B R^-1 B^T S + Q = 0,            K = R^-1 B^T S
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.analyse.linear.linearise import Linear
from polhode.analyse.linear.state_space import StateSpace
from polhode.arrays import Numbers
from polhode.errors import ModelError


def linear_quadratic(space: StateSpace | Linear, Q: Numbers, R: Numbers) -> np.ndarray:
    """K (inputs, states) of u = -K x for a linear system, or what `ph.linearise` gives.

    Q   (n, n), or n numbers on its diagonal: what states cost, not negative
    R   (m, m), or m numbers: what inputs cost, positive

    >>> import polhode as ph
    >>> K = linear_quadratic(ph.formations.hill(1.0), [1] * 6, [1] * 3)
    >>> K.shape
    (3, 6)
    """
    from scipy.linalg import solve_continuous_are

    space = space.matrices if isinstance(space, Linear) else space
    if not space.inputs:
        raise ModelError(
            "a linear system without inputs has no gain.",
            "A gain says what inputs do about states.",
            'Name them: ph.linearise(system, inputs=["push"]).',
        )
    A, B = np.asarray(space.A, float), np.asarray(space.B, float)
    Q, R = _cost("Q", Q, len(A)), _cost("R", R, B.shape[1])
    if np.min(np.linalg.eigvalsh(R)) <= 0 or np.min(np.linalg.eigvalsh(Q)) < -1e-12:
        raise ModelError(
            "Q or R of a quadratic cost is not positive.",
            "A state may cost nothing, and an input must cost something.",
            "Give Q with eigenvalues of zero or more, R with such above zero.",
        )
    try:
        S = solve_continuous_are(A, B, Q, R)
    except np.linalg.LinAlgError as reason:
        raise ModelError(
            f"no gain of least cost exists for states {', '.join(space.states)}.",
            f"Riccati's equation has no solution that settles: {reason}",
            "Check that the inputs reach all motions that grow, and that Q sees them.",
        ) from reason
    return np.linalg.solve(R, B.T @ S)


def _cost(word: str, given: Any, size: int) -> np.ndarray:
    found = np.asarray(given, float)
    found = np.diag(found) if found.ndim == 1 else found
    if found.shape != (size, size) or not np.allclose(found, found.T):
        raise ModelError(
            f"{word} of a quadratic cost has the shape {np.shape(given)}.",
            f"It weighs {size} numbers.",
            f"Give {size} numbers, or a symmetric ({size}, {size}).",
        )
    return found
