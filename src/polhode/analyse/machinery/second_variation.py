r"""Whether the energy has a minimum among motions with the same momenta.

A steady motion that carriers Y carry at rates xi is a critical point of

    F = T + V - xi . J - l . g,      J = Y^T M z      the momenta of the carriers

The second variation of F counts on what a disturbance can do: keep the constraints,
their rates, and the momenta of all symmetries. Where it is positive there, but for
being carried along, F is a wall: the motion is stable, large disturbances included
(Lagrange and Dirichlet at rest; Routh; energy-momentum).

Where carriers coincide, as spin and precession of an upright top, their rates are not
unique, F is a family of functions, and one with a minimum is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.analyse.symmetries import Carriers
from polhode.answer_table import Answer, AnswerTable, relative
from polhode.arrays import Array, Scalar
from polhode.matter.parameter import NOMINAL
from polhode.system import numeric_constraints, rows
from polhode.system.natural_sizes import natural_sizes

if TYPE_CHECKING:
    from polhode.system.state import State
    from polhode.system.system import System

CRITICAL = 1e-7  # of its parts: a slope of F that is none
FLAT = 1e-8  # of the largest curvature
ROUGH = 1e-5  # of it: a curvature that must be zero, and is as far as is known
ORBIT = 1e-6  # of the quickest carrier: what leaves the momenta as they are
DEPENDENT = 1e-8  # a singular value of unit rows that is not one


@final
@dataclass(frozen=True, eq=False, repr=False)
class SecondVariation(Answer):
    """Curvatures of F on disturbances that keep constraints and momenta.

    curvatures  eigenvalues (d,), in the measure of the system's own scales
    carried     how many of them must be zero: being carried along changes nothing
    rates       the rates xi for which F was taken, by carrier
    momenta     J of the carriers, by name
    """

    curvatures: np.ndarray
    carried: int
    rates: dict[str, float]
    momenta: dict[str, float]

    @property
    def edge(self) -> float:
        """The size of a curvature that is none: those of being carried show it."""
        each = np.sort(np.abs(self.curvatures))
        largest = float(np.max(each, initial=0.0))
        none = float(np.max(each[: self.carried], initial=0.0))
        rounding = 3 * none if none < ROUGH * largest else 0.0
        return max(FLAT * largest, rounding)

    @property
    def negative(self) -> int:
        """In how many directions F falls."""
        return int(np.sum(self.curvatures < -self.edge))

    @property
    def flat(self) -> int:
        """In how many directions F neither rises nor falls, being carried left out."""
        return int(np.sum(np.abs(self.curvatures) <= self.edge)) - self.carried

    @property
    def is_minimum(self) -> bool:
        """Whether F rises in all directions that count."""
        return self.negative == 0 and self.flat <= 0

    def plot(self) -> Any:
        """The curvatures as bars: a `Picture`."""
        from polhode.show.plots.answers import curvature_picture

        return curvature_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        falls = f"falls in {self.negative} directions"
        word = "a minimum" if self.is_minimum else falls
        return AnswerTable(
            f"SecondVariation({word}; {self.carried} carried along)",
            ("", "rate", "momentum"),
            [(name, rate, self.momenta[name]) for name, rate in self.rates.items()],
            [f"curvatures: {', '.join(relative(self.curvatures))}"],
        )


class _Parts(NamedTuple):
    """At a steady motion: slope (2n,) and curvature (2n, 2n) of F in (d, w), slopes of
    all that is kept (c, 2n), momenta (k,), and the carriers' own directions (2n, k)."""

    slope: Any
    curvature: Any
    kept: Any
    momenta: Any
    carried: Any


