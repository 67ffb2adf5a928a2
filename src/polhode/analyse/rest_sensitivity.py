"""How an equilibrium and its frequencies move with parameters.

    a(d, p) = 0:           dd/dp = -(da/dd)^-1 da/dp
    A v = s v,  w A = s w:  ds/dp = w (dA/dp + dA/dd dd/dp) v / (w v)

a are the accelerations at rest, d displacements along the joints; A is the matrix of
the linearised motion, which changes with p and with the place that p moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.analyse.identifiable import nominal
from polhode.errors import AnalysisError
from polhode.integrate.simulate import equations_of
from polhode.lowering.compile import compile
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.state import State
from polhode.system.system import System

FOUND = 1e-6  # of the rates that a small displacement gives: still an equilibrium
APART = 1e-7  # eigenvalues nearer than this share have no slopes of their own


@final
@dataclass(frozen=True, eq=False, repr=False)
class RestSensitivity:
    """An equilibrium and its eigenvalues, by parameters.

    names        the parameters (p,)
    places       (nz, p): how the equilibrium moves along the joints
    eigenvalues  (2 nz,) of the linearised motion; slopes (2 nz, p)
    """

    system: System
    names: tuple[str, ...]
    places: np.ndarray
    eigenvalues: np.ndarray
    slopes: np.ndarray

    @property
    def frequencies(self) -> np.ndarray:
        """Angular frequencies (k,), slowest first, 1/s."""
        return self.eigenvalues.imag[self._swinging]

    @property
    def frequency_slopes(self) -> np.ndarray:
        """(k, p)"""
        return self.slopes.imag[self._swinging]

    @property
    def _swinging(self) -> np.ndarray:
        size = 1e-9 * np.max(np.abs(self.eigenvalues), initial=0.0)
        turning = np.flatnonzero(self.eigenvalues.imag > size)
        return turning[np.argsort(self.eigenvalues.imag[turning])]

    def plot(self) -> Any:
        """How frequencies change with the parameters, as bars: a `Picture`."""
        from polhode.show.answers import rest_picture

        return rest_picture(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from polhode.show.answers_html import answer_html

        return answer_html(self)

    def __repr__(self) -> str:
        lines = [
            f"RestSensitivity({self.system.name!r}): d / d {', '.join(self.names)}"
        ]
        for name, row in zip(self.system.speed_names, self.places, strict=True):
            lines.append(f"  {name}: " + ", ".join(f"{v:.6g}" for v in row))
        pairs = zip(self.frequencies, self.frequency_slopes, strict=True)
        for frequency, row in pairs:
            shown = ", ".join(f"{v:.6g}" for v in row)
            lines.append(f"  {frequency:.6g} rad/s: {shown}")
        return "\n".join(lines)


def rest_sensitivity(
    state: State, parameters: Sequence[str], *, values: Table = NOMINAL
) -> RestSensitivity:
    """The derivatives of an equilibrium, and of its frequencies, by parameters.

    The state is an equilibrium of a tree, at rest. Where it is free to move, its own
    displacement is the shortest. `values` are others than those of the model.

    >>> import polhode as ph
    >>> found = rest_sensitivity(ph.models.pendulum().rest(), ["l"])
    >>> bool(abs(found.frequency_slopes + found.frequencies / (2 * 0.8)).max() < 1e-9)
    True
    """
    system, names = state.system, tuple(parameters)
    _require_tree(system)
    p = np.array([float(values.get(n, nominal(system, n))) for n in names])
    slopes, moved = _programs(state, names, p)
    a, (by_d, by_e, by_p) = slopes(state.q, p)
    _require_rest(state, a, by_d)
    places = -np.linalg.pinv(by_d, rcond=1e-10) @ by_p
    A = _matrix(by_d, by_e)
    spectrum, right = np.linalg.eig(A)
    _require_apart(system, spectrum)
    left = np.linalg.inv(right)
    found = np.zeros((len(spectrum), len(names)), complex)
    for k, unit in enumerate(np.eye(len(names))):
        by_d, by_e = moved(state.q, p, places[:, k], unit)
        change = _matrix(by_d, by_e, rates=0.0)
        found[:, k] = np.einsum("ij,jk,ki->i", left, change, right)
    return RestSensitivity(system, names, places, spectrum, found)


def _programs(state: State, names: tuple[str, ...], p: np.ndarray) -> tuple[Any, Any]:
    """a and its slopes at rest, and how these change along (d, p)."""
    system, core = state.system, equations_of(state.system).functions
    t, still = float(state.t), np.zeros(system.speeds)

    def a(q: Any, d: Any, e: Any, p: Any) -> Any:
        table = {name: p[k] for k, name in enumerate(names)}
        place = system.local(q, d)
        return core.accelerations(t, place, e, table)[0]

    def slopes(q: Any, p: Any) -> Any:
        zero = jnp.zeros(system.speeds)
        return a(q, zero, zero, p), jax.jacfwd(a, (1, 2, 3))(q, zero, zero, p)

    def moved(q: Any, p: Any, along: Any, direction: Any) -> Any:
        def both(d: Any, p: Any) -> Any:
            return jax.jacfwd(a, (1, 2))(system.local(q, d), 0 * d, 0 * d, p)

        return jax.jvp(both, (jnp.zeros(system.speeds), p), (along, direction))[1]

    key = ("rest sensitivity", names, t)
    if key not in system.compiled:
        system.compiled[key] = (
            compile(slopes, state.q, p),
            compile(moved, state.q, p, still, p),
        )
    return system.compiled[key]


def _matrix(by_d: np.ndarray, by_e: np.ndarray, rates: float = 1.0) -> np.ndarray:
    n = len(by_d)
    return np.block([[np.zeros((n, n)), rates * np.eye(n)], [by_d, by_e]])


def _require_tree(system: System) -> None:
    if system.constraints:
        raise AnalysisError(
            f"{system.name!r} has constraints, which move with its parameters.",
            "Only the equilibria of trees are differentiated.",
            "Describe it by joints alone, or solve for the equilibrium at two values.",
        )


def _require_rest(state: State, a: np.ndarray, by_d: np.ndarray) -> None:
    size = np.max(np.abs(by_d), initial=0.0)
    if np.any(state.z) or np.max(np.abs(a), initial=0.0) > FOUND * max(size, 1e-300):
        raise AnalysisError(
            f"{state!r} is no equilibrium.",
            f"It would accelerate by {np.max(np.abs(a), initial=0.0):.3g}, or moves.",
            "Take one from ph.equilibria(system).",
        )


def _require_apart(system: System, values: np.ndarray) -> None:
    gaps = np.abs(values[:, None] - values) + np.diag(np.full(len(values), np.inf))
    if np.min(gaps, initial=np.inf) < APART * np.max(np.abs(values)):
        raise AnalysisError(
            f"{system.name!r} has equal eigenvalues there.",
            "Which way they part depends on how the parameters change together.",
            "Ask at other values, or change one parameter slightly.",
        )