def second_variation(
    carriers: Carriers, state: State, xi: np.ndarray, multipliers: np.ndarray
) -> SecondVariation | None:
    """The second variation at a steady motion, or None where it does not apply.

    It does not if something acts that stores no energy, or if velocity constraints are
    there and the system moves.
    """
    system = state.system
    if np.any(xi) and not all(c.is_holonomic for c in system.constraints):
        return None
    sizes = _sizes(state, xi, carriers)
    at = _in_natural_sizes(_parts_function(carriers, state, multipliers), sizes, xi)
    found = at(xi)
    keeps = found.kept
    T = _null(keeps)
    slope = T.T @ found.slope
    none = at(0.0 * xi)
    parts = np.max(np.abs(none.slope)) + np.max(
        np.abs(found.slope - none.slope), initial=0.0
    )
    if np.max(np.abs(slope), initial=0.0) > CRITICAL * max(parts, 1e-300):
        return None
    # Rates that carry nothing anywhere.
    spare = _null(found.carried[: system.speeds] * sizes[: system.speeds, None])
    rate = float(np.max(np.abs(xi), initial=0.0)) or 1.0
    first = _on(T, found.curvature)
    changes = [_on(T, at(xi + rate * c).curvature) - first for c in spare.T]
    # Carriers that are one wherever the system is change nothing but rounding.
    largest = np.max(np.abs(first), initial=0.0)
    curves = [np.max(np.abs(Q), initial=0.0) > FLAT * largest for Q in changes]
    spare, pairs = spare[:, curves], zip(changes, curves, strict=True)
    chosen, curvatures = _best(
        [first, *(Q / rate for Q, is_curved in pairs if is_curved)], rate
    )
    carried = _kept_among(found.carried, keeps)
    rates = xi + spare @ chosen
    return SecondVariation(
        curvatures,
        carried,
        dict(zip(carriers.names, map(float, rates), strict=True)),
        dict(zip(carriers.names, map(float, found.momenta), strict=True)),
    )


def _best(Q: list[np.ndarray], rate: float) -> tuple[np.ndarray, np.ndarray]:
    """The rates that carry nothing for which the least curvature is largest.

    Q is linear in them, so the least curvature is a concave function: one summit.
    """
    from scipy.optimize import minimize

    def curvatures(c: np.ndarray) -> np.ndarray:
        return np.linalg.eigvalsh(
            Q[0] + sum(x * q for x, q in zip(c, Q[1:], strict=True))
        )

    none = np.zeros(len(Q) - 1)
    if not len(none) or not Q[0].size:
        return none, curvatures(none) if Q[0].size else np.zeros(0)

    def least(c: np.ndarray) -> float:
        found = curvatures(c * rate)
        # Zeros of being carried along hide it: the sum of all below counts as well.
        return -float(np.sum(np.minimum(found, 0.0))) - 1e-3 * float(
            np.sort(np.abs(found))[: max(1, len(found) // 2)].sum()
        )

    found = minimize(least, none, method="Nelder-Mead", options={"xatol": 1e-10})
    return found.x * rate, curvatures(found.x * rate)


def _parts_function(
    carriers: Carriers, state: State, multipliers: np.ndarray
) -> Callable[[np.ndarray], _Parts]:
    system = state.system
    name = ("second variation", carriers.names)
    place = (float(state.t), state.q, state.z)
    example = (*place, np.zeros(len(carriers.names)), multipliers)
    program = system.program(name, _function(carriers), example)
    moving = _row_flags(state)

    def parts(xi: np.ndarray) -> _Parts:
        found = _Parts(*program(*place, xi, multipliers))
        more = len(found.kept) - len(moving)
        kept = np.pad(moving, (0, more), constant_values=True)
        return found._replace(kept=np.where(kept[:, None], found.kept, 0.0))

    return parts


def _row_flags(state: State) -> np.ndarray:
    """Which equations of place, then of velocities, feel a motion of the system."""
    moving = numeric_constraints.moving_rows(state.system, state)
    return np.concatenate([moving[_holonomic(state.system)], moving])


def _function(carriers: Carriers) -> Callable[..., _Parts]:
    import jax
    import jax.numpy as jnp

    system, n = carriers.system, carriers.system.speeds
    held = _holonomic(system)

    def parts(t: Any, q: Array, z: Array, xi: Any, l: Any) -> _Parts:
        driven = _driven(carriers, t, q, z)

        def F(x: Any) -> Any:
            place, w = system.local(q, x[:n]), z + x[n:]
            energy = system.kinetic_energy(t, place, w)
            energy = energy + system.potential_energy(t, place)
            g = rows.positions(system, t, place)
            return energy - xi @ _momenta(carriers, t, place, w) - g @ l[held]

        def kept(x: Array) -> Any:
            place, w = system.local(q, x[:n]), z + x[n:]
            J = jnp.where(driven, 0.0, _momenta(carriers, t, place, w))
            g = rows.positions(system, t, place)
            return jnp.concatenate([g, rows.velocities(system, t, place, w), J])

        x, units = jnp.zeros(2 * n), np.eye(len(carriers.names))
        growths = [carriers.growth(t, q, z, unit, NOMINAL) for unit in units]
        growth = jnp.stack([jnp.zeros(n), *growths], -1)[:, 1:]
        return _Parts(
            jax.grad(F)(x),
            jax.jacfwd(jax.grad(F))(x),
            jax.jacfwd(kept)(x),
            _momenta(carriers, t, q, z),
            jnp.concatenate([carriers.matrix(q, NOMINAL), growth]),
        )

    return parts


def _momenta(carriers: Carriers, t: Scalar, q: Array, w: Array) -> Any:
    """J = Y^T M w (k,)."""
    return carriers.matrix(q, NOMINAL).T @ (carriers.system.mass_matrix(t, q) @ w)


def _driven(carriers: Carriers, t: Scalar, q: Array, z: Array) -> Any:
    """Which carriers (k,) a driver turns: they have no momentum to keep."""
    import jax
    import jax.numpy as jnp

    system = carriers.system
    held = _holonomic(system)
    if not held.any() or not carriers.names:
        return jnp.zeros(len(carriers.names), bool)
    A = jax.jacfwd(lambda w: rows.velocities(system, t, q, w))(z)
    c, r = natural_sizes(system)
    Y = carriers.matrix(q, NOMINAL)
    squares = jnp.sum((A @ Y / r[:, None])[held] ** 2, axis=0)
    return squares > 1e-20 * jnp.sum((Y / c[:, None]) ** 2, axis=0)


def _holonomic(system: System) -> np.ndarray:
    """Which rows are equations of place."""
    flags = [c.is_holonomic for c in system.constraints for _ in c.rows]
    return np.array(flags, dtype=bool)


def _sizes(state: State, xi: np.ndarray, carriers: Carriers) -> np.ndarray:
    """What d and w (2n,) are measured by."""
    from polhode.analyse.machinery.damped_newton import Balance
    from polhode.analyse.machinery.scales import Sizes, rate_of, sizes_at
    from polhode.integrate.field.scales import displacements

    system: System = state.system
    D = np.asarray(displacements(system, state.q), float)
    balance = Balance(system, carriers, pushes=(0.0,) * len(carriers.names))
    found = sizes_at(balance, float(state.t), state.q[None], xi[None], NOMINAL)
    rate = rate_of(Sizes(*(part[0] for part in found)), D)
    # Forces that only hold an orbit are large beside those that turn what goes round.
    carried = float(np.max(np.abs(xi), initial=0.0))
    rate = min(rate, carried) if carried else rate
    return np.concatenate([D, D * rate])


def _in_natural_sizes(
    at: Callable[[np.ndarray], _Parts], sizes: np.ndarray, xi: np.ndarray
) -> Callable[[np.ndarray], _Parts]:
    """The same in sizes of the system's own, and with w about where F is least for d.

    Speeds along a body's own axes turn with it: of a satellite that is displaced in
    attitude alone, F would be as large as its orbit.
    """
    n = len(sizes) // 2
    Q = at(xi).curvature * np.outer(sizes, sizes)
    way, back = np.eye(2 * n), np.eye(2 * n)
    way[n:, :n] = -np.linalg.lstsq(Q[n:, n:], Q[n:, :n], rcond=None)[0]
    back[n:, :n] = -way[n:, :n]

    def parts(xi: np.ndarray) -> _Parts:
        found = at(xi)
        return _Parts(
            way.T @ (found.slope * sizes),
            way.T @ (found.curvature * np.outer(sizes, sizes)) @ way,
            (found.kept * sizes) @ way,
            found.momenta,
            back @ (found.carried / sizes[:, None]),
        )

    return parts


def _on(T: np.ndarray, Q: np.ndarray) -> np.ndarray:
    found = T.T @ Q @ T
    return (found + found.T) / 2


def _units(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    least = DEPENDENT * max(float(np.max(lengths, initial=0.0)), 1e-300)
    return rows / np.where(lengths > least, lengths, np.inf)


def _null(rows: np.ndarray) -> np.ndarray:
    """A basis (n, k), orthonormal, of what rows (m, n) of unit length do not feel."""
    if not rows.size:
        return np.eye(rows.shape[1])
    _, s, right = np.linalg.svd(_units(rows))
    return right[int(np.sum(s > DEPENDENT)) :].T


def _kept_among(columns: np.ndarray, rows: np.ndarray) -> int:
    """How many independent combinations of columns (n, k) the rows do not feel."""
    if not columns.size:
        return 0
    columns = columns / max(float(np.max(np.abs(columns))), 1e-300)
    T = _null(rows)
    inside = columns - T @ (T.T @ columns)
    _, s, right = np.linalg.svd(inside)
    kept = columns @ right[int(np.sum(s > ORBIT)) :].T
    return int(np.sum(np.linalg.svd(kept, compute_uv=False) > ORBIT))
